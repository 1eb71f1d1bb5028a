/*
 * JSON results, on jansson: every json_t* function, here and in jansson, returns NULL when out of
 * memory, and json_pack propagates NULL, so one check in ft_json_write covers a whole document.
 */
#ifndef FT_FORMATS_CLI_JSON_H
#define FT_FORMATS_CLI_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "formats/base/status.h"

/* A text of arbitrary bytes (names from binaries): if it is not UTF-8, non-ASCII bytes become '?'.
 * NULL: null. */
json_t *ft_json_text(const char *text);
/* A number, or null if it is not finite. */
json_t *ft_json_number(double value);
/* Appends an item, and takes it over, to *array; on failure frees the array and sets it to NULL. */
void ft_json_append(json_t **array, json_t *item);

/* Adds the members of `from` to `into`; the result replaces both. */
json_t *ft_json_merge(json_t *into, json_t *from);

/* Writes a value and a newline, and frees the value. NULL: building it ran out of memory. */
int ft_json_write(json_t *value, FILE *stream, struct ft_diag *diag);
/* The same in one line, for one value of many. */
int ft_json_write_line(json_t *value, FILE *stream, struct ft_diag *diag);

#endif
