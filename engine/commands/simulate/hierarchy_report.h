/*
 * What `simulate --hierarchy` reports of a trace, and `synthesise --hierarchy` of accesses that it
 * made: rows of references (engine/simulate/hierarchy/hierarchy_rows.h), summed up by place or by
 * data.
 */
#ifndef FT_ENGINE_COMMANDS_SIMULATE_HIERARCHY_REPORT_H
#define FT_ENGINE_COMMANDS_SIMULATE_HIERARCHY_REPORT_H

#include <stdio.h>

#include "engine/commands/report/data_report.h"
#include "engine/commands/report/location_report.h"
#include "engine/data/data_runs.h"
#include "engine/simulate/hierarchy/hierarchy_rows.h"
#include "formats/trace/trace.h"
#include "machines/commands/report_options.h"

struct ft_hierarchy_report {
    const struct ft_machine *machine;
    const struct ft_hierarchy_run *run; /* its first hierarchy */
    const struct ft_metadata *metadata;
    const char *content_hash;       /* of the trace */
    const struct ft_scopes *scopes; /* of its references */
    const struct ft_trace *trace;   /* by data, else NULL both */
    const struct ft_data_runs *data;
    uint64_t seed;
    const char *note; /* lines before the table of levels; NULL: none */
    json_t *members;  /* further members of the document, taken over; NULL: none */
    /* the module's */
    const struct ft_hierarchy *hierarchy;
    size_t level_count;
    struct ft_locations places; /* or data rows */
    struct ft_data_rows rows;
};

/* --by, --causes and --seed. */
struct ft_hierarchy_options {
    enum ft_location_kind kind;
    bool by_data;
    bool causes;
    uint64_t seed;
};
int ft_hierarchy_options_read(const struct ft_arguments *arguments,
                              struct ft_hierarchy_options *ret_options, struct ft_diag *diag);

/* In the form that options ask for; kind: of places. */
int ft_hierarchy_report(struct ft_hierarchy_report *report, const struct ft_report_options *options,
                        enum ft_location_kind kind, struct ft_diag *diag);

/* ---- its parts ---- */

/* The machine has instruction levels. */
bool ft_hierarchy_has_fetches(const struct ft_hierarchy_report *report);
/* Why levels miss was counted. */
bool ft_hierarchy_has_causes(const struct ft_hierarchy_report *report);

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
    uint64_t causes[FT_MISS_CAUSES]; /* of all of these, where they are counted */
};
struct ft_hierarchy_total ft_hierarchy_level_total(const struct ft_hierarchy_report *report,
                                                   size_t level);
/* How often the program accessed memory, or fetched instructions. */
uint64_t ft_hierarchy_count(const struct ft_hierarchy_report *report, bool fetches);

int ft_hierarchy_print_text(const struct ft_hierarchy_report *report, FILE *stream,
                            struct ft_diag *diag);
int ft_hierarchy_print_csv(const struct ft_hierarchy_report *report, FILE *stream,
                           struct ft_diag *diag);
/* Takes the members over. */
int ft_hierarchy_print_json(struct ft_hierarchy_report *report, FILE *stream, struct ft_diag *diag);

#endif
