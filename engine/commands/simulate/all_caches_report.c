/*
 * The rows are the capacities of all columns, each up to where only first touches miss; a cache
 * that does not make a row's capacity with a power of two of sets has no cell.
 */
#include "engine/commands/simulate/all_caches_report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "formats/base/array.h"
#include "formats/cli/json.h"
#include "formats/cli/table.h"
#include "formats/commands/report_head.h"

static int compare_u64(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

int ft_all_caches_report_rows(struct ft_all_caches_report *report, struct ft_diag *diag)
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

void ft_all_caches_report_fini(struct ft_all_caches_report *report)
{
    free(report->capacities);
    ft_all_caches_fini(&report->caches);
}

/* log2 of the number of sets that make a capacity of a number of ways; -1 where none does. */
static int set_bits_of(const struct ft_all_caches_report *report, uint64_t capacity, uint64_t ways)
{
    for (unsigned k = 0; k <= report->caches.set_bits; k++)
        if (ways << k == capacity)
            return (int)k;
    return -1;
}

static double share_of(const struct ft_all_caches_report *report, uint64_t misses)
{
    return report->caches.touches ? (double)misses / (double)report->caches.touches : 0;
}

/* ---- text ---- */

int ft_all_caches_print_text(const struct ft_all_caches_report *report, FILE *stream,
                             struct ft_diag *diag)
{
    const struct ft_all_caches *caches = &report->caches;
    char text[4][FT_NUMBER_TEXT], threads[48] = "";
    const uint32_t thread_count = ft_trace_thread_count(report->trace);
    if (thread_count > 1)
        snprintf(threads, sizeof threads, ", %" PRIu32 " threads together", thread_count);
    ft_program_head_print(
        ft_trace_metadata(report->trace), stream,
        "%s, caches of all sizes with lines of %s: %s LRU\n%s accesses touch %s lines, %s distinct "
        "ones. The share of touches that miss:\n\n",
        threads, ft_text_bytes(text[0], (double)caches->line_bytes),
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
    ft_table_column(table, "fully assoc.", "full", true);
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
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

/* ---- CSV and JSON: one cache after the other ---- */

typedef void visit_cache(const struct ft_all_caches_report *report, unsigned set_bits,
                         uint64_t ways, uint64_t misses, void *context);

/* The caches of each row, the fully associative one first. */
static void visit_caches(const struct ft_all_caches_report *report, visit_cache *visit,
                         void *context)
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

static void add_row(const struct ft_all_caches_report *report, unsigned set_bits, uint64_t ways,
                    uint64_t misses, void *context)
{
    struct ft_table *table = context;
    ft_table_bytes(table, (double)(ways << set_bits) * (double)report->caches.line_bytes);
    ft_table_format(table, "%llu", 1ULL << set_bits);
    ft_table_format(table, "%llu", (unsigned long long)ways);
    ft_table_count(table, (double)misses);
    ft_table_share(table, share_of(report, misses));
}

int ft_all_caches_print_csv(const struct ft_all_caches_report *report, FILE *stream,
                            struct ft_diag *diag)
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
    int status = ft_table_write(table, stream, true, diag);
    ft_table_destroy(table);
    return status;
}

static void add_item(const struct ft_all_caches_report *report, unsigned set_bits, uint64_t ways,
                     uint64_t misses, void *context)
{
    uint64_t capacity_bytes = (ways << set_bits) * report->caches.line_bytes;
    ft_json_append(context, json_pack("{s:I, s:I, s:I, s:I, s:f}", "capacity_bytes",
                                      (json_int_t)capacity_bytes, "sets", (json_int_t)1 << set_bits,
                                      "ways", (json_int_t)ways, "misses", (json_int_t)misses,
                                      "miss_share", share_of(report, misses)));
}

int ft_all_caches_print_json(const struct ft_all_caches_report *report, FILE *stream,
                             struct ft_diag *diag)
{
    const struct ft_metadata *metadata = ft_trace_metadata(report->trace);
    const struct ft_all_caches *caches = &report->caches;
    json_t *items = json_array();
    visit_caches(report, add_item, &items);
    return ft_json_write(
        json_pack("{s:o, s:o, s:s, s:I, s:b, s:I, s:I, s:I, s:I, s:o}", "program",
                  ft_json_text(metadata->program), "parameters", ft_parameters_json(metadata),
                  "trace", ft_trace_content_hash(report->trace), "threads",
                  (json_int_t)ft_trace_thread_count(report->trace), "exact", (int)!report->sampled,
                  "line_bytes", (json_int_t)caches->line_bytes, "accesses",
                  (json_int_t)caches->accesses, "touches", (json_int_t)caches->touches,
                  "distinct_lines", (json_int_t)caches->cold, "caches", items),
        stream, diag);
}
