/*
 * A report, or a diff, as one HTML file: the template, with the styles, the scripts and the
 * document in their places (assets/page.html). Nothing in it is loaded from elsewhere.
 */
#ifndef FT_PREDICT_COMMANDS_PAGE_PAGE_H
#define FT_PREDICT_COMMANDS_PAGE_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "formats/cli/json.h"

/* Of a model, of what was measured, of two sides; the last one is drawn without the library. */
enum ft_page_kind { FT_PAGE_REPORT, FT_PAGE_MEASURED, FT_PAGE_DIFF };

/* Takes the document over; NULL: building it ran out of memory. Errors of the stream are the
 * caller's to look at. */
int ft_page_write(json_t *document, enum ft_page_kind kind, const char *title, FILE *stream,
                  struct ft_diag *diag);
/* Whether the build had the library that draws plots; without it the page has their tables. */
bool ft_page_has_plots(void);

/* ---- values in documents ---- */

#define FT_PAGE_DIGITS 6

/* A number with few digits, or null if it is not finite. */
json_t *ft_page_number(double value);
/* [value, low, high], or the value alone where it is exact or its interval is unknown (NAN). */
json_t *ft_page_estimate(double value, double low, double high);

#endif
