/*
 * How symbols and expressions change from one iteration of a loop to the next (Marin &
 * Mellor-Crummey 2005, section 2.1, stride formulae): not at all, by an expression that the loop
 * does not change, or otherwise. In a loop inside, what counts is its first iteration. Each answer
 * is kept.
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_STRIDES_H
#define FT_ENGINE_PROGRAM_VALUES_STRIDES_H

#include "engine/program/values/value_exprs.h"

enum ft_stride_flag {
    FT_STRIDE_IRREGULAR = 1, /* not the same in all iterations */
    FT_STRIDE_INDIRECT = 2,  /* depends on what a load finds whose own address moves; irregular */
    FT_STRIDE_UNKNOWN = 4,   /* it depends on calls, on conditions, or on how often a loop runs */
};

struct ft_loop_step {
    uint8_t state; /* of the memory: not there, being made, there */
    uint8_t flags; /* of enum ft_stride_flag; 0: it moves by the expression */
    struct ft_packed_expr expr;
};

/* The step of an expression with an iteration of `loop`. */
struct ft_loop_step ft_stride_of_expr(struct ft_value_exprs *exprs,
                                      const struct ft_linear_expr *moving, uint8_t expr_flags,
                                      uint32_t loop);
/* The step of a value where it is used, in a local block. */
struct ft_loop_step ft_stride_of_value(struct ft_value_exprs *exprs, uint32_t value, uint32_t block,
                                       uint32_t loop);
struct ft_loop_step ft_stride_of_symbol(struct ft_value_exprs *exprs, uint32_t symbol,
                                        uint32_t loop);
static inline bool ft_loop_step_is_zero(const struct ft_loop_step *step)
{
    return step->flags == 0 && step->expr.count == 0;
}

/* In a loop around theirs, inductions are what they start with; said before anything is asked of
 * them, since much may cancel. */
void ft_start_inner_inductions(struct ft_value_exprs *exprs, uint32_t loop,
                               struct ft_linear_expr *expr, uint8_t *flags);
/* Replaces what moves with the loop itself by what it starts with; false where that is not known,
 * and part of it may be replaced. */
bool ft_replace_inductions(struct ft_value_exprs *exprs, uint32_t loop, struct ft_linear_expr *expr,
                           uint8_t *flags);

/* Puts what an induction starts with in its place; false where that is not known. */
bool ft_replace_induction(struct ft_value_exprs *exprs, uint32_t unknown,
                          struct ft_linear_expr *expr, uint8_t *flags);

#endif
