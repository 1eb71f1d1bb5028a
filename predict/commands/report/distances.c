/*
 * The reuse distances of a group of references over sizes (Marin & Mellor-Crummey 2004, figure 4):
 * its touches that are not cold, ordered by distance, are the axis from 0 to 1. Where bins part,
 * which are functions of the size, are those of the member that weighs most.
 */
#include <math.h>
#include <stdlib.h>

#include "predict/commands/report/document.h"

#define SIZES      16U /* steps between them */
#define SHARES     32U /* likewise */
#define SPLITS_MAX 24U /* more bins than that are no picture */

/* The distance of the touch at a share of all that are not cold; NAN where all are cold. */
static double distance_at(const struct ft_forecast *forecast, double share)
{
    const double wanted = share * (forecast->touches - forecast->cold);
    double sum = 0;
    for (size_t i = 0; i < forecast->bin_count; i++) {
        sum += forecast->bins[i].touches;
        if (sum >= wanted * (1 - 1e-9))
            return forecast->bins[i].distance_blocks;
    }
    return forecast->bin_count > 0 ? forecast->bins[forecast->bin_count - 1].distance_blocks : NAN;
}

json_t *ft_page_distances_of(const struct ft_forecast *forecast)
{
    json_t *list = json_array();
    for (size_t k = 0; k <= SHARES; k++)
        ft_json_append(&list, ft_page_number(distance_at(forecast, (double)k / SHARES)));
    return list;
}

/* Shares at which a bin of the heaviest member begins, without the first one. */
static json_t *splits_json(const struct ft_model_histogram *histogram,
                           const struct ft_forecast *forecast, const struct ft_point *at)
{
    const struct ft_member_bins *bins =
        histogram->member_count > 0 ? histogram->members[0].bins : NULL;
    const size_t count = ft_member_bins_count(bins);
    const double touches = forecast->touches - forecast->cold;
    json_t *list = json_array();
    for (size_t j = 1; j < count && count <= SPLITS_MAX && touches > 0; j++) {
        const double share = 1 - ft_member_tail_at(bins, j, at) / touches;
        ft_json_append(&list, ft_page_number(fmin(fmax(share, 0), 1)));
    }
    return list;
}

/* The step-th of the sizes; the same one twice is left out. */
static bool next_size(const struct ft_size_line *line, size_t step, double *last)
{
    const double n = ft_size_step(line, step, SIZES);
    const bool is_new = step == 0 || n > *last;
    *last = n;
    return is_new;
}

json_t *ft_page_distance_sizes(const struct ft_page_task *task)
{
    const struct ft_size_line line = ft_page_sizes(task);
    json_t *list = json_array();
    double n = 0;
    for (size_t step = 0; step <= SIZES; step++)
        if (next_size(&line, step, &n))
            ft_json_append(&list, ft_page_number(n));
    return list;
}

int ft_page_distances(const struct ft_page_task *task, size_t group, struct ft_forecast *forecast,
                      json_t **ret_distances, struct ft_diag *diag)
{
    const struct ft_model *model = ft_page_model(task);
    const struct ft_size_line line = ft_page_sizes(task);
    json_t *distances = json_array(), *splits = json_array();
    int status = FT_OK;
    double n = 0;
    for (size_t step = 0; step <= SIZES && status == FT_OK; step++) {
        if (!next_size(&line, step, &n))
            continue;
        const struct ft_point at = ft_size_line_at(&line, n);
        status = ft_forecast_evaluate(model, group, 0, &at, forecast, diag);
        if (status != FT_OK)
            break;
        ft_json_append(&distances, ft_page_distances_of(forecast));
        ft_json_append(&splits, splits_json(&model->groups[group].histograms[0], forecast, &at));
    }
    json_t *both = json_pack("{s:o, s:o}", "distances", distances, "splits", splits);
    if (status == FT_OK)
        *ret_distances = both;
    else
        json_decref(both);
    return status;
}
