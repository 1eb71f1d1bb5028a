#include "predict/commands/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "predict/time/time_components.h"

const struct ft_prediction *ft_compared_prediction(const struct ft_comparison *comparison,
                                                   size_t point, size_t machine)
{
    return comparison->reports[point * comparison->machine_count + machine].prediction;
}

bool ft_compared_names_add(struct ft_compared_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return true;
    if (!FT_RESERVE(names->items, names->capacity, names->count + 1))
        return false;
    names->items[names->count++] = name;
    return true;
}

double *ft_compared_components(const struct ft_prediction *prediction)
{
    double *seconds = prediction->estimates
                          ? calloc(ft_time_component_count(prediction->machine), sizeof *seconds)
                          : NULL;
    if (seconds)
        ft_time_components_sum(prediction->machine, prediction->times, prediction->waits,
                               prediction->model->scopes.scope_count, seconds);
    return seconds;
}

/* ---- ranks ---- */

static const struct ft_shown_metric time_metric = {FT_SHOW_TIME, NULL};

static struct ft_ranked_time ranked_time(const struct ft_comparison *comparison, size_t point,
                                         size_t machine)
{
    const struct ft_prediction *prediction = ft_compared_prediction(comparison, point, machine);
    const struct ft_compared_value time = ft_compared_value_of(prediction, 0, &time_metric);
    return (struct ft_ranked_time){time.value, time.low, time.high, comparison->bases[machine]};
}

static double chance(const struct ft_ranked_time *a, const struct ft_ranked_time *b)
{
    return a->seconds <= b->seconds ? ft_ranking_inversion_chance(a, b)
                                    : ft_ranking_inversion_chance(b, a);
}

static double cache_bytes(const struct ft_comparison *comparison, size_t point, size_t machine)
{
    const struct ft_machine *of = ft_compared_prediction(comparison, point, machine)->machine;
    double bytes = 0;
    for (size_t i = 0; i < of->cache_count; i++)
        bytes += (double)ft_level_capacity_bytes(&of->levels[i]);
    return bytes;
}

static void fill(const struct ft_comparison *comparison, size_t point,
                 const struct ft_ranked_time *times, const size_t *order,
                 struct ft_standing *standings)
{
    for (size_t i = 0; i < comparison->machine_count; i++) {
        const size_t machine = order[i], before = i > 0 ? order[i - 1] : machine;
        const size_t base = comparison->bases[machine];
        struct ft_standing *standing = &standings[machine];
        *standing = (struct ft_standing){i + 1, before, NAN, NAN, NAN, NAN};
        if (i > 0)
            standing->inversion = ft_ranking_inversion_chance(&times[before], &times[machine]);
        if (base != machine) {
            standing->gain = 1 - times[machine].seconds / times[base].seconds;
            standing->no_gain = chance(&times[machine], &times[base]);
            standing->added_bytes =
                cache_bytes(comparison, point, machine) - cache_bytes(comparison, point, base);
        }
    }
}

int ft_standings_find(const struct ft_comparison *comparison, size_t point,
                      struct ft_standing *ret_standings, struct ft_diag *diag)
{
    const size_t count = comparison->machine_count;
    struct ft_ranked_time *times = calloc(count + 1, sizeof *times);
    size_t *order = calloc(count + 1, sizeof *order);
    if (times && order) {
        for (size_t i = 0; i < count; i++)
            times[i] = ranked_time(comparison, point, i);
        ft_ranking_order(times, count, order);
        fill(comparison, point, times, order, ret_standings);
    }
    int status = times && order ? FT_OK : ft_fail_memory(diag, "a ranking");
    free(times);
    free(order);
    return status;
}
