/*
 * The branches of a thread's records, one after another, on the branch predictor: how often each
 * was executed, and how often predicted wrong. Only branches are visited, and iterations of a loop
 * that change nothing in the predictor are counted without. One thread at a time.
 */
#ifndef FT_ENGINE_SIMULATE_CORE_BRANCH_WALK_H
#define FT_ENGINE_SIMULATE_CORE_BRANCH_WALK_H

#include "formats/expand/record.h"

/* Executions of one instruction of a unit. */
struct ft_walked_branch {
    const struct ft_unit *unit;
    uint8_t instruction;
    uint8_t flow; /* enum ft_flow */
    uint64_t executions, mispredictions;
};

struct ft_branch_walk;
/* Of a trace's units, which must outlive it. */
int ft_branch_walk_create(const struct ft_unit_table *units, struct ft_branch_walk **ret_walk,
                          struct ft_diag *diag);
void ft_branch_walk_destroy(struct ft_branch_walk *walk);

/* The branches of the next record; they count where is_counted, and only teach the predictor
 * elsewhere. */
int ft_branch_walk_record(struct ft_branch_walk *walk, const struct ft_record *record,
                          bool is_counted, struct ft_diag *diag);
/* The next record does not follow the one before. */
void ft_branch_walk_interrupt(struct ft_branch_walk *walk);

/* Those of all records so far; the walk's, until the next record. */
size_t ft_branch_walk_branches(const struct ft_branch_walk *walk,
                               const struct ft_walked_branch **ret_branches);

#endif
