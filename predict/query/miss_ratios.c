#include "predict/query/miss_ratios.h"

#include <stdlib.h>

#include "predict/intervals/combined.h"
#include "predict/query/miss_curve.h"

/* How rows are computed. */
struct caches {
    const struct ft_machine *machine;
    bool in_sets;
};

/* From a sample of the miss curve at the point. */
static int compute(const struct ft_spread_view *view, const void *context, double *row,
                   struct ft_diag *diag)
{
    const struct caches *caches = context;
    const struct ft_size_line line = {.model = view->model};
    struct ft_miss_curve curve;
    ft_miss_curve_init(&curve, &line, caches->machine, 1);
    curve.in_sets = caches->in_sets;
    curve.capacity_scales = view->capacity_scales;
    curve.miss_scales = view->miss_scales;
    double *sample = calloc(curve.width, sizeof *sample);
    int status = sample ? ft_miss_curve_at_point(&curve, &view->at, sample, diag)
                        : ft_fail_memory(diag, "miss ratios");
    row[0] = sample ? sample[FT_SAMPLE_ACCESSES] : 0;
    for (size_t i = 0; i < caches->machine->level_count && status == FT_OK; i++) {
        row[ft_miss_column(i, FT_MISSES)] = sample[FT_SAMPLE_MISSES + 2 * i];
        row[ft_miss_column(i, FT_COLD_MISSES)] = sample[FT_SAMPLE_MISSES + 2 * i + 1];
        row[ft_miss_column(i, FT_MISS_RATIO)] = ft_miss_ratio_of(sample, i, false);
        row[ft_miss_column(i, FT_REUSE_MISS_RATIO)] = ft_miss_ratio_of(sample, i, true);
    }
    free(sample);
    ft_miss_curve_fini(&curve);
    return status;
}

static void fill_columns(enum ft_spread_kind *kinds, size_t *levels, size_t cache_count)
{
    kinds[0] = FT_SPREAD_COUNT;
    for (size_t i = 0; i < cache_count; i++) {
        kinds[ft_miss_column(i, FT_MISSES)] = FT_SPREAD_MISSES;
        kinds[ft_miss_column(i, FT_COLD_MISSES)] = FT_SPREAD_MISSES;
        kinds[ft_miss_column(i, FT_MISS_RATIO)] = FT_SPREAD_RATIO;
        kinds[ft_miss_column(i, FT_REUSE_MISS_RATIO)] = FT_SPREAD_RATIO;
        for (size_t column = ft_miss_column(i, 0); column < ft_miss_column(i + 1, 0); column++)
            levels[column] = i;
    }
}

int ft_miss_ratios(const struct ft_model *model, const struct ft_machine *machine, bool in_sets,
                   const struct ft_query_point *size, struct ft_miss_ratios *ret_ratios,
                   struct ft_diag *diag)
{
    const struct caches caches = {machine, in_sets};
    const size_t width = ft_miss_column(machine->level_count, 0);
    enum ft_spread_kind *kinds = calloc(width, sizeof *kinds);
    size_t *levels = calloc(width, sizeof *levels);
    struct ft_miss_ratios ratios = {calloc(width, sizeof *ratios.row),
                                    calloc(width, sizeof *ratios.intervals)};
    int status = FT_OK;
    if (!kinds || !levels || !ratios.row || !ratios.intervals)
        status = ft_fail_memory(diag, "miss ratios");
    else
        fill_columns(kinds, levels, machine->level_count);
    const struct ft_spread_task task = {.model = model,
                                        .machine = machine,
                                        .size = size,
                                        .row_count = 1,
                                        .width = width,
                                        .kinds = kinds,
                                        .levels = levels,
                                        .compute = compute,
                                        .context = &caches};
    const struct ft_spread_view view = ft_spread_view_of(&task);
    if (status == FT_OK)
        status = compute(&view, &caches, ratios.row, diag);
    if (status == FT_OK)
        status = ft_combined_forecast(&task, ratios.row, ratios.intervals, diag);
    free(kinds);
    free(levels);
    if (status == FT_OK)
        *ret_ratios = ratios;
    else
        ft_miss_ratios_fini(&ratios);
    return status;
}

void ft_miss_ratios_fini(struct ft_miss_ratios *ratios)
{
    free(ratios->row);
    free(ratios->intervals);
    *ratios = (struct ft_miss_ratios){0};
}
