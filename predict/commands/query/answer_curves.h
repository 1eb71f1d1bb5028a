/*
 * The misses in a query's caches as curves over sizes, of a model and of its variants, which are
 * asked the same question for an interval (answer_interval.h): its replicas; the model with
 * capacities smaller and larger, since a working set near one may or may not fit; and each method
 * of the ensemble alone. As in predict/intervals/spread.h, but without shifted distances: the
 * errors of these are known at one size only.
 */
#ifndef FT_PREDICT_COMMANDS_QUERY_ANSWER_CURVES_H
#define FT_PREDICT_COMMANDS_QUERY_ANSWER_CURVES_H

#include "predict/commands/query/answer.h"
#include "predict/intervals/perturbed_model.h"

/* Sampled over a line; the caller frees the curve. */
int ft_answer_curve(const struct ft_answer *answer, const struct ft_size_line *line, bool reuse,
                    struct ft_miss_curve *curve, struct ft_diag *diag);

/* Start from {0}; none where the model has no replicas. */
struct ft_variant_curves {
    struct ft_miss_curve *curves; /* [count], those of the replicas first */
    size_t count, replica_count;
    struct ft_perturbed_model *alone; /* [alone_count] */
    size_t alone_count;
    double *scales; /* of capacities: [2 * levels] */
};

/* Over the sizes of a model's line. fini also after a failure. */
int ft_variant_curves(const struct ft_answer *answer, const struct ft_size_line *line, bool reuse,
                      struct ft_variant_curves *variants, struct ft_diag *diag);
void ft_variant_curves_fini(struct ft_variant_curves *variants);

/* Whether what a sample says of a cache is known (ft_answer_knows). */
bool ft_answer_knows_sample(const struct ft_miss_curve *curve, size_t cache, const double *sample);

/* A limit within the sizes asked about; ">=" where it is the last of them, and so may be beyond. */
void ft_answer_limit(struct ft_table *table, const struct ft_miss_curve *curve, double n);

/* Of two sizes the one nearer to the estimate, in their ratio; `a` may be NAN. */
double ft_nearer_size(double estimate, double a, double b);

#endif
