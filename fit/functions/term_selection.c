/*
 * 1. Every set is fitted without regard to shape (plain_fit.h). A shape can but raise errors, so
 *    that gives a bound below each set's score.
 * 2. From the least bound on, sets get their scores, until the next bound is above the best score:
 *    most never do. A plain fit that has a shape is the constrained one too, with or without the
 *    largest size, whose error then is known in closed form. Only for the others is the quadratic
 *    program solved, once a bend.
 */
#include "fit/functions/term_selection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/functions/plain_fit.h"
#include "fit/functions/quadratic_program.h"
#include "fit/functions/shape.h"

#define ERROR_FLOOR 1e-5 /* relative */
#define EQUAL       1e-9 /* scores */

enum progress { UNKNOWN, BOUNDED, SCORED };

/* A set, its plain fit, and the same without the largest size. */
struct candidate {
    enum progress progress;
    bool asked;   /* in this choice */
    double bound; /* of the score; the score itself once it is known; infinite: it does not fit */
    double coefficients[FT_TERMS_MAX]; /* within its shape once there is a score */
    double square_sum;
    bool has_held_out;
    struct ft_left_out held_out;
};

struct ft_term_selector {
    const struct ft_axis *axis;
    struct ft_qp_workspace *workspace;
    gsl_matrix *design, *shape;
    gsl_vector *values, *weights, *zeros, *solution;
    struct ft_weighted_values weighted;
    struct ft_plain_fit plain;
    struct candidate *candidates; /* of each set, for these values: choices among other terms
                                     often follow */
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
    selector->design = gsl_matrix_alloc(axis->count, FT_TERMS_MAX);
    selector->shape = gsl_matrix_alloc(FT_GRID_COUNT, FT_TERMS_MAX);
    selector->values = gsl_vector_alloc(axis->count);
    selector->weights = gsl_vector_alloc(axis->count);
    selector->zeros = gsl_vector_calloc(FT_GRID_COUNT);
    selector->solution = gsl_vector_alloc(FT_TERMS_MAX);
    selector->candidates = calloc(axis->set_count, sizeof *selector->candidates);
    int status = ft_qp_workspace_create(axis->count, FT_TERMS_MAX, FT_GRID_COUNT,
                                        &selector->workspace, diag);
    if (status == FT_OK &&
        (!selector->design || !selector->shape || !selector->values || !selector->weights ||
         !selector->zeros || !selector->solution || !selector->candidates))
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
    ft_qp_workspace_destroy(selector->workspace);
    gsl_matrix_free(selector->design);
    gsl_matrix_free(selector->shape);
    gsl_vector_free(selector->values);
    gsl_vector_free(selector->weights);
    gsl_vector_free(selector->zeros);
    gsl_vector_free(selector->solution);
    free(selector->candidates);
    free(selector);
}

/* ---- one set within its shape ---- */

/* One set of terms over the sizes [first, end). */
struct task {
    const struct ft_term_set *set;
    const double *y;
    size_t first, end;
    bool falling;
};

static double relative_error(const struct ft_axis *axis, const struct task *task,
                             const double *coefficients, size_t size)
{
    double value = ft_term_set_at(task->set, coefficients, axis->terms[size]);
    return (value - task->y[size]) / ft_error_magnitude(task->y[size]);
}

static double square_sum(const struct ft_axis *axis, const struct task *task,
                         const double *coefficients)
{
    double sum = 0;
    for (size_t i = task->first; i < task->end; i++) {
        double error = relative_error(axis, task, coefficients, i);
        sum += error * error;
    }
    return sum;
}

/* By the quadratic program: the better of both bends. False where neither fits. */
static bool solve_constrained(struct ft_term_selector *selector, const struct task *task,
                              double *ret_coefficients)
{
    static const enum ft_bend bends[] = {FT_BEND_CONVEX, FT_BEND_CONCAVE};
    const struct ft_axis *axis = selector->axis;
    size_t rows = task->end - task->first, columns = task->set->count;
    gsl_matrix_view design = gsl_matrix_submatrix(selector->design, 0, 0, rows, columns);
    gsl_matrix_view shape = gsl_matrix_submatrix(selector->shape, 0, 0, FT_GRID_COUNT, columns);
    gsl_vector_view values = gsl_vector_subvector(selector->values, 0, rows);
    gsl_vector_view weights = gsl_vector_subvector(selector->weights, 0, rows);
    gsl_vector_view solution = gsl_vector_subvector(selector->solution, 0, columns);
    const double *x = gsl_vector_const_ptr(selector->solution, 0);
    double best = INFINITY;
    for (size_t i = 0; i < rows; i++) {
        double y = task->y[task->first + i];
        gsl_vector_set(&values.vector, i, y);
        gsl_vector_set(&weights.vector, i, 1 / ft_error_magnitude(y));
        for (size_t j = 0; j < columns; j++)
            gsl_matrix_set(&design.matrix, i, j, axis->terms[task->first + i][task->set->terms[j]]);
    }
    for (size_t i = 0; i < 2; i++) {
        if (!ft_shape_may_bend(axis, bends[i]))
            continue;
        ft_shape_constrain(axis, task->set, task->falling, bends[i], &shape.matrix);
        if (ft_qp_solve(selector->workspace, &design.matrix, &values.vector, &weights.vector,
                        &shape.matrix, selector->zeros, &solution.vector, NULL, NULL) < 0)
            continue;
        double error = square_sum(axis, task, x);
        if (error < best)
            memcpy(ret_coefficients, x, columns * sizeof *x);
        best = fmin(best, error);
    }
    return best < INFINITY;
}

static void weigh(const struct ft_term_selector *selector, struct ft_weighted_values *weighted,
                  const double *y, size_t first, size_t end, uint32_t terms)
{
    double magnitudes[FT_TRAINING_MAX];
    for (size_t i = first; i < end; i++)
        magnitudes[i] = ft_error_magnitude(y[i]);
    ft_weighted_values_init(weighted, selector->axis, terms, y, magnitudes, first, end);
}

bool ft_solve_shaped(struct ft_term_selector *selector, const struct ft_term_set *set,
                     const double *y, size_t first, size_t end, bool falling,
                     double *ret_coefficients)
{
    const struct task task = {set, y, first, end, falling};
    struct ft_weighted_values weighted;
    weigh(selector, &weighted, y, first, end, set->mask);
    if (!ft_plain_fit(&selector->plain, &weighted, set))
        return false;
    if (!ft_shape_holds(selector->axis, set, selector->plain.coefficients, falling))
        return solve_constrained(selector, &task, ret_coefficients);
    memcpy(ret_coefficients, selector->plain.coefficients, set->count * sizeof *ret_coefficients);
    return true;
}

/* ---- scores ---- */

/* What all sets share. */
struct scale {
    size_t count; /* of sizes */
    double floor; /* of errors */
    bool falling;
};

static double score_of(double count, double terms, double error, double ahead)
{
    double spare = fmax(count - terms - 1, 0.5);
    return 2 * count * log(error * ahead) + 2 * terms + 2 * terms * (terms + 1) / spare;
}

/* Step 1 for one set. */
static void bound_score(struct ft_term_selector *selector, const struct scale *scale, size_t index)
{
    const struct ft_term_set *set = &selector->axis->sets[index];
    struct candidate *candidate = &selector->candidates[index];
    candidate->progress = SCORED;
    candidate->bound = INFINITY;
    if (set->count + 1U > scale->count || !ft_plain_fit(&selector->plain, &selector->weighted, set))
        return;
    candidate->square_sum = selector->plain.square_sum;
    memcpy(candidate->coefficients, selector->plain.coefficients, sizeof candidate->coefficients);
    candidate->has_held_out =
        ft_plain_fit_leave_out(&selector->plain, scale->count - 1, &candidate->held_out);
    double count = (double)scale->count;
    double error = fmax(sqrt(candidate->square_sum / count), scale->floor);
    double luck = candidate->has_held_out ? sqrt(candidate->held_out.square_sum / (count - 1)) : 0;
    candidate->bound = score_of(count, set->count, error, fmax(error, luck));
    candidate->progress = BOUNDED;
}

/* Forgets the candidates of other values. */
static void take_values(struct ft_term_selector *selector, const struct ft_term_choice *choice)
{
    const struct ft_axis *axis = selector->axis;
    const size_t bytes = (axis->count - choice->first) * sizeof *choice->y;
    bool same = selector->has_values && selector->first == choice->first &&
                selector->rounding == choice->rounding;
    if (same && memcmp(selector->y + choice->first, choice->y + choice->first, bytes) == 0)
        return;
    selector->has_values = true;
    selector->first = choice->first;
    selector->rounding = choice->rounding;
    memcpy(selector->y + choice->first, choice->y + choice->first, bytes);
    weigh(selector, &selector->weighted, choice->y, choice->first, axis->count, UINT32_MAX);
    for (size_t s = 0; s < axis->set_count; s++)
        selector->candidates[s].progress = UNKNOWN;
}

/* Step 1. */
static void bound_scores(struct ft_term_selector *selector, const struct ft_term_choice *choice,
                         const struct scale *scale)
{
    take_values(selector, choice);
    for (size_t s = 0; s < selector->axis->set_count; s++) {
        const uint32_t mask = selector->axis->sets[s].mask;
        struct candidate *candidate = &selector->candidates[s];
        candidate->asked = (mask & ~choice->allowed) != 0 || (choice->needed & ~mask) != 0;
        if (!candidate->asked && candidate->progress == UNKNOWN)
            bound_score(selector, scale, s);
    }
}

/* The error at the largest size of the set when fitted to the others, at least their own. False
 * where it does not fit those. */
static bool look_ahead(struct ft_term_selector *selector, const struct candidate *candidate,
                       const struct task *task, double *ret_error)
{
    struct task fewer = *task;
    const struct ft_left_out *held_out = &candidate->held_out;
    double coefficients[FT_TERMS_MAX];
    double count = (double)(--fewer.end - fewer.first);
    if (candidate->has_held_out &&
        ft_shape_holds(selector->axis, task->set, held_out->coefficients, task->falling)) {
        *ret_error = fmax(fabs(held_out->error), sqrt(held_out->square_sum / count));
        return true;
    }
    bool solved = candidate->has_held_out
                      ? solve_constrained(selector, &fewer, coefficients)
                      : ft_solve_shaped(selector, task->set, task->y, fewer.first, fewer.end,
                                        task->falling, coefficients);
    if (solved)
        *ret_error = fmax(fabs(relative_error(selector->axis, task, coefficients, fewer.end)),
                          sqrt(square_sum(selector->axis, &fewer, coefficients) / count));
    return solved;
}

/* Step 2 for one set; its coefficients become those within its shape. Where it cannot come down to
 * `best` its bound alone rises. */
static void score(struct ft_term_selector *selector, const struct scale *scale,
                  const struct task *task, double best, struct candidate *candidate)
{
    double count = (double)scale->count, terms = (double)task->set->count, ahead;
    double x[FT_TERMS_MAX];
    memcpy(x, candidate->coefficients, sizeof x);
    bool shaped = ft_shape_holds(selector->axis, task->set, x, task->falling);
    bool turns = (!shaped && !solve_constrained(selector, task, x)) ||
                 (!task->falling && !(selector->axis->basis.shape & FT_SHAPE_ANY) &&
                  x[task->set->count - 1] < 0); /* if not on the grid */
    candidate->progress = SCORED;
    candidate->bound = INFINITY;
    if (turns)
        return;
    double sum = shaped ? candidate->square_sum : square_sum(selector->axis, task, x);
    double error = fmax(sqrt(sum / count), scale->floor);
    double bound = score_of(count, terms, error, error);
    if (bound > best + EQUAL) {
        candidate->progress = BOUNDED;
        candidate->bound = fmax(candidate->bound, bound);
    } else if (look_ahead(selector, candidate, task, &ahead)) {
        memcpy(candidate->coefficients, x, sizeof x);
        candidate->bound = score_of(count, terms, error, fmax(ahead, error));
    }
}

/* The set with the least bound that was not asked yet; the count where there is none. */
static size_t least_bound(const struct ft_term_selector *selector)
{
    const size_t count = selector->axis->set_count;
    size_t least = count;
    for (size_t s = 0; s < count; s++)
        if (!selector->candidates[s].asked &&
            (least == count || selector->candidates[s].bound < selector->candidates[least].bound))
            least = s;
    return least;
}

void ft_select_terms(struct ft_term_selector *selector, const struct ft_term_choice *choice,
                     double *best, struct ft_function *function)
{
    const struct ft_axis *axis = selector->axis;
    const double *y = choice->y;
    const size_t last = axis->count - 1;
    const struct scale scale = {
        .count = axis->count - choice->first,
        .floor = ERROR_FLOOR + choice->rounding / ft_error_magnitude(y[last]),
        .falling = ft_shape_falls(axis, y[choice->first], y[last]),
    };
    size_t winner = 0, next;
    bool found = false;
    bound_scores(selector, choice, &scale);
    while ((next = least_bound(selector)) < axis->set_count &&
           selector->candidates[next].bound <= *best + EQUAL) {
        struct candidate *candidate = &selector->candidates[next];
        const struct task task = {&axis->sets[next], y, choice->first, axis->count, scale.falling};
        if (candidate->progress != SCORED)
            score(selector, &scale, &task, *best, candidate);
        candidate->asked = true;
        double value = candidate->progress == SCORED ? candidate->bound : INFINITY;
        bool equal = fabs(value - *best) <= EQUAL;
        if (value < *best - EQUAL || (found && equal && next < winner)) {
            *best = fmin(value, *best);
            winner = next;
            found = true;
        }
    }
    if (!found)
        return;
    const struct ft_term_set *set = &axis->sets[winner];
    memset(function->coefficients, 0, sizeof function->coefficients);
    for (size_t j = 0; j < set->count; j++)
        function->coefficients[set->terms[j]] =
            selector->candidates[winner].coefficients[j] * axis->scales[set->terms[j]];
}
