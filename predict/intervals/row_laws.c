/* Every set of terms is fitted in each cache without the largest size, and in those near the one in
 * question with it. */
#include "predict/intervals/row_laws.h"

#include <gsl/gsl_multifit.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define NEARLY       2.0 /* ratio of errors */
#define SIMPLER_WINS 0.7 /* ratio of errors that a set of more terms must reach */
#define NEAR_CACHES  3U  /* the first ones: the cache itself, and what it may be */

struct ft_law_workspace {
    gsl_multifit_linear_workspace *gsl;
    gsl_matrix *design, *covariance;
    gsl_vector *relative, *coefficients;
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

/* The coefficients of the set for the first sizes; false where one is negative. ret_square: the
 * mean square of the relative errors, per degree of freedom. */
static bool fit_set(struct ft_law_workspace *workspace, const struct ft_law_terms *terms,
                    uint32_t set, const double *values, size_t size_count, double *ret_square)
{
    size_t members[FT_LAW_SET_TERMS];
    const size_t count = terms_of(set, members);
    if (size_count <= count)
        return false;
    for (size_t i = 0; i < size_count; i++) {
        const double magnitude = fmax(values[i], 1);
        for (size_t j = 0; j < count; j++)
            gsl_matrix_set(workspace->design, i, j, terms->at_sizes[members[j]][i] / magnitude);
        gsl_vector_set(workspace->relative, i, values[i] / magnitude);
    }
    gsl_matrix_view design = gsl_matrix_submatrix(workspace->design, 0, 0, size_count, count);
    gsl_matrix_view covariance = gsl_matrix_submatrix(workspace->covariance, 0, 0, count, count);
    gsl_vector_view relative = gsl_vector_subvector(workspace->relative, 0, size_count);
    gsl_vector_view coefficients = gsl_vector_subvector(workspace->coefficients, 0, count);
    double squares;
    if (gsl_multifit_linear(&design.matrix, &relative.vector, &coefficients.vector,
                            &covariance.matrix, &squares, workspace->gsl) != GSL_SUCCESS)
        return false;
    *ret_square = squares / (double)(size_count - count);
    return !(gsl_vector_min(&coefficients.vector) < 0);
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

static struct ft_row_law law_of(struct ft_law_workspace *workspace,
                                const struct ft_law_terms *terms, uint32_t set,
                                const struct ft_law_values *values)
{
    const size_t last = terms->size_count - 1;
    struct ft_row_law law = {.set = set, .low = INFINITY};
    double held_out = 0, own = 0, square;
    for (size_t cache = 0; cache < FT_LAW_CACHES; cache++) {
        if (!fit_set(workspace, terms, set, values->in_cache[cache], last, &square))
            return (struct ft_row_law){0};
        const double there = law_at(workspace, terms, set, last);
        held_out += pow(log((there + 1) / (values->in_cache[cache][last] + 1)), 2) / FT_LAW_CACHES;
    }
    for (size_t cache = 0; cache < NEAR_CACHES; cache++) {
        if (!fit_set(workspace, terms, set, values->in_cache[cache], last + 1, &square))
            return (struct ft_row_law){0};
        const double there = law_at(workspace, terms, set, terms->size_count);
        if (cache == 0) {
            law.value = there;
            own = square;
        }
        law.low = fmin(law.low, there);
        law.high = fmax(law.high, there);
    }
    law.error = sqrt(fmax(held_out, own));
    return law;
}

struct ft_row_law ft_row_law_choose(struct ft_law_workspace *workspace,
                                    const struct ft_law_terms *terms,
                                    const struct ft_law_values *values)
{
    struct ft_row_law laws[FT_LAW_SETS], best = {0};
    for (size_t i = 0; i < terms->set_count; i++) {
        laws[i] = law_of(workspace, terms, terms->sets[i], values);
        if (laws[i].set && (!best.set || laws[i].error < SIMPLER_WINS * best.error))
            best = laws[i];
    }
    for (size_t i = 0; i < terms->set_count && best.set; i++)
        if (laws[i].set && laws[i].error <= NEARLY * best.error) {
            best.low = fmin(best.low, laws[i].value);
            best.high = fmax(best.high, laws[i].value);
        }
    return best;
}
