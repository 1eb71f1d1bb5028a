/*
 * At points of the parameter, close to each other: what predict says (the forecast), and the sum
 * over the groups of cold touches and of the tail of the first bin beyond the capacity (a formula).
 * A range begins where the one before ends, and has the formula of the point, of those from there
 * on, that stays near the forecast the longest.
 */
#include "predict/formulas/level_formulas.h"

#include <math.h>
#include <stdlib.h>

#include "fit/evaluate/evaluate.h"

#define POINTS 161
#define SHORT  1.15 /* a range that reaches less far is part of a transition */

struct point {
    double n;
    struct ft_point at;
    double misses;
    struct ft_function formula;
};

static struct ft_function formula_at(const struct ft_model *model,
                                     const struct ft_model_histogram *histogram,
                                     const struct ft_point *at, double capacity_blocks)
{
    const struct ft_model_member *heaviest = histogram->members;
    const size_t bins = histogram->member_count > 0 ? ft_member_bins_count(heaviest->bins) : 0;
    if (bins == 0)
        return histogram->touches;
    for (size_t i = 0; i < bins; i++)
        if (ft_member_distance(model, heaviest, i, at) >= capacity_blocks) {
            const struct ft_function tail = ft_member_bin(heaviest->bins, i).tail;
            return ft_function_add(&histogram->cold, &tail, 1);
        }
    return histogram->cold;
}

static int evaluate(const struct ft_model *model, size_t block_size, double capacity_blocks,
                    struct point *point, struct ft_forecast *forecast, struct ft_diag *diag)
{
    point->at = ft_point_at(&model->basis, &point->n);
    for (size_t i = 0; i < model->group_count; i++) {
        struct ft_function part = formula_at(model, &model->groups[i].histograms[block_size],
                                             &point->at, capacity_blocks);
        int status = ft_forecast_evaluate(model, i, block_size, &point->at, forecast, diag);
        if (status < 0)
            return status;
        point->misses += ft_forecast_misses(forecast, capacity_blocks);
        point->formula = ft_function_add(&point->formula, &part, 1);
    }
    return FT_OK;
}

/* Half a miss is none. */
static double error_at(const struct ft_function *formula, const struct point *point)
{
    double off = fabs(ft_function_at(formula, &point->at) - point->misses);
    return fmax(off - 0.5, 0) / fmax(point->misses, 1);
}

/* The first point from `begin` on that a formula is not near. */
static size_t reach_of(const struct ft_function *formula, const struct point *points, size_t begin)
{
    while (begin < POINTS && error_at(formula, &points[begin]) <= FT_FORMULA_ERROR)
        begin++;
    return begin;
}

static double largest_error(const struct ft_function *formula, const struct point *points,
                            size_t begin, size_t end)
{
    double worst = 0;
    for (size_t i = begin; i < end; i++)
        worst = fmax(worst, error_at(formula, &points[i]));
    return worst;
}

/* Leaves out every term without which the formula is near enough, those that matter least first. */
static void shorten(const struct ft_model *model, const struct point *points, size_t begin,
                    size_t end, struct ft_function *formula)
{
    for (;;) {
        double error_min = FT_FORMULA_ERROR;
        size_t needless = FT_BASIS_MAX;
        for (size_t term = 0; term < model->basis.term_count; term++) {
            struct ft_function shorter = *formula;
            shorter.coefficients[term] = 0;
            double error = largest_error(&shorter, points, begin, end);
            if (formula->coefficients[term] != 0 && error < error_min) {
                error_min = error;
                needless = term;
            }
        }
        if (needless == FT_BASIS_MAX)
            return;
        formula->coefficients[needless] = 0;
    }
}

static size_t find_ranges(const struct ft_model *model, const struct point *points,
                          struct ft_formula_range *ranges)
{
    size_t count = 0;
    for (size_t begin = 0, end; begin < POINTS; begin = end) {
        struct ft_function best = points[begin].formula;
        end = reach_of(&best, points, begin);
        for (size_t i = begin + 1; i < POINTS && i <= end; i++) {
            size_t reach = reach_of(&points[i].formula, points, begin);
            if (reach > end)
                best = points[i].formula;
            end = reach > end ? reach : end;
        }
        bool formula = end > begin; /* clamps, and several members, are none */
        end += !formula;
        size_t behind = end < POINTS ? end : POINTS - 1;
        bool is_short = end < POINTS && points[behind].n < SHORT * points[begin].n;
        bool transition = !formula || is_short;
        if (transition && count > 0 && ranges[count - 1].transition) {
            ranges[count - 1].to = points[behind].n;
            ranges[count - 1].misses_to = points[behind].misses;
            continue;
        }
        ranges[count] = (struct ft_formula_range){.from = points[begin].n,
                                                  .to = points[behind].n,
                                                  .misses_from = points[begin].misses,
                                                  .misses_to = points[behind].misses,
                                                  .transition = transition};
        if (!transition) {
            shorten(model, points, begin, end, &best);
            ranges[count].misses = best;
            ranges[count].error = largest_error(&best, points, begin, end);
        }
        count++;
    }
    return count;
}

int ft_level_formulas(const struct ft_model *model, size_t block_size, double capacity_blocks,
                      double reach, struct ft_formula_range **ret_ranges, size_t *ret_count,
                      struct ft_diag *diag)
{
    struct point *points = calloc(POINTS, sizeof *points);
    struct ft_formula_range *ranges = calloc(POINTS, sizeof *ranges);
    struct ft_forecast forecast = {0};
    double smallest = model->training[0];
    double last = reach * model->training[model->training_count - 1];
    int status = points && ranges ? FT_OK : ft_fail_memory(diag, "formulas");
    for (size_t i = 0; status == FT_OK && i < POINTS; i++) {
        points[i].n = smallest * pow(last / smallest, (double)i / (POINTS - 1));
        status = evaluate(model, block_size, capacity_blocks, &points[i], &forecast, diag);
    }
    if (status == FT_OK) {
        *ret_count = find_ranges(model, points, ranges);
        *ret_ranges = ranges;
    } else {
        free(ranges);
    }
    ft_forecast_fini(&forecast);
    free(points);
    return status;
}
