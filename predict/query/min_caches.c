/*
 * The rules of intervals are about levels of a machine: there is one level per block size. A cache
 * that holds as much as one `scale` times as large would is smaller by that factor.
 */
#include "predict/query/min_caches.h"

#include <math.h>
#include <stdlib.h>

#include "predict/intervals/spread.h"

struct question {
    double miss_ratio;
    bool reuse;
};

static int evaluate(const struct ft_spread_view *view, const struct question *question,
                    struct ft_whole_histogram *wholes, double *row, struct ft_diag *diag)
{
    const struct ft_model *model = view->model;
    int status = FT_OK;
    for (size_t size = 0; size < model->size_count && status == FT_OK; size++) {
        const double scale = view->capacity_scales ? view->capacity_scales[size] : 1;
        double blocks = NAN;
        wholes[size].miss_scales = view->miss_scales;
        status = ft_whole_evaluate(model, size, &view->at, &wholes[size], diag);
        if (status != FT_OK)
            break;
        row[0] = wholes[size].all.accesses;
        if (ft_whole_min_cache(&wholes[size], question->miss_ratio, question->reuse, &blocks))
            row[1 + size] = blocks * (double)model->block_bytes[size] / scale;
        else
            row[1 + size] = NAN;
    }
    return status;
}

static void free_wholes(struct ft_whole_histogram *wholes, size_t count)
{
    for (size_t i = 0; wholes && i < count; i++)
        ft_whole_fini(&wholes[i]);
    free(wholes);
}

static int compute(const struct ft_spread_view *view, const void *context, double *row,
                   struct ft_diag *diag)
{
    const size_t count = view->model->size_count;
    struct ft_whole_histogram *wholes = calloc(count + 1, sizeof *wholes);
    int status =
        wholes ? evaluate(view, context, wholes, row, diag) : ft_fail_memory(diag, "least caches");
    free_wholes(wholes, count);
    return status;
}

/* Blocks of the model's sizes: no level has a capacity that matters. */
static int find_intervals(const struct ft_spread_task *task, struct ft_min_caches *caches,
                          struct ft_diag *diag)
{
    const size_t count = task->model->size_count;
    struct ft_spread_task full = *task;
    struct ft_level *levels = calloc(count + 1, sizeof *levels);
    enum ft_spread_kind *kinds = calloc(1 + count, sizeof *kinds);
    int status = levels && kinds ? FT_OK : ft_fail_memory(diag, "least caches");
    for (size_t i = 0; i < count && status == FT_OK; i++) {
        levels[i] =
            (struct ft_level){.block_bytes = task->model->block_bytes[i], .blocks = 1, .ways = 1};
        kinds[1 + i] = FT_SPREAD_CAPACITY;
    }
    const struct ft_machine machine = {.levels = levels, .level_count = count};
    full.machine = &machine;
    full.kinds = kinds;
    if (status == FT_OK) {
        kinds[0] = FT_SPREAD_COUNT;
        status = ft_spread_intervals(&full, caches->row, NULL, caches->intervals, diag);
        if (status == FT_OK)
            ft_spread_doubt_misses(&full, caches->row, caches->intervals);
    }
    free(levels);
    free(kinds);
    return status;
}

int ft_min_caches(const struct ft_model *model, double miss_ratio, bool reuse,
                  const struct ft_query_point *size, struct ft_min_caches *ret_min,
                  struct ft_diag *diag)
{
    const struct question question = {miss_ratio, reuse};
    const size_t width = 1 + model->size_count;
    struct ft_min_caches caches = {
        .model = model,
        .n = size->value,
        .reuse = reuse,
        .wholes = calloc(width, sizeof *caches.wholes),
        .row = calloc(width, sizeof *caches.row),
        .intervals = calloc(width, sizeof *caches.intervals),
    };
    const struct ft_spread_task task = {.model = model,
                                        .size = size,
                                        .row_count = 1,
                                        .width = width,
                                        .compute = compute,
                                        .context = &question};
    const struct ft_spread_view view = ft_spread_view_of(&task);
    int status = caches.wholes && caches.row && caches.intervals
                     ? evaluate(&view, &question, caches.wholes, caches.row, diag)
                     : ft_fail_memory(diag, "least caches");
    if (status == FT_OK)
        status = find_intervals(&task, &caches, diag);
    if (status == FT_OK)
        *ret_min = caches;
    else
        ft_min_caches_fini(&caches);
    return status;
}

void ft_min_caches_fini(struct ft_min_caches *caches)
{
    free_wholes(caches->wholes, caches->model->size_count);
    free(caches->row);
    free(caches->intervals);
    *caches = (struct ft_min_caches){0};
}
