/*
 * The laws that counts may follow (row_laws.h): powers of the size from 1/2 to 4, with and without
 * a logarithm, each alone, with a constant, with a slower one, or with both.
 */
#ifndef FT_PREDICT_INTERVALS_POWER_LAWS_H
#define FT_PREDICT_INTERVALS_POWER_LAWS_H

#include "predict/intervals/row_laws.h"

void ft_power_laws_init(struct ft_law_terms *terms, const double *sizes, size_t size_count,
                        double target);

#endif
