/*
 * Forecasts of rows from the rows themselves, where laws of their groups find nothing: sorting,
 * searching, graphs, unstructured meshes, whose data are random. A row's misses are computed at the
 * training sizes in caches that are as large relative to the data there as the machine's are to the
 * data at the target. Per access or per block of the data they are then nearly constant; a law
 * (row_laws.h) of the accesses, the footprint and a constant remains to be fitted. Accesses and
 * executions follow laws of the size.
 *
 * Needs gsl_set_error_handler_off() once before.
 */
#ifndef FT_PREDICT_INTERVALS_SCALED_LAWS_H
#define FT_PREDICT_INTERVALS_SCALED_LAWS_H

#include "predict/intervals/interval.h"
#include "predict/intervals/row_laws.h"
#include "predict/intervals/spread_task.h"

/* The data that grow, in blocks of a level. */
struct ft_scaled_level {
    double at_sizes[FT_TRAINING_MAX], at_target;
    double error;         /* logarithm of a factor by which at_target may be off */
    bool has_enough_data; /* for a cache that is scaled with them to be one */
};

struct ft_scaled_laws {
    const struct ft_spread_task *task;
    size_t size_count;
    double sizes[FT_TRAINING_MAX];  /* values of the parameter */
    double reach;                   /* of the forecast, in steps as that to the largest size */
    struct ft_scaled_level *levels; /* [level of the machine] */
    double *rows;                   /* [(cache * size_count + size) * numbers + number] */
    struct ft_law_workspace *workspace;
};

/* Models over one parameter with enough training sizes have such laws (size_count > 0). */
int ft_scaled_laws_init(struct ft_scaled_laws *laws, const struct ft_spread_task *task,
                        struct ft_diag *diag);
void ft_scaled_laws_fini(struct ft_scaled_laws *laws);

struct ft_scaled_forecast {
    double value;
    struct ft_interval interval;
};
/* Of a number of the task. accesses: the forecast for its row, which the law of a count does not
 * need. misfit: logarithm of the factor by which its functions miss the training counts. Not known
 * where no law is found. */
struct ft_scaled_forecast ft_scaled_laws_forecast(const struct ft_scaled_laws *laws, size_t number,
                                                  const struct ft_scaled_forecast *accesses,
                                                  double misfit);

#endif
