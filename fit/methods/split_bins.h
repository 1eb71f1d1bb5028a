/*
 * Recursive splitting with the median ratio (Marin & Mellor-Crummey 2004, section 2.3.2; 2005,
 * section 4.1): leading bins of constant distance, then a piece of the histogram is split at the
 * same share of its touches for all sizes until its halves scale alike.
 *
 * ft_split_piece is also what other methods use where nothing better is known about a piece.
 */
#ifndef FT_FIT_METHODS_SPLIT_BINS_H
#define FT_FIT_METHODS_SPLIT_BINS_H

#include "fit/methods/bins.h"

extern const struct ft_fit_method ft_split_bins_method; /* "split" */

/* A cut through the histograms of all sizes: a rank in each, and the touches at or beyond it. It
 * was seen at the sizes from `first` on; the ranks before are forecast. */
struct ft_cut {
    double ranks[FT_TRAINING_MAX];
    size_t first;
    struct ft_function tail;
    const struct ft_function *without; /* the tail without each size that is left out */
};

/* A histogram in the making. */
struct ft_splitter {
    struct ft_fitter *fitter;
    const struct ft_profile *profiles;
    size_t count; /* training sizes */
    struct ft_expectation tail, distance;
    struct ft_leave_out *leave_out; /* NULL: no size is left out */
    struct ft_bins bins;
    struct ft_cut *cuts; /* [bins]: the one before each */
    size_t cut_capacity;
    struct ft_diag *diag;
};

/* The histogram of a task: bins for the leading distances that are the same at all sizes, and those
 * that `fit_piece` makes of the piece behind them. */
typedef int ft_fit_piece_fn(struct ft_splitter *splitter, const struct ft_cut *low,
                            const struct ft_cut *high);
int ft_split_whole(const struct ft_fit_task *task, ft_fit_piece_fn *fit_piece,
                   struct ft_fit_member *ret_members, struct ft_diag *diag);
/* Bins for the piece between two cuts, fitted to the sizes at which both were seen. */
ft_fit_piece_fn ft_split_piece;
/* Fits the tail at ranks[first..]; the same without sizes is not known then. */
void ft_splitter_fit_tail(struct ft_splitter *splitter, struct ft_cut *cut);
/* A fitted cut's tail without each size that is left out. */
void ft_splitter_leave_out(const struct ft_splitter *splitter, struct ft_cut *cut,
                           struct ft_function without[FT_LEAVE_OUT_MAX]);

/* The mean distances of a piece. */
struct ft_piece_distance {
    double means[FT_TRAINING_MAX];
    struct ft_function fitted;
};
/* Gives the first size that was used. */
size_t ft_splitter_fit_distance(struct ft_splitter *splitter, const struct ft_cut *low,
                                const struct ft_cut *high, size_t first,
                                const struct ft_expectation *expectation,
                                struct ft_piece_distance *ret_distance);
/* Whether two distances are one bin's, at the sizes from `first` on and far beyond. */
bool ft_split_similar(const struct ft_axis *axis, size_t first, const struct ft_function *a,
                      const struct ft_function *b);

#endif
