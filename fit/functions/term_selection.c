/*
 * 1. One walk along all sets bounds the squares of their errors without regard to shape
 *    (set_bounds.h). A shape can but raise errors, so that gives a bound below each set's score.
 * 2. From the least bound on, sets get their scores, until the next bound is above the best score:
 *    most never do. A plain fit (plain_fit.h) that has a shape is the constrained one too, with or
 *    without the largest size, whose error then is known in closed form. Only for the others is the
 *    quadratic program solved, once a bend.
 * Costs stand for scores: cost^count = exp(score), which takes no logarithm.
 */
#include "fit/functions/term_selection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/functions/set_bounds.h"
#include "fit/functions/shape.h"
#include "fit/functions/shaped_fit.h"

#define ERROR_FLOOR 1e-5 /* relative */
#define EQUAL       1e-9 /* scores */
#define ROUNDING    1e-6 /* of a bound of errors: far above it */

enum progress { /* of a set */ UNKNOWN, BOUNDED, FITTED, SCORED };

/* A set, its plain fit, and the same without the largest size. */
struct candidate {
    double coefficients[FT_TERMS_MAX]; /* within its shape once there is a score */
    double square_sum;
    bool has_held_out;
    struct ft_left_out held_out;
};

/* What all sets share. */
struct scale {
    size_t count;      /* of sizes */
    double square_min; /* errors below are none */
    bool falling;
    double factors[FT_TERMS_MAX + 2]; /* of the cost, by terms */
};

struct ft_term_selector {
    const struct ft_axis *axis;
    struct ft_shaped_fitter *shaped;
    struct ft_weighted_values weighted;
    struct ft_plain_fit plain;
    size_t plain_of; /* a set; the axis's count: of none of these values */
    struct ft_set_tree *tree;
    /* Of each set, for these values: choices among other terms often follow. */
    enum progress *progress;
    double *costs; /* bounds below them until they are SCORED; infinite: it does not fit */
    struct ft_set_bound *bounds;
    struct candidate *candidates; /* from FITTED on */
    uint32_t bounded;             /* of all sets of these terms the bounds are known */
    struct scale scale;
    uint32_t *asked; /* sets that a choice is from, and are not looked at yet */
    double y[FT_TRAINING_MAX];
    size_t first;
    double rounding;
    bool has_values;
};

int ft_term_selector_create(const struct ft_axis *axis, struct ft_term_selector **ret_selector,
                            struct ft_diag *diag)
{
    struct ft_term_selector *selector = calloc(1, sizeof *selector);
    if (!selector)
        return ft_fail_memory(diag, "a choice of terms");
    selector->axis = axis;
    selector->progress = calloc(axis->set_count, sizeof *selector->progress);
    selector->costs = calloc(axis->set_count, sizeof *selector->costs);
    selector->bounds = calloc(axis->set_count, sizeof *selector->bounds);
    selector->candidates = calloc(axis->set_count, sizeof *selector->candidates);
    selector->asked = calloc(axis->set_count, sizeof *selector->asked);
    int status = ft_shaped_fitter_create(axis, &selector->shaped, diag);
    if (status == FT_OK)
        status = ft_set_tree_create(axis, &selector->tree, diag);
    if (status == FT_OK && (!selector->progress || !selector->costs || !selector->bounds ||
                            !selector->candidates || !selector->asked))
        status = ft_fail_memory(diag, "a choice of terms");
    if (status < 0) {
        ft_term_selector_destroy(selector);
        return status;
    }
    *ret_selector = selector;
    return FT_OK;
}

void ft_term_selector_destroy(struct ft_term_selector *selector)
{
    if (!selector)
        return;
    ft_shaped_fitter_destroy(selector->shaped);
    ft_set_tree_destroy(selector->tree);
    free(selector->progress);
    free(selector->costs);
    free(selector->bounds);
    free(selector->candidates);
    free(selector->asked);
    free(selector);
}

/* Short, unlike the library's. */
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

static double cost_of(const struct scale *scale, size_t terms, double square, double ahead_square)
{
    square = larger(square, scale->square_min);
    return square * larger(ahead_square, square) * scale->factors[terms];
}

static void set_scale(struct ft_term_selector *selector, const struct ft_term_choice *choice)
{
    const struct ft_axis *axis = selector->axis;
    struct scale *scale = &selector->scale;
    const double first = choice->y[choice->first], last = choice->y[axis->count - 1];
    const double floor = ERROR_FLOOR + choice->rounding / ft_error_magnitude(last);
    const size_t count = axis->count - choice->first;
    scale->square_min = floor * floor;
    scale->falling = ft_shape_falls(axis, first, last);
    if (scale->count == count)
        return;
    scale->count = count;
    for (size_t terms = 0; terms <= FT_TERMS_MAX; terms++) {
        double parameters = (double)terms;
        double spare = larger((double)count - parameters - 1, 0.5);
        double penalty = 2 * parameters + 2 * parameters * (parameters + 1) / spare;
        scale->factors[terms] = exp(penalty / (double)count);
    }
}

/* Forgets the candidates of other values. */
static void take_values(struct ft_term_selector *selector, const struct ft_term_choice *choice)
{
    const struct ft_axis *axis = selector->axis;
    double magnitudes[FT_TRAINING_MAX];
    const size_t bytes = (axis->count - choice->first) * sizeof *choice->y;
    bool same = selector->has_values && selector->first == choice->first &&
                selector->rounding == choice->rounding;
    if (same && memcmp(selector->y + choice->first, choice->y + choice->first, bytes) == 0)
        return;
    selector->has_values = true;
    selector->first = choice->first;
    selector->rounding = choice->rounding;
    memcpy(selector->y + choice->first, choice->y + choice->first, bytes);
    for (size_t i = choice->first; i < axis->count; i++)
        magnitudes[i] = ft_error_magnitude(choice->y[i]);
    ft_weighted_values_init(&selector->weighted, axis, 0, choice->y, magnitudes, choice->first,
                            axis->count);
    set_scale(selector, choice);
    selector->bounded = 0;
    selector->plain_of = axis->set_count;
    memset(selector->progress, 0, axis->set_count * sizeof *selector->progress);
    memset(selector->bounds, 0, axis->set_count * sizeof *selector->bounds);
}

/* Step 1. Gives how many sets are asked for that may cost so much or less: errors have a floor. */
static size_t bound_costs(struct ft_term_selector *selector, const struct ft_term_choice *choice,
                          double limit)
{
    const struct ft_axis *axis = selector->axis;
    const struct scale *scale = &selector->scale;
    const size_t all = scale->count - 1;
    size_t asked = 0, term_max = all < FT_TERMS_MAX ? all : FT_TERMS_MAX;
    while (term_max > 0 && cost_of(scale, term_max, 0, 0) > limit)
        term_max--;
    if (term_max == 0)
        return 0;
    for (uint32_t s = 0; s < axis->set_count; s++) {
        const uint32_t mask = axis->sets[s].mask;
        if ((mask & ~choice->allowed) == 0 && (choice->needed & ~mask) == 0 &&
            axis->sets[s].count <= term_max)
            selector->asked[asked++] = s;
    }
    if ((choice->allowed & ~selector->bounded) != 0) {
        ft_weighted_values_add(&selector->weighted, axis, choice->allowed);
        ft_set_tree_bound(selector->tree, &selector->weighted, choice->allowed, selector->bounded,
                          term_max, selector->bounds);
        if ((selector->bounded & ~choice->allowed) == 0 &&
            (term_max == all || term_max == FT_TERMS_MAX))
            selector->bounded = choice->allowed;
    }
    const double count = (double)scale->count;
    for (size_t i = 0; i < asked; i++) {
        const uint32_t s = selector->asked[i];
        const struct ft_set_bound *bound = &selector->bounds[s];
        if (selector->progress[s] != UNKNOWN)
            continue;
        selector->costs[s] = cost_of(scale, axis->sets[s].count, bound->square_sum / count,
                                     bound->held_out / (count - 1));
        selector->progress[s] = BOUNDED;
    }
    return asked;
}

static bool fit_set(struct ft_term_selector *selector, size_t index)
{
    if (selector->plain_of != index &&
        !ft_plain_fit(&selector->plain, &selector->weighted, &selector->axis->sets[index]))
        return false;
    selector->plain_of = index;
    return true;
}

/* The plain fit of a set, and what that says of its cost. */
static void fit_plainly(struct ft_term_selector *selector, size_t index)
{
    const struct ft_term_set *set = &selector->axis->sets[index];
    const double count = (double)selector->scale.count;
    struct candidate *candidate = &selector->candidates[index];
    selector->progress[index] = SCORED;
    selector->costs[index] = INFINITY;
    if (!fit_set(selector, index))
        return;
    candidate->square_sum = selector->plain.square_sum;
    memcpy(candidate->coefficients, selector->plain.coefficients,
           set->count * sizeof *candidate->coefficients);
    candidate->has_held_out =
        ft_plain_fit_leave_out(&selector->plain, selector->scale.count - 1, &candidate->held_out);
    double luck = candidate->has_held_out ? candidate->held_out.square_sum / (count - 1) : 0;
    selector->costs[index] =
        cost_of(&selector->scale, set->count, candidate->square_sum / count, luck);
    selector->progress[index] = FITTED;
}

/* Whether the shape may be had with square_max squares of errors; left_out: without the largest
 * size.
 */
static bool may_take_shape(struct ft_term_selector *selector, size_t index,
                           const struct ft_shaped_task *task, double square_max,
                           const struct ft_left_out *left_out)
{
    return isinf(square_max) || !fit_set(selector, index) ||
           ft_shaped_bound(selector->axis, task, &selector->plain, left_out) <= square_max;
}

/* The square of the error at the largest size of the set when fitted to the others, at least their
 * own; infinite where it does not fit those, or only with a square above square_max. */
static double look_ahead(struct ft_term_selector *selector, size_t index,
                         const struct ft_shaped_task *task, double square_max)
{
    struct ft_shaped_task fewer = *task;
    const struct candidate *candidate = &selector->candidates[index];
    const struct ft_left_out *held_out = &candidate->held_out;
    double coefficients[FT_TERMS_MAX];
    double count = (double)(--fewer.end - fewer.first);
    bool solved;
    if (!candidate->has_held_out) {
        solved = ft_shaped_fit(selector->shaped, &fewer, coefficients);
    } else if (ft_shape_holds(selector->axis, task->set, held_out->coefficients, task->falling)) {
        return larger(held_out->error * held_out->error, held_out->square_sum / count);
    } else {
        solved = may_take_shape(selector, index, task, square_max * count, held_out) &&
                 ft_shaped_fit_constrained(selector->shaped, &fewer, coefficients);
    }
    if (!solved)
        return INFINITY;
    double error = ft_shaped_error(selector->axis, task, coefficients, fewer.end);
    return larger(error * error,
                  ft_shaped_square_sum(selector->axis, &fewer, coefficients) / count);
}

/* Step 2 for one set; its coefficients become those within its shape. Where it cannot come down to
 * `limit` its bound alone rises. */
static void score(struct ft_term_selector *selector, size_t index,
                  const struct ft_shaped_task *task, double limit)
{
    const struct scale *scale = &selector->scale;
    struct candidate *candidate = &selector->candidates[index];
    const double count = (double)scale->count;
    const size_t terms = task->set->count;
    const double square_max = sqrt(limit / scale->factors[terms]) * count;
    double x[FT_TERMS_MAX];
    memcpy(x, candidate->coefficients, terms * sizeof *x);
    bool shaped = ft_shape_holds(selector->axis, task->set, x, task->falling);
    double square = candidate->square_sum / count;
    selector->progress[index] = FITTED;
    selector->costs[index] = limit * (1 + EQUAL);
    if (!shaped && !may_take_shape(selector, index, task, square_max, NULL))
        return;
    bool fits = shaped || ft_shaped_fit_constrained(selector->shaped, task, x);
    if (!task->falling && !(selector->axis->basis.shape & FT_SHAPE_ANY) && x[terms - 1] < 0)
        fits = false; /* it has an extremum, if not on the grid */
    if (fits && !shaped)
        square = ft_shaped_square_sum(selector->axis, task, x) / count;
    const double cost = fits ? cost_of(scale, terms, square, 0) : INFINITY;
    selector->costs[index] = cost;
    if (!fits)
        selector->progress[index] = SCORED;
    if (!fits || cost > limit)
        return;
    const double own = larger(square, scale->square_min);
    const double ahead = look_ahead(selector, index, task, limit / scale->factors[terms] / own);
    selector->costs[index] = limit * (1 + EQUAL);
    if (isinf(ahead) && !isinf(limit))
        return;
    memcpy(candidate->coefficients, x, terms * sizeof *x);
    selector->progress[index] = SCORED;
    selector->costs[index] = cost_of(scale, terms, square, ahead);
}

/* Takes the set with the least cost from those that are asked for. */
static size_t take_min(struct ft_term_selector *selector, size_t *asked)
{
    size_t cheapest = 0;
    for (size_t i = 1; i < *asked; i++)
        if (selector->costs[selector->asked[i]] < selector->costs[selector->asked[cheapest]])
            cheapest = i;
    size_t set = selector->asked[cheapest];
    selector->asked[cheapest] = selector->asked[--*asked];
    return set;
}

double ft_min_term_error(struct ft_term_selector *selector, const struct ft_term_choice *choice)
{
    double min = INFINITY;
    take_values(selector, choice);
    size_t asked = bound_costs(selector, choice, INFINITY);
    for (size_t i = 0; i < asked; i++)
        min = lesser(min, selector->bounds[selector->asked[i]].square_sum);
    return (1 - ROUNDING) * sqrt(min / (double)selector->scale.count);
}

void ft_select_terms(struct ft_term_selector *selector, const struct ft_term_choice *choice,
                     double *best, struct ft_function *function)
{
    const struct ft_axis *axis = selector->axis;
    size_t winner = 0;
    bool found = false;
    take_values(selector, choice);
    const double count = (double)selector->scale.count;
    double cost_min = exp(*best / count);
    size_t asked = bound_costs(selector, choice, cost_min * (1 + EQUAL));
    while (asked > 0) {
        const size_t next = take_min(selector, &asked);
        const struct ft_shaped_task task = {&axis->sets[next], choice->y, choice->first,
                                            axis->count, selector->scale.falling};
        const double limit = cost_min * (1 + EQUAL);
        if (selector->costs[next] > limit)
            break;
        if (selector->progress[next] == BOUNDED)
            fit_plainly(selector, next);
        if (selector->progress[next] == FITTED && selector->costs[next] <= limit)
            score(selector, next, &task, limit);
        const double cost = selector->costs[next];
        if (selector->progress[next] != SCORED || cost > limit)
            continue;
        if (cost < cost_min * (1 - EQUAL) || (found && next < winner)) {
            cost_min = lesser(cost, cost_min);
            winner = next;
            found = true;
        }
    }
    if (!found)
        return;
    *best = count * log(cost_min);
    const struct ft_term_set *set = &axis->sets[winner];
    memset(function->coefficients, 0, sizeof function->coefficients);
    for (size_t j = 0; j < set->count; j++)
        function->coefficients[set->terms[j]] =
            selector->candidates[winner].coefficients[j] * axis->scales[set->terms[j]];
}
