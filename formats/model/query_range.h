/*
 * Several points in one --at: "N=100..2000/50" is N = 100, 150, 200 ... 2000, "N=64..8192*2" is
 * N = 64, 128 ... 8192, both up to the end and not beyond it; "N=64,100..200/50" is a list. Of a
 * data size the numbers may be sizes, "s=1M..16M/1M". Several lists, "N=100..200/50,M=1,3", are all
 * combinations, the last list the fastest.
 */
#ifndef FT_FORMATS_MODEL_QUERY_RANGE_H
#define FT_FORMATS_MODEL_QUERY_RANGE_H

#include "formats/model/query_point.h"

#define FT_QUERY_POINTS_MAX 1000U

/* The caller frees the points, at least one. Errors are those of ft_query_point_read, and
 * FT_ERROR_USAGE for ranges without a step, empty ones, and too many points. */
int ft_query_points_read(const struct ft_model *model, const char *text,
                         struct ft_query_values **ret_points, size_t *ret_count,
                         struct ft_diag *diag);

/* Whether two have a value of the same name. */
bool ft_query_values_overlap(const struct ft_query_values *a, const struct ft_query_values *b);
/* Of two that do not overlap: the values of both. */
struct ft_query_values ft_query_values_join(const struct ft_query_values *a,
                                            const struct ft_query_values *b);

#endif
