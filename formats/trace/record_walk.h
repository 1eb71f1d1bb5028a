/*
 * The records of a trace one by one, for what prints them: each with the unit that it executes, the
 * thread's state before and after, and the accesses and instructions that it stands for, counted
 * and checked against its chunk's. And the instructions of one record, in order, up to each access.
 */
#ifndef FT_FORMATS_TRACE_RECORD_WALK_H
#define FT_FORMATS_TRACE_RECORD_WALK_H

#include "formats/codec/log.h"
#include "formats/trace/trace.h"

struct ft_walked_record {
    const struct ft_record *record;
    const struct ft_unit *unit; /* that it executes, or NULL */
    const struct ft_log_state *before, *after;
    uint64_t accesses, instructions;
};

/* Any value but FT_OK ends the walk, which returns it; failures are below FT_OK. */
typedef int ft_record_visitor(void *context, const struct ft_walked_record *walked,
                              struct ft_diag *diag);

struct ft_record_walk;
/* The trace must outlive the walk. */
int ft_record_walk_create(const struct ft_trace *trace, struct ft_record_walk **ret_walk,
                          struct ft_diag *diag);
void ft_record_walk_destroy(struct ft_record_walk *walk);

/* Visits the records of a thread's index-th log chunk. A failure's message names the chunk. */
int ft_record_walk_chunk(struct ft_record_walk *walk, uint32_t thread, size_t index,
                         ft_record_visitor *visit, void *context, struct ft_diag *diag);

/* A position among the instructions that a record executed. */
struct ft_instruction_walk {
    const struct ft_unit *unit;
    unsigned executed_count; /* of the unit's, in each iteration */
    unsigned next;
    uint64_t next_iteration;
};
/* At the first; for a record that executes a unit. */
struct ft_instruction_walk ft_instruction_walk_of(const struct ft_walked_record *walked);
/* Steps over the next instruction and gives it, unless it stands behind the index-th of the
 * iteration: then NULL. */
const struct ft_instruction *ft_instruction_walk_up_to(struct ft_instruction_walk *walk,
                                                       uint64_t iteration, unsigned index);
/* The same up to the record's last. */
const struct ft_instruction *ft_instruction_walk_on(struct ft_instruction_walk *walk,
                                                    const struct ft_record *record);

#endif
