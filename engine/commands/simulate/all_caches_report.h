/*
 * The misses of all caches of a line size as they are shown: one row a capacity, one column an
 * associativity. A column ends where only first touches miss; rows are the capacities of all
 * columns up to there, and the fully associative cache of each.
 */
#ifndef FT_ENGINE_COMMANDS_SIMULATE_ALL_CACHES_REPORT_H
#define FT_ENGINE_COMMANDS_SIMULATE_ALL_CACHES_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "engine/simulate/all-caches/all_caches.h"
#include "formats/trace/trace.h"

#define FT_ALL_CACHES_WAYS_MAX 32

struct ft_all_caches_report {
    const struct ft_trace *trace;
    struct ft_all_caches caches;
    bool sampled;
    uint64_t ways[FT_ALL_CACHES_WAYS_MAX]; /* ascending */
    size_t ways_count;
    uint64_t *capacities; /* of the rows, in lines, ascending */
    size_t capacity_count, capacity_limit;
};

/* Finds the rows; everything else is there. */
int ft_all_caches_report_rows(struct ft_all_caches_report *report, struct ft_diag *diag);
void ft_all_caches_report_fini(struct ft_all_caches_report *report);

/* CSV and JSON have one cache after the other. */
int ft_all_caches_print_text(const struct ft_all_caches_report *report, FILE *stream,
                             struct ft_diag *diag);
int ft_all_caches_print_csv(const struct ft_all_caches_report *report, FILE *stream,
                            struct ft_diag *diag);
int ft_all_caches_print_json(const struct ft_all_caches_report *report, FILE *stream,
                             struct ft_diag *diag);

#endif
