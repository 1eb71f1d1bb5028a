/*
 * Genes from 0 to 1 are (1 + sin(angle)) / 2: the searches are over angles, which have no ends.
 */
#include "machines/bandwidth/multistart.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <gsl/gsl_multimin.h>
#include <gsl/gsl_qrng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SQUARES_ITERATIONS 100
#define SIMPLEX_ITERATIONS 3000
#define SIMPLEX_SIZE       1e-7
#define SIMPLEX_STEP       0.1

struct search {
    double genes[FT_BANDWIDTH_PARAMETERS_MAX];
    double fitness; /* INFINITY: it failed */
};

static void read_angles(const gsl_vector *angles, double *ret_genes)
{
    for (size_t i = 0; i < angles->size; i++)
        ret_genes[i] = 0.5 * (1 + sin(gsl_vector_get(angles, i)));
}

static void set_angles(const double *genes, gsl_vector *angles)
{
    for (size_t i = 0; i < angles->size; i++)
        gsl_vector_set(angles, i, asin(2 * genes[i] - 1));
}

/* ret_residuals may be a column of a matrix. */
static int residuals(const gsl_vector *angles, void *context, gsl_vector *ret_residuals)
{
    double genes[FT_BANDWIDTH_PARAMETERS_MAX];
    read_angles(angles, genes);
    ft_training_residuals(context, genes, ret_residuals->data, ret_residuals->stride);
    return GSL_SUCCESS;
}

static double fitness(const gsl_vector *angles, void *context)
{
    double genes[FT_BANDWIDTH_PARAMETERS_MAX];
    read_angles(angles, genes);
    return ft_training_fitness(context, genes);
}

/* Both go from search->genes to better ones; false: out of memory. */
static bool fit_squares(const struct ft_training *training, struct search *search,
                        gsl_vector *angles)
{
    const gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_fdf system = {.f = residuals,
                                       .n = training->point_count,
                                       .p = training->gene_count,
                                       .params = (void *)training};
    gsl_multifit_nlinear_workspace *workspace =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, system.n, system.p);
    int info;
    if (!workspace)
        return false;
    set_angles(search->genes, angles);
    /* Where it stops without having converged, it has come some way. */
    if (gsl_multifit_nlinear_init(angles, &system, workspace) == GSL_SUCCESS) {
        gsl_multifit_nlinear_driver(SQUARES_ITERATIONS, 1e-10, 1e-10, 0, NULL, NULL, &info,
                                    workspace);
        read_angles(gsl_multifit_nlinear_position(workspace), search->genes);
    }
    gsl_multifit_nlinear_free(workspace);
    return true;
}

static bool search_simplex(const struct ft_training *training, struct search *search,
                           gsl_vector *angles, gsl_vector *steps)
{
    gsl_multimin_function function = {fitness, training->gene_count, (void *)training};
    gsl_multimin_fminimizer *minimizer =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, training->gene_count);
    if (!minimizer)
        return false;
    set_angles(search->genes, angles);
    gsl_vector_set_all(steps, SIMPLEX_STEP);
    if (gsl_multimin_fminimizer_set(minimizer, &function, angles, steps) == GSL_SUCCESS) {
        for (unsigned i = 0; i < SIMPLEX_ITERATIONS; i++)
            if (gsl_multimin_fminimizer_iterate(minimizer) != GSL_SUCCESS ||
                gsl_multimin_fminimizer_size(minimizer) < SIMPLEX_SIZE)
                break;
        read_angles(minimizer->x, search->genes);
    }
    gsl_multimin_fminimizer_free(minimizer);
    return true;
}

static void run_search(const struct ft_training *training, struct search *search)
{
    gsl_vector *angles = gsl_vector_alloc(training->gene_count),
               *steps = gsl_vector_alloc(training->gene_count);
    const bool enough = angles && steps && fit_squares(training, search, angles) &&
                        search_simplex(training, search, angles, steps);
    search->fitness = enough ? ft_training_fitness(training, search->genes) : INFINITY;
    gsl_vector_free(angles);
    gsl_vector_free(steps);
}

static int draw_starts(size_t gene_count, struct search *searches, uint32_t starts,
                       struct ft_diag *diag)
{
    gsl_qrng *sobol = gsl_qrng_alloc(gsl_qrng_sobol, (unsigned)gene_count);
    if (!sobol)
        return ft_fail_memory(diag, "starts");
    for (uint32_t i = 0; i < starts; i++)
        gsl_qrng_get(sobol, searches[i].genes);
    gsl_qrng_free(sobol);
    return FT_OK;
}

int ft_multistart_train(const struct ft_training *training, uint32_t starts, double *ret_genes,
                        struct ft_diag *diag)
{
    struct search *searches = calloc((size_t)starts + 1, sizeof *searches);
    if (!searches)
        return ft_fail_memory(diag, "starts");
    int status = draw_starts(training->gene_count, searches, starts, diag);
    if (status == FT_OK) {
        const struct search *best = searches;
#pragma omp parallel for schedule(dynamic)
        for (uint32_t i = 0; i < starts; i++)
            run_search(training, &searches[i]);
        for (uint32_t i = 1; i < starts; i++)
            if (searches[i].fitness < best->fitness)
                best = &searches[i];
        if (isfinite(best->fitness))
            memcpy(ret_genes, best->genes, training->gene_count * sizeof *ret_genes);
        else
            status = ft_fail(diag, FT_ERROR_NUMERIC, "no start of %u led anywhere", starts);
    }
    free(searches);
    return status;
}
