/*
 * What a synthesis (docs/skeleton.md) does not know of a program at a size: whether there is one,
 * and by scope the accesses that are not the program's, and by how much those that are drawn may be
 * off. One thread at a time.
 */
#ifndef FT_PREDICT_SYNTHETIC_GAPS_H
#define FT_PREDICT_SYNTHETIC_GAPS_H

#include "fit/skeletons/synthesis.h"
#include "formats/base/progress.h"
#include "formats/model/model.h"
#include "machines/machine.h"

struct ft_synthetic_request {
    const struct ft_model *model;
    const struct ft_machine *machine;
    double size;            /* of the model's parameter */
    const double *accesses; /* [scope * width]: as the model forecasts them, exclusive */
    size_t width;
    double accesses_max;  /* more are not made */
    double simulated_max; /* where more would have to be simulated one by one, none are */
    double store_buffer;  /* stores that the core has under way; 0: unknown */
    struct ft_progress *progress;
};

/* Why the model's skeleton says nothing about the size; NULL: it does. */
const char *ft_synthetic_missing(const struct ft_synthetic_request *request);
/* The synthesis at the size, which ends with FT_ERROR_UNSUPPORTED where it makes far more accesses
 * than are forecast. */
#define FT_SYNTHESIS_TOO_LONG "there are too many accesses to make them without --misses synthesis"
#define FT_SYNTHESIS_RUNS_OFF "it makes far more accesses than the model says there are"
/* Why a synthesis of the request ended so. */
const char *ft_synthetic_end(const struct ft_synthetic_request *request);
int ft_synthetic_start(const struct ft_synthetic_request *request,
                       struct ft_synthesis *ret_synthesis, struct ft_diag *diag);

/* How far a figure may be off at least, relative, to either side. */
#define FT_SYNTHETIC_FLOOR 0.0005
/* Misses of one strange access: its own, and of what it displaces. */
#define FT_MISSES_PER_STRANGE 2.0

struct ft_synthetic_gaps {
    double *strange;  /* [scope]: accesses that only the synthesis makes, or only the program */
    bool *is_lawful;  /* [scope]: all of its accesses follow laws */
    bool *is_cut;     /* [scope]: all, but for what is drawn in loops that are cut */
    double *loose;    /* [scope]: share of its accesses that are drawn, or in loops without laws */
    double *single;   /* [scope]: share that stands outside of loops, without a law */
    double *errors;   /* [scope * levels + level] (synthetic_errors.h) */
    bool *is_filled;  /* [scope]: of a memset or the like, which the synthesis has, or nearly */
    double *granules; /* [scope]: accesses more or fewer, if long calls use no vectors there */
};
/* made: [scope * width]: accesses by the synthesis, exclusive. */
int ft_synthetic_gaps_find(const struct ft_synthetic_request *request,
                           const struct ft_synthesis *synthesis, const double *made, size_t width,
                           struct ft_synthetic_gaps *ret_gaps, struct ft_diag *diag);
void ft_synthetic_gaps_fini(struct ft_synthetic_gaps *gaps);

#endif
