/*
 * Every set of terms is fitted to the smaller half of the sizes in each cache, for the error of
 * what it then says of the largest; and to all of them in those near the one in question. By least
 * squares the fit itself says at the target x c +- t sqrt(x C x^T), with x the terms there and C
 * the covariance of the coefficients.
 */
#include "predict/intervals/row_laws.h"

#include <gsl/gsl_multifit.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "predict/intervals/interval.h"

#define NEARLY       2.0  /* ratio of errors */
#define SIMPLER_WINS 0.7  /* ratio of errors that a set of more terms must reach */
#define RIVAL        3e-3 /* relative error at the sizes, at most */
#define LEFT_OUT_MAX 2U   /* sizes, the smallest ones */
#define NEW_LAW_WINS 0.15 /* ratio of errors that sizes from a later one on must reach */
#define NEAR_CACHES  3U   /* the first ones: the cache itself, and what it may be */

struct ft_law_workspace {
    gsl_multifit_linear_workspace *gsl;
    gsl_matrix *design, *covariance;
    gsl_vector *relative, *coefficients;
    double square; /* of the relative errors of the set fitted last, per degree of freedom */
};

void ft_law_workspace_destroy(struct ft_law_workspace *workspace)
{
    if (!workspace)
        return;
    if (workspace->gsl)
        gsl_multifit_linear_free(workspace->gsl);
    gsl_matrix_free(workspace->design);
    gsl_matrix_free(workspace->covariance);
    gsl_vector_free(workspace->relative);
    gsl_vector_free(workspace->coefficients);
    free(workspace);
}

struct ft_law_workspace *ft_law_workspace_create(struct ft_diag *diag)
{
    struct ft_law_workspace *workspace = calloc(1, sizeof *workspace);
    if (workspace) {
        workspace->gsl = gsl_multifit_linear_alloc(FT_TRAINING_MAX, FT_LAW_SET_TERMS);
        workspace->design = gsl_matrix_alloc(FT_TRAINING_MAX, FT_LAW_SET_TERMS);
        workspace->covariance = gsl_matrix_alloc(FT_LAW_SET_TERMS, FT_LAW_SET_TERMS);
        workspace->relative = gsl_vector_alloc(FT_TRAINING_MAX);
        workspace->coefficients = gsl_vector_alloc(FT_LAW_SET_TERMS);
    }
    if (workspace && workspace->gsl && workspace->design && workspace->covariance &&
        workspace->relative && workspace->coefficients)
        return workspace;
    ft_law_workspace_destroy(workspace);
    ft_fail_memory(diag, "laws of rows");
    return NULL;
}

static size_t terms_of(uint32_t set, size_t terms[FT_LAW_SET_TERMS])
{
    size_t count = 0;
    for (size_t term = 0; term < FT_LAW_TERMS; term++)
        if (set >> term & 1)
            terms[count++] = term;
    return count;
}

typedef bool fit_function(struct ft_law_workspace *workspace, const struct ft_law_terms *terms,
                          uint32_t set, const double *values, size_t size_count);

/* The coefficients of the set for so many sizes, of any sign. */
static bool solve_set(struct ft_law_workspace *workspace, const struct ft_law_terms *terms,
                      uint32_t set, const double *values, size_t size_count)
{
    size_t members[FT_LAW_SET_TERMS];
    const size_t count = terms_of(set, members);
    if (size_count <= count)
        return false;
    for (size_t i = 0; i < size_count; i++) {
        const size_t size = terms->first + i;
        const double magnitude = fmax(values[size], 1);
        for (size_t j = 0; j < count; j++)
            gsl_matrix_set(workspace->design, i, j, terms->at_sizes[members[j]][size] / magnitude);
        gsl_vector_set(workspace->relative, i, values[size] / magnitude);
    }
    gsl_matrix_view design = gsl_matrix_submatrix(workspace->design, 0, 0, size_count, count);
    gsl_matrix_view covariance = gsl_matrix_submatrix(workspace->covariance, 0, 0, count, count);
    gsl_vector_view relative = gsl_vector_subvector(workspace->relative, 0, size_count);
    gsl_vector_view coefficients = gsl_vector_subvector(workspace->coefficients, 0, count);
    double squares = 0;
    if (gsl_multifit_linear(&design.matrix, &relative.vector, &coefficients.vector,
                            &covariance.matrix, &squares, workspace->gsl) != GSL_SUCCESS)
        return false;
    workspace->square = squares / (double)(size_count - count);
    return true;
}

/* False where one is negative. */
static bool fit_set(struct ft_law_workspace *workspace, const struct ft_law_terms *terms,
                    uint32_t set, const double *values, size_t size_count)
{
    size_t members[FT_LAW_SET_TERMS];
    if (!solve_set(workspace, terms, set, values, size_count))
        return false;
    for (size_t i = 0; i < terms_of(set, members); i++)
        if (gsl_vector_get(workspace->coefficients, i) < 0)
            return false;
    return true;
}

/* What the set fitted last says; the terms as they are at a size or the target. */
static double law_at(const struct ft_law_workspace *workspace, const struct ft_law_terms *terms,
                     uint32_t set, size_t size)
{
    size_t members[FT_LAW_SET_TERMS];
    const size_t count = terms_of(set, members);
    double value = 0;
    for (size_t j = 0; j < count; j++)
        value += gsl_vector_get(workspace->coefficients, j) *
                 (size < terms->size_count ? terms->at_sizes[members[j]][size]
                                           : terms->at_target[members[j]]);
    return value;
}

/* Of a value at the target by the set fitted last: how far the sum is off there, and how far values
 * scatter around it, at 95 %. */
static double own_error(const struct ft_law_workspace *workspace, const struct ft_law_terms *terms,
                        uint32_t set)
{
    size_t members[FT_LAW_SET_TERMS];
    const size_t count = terms_of(set, members);
    double variance = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            variance += terms->at_target[members[i]] * terms->at_target[members[j]] *
                        gsl_matrix_get(workspace->covariance, i, j);
    const size_t spare = terms->size_count - terms->first - count;
    const double value = fmax(law_at(workspace, terms, set, terms->size_count), 1);
    return ft_interval_errors(spare + 1) *
           sqrt(fmax(variance, 0) / (value * value) + workspace->square);
}

/* The sizes from which the largest one is forecast. */
static size_t smaller_half(const struct ft_law_terms *terms, uint32_t set)
{
    size_t members[FT_LAW_SET_TERMS];
    const size_t spare = terms_of(set, members) + 1;
    const size_t half = (terms->size_count - terms->first) / 2 + 1;
    return spare > half ? spare : half;
}

/* Of what does not depend on capacities, cold misses above all: what was fitted to the cache before
 * it is the same for this one. */
static bool is_as_before(const struct ft_law_terms *terms, const struct ft_law_values *values,
                         size_t cache)
{
    return cache > 0 && memcmp(values->in_cache[cache], values->in_cache[cache - 1],
                               terms->size_count * sizeof *values->in_cache[cache]) == 0;
}

/* Of the forecasts of the largest size, root mean square over the caches, in logarithms; negative
 * where there is no such law. Carried on to the target, as many times as that is farther. */
static double held_out_error(struct ft_law_workspace *workspace, const struct ft_law_terms *terms,
                             uint32_t set, const struct ft_law_values *values, fit_function *fit)
{
    const size_t last = terms->size_count - 1, half = smaller_half(terms, set);
    double squares = 0, square = 0;
    if (terms->first + half > last)
        return -1;
    for (size_t cache = 0; cache < FT_LAW_CACHES; cache++) {
        if (!is_as_before(terms, values, cache)) {
            if (!fit(workspace, terms, set, values->in_cache[cache], half))
                return -1;
            const double there = law_at(workspace, terms, set, last);
            if (there < 0)
                return -1;
            square = pow(log((there + 1) / (values->in_cache[cache][last] + 1)), 2);
        }
        squares += square;
    }
    return ft_forecast_reach(terms->target, terms->sizes[last],
                             terms->sizes[terms->first + half - 1]) *
           sqrt(squares / FT_LAW_CACHES);
}

/* A set that was fitted, and what its error is made of. */
struct fitted {
    struct ft_row_law law; /* no set: not fitted, or never held out */
    bool is_solved;        /* fitted to all sizes */
    double own, held_out, misfit;
};

/* How many times farther 95 % reach where so few sizes tell an error than where many do. */
static double scarcity(const struct ft_law_terms *terms)
{
    return ft_interval_errors(terms->size_count - terms->first) / FT_NORMAL_ERRORS;
}

static struct fitted law_of(struct ft_law_workspace *workspace, const struct ft_law_terms *terms,
                            uint32_t set, const struct ft_law_values *values, fit_function *fit)
{
    struct fitted fitted = {.law = {.low = INFINITY}};
    fitted.held_out = held_out_error(workspace, terms, set, values, fit);
    /* Only rivals count without it. */
    if (fitted.held_out < 0 && fit == fit_set)
        return (struct fitted){0};
    for (size_t cache = 0; cache < NEAR_CACHES; cache++) {
        if (is_as_before(terms, values, cache))
            continue;
        if (!fit(workspace, terms, set, values->in_cache[cache], terms->size_count - terms->first))
            return (struct fitted){0};
        const double there = law_at(workspace, terms, set, terms->size_count);
        if (cache == 0) {
            fitted.law.value = there;
            fitted.own = own_error(workspace, terms, set);
            fitted.misfit = sqrt(workspace->square);
        }
        fitted.law.low = fmin(fitted.law.low, there);
        fitted.law.high = fmax(fitted.law.high, there);
    }
    fitted.is_solved = true;
    fitted.law.error = fmax(scarcity(terms) * fitted.held_out, fitted.own);
    fitted.law.set = fitted.held_out < 0 ? 0 : set;
    return fitted;
}

/* Whether it goes on from the largest size: what is subtracted may outgrow the rest. */
static bool is_growing(const struct ft_law_terms *terms, const struct ft_law_values *values,
                       const struct fitted *rival)
{
    return rival->is_solved && rival->law.value > values->in_cache[0][terms->size_count - 1];
}

/* Smooth values are met by several laws, and which of them leads shows only far beyond the sizes: N
 * log N - N or N^1.5. A law that grows too fast is farther off there than one that is too slow. */
static void reach_rivals(const struct ft_law_terms *terms, const struct ft_law_values *values,
                         const struct fitted *rivals, struct ft_row_law *best)
{
    for (size_t i = 0; i < terms->rival_count; i++) {
        const struct fitted *rival = &rivals[i];
        const double factor = exp(rival->own + scarcity(terms) * fmax(rival->held_out, 0));
        if ((best->set & terms->rivals[i].faster) && is_growing(terms, values, rival) &&
            rival->misfit <= RIVAL + values->error) {
            best->low = fmin(best->low, rival->law.value / factor);
            best->high = fmax(best->high, rival->law.value * factor);
        }
    }
}

static bool is_better(const struct ft_row_law *law, const struct ft_row_law *best)
{
    return law->set && (!best->set || law->error < SIMPLER_WINS * best->error);
}

/* Of all sets, for the sizes from `first` on. */
static struct ft_row_law best_from(struct ft_law_workspace *workspace,
                                   const struct ft_law_terms *terms,
                                   const struct ft_law_values *values)
{
    struct fitted laws[FT_LAW_SETS], rivals[FT_LAW_RIVALS];
    struct ft_row_law best = {0};
    for (size_t i = 0; i < terms->set_count; i++) {
        laws[i] = law_of(workspace, terms, terms->sets[i], values, fit_set);
        if (is_better(&laws[i].law, &best))
            best = laws[i].law;
    }
    for (size_t i = 0; i < terms->rival_count; i++) {
        rivals[i] = law_of(workspace, terms, terms->rivals[i].set, values, solve_set);
        if (best.set && is_better(&rivals[i].law, &best) && is_growing(terms, values, &rivals[i]))
            best = rivals[i].law;
    }
    for (size_t i = 0; i < terms->set_count && best.set; i++)
        if (laws[i].law.set && laws[i].law.error <= NEARLY * best.error) {
            best.low = fmin(best.low, laws[i].law.value);
            best.high = fmax(best.high, laws[i].law.value);
        }
    reach_rivals(terms, values, rivals, &best);
    return best;
}

struct ft_row_law ft_row_law_choose(struct ft_law_workspace *workspace,
                                    const struct ft_law_terms *terms,
                                    const struct ft_law_values *values)
{
    struct ft_law_terms suffix = *terms;
    struct ft_row_law best = best_from(workspace, terms, values);
    for (size_t i = 1; i <= LEFT_OUT_MAX; i++) {
        suffix.first++;
        if (suffix.first + FT_LAW_SIZES_MIN > terms->size_count)
            break;
        const struct ft_row_law law = best_from(workspace, &suffix, values);
        if (law.set && (!best.set || law.error < NEW_LAW_WINS * best.error))
            best = law;
    }
    return best;
}
