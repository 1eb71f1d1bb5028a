/*
 * Accesses that move alike and share a histogram of reuse distances (Marin & Mellor-Crummey 2005,
 * section 2.1; docs/formulas.md, "Groups of references"): which of them touches a line first
 * depends on alignment and problem size; what they do together does not.
 *
 * Accesses of one loop form a group if their strides are equal in every loop around. If a stride is
 * irregular or unknown, they form a group if their addresses differ by a constant: fields of a
 * record behind a pointer. The same holds for accesses of one block outside of loops. Groups of
 * several loops that were one in the source (main and remainder loop) are merged if their strides
 * are equal in the loops that they share, and n or 1/n times as large in the others. Data, the
 * stack and spills are kept apart. Immutable, owns its memory.
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_REFERENCE_GROUPS_H
#define FT_ENGINE_PROGRAM_VALUES_REFERENCE_GROUPS_H

#include "engine/program/values/formulas.h"

struct ft_reference_group {
    uint32_t routine;
    uint32_t loop;         /* the innermost around; the first of its source loop; or FT_NO_LOOP */
    uint32_t loop_count;   /* loops of the machine code that have members */
    uint8_t storage;       /* enum ft_storage */
    bool is_affine;        /* its strides in all loops around are known */
    uint32_t first_member; /* index into members */
    uint32_t member_count;
};

struct ft_reference_groups {
    struct ft_reference_group *items; /* by first member */
    uint32_t count;
    uint32_t *of_access;   /* per access of the formulas: its group */
    uint32_t *members;     /* accesses of the formulas, group by group, in their order */
    uint32_t *instruction; /* per access of the formulas: of the graph */
};

int ft_reference_groups_find(const struct ft_flow_graph *graph, const struct ft_routines *routines,
                             const struct ft_program_loops *loops,
                             const struct ft_formulas *formulas,
                             struct ft_reference_groups *ret_groups, struct ft_diag *diag);
void ft_reference_groups_fini(struct ft_reference_groups *groups);

#endif
