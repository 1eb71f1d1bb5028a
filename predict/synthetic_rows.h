/*
 * Misses of a model's scopes by synthesis: the accesses at a size are made from the model's
 * skeleton (docs/skeleton.md) and simulated, so that conflicts in sets are exact. What the skeleton
 * does not explain is not in them: how much that is follows from the accesses that the model
 * forecasts. Rows have the columns of engine/simulate/simulate_trace.h. One thread at a time.
 */
#ifndef FT_PREDICT_SYNTHETIC_ROWS_H
#define FT_PREDICT_SYNTHETIC_ROWS_H

#include "formats/base/progress.h"
#include "formats/model/model.h"
#include "machines/machine.h"

struct ft_synthetic_request {
    const struct ft_model *model;
    const struct ft_machine *machine;
    double size;            /* of the model's parameter */
    const double *accesses; /* [scope * width]: as the model forecasts them, exclusive */
    size_t width;
    double accesses_max; /* more are not simulated */
    struct ft_progress *progress;
};

struct ft_synthetic_rows {
    const char *missing; /* why there are none; NULL: there are */
    size_t width;
    double *own;     /* [scope of the model * width + column] */
    double *strange; /* [scope]: accesses that only the synthesis makes, or only the program */
    bool *is_lawful; /* [scope]: all of its accesses follow laws */
    double *errors;  /* [scope * levels + level] (synthetic_errors.h) */
    double accesses; /* that were made */
};

/* Where a model says nothing about the size, ret_rows->missing is set. */
int ft_synthetic_rows_make(const struct ft_synthetic_request *request,
                           struct ft_synthetic_rows *ret_rows, struct ft_diag *diag);
void ft_synthetic_rows_fini(struct ft_synthetic_rows *rows);

#endif
