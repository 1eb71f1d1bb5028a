/*
 * How the stacks of a trace hang together, which is a part of conservation (conservation.h): the
 * trace is the sum of some, threads are parts of shared stacks, accesses and fetches of unified
 * ones.
 */
#ifndef FT_FORMATS_HISTOGRAMS_STACK_RELATIONS_H
#define FT_FORMATS_HISTOGRAMS_STACK_RELATIONS_H

#include "formats/histograms/entry.h"

/* FT_ERROR_DATA where something does not add up; the message says what. */
int ft_stack_relations_check(const struct ft_histograms *trace, struct ft_diag *diag);

#endif
