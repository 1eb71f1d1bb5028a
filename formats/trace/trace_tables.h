/*
 * Everything in a trace but its logs: metadata, modules, units, events, summary, read from their
 * chunks in the order of each kind. One thread.
 */
#ifndef FT_FORMATS_TRACE_TRACE_TABLES_H
#define FT_FORMATS_TRACE_TRACE_TABLES_H

#include "formats/base/source_files.h"
#include "formats/trace/chunk.h"
#include "formats/trace/counts_table.h"
#include "formats/trace/event.h"
#include "formats/trace/metadata.h"
#include "formats/trace/modules.h"

struct ft_trace_tables {
    struct ft_metadata metadata; /* with the summary, where has_summary says so */
    bool has_metadata, has_summary;
    uint64_t definitions_sum; /* what metadata and units add to the content hash */
    struct ft_module *modules;
    size_t module_count, module_capacity;
    struct ft_bytes module_parts; /* of the module that goes on in the next chunk */
    struct ft_bytes lines_parts;  /* of the lines of all modules, until has_lines */
    bool has_lines;
    struct ft_bytes sources_parts; /* likewise, until has_sources */
    struct ft_source_files sources;
    bool has_sources;
    struct ft_unit **units; /* [id], owned; unit_count: the highest id + 1, or 0 */
    size_t unit_count, unit_capacity, units_taken;
    struct ft_event *events;
    size_t event_count, event_capacity;
    struct ft_counts_reading counted; /* where has_counts says so */
    bool has_counts;
};

/* Takes in the payload of the next chunk of its kind; kinds that are not known add nothing. What
 * the metadata tells of the processor counts for all units that are decoded from then on. */
int ft_trace_tables_take(struct ft_trace_tables *tables, const struct ft_chunk_description *chunk,
                         const uint8_t *payload, struct ft_diag *diag);
void ft_trace_tables_fini(struct ft_trace_tables *tables);

#endif
