/*
 * A rectangular nest in another order of its loops: interchanged, or in tiles. What stands between
 * two loops runs as soon as the loops that were around it have begun: in each iteration of those
 * that now are outside of it as well.
 */
#ifndef FT_PREDICT_EXPLAIN_LOOP_ORDER_H
#define FT_PREDICT_EXPLAIN_LOOP_ORDER_H

#include "predict/explain/rect_nest.h"

enum ft_loop_role {
    FT_LOOP_WHOLE, /* all iterations */
    FT_LOOP_TILES, /* one for each tile... */
    FT_LOOP_POINTS /* ...and those of the tile, somewhere inside */
};
struct ft_ordered_loop {
    unsigned loop; /* of the nest */
    enum ft_loop_role role;
    uint64_t tile; /* iterations of a tile; the last one has what is left */
};

#define FT_LOOP_ORDER_MAX (2 * FT_RECT_LOOPS_MAX)

/* The outermost first: each loop of the nest once, or its tiles and then its points. */
struct ft_loop_order {
    struct ft_ordered_loop loops[FT_LOOP_ORDER_MAX];
    unsigned count;
};

/* Appends the nest, a LOOP element, to another one. */
int ft_loop_order_write(const struct ft_rect_nest *nest, const struct ft_loop_order *order,
                        struct ft_nest *into, struct ft_diag *diag);

/* The order with a loop moved inwards to become the innermost one. */
struct ft_loop_order ft_loop_order_innermost(const struct ft_rect_nest *nest, unsigned loop);
/* The order with those loops inside of `around` that `tiled` names (bits) in tiles, which are run
 * one after the other outside of it. */
struct ft_loop_order ft_loop_order_tiled(const struct ft_rect_nest *nest, unsigned around,
                                         uint32_t tiled, uint64_t tile);

#endif
