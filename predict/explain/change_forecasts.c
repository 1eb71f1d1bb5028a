/*
 * Misses of a changed program, by synthesis; changes by kind: other orders and tiles of loops,
 * padding; then all that were suggested, sorted by what they gain.
 */
#include "predict/explain/change_forecasts.h"

#include <math.h>
#include <stdlib.h>

#include "fit/skeletons/synthetic_misses.h"
#include "predict/explain/changed_time.h"
#include "predict/explain/padding.h"
#include "predict/explain/reordered_nest.h"
#include "predict/metrics/cycles.h"

#define GAIN_MIN   0.05 /* of what the misses of the scope cost */
#define TILES_MIN  4U   /* iterations */
#define TILE_SIZES 6U

struct forecasting {
    const struct ft_change_task *task;
    struct ft_explanation *explanation;
    const struct ft_machine *machine;
    const struct ft_skeleton *largest;
    double *exclusive; /* [scope * levels + level]: misses after a change, exclusive */
    unsigned simulations;
    struct ft_diag *diag;
};

/* ---- misses ---- */

static void sum_misses(const struct forecasting *forecasting,
                       const struct ft_simulation *simulation, double *ret_misses)
{
    const size_t levels = forecasting->machine->level_count;
    const struct ft_scopes *scopes = &forecasting->largest->scopes;
    for (size_t i = 0; i < scopes->scope_count * levels; i++)
        forecasting->exclusive[i] = 0;
    for (size_t i = 0; i < levels; i++)
        ret_misses[i] = 0;
    for (uint32_t r = 0; r < forecasting->largest->reference_count; r++) {
        const uint32_t scope = scopes->references[r].scope;
        const bool is_inside =
            ft_scope_is_inside(scopes, scope, forecasting->explanation->changed_scope);
        for (size_t i = 0; i < levels; i++) {
            const double misses =
                (double)simulation->set_associative_misses[i * simulation->reference_count + r];
            forecasting->exclusive[scope * levels + i] += misses;
            ret_misses[i] += is_inside ? misses : 0;
        }
    }
}

static double cost_of(const struct forecasting *forecasting, const double *misses)
{
    double cycles = 0;
    for (size_t i = 0; i < forecasting->machine->level_count; i++)
        cycles += misses[i] * ft_machine_miss_cycles(forecasting->machine, i, false);
    return cycles;
}

/* Simulates a changed program, and keeps what comes of it in the change, if that is better than
 * what is there. */
static int try_synthesis(struct forecasting *forecasting, const struct ft_synthesis *changed,
                         const struct ft_change *tried, struct ft_change *change)
{
    const size_t levels = forecasting->machine->level_count;
    struct ft_simulation simulation;
    struct ft_diag inner = {0};
    double *after = calloc(levels + 1, sizeof *after);
    if (!after)
        return ft_fail_memory(forecasting->diag, "a changed program");
    int status = ft_synthesis_simulate(changed, forecasting->machine, forecasting->task->progress,
                                       &simulation, &inner);
    forecasting->simulations++;
    if (status) {
        free(after);
        if (status != FT_ERROR_UNSUPPORTED)
            return ft_fail(forecasting->diag, status, "%s", inner.message);
        change->left_out = "as it makes too many accesses";
        return FT_OK;
    }
    sum_misses(forecasting, &simulation, after);
    ft_simulation_fini(&simulation);
    if (change->is_forecast && cost_of(forecasting, after) >= cost_of(forecasting, change->after)) {
        free(after);
        return FT_OK;
    }
    free(change->after);
    change->after = after;
    change->tile = tried->tile;
    change->pad_bytes = tried->pad_bytes;
    change->is_forecast = true;
    return ft_changed_time(forecasting->explanation, forecasting->exclusive, change,
                           forecasting->diag);
}

/* ---- interchange and tiles ---- */

struct choice {
    const struct ft_skeleton *largest;
    const struct ft_change *change;
};

/* Of a nest; its loop count where it has no such loop. */
static unsigned index_of(const struct choice *choice, const struct ft_rect_nest *nest,
                         uint32_t scope)
{
    unsigned i = 0;
    while (i < nest->loop_count && choice->largest->loop_scopes[nest->loops[i]] != scope)
        i++;
    return i;
}

static bool choose_order(const void *context, const struct ft_rect_nest *nest,
                         struct ft_loop_order *ret_order)
{
    const struct choice *choice = context;
    const struct ft_change *change = choice->change;
    const unsigned loop = index_of(choice, nest, change->loop);
    uint32_t tiled = 0;
    if (loop == nest->loop_count)
        return false;
    if (change->kind == FT_CHANGE_INTERCHANGE) {
        *ret_order = ft_loop_order_innermost(nest, loop);
        return loop + 1 < nest->loop_count;
    }
    for (unsigned i = 0; i < change->tiled_count; i++) {
        const unsigned inner = index_of(choice, nest, change->tiled[i]);
        if (inner == nest->loop_count || inner <= loop)
            return false;
        tiled |= UINT32_C(1) << inner;
    }
    *ret_order = ft_loop_order_tiled(nest, loop, tiled, change->tile);
    return true;
}

/* Changes nests that begin with a loop of that scope. */
static int try_order_from(struct forecasting *forecasting, uint32_t outermost,
                          const struct ft_change *tried, struct ft_change *change,
                          bool *ret_is_tried)
{
    const struct ft_synthesis *synthesis = forecasting->task->synthesis;
    const struct choice choice = {forecasting->largest, tried};
    struct ft_synthesis changed = *synthesis; /* shares all but the nest */
    size_t count = 0;
    bool *begins = calloc(forecasting->largest->loop_count + 1, sizeof *begins);
    if (!begins)
        return ft_fail_memory(forecasting->diag, "a loop nest");
    for (size_t i = 0; i < forecasting->largest->loop_count; i++)
        begins[i] = forecasting->largest->loop_scopes[i] == outermost;
    const struct ft_reordering reordering = {&synthesis->nest, begins, choose_order, &choice};
    int status = ft_reordered_nest_make(&reordering, &changed.nest, &count, forecasting->diag);
    free(begins);
    if (!status && count > 0) {
        status = try_synthesis(forecasting, &changed, tried, change);
        ft_nest_fini(&changed.nest);
    }
    *ret_is_tried = count > 0;
    return status;
}

/* Of the loops around a group the outermost one that begins a rectangular nest. */
static int try_order(struct forecasting *forecasting, const struct ft_change *tried,
                     struct ft_change *change)
{
    const struct ft_explained_group *group = &forecasting->explanation->groups[tried->group];
    bool is_tried = false;
    for (unsigned i = group->loop_count; i-- > 0 && !is_tried;)
        FT_TRY(try_order_from(forecasting, group->loops[i].scope, tried, change, &is_tried));
    return FT_OK;
}

/* Iterations of a tile, at most: so many that what a group touches in it fits, a power of two below
 * those of the loop. */
static uint64_t largest_tile(const struct forecasting *forecasting, const struct ft_change *change)
{
    const struct ft_level *level = &forecasting->machine->levels[change->level];
    const struct ft_explained_group *group = &forecasting->explanation->groups[change->group];
    const double capacity = (double)ft_level_capacity_bytes(level);
    const struct ft_explained_loop *loop = ft_explained_loop_of(group, change->tiled[0]);
    const double room = change->tiled_count > 1
                            ? pow(capacity / (double)group->size_bytes, 1.0 / change->tiled_count)
                            : capacity / fmin(fabs(loop->stride_bytes), (double)level->block_bytes);
    uint64_t tile = 1;
    while (2 * (double)tile <= room && 2 * (double)tile < loop->iterations)
        tile *= 2;
    return tile;
}

/* Halves tiles as long as that helps. */
static int try_tiles(struct forecasting *forecasting, struct ft_change *change)
{
    struct ft_change tried = *change;
    tried.tile = largest_tile(forecasting, change);
    for (unsigned i = 0; i < TILE_SIZES && tried.tile >= TILES_MIN; i++, tried.tile /= 2) {
        FT_TRY(try_order(forecasting, &tried, change));
        if (change->tile != tried.tile)
            break; /* the one before was better, or there is no such nest */
    }
    return FT_OK;
}

/* ---- padding ---- */

/* Whether a group of the explanation goes from row to row in a block. */
static bool has_rows(const struct ft_explanation *explanation, uint32_t block, uint64_t row_bytes)
{
    for (size_t i = 0; i < explanation->group_count; i++) {
        const struct ft_explained_group *group = &explanation->groups[i];
        if (!group->has_place || !ft_is_in_block(group->place) ||
            (group->place - FT_PLACE_BLOCKS) / FT_PLACE_STEP != block)
            continue;
        for (unsigned k = 0; k < group->loop_count; k++)
            if (fabs(group->loops[k].stride_bytes) == (double)row_bytes)
                return true;
    }
    return false;
}

/* The blocks that the scope goes through, each some lines later than the one before. */
static uint64_t shift_of(const struct ft_explanation *explanation, uint32_t block,
                         uint64_t line_bytes, uint64_t *shifted)
{
    for (size_t i = 0; i < explanation->group_count; i++) {
        const struct ft_explained_group *group = &explanation->groups[i];
        if (group->has_place && ft_is_in_block(group->place) &&
            (group->place - FT_PLACE_BLOCKS) / FT_PLACE_STEP == block)
            return line_bytes * (*shifted)++;
    }
    return 0;
}

static int try_padding(struct forecasting *forecasting, struct ft_change *change)
{
    const uint32_t block_count = forecasting->largest->blocks.block_count;
    const struct ft_level *level = &forecasting->machine->levels[change->level];
    uint64_t *rows = calloc(2 * (size_t)block_count + 1, sizeof *rows), shifted = 0;
    bool any = false;
    if (!rows)
        return ft_fail_memory(forecasting->diag, "padded rows");
    uint64_t *pads = rows + block_count;
    change->pad_bytes = change->kind == FT_CHANGE_PAD
                            ? ft_padding_for(change->row_bytes, level->block_bytes)
                            : level->block_bytes;
    /* Blocks of groups are those of the largest size. */
    const bool are_known =
        !ft_block_laws_are_renumbered(&forecasting->task->synthesis->sized->blocks);
    for (uint32_t i = 0; are_known && i < block_count; i++) {
        if (change->kind == FT_CHANGE_PAD &&
            has_rows(forecasting->explanation, i, change->row_bytes)) {
            rows[i] = change->row_bytes;
            pads[i] = change->pad_bytes;
        } else if (change->kind == FT_CHANGE_SHIFT) {
            pads[i] = shift_of(forecasting->explanation, i, level->block_bytes, &shifted);
        }
        any = any || pads[i] > 0;
    }
    const struct ft_padding padding = {rows, pads};
    struct ft_synthesis padded;
    int status = FT_OK;
    if (any)
        status = ft_padded_synthesis_make(forecasting->task->synthesis, forecasting->task->size,
                                          &padding, &padded, forecasting->diag);
    if (any && !status) {
        const struct ft_change tried = *change;
        status = try_synthesis(forecasting, &padded, &tried, change);
        ft_synthesis_fini(&padded);
    }
    free(rows);
    return status;
}

/* ---- all of them ---- */

static int forecast(struct forecasting *forecasting, struct ft_change *change)
{
    switch (change->kind) {
    case FT_CHANGE_INTERCHANGE: {
        const struct ft_change tried = *change;
        return try_order(forecasting, &tried, change);
    }
    case FT_CHANGE_TILE:
        return try_tiles(forecasting, change);
    case FT_CHANGE_PAD:
    case FT_CHANGE_SHIFT:
        return try_padding(forecasting, change);
    default:
        return FT_OK;
    }
}

static double gain_of(const struct forecasting *forecasting, const struct ft_change *change)
{
    return change->is_forecast
               ? cost_of(forecasting, change->before) - cost_of(forecasting, change->after)
               : 0;
}

/* What gains stands before what is not known, what does not at the end. */
static bool stands_before(const struct forecasting *forecasting, const struct ft_change *a,
                          const struct ft_change *b)
{
    const int place_a = a->gains ? 0 : a->is_forecast ? 2 : 1;
    const int place_b = b->gains ? 0 : b->is_forecast ? 2 : 1;
    return place_a < place_b ||
           (place_a == place_b && gain_of(forecasting, a) > gain_of(forecasting, b));
}

static void sort(struct forecasting *forecasting)
{
    struct ft_change *changes = forecasting->explanation->changes;
    for (size_t i = 0; i < forecasting->explanation->change_count; i++) {
        struct ft_change change = changes[i];
        size_t at = i;
        change.gains = change.is_forecast && gain_of(forecasting, &change) >=
                                                 GAIN_MIN * cost_of(forecasting, change.before);
        for (; at > 0 && stands_before(forecasting, &change, &changes[at - 1]); at--)
            changes[at] = changes[at - 1];
        changes[at] = change;
    }
}

int ft_changes_forecast(const struct ft_change_task *task, struct ft_explanation *explanation,
                        struct ft_diag *diag)
{
    const struct ft_machine *machine = explanation->prediction->machine;
    struct forecasting forecasting = {.task = task,
                                      .explanation = explanation,
                                      .machine = machine,
                                      .largest = &task->synthesis->sized->largest,
                                      .diag = diag};
    const size_t numbers = forecasting.largest->scopes.scope_count * machine->level_count;
    forecasting.exclusive = calloc(numbers + 1, sizeof *forecasting.exclusive);
    int status = forecasting.exclusive ? FT_OK : ft_fail_memory(diag, "changed programs");
    for (size_t i = 0; !status && i < explanation->change_count; i++) {
        struct ft_change *change = &explanation->changes[i];
        change->before = calloc(machine->level_count + 1, sizeof *change->before);
        if (!change->before)
            status = ft_fail_memory(diag, "changed programs");
        else
            sum_misses(&forecasting, task->before, change->before);
        if (forecasting.simulations >= FT_CHANGE_FORECASTS_MAX)
            change->left_out = "as enough others were";
        else if (!status)
            status = forecast(&forecasting, change);
    }
    if (!status)
        sort(&forecasting);
    free(forecasting.exclusive);
    return status;
}
