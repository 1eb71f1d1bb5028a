/*
 * At the training sizes the accesses of memset are a constant and a vector for each of as many
 * bytes as the model of the allocator says are cleared; then they are so at the size, too, and what
 * memset misses is less, or more, by the same share. As many blocks miss, or no longer do, when
 * they are touched next, unless calloc left them in the cache or would have: none where blocks are
 * larger than the cache, all where everything fits. That is known for the program alone; of scopes,
 * each may be the next.
 */
#include "predict/cleared_rows.h"

#include <math.h>
#include <stdlib.h>

#include "fit/skeletons/block_laws.h"
#include "predict/metrics/cycles.h"

#define SIZES_MIN    4U   /* two coefficients, and two to confirm them */
#define RESIDUAL     0.01 /* of accesses at a training size, relative */
#define VARIED       1.2  /* at least as much differ what is cleared at them */
#define ALIKE        0.1  /* of what is cleared; more that grows alike may be for something else */
#define ACCESSES_MIN 1000 /* of a routine; fewer do not matter */

/* Accesses of a routine: constant + per_byte * cleared bytes, of which a share, `alike`, may be
 * for others, where these grow likewise. */
struct law {
    double constant, per_byte, alike;
};

struct clearing {
    const struct ft_cleared_rows *rows;
    const struct ft_model *model;
    size_t width;
    double size;
    struct ft_placed_block *blocks; /* [block], at the size */
    double cleared, asked;          /* bytes */
    double *before;                 /* [training size]: cleared */
    double *counted;                /* [training size]: accesses of a routine */
    double *growth;                 /* [scope]: accesses, beyond the largest training size */
};

/* ---- what is cleared ---- */

static bool is_of_calloc(const struct ft_sized_skeleton *sized, size_t event)
{
    return sized->blocks.events[event].clears && !sized->blocks.events[event].is_freed &&
           sized->blocks.is_confirmed[sized->blocks.events[event].block];
}

static int sum_cleared(struct clearing *clearing, double size, double *ret_cleared,
                       double *ret_asked, struct ft_diag *diag)
{
    const struct ft_sized_skeleton *sized = clearing->model->skeleton;
    uint32_t block_count;
    free(clearing->blocks);
    clearing->blocks = NULL;
    FT_TRY(ft_block_laws_at(&sized->blocks, &sized->largest, size, &clearing->blocks, &block_count,
                            diag));
    *ret_cleared = *ret_asked = 0;
    for (size_t i = 0; i < sized->blocks.event_count; i++)
        if (is_of_calloc(sized, i)) {
            const struct ft_placed_block *block = &clearing->blocks[sized->blocks.events[i].block];
            *ret_cleared += (double)block->cleared;
            *ret_asked += (double)block->bytes;
        }
    return FT_OK;
}

static bool has_calloc(const struct ft_sized_skeleton *sized)
{
    for (size_t i = 0; i < sized->blocks.event_count; i++)
        if (is_of_calloc(sized, i))
            return true;
    return false;
}

static bool is_usable(const struct ft_model *model, double size)
{
    const struct ft_sized_skeleton *sized = model->skeleton;
    return model->training_accesses && size == floor(size) && ft_model_has_sized_skeleton(model) &&
           sized->size_count >= SIZES_MIN && !ft_block_laws_are_renumbered(&sized->blocks) &&
           has_calloc(sized);
}

/* ---- what routines count ---- */

static double counted_at(const struct ft_model *model, size_t routine, size_t size)
{
    double accesses = 0;
    for (size_t g = 0; g < model->group_count; g++)
        if (ft_scope_is_inside(&model->scopes, model->groups[g].scope, (uint32_t)routine))
            accesses += (double)model->training_accesses[g * model->training_count + size];
    return accesses;
}

/* Of a routine: the largest. */
static double store_bytes(const struct ft_scopes *scopes, size_t routine)
{
    uint32_t most = 0;
    for (size_t r = 0; r < scopes->reference_count; r++)
        if (scopes->references[r].kind != FT_LOAD && scopes->references[r].size_bytes > most &&
            ft_scope_is_inside(scopes, scopes->references[r].scope, (uint32_t)routine))
            most = scopes->references[r].size_bytes;
    return most;
}

/* By least squares of the relative errors. False: that is not how the accesses follow. */
static bool find_law(const struct clearing *clearing, size_t routine, struct law *ret_law)
{
    const size_t count = clearing->model->training_count;
    double sums[5] = {0}, least = INFINITY, most = 0; /* of 1, x, x^2, y, x y, each over y^2 */
    for (size_t s = 0; s < count; s++) {
        const double x = clearing->before[s], y = clearing->counted[s], weight = 1 / (y * y);
        const double terms[] = {1, x, x * x, y, x * y};
        if (!(y > 0))
            return false;
        for (size_t k = 0; k < 5; k++)
            sums[k] += weight * terms[k];
        least = fmin(least, x);
        most = fmax(most, x);
    }
    const double det = sums[0] * sums[2] - sums[1] * sums[1];
    if (!(most > VARIED * least) || !(det > 0))
        return false;
    const struct law law = {(sums[2] * sums[3] - sums[1] * sums[4]) / det,
                            (sums[0] * sums[4] - sums[1] * sums[3]) / det, 0};
    for (size_t s = 0; s < count; s++)
        if (fabs(law.constant + law.per_byte * clearing->before[s] - clearing->counted[s]) >
            RESIDUAL * clearing->counted[s])
            return false;
    *ret_law = law;
    ret_law->constant = fmax(law.constant, 0);
    ret_law->alike = fabs(law.per_byte * store_bytes(&clearing->model->scopes, routine) - 1);
    return ret_law->alike <= ALIKE;
}

/* ---- rows ---- */

/* What a change does to a number: it becomes less by `value`, between low and high. */
struct change {
    double low, value, high;
};

static void lessen(const struct clearing *clearing, size_t scope, size_t column,
                   const struct change *change)
{
    const size_t number = scope * clearing->width + column;
    double *value = &clearing->rows->inclusive[number];
    struct ft_interval *interval = &clearing->rows->intervals[number];
    if (change->low == 0 && change->value == 0 && change->high == 0)
        return;
    *value = fmax(*value - change->value, 0);
    interval->low = fmax(interval->low - change->high, 0);
    interval->high = fmax(interval->high - change->low, 0);
    interval->exact = false;
    interval->known =
        interval->known && ft_interval_is_informative(*value, interval->low, interval->high, 1);
}

/* Of a routine's number: what is not cleared is a share of all; what others ask for, the constant
 * part and what grows alike, may miss as often as it likes. */
static struct change routine_change(double value, double share, const struct law *law)
{
    const double removed = (1 - share) * value;
    const double others =
        (share < 1 ? fmin(law->constant, share * value) : 0) + law->alike * fabs(removed);
    return (struct change){removed - others, removed, removed + others};
}

/* Blocks that the level has when they are touched after calloc, if it clears them: at least, at
 * most, and half of those whose arrays fit, but not together; of what is larger than the level, a
 * sweep finds nothing. */
static struct change moved_misses(const struct clearing *clearing, size_t level,
                                  const struct change *change)
{
    const double fewer = change->value;
    const struct ft_sized_skeleton *sized = clearing->model->skeleton;
    const struct ft_level *machine = &clearing->rows->metrics->machine->levels[level];
    const double bytes = (double)machine->blocks * (double)machine->block_bytes;
    const size_t block_size = ft_model_block_size(clearing->model, machine->block_bytes);
    const double footprint =
        ft_function_at(&clearing->model->distinct_blocks[block_size], &clearing->rows->metrics->at);
    double most = 0, likely = 0;
    if (footprint <= (double)machine->blocks) /* all that are touched, which need not be all */
        return fewer > 0 ? (struct change){-change->high, -fewer, 0}
                         : (struct change){0, -fewer, -change->low};
    for (size_t i = 0; i < sized->blocks.event_count; i++)
        if (is_of_calloc(sized, i)) {
            const struct ft_placed_block *block = &clearing->blocks[sized->blocks.events[i].block];
            const double left = fmax((double)block->bytes - (double)block->cleared, 0);
            const double its = fewer > 0 ? left : (double)block->cleared;
            most += fmin(its, bytes);
            likely += its > bytes ? 0 : clearing->asked > bytes ? its / 2 : its;
        }
    most = fmin(most / (double)machine->block_bytes, fabs(fewer));
    likely = fmin(likely / (double)machine->block_bytes, most);
    return fewer > 0 ? (struct change){-most, -likely, 0} : (struct change){0, likely, most};
}

/* Of all scopes but the program whose accesses grow. */
static void move_misses(const struct clearing *clearing, size_t routine, size_t column,
                        const struct change *moved)
{
    const struct ft_scopes *scopes = &clearing->model->scopes;
    for (size_t s = 1; s < scopes->scope_count; s++) {
        const double *row = clearing->rows->inclusive + s * clearing->width;
        const double hits = fmax(row[FT_METRIC_ACCESSES] - row[column], 0);
        const double most = fmin(clearing->growth[s], hits);
        const struct change its = {-fmin(fmax(fmax(-moved->low, -moved->high), 0), most), 0,
                                   fmin(fmax(fmax(moved->low, moved->high), 0), row[column])};
        if (clearing->growth[s] > 0 && !ft_scope_is_inside(scopes, (uint32_t)s, (uint32_t)routine))
            lessen(clearing, s, column, &its);
    }
}

/* The latencies of what the program misses elsewhere. */
static void move_times(const struct clearing *clearing, const double *moved)
{
    const struct ft_metrics *metrics = clearing->rows->metrics;
    const double memory = ft_memory_cycles(metrics->machine, moved, metrics->dirty_memory);
    const double serial =
        ft_access_latency_cycles(metrics->machine, 0, moved, metrics->dirty_memory);
    lessen(clearing, 0, FT_METRIC_MEMORY_CYCLES, &(struct change){memory, memory, memory});
    lessen(clearing, 0, FT_METRIC_SERIAL_CYCLES, &(struct change){serial, serial, serial});
}

static void scale_routine(const struct clearing *clearing, size_t routine, double share,
                          const struct law *law)
{
    const struct ft_scopes *scopes = &clearing->model->scopes;
    for (size_t s = routine; s < scopes->scope_count; s++)
        for (size_t c = 0;
             ft_scope_is_inside(scopes, (uint32_t)s, (uint32_t)routine) && c < clearing->width;
             c++) {
            const size_t number = s * clearing->width + c;
            double *value = &clearing->rows->inclusive[number];
            struct ft_interval *interval = &clearing->rows->intervals[number];
            const struct change change = routine_change(*value, share, law);
            *value -= change.value;
            interval->low = fmax(share * interval->low - (change.high - change.value), 0);
            interval->high = share * interval->high + (change.value - change.low);
            interval->exact = false;
            interval->known = interval->known &&
                              ft_interval_is_informative(*value, interval->low, interval->high, 1);
            clearing->rows->exclusive[number] *= share;
        }
}

/* A routine makes a share of the accesses that were forecast. moved: room for a number a level. */
static void change_routine(const struct clearing *clearing, size_t routine, double share,
                           const struct law *law, double *moved)
{
    const struct ft_scope *scopes = clearing->model->scopes.scopes;
    const double *row = clearing->rows->inclusive + routine * clearing->width;
    for (size_t c = 0; c < clearing->width; c++) {
        const struct change change = routine_change(row[c], share, law);
        for (size_t s = scopes[routine].parent; s != 0; s = scopes[s].parent)
            lessen(clearing, s, c, &change);
        struct change elsewhere = {0};
        if (c >= FT_METRIC_COUNT) {
            const size_t level = (c - FT_METRIC_COUNT) / 2;
            elsewhere = moved_misses(clearing, level, &change);
            moved[level] = elsewhere.value;
            move_misses(clearing, routine, c, &elsewhere);
        }
        const struct change total = {change.low + elsewhere.low, change.value + elsewhere.value,
                                     change.high + elsewhere.high};
        lessen(clearing, 0, c, &total);
    }
    move_times(clearing, moved);
    scale_routine(clearing, routine, share, law);
}

/* ---- all of it ---- */

static int change_routines(struct clearing *clearing, double *moved, struct ft_diag *diag)
{
    const struct ft_model *model = clearing->model;
    const struct ft_scopes *scopes = &model->scopes;
    double asked;
    for (size_t s = 0; s < model->training_count; s++)
        FT_TRY(
            sum_cleared(clearing, model->skeleton->sizes[s], &clearing->before[s], &asked, diag));
    const int status =
        sum_cleared(clearing, clearing->size, &clearing->cleared, &clearing->asked, diag);
    if (status == FT_ERROR_USAGE || status == FT_ERROR_UNSUPPORTED) /* blocks have no places at the
                                                                       size: as forecast */
        return FT_OK;
    FT_TRY(status);
    for (size_t r = 0; r < scopes->scope_count; r++) {
        const double forecast = clearing->rows->inclusive[r * clearing->width + FT_METRIC_ACCESSES];
        struct law law;
        if (!ft_scope_is_memset(&scopes->scopes[r]) || forecast < ACCESSES_MIN)
            continue;
        for (size_t s = 0; s < model->training_count; s++)
            clearing->counted[s] = counted_at(model, r, s);
        if (!find_law(clearing, r, &law))
            continue;
        const double accesses = law.constant + law.per_byte * clearing->cleared;
        if (fabs(accesses - forecast) > RESIDUAL * forecast)
            change_routine(clearing, r, accesses / forecast, &law, moved);
    }
    return FT_OK;
}

static void find_growth(const struct clearing *clearing)
{
    const struct ft_model *model = clearing->model;
    const size_t last = model->training_count - 1;
    for (size_t g = 0; g < model->group_count; g++)
        clearing->growth[model->groups[g].scope] -=
            (double)model->training_accesses[g * model->training_count + last];
    ft_scopes_add_nested(&model->scopes, clearing->growth, 1);
    for (size_t s = 0; s < model->scopes.scope_count; s++)
        clearing->growth[s] += clearing->rows->inclusive[s * clearing->width + FT_METRIC_ACCESSES];
}

int ft_clear_rows(const struct ft_cleared_rows *rows, double size, struct ft_diag *diag)
{
    const struct ft_model *model = rows->metrics->model;
    if (!is_usable(model, size))
        return FT_OK;
    struct clearing clearing = {
        .rows = rows,
        .model = model,
        .width = ft_metrics_width(rows->metrics->machine),
        .size = size,
        .before = calloc(model->training_count + 1, sizeof *clearing.before),
        .counted = calloc(model->training_count + 1, sizeof *clearing.counted),
        .growth = calloc(model->scopes.scope_count + (size_t)1, sizeof *clearing.growth)};
    double *moved = calloc(rows->metrics->machine->level_count + 1, sizeof *moved);
    int status = FT_OK;
    if (!clearing.before || !clearing.counted || !clearing.growth || !moved)
        status = ft_fail_memory(diag, "what is cleared");
    if (!status) {
        find_growth(&clearing);
        status = change_routines(&clearing, moved, diag);
    }
    free(moved);
    free(clearing.growth);
    free(clearing.counted);
    free(clearing.before);
    free(clearing.blocks);
    return status;
}
