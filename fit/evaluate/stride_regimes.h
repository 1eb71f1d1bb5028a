/*
 * What strides say of a histogram beyond the training sizes. Accesses that are s bytes apart enter
 * a new block of B bytes with a share min(1, s/B) of them: while several columns share a page, the
 * share grows with the column; from s = B on every access enters one, and it grows no more. A
 * histogram learned on one side of B follows that side's law on the other one, too
 * (docs/predict.md, "Strides beyond the training sizes"). Thread safe on one model.
 */
#ifndef FT_FIT_EVALUATE_STRIDE_REGIMES_H
#define FT_FIT_EVALUATE_STRIDE_REGIMES_H

#include "fit/evaluate/forecast.h"
#include "fit/evaluate/stride_law.h"

/* A loop around a group whose stride is on the other side of the block size than at all training
 * sizes. */
struct ft_stride_regime {
    bool differs;
    double share; /* of the touches that the law learned brings into new blocks: those that enter
                     one; below 1 */
    double tail_share; /* the same, of tails before they are clamped to the touches; 1 where every
                          access entered a block while the law was learned */
    double window;     /* accesses of the loop's iteration: nearer reuse is within iterations */
    double carried_on; /* of these, the share that an iteration of the next loop outside does not
                          find again; NAN: unknown */
};

struct ft_stride_regime ft_stride_regime_of(const struct ft_model *model, size_t group,
                                            double block_bytes, const struct ft_point *at);

/* Applies it to a group's histogram at the point, of whose tails beyond the window tail_share was
 * taken. Room for twice as many bins and one is needed. */
void ft_stride_regime_correct(const struct ft_stride_regime *regime, struct ft_forecast *forecast);

#endif
