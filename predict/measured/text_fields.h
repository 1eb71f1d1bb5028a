/*
 * Lines of a text file, and fields of a line, of the readers of measured values.
 */
#ifndef FT_PREDICT_MEASURED_TEXT_FIELDS_H
#define FT_PREDICT_MEASURED_TEXT_FIELDS_H

#include <stddef.h>

#include "formats/base/status.h"

/* A file's lines, without their ends. */
struct ft_measured_lines {
    const char *path;
    char **items;
    size_t count, capacity;
};

int ft_measured_lines_read(const char *path, struct ft_measured_lines *ret_lines,
                           struct ft_diag *diag);
/* May be given zeros. */
void ft_measured_lines_fini(struct ft_measured_lines *lines);

#define FT_MEASURED_FIELDS_MAX 64U

/* The fields of a line: separated by one character, blanks around them cut off, quotes of RFC 4180
 * undone. The last one takes what is left where there are more than fields_max. */
struct ft_measured_fields {
    char *text; /* owned */
    char *items[FT_MEASURED_FIELDS_MAX];
    size_t count;
};
int ft_measured_fields_cut(const char *line, char separator, size_t fields_max,
                           struct ft_measured_fields *ret_fields, struct ft_diag *diag);
void ft_measured_fields_fini(struct ft_measured_fields *fields);

#endif
