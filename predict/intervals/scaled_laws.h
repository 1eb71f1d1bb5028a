/*
 * Forecasts of rows from the rows themselves, where laws of their groups find nothing: sorting,
 * searching, graphs, unstructured meshes, whose data are random. In caches that are scaled with the
 * data (scaled_rows.h) a row's misses per access, or per block of the data, are nearly constant; a
 * law (row_laws.h) of the accesses, the footprint and a constant remains to be fitted. Accesses and
 * executions follow laws of the size (power_laws.h).
 *
 * Needs gsl_set_error_handler_off() once before.
 */
#ifndef FT_PREDICT_INTERVALS_SCALED_LAWS_H
#define FT_PREDICT_INTERVALS_SCALED_LAWS_H

#include "predict/intervals/interval.h"
#include "predict/intervals/scaled_rows.h"

struct ft_scaled_laws {
    const struct ft_spread_task *task;
    struct ft_law_workspace *workspace;
    struct ft_scaled_rows rows;
};

int ft_scaled_laws_init(struct ft_scaled_laws *laws, const struct ft_spread_task *task,
                        struct ft_diag *diag);
void ft_scaled_laws_fini(struct ft_scaled_laws *laws);

struct ft_scaled_forecast {
    double value;
    struct ft_interval interval;
};
/* Of a number of the task. accesses: the forecast for its row, which the law of a count does not
 * need. misfit: logarithm of the factor by which its functions miss the training counts, where
 * these are not known themselves. Not known where no law is found. */
struct ft_scaled_forecast ft_scaled_laws_forecast(const struct ft_scaled_laws *laws, size_t number,
                                                  const struct ft_scaled_forecast *accesses,
                                                  double misfit);

#endif
