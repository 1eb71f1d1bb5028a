/*
 * Loop steps: how symbols and expressions change from one iteration of a loop to the next (Marin &
 * Mellor-Crummey 2005, section 2.1, stride formulas). They are invariant, change by an invariant
 * expression, or change irregularly. Within nested loops, the first iteration counts. Results are
 * cached.
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_STRIDES_H
#define FT_ENGINE_PROGRAM_VALUES_STRIDES_H

#include "engine/program/values/value_exprs.h"

enum ft_stride_flag {
    FT_STRIDE_IRREGULAR = 1, /* differs between iterations */
    FT_STRIDE_INDIRECT = 2,  /* depends on a load whose address changes; irregular */
    FT_STRIDE_UNKNOWN = 4,   /* depends on calls, conditions or trip counts */
};

struct ft_loop_step {
    uint8_t state; /* of the cache: absent, in progress, present */
    uint8_t flags; /* of enum ft_stride_flag; 0: it changes by `expr` */
    struct ft_packed_expr expr;
};

/* The step of an expression per iteration of `loop`. */
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

/* Replaces induction variables of inner loops by their start values. Do this first, because terms
 * may cancel. */
void ft_start_inner_inductions(struct ft_value_exprs *exprs, uint32_t loop,
                               struct ft_linear_expr *expr, uint8_t *flags);
/* Replaces the induction variables of the loop by their start values; false if one is unknown,
 * although others may have been replaced. */
bool ft_replace_inductions(struct ft_value_exprs *exprs, uint32_t loop, struct ft_linear_expr *expr,
                           uint8_t *flags);

/* Replaces an induction variable by its start value; false if that is unknown. */
bool ft_replace_induction(struct ft_value_exprs *exprs, uint32_t unknown,
                          struct ft_linear_expr *expr, uint8_t *flags);

#endif
