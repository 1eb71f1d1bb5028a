/*
 * The histogram of each group is evaluated for the model and all replicas. Their bins may differ: a
 * bin of the model stands for a share of the group's touches, by distance, and its distance in a
 * replica is the geometric mean over the middle of the same share. The jackknife of these moves the
 * bin. A bin never passes the next one, but pushes it along.
 */
#include "predict/intervals/distance_spread.h"

#include <math.h>
#include <stdlib.h>

#include "fit/evaluate/evaluate.h"

/* Of a bin's share so much is left out to either side: its ends belong to neighbours. */
#define MIDDLE 0.25

/* The model's forecast of a group, and those of its replicas. */
struct forecasts {
    struct ft_forecast model;
    struct ft_forecast *replicas;
    size_t count;
};

static double warm_touches(const struct ft_forecast *forecast)
{
    double touches = 0;
    for (size_t i = 0; i < forecast->bin_count; i++)
        touches += forecast->bins[i].touches;
    return touches;
}

/* The mean logarithm of the distances between two shares of the touches, the nearest first. */
static double log_distance(const struct ft_forecast *forecast, double from, double to)
{
    const double touches = warm_touches(forecast);
    double passed = 0, sum = 0, weight = 0;
    for (size_t i = 0; i < forecast->bin_count; i++) {
        double begin = passed / touches, end = (passed += forecast->bins[i].touches) / touches;
        double part = fmin(end, to) - fmax(begin, from);
        if (begin >= to)
            break;
        if (part > 0) {
            sum += part * log1p(forecast->bins[i].distance_blocks);
            weight += part;
        }
    }
    return weight > 0 ? sum / weight : 0;
}

/* The jackknife's standard error of the same in the replicas. */
static double log_error(const struct forecasts *forecasts, double from, double to)
{
    double mean = 0, square = 0;
    const double count = (double)forecasts->count;
    for (size_t i = 0; i < forecasts->count; i++) { /* Welford's recurrence */
        const double value = log_distance(&forecasts->replicas[i], from, to);
        const double before = value - mean;
        mean += before / (double)(i + 1);
        square += before * (value - mean);
    }
    return sqrt(square * (count - 1) / count);
}

static int evaluate(const struct ft_model *model, size_t group, size_t size,
                    const struct ft_point *at, struct forecasts *forecasts, struct ft_diag *diag)
{
    int status = ft_forecast_evaluate(model, group, size, at, &forecasts->model, diag);
    for (size_t i = 0; i < forecasts->count && status == FT_OK; i++)
        status = ft_forecast_evaluate(&model->replicas[i], group, size, at, &forecasts->replicas[i],
                                      diag);
    return status;
}

static struct ft_function constant(double value)
{
    return (struct ft_function){.coefficients = {value}};
}

/* Distances that were moved, in order again. */
static void keep_order(double *distances, size_t count, bool longer)
{
    for (size_t i = 1; longer && i < count; i++)
        distances[i] = fmax(distances[i], distances[i - 1]);
    for (size_t i = count; !longer && i-- > 1;)
        distances[i - 1] = fmin(distances[i - 1], distances[i]);
}

static int move(const struct forecasts *forecasts, double errors, struct ft_model_member *member,
                struct ft_diag *diag)
{
    const struct ft_forecast *from = &forecasts->model;
    const double touches = warm_touches(from);
    double *distances = malloc((from->bin_count + 1) * sizeof *distances), passed = 0;
    struct ft_model_bin *bins = malloc((from->bin_count + 1) * sizeof *bins);
    if (!distances || !bins) {
        free(distances);
        free(bins);
        return ft_fail_memory(diag, "distances as they may be");
    }
    for (size_t i = 0; i < from->bin_count; i++) {
        const struct ft_forecast_bin *bin = &from->bins[i];
        double begin = (passed + MIDDLE * bin->touches) / touches;
        double end = (passed + (1 - MIDDLE) * bin->touches) / touches;
        double factor = exp(errors * log_error(forecasts, begin, end));
        distances[i] = bin->distance_blocks * factor;
        bins[i].tail = constant(touches - passed);
        passed += bin->touches;
    }
    keep_order(distances, from->bin_count, errors > 0);
    for (size_t i = 0; i < from->bin_count; i++)
        bins[i].distance_blocks = constant(distances[i]);
    member->bins = ft_member_bins_of(bins, from->bin_count);
    free(distances);
    free(bins);
    return member->bins ? FT_OK : ft_fail_memory(diag, "distances as they may be");
}

static int copy(const struct ft_model *model, struct ft_distance_spread *spread,
                struct ft_diag *diag)
{
    const size_t sizes = model->size_count, count = model->group_count * sizes;
    *spread = (struct ft_distance_spread){.model = *model};
    spread->model.strides = (struct ft_group_strides){0}; /* the forecasts have them in them */
    spread->model.groups = malloc((model->group_count + 1) * sizeof *model->groups);
    spread->histograms = malloc((count + 1) * sizeof *spread->histograms);
    spread->members = calloc(count + 1, sizeof *spread->members);
    if (!spread->model.groups || !spread->histograms || !spread->members)
        return ft_fail_memory(diag, "distances as they may be");
    for (size_t i = 0; i < model->group_count; i++) {
        spread->model.groups[i] = model->groups[i];
        spread->model.groups[i].histograms = spread->histograms + i * sizes;
        for (size_t size = 0; size < sizes; size++) {
            struct ft_model_histogram *histogram = &spread->histograms[i * sizes + size];
            *histogram = model->groups[i].histograms[size];
            histogram->members = &spread->members[i * sizes + size];
            histogram->member_count = 1;
            histogram->members[0].weight = 1;
        }
    }
    return FT_OK;
}

int ft_distance_spread(const struct ft_model *model, const struct ft_point *at, double errors,
                       struct ft_distance_spread *ret_spread, struct ft_diag *diag)
{
    struct forecasts forecasts = {.count = model->replica_count};
    int status = copy(model, ret_spread, diag);
    forecasts.replicas = calloc(forecasts.count + 1, sizeof *forecasts.replicas);
    if (status == FT_OK && !forecasts.replicas)
        status = ft_fail_memory(diag, "distances as they may be");
    for (size_t i = 0; status == FT_OK && i < model->group_count * model->size_count; i++) {
        status =
            evaluate(model, i / model->size_count, i % model->size_count, at, &forecasts, diag);
        if (status == FT_OK)
            status = move(&forecasts, errors, &ret_spread->members[i], diag);
    }
    ft_forecast_fini(&forecasts.model);
    for (size_t i = 0; forecasts.replicas && i < forecasts.count; i++)
        ft_forecast_fini(&forecasts.replicas[i]);
    free(forecasts.replicas);
    return status;
}

void ft_distance_spread_fini(struct ft_distance_spread *spread)
{
    for (size_t i = 0; spread->members && i < spread->model.group_count * spread->model.size_count;
         i++)
        free(spread->members[i].bins);
    free(spread->model.groups);
    free(spread->histograms);
    free(spread->members);
    *spread = (struct ft_distance_spread){0};
}
