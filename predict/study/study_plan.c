/*
 * The held-out size: half of the way, as ratios go, from the largest training size to the target,
 * rounded down to one that agrees with the target as the training sizes do. What it costs lies
 * between their costs, and is taken from the power law through both. Where that is more than there
 * is, the next size above the largest training size.
 */
#include "predict/study/study_plan.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct cost {
    double size, capture_seconds, replay_seconds, check_seconds, trace_bytes;
};

static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static struct cost cost_of(const json_t *run)
{
    return (struct cost){number_of(run, "size"), number_of(run, "capture_seconds"),
                         number_of(run, "replay_seconds"), number_of(run, "check_seconds"),
                         number_of(run, "trace_bytes")};
}

/* At a size between two. */
static double between(double n, double low, double at_low, double high, double at_high)
{
    if (!(at_low > 0) || !(at_high > 0) || high <= low)
        return fmax(at_low, at_high);
    return at_low * pow(at_high / at_low, log(n / low) / log(high / low));
}

static struct cost cost_between(double n, const struct cost *low, const struct cost *high)
{
    return (struct cost){
        .size = n,
        .capture_seconds =
            between(n, low->size, low->capture_seconds, high->size, high->capture_seconds),
        .check_seconds = between(n, low->size, low->check_seconds, high->size, high->check_seconds),
        .trace_bytes = between(n, low->size, low->trace_bytes, high->size, high->trace_bytes),
    };
}

static bool is_affordable(const struct cost *cost, double budget_seconds)
{
    return cost->check_seconds > 0 && cost->capture_seconds + cost->check_seconds <= budget_seconds;
}

/* Its size is 0 where there is none. */
static struct cost choose_held_out(const struct ft_study_plan_terms *terms, double period,
                                   const struct cost *largest, const struct cost *target)
{
    const double least = largest->size + period;
    double middle = sqrt(largest->size * target->size);
    middle = target->size - period * ceil((target->size - middle) / period);
    if (middle < least)
        middle = least;
    if (!terms->listed && middle < target->size) {
        struct cost cost = cost_between(middle, largest, target);
        if (is_affordable(&cost, terms->budget_seconds))
            return cost;
        cost = cost_between(least, largest, target);
        if (is_affordable(&cost, terms->budget_seconds))
            return cost;
    } else if (is_affordable(target, terms->budget_seconds)) {
        return *target;
    }
    return (struct cost){0};
}

/* False where it is no plan. */
static bool take_plan(const json_t *document, const struct ft_study_plan_terms *terms,
                      struct ft_study_plan *plan)
{
    const json_t *sizes = json_object_get(document, "sizes");
    const char *suffix = json_string_value(json_object_get(document, "trace_suffix"));
    const double period = number_of(document, "period");
    const struct cost target = cost_of(json_object_get(document, "target"));
    struct cost cost = {0};
    if (json_array_size(sizes) == 0 || json_array_size(sizes) > FT_PLAN_SIZES_MAX || !suffix ||
        strlen(suffix) >= sizeof plan->trace_suffix || !(period >= 1) ||
        target.size != terms->target)
        return false;
    for (size_t i = 0; i < json_array_size(sizes); i++) {
        cost = cost_of(json_array_get(sizes, i));
        if (!(cost.size > 0))
            return false;
        snprintf(plan->sizes[plan->count++], FT_STUDY_SIZE_TEXT, "%.15g", cost.size);
        plan->seconds += cost.capture_seconds + cost.replay_seconds;
        plan->trace_bytes += cost.trace_bytes;
    }
    cost = choose_held_out(terms, period, &cost, &target);
    if (cost.size > 0) {
        snprintf(plan->held_out, FT_STUDY_SIZE_TEXT, "%.15g", cost.size);
        plan->seconds += cost.capture_seconds + cost.check_seconds;
        plan->trace_bytes += cost.trace_bytes;
    }
    strcpy(plan->trace_suffix, suffix);
    return true;
}

int ft_study_plan_read(const char *path, const struct ft_study_plan_terms *terms,
                       struct ft_study_plan *ret_plan, struct ft_diag *diag)
{
    struct ft_study_plan plan = {.count = 0};
    json_error_t error;
    json_t *document = json_load_file(path, 0, &error);
    if (!document)
        return ft_fail(diag, FT_ERROR_DATA, "%s: line %d: %s", path, error.line, error.text);
    const bool is_plan = take_plan(document, terms, &plan);
    json_decref(document);
    if (!is_plan)
        return ft_fail(diag, FT_ERROR_DATA,
                       "%s: is not a plan for that size; remove it, and it is made again", path);
    *ret_plan = plan;
    return FT_OK;
}

struct ft_study_plan ft_study_plan_unknown(void)
{
    return (struct ft_study_plan){
        .sizes = {"SIZE"}, .count = 1, .held_out = "LARGER", .trace_suffix = ".h5"};
}
