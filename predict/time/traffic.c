#include "predict/time/traffic.h"

#include <math.h>

#include "fit/evaluate/stride_law.h"
#include "predict/metrics/misses.h"
#include "predict/metrics/set_chances.h"
#include "predict/time/page_faults.h"

/* The longest stride that prefetchers are taken to follow where a machine does not say. */
#define FOLLOWED_BYTES 2048.0

const char *const ft_traffic_kind_names[FT_TRAFFIC_KINDS] = {
    "streams", "store streams", "scattered loads", "scattered stores", "load chains"};

double ft_traffic_misses(const struct ft_traffic *traffic)
{
    double misses = 0;
    for (size_t kind = 0; kind < FT_TRAFFIC_KINDS; kind++)
        misses += traffic->misses[kind];
    return misses;
}

/* Whether the accesses of some loop around, from the innermost one on, go on at a short stride. */
static bool is_followed(const struct ft_model *model, size_t group, const struct ft_point *at,
                        double followed_bytes)
{
    const struct ft_stride_law law = ft_stride_law_of(model, group, 0, at);
    return law.is_loop && law.is_known && law.bytes <= followed_bytes;
}

/* What a group's lines wait for. */
static enum ft_traffic_kind kind_of(const struct ft_model *model, size_t group,
                                    const struct ft_point *at, double followed_bytes)
{
    const uint8_t class = model->strides.load_classes ? model->strides.load_classes[group]
                                                      : (uint8_t)FT_LOAD_INDEPENDENT;
    if (class == FT_LOAD_CHASING)
        return FT_TRAFFIC_CHAIN;
    const bool followed = is_followed(model, group, at, followed_bytes);
    if (class == FT_LOADS_NOTHING)
        return followed ? FT_TRAFFIC_STORE_STREAM : FT_TRAFFIC_STORE;
    return followed ? FT_TRAFFIC_STREAM : FT_TRAFFIC_SCATTERED;
}

static int add_group(const struct ft_metrics *metrics, const struct ft_set_chances *chances,
                     size_t group, struct ft_forecast *forecast, struct ft_traffic *traffic,
                     struct ft_diag *diag)
{
    const struct ft_model *model = metrics->model;
    const struct ft_machine *machine = metrics->machine;
    const double followed_bytes =
        machine->followed_stride_bytes ? (double)machine->followed_stride_bytes : FOLLOWED_BYTES;
    const enum ft_traffic_kind kind = kind_of(model, group, &metrics->at, followed_bytes);
    for (size_t i = 0; i < machine->level_count; i++) {
        const struct ft_level *level = &machine->levels[i];
        const size_t size = ft_model_block_size(model, level->block_bytes);
        if (i == 0 || level->block_bytes != level[-1].block_bytes)
            FT_TRY(ft_forecast_evaluate(model, group, size, &metrics->at, forecast, diag));
        const double misses = ft_count_misses(forecast, &chances[i]).set_associative;
        const double cold =
            ft_function_at(&model->groups[group].histograms[size].cold, &metrics->at);
        traffic[i].misses[kind] += misses;
        traffic[i].first_touches[kind] += fmin(cold, misses);
    }
    return FT_OK;
}

/* Where the row has another number, by synthesis, the shares of the kinds stay. */
static void agree(struct ft_traffic *traffic, double misses)
{
    const double sum = ft_traffic_misses(traffic);
    for (size_t kind = 0; kind < FT_TRAFFIC_KINDS; kind++)
        if (sum > 0) {
            traffic->misses[kind] *= misses / sum;
            traffic->first_touches[kind] *= misses / sum;
        }
    if (!(sum > 0))
        traffic->misses[FT_TRAFFIC_STREAM] = misses;
}

int ft_traffic_of(const struct ft_metrics *metrics, const double *rows,
                  struct ft_traffic *ret_traffic, struct ft_diag *diag)
{
    const struct ft_model *model = metrics->model;
    const size_t levels = metrics->machine->level_count, width = ft_metrics_width(metrics->machine);
    struct ft_forecast forecast = {0};
    struct ft_set_chances *chances = NULL;
    int status = ft_level_chances(model, metrics->machine, NULL, &metrics->at, &chances, diag);
    for (size_t i = 0; status == FT_OK && i < model->group_count; i++)
        status = add_group(metrics, chances, i, &forecast,
                           ret_traffic + model->groups[i].scope * levels, diag);
    ft_forecast_fini(&forecast);
    ft_level_chances_free(chances, levels);
    for (size_t scope = 0; status == FT_OK && scope < model->scopes.scope_count; scope++)
        for (size_t i = 0; i < levels; i++)
            agree(&ret_traffic[scope * levels + i], rows[scope * width + ft_set_assoc_column(i)]);
    return status;
}

static bool is_scattered(enum ft_traffic_kind kind)
{
    return kind == FT_TRAFFIC_SCATTERED || kind == FT_TRAFFIC_STORE || kind == FT_TRAFFIC_CHAIN;
}

void ft_traffic_find_cleared(const struct ft_machine *machine, double page_faults,
                             struct ft_traffic *traffic)
{
    for (size_t i = 1; i < machine->cache_count; i++) {
        const struct ft_level *level = &machine->levels[i];
        const double line = (double)level->block_bytes,
                     bytes = page_faults * (double)FT_FAULT_BYTES;
        double touches = 0;
        if (bytes > (double)level->blocks * line)
            continue;
        for (enum ft_traffic_kind kind = 0; kind < FT_TRAFFIC_KINDS; kind++)
            touches += traffic[i].first_touches[kind];
        const double share = touches * line > bytes ? bytes / (touches * line) : 1;
        for (enum ft_traffic_kind kind = 0; kind < FT_TRAFFIC_KINDS; kind++)
            if (is_scattered(kind))
                traffic[i].misses[kind] -= share * traffic[i].first_touches[kind];
    }
}
