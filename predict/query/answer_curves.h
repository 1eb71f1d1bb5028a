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
/* Whether what a sample says of a cache is known (ft_answer_knows). */
bool ft_answer_knows_sample(const struct ft_miss_curve *curve, size_t cache, const double *sample);

#endif
