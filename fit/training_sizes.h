/*
 * What a model runs over: the parameters that vary over the traces, or the size of their data; and
 * the traces in its order.
 */
#ifndef FT_FIT_TRAINING_SIZES_H
#define FT_FIT_TRAINING_SIZES_H

#include "formats/histograms/histograms.h"
#include "formats/model/model.h"

#define FT_SIZES_MIN 3U

/* The error for fewer traces than a model needs. */
int ft_training_refuse_few(size_t count, size_t sizes_min, struct ft_diag *diag);
/* FT_DATA_SIZE of a trace. */
double ft_training_data_bytes(const struct ft_histograms *entry);
/* asked: names, or none for all that vary. ret_names[FT_PARAMETERS_MAX] are the entries' or those
 * asked for; FT_ERROR_USAGE if there are none, or too few traces: sizes_min of one parameter. */
int ft_training_parameters(const struct ft_histograms *entries, size_t count, size_t sizes_min,
                           const char *const *asked, size_t asked_count, const char **ret_names,
                           size_t *ret_count, struct ft_diag *diag);
/* [count] entries, and as many rows of values, one column per parameter; sorted by value, for
 * several parameters by the first, then the next. parameters NULL: by data size, one column.
 * FT_ERROR_USAGE if an entry has no value above 0, two have the same values, or block sizes
 * differ. */
int ft_training_order(const struct ft_histograms *entries, size_t count,
                      const char *const *parameters, size_t width,
                      const struct ft_histograms **ret_sorted, double *ret_values,
                      struct ft_diag *diag);
/* Its values of the parameters, which must be recorded and above 0. */
int ft_training_values(const struct ft_histograms *entry, const char *const *parameters,
                       size_t width, double *ret_values, struct ft_diag *diag);
/* By the first parameter, then by the next: below, at or above 0. */
int ft_training_compare(const double *a, const double *b, size_t width);
/* "N = 16, M = 2" */
char *ft_training_values_text(char *text, size_t room, const char *const *parameters, size_t width,
                              const double *values);
/* Whether the sizes determine the effect of each parameter, and of any two together: FT_ERROR_USAGE
 * if they do not. */
int ft_training_check_identifiable(const double *values, size_t count, const char *const *names,
                                   size_t width, struct ft_diag *diag);

#endif
