/*
 * Explains what a routine or loop misses and what it waits for, at the point of a prediction
 * (explanation.h). Where the model has a skeleton that reaches the size, its accesses are made and
 * simulated: once for misses, once to see what carries them, and for each change of the code that
 * may help. Otherwise by histograms.
 */
#ifndef FT_PREDICT_EXPLAIN_EXPLAIN_H
#define FT_PREDICT_EXPLAIN_EXPLAIN_H

#include "predict/explain/explanation.h"

struct ft_explain_options {
    double simulated_max;         /* accesses; where more are to be simulated it is by histograms */
    uint64_t iterations_max;      /* that are followed to see what carries misses */
    bool without_forecasts;       /* of changes */
    struct ft_progress *progress; /* may be NULL */
};
#define FT_EXPLAIN_ITERATIONS UINT64_C(10000000)

/* The prediction must outlive the explanation. */
int ft_explain(const struct ft_prediction *prediction, uint32_t scope,
               const struct ft_explain_options *options, struct ft_explanation *ret_explanation,
               struct ft_diag *diag);

#endif
