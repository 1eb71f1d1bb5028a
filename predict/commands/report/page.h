/*
 * A report as one HTML file: the template, with the styles, the scripts and the document in their
 * places (assets/page.html). Nothing in it is loaded from elsewhere.
 */
#ifndef FT_PREDICT_COMMANDS_REPORT_PAGE_H
#define FT_PREDICT_COMMANDS_REPORT_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "formats/cli/json.h"

/* Takes the document over; NULL: building it ran out of memory. Errors of the stream are the
 * caller's to look at. */
int ft_page_write(json_t *document, const char *title, FILE *stream, struct ft_diag *diag);
/* Whether the build had the library that draws plots; without it the page has their tables. */
bool ft_page_has_plots(void);

#endif
