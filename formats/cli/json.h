/*
 * JSON results, on jansson: every json_t* function here and in jansson gives NULL where memory runs
 * out, and json_pack passes NULL on, so one check in ft_json_write covers a whole document.
 */
#ifndef FT_FORMATS_CLI_JSON_H
#define FT_FORMATS_CLI_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "formats/base/status.h"

/* A text whose bytes may be anything (names from binaries): where it is not UTF-8, what is not
 * ASCII becomes '?'. NULL: null. */
json_t *ft_json_text(const char *text);
/* A number, or null where it is not finite. */
json_t *ft_json_number(double value);
/* Appends an item (which is given up) to *array; on failure frees the array and makes it NULL. */
void ft_json_append(json_t **array, json_t *item);

/* Adds the members of `from` to `into`; gives both up for the result. */
json_t *ft_json_merge(json_t *into, json_t *from);

/* Writes a value with a newline, and gives it up. value NULL: building it ran out of memory. */
int ft_json_write(json_t *value, FILE *stream, struct ft_diag *diag);

#endif
