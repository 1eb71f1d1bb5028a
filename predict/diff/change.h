/*
 * By how much a value changes from one side of a diff to the other, how sure that is, and limits of
 * such changes ("misses.L2 > +5%"). Plain values, pure.
 *
 * A change has an interval where both values have. Errors of the two are taken for independent; or
 * for alike, both at the lower ends of their intervals or both at the upper ones, where both are
 * forecasts of one model, or by one machine file (as predict/ranking.h has it).
 */
#ifndef FT_PREDICT_DIFF_CHANGE_H
#define FT_PREDICT_DIFF_CHANGE_H

#include "predict/diff/diff_side.h"

struct ft_change {
    struct ft_compared_value absolute; /* second - first */
    struct ft_compared_value relative; /* of the first; INFINITY where that is 0 */
};
/* values: of both sides. NAN: unknown. */
struct ft_change ft_change_of(const struct ft_compared_value values[2], bool alike);

/* What is limited: the change, where the limit is a percentage or has a sign; else the second
 * side's value itself. */
enum ft_limited { FT_LIMIT_RELATIVE, FT_LIMIT_CHANGE, FT_LIMIT_VALUE };
struct ft_diff_limit {
    const char *text; /* a view */
    size_t metric;
    enum ft_limited limited;
    bool is_above; /* it holds above the value; else below */
    double value;  /* a ratio, a count, or seconds */
};
/* "METRIC > LIMIT" or "METRIC < LIMIT". Counts may end in K, M, G, T (powers of 1000), times in s,
 * ms, us or ns. FT_ERROR_USAGE says what is wrong with the text. */
int ft_diff_limit_read(const char *text, const struct ft_diff_metrics *metrics,
                       struct ft_diff_limit *ret_limit, struct ft_diag *diag);

struct ft_verdict {
    struct ft_compared_value judged; /* what the limit is about */
    bool is_known, holds;            /* by the estimate */
    bool is_sure;                    /* the interval is on the same side of the limit */
};
struct ft_verdict ft_diff_limit_judge(const struct ft_diff_limit *limit,
                                      const struct ft_compared_value values[2], bool alike);
/* Whether there is an interval, and the limit in it. */
bool ft_verdict_is_doubtful(const struct ft_verdict *verdict);

#endif
