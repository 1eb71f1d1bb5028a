/*
 * Each chunk is appended to the table of its kind; modules, their lines and source files may come
 * in several parts. What no writer would make is refused before memory is allocated for it.
 */
#include "formats/trace/trace_tables.h"

#include <stdlib.h>

#include "formats/base/array.h"
#include "formats/expand/unit_reading.h"
#include "formats/trace/trace_parts.h"

#define UNITS_MAX   (1U << 26)
#define MODULES_MAX (1U << 20)

/* Texts, and paths before them. */
#define SOURCES_BYTES_MAX (2 * FT_SOURCE_FILES_BYTES_MAX)

/* Units are numbered without gaps worth the name; a few bytes shall not ask for much memory. */
#define UNIT_GAP_FACTOR 16
#define UNIT_GAP_MIN    4096

static int take_units(struct ft_trace_tables *tables, struct ft_cursor *cursor,
                      struct ft_diag *diag)
{
    uint64_t count = ft_get_varint(cursor);
    for (uint64_t i = 0; i < count; i++) {
        struct ft_unit unit;
        size_t start = cursor->position;
        int status = ft_unit_read(cursor, &unit, diag);
        if (status)
            return status;
        tables->definitions_sum +=
            ft_definition_hash(cursor->data + start, cursor->position - start);
        size_t need = (size_t)unit.id + 1;
        struct ft_unit *kept = malloc(sizeof *kept);
        if (unit.id == 0 || unit.id > UNITS_MAX ||
            unit.id > UNIT_GAP_FACTOR * (tables->units_taken + UNIT_GAP_MIN)) {
            status = ft_fail(diag, FT_ERROR_DATA, "unit number %u, after %zu units", unit.id,
                             tables->units_taken);
        } else if (need <= tables->unit_count && tables->units[unit.id]) {
            status = ft_fail(diag, FT_ERROR_DATA, "unit %u is defined twice", unit.id);
        } else if (!kept || !FT_RESERVE(tables->units, tables->unit_capacity, need)) {
            status = ft_fail_memory(diag, "the units of a trace");
        }
        if (status) {
            ft_unit_fini(&unit);
            free(kept);
            return status;
        }
        for (; tables->unit_count < need; tables->unit_count++)
            tables->units[tables->unit_count] = NULL;
        *kept = unit;
        tables->units[unit.id] = kept;
        tables->units_taken++;
    }
    return FT_OK;
}

static int take_events(struct ft_trace_tables *tables, struct ft_cursor *cursor,
                       struct ft_diag *diag)
{
    uint64_t count = ft_get_varint(cursor);
    for (uint64_t i = 0; i < count; i++) {
        struct ft_event event;
        if (!FT_RESERVE(tables->events, tables->event_capacity, tables->event_count + 1))
            return ft_fail_memory(diag, "the events of a trace");
        if (!ft_event_read(cursor, &event))
            return ft_fail(diag, FT_ERROR_DATA, "the events are truncated or inconsistent");
        tables->events[tables->event_count++] = event;
    }
    return FT_OK;
}

static int take_module(struct ft_trace_tables *tables, struct ft_cursor *cursor,
                       struct ft_diag *diag)
{
    uint32_t number = ft_get_u32(cursor);
    bool goes_on = ft_get_u8(cursor) != 0;
    if (cursor->failed || number != tables->module_count || number >= MODULES_MAX)
        return ft_fail(diag, FT_ERROR_DATA, "part of module %u where module %zu is due", number,
                       tables->module_count);
    size_t left = cursor->length - cursor->position;
    ft_put(&tables->module_parts, ft_get(cursor, left), left);
    if (tables->module_parts.failed ||
        !FT_RESERVE(tables->modules, tables->module_capacity, tables->module_count + 1))
        return ft_fail_memory(diag, "the modules of a trace");
    if (goes_on)
        return FT_OK;
    struct ft_cursor whole = {.data = tables->module_parts.data,
                              .length = tables->module_parts.length};
    FT_TRY(ft_module_read(&whole, &tables->modules[tables->module_count], diag));
    tables->module_count++;
    tables->module_parts.length = 0;
    return FT_OK;
}

static int read_lines(struct ft_trace_tables *tables, struct ft_diag *diag)
{
    struct ft_cursor whole = {.data = tables->lines_parts.data,
                              .length = tables->lines_parts.length};
    for (uint64_t due = 0; whole.position < whole.length;) {
        uint64_t module = ft_get_varint(&whole);
        if (whole.failed || module < due || module >= tables->module_count)
            return ft_fail(diag, FT_ERROR_DATA, "lines of module %llu, of %zu",
                           (unsigned long long)module, tables->module_count);
        FT_TRY(ft_module_read_lines(&whole, &tables->modules[module], diag));
        due = module + 1;
    }
    return FT_OK;
}

/* What may go on over several chunks, once in a trace: gathers its parts. ret_is_whole: this was
 * the last one. */
static int take_part(struct ft_cursor *cursor, const char *what, bool was_whole,
                     struct ft_bytes *parts, bool *ret_is_whole, struct ft_diag *diag)
{
    bool goes_on = ft_get_u8(cursor) != 0;
    if (cursor->failed || was_whole)
        return ft_fail(diag, FT_ERROR_DATA, "%s where none are due", what);
    size_t left = cursor->length - cursor->position;
    ft_put(parts, ft_get(cursor, left), left);
    *ret_is_whole = !goes_on;
    return parts->failed ? ft_fail_memory(diag, what) : FT_OK;
}

static int take_lines(struct ft_trace_tables *tables, struct ft_cursor *cursor,
                      struct ft_diag *diag)
{
    FT_TRY(take_part(cursor, "lines of modules", tables->has_lines, &tables->lines_parts,
                     &tables->has_lines, diag));
    if (!tables->has_lines)
        return FT_OK;
    int status = read_lines(tables, diag);
    ft_bytes_fini(&tables->lines_parts);
    return status;
}

static int take_sources(struct ft_trace_tables *tables, struct ft_cursor *cursor,
                        struct ft_diag *diag)
{
    FT_TRY(take_part(cursor, "source files", tables->has_sources, &tables->sources_parts,
                     &tables->has_sources, diag));
    if (tables->sources_parts.length > SOURCES_BYTES_MAX)
        return ft_fail(diag, FT_ERROR_DATA, "the source files are too large");
    if (!tables->has_sources)
        return FT_OK;
    struct ft_cursor whole = {.data = tables->sources_parts.data,
                              .length = tables->sources_parts.length};
    int status = ft_source_files_read(&whole, &tables->sources, diag);
    ft_bytes_fini(&tables->sources_parts);
    return status;
}

static int take_counts(struct ft_trace_tables *tables, struct ft_cursor *cursor,
                       uint64_t instructions, struct ft_diag *diag)
{
    struct ft_unit_table units = {(const struct ft_unit *const *)tables->units, tables->unit_count};
    struct ft_execution_counts *counts = &tables->counted.counts;
    if (!tables->has_counts) {
        counts->units = calloc(tables->unit_count + 1, sizeof *counts->units);
        counts->loop_entries = calloc(tables->unit_count + 1, sizeof *counts->loop_entries);
    }
    int status = counts->units && counts->loop_entries
                     ? ft_counts_read(cursor, &units, instructions, &tables->counted, diag)
                     : ft_fail_memory(diag, "the counts of a trace");
    tables->has_counts = status == FT_OK;
    if (status) { /* a part of them would be none */
        ft_execution_counts_fini(counts);
        tables->counted = (struct ft_counts_reading){0};
    }
    return status;
}

static int take_metadata(struct ft_trace_tables *tables, struct ft_cursor *cursor,
                         struct ft_diag *diag)
{
    if (tables->has_metadata)
        return ft_fail(diag, FT_ERROR_DATA, "a second one");
    tables->definitions_sum += ft_metadata_hash(cursor->data, cursor->length);
    int status = ft_metadata_read(cursor, &tables->metadata, diag);
    tables->has_metadata = status == FT_OK;
    if (status < 0)
        return status;
    ft_xsave_sizes = (struct ft_xsave_sizes){tables->metadata.xsave_standard_bytes,
                                             tables->metadata.xsave_compact_bytes};
    ft_decode_for_processor(tables->metadata.cpu);
    return FT_OK;
}

int ft_trace_tables_take(struct ft_trace_tables *tables, const struct ft_chunk_description *chunk,
                         const uint8_t *payload, struct ft_diag *diag)
{
    struct ft_cursor cursor = {.data = payload, .length = chunk->payload_bytes};
    switch (chunk->kind) {
    case FT_CHUNK_METADATA:
        return take_metadata(tables, &cursor, diag);
    case FT_CHUNK_MODULE:
        return take_module(tables, &cursor, diag);
    case FT_CHUNK_LINES:
        return take_lines(tables, &cursor, diag);
    case FT_CHUNK_SOURCES:
        return take_sources(tables, &cursor, diag);
    case FT_CHUNK_CODE:
        return take_units(tables, &cursor, diag);
    case FT_CHUNK_EVENTS:
        return take_events(tables, &cursor, diag);
    case FT_CHUNK_COUNTS:
        return take_counts(tables, &cursor, chunk->totals.instructions, diag);
    case FT_CHUNK_SUMMARY:
        tables->has_summary = true;
        return ft_summary_read(&cursor, &tables->metadata, diag);
    default:
        return FT_OK; /* kinds of later versions add, they do not change what is there */
    }
}

void ft_trace_tables_fini(struct ft_trace_tables *tables)
{
    ft_metadata_fini(&tables->metadata);
    for (size_t i = 0; i < tables->module_count; i++)
        ft_module_fini(&tables->modules[i]);
    for (size_t i = 0; i < tables->unit_count; i++) {
        if (tables->units[i])
            ft_unit_fini(tables->units[i]);
        free(tables->units[i]);
    }
    for (size_t i = 0; i < tables->event_count; i++)
        free(tables->events[i].text);
    ft_execution_counts_fini(&tables->counted.counts);
    ft_bytes_fini(&tables->module_parts);
    ft_bytes_fini(&tables->lines_parts);
    ft_bytes_fini(&tables->sources_parts);
    ft_source_files_fini(&tables->sources);
    free(tables->modules);
    free(tables->units);
    free(tables->events);
}
