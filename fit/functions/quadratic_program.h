/*
 * Constrained linear least squares: minimise the sum over rows of (weight * (A x - b))^2 subject to
 * G x >= h, by the dual active set method of Goldfarb & Idnani (Mathematical Programming 27, 1983).
 * Convex: the answer is the one minimum. rows >= columns; A of full column rank.
 *
 * Errors: FT_ERROR_NUMERIC where A is rank deficient or no x is feasible. The workspace holds all
 * memory; one workspace a thread.
 */
#ifndef FT_FIT_FUNCTIONS_QUADRATIC_PROGRAM_H
#define FT_FIT_FUNCTIONS_QUADRATIC_PROGRAM_H

#include <gsl/gsl_matrix.h>
#include <gsl/gsl_vector.h>
#include <stddef.h>

#include "formats/base/status.h"

struct ft_qp_workspace;
int ft_qp_workspace_create(size_t max_rows, size_t max_columns, size_t max_constraints,
                           struct ft_qp_workspace **ret_workspace, struct ft_diag *diag);
void ft_qp_workspace_destroy(struct ft_qp_workspace *workspace);

/* weights may be NULL (all 1), G and h may be NULL (no constraints). ret_multipliers may be NULL;
 * else it gets one Lagrange multiplier a constraint: gradient of half the sum = G^T multipliers. */
int ft_qp_solve(struct ft_qp_workspace *workspace, const gsl_matrix *a, const gsl_vector *b,
                const gsl_vector *weights, const gsl_matrix *g, const gsl_vector *h,
                gsl_vector *ret_x, gsl_vector *ret_multipliers, struct ft_diag *diag);

#endif
