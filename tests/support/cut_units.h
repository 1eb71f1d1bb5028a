/*
 * An execution, written as a list of addresses, cut into units as a capture does it, with the
 * counts that the capture would leave. For tests of what is found in them.
 */
#ifndef FT_TESTS_SUPPORT_CUT_UNITS_H
#define FT_TESTS_SUPPORT_CUT_UNITS_H

#include <stdbool.h>

#include "formats/trace/trace.h"

#define CUT_UNITS_MAX 100
#define CUT_STEPS_MAX 500

/* Code at first_offset of a module that is loaded at bias. */
struct cut_code {
    const uint8_t *bytes;
    size_t size;
    uint64_t first_offset, bias;
};

struct cut_execution {
    uint64_t offsets[CUT_STEPS_MAX];
    bool starts[CUT_STEPS_MAX]; /* a thread does: nothing leads here */
    size_t count;
};
void cut_execution_step(struct cut_execution *execution, uint64_t offset);
/* The next step starts a thread. */
void cut_execution_start(struct cut_execution *execution);

struct cut_units {
    struct ft_unit units[CUT_UNITS_MAX]; /* by id, of module 0 */
    const struct ft_unit *pointers[CUT_UNITS_MAX];
    uint64_t executions[CUT_UNITS_MAX];
    uint64_t loop_entries[CUT_UNITS_MAX];
    struct ft_unit_edge edges[CUT_UNITS_MAX];
    size_t unit_count, edge_count;     /* highest id + 1 */
    struct ft_execution_counts counts; /* the arrays above */
};
/* instructions_max: the planner's limit. */
void cut_units(struct cut_units *cut, const struct cut_code *code,
               const struct cut_execution *execution, unsigned instructions_max);
void cut_units_fini(struct cut_units *cut);

#endif
