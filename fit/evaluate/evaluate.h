/*
 * A model at a point, a value of its parameter: histograms and counts as predict needs them.
 *
 * Clamped to what is possible (docs/fit.md, "Evaluation"): touches at or beyond a bin fall with
 * distance and lie within [0, touches]; distances rise and stay within the footprint. Touches and
 * distances are real numbers: they are forecasts. Thread safe on one model.
 */
#ifndef FT_FIT_EVALUATE_EVALUATE_H
#define FT_FIT_EVALUATE_EVALUATE_H

#include <stddef.h>

#include "fit/evaluate/forecast.h"
#include "formats/model/model.h"

/* block_size indexes model->block_bytes. Fails only where memory runs out. */
int ft_forecast_evaluate(const struct ft_model *model, size_t group, size_t block_size,
                         const struct ft_point *at, struct ft_forecast *forecast,
                         struct ft_diag *diag);
/* What the tails of a group's bins are multiplied by: 1 in models without counted sizes. */
double ft_group_touch_scale(const struct ft_model *model, size_t group, const struct ft_point *at);
void ft_forecast_fini(struct ft_forecast *forecast);
/* The bins of one member of a histogram with that many warm touches. `data` is the same point in
 * terms of the data size, for members over that. Needs room for as many bins as the member has;
 * returns how many are filled. */
size_t ft_member_forecast(const struct ft_model_member *member, const struct ft_point *at,
                          const struct ft_point *data, double touches, double footprint_blocks,
                          struct ft_forecast_bin *ret_bins);

/* Misses of a fully associative LRU cache of that many blocks, cold ones included. */
double ft_forecast_misses(const struct ft_forecast *forecast, double capacity_blocks);

/* What a scope executes there, exclusive of nested ones. */
struct ft_scope_forecast {
    double instructions;
    double mix[FT_MIX_COUNT];
    double flops;
    double entries;
    double iterations;
};
void ft_scope_forecast_evaluate(const struct ft_model_scope_counts *counts,
                                const struct ft_point *at, struct ft_scope_forecast *ret_forecast);

/* How far n lies outside the training range: n / largest above it, smallest / n below it, else 1;
 * or a parameter that has been fixed, where that is farther. For models over one parameter. */
double ft_model_extrapolation(const struct ft_model *model, double n);

#endif
