/*
 * A trace over its accesses: what each of INTERVALS equal parts of it touches, which phase it is
 * of, where each phase is at work (docs/footprint.md), and what it misses on each machine. Blocks
 * are those of the first machine's first level, or of 64 bytes where it has none.
 *
 * Where a phase is at work is told by its first interval, of which the basic blocks are known; each
 * scope counts by itself, or to the nearest one around it that the page shows.
 */
#include <stdlib.h>

#include "engine/footprint/trace_footprint.h"
#include "engine/simulate/interval_misses.h"
#include "formats/cli/progress_line.h"
#include "formats/commands/trace_operand.h"
#include "predict/commands/page/page.h"
#include "predict/commands/report/measured.h"

#define INTERVALS    64U
#define BLOCK_BYTES  64U
#define SCOPES_SHOWN 4U
#define SHARE_MIN    0.02

static uint64_t block_bytes_of(const struct ft_measurement *measured)
{
    const struct ft_machine *machine = &measured->sources[0].machine;
    return machine->level_count > 0 ? machine->levels[0].block_bytes : BLOCK_BYTES;
}

/* [[scope, share], ...], the largest share first. rows: [scope], scratch. */
static json_t *scopes_json(const struct ft_measurement *measured, const struct ft_scopes *scopes,
                           const struct ft_phase *phase, double *rows)
{
    json_t *list = json_array();
    for (size_t i = 0; i < scopes->scope_count; i++)
        rows[i] = 0;
    for (size_t i = 0; i < phase->entry_count; i++) {
        const uint32_t scope = scopes->blocks[phase->entries[i].block].scope;
        rows[ft_measurement_shown(measured, scope)] +=
            (double)phase->entries[i].accesses / (double)phase->entry_accesses;
    }
    for (unsigned k = 0; k < SCOPES_SHOWN; k++) {
        const size_t most = ft_measurement_largest(rows, scopes->scope_count);
        if (rows[most] < SHARE_MIN)
            break;
        ft_json_append(&list, json_pack("[I, o]", (json_int_t)most, ft_page_number(rows[most])));
        rows[most] = 0;
    }
    return list;
}

static json_t *phases_json(const struct ft_measurement *measured, const struct ft_scopes *scopes,
                           const struct ft_phases *phases, double *rows)
{
    json_t *list = json_array();
    for (size_t i = 0; i < phases->count; i++) {
        const struct ft_phase *phase = &phases->phases[i];
        ft_json_append(&list,
                       json_pack("{s:I, s:o, s:o}", "intervals", (json_int_t)phase->interval_count,
                                 "accesses", ft_page_number((double)phase->accesses), "scopes",
                                 scopes_json(measured, scopes, phase, rows)));
    }
    return list;
}

/* [accesses, blocks, blocks that no interval before touched, phase] */
static json_t *intervals_json(const struct ft_footprint *footprint)
{
    json_t *list = json_array();
    for (size_t i = 0; i < footprint->interval_count; i++)
        ft_json_append(&list,
                       json_pack("[I, I, I, I]", (json_int_t)footprint->intervals[i].accesses,
                                 (json_int_t)footprint->interval_blocks[i],
                                 (json_int_t)footprint->interval_new[i],
                                 (json_int_t)footprint->intervals[i].phase));
    return list;
}

/* Of a machine: [[misses of each level] of each interval]; empty where nothing ran. */
static int misses_json(const struct ft_diff_source *source, const struct ft_footprint *footprint,
                       json_t **ret_misses, struct ft_diag *diag)
{
    struct ft_interval_misses misses = {0};
    struct ft_progress_line progress;
    struct ft_trace *trace;
    *ret_misses = json_array();
    if (footprint->interval_count == 0)
        return FT_OK;
    FT_TRY(ft_trace_open_named(source->path, false, &trace, diag));
    ft_progress_line_init(&progress, "simulate");
    const int status =
        ft_trace_interval_misses(trace, &source->machine, footprint->intervals[0].accesses,
                                 footprint->interval_count, &progress.base, &misses, diag);
    ft_progress_line_fini(&progress);
    ft_trace_close(trace);
    for (size_t i = 0; i < misses.interval_count; i++) {
        json_t *row = json_array();
        for (size_t k = 0; k < misses.level_count; k++)
            ft_json_append(
                &row, json_integer((json_int_t)misses.set_associative[i * misses.level_count + k]));
        ft_json_append(ret_misses, row);
    }
    ft_interval_misses_fini(&misses);
    return status;
}

/* Of each machine. */
static int all_misses_json(const struct ft_measurement *measured,
                           const struct ft_footprint *footprint, json_t **ret_list,
                           struct ft_diag *diag)
{
    int status = FT_OK;
    *ret_list = json_array();
    for (size_t i = 0; i < measured->count && status == FT_OK; i++) {
        json_t *misses;
        status = misses_json(&measured->sources[i], footprint, &misses, diag);
        ft_json_append(ret_list, misses);
    }
    return status;
}

static int count(const struct ft_measurement *measured, uint64_t block_bytes,
                 struct ft_scopes *scopes, struct ft_footprint *footprint, struct ft_diag *diag)
{
    struct ft_trace *trace;
    struct ft_progress_line progress;
    FT_TRY(ft_trace_open_named(measured->sources[0].path, false, &trace, diag));
    ft_progress_line_init(&progress, "phases");
    const int status = ft_trace_footprint(trace, &block_bytes, 1, INTERVALS, &progress.base, scopes,
                                          footprint, diag);
    ft_progress_line_fini(&progress);
    ft_trace_close(trace);
    return status;
}

int ft_measurement_phases(const struct ft_measurement *measured, json_t **ret_phases,
                          struct ft_diag *diag)
{
    const uint64_t block_bytes = block_bytes_of(measured);
    struct ft_scopes scopes = {0};
    struct ft_footprint footprint = {0};
    FT_TRY(count(measured, block_bytes, &scopes, &footprint, diag));
    json_t *misses = NULL;
    double *rows = calloc(scopes.scope_count + 1, sizeof *rows);
    int status = rows ? all_misses_json(measured, &footprint, &misses, diag)
                      : ft_fail_memory(diag, "a report");
    if (status == FT_OK)
        *ret_phases = json_pack(
            "{s:I, s:I, s:o, s:o, s:O}", "block_bytes", (json_int_t)block_bytes, "blocks",
            (json_int_t)footprint.distinct_blocks[0], "intervals", intervals_json(&footprint),
            "phases", phases_json(measured, &scopes, &footprint.phases, rows), "misses", misses);
    json_decref(misses);
    free(rows);
    ft_footprint_fini(&footprint);
    ft_scopes_fini(&scopes);
    return status;
}
