/*
 * 1. The largest size should be a third of the target (docs/benchmarks.md: forecasts 2 to 4 times
 *    larger), or where the growing data take ENOUGH blocks of every level that matters, or half of
 *    the target, its limit, if that costs hardly more.
 * 2. The others lie evenly below it, down to SPREAD of it: near enough to follow the same law, far
 *    enough to show growth. If too few agree with the target modulo the period, the largest may be
 *    up to FARTHEST of the target; if that is not enough, the period is reduced.
 * 3. While all of them together take too much, the largest is reduced.
 * 4. If arrays pass the mmap threshold between the sizes, others are chosen that are all beyond it,
 *    if these do not take much more, or else all below.
 */
#include "predict/plan/training_plan.h"

#include <math.h>

#include "predict/intervals/growing_data.h"
#include "predict/resolution.h"

#define WISHED         (1.0 / 3)
#define LARGEST        0.5
#define CHEAP          1.5 /* times what sizes up to a third take, sizes up to half may */
#define FARTHEST       (2.0 / 3)
#define SPREAD         0.4
#define SMALLEST_SHARE (1.0 / 8)  /* of the largest size: the smallest */
#define LIST_SHARE     (1.0 / 16) /* the same of a list, whose sizes may be halves of each other */
#define LESSENED       0.9
#define ENOUGH         (1.25 * FT_GROWING_BLOCKS) /* of blocks: estimates may be off */
#define STEP           1.02
#define DEARER         4.0 /* times what the others take, sizes beyond a threshold may */
#define APART          1.5 /* times the threshold: the largest of them */
#define APART_MIN      1.25

/* ---- levels ---- */

static double growing_blocks(const struct ft_run_costs *costs, const struct ft_level *level,
                             double n)
{
    return ft_run_growing_bytes(costs, n) / (double)level->block_bytes;
}

static double taught_from(const struct ft_run_costs *costs, const struct ft_level *level,
                          double target)
{
    double n = 1;
    while (n < target && growing_blocks(costs, level, n) < ENOUGH)
        n = fmax(n + 1, floor(n * STEP));
    return n;
}

static struct ft_plan_level judge(const struct ft_run_costs *costs, const struct ft_level *level,
                                  double target, double largest)
{
    const struct ft_point at = ft_point_at(&costs->basis, &target);
    double growing = growing_blocks(costs, level, target), all = growing;
    for (size_t i = 0; i < costs->size_count; i++)
        if (costs->block_bytes[i] == level->block_bytes)
            all = fmax(all, ft_function_at(&costs->blocks[i], &at));
    struct ft_plan_level judged = {
        .growing_blocks = growing_blocks(costs, level, largest),
        .matters = ft_resolution_matters(all, growing, level),
        .taught_from = taught_from(costs, level, target),
    };
    judged.taught = !judged.matters || judged.growing_blocks >= ENOUGH;
    return judged;
}

/* The size that the largest one should have for the levels' sake. */
static double teaching_size(const struct ft_plan_request *request, const struct ft_run_costs *costs)
{
    double n = request->choice.target * WISHED;
    for (size_t i = 0; i < request->machine->level_count; i++) {
        struct ft_plan_level judged =
            judge(costs, &request->machine->levels[i], request->choice.target, n);
        if (!judged.taught)
            n = fmax(n, judged.taught_from);
    }
    return fmin(ft_size_at_least(&request->choice, n), request->choice.target * LARGEST);
}

/* ---- sizes ---- */

/* Up to `count` sizes with the largest at or below a limit, ascending; gives how many. */
static size_t spread(const struct ft_plan_request *request, const struct ft_size_choice *choice,
                     double limit, double sizes[FT_PLAN_SIZES_MAX])
{
    double largest = ft_size_at_most(choice, limit), above = largest;
    double share = choice->available ? LIST_SHARE : SMALLEST_SHARE;
    double smallest = fmax(request->smallest, largest * share);
    double reversed[FT_PLAN_SIZES_MAX];
    size_t count = 0;
    if (largest < smallest)
        return 0;
    reversed[count++] = largest;
    const double period = (double)choice->period;
    const double steps = (double)(request->count - 1), room = (largest - smallest) / steps;
    double step = fmin(largest * (1 - SPREAD) / steps, room);
    if (!choice->available)
        step = period * fmax(fmin(round(step / period), floor(room / period)), 1);
    for (size_t i = 1; i < request->count; i++) {
        double n = ft_size_at_most(choice, fmin(largest - (double)i * step, above - 1));
        if (n < smallest)
            break;
        reversed[count++] = above = n;
    }
    for (size_t i = 0; i < count; i++)
        sizes[i] = reversed[count - 1 - i];
    return count;
}

/* Step 2: the sizes of the plan for a wish; their number is 0 where there are not enough. */
static void choose(const struct ft_plan_request *request, double wish,
                   struct ft_training_plan *plan)
{
    const double target = request->choice.target;
    struct ft_size_choice choice = request->choice;
    for (;;) {
        plan->period = choice.period;
        plan->count = 0;
        for (double limit = wish; plan->count < request->count && limit <= target * FARTHEST;) {
            double sizes[FT_PLAN_SIZES_MAX];
            size_t count = spread(request, &choice, limit, sizes);
            for (size_t i = 0; count > plan->count && i < count; i++)
                plan->sizes[i] = sizes[i];
            plan->count = count > plan->count ? count : plan->count;
            double next = ft_size_at_least(&choice, limit + 1);
            limit = next > limit ? next : limit + 1;
        }
        if (plan->count >= FT_PLAN_SIZES_MIN || choice.period == 1)
            break;
        /* the next divisor, of more sizes */
        choice = ft_size_choice_wide(&choice, 1, target, ft_size_count(&choice, 1, target) + 1);
    }
    if (plan->count < FT_PLAN_SIZES_MIN)
        plan->count = 0;
}

static void compute(const struct ft_plan_request *request, const struct ft_run_costs *costs,
                    struct ft_training_plan *plan)
{
    plan->total = (struct ft_run_cost){0};
    for (size_t i = 0; i < plan->count; i++) {
        plan->runs[i] = ft_run_cost_at(costs, plan->sizes[i]);
        ft_run_cost_add(&plan->total, &plan->runs[i]);
    }
    plan->target = ft_run_cost_at(costs, request->choice.target);
    plan->target_cheaper = plan->target.capture_seconds + plan->target.replay_seconds <
                           plan->total.capture_seconds + plan->total.replay_seconds;
}

static double seconds_of(const struct ft_training_plan *plan)
{
    return plan->total.capture_seconds + plan->total.replay_seconds;
}

/* Steps 1 and 2; gives the wish. */
static double choose_wish(const struct ft_plan_request *request, const struct ft_run_costs *costs,
                          struct ft_training_plan *plan)
{
    struct ft_training_plan larger = *plan;
    double wish = teaching_size(request, costs), half = request->choice.target * LARGEST;
    choose(request, wish, plan);
    compute(request, costs, plan);
    choose(request, half, &larger);
    compute(request, costs, &larger);
    if (larger.count < plan->count || larger.period < plan->period ||
        seconds_of(&larger) > CHEAP * seconds_of(plan))
        return wish;
    *plan = larger;
    return half;
}

static bool is_too_much(const struct ft_plan_request *request, const struct ft_training_plan *plan)
{
    return seconds_of(plan) > request->seconds_max || plan->total.trace_bytes > request->bytes_max;
}

/* ---- on one side ---- */

/* The largest of the thresholds that sizes of the plan lie on both sides of; 0: none. */
static double threshold_inside(const struct ft_plan_request *request,
                               const struct ft_training_plan *plan)
{
    for (size_t i = request->mapped_count; i-- > 0;)
        if (plan->sizes[0] < request->mapped_from[i] &&
            request->mapped_from[i] <= plan->sizes[plan->count - 1])
            return request->mapped_from[i];
    return 0;
}

/* Near the threshold sizes would lie too close to show growth. A list may have few beyond it. */
static bool take_beyond(const struct ft_plan_request *request, const struct ft_run_costs *costs,
                        double threshold, struct ft_training_plan *plan)
{
    struct ft_plan_request beyond = *request;
    struct ft_training_plan other = *plan;
    beyond.smallest = fmax(request->smallest, threshold);
    double wish = choose_wish(&beyond, costs, &other);
    double apart = ft_size_at_least(&request->choice, threshold * APART);
    choose(&beyond, fmax(wish, fmin(apart, request->choice.target * FARTHEST)), &other);
    compute(&beyond, costs, &other);
    const size_t enough = request->choice.available ? FT_PLAN_SIZES_MIN : plan->count;
    if (other.count < enough || other.period < plan->period ||
        other.sizes[other.count - 1] < APART_MIN * other.sizes[0] || is_too_much(request, &other) ||
        seconds_of(&other) > DEARER * seconds_of(plan))
        return false;
    *plan = other;
    return true;
}

/* Whether the largest size determines as many levels. */
static bool take_below(const struct ft_plan_request *request, const struct ft_run_costs *costs,
                       double threshold, struct ft_training_plan *plan)
{
    struct ft_training_plan other = *plan;
    const double target = request->choice.target;
    choose(request, ft_size_at_most(&request->choice, threshold - 1), &other);
    if (other.count < plan->count || other.period < plan->period ||
        other.sizes[other.count - 1] >= threshold)
        return false;
    compute(request, costs, &other);
    for (size_t i = 0; i < plan->level_count; i++) {
        const struct ft_level *level = &request->machine->levels[i];
        if (judge(costs, level, target, plan->sizes[plan->count - 1]).taught &&
            !judge(costs, level, target, other.sizes[other.count - 1]).taught)
            return false;
    }
    *plan = other;
    return true;
}

/* Step 4. Beyond one threshold there may be another. */
static void keep_to_one_side(const struct ft_plan_request *request,
                             const struct ft_run_costs *costs, struct ft_training_plan *plan)
{
    for (size_t i = 0; i < request->mapped_count; i++) {
        const double threshold = threshold_inside(request, plan);
        if (threshold == 0 || (!take_beyond(request, costs, threshold, plan) &&
                               !take_below(request, costs, threshold, plan)))
            break;
    }
    plan->mixes_mapped = threshold_inside(request, plan) > 0;
    plan->mapped_from = threshold_inside(request, plan);
    for (size_t i = request->mapped_count; i-- > 0 && !plan->mixes_mapped;)
        if (plan->mapped_from == 0 || plan->mapped_from > plan->sizes[0])
            plan->mapped_from = request->mapped_from[i];
}

/* ---- the plan ---- */

int ft_training_plan_make(const struct ft_plan_request *request, const struct ft_run_costs *costs,
                          struct ft_training_plan *ret_plan, struct ft_diag *diag)
{
    struct ft_training_plan plan = {.level_count = request->machine->level_count};
    const double target = request->choice.target;
    if (plan.level_count > FT_PLAN_LEVELS_MAX)
        return ft_fail(diag, FT_ERROR_USAGE, "%s has more than %u levels", request->machine->name,
                       FT_PLAN_LEVELS_MAX);
    double wish = choose_wish(request, costs, &plan);
    if (plan.count == 0)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "below %.15g there are fewer than %u sizes to train with: capture "
                       "%.15g itself",
                       target, FT_PLAN_SIZES_MIN, target);
    while (is_too_much(request, &plan)) {
        struct ft_training_plan less = plan;
        wish = fmin(wish, plan.sizes[plan.count - 1]) * LESSENED;
        choose(request, wish, &less);
        if (less.count == 0 || less.sizes[less.count - 1] >= plan.sizes[plan.count - 1])
            return ft_fail(diag, FT_ERROR_USAGE,
                           "the smallest useful sizes, up to %.15g, take %.3g s and %.3g MB: "
                           "allow more with --budget or --max-size",
                           plan.sizes[plan.count - 1], seconds_of(&plan),
                           plan.total.trace_bytes / 1e6);
        plan = less;
        plan.limited = true;
        compute(request, costs, &plan);
    }
    keep_to_one_side(request, costs, &plan);
    for (size_t i = 0; i < plan.level_count; i++)
        plan.levels[i] =
            judge(costs, &request->machine->levels[i], target, plan.sizes[plan.count - 1]);
    *ret_plan = plan;
    return FT_OK;
}
