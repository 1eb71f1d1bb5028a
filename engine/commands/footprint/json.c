/*
 * A footprint with all its tables as one JSON object.
 */
#include "engine/commands/footprint/metrics.h"
#include "engine/commands/footprint/report.h"
#include "formats/commands/report_head.h"
#include "formats/commands/scope_report.h"

/* A list of one figure for each block size. */
static json_t *counts_json(const uint64_t *counts, size_t count)
{
    json_t *list = json_array();
    for (size_t s = 0; s < count; s++)
        ft_json_append(&list, json_integer((json_int_t)counts[s]));
    return list;
}

static json_t *loops_json(const struct ft_footprint_report *report)
{
    const size_t sizes = report->footprint.size_count;
    json_t *loops = json_array();
    for (size_t i = 0; i < report->count; i++) {
        uint32_t scope = report->list[i];
        json_t *metrics = json_pack(
            "{s:I, s:o}", "accesses", (json_int_t)report->accesses[scope], "distinct_blocks",
            counts_json(report->footprint.scope_blocks + scope * sizes, sizes));
        ft_json_append(&loops, ft_json_merge(ft_scope_json(&report->scopes, scope), metrics));
    }
    return loops;
}

static json_t *windows_json(const struct ft_footprint_report *report)
{
    const struct ft_footprint *footprint = &report->footprint;
    json_t *windows = json_array();
    for (unsigned k = 0; k < ft_footprint_windows(footprint); k++) {
        json_t *means = json_array();
        for (size_t s = 0; s < footprint->size_count; s++)
            ft_json_append(&means, ft_json_number(ft_footprint_window_mean(footprint, s, k)));
        ft_json_append(&windows, json_pack("{s:I, s:o}", "accesses", (json_int_t)1 << k,
                                           "mean_blocks", means));
    }
    return windows;
}

/* Misses in each level of an interval; NULL without a machine, which leaves the key out. */
static json_t *misses_json(const struct ft_footprint_report *report, const uint64_t *misses,
                           size_t interval)
{
    return report->machine ? counts_json(misses + interval * report->misses.level_count,
                                         report->misses.level_count)
                           : NULL;
}

static json_t *phase_misses_json(const struct ft_footprint_report *report, size_t phase)
{
    json_t *list = report->machine ? json_array() : NULL;
    for (size_t level = 0; level < report->misses.level_count; level++)
        ft_json_append(&list, json_integer((json_int_t)ft_phase_misses(
                                  &report->footprint, &report->misses, phase, level)));
    return list;
}

static json_t *levels_json(const struct ft_machine *machine)
{
    json_t *names = machine ? json_array() : NULL;
    for (size_t i = 0; machine && i < machine->level_count; i++)
        ft_json_append(&names, ft_json_text(machine->levels[i].name));
    return names;
}

static json_t *intervals_json(const struct ft_footprint_report *report)
{
    const struct ft_footprint *footprint = &report->footprint;
    const size_t sizes = footprint->size_count;
    json_t *intervals = json_array();
    uint64_t first = 0;
    for (size_t i = 0; i < footprint->interval_count; i++) {
        ft_json_append(
            &intervals,
            json_pack("{s:I, s:I, s:I, s:o, s:o, s:o*, s:o*}", "first_access", (json_int_t)first,
                      "accesses", (json_int_t)footprint->intervals[i].accesses, "phase",
                      (json_int_t)footprint->intervals[i].phase + 1, "distinct_blocks",
                      counts_json(footprint->interval_blocks + i * sizes, sizes), "new_blocks",
                      counts_json(footprint->interval_new + i * sizes, sizes), "misses",
                      misses_json(report, report->misses.set_associative, i),
                      "fully_associative_misses",
                      misses_json(report, report->misses.fully_associative, i)));
        first += footprint->intervals[i].accesses;
    }
    return intervals;
}

static json_t *phases_json(const struct ft_footprint_report *report)
{
    const struct ft_footprint *footprint = &report->footprint;
    json_t *phases = json_array();
    for (size_t p = 0; p < footprint->phases.count; p++) {
        const struct ft_phase *phase = &footprint->phases.phases[p];
        double share;
        uint32_t scope = ft_phase_scope(&report->scopes, phase, &share);
        json_t *means = json_array();
        for (size_t s = 0; s < footprint->size_count; s++)
            ft_json_append(&means, ft_json_number(ft_footprint_phase_blocks(footprint, p, s)));
        ft_json_append(&phases,
                       json_pack("{s:I, s:I, s:I, s:I, s:o, s:f, s:o, s:o*}", "phase",
                                 (json_int_t)p + 1, "first_interval",
                                 (json_int_t)phase->first_interval + 1, "intervals",
                                 (json_int_t)phase->interval_count, "accesses",
                                 (json_int_t)phase->accesses, "mean_blocks", means, "share", share,
                                 "most_in", ft_scope_json(&report->scopes, scope), "misses",
                                 phase_misses_json(report, p)));
    }
    return phases;
}

int ft_footprint_json(const struct ft_footprint_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_metadata *metadata = ft_trace_metadata(report->trace);
    const struct ft_footprint *footprint = &report->footprint;
    const size_t sizes = footprint->size_count;
    return ft_json_write(json_pack("{s:o, s:o, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o*, s:o*}",
                                   "program", ft_json_text(metadata->program), "parameters",
                                   ft_parameters_json(metadata), "trace",
                                   ft_trace_content_hash(report->trace), "accesses",
                                   (json_int_t)footprint->accesses, "block_bytes",
                                   counts_json(footprint->block_bytes, sizes), "distinct_blocks",
                                   counts_json(footprint->distinct_blocks, sizes), "loops",
                                   loops_json(report), "windows", windows_json(report), "intervals",
                                   intervals_json(report), "phases", phases_json(report), "machine",
                                   report->machine ? ft_json_text(report->machine->name) : NULL,
                                   "levels", levels_json(report->machine)),
                         stream, diag);
}
