/*
 * Formulas of the addresses of all accesses of a program: the first location that each touches, and
 * for each loop around it the stride from one iteration to the next (Marin & Mellor-Crummey 2005,
 * section 2.1; docs/formulas.md). Of nested loops, the outer stride is that of the first
 * iteration of the inner loop. Formulas hold for the code that ran. Addresses are
 *     first location + sum over loops of stride * iteration number, from 0,
 * modulo 2^64, up to the outermost loop whose stride has no flag. Immutable, owns its memory.
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_FORMULAS_H
#define FT_ENGINE_PROGRAM_VALUES_FORMULAS_H

#include "engine/program/graph/program_loops.h"
#include "engine/program/values/strides.h"

enum ft_formula_symbol_kind {
    FT_FORMULA_SYMBOL_ONE,      /* the constant's */
    FT_FORMULA_SYMBOL_ENTRY,    /* a register at the entry of the routine */
    FT_FORMULA_SYMBOL_ARGUMENT, /* a word of the caller's stack, at `stack_offset` from RSP at the
                                   entry */
    FT_FORMULA_SYMBOL_LOADED,   /* what an instruction loads from `address` */
    FT_FORMULA_SYMBOL_REGISTER, /* a register after an instruction, or where blocks meet */
    FT_FORMULA_SYMBOL_ADDRESS,  /* the whole address of an access */
};

struct ft_formula_symbol {
    uint8_t kind;     /* enum ft_formula_symbol_kind */
    uint8_t size;     /* loaded: bytes */
    uint8_t place;    /* enum ft_place; FT_NO_PLACE: a slot of the frame */
    uint64_t offset;  /* of the instruction in its module */
    uint32_t loop;    /* the innermost loop in which it gets a new value, or FT_NO_LOOP */
    uint32_t routine; /* to which it belongs */
    /* The instruction of the graph that defines it; FT_NO_BLOCK: defined at the start of the block
     * at `offset`. */
    uint32_t instruction;
    int64_t stack_offset;
    struct ft_packed_expr address; /* loaded: from where */
};

/* What an access touches, judging by its address. */
enum ft_storage {
    FT_STORAGE_DATA,
    FT_STORAGE_STACK, /* objects in stack frames, which pointers may reach, and arguments */
    FT_STORAGE_SPILL, /* slots that only this routine's instructions address: spilled and saved
                         registers, return addresses, variables kept on the stack */
};

struct ft_stride_formula {
    struct ft_packed_expr expr;
    uint32_t loop;
    uint8_t flags; /* of enum ft_stride_flag; 0: `expr` is the stride */
};

struct ft_access_formula {
    struct ft_packed_expr first;
    uint32_t first_stride; /* index of the innermost loop's; the outer ones follow */
    uint32_t base; /* accesses with one base are a constant distance apart within an iteration of
                      the loops around; 0: the address is constant */
    uint16_t level_count; /* loops around */
    uint8_t storage;      /* enum ft_storage */
};

struct ft_formulas {
    struct ft_formula_symbol *symbols; /* [0]: FT_FORMULA_SYMBOL_ONE */
    size_t symbol_count;
    struct ft_term *terms; /* of packed expressions */
    size_t term_count;
    struct ft_access_formula *accesses;
    size_t access_count;
    uint32_t *first_access; /* per instruction of the graph */
    struct ft_stride_formula *strides;
    size_t stride_count;
    uint32_t base_count; /* numbered from 1 */
    size_t symbol_capacity, term_capacity, access_capacity, stride_capacity;
};

int ft_formulas_find(const struct ft_flow_graph *graph, const struct ft_routines *routines,
                     const struct ft_program_loops *loops, struct ft_formulas *ret_formulas,
                     struct ft_diag *diag);
void ft_formulas_fini(struct ft_formulas *formulas);

static inline const struct ft_access_formula *
ft_formula_of(const struct ft_formulas *formulas, uint32_t instruction, unsigned access_index)
{
    return &formulas->accesses[formulas->first_access[instruction] + access_index];
}

#define FT_NO_ACCESS UINT32_MAX
/* The index of an access of the instruction at pc, in the first version that has it; FT_NO_ACCESS
 * if none ran. */
uint32_t ft_formulas_access_at(const struct ft_formulas *formulas,
                               const struct ft_flow_graph *graph, uint64_t pc,
                               unsigned access_index);

struct ft_linear_expr ft_formula_expr(const struct ft_formulas *formulas,
                                      const struct ft_packed_expr *packed);
/* Whether all strides of the access are known. */
bool ft_formula_is_affine(const struct ft_formulas *formulas,
                          const struct ft_access_formula *access);

#endif
