/*
 * One row a capacity, one column an associativity. A column ends where only first touches miss;
 * rows are the capacities of all columns up to there, and the fully associative cache of each.
 */
#include "engine/simulate/all_caches_command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/replay/all_threads.h"
#include "engine/simulate/all_caches.h"
#include "engine/simulate/sampled_occupancy.h"
#include "engine/simulate/simulate_trace.h"
#include "formats/base/array.h"
#include "formats/base/table.h"
#include "formats/report_head.h"
#include "formats/trace_operand.h"

#define WAYS_MAX  32
#define WAYS_MOST (UINT64_C(1) << 32)

struct report {
    const struct ft_trace *trace;
    struct ft_all_caches caches;
    bool sampled;
    uint64_t ways[WAYS_MAX]; /* ascending */
    size_t ways_count;
    uint64_t *capacities; /* of the rows, in lines, ascending */
    size_t capacity_count, capacity_limit;
};

static int fail_ways(const char *text, struct ft_diag *diag)
{
    return ft_fail(diag, FT_ERROR_USAGE,
                   "--ways %s: up to %d whole numbers from 1 are needed, rising, as in 1,2,4,12",
                   text, WAYS_MAX);
}

static int parse_ways(const char *text, struct report *report, struct ft_diag *diag)
{
    const char *place = text;
    for (;;) {
        char *end;
        errno = 0;
        unsigned long long ways = strtoull(place, &end, 10);
        uint64_t before = report->ways_count ? report->ways[report->ways_count - 1] : 0;
        if (errno || end == place || *place < '0' || *place > '9' || ways <= before ||
            ways > WAYS_MOST || report->ways_count == WAYS_MAX)
            return fail_ways(text, diag);
        report->ways[report->ways_count++] = ways;
        if (!*end)
            return FT_OK;
        if (*end != ',')
            return fail_ways(text, diag);
        place = end + 1;
    }
}

static int compare_u64(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static int find_capacities(struct report *report, struct ft_diag *diag)
{
    const struct ft_all_caches *caches = &report->caches;
    for (size_t i = 0; i < report->ways_count; i++)
        for (unsigned k = 0; k <= caches->set_bits; k++) {
            if (!FT_RESERVE(report->capacities, report->capacity_limit, report->capacity_count + 1))
                return ft_fail_memory(diag, "a report");
            report->capacities[report->capacity_count++] = report->ways[i] << k;
            if (ft_all_caches_misses(caches, k, report->ways[i]) == caches->cold)
                break;
        }
    qsort(report->capacities, report->capacity_count, sizeof *report->capacities, compare_u64);
    size_t kept = 0;
    for (size_t i = 0; i < report->capacity_count; i++)
        if (kept == 0 || report->capacities[i] != report->capacities[kept - 1])
            report->capacities[kept++] = report->capacities[i];
    report->capacity_count = kept;
    return FT_OK;
}

/* log2 of the number of sets that make a capacity of a number of ways; -1 where none does. */
static int set_bits_of(const struct report *report, uint64_t capacity, uint64_t ways)
{
    for (unsigned k = 0; k <= report->caches.set_bits; k++)
        if (ways << k == capacity)
            return (int)k;
    return -1;
}

static double share_of(const struct report *report, uint64_t misses)
{
    return report->caches.touches ? (double)misses / (double)report->caches.touches : 0;
}

/* ---- text ---- */

static int print_text(const struct report *report, struct ft_diag *diag)
{
    const struct ft_all_caches *caches = &report->caches;
    char text[4][FT_NUMBER_TEXT];
    ft_program_print(ft_trace_metadata(report->trace), stdout);
    printf(", caches of all sizes with lines of %s: %s LRU\n"
           "%s accesses touch %s lines, %s distinct ones. The share of touches that miss:\n\n",
           ft_text_bytes(text[0], (double)caches->line_bytes),
           report->sampled ? "sampled" : "exact", ft_text_count(text[1], (double)caches->accesses),
           ft_text_count(text[2], (double)caches->touches),
           ft_text_count(text[3], (double)caches->cold));
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "capacity", "capacity_bytes", true);
    for (size_t i = 0; i < report->ways_count; i++) {
        char title[48];
        snprintf(title, sizeof title, report->ways[i] == 1 ? "%llu way" : "%llu ways",
                 (unsigned long long)report->ways[i]);
        ft_table_column(table, title, title, true);
    }
    ft_table_column(table, "full", "full", true);
    for (size_t row = 0; row < report->capacity_count; row++) {
        uint64_t capacity = report->capacities[row];
        ft_table_bytes(table, (double)capacity * (double)caches->line_bytes);
        for (size_t i = 0; i < report->ways_count; i++) {
            int k = set_bits_of(report, capacity, report->ways[i]);
            if (k < 0)
                ft_table_empty(table);
            else
                ft_table_share(table, share_of(report, ft_all_caches_misses(caches, (unsigned)k,
                                                                            report->ways[i])));
        }
        ft_table_share(table, share_of(report, ft_all_caches_misses(caches, 0, capacity)));
    }
    int status = ft_table_write(table, stdout, false, diag);
    ft_table_destroy(table);
    return status;
}

/* ---- CSV and JSON: one cache after the other ---- */

typedef void visit_cache(const struct report *report, unsigned set_bits, uint64_t ways,
                         uint64_t misses, void *context);

/* The caches of each row, the fully associative one first. */
static void visit_caches(const struct report *report, visit_cache *visit, void *context)
{
    for (size_t row = 0; row < report->capacity_count; row++) {
        uint64_t capacity = report->capacities[row];
        visit(report, 0, capacity, ft_all_caches_misses(&report->caches, 0, capacity), context);
        for (size_t i = report->ways_count; i-- > 0;) {
            int k = set_bits_of(report, capacity, report->ways[i]);
            if (k > 0)
                visit(report, (unsigned)k, report->ways[i],
                      ft_all_caches_misses(&report->caches, (unsigned)k, report->ways[i]), context);
        }
    }
}

static void add_row(const struct report *report, unsigned set_bits, uint64_t ways, uint64_t misses,
                    void *context)
{
    struct ft_table *table = context;
    ft_table_bytes(table, (double)(ways << set_bits) * (double)report->caches.line_bytes);
    ft_table_format(table, "%llu", 1ULL << set_bits);
    ft_table_format(table, "%llu", (unsigned long long)ways);
    ft_table_count(table, (double)misses);
    ft_table_share(table, share_of(report, misses));
}

static int print_csv(const struct report *report, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "capacity", "capacity_bytes", true);
    ft_table_column(table, "sets", "sets", true);
    ft_table_column(table, "ways", "ways", true);
    ft_table_column(table, "misses", "misses", true);
    ft_table_column(table, "share", "miss_share", true);
    visit_caches(report, add_row, table);
    int status = ft_table_write(table, stdout, true, diag);
    ft_table_destroy(table);
    return status;
}

static void add_item(const struct report *report, unsigned set_bits, uint64_t ways, uint64_t misses,
                     void *context)
{
    uint64_t capacity_bytes = (ways << set_bits) * report->caches.line_bytes;
    ft_json_append(context, json_pack("{s:I, s:I, s:I, s:I, s:f}", "capacity_bytes",
                                      (json_int_t)capacity_bytes, "sets", (json_int_t)1 << set_bits,
                                      "ways", (json_int_t)ways, "misses", (json_int_t)misses,
                                      "miss_share", share_of(report, misses)));
}

static int print_json(const struct report *report, struct ft_diag *diag)
{
    const struct ft_metadata *metadata = ft_trace_metadata(report->trace);
    const struct ft_all_caches *caches = &report->caches;
    json_t *items = json_array();
    visit_caches(report, add_item, &items);
    return ft_json_write(
        json_pack("{s:o, s:o, s:s, s:b, s:I, s:I, s:I, s:I, s:o}", "program",
                  ft_json_text(metadata->program), "parameters", ft_parameters_json(metadata),
                  "trace", ft_trace_content_hash(report->trace), "exact", (int)!report->sampled,
                  "line_bytes", (json_int_t)caches->line_bytes, "accesses",
                  (json_int_t)caches->accesses, "touches", (json_int_t)caches->touches,
                  "distinct_lines", (json_int_t)caches->cold, "caches", items),
        stdout, diag);
}

/* ---- the command ---- */

struct question {
    uint64_t line_bytes, sets;
    uint64_t samples; /* 0: exactly */
    uint64_t seed;
};

static int simulate(struct ft_trace *trace, const struct question *question,
                    struct ft_all_caches *ret_caches, struct ft_diag *diag)
{
    unsigned set_bits = (unsigned)__builtin_ctzll(question->sets);
    struct ft_run_source *source;
    struct ft_progress progress;
    int status = ft_all_threads_runs(trace, FT_RUN_ACCESSES, NULL, &source, diag);
    if (status != FT_OK)
        return status;
    ft_progress_init(&progress, "simulate");
    if (question->samples)
        status = ft_sampled_occupancy(question->line_bytes, set_bits, question->samples,
                                      question->seed, source, &progress, ret_caches, diag);
    else
        status = ft_all_caches_simulate(question->line_bytes, set_bits, source, &progress,
                                        ret_caches, diag);
    ft_progress_fini(&progress);
    source->destroy(source);
    return status;
}

static int read_options(const struct ft_arguments *arguments, struct report *report,
                        struct question *question, struct ft_diag *diag)
{
    const char *line = ft_option_last(arguments, "line"), *sets = ft_option_last(arguments, "sets");
    const char *ways = ft_option_last(arguments, "ways");
    if (ft_option_count(arguments, "json") && ft_option_count(arguments, "csv"))
        return ft_fail(diag, FT_ERROR_USAGE, "--json and --csv exclude each other: give one");
    int status = ft_parse_bytes(line ? line : "64", &question->line_bytes, diag);
    if (status == FT_OK)
        status = ft_parse_bytes(sets ? sets : "1M", &question->sets, diag);
    if (status == FT_OK &&
        (question->line_bytes < 2 || question->line_bytes > FT_ALL_CACHES_LINE_MAX ||
         (question->line_bytes & (question->line_bytes - 1)) != 0))
        return ft_fail(diag, FT_ERROR_USAGE, "--line %s: a power of two from 2 to 2M is needed",
                       line);
    if (status == FT_OK &&
        (question->sets == 0 || question->sets >> FT_ALL_CACHES_SET_BITS_MAX > 1 ||
         (question->sets & (question->sets - 1)) != 0))
        return ft_fail(diag, FT_ERROR_USAGE, "--sets %s: a power of two from 1 to 16M is needed",
                       sets);
    if (status == FT_OK)
        status = ft_option_u64(arguments, "sample", 0, 1, FT_SAMPLES_MAX, &question->samples, diag);
    if (status == FT_OK)
        status = ft_option_u64(arguments, "seed", 1, 0, INT64_MAX, &question->seed, diag);
    report->sampled = question->samples > 0;
    return status == FT_OK ? parse_ways(ways ? ways : "1,2,4,8,16", report, diag) : status;
}

static int run(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    struct report report = {0};
    struct ft_trace *trace;
    struct question question = {0};
    int status = read_options(arguments, &report, &question, diag);
    if (status == FT_OK)
        status = ft_simulate_open(ft_operands(arguments)[0], &trace, diag);
    if (status != FT_OK)
        return status;
    report.trace = trace;
    status = simulate(trace, &question, &report.caches, diag);
    if (status == FT_OK)
        status = find_capacities(&report, diag);
    if (status == FT_OK)
        status = ft_option_count(arguments, "json")  ? print_json(&report, diag)
                 : ft_option_count(arguments, "csv") ? print_csv(&report, diag)
                                                     : print_text(&report, diag);
    free(report.capacities);
    ft_all_caches_fini(&report.caches);
    ft_trace_close(trace);
    return status == FT_OK ? ft_stdout_finish(diag) : status;
}

int ft_all_caches_run(const struct ft_arguments *arguments)
{
    struct ft_diag diag;
    int status = run(arguments, &diag);
    return status == FT_OK ? 0 : ft_command_fail(arguments, &diag);
}
