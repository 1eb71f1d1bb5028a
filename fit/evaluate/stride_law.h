/*
 * The strides of a group at a point, from those at the training sizes: a constant, or a polynomial
 * of the parameter through all of them that one size more than it needs confirms. Bytes. Thread
 * safe on one model.
 */
#ifndef FT_FIT_EVALUATE_STRIDE_LAW_H
#define FT_FIT_EVALUATE_STRIDE_LAW_H

#include "formats/model/model.h"

/* What integers at the training sizes are at the point, by the polynomial of the parameter that
 * goes through all of them; false where none does that a size to spare confirms. */
bool ft_follow_polynomial(const struct ft_model *model, const int64_t *values,
                          const struct ft_point *at, double *ret_value);

/* The strides of a loop around a group; the innermost loop is 0. */
struct ft_stride_law {
    bool is_loop;    /* there is such a loop */
    bool is_known;   /* and its stride is a number that follows the size */
    double bytes;    /* at the point; never below 0, whichever way it goes */
    double smallest; /* of those at the training sizes */
    double largest;
};

struct ft_stride_law ft_stride_law_of(const struct ft_model *model, size_t group, size_t loop,
                                      const struct ft_point *at);

/* Iterations per entry of that loop at the point; NAN where they are not known. */
double ft_stride_trip_count(const struct ft_model *model, size_t group, size_t loop,
                            const struct ft_point *at);

#endif
