/*
 * Levels that several cores share, where several threads run: their misses are those of the
 * threads' accesses as they are interleaved, which a shared model has
 * (formats/model/model_threads.h).
 */
#ifndef FT_PREDICT_SHARED_LEVELS_H
#define FT_PREDICT_SHARED_LEVELS_H

#include "formats/model/thread_lookup.h"
#include "predict/intervals/interval.h"
#include "predict/metrics/metrics.h"

/* "L3, L4": levels whose distances are not the model's own where so many threads run; "" where
 * there are none. */
#define FT_LEVELS_TEXT 256
void ft_levels_text_add(char text[FT_LEVELS_TEXT], const char *name);
char *ft_shared_levels_text(char text[FT_LEVELS_TEXT], const struct ft_model *model,
                            const struct ft_machine *machine, double threads);

/* The rows of a prediction, all replaced in place. */
struct ft_shared_rows {
    const struct ft_metrics *metrics;
    double *exclusive, *inclusive;
    struct ft_interval *intervals; /* of inclusive */
    bool *is_unshared;             /* [level]: set */
};

/* Puts what a shared model forecasts of some levels into the rows: is_of_it: [level]. */
typedef int ft_shared_take(void *context, const struct ft_model *shared, const bool *is_of_it,
                           struct ft_diag *diag);

/* Replaces the misses of levels whose distances are not the model's own, and what follows from
 * misses. Of levels that have none is_unshared is set, the interval reaches from nothing to all
 * misses of the level before, and nothing is known. */
int ft_shared_levels_replace(const struct ft_shared_rows *rows, double threads,
                             ft_shared_take *take, void *context, struct ft_diag *diag);

#endif
