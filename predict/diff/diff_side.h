/*
 * One side of a diff: metrics of every scope of a program, forecast, simulated, or counted in
 * histograms. Values are real numbers; `inclusive` adds the loops nested in a scope (not the
 * routines that it calls); scope 0 is the program.
 *
 * Counts are exact, with intervals of no width. Misses of histograms are those that `predict`
 * derives from reuse distances, fully associative and in sets, with unknown intervals. A side owns
 * its arrays and points to the scopes.
 */
#ifndef FT_PREDICT_DIFF_DIFF_SIDE_H
#define FT_PREDICT_DIFF_DIFF_SIDE_H

#include "engine/simulate/simulate_trace.h"
#include "formats/histograms/entry.h"
#include "predict/compared_value.h"

/* What is compared: the same on both sides, in the order in which it is shown. Names of levels are
 * views of the machines'. */
struct ft_diff_metrics {
    struct ft_shown_metric *items;
    size_t count;
};
/* Time if asked for, accesses, instructions, then both kinds of misses of each level that one of
 * the machines has; a machine may be NULL. */
int ft_diff_metrics_make(const struct ft_machine *const machines[2], bool with_time,
                         struct ft_diff_metrics *ret_metrics, struct ft_diag *diag);
void ft_diff_metrics_fini(struct ft_diff_metrics *metrics);
/* "time", "accesses", "misses.L2", "full.L2": the name that options take and data have; all of
 * them, as far as they fit; and the metric of a name, or of a kind without levels, the count where
 * it is none. */
#define FT_DIFF_METRIC_TEXT 128
char *ft_diff_metric_name(char text[FT_DIFF_METRIC_TEXT], const struct ft_shown_metric *metric);
#define FT_DIFF_METRICS_TEXT 512
char *ft_diff_metrics_text(char text[FT_DIFF_METRICS_TEXT], const struct ft_diff_metrics *metrics);
size_t ft_diff_metric_find(const struct ft_diff_metrics *metrics, const char *name);
size_t ft_diff_metric_of(const struct ft_diff_metrics *metrics, enum ft_shown kind);

struct ft_diff_side {
    const struct ft_scopes *scopes;
    size_t metric_count;
    double *exclusive;                   /* [scope * metric_count + metric]; NAN: unknown */
    struct ft_compared_value *inclusive; /* likewise */
};

int ft_diff_side_of_prediction(const struct ft_prediction *prediction,
                               const struct ft_diff_metrics *metrics, struct ft_diff_side *ret_side,
                               struct ft_diag *diag);
/* machine: that was simulated; NULL: none was, and only accesses and instructions are known. */
int ft_diff_side_of_trace(const struct ft_simulated_trace *simulated,
                          const struct ft_machine *machine, const struct ft_diff_metrics *metrics,
                          struct ft_diff_side *ret_side, struct ft_diag *diag);
/* machine likewise. FT_ERROR_USAGE if the histograms lack a block size of it; the message names the
 * command that adds it. */
int ft_diff_side_of_histograms(const struct ft_histograms *histograms,
                               const struct ft_machine *machine,
                               const struct ft_diff_metrics *metrics, struct ft_diff_side *ret_side,
                               struct ft_diag *diag);
void ft_diff_side_fini(struct ft_diff_side *side);

#endif
