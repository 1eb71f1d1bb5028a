/*
 * The scope tree with its counts as one JSON object.
 */
#include <stdlib.h>

#include "engine/commands/structure/mix_report.h"
#include "formats/commands/report_head.h"
#include "formats/commands/scope_report.h"

/* Counts alone tell the mean only. */
static json_t *trips_json(const struct ft_trips *trips, bool only_counts)
{
    double mean = trips->entries ? (double)trips->iterations / (double)trips->entries : 0;
    if (only_counts)
        return json_pack("{s:n, s:f, s:n, s:n}", "least", "mean", mean, "most", "bins");
    json_t *bins = json_array();
    for (unsigned bin = 0; bin < FT_TRIP_BINS; bin++)
        if (trips->bins[bin])
            ft_json_append(&bins,
                           json_pack("{s:I, s:I, s:I}", "least", (json_int_t)ft_trip_bin_min(bin),
                                     "most", (json_int_t)ft_trip_bin_max(bin), "entries",
                                     (json_int_t)trips->bins[bin]));
    return json_pack("{s:I, s:f, s:I, s:o}", "least", (json_int_t)trips->min, "mean", mean, "most",
                     (json_int_t)trips->max, "bins", bins);
}

static json_t *block_json(const struct ft_structure *structure, uint32_t block)
{
    return block == FT_NO_BLOCK ? json_null()
                                : json_integer((json_int_t)structure->graph.blocks[block].offset);
}

/* The ways of one kind, from and to blocks by their places in the file. */
static json_t *edges_json(const struct ft_structure_report *report, uint32_t loop,
                          enum ft_loop_edge_kind kind)
{
    const struct ft_loop_edges *loop_edges = &report->loop_edges;
    json_t *list = json_array();
    for (uint32_t i = loop_edges->first[loop]; i < loop_edges->first[loop + 1]; i++)
        if (loop_edges->items[i].kind == kind)
            ft_json_append(&list,
                           json_pack("{s:o, s:o, s:I}", "from",
                                     block_json(&report->structure, loop_edges->items[i].from),
                                     "to", block_json(&report->structure, loop_edges->items[i].to),
                                     "count", (json_int_t)loop_edges->items[i].count));
    return list;
}

static json_t *machine_loop_json(const struct ft_structure_report *report, uint32_t loop)
{
    const struct ft_structure *structure = &report->structure;
    const struct ft_program_loop *item = &structure->loops.items[loop];
    json_t *loop_edges = json_pack(
        "{s:o, s:b, s:o, s:o, s:o, s:o}", "header", block_json(structure, item->header),
        "irreducible", (int)item->irreducible, "preheader",
        block_json(structure, report->loop_edges.preheader[loop]), "in",
        edges_json(report, loop, FT_LOOP_ENTRY), "back", edges_json(report, loop, FT_LOOP_BACK),
        "out", edges_json(report, loop, FT_LOOP_EXIT));
    if (report->schedules)
        loop_edges = ft_json_merge(
            loop_edges, json_pack("{s:o}", "schedule", ft_structure_schedule_json(report, loop)));
    return report->dependences
               ? ft_json_merge(loop_edges, json_pack("{s:o}", "dependences",
                                                     ft_structure_dependences_json(report, loop)))
               : loop_edges;
}

static json_t *machine_loops_json(const struct ft_structure_report *report, uint32_t scope)
{
    const struct ft_structure *structure = &report->structure;
    const struct ft_program_loop *items = structure->loops.items;
    const uint32_t first = report->work[scope].first_loop;
    json_t *loops = json_array();
    for (uint32_t l = first; l < structure->loops.count && items[l].routine == items[first].routine;
         l++)
        if (structure->scope_of_loop[l] == scope)
            ft_json_append(&loops, machine_loop_json(report, l));
    return loops;
}

static json_t *scope_json(const struct ft_structure_report *report, uint32_t scope,
                          const struct ft_mix *mix)
{
    const struct ft_scope *item = &report->structure.scopes.scopes[scope];
    const struct ft_scope_work *work = &report->work[scope];
    bool is_loop = item->kind == FT_SCOPE_LOOP;
    json_t *metrics = json_pack("{s:I, s:I, s:I}", "start_offset", (json_int_t)item->start_offset,
                                "end_offset", (json_int_t)item->end_offset, "entries",
                                (json_int_t)(is_loop ? work->trips.entries : item->entry_count));
    metrics = ft_json_merge(metrics, ft_mix_metrics_json(mix, !report->only_counts));
    if (is_loop)
        metrics = ft_json_merge(
            metrics, json_pack("{s:I, s:o, s:o}", "turns", (json_int_t)work->trips.iterations,
                               "trips", trips_json(&work->trips, report->only_counts),
                               "machine_loops", machine_loops_json(report, scope)));
    if (report->groups)
        metrics = ft_json_merge(
            metrics, json_pack("{s:o}", "groups", ft_structure_groups_json(report, scope)));
    return ft_json_merge(ft_scope_json(&report->structure.scopes, scope), metrics);
}

static json_t *scopes_json(const struct ft_structure_report *report, const struct ft_mix *mixes)
{
    json_t *loops = json_array();
    for (size_t i = 0; i < report->count; i++)
        ft_json_append(&loops, scope_json(report, report->list[i], &mixes[report->list[i]]));
    return loops;
}

int ft_structure_json(const struct ft_structure_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_metadata *metadata = ft_trace_metadata(report->trace);
    const struct ft_structure *structure = &report->structure;
    struct ft_mix *mixes = NULL;
    int status = ft_mix_of_scopes(&structure->scopes, report->block_mixes, &mixes, diag);
    if (status)
        return status;
    json_t *document = json_pack(
        "{s:o, s:o, s:s, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:o}", "program",
        ft_json_text(metadata->program), "parameters", ft_parameters_json(metadata), "trace",
        ft_trace_content_hash(report->trace), "instructions",
        (json_int_t)report->work[0].instructions, "accesses",
        report->only_counts ? json_null() : json_integer((json_int_t)report->work[0].accesses),
        "units", (json_int_t)report->unit_count, "code_instructions",
        (json_int_t)structure->graph.instruction_count, "blocks",
        (json_int_t)structure->graph.block_count, "routines", (json_int_t)structure->routines.count,
        "machine_loops", (json_int_t)structure->loops.count, "loops", scopes_json(report, mixes));
    if (report->groups)
        document = ft_json_merge(
            document, json_pack("{s:o}", "group_sizes", ft_structure_group_sizes_json(report)));
    status = ft_json_write(document, stream, diag);
    free(mixes);
    return status;
}
