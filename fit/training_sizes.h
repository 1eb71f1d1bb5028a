/*
 * What a model runs over: the one parameter that varies over the traces, or the size of their data;
 * and the traces in its order.
 */
#ifndef FT_FIT_TRAINING_SIZES_H
#define FT_FIT_TRAINING_SIZES_H

#include "formats/histograms/histograms.h"
#include "formats/model/model.h"

#define FT_SIZES_LEAST 3U

/* The error of fewer traces than FT_SIZES_LEAST. */
int ft_training_refuse_few(size_t count, struct ft_diag *diag);
/* asked: the name, or NULL for the one that varies. The name is an entry's; FT_ERROR_USAGE where
 * there is no such one, or too few traces. */
int ft_training_parameter(const struct ft_histograms *entries, size_t count, const char *asked,
                          const char **ret_name, struct ft_diag *diag);
/* FT_DATA_SIZE of a trace. */
double ft_training_data_bytes(const struct ft_histograms *entry);
/* [count] each, by growing value; parameter NULL: by data size. FT_ERROR_USAGE where an entry has
 * no value above 0, two have the same one, or block sizes differ. */
int ft_training_order(const struct ft_histograms *entries, size_t count, const char *parameter,
                      const struct ft_histograms **ret_sorted, double *ret_values,
                      struct ft_diag *diag);

#endif
