/*
 * Definitions and uses in one routine in SSA form: registers are renamed where blocks meet, so that
 * each definition is a value of its own (Marin & Mellor-Crummey 2004, section 3). Places are
 * registers (value_flow.h; a vector register is one) and, after them, the slots of the stack frame,
 * so that values survive spills. Calls follow the System V ABI; stores through pointers and calls
 * define the slots that pointers may reach. Reused for one routine after another.
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_DEF_USE_H
#define FT_ENGINE_PROGRAM_VALUES_DEF_USE_H

#include "engine/program/values/stack_frame.h"

#define FT_NO_VALUE UINT32_MAX

enum ft_value_kind {
    FT_VALUE_ENTRY,     /* what a place holds where a block is entered from outside */
    FT_VALUE_MERGE,     /* one of the values that a place has at the ends of the predecessors */
    FT_VALUE_RESULT,    /* of an instruction */
    FT_VALUE_CLOBBERED, /* by a call, or by a store that may write a slot or a part of it */
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
    uint32_t *at_end;    /* [local block * place_count + place]: value */
    uint32_t *entries;   /* per local block: the value of place 0 where it is entered from outside,
                            the other places behind it; FT_NO_VALUE where it is not */
    uint32_t *first_use; /* per local instruction, and the end: its uses, by place */
    struct ft_use *uses;
    uint32_t *first_definition; /* per local instruction, and the end: values, by place */
    size_t use_count;
    size_t value_capacity, at_end_capacity, entry_capacity, first_use_capacity, use_capacity,
        first_definition_capacity;
    uint64_t *loop_places; /* workspace: bits of places defined in a loop */
    size_t loop_places_capacity;
    uint32_t first_loop, loop_end; /* of the routine */
};

/* `def_use` is {0} or was used before. */
int ft_def_use_make(struct ft_def_use *def_use, const struct ft_routine_code *code,
                    const struct ft_stack_frame *frame, struct ft_diag *diag);
void ft_def_use_fini(struct ft_def_use *def_use);

/* The value of a place that an instruction uses; FT_NO_VALUE if it does not use it. */
uint32_t ft_value_used(const struct ft_def_use *def_use, uint32_t instruction, unsigned place);
/* The value that an instruction defines in a place; FT_NO_VALUE if it defines none. */
uint32_t ft_value_defined(const struct ft_def_use *def_use, uint32_t instruction, unsigned place);

#endif
