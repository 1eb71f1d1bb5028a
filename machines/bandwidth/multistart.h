/*
 * The other way to train a bandwidth function: least squares of the relative errors by GSL's trust
 * region method from many starts (a Sobol sequence), each followed by a simplex search for the
 * least sum of absolute relative errors, which is what the genetic algorithm seeks.
 *
 * Deterministic, at any number of threads (OpenMP over starts). Needs gsl_set_error_handler_off()
 * once before.
 */
#ifndef FT_MACHINES_BANDWIDTH_MULTISTART_H
#define FT_MACHINES_BANDWIDTH_MULTISTART_H

#include "machines/bandwidth/training.h"

#define FT_MULTISTART_STARTS 64

/* ret_genes: [gene_count], the best. */
int ft_multistart_train(const struct ft_training *training, uint32_t starts, double *ret_genes,
                        struct ft_diag *diag);

#endif
