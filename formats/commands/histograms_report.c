/* Misses of whole programs by capacity; then what is printed of them: a table of the traces, the
 * smallest problem first, one of misses for each of them, and the same as JSON. */
#include "formats/commands/histograms_report.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/file_name.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "formats/commands/data_histograms_report.h"
#include "formats/commands/distances_report.h"
#include "formats/commands/report_head.h"
#include "formats/commands/source_report.h"

#define CAPACITY_FIRST_BYTES 1024U
#define CAPACITY_FACTOR      4U
#define DATA_SHOWN           20U

static uint64_t count_accesses(const struct ft_histograms *entry)
{
    uint64_t accesses = 0;
    for (size_t r = 0; r < entry->reference_count; r++)
        accesses += entry->reference_accesses[r];
    return accesses;
}

/* Touches of blocks that were not touched before miss in every cache. */
static uint64_t count_cold(const struct ft_histograms *entry, size_t size)
{
    uint64_t cold = 0;
    for (size_t r = 0; r < entry->reference_count; r++)
        cold += entry->histograms[r * entry->size_count + size].cold;
    return cold;
}

/* Whether a larger cache would have fewer misses, at any block size. */
static bool larger_helps(const struct ft_histograms *entry, uint64_t capacity_bytes)
{
    for (size_t s = 0; s < entry->size_count; s++) {
        const uint64_t blocks = capacity_bytes / entry->block_bytes[s];
        if (blocks == 0 || ft_histograms_misses(entry, s, blocks) > count_cold(entry, s))
            return true;
    }
    return false;
}

/* The next capacity that is worth a row after this one; 0 behind the last. */
static uint64_t next_capacity(const struct ft_histograms *entry, uint64_t capacity_bytes)
{
    if (capacity_bytes == 0)
        return CAPACITY_FIRST_BYTES;
    const bool fits = capacity_bytes <= UINT64_MAX / CAPACITY_FACTOR;
    return fits && larger_helps(entry, capacity_bytes) ? capacity_bytes * CAPACITY_FACTOR : 0;
}

/* ---- as text ---- */

/* By the parameters' values, those without first, then by accesses: smaller problems first. */
static int compare_sizes(const void *left, const void *right)
{
    const struct ft_histograms *a = *(const struct ft_histograms *const *)left;
    const struct ft_histograms *b = *(const struct ft_histograms *const *)right;
    for (size_t p = 0; p < a->metadata.parameter_count && p < b->metadata.parameter_count; p++) {
        const double one = a->metadata.parameters[p].value;
        const double other = b->metadata.parameters[p].value;
        if (one != other)
            return one < other ? -1 : 1;
    }
    if (a->metadata.parameter_count != b->metadata.parameter_count)
        return a->metadata.parameter_count < b->metadata.parameter_count ? -1 : 1;
    const uint64_t one = count_accesses(a), other = count_accesses(b);
    return one != other ? (one < other ? -1 : 1) : (a > b) - (a < b);
}

static const struct ft_histograms **sort_entries(const struct ft_histogram_file *file)
{
    const struct ft_histograms **entries = calloc(file->count + 1, sizeof *entries);
    for (size_t i = 0; entries && i < file->count; i++)
        entries[i] = &file->entries[i];
    if (entries)
        qsort(entries, file->count, sizeof *entries, compare_sizes);
    return entries;
}

/* "matmul 24 1" */
static void write_command(const struct ft_metadata *metadata, FILE *stream)
{
    fputs(ft_file_name(metadata->program), stream);
    for (size_t i = 1; i < metadata->argument_count; i++)
        fprintf(stream, " %s", metadata->arguments[i]);
}

/* "N = 24, threads = 2" */
static void write_parameters(const struct ft_metadata *metadata, FILE *stream)
{
    for (size_t i = 0; i < metadata->parameter_count; i++)
        fprintf(stream, "%s%s = %.15g", i ? ", " : "", metadata->parameters[i].name,
                metadata->parameters[i].value);
}

static bool written_cell(struct ft_table *table, const struct ft_metadata *metadata,
                         void (*write)(const struct ft_metadata *, FILE *))
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return false;
    write(metadata, stream);
    const bool complete = fclose(stream) == 0;
    if (complete && *text)
        ft_table_text(table, text);
    else
        ft_table_empty(table);
    free(text);
    return complete;
}

/* The head of what is told of one trace: with what its row in the table of traces begins. */
static char *head_of(const struct ft_histograms *entry)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return NULL;
    write_command(&entry->metadata, stream);
    if (entry->metadata.parameter_count > 0)
        fputs(", ", stream);
    write_parameters(&entry->metadata, stream);
    fprintf(stream, ", trace %s", entry->trace_hash);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

static int print_traces(const struct ft_histograms *const *entries, size_t count, FILE *stream,
                        struct ft_diag *diag)
{
    bool complete = true;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "command line", "command_line", false);
    ft_table_column(table, "parameters", "parameters", false);
    ft_table_column(table, "trace", "trace", false);
    ft_table_column(table, "accesses", "accesses", true);
    ft_table_column(table, "references", "references", true);
    ft_table_column(table, "routines, loops", "scopes", true);
    ft_table_column(table, "stacks", "stacks", true);
    ft_table_column(table, "pairs", "pairs", false);
    for (size_t i = 0; complete && i < count; i++) {
        const struct ft_histograms *entry = entries[i];
        complete = written_cell(table, &entry->metadata, write_command) &&
                   written_cell(table, &entry->metadata, write_parameters);
        ft_table_text(table, entry->trace_hash);
        ft_table_count(table, (double)count_accesses(entry));
        ft_table_count(table, (double)entry->reference_count);
        ft_table_count(table, (double)entry->scopes.scope_count);
        ft_table_count(table, entry->stack_count ? (double)entry->stack_count : 1);
        ft_table_text(table, entry->pairs ? "yes" : "no");
    }
    int status =
        complete ? ft_table_write(table, stream, false, diag) : ft_fail_memory(diag, "a table");
    ft_table_destroy(table);
    return status;
}

static void add_row(struct ft_table *table, const struct ft_histograms *entry, double accesses,
                    uint64_t capacity_bytes)
{
    for (size_t s = 0; s < entry->size_count; s++) {
        const uint64_t blocks = capacity_bytes / entry->block_bytes[s];
        if (blocks == 0 || accesses == 0)
            ft_table_empty(table);
        else
            ft_table_share(table, (double)ft_histograms_misses(entry, s, blocks) / accesses);
    }
}

static int print_misses(const struct ft_histograms *entry, FILE *stream, struct ft_diag *diag)
{
    const double accesses = (double)count_accesses(entry);
    char text[FT_NUMBER_TEXT], title[FT_NUMBER_TEXT + 16];
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "capacity", "capacity", true);
    for (size_t s = 0; s < entry->size_count; s++) {
        snprintf(title, sizeof title, "%s%s", s ? "" : "blocks of ",
                 ft_text_bytes(text, (double)entry->block_bytes[s]));
        ft_table_column(table, title, title, true);
    }
    for (uint64_t capacity = 0; (capacity = next_capacity(entry, capacity)) != 0;) {
        ft_table_bytes(table, (double)capacity);
        add_row(table, entry, accesses, capacity);
    }
    ft_table_text(table, "any");
    for (size_t s = 0; s < entry->size_count; s++)
        ft_table_share(table, accesses > 0 ? (double)count_cold(entry, s) / accesses : 0);
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

static uint64_t count_irregular(const struct ft_skeleton *skeleton)
{
    uint64_t irregular = 0;
    for (uint32_t r = 0; r < skeleton->reference_count; r++)
        irregular += skeleton->threads[0].irregular_accesses[r];
    return irregular;
}

static void print_skeleton(const struct ft_histograms *entry, FILE *stream)
{
    char regular[FT_NUMBER_TEXT], irregular[FT_NUMBER_TEXT];
    if (!entry->skeleton)
        return;
    const double accesses = (double)count_accesses(entry);
    const double share = accesses > 0 ? (double)count_irregular(entry->skeleton) / accesses : 0;
    fprintf(stream, "\nskeleton: %s in loops or one by one, %s irregular\n",
            ft_text_share(regular, 1 - share), ft_text_share(irregular, share));
}

/* is_largest: of these, distances by loop, too. */
static int print_entry(const struct ft_histograms *entry, bool is_largest, FILE *stream,
                       struct ft_diag *diag)
{
    char *head = head_of(entry);
    if (!head)
        return ft_fail_memory(diag, "a report");
    ft_print_wrapped(stream, 2,
                     "\n%s: misses of fully associative LRU caches, as a share of the accesses\n\n",
                     head);
    int status = print_misses(entry, stream, diag);
    if (!status && is_largest)
        status = ft_distances_print(entry, stream, diag);
    if (!status)
        print_skeleton(entry, stream);
    if (!status)
        status = ft_data_histograms_print(entry, head, DATA_SHOWN, stream, diag);
    free(head);
    return status;
}

int ft_histograms_print(const char *path, const struct ft_histogram_file *file, FILE *stream,
                        struct ft_diag *diag)
{
    ft_print_wrapped(
        stream, 2, "%s: reuse-distance histograms of %zu trace%s, by foretrace %s: replay %s\n\n",
        path, file->count, file->count == 1 ? "" : "s", file->tool_version, file->options);
    const struct ft_histograms **entries = sort_entries(file);
    if (!entries)
        return ft_fail_memory(diag, "a report");
    int status = print_traces(entries, file->count, stream, diag);
    for (size_t i = 0; !status && i < file->count; i++)
        status = print_entry(entries[i], i + 1 == file->count, stream, diag);
    if (!status && file->count > 0) /* the largest's: others have the same, or fewer */
        status = ft_sources_print(&entries[file->count - 1]->scopes.sources, stream, diag);
    free(entries);
    return status;
}

/* ---- JSON ---- */

static json_t *skeleton_json(const struct ft_skeleton *skeleton)
{
    const struct ft_thread_skeleton *thread = &skeleton->threads[0];
    return json_pack("{s:I, s:I, s:I, s:I}", "irregular_accesses",
                     (json_int_t)count_irregular(skeleton), "irregular_loops",
                     (json_int_t)thread->irregular_count, "tokens",
                     (json_int_t)thread->nest.token_count, "heap_blocks",
                     (json_int_t)skeleton->blocks.block_count);
}

static json_t *misses_json(const struct ft_histograms *entry, size_t size)
{
    json_t *list = json_array();
    for (uint64_t capacity = 0; (capacity = next_capacity(entry, capacity)) != 0;) {
        const uint64_t blocks = capacity / entry->block_bytes[size];
        if (blocks)
            ft_json_append(&list,
                           json_pack("{s:I, s:I}", "capacity_bytes", (json_int_t)capacity, "misses",
                                     (json_int_t)ft_histograms_misses(entry, size, blocks)));
    }
    return list;
}

static json_t *sizes_json(const struct ft_histograms *entry)
{
    json_t *list = json_array();
    for (size_t s = 0; s < entry->size_count; s++)
        ft_json_append(&list, json_pack("{s:I, s:I, s:I, s:o}", "block_bytes",
                                        (json_int_t)entry->block_bytes[s], "distinct_blocks",
                                        (json_int_t)entry->distinct_blocks[s], "cold",
                                        (json_int_t)count_cold(entry, s), "fully_associative",
                                        misses_json(entry, s)));
    return list;
}

static uint64_t count_remapped(const struct ft_scopes *scopes)
{
    uint64_t pages = 0;
    for (size_t i = 0; i < scopes->scope_count; i++)
        pages += scopes->remapped_pages[i];
    return pages;
}

json_t *ft_histograms_json(const struct ft_histogram_file *file)
{
    json_t *traces = json_array();
    for (size_t i = 0; i < file->count; i++) {
        const struct ft_histograms *entry = &file->entries[i];
        json_t *json = json_pack(
            "{s:s, s:o, s:o, s:o, s:I, s:I, s:I, s:b, s:o}", "content_hash", entry->trace_hash,
            "program", ft_json_text(entry->metadata.program), "command_line",
            ft_arguments_json(&entry->metadata), "parameters", ft_parameters_json(&entry->metadata),
            "accesses", (json_int_t)count_accesses(entry), "references",
            (json_int_t)entry->reference_count, "stacks",
            (json_int_t)(entry->stack_count ? entry->stack_count : 1), "pairs",
            entry->pairs != NULL, "block_sizes", sizes_json(entry));
        if (entry->skeleton)
            json =
                ft_json_merge(json, json_pack("{s:o}", "skeleton", skeleton_json(entry->skeleton)));
        if (entry->scopes.sources.count > 0)
            json = ft_json_merge(
                json, json_pack("{s:o}", "sources", ft_sources_json(&entry->scopes.sources)));
        if (entry->scopes.remapped_pages)
            json = ft_json_merge(json, json_pack("{s:I}", "remapped_pages",
                                                 (json_int_t)count_remapped(&entry->scopes)));
        if (entry->data)
            json = ft_json_merge(json, json_pack("{s:o}", "data", ft_data_histograms_json(entry)));
        ft_json_append(&traces, json);
    }
    return json_pack("{s:s, s:o, s:o, s:o}", "kind", "histograms", "tool_version",
                     ft_json_text(file->tool_version), "options", ft_json_text(file->options),
                     "traces", traces);
}
