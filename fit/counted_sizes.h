/*
 * The sizes at which executions are known: the training sizes, and those of runs that counted
 * without addresses (`capture --counts`), which cost less and so are more and larger (Marin &
 * Mellor-Crummey 2004, section 2.2). Counts over all of them are in columns, ascending by size.
 *
 * Entries of such runs have metadata, trace hash and scopes; nothing in them is changed.
 */
#ifndef FT_FIT_COUNTED_SIZES_H
#define FT_FIT_COUNTED_SIZES_H

#include "fit/functions/leave_out_axes.h"
#include "fit/matching/match.h"
#include "formats/model/model.h"

struct ft_counted_sizes {
    const struct ft_histograms **entries; /* [count]: first those of counts alone, then those with
                                             addresses, by size each: the last one's scopes are the
                                             model's */
    size_t count, alone;                  /* so many without addresses; 0: nothing else is set */
    size_t columns[FT_TRAINING_MAX];      /* [entry] */
    double *values;                       /* [column][parameters] */
    struct ft_match match;                /* the entries' scopes */
    struct ft_axis axis;
    struct ft_leave_out_axes without; /* of the model's replicas, in their order */
};

/* What code the runs without addresses have that no training size has. */
struct ft_counted_notes {
    double untraced_share;          /* of the instructions of a run, the largest of all runs */
    const struct ft_scope *scope;   /* where most of it is; of the run's own scopes */
    size_t run;                     /* which run, by size */
    size_t confirmed, contradicted; /* exact laws of the training sizes that the others keep to,
                                       and that they do not */
};

/* traced: by size, with their values. runs: of files `paths`, in any order; one of a size that the
 * training sizes have is only compared with it. FT_ERROR_USAGE where one contradicts them: another
 * build, a size without a value, other counts at the same size. */
int ft_counted_sizes_init(struct ft_counted_sizes *sizes, const struct ft_histograms *const *traced,
                          const double *values, size_t traced_count,
                          const struct ft_histograms *runs, const char *const *paths,
                          size_t run_count, const char *const *parameters, size_t width,
                          struct ft_diag *diag);
void ft_counted_sizes_fini(struct ft_counted_sizes *sizes);

/* Rows of counts by entry become rows by column, in place. */
void ft_counted_sizes_order(const struct ft_counted_sizes *sizes, double *rows, size_t row_count);
/* Of replicas that leave out sets of training sizes: these, and as many of the largest sizes from
 * the end, so that they tell how sure the extrapolation is. The axis must be there. */
int ft_counted_sizes_leave_out(struct ft_counted_sizes *sizes, const struct ft_left_out_sets *sets,
                               struct ft_diag *diag);
/* How many training sizes are among so many smallest sizes. */
size_t ft_counted_sizes_traced(const struct ft_counted_sizes *sizes, size_t smallest);
/* What the runs say of code that has no trace. */
int ft_counted_sizes_look(const struct ft_counted_sizes *sizes, struct ft_counted_notes *notes,
                          struct ft_diag *diag);

#endif
