/*
 * Definitions and uses in one routine in SSA form (Marin & Mellor-Crummey 2004, section 3): each
 * definition is a value of its own, and values merge where blocks meet. A place is a register
 * (value_flow.h; a vector register is one) or, numbered after them, a slot of the stack frame, so
 * that values survive spills. Calls follow the System V ABI; stores through pointers and calls
 * define the slots that pointers may reach. Reused for one routine after another.
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_DEF_USE_H
#define FT_ENGINE_PROGRAM_VALUES_DEF_USE_H

#include "engine/program/values/stack_frame.h"

#define FT_NO_VALUE UINT32_MAX

enum ft_value_kind {
    FT_VALUE_ENTRY,     /* of a place where a block is entered from outside */
    FT_VALUE_MERGE,     /* a phi: the value of a place at the end of one of the predecessors */
    FT_VALUE_RESULT,    /* of an instruction */
    FT_VALUE_CLOBBERED, /* by a call, or by a store that may overlap a slot */
};

struct ft_value {
    uint8_t kind; /* enum ft_value_kind */
    uint16_t place;
    uint32_t block;       /* local */
    uint32_t instruction; /* local; FT_NO_VALUE for entries and merges */
};

struct ft_use {
    uint16_t place;
    uint32_t value;
};

struct ft_def_use {
    uint32_t place_count; /* registers and slots */
    struct ft_value *values;
    uint32_t value_count;
    uint32_t *at_end;  /* [local block * place_count + place]: value */
    uint32_t *entries; /* per local block: the value of place 0 if it is entered from outside, those
                          of the other places follow; else FT_NO_VALUE */
    uint32_t *first_use; /* per local instruction, and the end: its uses, by place */
    struct ft_use *uses;
    uint32_t *first_definition; /* per local instruction, and the end: values, by place */
    size_t use_count;
    size_t value_capacity, at_end_capacity, entry_capacity, first_use_capacity, use_capacity,
        first_definition_capacity;
    uint64_t *loop_places; /* workspace: bitset of places defined in a loop */
    size_t loop_places_capacity;
    uint32_t first_loop, loop_end; /* of the routine */
};

/* `def_use` is {0} or was used before. */
int ft_def_use_make(struct ft_def_use *def_use, const struct ft_routine_code *code,
                    const struct ft_stack_frame *frame, struct ft_diag *diag);
void ft_def_use_fini(struct ft_def_use *def_use);

/* The value that an instruction uses in a place; FT_NO_VALUE if it uses none. */
uint32_t ft_value_used(const struct ft_def_use *def_use, uint32_t instruction, unsigned place);
/* The value that an instruction defines in a place; FT_NO_VALUE if it defines none. */
uint32_t ft_value_defined(const struct ft_def_use *def_use, uint32_t instruction, unsigned place);

#endif
