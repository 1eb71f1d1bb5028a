/*
 * The sizes that a question runs over: one parameter of a model between two values, the others
 * fixed. Sizes are integers where the training sizes are; else neighbours differ by a
 * billionth.
 *
 * Plain values; the model must outlive them. Thread safe.
 */
#ifndef FT_PREDICT_QUERY_SIZE_LINE_H
#define FT_PREDICT_QUERY_SIZE_LINE_H

#include "formats/model/model.h"

struct ft_size_line {
    const struct ft_model *model;
    double from, to;
    bool whole;
};

/* From the smallest training size to `reach` times the largest. */
struct ft_size_line ft_size_line_of(const struct ft_model *model, double reach);
struct ft_point ft_size_line_at(const struct ft_size_line *line, double n);
/* A size in the middle of low < high; false where there is none in between. */
bool ft_size_between(const struct ft_size_line *line, double low, double high, double *ret_middle);
/* The step-th of `steps` + 1 sizes from the first to the last of the line, in equal ratios, rounded
 * to sizes that the line has. */
double ft_size_step(const struct ft_size_line *line, size_t step, size_t steps);

#endif
