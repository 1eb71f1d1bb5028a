/*
 * Whether a program does the same when it runs again: the accesses of two traces of one size.
 */
#ifndef FT_PREDICT_STUDY_REPETITION_H
#define FT_PREDICT_STUDY_REPETITION_H

#include <stdbool.h>

#include "formats/base/status.h"

struct ft_repetition {
    double accesses, accesses_again;
    bool same_output; /* true where one of them cannot be read */
};

int ft_repetition_read(const char *trace, const char *trace_again, const char *output,
                       const char *output_again, struct ft_repetition *ret_repetition,
                       struct ft_diag *diag);
/* Whether accesses differ by more than a time of day that is printed makes them. */
bool ft_repetition_differs(const struct ft_repetition *repetition);

#endif
