/*
 * A unit compiled for expansion (expand.h), shared by the compiler and the evaluator: straight-line
 * arithmetic over variables. Variable 0 is always zero, 1 is RSP, 2 the FS base, then one for each
 * word of the unit's slots in order of logging (a loop's entry slots are its registers at the head
 * of the current iteration), then temporaries in order of evaluation.
 */
#ifndef FT_FORMATS_EXPAND_PROGRAM_H
#define FT_FORMATS_EXPAND_PROGRAM_H

#include "formats/expand/record.h"
#include "formats/expand/runs.h"
#include "formats/x86/effect.h"

enum ft_variable { FT_VARIABLE_ZERO, FT_VARIABLE_RSP, FT_VARIABLE_FS_BASE, FT_VARIABLE_SLOTS };
#define FT_VARIABLES_MAX 4096
#define FT_NO_VARIABLE   UINT16_MAX

/* constant + a_factor * a + b_factor * b; unused terms name variable 0. */
struct ft_form {
    uint64_t constant, a_factor, b_factor;
    uint16_t a, b;
};

static inline uint64_t ft_form_value(const struct ft_form *form, const uint64_t *variables)
{
    return form->constant + form->a_factor * variables[form->a] +
           form->b_factor * variables[form->b];
}

/* A temporary. */
struct ft_computation {
    struct ft_form form;
    struct ft_narrowing narrowing;
    uint16_t target;
    bool is_linear; /* no narrowing */
};

enum ft_piece_kind {
    FT_PIECE_ACCESSES, /* one access for each entry */
    FT_PIECE_STRING,   /* a run over its entries */
    FT_PIECE_GRANULES, /* the same by granules: two entries of each operand (string_granules.h) */
    FT_PIECE_LANES,    /* one entry, an access for each active lane */
};

/* Consecutive accesses of one kind of expansion. */
struct ft_piece {
    uint8_t kind;
    bool is_prefetch;       /* counted, not expanded; lanes only */
    uint16_t first, count;  /* entries */
    struct ft_form repeats; /* strings: iterations */
    int64_t stride;         /* strings: bytes per iteration */
    uint16_t mask, index; /* lanes: first variable of the logged value; FT_NO_VARIABLE: all ones */
    struct ft_access access; /* lanes */
};

enum ft_update_kind {
    FT_UPDATE_AFFINE,   /* new = old + stride */
    FT_UPDATE_UNSIGNED, /* new = low 32 bits of (old + stride) */
    FT_UPDATE_SIGNED,   /* the same, sign-extended */
    FT_UPDATE_IRREGULAR,
};

/* How a loop's head variable changes from one iteration to the next. */
struct ft_update {
    uint8_t kind;
    uint16_t variable;
    struct ft_form form;   /* its new value */
    struct ft_form stride; /* unless irregular: from variables that do not change */
};

/* The program for one direction of string instructions. */
struct ft_variant {
    struct ft_computation *computations;
    struct ft_form *entries; /* addresses of static accesses, without prefetches, and fetches */
    struct ft_piece *pieces;
    struct ft_update *updates;
    uint16_t computation_count, entry_count, piece_count, update_count;
    uint16_t variable_count;
    uint16_t access_count;       /* in pieces of kind ACCESSES */
    struct ft_form rsp, fs_base; /* after one pass */
    bool is_uniform; /* all pieces of kind ACCESSES, FS base kept, RSP moved by a constant */
    bool is_affine;  /* a loop all of whose updates may be affine, without slots per iteration */
};

struct ft_unit_program {
    const struct ft_unit *unit;
    uint16_t head_words;      /* plain: all slots; loops: entry slots */
    uint16_t iteration_words; /* loops: the other slots */
    uint8_t content;          /* enum ft_run_content */
    uint8_t prefetch_count;
    uint8_t instruction_count;
    uint8_t direction;       /* enum ft_direction_effect after the unit */
    uint16_t flags_variable; /* FT_DIRECTION_LOADED */
    bool is_loop;
    bool is_simple;      /* plain and uniform, the direction flag is kept (simple.h) */
    bool has_directions; /* variants[1] is for DF = 1; else variants[0] serves both */
    struct ft_variant variants[2];
    bool leaves_early;             /* a loop path's last iteration, which leaves it: */
    uint16_t last_iteration_words; /* logged in it */
    uint8_t last_iteration_prefetch_count, last_iteration_instruction_count;
    struct ft_variant last_iteration;
};

/* What a narrowing is when the value that it narrows moves by a stride: none stays affine, low 32
 * bits stay so while they do not wrap, others do not. */
static inline enum ft_update_kind ft_narrowing_kind(const struct ft_narrowing *narrowing)
{
    if (narrowing->left == 0 && narrowing->right == 0)
        return narrowing->mask == UINT64_MAX   ? FT_UPDATE_AFFINE
               : narrowing->mask == UINT32_MAX ? FT_UPDATE_UNSIGNED
                                               : FT_UPDATE_IRREGULAR;
    return narrowing->left == 32 && narrowing->right == 32 && narrowing->is_signed &&
                   narrowing->mask == UINT64_MAX
               ? FT_UPDATE_SIGNED
               : FT_UPDATE_IRREGULAR;
}

/* ---- unit_program.c ---- */

/* How many of a unit's first `instruction_count` instructions count as executed. */
unsigned ft_program_instructions(const struct ft_unit *unit, unsigned instruction_count);

/* ---- compile.c ---- */

/* content: enum ft_run_content. */
int ft_variant_compile(const struct ft_unit *unit, const struct ft_effect *effects,
                       unsigned content, bool direction_down, struct ft_variant *ret_variant,
                       struct ft_diag *diag);
/* The iteration in which a loop path is left early: its head variables are those of a complete
 * iteration, and its entries are the first ones of it. */
int ft_variant_compile_last_iteration(const struct ft_unit *unit, const struct ft_effect *effects,
                                      unsigned content, struct ft_variant *ret_variant,
                                      struct ft_diag *diag);
void ft_variant_fini(struct ft_variant *variant);

#endif
