/*
 * Figures of each reference in one row: how often it ran, as an access or as a fetch, then for each
 * level what it was asked for and what it missed. Tables of places sum them up.
 */
#include "engine/simulate/hierarchy_command.h"

#include <inttypes.h>
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
    bool fetches; /* the machine has instruction levels */
    size_t level_count;
    struct ft_places places;
};

/* ---- figures ---- */

enum { BOTH, ACCESSES, FETCHES, LEVELS }; /* columns; two for each level from LEVELS on */

static size_t asked_column(size_t level)
{
    return LEVELS + 2 * level;
}

static size_t misses_column(size_t level)
{
    return LEVELS + 2 * level + 1;
}

static bool is_fetch(const struct report *report, size_t reference)
{
    return report->traced->scopes.references[reference].kind == FT_FETCH;
}

struct level_total {
    uint64_t asked, load_misses, store_misses, fetch_misses;
};

static struct level_total total_of(const struct report *report, size_t level)
{
    const struct ft_hierarchy_level *counted = ft_hierarchy_level(report->hierarchy, level);
    struct level_total total = {0};
    for (size_t j = 0; j < report->traced->scopes.reference_count; j++) {
        uint8_t kind = report->traced->scopes.references[j].kind;
        uint64_t misses = counted->misses[j];
        total.asked += counted->accesses[j];
        *(kind == FT_LOAD    ? &total.load_misses
          : kind == FT_FETCH ? &total.fetch_misses
                             : &total.store_misses) += misses;
    }
    return total;
}

static uint64_t misses_of(const struct level_total *total)
{
    return total->load_misses + total->store_misses + total->fetch_misses;
}

/* Of all accesses, or of all fetches. */
static uint64_t count_all(const struct report *report, bool fetches)
{
    uint64_t sum = 0;
    for (size_t j = 0; j < report->traced->scopes.reference_count; j++)
        sum += is_fetch(report, j) == fetches ? report->traced->accesses[j] : 0;
    return sum;
}

static int find_places(struct report *report, enum ft_place_kind kind, size_t limit,
                       struct ft_diag *diag)
{
    size_t references = report->traced->scopes.reference_count;
    size_t width = LEVELS + 2 * report->level_count;
    double *figures = calloc(references * width + 1, sizeof *figures);
    if (!figures)
        return ft_fail_memory(diag, "a report");
    for (size_t j = 0; j < references; j++) {
        double *row = figures + j * width;
        row[BOTH] = (double)report->traced->accesses[j];
        row[is_fetch(report, j) ? FETCHES : ACCESSES] = row[BOTH];
        for (size_t i = 0; i < report->level_count; i++) {
            const struct ft_hierarchy_level *level = ft_hierarchy_level(report->hierarchy, i);
            row[asked_column(i)] = (double)level->accesses[j];
            row[misses_column(i)] = (double)level->misses[j];
        }
    }
    int status =
        ft_places_init(&report->places, kind, &report->traced->scopes, figures, width, limit, diag);
    free(figures);
    return status;
}

/* ---- text and CSV ---- */

static void add_level(const struct report *report, size_t index, double accesses, double fetches,
                      struct ft_table *table)
{
    const struct ft_hierarchy_level *counted = ft_hierarchy_level(report->hierarchy, index);
    const struct ft_level *level = counted->level;
    const struct ft_level_traffic *traffic = &counted->traffic;
    struct level_total total = total_of(report, index);
    double misses = (double)misses_of(&total);
    double all = counted->instruction ? fetches : counted->unified ? accesses + fetches : accesses;
    ft_table_text(table, level->name);
    ft_table_bytes(table, (double)level->blocks * (double)level->block_bytes);
    ft_table_bytes(table, (double)level->block_bytes);
    if (level->ways == level->blocks)
        ft_table_text(table, "full");
    else
        ft_table_format(table, "%llu", (unsigned long long)level->ways);
    ft_table_count(table, (double)total.asked);
    ft_table_count(table, misses);
    ft_table_share(table, total.asked ? misses / (double)total.asked : 0);
    ft_table_share(table, all > 0 ? misses / all : 0);
    ft_table_count(table, (double)traffic->evictions);
    ft_table_count(table, (double)traffic->write_backs);
    ft_table_count(table, (double)traffic->invalidations);
    ft_table_count(table, (double)traffic->prefetches);
    ft_table_count(table, (double)traffic->useful_prefetches);
}

static int print_levels(const struct report *report, struct ft_diag *diag)
{
    static const char *const titles[] = {"capacity",     "block",       "ways",       "accesses",
                                         "misses",       "of these",    "of all",     "evicted",
                                         "written back", "invalidated", "prefetched", "useful"};
    double accesses = (double)count_all(report, false), fetches = (double)count_all(report, true);
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "level", "level", false);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        ft_table_column(table, titles[i], titles[i], true);
    for (size_t i = 0; i < report->level_count; i++)
        add_level(report, i, accesses, fetches, table);
    int status = ft_table_write(table, stdout, false, diag);
    ft_table_destroy(table);
    return status;
}

static void add_columns(struct ft_table *table, const struct report *report, bool csv)
{
    ft_table_column(table, "accesses", "accesses", true);
    if (report->fetches)
        ft_table_column(table, "fetches", "fetches", true);
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
    add_columns(table, report, csv);
    for (size_t i = 0; i < places->count; i++) {
        const double *row = places->rows + places->list[i] * places->width;
        ft_place_cells(table, csv, places, places->list[i]);
        ft_table_count(table, row[ACCESSES]);
        if (report->fetches)
            ft_table_count(table, row[FETCHES]);
        for (size_t level = 0; level < report->level_count; level++) {
            if (csv)
                ft_table_count(table, row[asked_column(level)]);
            ft_table_count(table, row[misses_column(level)]);
        }
    }
    int status = ft_table_write(table, stdout, csv, diag);
    ft_table_destroy(table);
    return status;
}

static void print_head(const struct report *report)
{
    char text[4][FT_NUMBER_TEXT];
    ft_program_print(&report->traced->metadata, stdout);
    printf(" on the hierarchy of %s: %s\n", report->machine->name, report->machine->description);
    if (report->traced->thread_count > 1)
        printf("%" PRIu32 " threads, each on a core, in the order in which they were recorded\n",
               report->traced->thread_count);
    printf("%s accesses", ft_text_count(text[0], (double)count_all(report, false)));
    if (report->fetches)
        printf(" and %s instruction fetches",
               ft_text_count(text[1], (double)count_all(report, true)));
    printf("; blocks read from memory %s, written to it %s\n\n",
           ft_text_count(text[2], (double)ft_hierarchy_memory_reads(report->hierarchy)),
           ft_text_count(text[3], (double)ft_hierarchy_memory_writes(report->hierarchy)));
}

static int print_text(const struct report *report, struct ft_diag *diag)
{
    print_head(report);
    int status = print_levels(report, diag);
    if (status != FT_OK)
        return status;
    static const char *const titles[3] = {"routine and loop, with the loops nested in them",
                                          "basic block", "reference"};
    printf("\nMisses by %s:\n\n", titles[report->places.kind]);
    return print_places(report, false, diag);
}

/* ---- JSON ---- */

static json_t *level_total_json(const struct report *report, size_t index)
{
    const struct ft_hierarchy_level *counted = ft_hierarchy_level(report->hierarchy, index);
    const struct ft_level_traffic *traffic = &counted->traffic;
    const struct ft_behaviour *behaviour = &counted->level->behaviour;
    struct level_total total = total_of(report, index);
    const char *content = counted->instruction ? "instructions"
                          : counted->unified   ? "unified"
                                               : "data";
    json_t *figures =
        json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "content", content,
                  "replacement", ft_replacement_names[behaviour->replacement], "accesses",
                  (json_int_t)total.asked, "load_misses", (json_int_t)total.load_misses,
                  "store_misses", (json_int_t)total.store_misses, "fetch_misses",
                  (json_int_t)total.fetch_misses, "evictions", (json_int_t)traffic->evictions,
                  "write_backs", (json_int_t)traffic->write_backs, "invalidations",
                  (json_int_t)traffic->invalidations, "prefetches", (json_int_t)traffic->prefetches,
                  "useful_prefetches", (json_int_t)traffic->useful_prefetches);
    return ft_json_merge(ft_level_json(counted->level), figures);
}

static json_t *total_json(const struct report *report)
{
    json_t *levels = json_array();
    for (size_t i = 0; i < report->level_count; i++)
        ft_json_append(&levels, level_total_json(report, i));
    return json_pack("{s:I, s:I, s:I, s:I, s:o}", "accesses", (json_int_t)count_all(report, false),
                     "fetches", (json_int_t)count_all(report, true), "memory_reads",
                     (json_int_t)ft_hierarchy_memory_reads(report->hierarchy), "memory_writes",
                     (json_int_t)ft_hierarchy_memory_writes(report->hierarchy), "levels", levels);
}

static json_t *place_json(const struct report *report, uint32_t place)
{
    const double *row = report->places.rows + place * report->places.width;
    json_t *levels = json_array();
    for (size_t i = 0; i < report->level_count; i++)
        ft_json_append(
            &levels, json_pack("{s:o, s:I, s:I}", "name",
                               ft_json_text(ft_hierarchy_level(report->hierarchy, i)->level->name),
                               "accesses", (json_int_t)row[asked_column(i)], "misses",
                               (json_int_t)row[misses_column(i)]));
    return ft_json_merge(ft_place_json(&report->places, place),
                         json_pack("{s:I, s:I, s:o}", "accesses", (json_int_t)row[ACCESSES],
                                   "fetches", (json_int_t)row[FETCHES], "levels", levels));
}

static int print_json(const struct report *report, struct ft_diag *diag)
{
    const struct ft_metadata *metadata = &report->traced->metadata;
    json_t *places = json_array();
    for (size_t i = 0; i < report->places.count; i++)
        ft_json_append(&places, place_json(report, report->places.list[i]));
    return ft_json_write(
        json_pack("{s:o, s:o, s:o, s:s, s:I, s:I, s:o, s:o}", "program",
                  ft_json_text(metadata->program), "machine", ft_json_text(report->machine->name),
                  "parameters", ft_parameters_json(metadata), "trace", report->traced->content_hash,
                  "threads", (json_int_t)report->traced->thread_count, "seed",
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
    bool fetches = options.machine.instruction_level_count > 0;
    const struct ft_hierarchy_question question = {
        .machines = &options.machine,
        .machine_count = 1,
        .seed = seed,
        .content = FT_RUN_ACCESSES | (fetches ? FT_RUN_FETCHES : 0),
    };
    status = ft_hierarchy_trace_run(ft_operands(arguments)[0], &question, &traced, diag);
    if (status == FT_OK) {
        struct report report = {
            .machine = &options.machine,
            .traced = &traced,
            .hierarchy = traced.hierarchies[0],
            .seed = seed,
            .fetches = fetches,
            .level_count = ft_hierarchy_level_count(traced.hierarchies[0]),
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
