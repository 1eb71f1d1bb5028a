/*
 * The histogram file in HDF5 (formats/base/records.h): one-row table `made`, and a group trace_0,
 * trace_1, ... for each entry, with tables `trace` (one row), `parameters`, `arguments`,
 * `block_sizes`, `references`, `histograms` (reference by reference, size by size in each) and
 * `bins` (of all histograms one after the other), and the group `scopes`. Version 2 added `totals`
 * (a row for each size) and `scope_totals` (scope by scope, size by size in each), and, where a
 * trace has several LRU stacks, the table `stacks` with a group stack_0, ... for each of its rows
 * (stack_tables.h). Version 3 added the group `pairs` (pair_tables.h) and stacks of instruction
 * fetches, whose references stand behind all others; both where they were asked for. Version 4
 * added pairs between threads that share a cache, the table `inlined` of the scopes, and the group
 * `data` (data_tables.h); each where there are some. Version 6 added the group `skeleton`
 * (formats/skeleton/skeleton_tables.h), version 10 the table `set_distances`
 * (set_distance_tables.h).
 *
 * What is read is checked here, so that whoever uses it need not doubt an index or a sum. Host and
 * date of the capture are left out: results do not depend on them.
 */
#include "formats/histograms/histograms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/records.h"
#include "formats/base/result_file.h"
#include "formats/histograms/data_tables.h"
#include "formats/histograms/histogram_tables.h"
#include "formats/histograms/pair_tables.h"
#include "formats/histograms/set_distance_tables.h"
#include "formats/histograms/stack_tables.h"
#include "formats/skeleton/skeleton_tables.h"

#define KIND       "histograms"
#define NAME_BYTES 32 /* "trace_" and a number */
#define SKELETON   "skeleton"
#define SIZES_MAX  64

struct made {
    char *options, *tool_version;
    uint64_t trace_count;
};
struct trace_row {
    char *trace_hash, *program, *directory, *tool_version, *end_reason;
    uint32_t xsave_standard_bytes, xsave_compact_bytes;
    uint64_t instructions, accesses, prefetches;
};
struct argument_row {
    char *text;
};
struct size_row {
    uint64_t block_bytes, distinct_blocks;
};
struct total_row {
    uint64_t touches;
};
struct reference_row {
    uint64_t accesses;
    int64_t run_stride;
};

static const struct ft_field made_fields[] = {
    FT_FIELD(made, options, FT_FIELD_TEXT),
    FT_FIELD(made, tool_version, FT_FIELD_TEXT),
    FT_FIELD(made, trace_count, FT_FIELD_U64),
};
static const struct ft_field trace_fields[] = {
    FT_FIELD(trace_row, trace_hash, FT_FIELD_TEXT),
    FT_FIELD(trace_row, program, FT_FIELD_TEXT),
    FT_FIELD(trace_row, directory, FT_FIELD_TEXT),
    FT_FIELD(trace_row, tool_version, FT_FIELD_TEXT),
    FT_FIELD(trace_row, end_reason, FT_FIELD_TEXT),
    FT_FIELD(trace_row, xsave_standard_bytes, FT_FIELD_U32),
    FT_FIELD(trace_row, xsave_compact_bytes, FT_FIELD_U32),
    FT_FIELD(trace_row, instructions, FT_FIELD_U64),
    FT_FIELD(trace_row, accesses, FT_FIELD_U64),
    FT_FIELD(trace_row, prefetches, FT_FIELD_U64),
};
static const struct ft_field parameter_fields[] = {
    FT_FIELD(ft_parameter, name, FT_FIELD_TEXT),
    FT_FIELD(ft_parameter, value, FT_FIELD_F64),
};
static const struct ft_field argument_fields[] = {FT_FIELD(argument_row, text, FT_FIELD_TEXT)};
static const struct ft_field size_fields[] = {
    FT_FIELD(size_row, block_bytes, FT_FIELD_U64),
    FT_FIELD(size_row, distinct_blocks, FT_FIELD_U64),
};
static const struct ft_field reference_fields[] = {
    FT_FIELD(reference_row, accesses, FT_FIELD_U64),
    FT_FIELD(reference_row, run_stride, FT_FIELD_I64),
};

static const struct ft_field seen_fields[] = {{"stride", 0, FT_FIELD_I64, 0}};
static const struct ft_field base_fields[] = {{"lowest_address", 0, FT_FIELD_U64, 0}};
static const struct ft_field total_fields[] = {FT_FIELD(total_row, touches, FT_FIELD_U64)};
static const struct ft_field scope_total_fields[] = {
    FT_FIELD(ft_scope_total, accesses, FT_FIELD_U64),
    FT_FIELD(ft_scope_total, touches, FT_FIELD_U64),
    FT_FIELD(ft_scope_total, cold, FT_FIELD_U64),
};

static const struct ft_record_type made_type = FT_RECORD_TYPE(made, made_fields);
static const struct ft_record_type trace_type = FT_RECORD_TYPE(trace_row, trace_fields);
static const struct ft_record_type parameter_type = FT_RECORD_TYPE(ft_parameter, parameter_fields);
static const struct ft_record_type argument_type = FT_RECORD_TYPE(argument_row, argument_fields);
static const struct ft_record_type size_type = FT_RECORD_TYPE(size_row, size_fields);
static const struct ft_record_type reference_type = FT_RECORD_TYPE(reference_row, reference_fields);
static const struct ft_record_type seen_type = {sizeof(int64_t), seen_fields, 1};
static const struct ft_record_type base_type = {sizeof(uint64_t), base_fields, 1};
static const struct ft_record_type total_type = FT_RECORD_TYPE(total_row, total_fields);
static const struct ft_record_type scope_total_type =
    FT_RECORD_TYPE(ft_scope_total, scope_total_fields);

void ft_histogram_file_fini(struct ft_histogram_file *file)
{
    for (size_t i = 0; i < file->count; i++)
        ft_histograms_fini(&file->entries[i]);
    free(file->entries);
    free(file->options);
    free(file->tool_version);
    *file = (struct ft_histogram_file){0};
}

static int write_trace(hid_t group, const struct ft_histograms *entry, struct ft_diag *diag)
{
    const struct ft_metadata *metadata = &entry->metadata;
    struct trace_row row = {
        entry->trace_hash,
        metadata->program,
        metadata->directory,
        metadata->tool_version,
        metadata->end_reason,
        metadata->xsave_standard_bytes,
        metadata->xsave_compact_bytes,
        metadata->instructions,
        metadata->accesses,
        metadata->prefetches,
    };
    /* A row of one pointer is laid out as the pointer itself. */
    const struct ft_records tables[] = {
        {"trace", &trace_type, &row, 1},
        {"parameters", &parameter_type, metadata->parameters, metadata->parameter_count},
        {"arguments", &argument_type, metadata->arguments, metadata->argument_count},
    };
    return ft_records_write_all(group, tables, sizeof tables / sizeof *tables, diag);
}

static int write_sizes(hid_t group, const struct ft_histograms *entry, struct ft_diag *diag)
{
    struct size_row rows[SIZES_MAX];
    for (size_t s = 0; s < entry->size_count && s < SIZES_MAX; s++)
        rows[s] = (struct size_row){entry->block_bytes[s], entry->distinct_blocks[s]};
    return ft_records_write(group, "block_sizes", &size_type, rows, entry->size_count, diag);
}

static int write_references(hid_t group, const struct ft_histograms *entry, struct ft_diag *diag)
{
    struct reference_row *rows = calloc(entry->reference_count + 1, sizeof *rows);
    if (!rows)
        return ft_fail_memory(diag, "references");
    for (size_t r = 0; r < entry->reference_count; r++)
        rows[r] = (struct reference_row){entry->reference_accesses[r], entry->reference_strides[r]};
    int status =
        ft_records_write(group, "references", &reference_type, rows, entry->reference_count, diag);
    free(rows);
    return status;
}

/* A row of one number is laid out as the number itself. */
static int write_motions(hid_t group, const struct ft_histograms *entry, struct ft_diag *diag)
{
    if (entry->seen_strides)
        FT_TRY(ft_records_write(group, "seen_strides", &seen_type, entry->seen_strides,
                                entry->reference_count, diag));
    return entry->reference_bases
               ? ft_records_write(group, "bases", &base_type, entry->reference_bases,
                                  entry->reference_count, diag)
               : FT_OK;
}

static int write_histograms(hid_t group, const struct ft_histograms *entry, struct ft_diag *diag)
{
    return ft_histogram_tables_write(group, entry->histograms,
                                     entry->reference_count * entry->size_count, diag);
}

static int write_scopes(hid_t group, const struct ft_histograms *entry, struct ft_diag *diag)
{
    return ft_scopes_write(&entry->scopes, group, diag);
}

/* A row of one number is laid out as the number itself. */
static int write_totals(hid_t group, const struct ft_histograms *entry, struct ft_diag *diag)
{
    const size_t scopes = entry->scopes.scope_count;
    const struct ft_records tables[] = {
        {"totals", &total_type, entry->touches, entry->size_count},
        {"scope_totals", &scope_total_type, entry->scope_totals, scopes * entry->size_count},
    };
    return entry->touches && entry->scope_totals
               ? ft_records_write_all(group, tables, sizeof tables / sizeof *tables, diag)
               : FT_OK;
}

static int write_stacks(hid_t group, const struct ft_histograms *entry, struct ft_diag *diag)
{
    return entry->stack_count ? ft_histogram_stacks_write(group, entry, diag) : FT_OK;
}

static int write_pairs(hid_t group, const struct ft_histograms *entry, struct ft_diag *diag)
{
    return entry->pairs ? ft_reuse_pairs_write(group, entry, diag) : FT_OK;
}

static int write_data(hid_t group, const struct ft_histograms *entry, struct ft_diag *diag)
{
    return entry->data ? ft_data_histograms_write(group, entry, diag) : FT_OK;
}

static int write_skeleton(hid_t group, const struct ft_histograms *entry, struct ft_diag *diag)
{
    hid_t inside;
    if (!entry->skeleton)
        return FT_OK;
    FT_TRY(ft_result_group_create(group, SKELETON, &inside, diag));
    int status = ft_skeleton_tables_write(inside, entry->skeleton, diag);
    if (H5Gclose(inside) < 0 && !status)
        status = ft_fail(diag, FT_ERROR_IO, "the group '" SKELETON "' cannot be written");
    return status;
}

static int write_set_distances(hid_t group, const struct ft_histograms *entry, struct ft_diag *diag)
{
    return ft_set_distances_write(group, entry->set_distances, diag);
}

static int write_entry(hid_t root, size_t number, const struct ft_histograms *entry,
                       struct ft_diag *diag)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "trace_%zu", number);
    hid_t group;
    int status = ft_result_group_create(root, name, &group, diag);
    if (status)
        return status;
    static int (*const parts[])(hid_t, const struct ft_histograms *, struct ft_diag *) = {
        write_trace,      write_sizes,  write_references, write_motions,
        write_histograms, write_scopes, write_totals,     write_stacks,
        write_pairs,      write_data,   write_skeleton,   write_set_distances};
    for (size_t i = 0; !status && i < sizeof parts / sizeof *parts; i++)
        status = parts[i](group, entry, diag);
    if (H5Gclose(group) < 0 && !status)
        status = ft_fail(diag, FT_ERROR_IO, "the group '%s' cannot be written", name);
    return status;
}

static int write_file(hid_t root, const void *contents, struct ft_diag *diag)
{
    const struct ft_histogram_file *file = contents;
    struct made made = {file->options, file->tool_version, file->count};
    int status = ft_records_write(root, "made", &made_type, &made, 1, diag);
    for (size_t i = 0; !status && i < file->count; i++)
        status = write_entry(root, i, &file->entries[i], diag);
    return status;
}

static bool has_fetches(const struct ft_histograms *entry)
{
    for (size_t k = 0; k < entry->stack_count; k++)
        if (strcmp(entry->stacks[k].kind, FT_STACK_FETCHES) == 0 ||
            strcmp(entry->stacks[k].kind, FT_STACK_SHARED_FETCHES) == 0)
            return true;
    return false;
}

/* The oldest version that knows all that an entry has. */
static uint32_t version_of(const struct ft_histograms *entry)
{
    if (entry->scopes.remapped_pages)
        return FT_HISTOGRAMS_VERSION_REMAPPED;
    if (entry->scopes.predictions)
        return FT_HISTOGRAMS_VERSION_BRANCHES;
    if (entry->scopes.sources.count)
        return FT_HISTOGRAMS_VERSION_SOURCES;
    if (entry->set_distances)
        return FT_HISTOGRAMS_VERSION_SETS;
    if (entry->scopes.code)
        return FT_HISTOGRAMS_VERSION_CODE;
    if (entry->skeleton)
        return FT_HISTOGRAMS_VERSION_SKELETON;
    if (entry->scopes.groups)
        return FT_HISTOGRAMS_VERSION_GROUPS;
    if (ft_reuse_pairs_cross_threads(entry->pairs, entry->size_count) ||
        entry->scopes.inlined_count || entry->data)
        return FT_HISTOGRAMS_VERSION_CALLS;
    return entry->pairs || has_fetches(entry) ? FT_HISTOGRAMS_VERSION_PAIRS
                                              : FT_HISTOGRAMS_VERSION_TOTAL;
}

int ft_histogram_file_write(const char *path, const struct ft_histogram_file *file,
                            struct ft_diag *diag)
{
    uint32_t version = FT_HISTOGRAMS_VERSION_TOTAL;
    for (size_t i = 0; i < file->count; i++)
        if (version_of(&file->entries[i]) > version)
            version = version_of(&file->entries[i]);
    return ft_result_file_write(path, KIND, version, write_file, file, diag);
}

static int read_trace(hid_t group, struct ft_histograms *entry, struct ft_diag *diag)
{
    struct ft_metadata *metadata = &entry->metadata;
    struct trace_row *row = NULL;
    FT_TRY(ft_records_read_exactly(group, "trace", &trace_type, 1, (void **)&row, diag));
    entry->trace_hash = row->trace_hash;
    metadata->program = row->program;
    metadata->directory = row->directory;
    metadata->tool_version = row->tool_version;
    metadata->end_reason = row->end_reason;
    metadata->xsave_standard_bytes = row->xsave_standard_bytes;
    metadata->xsave_compact_bytes = row->xsave_compact_bytes;
    metadata->instructions = row->instructions;
    metadata->accesses = row->accesses;
    metadata->prefetches = row->prefetches;
    free(row);
    int status = ft_records_read(group, "parameters", &parameter_type,
                                 (void **)&metadata->parameters, &metadata->parameter_count, diag);
    if (!status)
        status = ft_records_read(group, "arguments", &argument_type, (void **)&metadata->arguments,
                                 &metadata->argument_count, diag);
    return status;
}

static int read_sizes(hid_t group, struct ft_histograms *entry, struct ft_diag *diag)
{
    struct size_row *rows = NULL;
    size_t count = 0;
    int status = ft_records_read(group, "block_sizes", &size_type, (void **)&rows, &count, diag);
    if (status)
        return status;
    if (count == 0 || count > SIZES_MAX)
        status = ft_fail(diag, FT_ERROR_DATA, "%zu block sizes", count);
    entry->block_bytes = calloc(count + 1, sizeof *entry->block_bytes);
    entry->distinct_blocks = calloc(count + 1, sizeof *entry->distinct_blocks);
    if (!status && (!entry->block_bytes || !entry->distinct_blocks))
        status = ft_fail_memory(diag, "block sizes");
    for (size_t s = 0; !status && s < count; s++) {
        uint64_t bytes = rows[s].block_bytes;
        if (bytes == 0 || (bytes & (bytes - 1)) || (s && bytes <= rows[s - 1].block_bytes))
            status = ft_fail(diag, FT_ERROR_DATA, "block sizes are not ascending powers of two");
        entry->block_bytes[s] = bytes;
        entry->distinct_blocks[s] = rows[s].distinct_blocks;
    }
    entry->size_count = status ? 0 : count;
    free(rows);
    return status;
}

static int read_references(hid_t group, struct ft_histograms *entry, struct ft_diag *diag)
{
    struct reference_row *rows = NULL;
    size_t count = 0;
    int status =
        ft_records_read(group, "references", &reference_type, (void **)&rows, &count, diag);
    if (status)
        return status;
    entry->reference_accesses = calloc(count + 1, sizeof *entry->reference_accesses);
    entry->reference_strides = calloc(count + 1, sizeof *entry->reference_strides);
    if (!entry->reference_accesses || !entry->reference_strides)
        status = ft_fail_memory(diag, "references");
    for (size_t r = 0; !status && r < count; r++) {
        entry->reference_accesses[r] = rows[r].accesses;
        entry->reference_strides[r] = rows[r].run_stride;
    }
    entry->reference_count = status ? 0 : count;
    free(rows);
    return status;
}

/* Earlier files have none, or bases alone. */
static int read_motions(hid_t group, struct ft_histograms *entry, struct ft_diag *diag)
{
    if (H5Lexists(group, "seen_strides", H5P_DEFAULT) > 0)
        FT_TRY(ft_records_read_exactly(group, "seen_strides", &seen_type, entry->reference_count,
                                       (void **)&entry->seen_strides, diag));
    if (H5Lexists(group, "bases", H5P_DEFAULT) <= 0)
        return FT_OK;
    return ft_records_read_exactly(group, "bases", &base_type, entry->reference_count,
                                   (void **)&entry->reference_bases, diag);
}

static int read_histograms(hid_t group, struct ft_histograms *entry, struct ft_diag *diag)
{
    return ft_histogram_tables_read(group, entry->reference_count * entry->size_count,
                                    &entry->histograms, diag);
}

static int read_scopes(hid_t group, struct ft_histograms *entry, struct ft_diag *diag)
{
    FT_TRY(ft_scopes_read(group, &entry->scopes, diag));
    if (entry->scopes.reference_count != entry->reference_count)
        return ft_fail(diag, FT_ERROR_DATA, "%zu references, expected %zu", entry->reference_count,
                       entry->scopes.reference_count);
    return FT_OK;
}

/* Files of version 1 have none. */
static int read_totals(hid_t group, struct ft_histograms *entry, struct ft_diag *diag)
{
    if (H5Lexists(group, "totals", H5P_DEFAULT) <= 0)
        return FT_OK;
    FT_TRY(ft_records_read_exactly(group, "totals", &total_type, entry->size_count,
                                   (void **)&entry->touches, diag));
    return ft_records_read_exactly(group, "scope_totals", &scope_total_type,
                                   entry->scopes.scope_count * entry->size_count,
                                   (void **)&entry->scope_totals, diag);
}

static int read_stacks(hid_t group, struct ft_histograms *entry, struct ft_diag *diag)
{
    return H5Lexists(group, "stacks", H5P_DEFAULT) > 0
               ? ft_histogram_stacks_read(group, entry, diag)
               : FT_OK;
}

static int read_pairs(hid_t group, struct ft_histograms *entry, struct ft_diag *diag)
{
    return H5Lexists(group, "pairs", H5P_DEFAULT) > 0 ? ft_reuse_pairs_read(group, entry, diag)
                                                      : FT_OK;
}

static int read_data(hid_t group, struct ft_histograms *entry, struct ft_diag *diag)
{
    return H5Lexists(group, "data", H5P_DEFAULT) > 0 ? ft_data_histograms_read(group, entry, diag)
                                                     : FT_OK;
}

static int read_skeleton(hid_t group, struct ft_histograms *entry, struct ft_diag *diag)
{
    struct ft_diag inner = {0};
    if (H5Lexists(group, SKELETON, H5P_DEFAULT) <= 0)
        return FT_OK;
    entry->skeleton = calloc(1, sizeof *entry->skeleton);
    if (!entry->skeleton)
        return ft_fail_memory(diag, "a skeleton");
    hid_t inside = H5Gopen2(group, SKELETON, H5P_DEFAULT);
    int status = inside < 0
                     ? ft_fail(&inner, FT_ERROR_DATA, "it cannot be opened")
                     : ft_skeleton_tables_read(inside, &entry->scopes, entry->skeleton, &inner);
    if (inside >= 0)
        H5Gclose(inside);
    return status ? ft_fail(diag, status, SKELETON ": %s", inner.message) : FT_OK;
}

static int read_set_distances(hid_t group, struct ft_histograms *entry, struct ft_diag *diag)
{
    return ft_set_distances_read(group, entry->size_count, &entry->set_distances, diag);
}

static int read_entry(hid_t root, size_t number, struct ft_histograms *entry, struct ft_diag *diag)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "trace_%zu", number);
    struct ft_diag inner = {0};
    hid_t group = H5Gopen2(root, name, H5P_DEFAULT);
    if (group < 0)
        return ft_fail(diag, FT_ERROR_DATA, "%s is missing", name);
    static int (*const parts[])(hid_t, struct ft_histograms *, struct ft_diag *) = {
        read_trace,      read_sizes,  read_references, read_motions,
        read_histograms, read_scopes, read_totals,     read_stacks,
        read_pairs,      read_data,   read_skeleton,   read_set_distances};
    int status = FT_OK;
    for (size_t i = 0; !status && i < sizeof parts / sizeof *parts; i++)
        status = parts[i](group, entry, &inner);
    H5Gclose(group);
    return status ? ft_fail(diag, status, "%s: %s", name, inner.message) : FT_OK;
}

static int read_made(hid_t root, struct ft_histogram_file *file, uint64_t *ret_trace_count,
                     struct ft_diag *diag)
{
    struct made *made = NULL;
    FT_TRY(ft_records_read_exactly(root, "made", &made_type, 1, (void **)&made, diag));
    file->options = made->options;
    file->tool_version = made->tool_version;
    *ret_trace_count = made->trace_count;
    free(made);
    return FT_OK;
}

static int read_file(hid_t root, void *contents, struct ft_diag *diag)
{
    struct ft_histogram_file *file = contents;
    uint64_t trace_count = 0;
    H5G_info_t info;
    int status = read_made(root, file, &trace_count, diag);
    if (status)
        return status;
    /* The root holds `made` and one group a trace: a damaged number asks for no memory. */
    if (H5Gget_info(root, &info) < 0 || trace_count > info.nlinks)
        return ft_fail(diag, FT_ERROR_DATA, "traces are missing");
    file->entries = calloc(trace_count + 1, sizeof *file->entries);
    if (!file->entries)
        return ft_fail_memory(diag, "histograms");
    for (size_t i = 0; !status && i < trace_count; i++) {
        file->count = i + 1;
        status = read_entry(root, i, &file->entries[i], diag);
    }
    return status;
}

bool ft_histogram_file_is(const char *path)
{
    return ft_result_file_is(path, KIND);
}

int ft_histogram_file_read(const char *path, struct ft_histogram_file *ret_file,
                           struct ft_diag *diag)
{
    struct ft_histogram_file file = {0};
    int status = ft_result_file_read(path, KIND, FT_HISTOGRAMS_VERSION, read_file, &file, diag);
    if (status)
        ft_histogram_file_fini(&file);
    else
        *ret_file = file;
    return status;
}
