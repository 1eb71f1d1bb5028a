/*
 * Loops around calls of string routines, folded again once these are written as what they do
 * (string_calls.h): calls that began elsewhere in a vector had other accesses, which kept
 * iterations apart.
 */
#ifndef FT_FIT_SKELETONS_STRING_FOLDING_H
#define FT_FIT_SKELETONS_STRING_FOLDING_H

#include "fit/skeletons/loop_contexts.h"
#include "fit/skeletons/string_templates.h"

/* kept_runs: loops whose runs are kept. Replaces the nest. */
int ft_string_calls_fold(const struct ft_string_templates *templates,
                         const struct ft_loop_contexts *kept_runs, struct ft_nest *nest,
                         struct ft_diag *diag);

#endif
