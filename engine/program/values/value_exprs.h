/*
 * Every value of a routine as a linear expression. Values that cannot be expressed are symbols:
 * registers at the entry, loads, results of other instructions, induction variables. Computed in
 * the order of definitions, each once (Marin & Mellor-Crummey 2005, section 2.1). Reused for one
 * routine after another.
 *
 * The files of this family recurse into each other: the expression of a value after a loop is its
 * exit value (exit_values.c), which needs the strides of the loop (strides.c) and the comparison
 * that ends it (operation_exprs.c), which are made of expressions of values.
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_VALUE_EXPRS_H
#define FT_ENGINE_PROGRAM_VALUES_VALUE_EXPRS_H

#include "engine/program/values/def_use.h"
#include "engine/program/values/linear_expr.h"

enum ft_formula_flag {
    FT_FORMULA_ROUNDED = 1, /* a division that may leave a remainder is written as a fraction */
    FT_FORMULA_ASSUMED = 2, /* holds unless 32-bit values wrap, a counted loop begins beyond its
                               bound, or a store through a pointer changes what is loaded */
};

enum ft_expr_symbol_kind {
    FT_EXPR_ENTRY,     /* a register or slot where the routine is entered */
    FT_EXPR_INDUCTION, /* a register or slot at the header of its loop, in each iteration */
    FT_EXPR_MERGE,     /* one of several values, depending on control flow */
    FT_EXPR_LOADED,
    FT_EXPR_QUOTIENT,   /* its expression / divisor, rounded down */
    FT_EXPR_EXIT_VALUE, /* the exit value of a value that changes in its loop */
    FT_EXPR_OTHER,      /* the result of an instruction that is not linear */
    FT_EXPR_ADDRESS,    /* an address that is not linear */
};

/* An expression in the pool. */
struct ft_packed_expr {
    uint32_t first;
    uint8_t count;
    uint8_t flags; /* of enum ft_formula_flag */
};

struct ft_expr_symbol {
    uint8_t kind; /* enum ft_expr_symbol_kind */
    bool fits_32_bits;
    uint8_t size_bytes;   /* loaded */
    uint32_t value;       /* FT_NO_VALUE: of an access */
    uint32_t block;       /* local: where it is computed; of exit values: the header of the loop */
    uint32_t loop;        /* the innermost loop that changes it */
    uint32_t instruction; /* local, or FT_NO_VALUE */
    struct ft_packed_expr expr; /* loaded: address; quotient: dividend */
    int64_t divisor;
    uint32_t first_step; /* one for each loop around, outermost first (strides.c) */
};

struct ft_store {
    uint32_t block;       /* local */
    uint32_t instruction; /* local */
    uint32_t size_bytes;
    uint32_t hash; /* of all terms but the constant */
    struct ft_packed_expr address;
};

struct ft_loop_step;

struct ft_value_exprs {
    const struct ft_routine_code *code;
    const struct ft_stack_frame *frame;
    const struct ft_def_use *def_use;
    struct ft_term *terms;
    size_t term_count, term_capacity;
    struct ft_packed_expr *of_value; /* first is FT_NO_VALUE until it is known */
    uint32_t *symbol_of_value;       /* 0: none */
    uint32_t *exit_of_value;         /* the symbol of its last exit value; 0: none */
    size_t value_capacity, symbol_of_value_capacity, exit_of_value_capacity;
    struct ft_expr_symbol *symbols; /* [0] stands for the constant */
    size_t symbol_count, symbol_capacity;
    uint32_t *first_access; /* per local instruction: its accesses' addresses */
    size_t first_access_capacity;
    struct ft_packed_expr *addresses;
    size_t address_count, address_capacity;
    struct ft_store *stores;
    size_t store_count, store_capacity;
    struct ft_loop_step *steps;
    size_t step_count, step_capacity;
    uint32_t *exit_block;  /* per loop of the routine: the block that its only exit is in */
    uint32_t *exit_target; /* graph block, FT_NO_BLOCK where there are several exits or none */
    bool *calls;           /* per loop of the routine: it calls code that may store anywhere */
    size_t exit_capacity, exit_target_capacity, calls_capacity;
    unsigned recursion;
    bool out_of_memory;
};

/* `exprs` is {0} or was used before; the others must outlive it. */
int ft_value_exprs_make(struct ft_value_exprs *exprs, const struct ft_routine_code *code,
                        const struct ft_stack_frame *frame, const struct ft_def_use *def_use,
                        struct ft_diag *diag);
void ft_value_exprs_fini(struct ft_value_exprs *exprs);

struct ft_linear_expr ft_unpack_expr(const struct ft_value_exprs *exprs,
                                     const struct ft_packed_expr *packed);
struct ft_packed_expr ft_pack_expr(struct ft_value_exprs *exprs, const struct ft_linear_expr *expr,
                                   uint8_t flags);
/* A value as seen from a block: outside the loops that compute it, its exit value or a symbol.
 * False if it is not known yet (it comes later in the order). */
bool ft_value_expr_at(struct ft_value_exprs *exprs, uint32_t value, uint32_t block,
                      struct ft_linear_expr *ret_sum, uint8_t *flags);
/* The start value of an induction variable; false if its loop is entered with different values. */
bool ft_induction_start(struct ft_value_exprs *exprs, const struct ft_expr_symbol *symbol,
                        struct ft_linear_expr *ret_sum, uint8_t *flags);
uint32_t ft_expr_symbol_add(struct ft_value_exprs *exprs, const struct ft_expr_symbol *symbol);
/* A value as a symbol of its own. */
struct ft_linear_expr ft_value_symbol(struct ft_value_exprs *exprs, uint32_t value, uint8_t kind);

static inline uint32_t ft_linear_expr_hash(const struct ft_linear_expr *expr)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < expr->count; i++)
        if (expr->terms[i].symbol != FT_ONE)
            hash = (hash ^ expr->terms[i].symbol ^ (uint64_t)expr->terms[i].numerator << 32) *
                   UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(hash >> 32);
}

#endif
