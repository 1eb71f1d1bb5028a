/*
 * A copy of a model in which long calls of memset, memcpy and memmove use string instructions. From
 * some length on, glibc's variants for processors with enhanced REP MOVSB and STOSB (Intel 64 and
 * IA-32 Optimization Reference Manual, "Enhanced REP MOVSB and STOSB Operation") switch from
 * vectors to a repeated string instruction, which makes an access for each FT_STRING_GRANULE_BYTES,
 * however long the vectors are, and no overlapping ones at the ends of a call. If all calls of the
 * training sizes are shorter, no function of accesses shows it.
 */
#ifndef FT_PREDICT_INTERVALS_STRING_CALLS_H
#define FT_PREDICT_INTERVALS_STRING_CALLS_H

#include "predict/intervals/perturbed_model.h"

#define FT_NO_STRING_CALLS UINT32_MAX
/* Vectors at the ends of a call, at most, that access what others access. */
#define FT_OVERLAPPING_VECTORS 8.0

/* The first of the routines whose mean calls get that long between the largest training size and
 * the point `at`: a scope, or FT_NO_STRING_CALLS. */
int ft_string_calls_long(const struct ft_model *model, const struct ft_point *at,
                         uint32_t *ret_routine, struct ft_diag *diag);

/* Accesses of vectors count granules in these routines. Sets *ret_differs where there are any;
 * nothing else is perturbed then, and nothing to be freed otherwise. */
int ft_string_calls(const struct ft_model *model, const struct ft_point *at,
                    struct ft_perturbed_model *ret_perturbed, bool *ret_differs,
                    struct ft_diag *diag);

#endif
