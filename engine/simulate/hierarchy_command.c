/*
 * Figures of each reference in one row: accesses, then for each level what it was asked for and
 * what it missed. Tables of places sum them up.
 */
#include "engine/simulate/hierarchy_command.h"

#include <stdlib.h>

#include "engine/simulate/hierarchy_trace.h"
#include "engine/simulate/place_report.h"
#include "formats/report_head.h"
#include "formats/trace_operand.h"
#include "machines/level_report.h"
#include "machines/report_options.h"

struct report {
    const struct ft_machine *machine;
    const struct ft_hierarchy_trace *traced;
    const struct ft_hierarchy *hierarchy;
    uint64_t seed;
    size_t level_count;
    struct ft_places places;
};

/* ---- figures ---- */

static size_t accesses_column(size_t level)
{
    return 1 + 2 * level;
}

static size_t misses_column(size_t level)
{
    return 2 + 2 * level;
}

struct level_total {
    uint64_t accesses, load_misses, store_misses;
};

static struct level_total total_of(const struct report *report, size_t level)
{
    const struct ft_hierarchy_level *counted = ft_hierarchy_level(report->hierarchy, level);
    struct level_total total = {0};
    for (size_t j = 0; j < report->traced->scopes.reference_count; j++) {
        total.accesses += counted->accesses[j];
        if (report->traced->scopes.references[j].kind == FT_LOAD)
            total.load_misses += counted->misses[j];
        else
            total.store_misses += counted->misses[j];
    }
    return total;
}

static uint64_t all_accesses(const struct report *report)
{
    uint64_t sum = 0;
    for (size_t j = 0; j < report->traced->scopes.reference_count; j++)
        sum += report->traced->accesses[j];
    return sum;
}

static int find_places(struct report *report, enum ft_place_kind kind, size_t limit,
                       struct ft_diag *diag)
{
    size_t references = report->traced->scopes.reference_count, width = 1 + 2 * report->level_count;
    double *figures = calloc(references * width + 1, sizeof *figures);
    if (!figures)
        return ft_fail_memory(diag, "a report");
    for (size_t j = 0; j < references; j++) {
        double *row = figures + j * width;
        row[0] = (double)report->traced->accesses[j];
        for (size_t i = 0; i < report->level_count; i++) {
            const struct ft_hierarchy_level *level = ft_hierarchy_level(report->hierarchy, i);
            row[accesses_column(i)] = (double)level->accesses[j];
            row[misses_column(i)] = (double)level->misses[j];
        }
    }
    int status =
        ft_places_init(&report->places, kind, &report->traced->scopes, figures, width, limit, diag);
    free(figures);
    return status;
}

/* ---- text and CSV ---- */

static int print_levels(const struct report *report, double accesses, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    static const char *const titles[] = {"capacity",     "block",       "ways",       "accesses",
                                         "misses",       "of these",    "of all",     "evicted",
                                         "written back", "invalidated", "prefetched", "useful"};
    ft_table_column(table, "level", "level", false);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        ft_table_column(table, titles[i], titles[i], true);
    for (size_t i = 0; i < report->level_count; i++) {
        const struct ft_hierarchy_level *counted = ft_hierarchy_level(report->hierarchy, i);
        const struct ft_level *level = counted->level;
        const struct ft_level_traffic *traffic = &counted->traffic;
        struct level_total total = total_of(report, i);
        double misses = (double)(total.load_misses + total.store_misses);
        ft_table_text(table, level->name);
        ft_table_bytes(table, (double)level->blocks * (double)level->block_bytes);
        ft_table_bytes(table, (double)level->block_bytes);
        if (level->ways == level->blocks)
            ft_table_text(table, "full");
        else
            ft_table_format(table, "%llu", (unsigned long long)level->ways);
        ft_table_count(table, (double)total.accesses);
        ft_table_count(table, misses);
        ft_table_share(table, total.accesses ? misses / (double)total.accesses : 0);
        ft_table_share(table, accesses > 0 ? misses / accesses : 0);
        ft_table_count(table, (double)traffic->evictions);
        ft_table_count(table, (double)traffic->write_backs);
        ft_table_count(table, (double)traffic->invalidations);
        ft_table_count(table, (double)traffic->prefetches);
        ft_table_count(table, (double)traffic->useful_prefetches);
    }
    int status = ft_table_write(table, stdout, false, diag);
    ft_table_destroy(table);
    return status;
}

static void add_columns(struct ft_table *table, const struct report *report, bool csv)
{
    for (size_t i = 0; i < report->level_count; i++) {
        const struct ft_level *level = ft_hierarchy_level(report->hierarchy, i)->level;
        if (csv) {
            ft_level_column(table, level, "accesses");
            ft_level_column(table, level, "misses");
        } else {
            ft_table_column(table, level->name, level->name, true);
        }
    }
}

static int print_places(const struct report *report, bool csv, struct ft_diag *diag)
{
    const struct ft_places *places = &report->places;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_place_columns(table, csv, places->kind);
    ft_table_column(table, "accesses", "accesses", true);
    add_columns(table, report, csv);
    for (size_t i = 0; i < places->count; i++) {
        const double *row = places->rows + places->list[i] * places->width;
        ft_place_cells(table, csv, places, places->list[i]);
        ft_table_count(table, row[0]);
        for (size_t level = 0; level < report->level_count; level++) {
            if (csv)
                ft_table_count(table, row[accesses_column(level)]);
            ft_table_count(table, row[misses_column(level)]);
        }
    }
    int status = ft_table_write(table, stdout, csv, diag);
    ft_table_destroy(table);
    return status;
}

static int print_text(const struct report *report, struct ft_diag *diag)
{
    char text[3][FT_NUMBER_TEXT];
    double accesses = (double)all_accesses(report);
    ft_program_print(&report->traced->metadata, stdout);
    printf(" on the hierarchy of %s: %s\n%s accesses; blocks read from memory %s, written to it "
           "%s\n\n",
           report->machine->name, report->machine->description, ft_text_count(text[0], accesses),
           ft_text_count(text[1], (double)ft_hierarchy_memory_reads(report->hierarchy)),
           ft_text_count(text[2], (double)ft_hierarchy_memory_writes(report->hierarchy)));
    int status = print_levels(report, accesses, diag);
    if (status != FT_OK)
        return status;
    static const char *const titles[3] = {"routine and loop, with the loops nested in them",
                                          "basic block", "reference"};
    printf("\nMisses by %s:\n\n", titles[report->places.kind]);
    return print_places(report, false, diag);
}

/* ---- JSON ---- */

static json_t *total_json(const struct report *report)
{
    json_t *levels = json_array();
    for (size_t i = 0; i < report->level_count; i++) {
        const struct ft_hierarchy_level *counted = ft_hierarchy_level(report->hierarchy, i);
        const struct ft_level_traffic *traffic = &counted->traffic;
        const struct ft_behaviour *behaviour = &counted->level->behaviour;
        struct level_total total = total_of(report, i);
        json_t *figures = json_pack(
            "{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "replacement",
            ft_replacement_names[behaviour->replacement], "accesses", (json_int_t)total.accesses,
            "load_misses", (json_int_t)total.load_misses, "store_misses",
            (json_int_t)total.store_misses, "evictions", (json_int_t)traffic->evictions,
            "write_backs", (json_int_t)traffic->write_backs, "invalidations",
            (json_int_t)traffic->invalidations, "prefetches", (json_int_t)traffic->prefetches,
            "useful_prefetches", (json_int_t)traffic->useful_prefetches);
        ft_json_append(&levels, ft_json_merge(ft_level_json(counted->level), figures));
    }
    return json_pack("{s:I, s:I, s:I, s:o}", "accesses", (json_int_t)all_accesses(report),
                     "memory_reads", (json_int_t)ft_hierarchy_memory_reads(report->hierarchy),
                     "memory_writes", (json_int_t)ft_hierarchy_memory_writes(report->hierarchy),
                     "levels", levels);
}

static json_t *place_json(const struct report *report, uint32_t place)
{
    const double *row = report->places.rows + place * report->places.width;
    json_t *levels = json_array();
    for (size_t i = 0; i < report->level_count; i++)
        ft_json_append(
            &levels, json_pack("{s:o, s:I, s:I}", "name",
                               ft_json_text(ft_hierarchy_level(report->hierarchy, i)->level->name),
                               "accesses", (json_int_t)row[accesses_column(i)], "misses",
                               (json_int_t)row[misses_column(i)]));
    return ft_json_merge(ft_place_json(&report->places, place),
                         json_pack("{s:I, s:o}", "accesses", (json_int_t)row[0], "levels", levels));
}

static int print_json(const struct report *report, struct ft_diag *diag)
{
    const struct ft_metadata *metadata = &report->traced->metadata;
    json_t *places = json_array();
    for (size_t i = 0; i < report->places.count; i++)
        ft_json_append(&places, place_json(report, report->places.list[i]));
    return ft_json_write(
        json_pack("{s:o, s:o, s:o, s:s, s:I, s:o, s:o}", "program", ft_json_text(metadata->program),
                  "machine", ft_json_text(report->machine->name), "parameters",
                  ft_parameters_json(metadata), "trace", report->traced->content_hash, "seed",
                  (json_int_t)report->seed, "total", total_json(report),
                  ft_place_kind_names[report->places.kind], places),
        stdout, diag);
}

/* ---- the command ---- */

static int report_all(const struct ft_report_options *options, enum ft_place_kind kind,
                      struct report *report, struct ft_diag *diag)
{
    int status = find_places(report, kind, options->loop_limit, diag);
    if (status != FT_OK)
        return status;
    status = options->form == FT_REPORT_JSON  ? print_json(report, diag)
             : options->form == FT_REPORT_CSV ? print_places(report, true, diag)
                                              : print_text(report, diag);
    ft_places_fini(&report->places);
    return status == FT_OK ? ft_stdout_finish(diag) : status;
}

static int run(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    struct ft_report_options options;
    struct ft_hierarchy_trace traced;
    enum ft_place_kind kind;
    uint64_t seed;
    int status = ft_place_kind_read(arguments, &kind, diag);
    if (status == FT_OK)
        status = ft_option_u64(arguments, "seed", 1, 0, INT64_MAX, &seed, diag);
    if (status == FT_OK)
        status = ft_report_options_read(arguments, &options, diag);
    if (status != FT_OK)
        return status;
    status = ft_hierarchy_trace_run(ft_operands(arguments)[0], &options.machine, 1, seed, NULL,
                                    NULL, &traced, diag);
    if (status == FT_OK) {
        struct report report = {
            .machine = &options.machine,
            .traced = &traced,
            .hierarchy = traced.hierarchies[0],
            .seed = seed,
            .level_count = options.machine.level_count,
        };
        status = report_all(&options, kind, &report, diag);
        ft_hierarchy_trace_fini(&traced);
    }
    ft_report_options_fini(&options);
    return status;
}

int ft_hierarchy_run(const struct ft_arguments *arguments)
{
    struct ft_diag diag;
    int status = run(arguments, &diag);
    return status == FT_OK ? 0 : ft_command_fail(arguments, &diag);
}
