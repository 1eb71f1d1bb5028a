/*
 * A model at one value of its parameter on one machine: accesses, misses, instructions and cycles
 * of every scope of the model (docs/predict.md).
 *
 * Metrics are real numbers in rows, one per scope, with the columns of metrics.h: `exclusive` is
 * what a scope does by itself; `inclusive` adds the loops inside it (not the routines that it
 * calls); row 0 of `inclusive` is the program. Model and machine must outlive the prediction.
 */
#ifndef FT_PREDICT_PREDICTION_H
#define FT_PREDICT_PREDICTION_H

#include "formats/base/progress.h"
#include "formats/model/query_point.h"
#include "predict/intervals/interval.h"
#include "predict/metrics/heap_sizes.h"
#include "predict/metrics/metrics.h"
#include "predict/metrics/set_conflicts.h"
#include "predict/resolution.h"
#include "predict/time/convolved_time.h"
#include "predict/time/penalty_time.h"
#include "predict/time/time_estimate.h"

/* How misses are forecast. */
enum ft_miss_method {
    FT_MISSES_BEST,       /* each number by the surer of the others */
    FT_MISSES_HISTOGRAMS, /* reuse distances, and random sets */
    FT_MISSES_SYNTHESIS,  /* the best, however many accesses are to be made */
};

struct ft_predict_options {
    bool dirty_memory;
    enum ft_miss_method misses;
    struct ft_progress *progress; /* of a synthesis; may be NULL */
    const struct ft_bandwidth_function
        *bandwidth;                      /* of the machine: for convolved times; or NULL */
    bool with_penalties;                 /* times by schedule and penalty, too */
    struct ft_path_schedules *schedules; /* of another prediction on the machine, which outlives
                                            this one: what it found of paths is taken; or NULL */
};

/* Accesses that are simulated one by one without being asked for. */
#define FT_SYNTHESIS_ACCESSES 2e9

struct ft_prediction {
    const struct ft_model *model;
    const struct ft_machine *machine;
    struct ft_query_point size;
    double n;             /* its value */
    struct ft_point at;   /* the same, with the model's terms */
    double extrapolation; /* as ft_model_extrapolation gives it */
    bool dirty_memory;
    struct ft_heap_sizes heap;
    struct ft_thread_work threads; /* splits: owned; NULL: of one thread, or unknown */
    bool *is_unshared;             /* [level]: threads share it, and the model does not say how they
                                      miss there */
    size_t width;                  /* columns of a row */
    double *exclusive, *inclusive; /* [scope * width + column] */
    struct ft_interval *intervals; /* of inclusive: [scope * width + column] */
    struct ft_resolution *resolutions; /* [level of the machine] */
    struct ft_set_conflict *conflicts; /* [level of the machine] */
    enum ft_misses_by *misses_by;      /* [column]: of the program's inclusive row */
    double *store_conflicts;   /* [scope]: stores, by synthesis (store_conflicts.h); or NULL */
    const char *not_synthetic; /* why none is; NULL: the skeleton says something about the size */
    struct ft_path_schedules *schedules; /* of the machine's core; NULL: not the code */
    bool owns_schedules;
    struct ft_scope_time *times; /* [scope], exclusive; NULL: the model does not know its code, or
                                    how threads divide it, or the machine its core */
    double
        *waits; /* [scope * levels of the machine + source], in their cycles (time_components.h) */
    struct ft_time_estimate *estimates;  /* [scope]; NULL likewise */
    struct ft_convolved_time *convolved; /* [scope]; NULL: without a bandwidth function */
    struct ft_penalty_time *penalties;   /* [scope]; NULL: not asked for */
    uint32_t long_string_calls; /* as ft_string_calls_long gives it: why accesses may be others */
};

/* Checks first that the model has the machine's block sizes (machine_blocks.h). */
int ft_predict(const struct ft_model *model, const struct ft_machine *machine,
               const struct ft_query_point *size, const struct ft_predict_options *options,
               struct ft_prediction *ret_prediction, struct ft_diag *diag);
void ft_prediction_fini(struct ft_prediction *prediction);
/* What its times are of; borrowed. */
struct ft_time_rows ft_prediction_time_rows(const struct ft_prediction *prediction);

/* What the schedules of its penalties are of: "instructions" of a core's description, "classes" of
 * them on a machine's units, or "units" alone, as the model has no code. */
const char *ft_prediction_schedule_name(const struct ft_prediction *prediction);

#endif
