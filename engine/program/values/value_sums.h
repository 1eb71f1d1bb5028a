/*
 * Every value of a routine as a sum over atoms: values that no sum describes (what a register holds
 * at the top of the routine or behind an instruction that is no sum, what is loaded, what a loop
 * changes). Forward over definitions, each once (Marin & Mellor-Crummey 2005, section 2.1). Made
 * for one routine after another in the same memory.
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_VALUE_SUMS_H
#define FT_ENGINE_PROGRAM_VALUES_VALUE_SUMS_H

#include "engine/program/values/def_use.h"
#include "engine/program/values/sums.h"

enum ft_formula_flag {
    FT_FORMULA_ROUNDED = 1, /* a division that may leave a rest is written as a fraction */
    FT_FORMULA_ASSUMED = 2, /* holds unless 32-bit values wrap, a counted loop begins beyond its
                               bound, or a store through a pointer changes what is loaded */
};

enum ft_atom_kind {
    FT_ATOM_ENTRY,     /* a place where the routine is entered */
    FT_ATOM_INDUCTION, /* a place at the head of its loop, in each iteration */
    FT_ATOM_MERGE,     /* one of several values */
    FT_ATOM_LOADED,
    FT_ATOM_QUOTIENT, /* its sum / divisor, rounded down */
    FT_ATOM_LEFT,     /* what a value is when its loop has been left */
    FT_ATOM_OTHER,    /* the result of an instruction that is no sum */
    FT_ATOM_ADDRESS,  /* of an access that no sum describes */
};

/* A sum in the pool. */
struct ft_packed_sum {
    uint32_t first;
    uint8_t count;
    uint8_t flags; /* of enum ft_formula_flag */
};

struct ft_atom {
    uint8_t kind; /* enum ft_atom_kind */
    bool fits_32_bits;
    uint8_t size_bytes;       /* loaded */
    uint32_t value;           /* FT_NO_VALUE: of an access */
    uint32_t block;           /* local, where it is made; of what was left: the loop's head */
    uint32_t loop;            /* the innermost loop in which it is made anew */
    uint32_t instruction;     /* local, or FT_NO_VALUE */
    struct ft_packed_sum sum; /* loaded: address; quotient: dividend */
    int64_t divisor;
    uint32_t first_motion; /* one for each loop around, outermost first (strides.c) */
};

struct ft_stored {
    uint32_t block;       /* local */
    uint32_t instruction; /* local */
    uint32_t size_bytes;
    uint32_t hash; /* of all terms but the constant */
    struct ft_packed_sum address;
};

struct ft_motion;

struct ft_value_sums {
    const struct ft_routine_code *code;
    const struct ft_stack_frame *frame;
    const struct ft_def_use *def_use;
    struct ft_term *terms;
    size_t term_count, term_capacity;
    struct ft_packed_sum *of_value; /* first FT_NO_VALUE: not there yet */
    uint32_t *atom_of_value;        /* 0: none */
    uint32_t *left_of_value;        /* the atom of the value when it was last left; 0: none */
    size_t value_capacity, atom_of_value_capacity, left_of_value_capacity;
    struct ft_atom *atoms; /* [0] stands for the constant */
    size_t atom_count, atom_capacity;
    uint32_t *first_access; /* per local instruction: its accesses' addresses */
    size_t first_access_capacity;
    struct ft_packed_sum *addresses;
    size_t address_count, address_capacity;
    struct ft_stored *stores;
    size_t store_count, store_capacity;
    struct ft_motion *motions;
    size_t motion_count, motion_capacity;
    uint32_t *exit_block;  /* per loop of the routine: the block that its only exit is in */
    uint32_t *exit_target; /* graph block, FT_NO_BLOCK where there are several exits or none */
    bool *calls;           /* per loop of the routine: others run in it, who may store anywhere */
    size_t exit_capacity, exit_target_capacity, calls_capacity;
    unsigned recursion;
    bool out_of_memory;
};

/* `sums` is {0} or was made before; the others must outlive it. */
int ft_value_sums_make(struct ft_value_sums *sums, const struct ft_routine_code *code,
                       const struct ft_stack_frame *frame, const struct ft_def_use *def_use,
                       struct ft_diag *diag);
void ft_value_sums_fini(struct ft_value_sums *sums);

struct ft_sum ft_unpack_sum(const struct ft_value_sums *sums, const struct ft_packed_sum *packed);
struct ft_packed_sum ft_pack_sum(struct ft_value_sums *sums, const struct ft_sum *sum,
                                 uint8_t flags);
/* A value as it is seen in a block: loops that it has left are resolved, or it is an atom. False
 * where it is not computed yet (it comes against the order). */
bool ft_value_sum_at(struct ft_value_sums *sums, uint32_t value, uint32_t block,
                     struct ft_sum *ret_sum, uint8_t *flags);
/* What an induction starts with; false where its loop is entered with different values. */
bool ft_induction_start(struct ft_value_sums *sums, const struct ft_atom *atom,
                        struct ft_sum *ret_sum, uint8_t *flags);
uint32_t ft_new_atom(struct ft_value_sums *sums, const struct ft_atom *atom);
/* The atom that a value is, alone. */
struct ft_sum ft_atom_sum(struct ft_value_sums *sums, uint32_t value, uint8_t kind);

static inline uint32_t ft_sum_hash(const struct ft_sum *sum)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < sum->count; i++)
        if (sum->terms[i].unknown != FT_ONE)
            hash = (hash ^ sum->terms[i].unknown ^ (uint64_t)sum->terms[i].numerator << 32) *
                   UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(hash >> 32);
}

#endif
