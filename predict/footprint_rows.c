/*
 * Scopes: what they miss grows from the smallest training size on as laws have it, scaled so that
 * the program's sum is its footprint. Sets may bring conflicts on top, as many as the forecast for
 * the level had them on top of a fully associative one.
 */
#include "predict/footprint_rows.h"

#include <math.h>
#include <stdlib.h>

#include "predict/metrics/cycles.h"
#include "predict/metrics/first_touches.h"

/* A factor by which a footprint's law may be too low. */
#define LAW_ERROR_MAX 1.5

struct setting {
    const struct ft_footprint_rows *rows;
    size_t width, scopes;
    double *least;  /* [scope]: first touches at the smallest training size */
    double *own;    /* [scope]: misses of a column */
    double *change; /* [scope]: of them; then of nested scopes, too */
    double *more;   /* [level]: room */
};

/* ---- the program's numbers ---- */

/* Misses on top of those of a fully associative level, and their upper end. */
struct excess {
    double value, high;
};

static struct excess excess_of(const struct setting *setting, size_t level)
{
    const struct ft_footprint_rows *rows = setting->rows;
    const size_t full = ft_fully_assoc_column(level), set = ft_set_assoc_column(level);
    const double value = fmax(rows->inclusive[set] - rows->inclusive[full], 0);
    const double high = fmax(rows->intervals[set].high - rows->intervals[full].high, value);
    const struct ft_level *machine = &rows->metrics->machine->levels[level];
    if (machine->ways == machine->blocks)
        return (struct excess){0};
    return rows->misses_by[full] == rows->misses_by[set] ? (struct excess){value, high}
                                                         : (struct excess){0, value};
}

/* What a program touches is known by synthesis, too, where calloc leaves so much uncleared that its
 * footprint is not. */
static void set_program(const struct setting *setting, size_t column,
                        const struct ft_heap_footprint *footprint, const struct excess *excess)
{
    double *value = &setting->rows->inclusive[column];
    struct ft_interval *interval = &setting->rows->intervals[column];
    const double low = footprint->low, high = footprint->high + excess->high;
    if (setting->rows->misses_by[column] == FT_BY_SYNTHESIS && *value >= low && *value <= high) {
        interval->low = fmax(interval->low, low);
        interval->high = fmin(interval->high, high);
        return;
    }
    *value = footprint->value + excess->value;
    *interval = (struct ft_interval){low, high, low == high,
                                     ft_interval_is_informative(*value, low, high, 1)};
    setting->rows->misses_by[column] = FT_BY_FOOTPRINT;
}

/* A level that holds less. */
static void raise_program(const struct setting *setting, size_t column, double low)
{
    double *value = &setting->rows->inclusive[column];
    struct ft_interval *interval = &setting->rows->intervals[column];
    if (isnan(interval->low))
        return;
    *value = fmax(*value, low);
    interval->low = fmax(interval->low, low);
    interval->high = fmax(interval->high, *value);
}

/* ---- those of scopes ---- */

/* Their own misses, so that the sum is the program's; the change is added to what they are in. */
static void set_scopes(const struct setting *setting, size_t column)
{
    const struct ft_footprint_rows *rows = setting->rows;
    for (size_t s = 0; s < setting->scopes; s++)
        setting->own[s] = rows->exclusive[s * setting->width + column];
    ft_first_touches_scale(setting->least, setting->scopes, rows->inclusive[column], setting->own);
    for (size_t s = 0; s < setting->scopes; s++) {
        double *own = &rows->exclusive[s * setting->width + column];
        setting->change[s] = setting->own[s] - *own;
        *own = setting->own[s];
    }
    ft_scopes_add_nested(&rows->metrics->model->scopes, setting->change, 1);
    for (size_t s = 1; s < setting->scopes; s++) {
        struct ft_interval *interval = &rows->intervals[s * setting->width + column];
        double *inclusive = &rows->inclusive[s * setting->width + column];
        *inclusive = fmax(*inclusive + setting->change[s], 0);
        interval->low = fmax(interval->low + setting->change[s], 0);
        interval->high = fmax(interval->high + setting->change[s], 0);
        interval->exact = interval->exact && setting->change[s] == 0;
    }
}

/* ---- times, which are sums of latencies ---- */

static void add_cycles(double *row, struct ft_interval *intervals, size_t column, double cycles)
{
    row[column] = fmax(row[column] + cycles, 0);
    if (!intervals || isnan(intervals[column].low))
        return;
    intervals[column].low = fmax(intervals[column].low + cycles, 0);
    intervals[column].high = fmax(intervals[column].high + cycles, 0);
}

/* before: [level], set-associative misses of the row. intervals: NULL: it has none. */
static void add_latencies(const struct setting *setting, double *row, struct ft_interval *intervals,
                          const double *before)
{
    const struct ft_metrics *metrics = setting->rows->metrics;
    for (size_t i = 0; i < metrics->machine->level_count; i++)
        setting->more[i] = row[ft_set_assoc_column(i)] - before[i];
    add_cycles(row, intervals, FT_METRIC_MEMORY_CYCLES,
               ft_memory_cycles(metrics->machine, setting->more, metrics->dirty_memory));
    add_cycles(row, intervals, FT_METRIC_SERIAL_CYCLES,
               ft_access_latency_cycles(metrics->machine, 0, setting->more, metrics->dirty_memory));
}

static void note_misses(const struct setting *setting, const double *row, double *ret_misses)
{
    for (size_t i = 0; i < setting->rows->metrics->machine->level_count; i++)
        ret_misses[i] = row[ft_set_assoc_column(i)];
}

/* ---- where the heap tells nothing ---- */

/* Laws of first touches of single scopes may exceed by far what the program touches: those of
 * arrays that double, which are moved. A level that has room for that misses no more: what scopes
 * are known to miss is theirs, the others share the rest. Values of what stays unknown. */
static void limit_level(const struct setting *setting, size_t column, double touched)
{
    const struct ft_footprint_rows *rows = setting->rows;
    double known = 0, others = 0;
    if (rows->intervals[column].known || isnan(rows->intervals[column].low) ||
        rows->inclusive[column] <= LAW_ERROR_MAX * touched)
        return;
    for (size_t s = 0; s < setting->scopes; s++)
        *(rows->intervals[s * setting->width + column].known ? &known : &others) +=
            rows->exclusive[s * setting->width + column];
    const double share = others > 0 ? fmin(fmax(touched - known, 0) / others, 1) : 1;
    for (size_t s = 0; s < setting->scopes; s++) {
        double *own = &rows->exclusive[s * setting->width + column];
        const bool is_other = !rows->intervals[s * setting->width + column].known;
        setting->change[s] = is_other ? *own * (share - 1) : 0;
        *own += setting->change[s];
    }
    ft_scopes_add_nested(&rows->metrics->model->scopes, setting->change, 1);
    for (size_t s = 0; s < setting->scopes; s++) {
        double *inclusive = &rows->inclusive[s * setting->width + column];
        *inclusive = fmax(*inclusive + setting->change[s], 0);
    }
}

/* The law of larger blocks may know better: it is not misled by what doubles. */
static double touched_by_laws(const struct ft_metrics *metrics, size_t size)
{
    const struct ft_model *model = metrics->model;
    double touched = INFINITY;
    for (size_t larger = 0; larger < model->size_count; larger++) {
        const double blocks = ft_function_at(&model->distinct_blocks[larger], &metrics->at) *
                              (double)model->block_bytes[larger] / (double)model->block_bytes[size];
        if (model->block_bytes[larger] >= model->block_bytes[size] && blocks > 0)
            touched = fmin(touched, blocks);
    }
    return touched;
}

static void limit_by_law(const struct setting *setting, size_t level, size_t size)
{
    const struct ft_metrics *metrics = setting->rows->metrics;
    const double touched = touched_by_laws(metrics, size);
    if (touched * LAW_ERROR_MAX > (double)metrics->machine->levels[level].blocks)
        return;
    limit_level(setting, ft_fully_assoc_column(level), touched);
    limit_level(setting, ft_set_assoc_column(level), touched);
}

/* ---- all of it ---- */

static void set_level(const struct setting *setting, size_t level,
                      const struct ft_heap_footprint *footprint, bool *ret_is_held)
{
    const struct ft_machine *machine = setting->rows->metrics->machine;
    const struct excess none = {0}, excess = excess_of(setting, level);
    const size_t full = ft_fully_assoc_column(level), set = ft_set_assoc_column(level);
    *ret_is_held = footprint->high <= (double)machine->levels[level].blocks;
    if (!*ret_is_held) {
        raise_program(setting, full, footprint->low);
        raise_program(setting, set, footprint->low);
        return;
    }
    set_program(setting, full, footprint, &none);
    set_program(setting, set, footprint, &excess);
    set_scopes(setting, full);
    set_scopes(setting, set);
}

static int set_levels(const struct setting *setting, const struct ft_heap_sizes *sizes,
                      bool *is_held, struct ft_diag *diag)
{
    const struct ft_metrics *metrics = setting->rows->metrics;
    const struct ft_model *model = metrics->model;
    for (size_t i = 0; i < metrics->machine->level_count; i++) {
        const size_t size = ft_model_block_size(model, metrics->machine->levels[i].block_bytes);
        struct ft_heap_footprint footprint;
        FT_TRY(ft_heap_footprint_find(sizes, size, &footprint, diag));
        if (!footprint.is_known) {
            limit_by_law(setting, i, size);
            continue;
        }
        const struct ft_point first = ft_point_at(&model->basis, ft_model_training(model, 0));
        ft_first_touches_find(model, size, &first, setting->least);
        set_level(setting, i, &footprint, &is_held[i]);
    }
    return FT_OK;
}

/* before: room for a number for each level of each exclusive row, then of each inclusive one. */
static int set_rows(const struct setting *setting, const struct ft_heap_sizes *sizes,
                    double *before, bool *is_held, struct ft_diag *diag)
{
    const struct ft_footprint_rows *rows = setting->rows;
    const size_t levels = rows->metrics->machine->level_count;
    double *before_all = before + setting->scopes * levels;
    for (size_t s = 0; s < setting->scopes; s++) {
        note_misses(setting, rows->exclusive + s * setting->width, before + s * levels);
        note_misses(setting, rows->inclusive + s * setting->width, before_all + s * levels);
    }
    FT_TRY(set_levels(setting, sizes, is_held, diag));
    for (size_t s = 0; s < setting->scopes; s++) {
        add_latencies(setting, rows->exclusive + s * setting->width, NULL, before + s * levels);
        add_latencies(setting, rows->inclusive + s * setting->width,
                      rows->intervals + s * setting->width, before_all + s * levels);
    }
    return FT_OK;
}

int ft_footprint_rows_set(const struct ft_footprint_rows *rows, const struct ft_heap_sizes *sizes,
                          bool *is_held, struct ft_diag *diag)
{
    const size_t scopes = rows->metrics->model->scopes.scope_count;
    const size_t levels = rows->metrics->machine->level_count;
    const struct setting setting = {.rows = rows,
                                    .width = ft_metrics_width(rows->metrics->machine),
                                    .scopes = scopes,
                                    .least = calloc(scopes + 1, sizeof *setting.least),
                                    .own = calloc(scopes + 1, sizeof *setting.own),
                                    .change = calloc(scopes + 1, sizeof *setting.change),
                                    .more = calloc(levels + 1, sizeof *setting.more)};
    double *before = calloc(2 * scopes * levels + 1, sizeof *before);
    const int status = setting.least && setting.own && setting.change && setting.more && before
                           ? set_rows(&setting, sizes, before, is_held, diag)
                           : ft_fail_memory(diag, "the footprint of a forecast");
    free(before);
    free(setting.more);
    free(setting.change);
    free(setting.own);
    free(setting.least);
    return status;
}
