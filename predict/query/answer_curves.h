/*
 * The misses in a query's caches as curves over sizes, of a model and of its replicas; and
 * questions about one cache that the replicas' curves are asked, for an interval
 * (answer_interval.h).
 */
#ifndef FT_PREDICT_QUERY_ANSWER_CURVES_H
#define FT_PREDICT_QUERY_ANSWER_CURVES_H

#include "predict/query/answer.h"

/* Sampled over a line; the caller frees the curve. */
int ft_answer_curve(const struct ft_answer *answer, const struct ft_size_line *line, bool reuse,
                    struct ft_miss_curve *curve, struct ft_diag *diag);
/* Those of all replicas, over the sizes that are asked about. */
int ft_answer_replica_curves(const struct ft_answer *answer, const struct ft_model *model,
                             bool reuse, struct ft_miss_curve **ret_curves, struct ft_diag *diag);
void ft_answer_curves_free(const struct ft_model *model, struct ft_miss_curve *curves);

/* Whether what a sample says of a cache is known (ft_answer_knows). */
bool ft_answer_knows_sample(const struct ft_miss_curve *curve, size_t cache, const double *sample);

/* A limit within the sizes asked about; ">=" where it is the last of them, and so may be beyond. */
void ft_answer_limit(struct ft_table *table, const struct ft_miss_curve *curve, double n);

struct ft_curve_question {
    struct ft_miss_curve *curves; /* [replica] */
    size_t cache;
    double miss_ratio; /* of a range */
    bool rises;        /* of a critical size */
};

/* Of two sizes the one nearer to the estimate, in their ratio; `a` may be NAN. */
double ft_nearer_size(double estimate, double a, double b);

#endif
