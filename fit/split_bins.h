/*
 * Recursive splitting with the median ratio (Marin & Mellor-Crummey 2004, section 2.3.2; 2005,
 * section 4.1): leading bins of constant distance, then a piece of the histogram is split at the
 * same share of its touches for all sizes until its halves scale alike.
 *
 * ft_split_piece is also what other methods use where nothing better is known about a piece.
 */
#ifndef FT_FIT_SPLIT_BINS_H
#define FT_FIT_SPLIT_BINS_H

#include "fit/method.h"

extern const struct ft_fit_method ft_split_bins_method; /* "split" */

/* A cut through the histograms of all sizes: a rank in each, and the touches at or beyond it. It
 * was seen at the sizes from `first` on; the ranks before are forecast. */
struct ft_cut {
    double ranks[FT_TRAINING_MAX];
    size_t first;
    struct ft_function tail;
};

/* A histogram in the making. */
struct ft_splitter {
    struct ft_fitter *fitter;
    const struct ft_profile *profiles;
    size_t count; /* training sizes */
    struct ft_expectation tail, distance;
    struct ft_model_histogram *histogram;
    size_t capacity;
    struct ft_diag *diag;
};

void ft_splitter_init(struct ft_splitter *splitter, const struct ft_fit_task *task,
                      struct ft_model_histogram *histogram, struct ft_diag *diag);
/* The cuts before the first and after the last warm touch. */
void ft_splitter_ends(struct ft_splitter *splitter, struct ft_cut *ret_low,
                      struct ft_cut *ret_high);
/* Bins for the leading distances that are the same at all sizes; moves low past them. */
int ft_split_leading(struct ft_splitter *splitter, struct ft_cut *low);
/* Bins for the piece between two cuts, fitted to the sizes at which both were seen. */
int ft_split_piece(struct ft_splitter *splitter, const struct ft_cut *low,
                   const struct ft_cut *high);
/* Fits the tail at ranks[first..]. */
void ft_splitter_fit_tail(struct ft_splitter *splitter, struct ft_cut *cut);

#endif
