/*
 * The schedule of a loop of the machine code: of each of its paths, weighted by how often it was
 * taken. What loops inside and callees take is theirs.
 */
#ifndef FT_ENGINE_SCHEDULE_LOOP_SCHEDULE_H
#define FT_ENGINE_SCHEDULE_LOOP_SCHEDULE_H

#include "engine/schedule/loop_paths.h"
#include "engine/schedule/schedule.h"

struct ft_path_schedule {
    struct ft_schedule schedule;
    uint32_t instruction_count;
    uint64_t limit_pc;                /* recurrences: of an instruction on the cycle; else 0 */
    char unknown_form[FT_FORM_BYTES]; /* the first form that the core doesn't know; "": none */
};

struct ft_loop_schedule {
    struct ft_loop_paths paths;
    struct ft_path_schedule *of_paths; /* by path */
    double cycles;                     /* of all executions of all paths */
    double instructions;
    double unknown_instructions; /* executed ones that the core doesn't know */
};

int ft_loop_schedule_find(const struct ft_core *core, const struct ft_flow_graph *graph,
                          const struct ft_program_loops *loops, const struct ft_block_exits *exits,
                          uint32_t loop, struct ft_loop_schedule *ret_schedule,
                          struct ft_diag *diag);
void ft_loop_schedule_fini(struct ft_loop_schedule *schedule);

/* The code of a path; ret_code: malloc'ed, points into the graph's units. */
int ft_path_code(const struct ft_flow_graph *graph, const struct ft_loop_paths *paths,
                 uint32_t path, struct ft_body_code **ret_code, uint32_t *ret_count,
                 struct ft_diag *diag);

#endif
