/*
 * What `simulate --hierarchy` reports: figures of each reference in one row, how often it ran, as
 * an access or as a fetch, then for each level what it was asked for, what it missed, and what was
 * written back of its stores. Tables of places, or of data, sum them up.
 */
#ifndef FT_ENGINE_COMMANDS_SIMULATE_HIERARCHY_REPORT_H
#define FT_ENGINE_COMMANDS_SIMULATE_HIERARCHY_REPORT_H

#include <stdio.h>

#include "engine/commands/report/data_report.h"
#include "engine/commands/report/location_report.h"
#include "engine/commands/simulate/hierarchy_trace.h"

struct ft_hierarchy_report {
    const struct ft_machine *machine;
    const struct ft_hierarchy_trace *traced;
    const struct ft_hierarchy *hierarchy;
    uint64_t seed;
    bool fetches; /* the machine has instruction levels */
    size_t level_count;
    /* filled by ft_hierarchy_report_sum: places, or data where the trace was run by it */
    struct ft_locations places;
    struct ft_data_rows data;
};

/* Columns of a row; three for each level from FT_HIERARCHY_LEVELS on. */
enum { FT_HIERARCHY_BOTH, FT_HIERARCHY_ACCESSES, FT_HIERARCHY_FETCHES, FT_HIERARCHY_LEVELS };
static inline size_t ft_hierarchy_asked_column(size_t level)
{
    return FT_HIERARCHY_LEVELS + 3 * level;
}
static inline size_t ft_hierarchy_misses_column(size_t level)
{
    return FT_HIERARCHY_LEVELS + 3 * level + 1;
}
static inline size_t ft_hierarchy_written_column(size_t level)
{
    return FT_HIERARCHY_LEVELS + 3 * level + 2;
}

/* At most `limit` rows; kind: of places. */
int ft_hierarchy_report_sum(struct ft_hierarchy_report *report, enum ft_location_kind kind,
                            size_t limit, struct ft_diag *diag);
void ft_hierarchy_report_fini(struct ft_hierarchy_report *report);

/* The rows to show, which place or object each is about, and what they are called in JSON. */
size_t ft_hierarchy_row_count(const struct ft_hierarchy_report *report);
const double *ft_hierarchy_row(const struct ft_hierarchy_report *report, size_t index);
void ft_hierarchy_row_columns(struct ft_table *table, bool csv,
                              const struct ft_hierarchy_report *report);
void ft_hierarchy_row_cells(struct ft_table *table, bool csv,
                            const struct ft_hierarchy_report *report, size_t index);
json_t *ft_hierarchy_row_json(const struct ft_hierarchy_report *report, size_t index);
const char *ft_hierarchy_rows_name(const struct ft_hierarchy_report *report);

struct ft_hierarchy_total { /* of a level */
    uint64_t asked, load_misses, store_misses, fetch_misses;
};
struct ft_hierarchy_total ft_hierarchy_level_total(const struct ft_hierarchy_report *report,
                                                   size_t level);
/* How often the program accessed memory, or fetched instructions. */
uint64_t ft_hierarchy_count(const struct ft_hierarchy_report *report, bool fetches);

int ft_hierarchy_print_text(const struct ft_hierarchy_report *report, FILE *stream,
                            struct ft_diag *diag);
int ft_hierarchy_print_csv(const struct ft_hierarchy_report *report, FILE *stream,
                           struct ft_diag *diag);
int ft_hierarchy_print_json(const struct ft_hierarchy_report *report, FILE *stream,
                            struct ft_diag *diag);

#endif
