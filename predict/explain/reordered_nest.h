/*
 * A nest in which some loops run in another order (loop_order.h): each rectangular nest that begins
 * with one of the loops asked for. Single iterations of such a loop, a peeled first or last one,
 * stay as they are, before or behind it.
 */
#ifndef FT_PREDICT_EXPLAIN_REORDERED_NEST_H
#define FT_PREDICT_EXPLAIN_REORDERED_NEST_H

#include "predict/explain/loop_order.h"

/* What is asked of a rectangular nest; false: it stays as it is. */
typedef bool ft_order_choice(const void *context, const struct ft_rect_nest *nest,
                             struct ft_loop_order *ret_order);

struct ft_reordering {
    const struct ft_nest *nest;
    const bool *begins; /* [loop id]: the outermost loop of a nest to be changed */
    ft_order_choice *choose;
    const void *context;
};

/* *ret_changed: how many nests were changed; where it is 0 there is no nest, and nothing to be
 * freed. */
int ft_reordered_nest_make(const struct ft_reordering *reordering, struct ft_nest *ret_nest,
                           size_t *ret_changed, struct ft_diag *diag);

#endif
