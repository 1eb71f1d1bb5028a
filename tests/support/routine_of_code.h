/*
 * One routine from bytes of code, as if a trace had it: each block a unit that ran once, and each
 * edge was taken once.
 */
#ifndef FT_TESTS_SUPPORT_ROUTINE_OF_CODE_H
#define FT_TESTS_SUPPORT_ROUTINE_OF_CODE_H

#include "engine/program/values/formulas.h"

#define ROUTINE_OF_CODE_PC     UINT64_C(0x1000)
#define ROUTINE_OF_CODE_BLOCKS 64

struct routine_of_code {
    struct ft_unit units[ROUTINE_OF_CODE_BLOCKS];
    const struct ft_unit *pointers[ROUTINE_OF_CODE_BLOCKS];
    uint64_t executions[ROUTINE_OF_CODE_BLOCKS], loop_entries[ROUTINE_OF_CODE_BLOCKS];
    struct ft_unit_edge edges[2 * ROUTINE_OF_CODE_BLOCKS];
    struct ft_execution_counts counts;
    size_t unit_count;
    struct ft_flow_graph graph;
    struct ft_routines routines;
    struct ft_program_loops loops;
    struct ft_formulas formulas;
};

/* The program ends where that fails. */
void routine_of_code_make(const uint8_t *code, size_t bytes, struct routine_of_code *ret_routine);
void routine_of_code_fini(struct routine_of_code *routine);

/* The formula of an access of the instruction at an offset in the code, as text that the caller
 * frees. */
char *routine_of_code_formula(const struct routine_of_code *routine, uint64_t offset,
                              unsigned access_index);

#endif
