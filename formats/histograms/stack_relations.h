/*
 * How the stacks of a trace add up, which is part of conservation (conservation.h): the trace is
 * the sum of some, shared stacks contain those of their threads, and unified ones those of accesses
 * and fetches.
 */
#ifndef FT_FORMATS_HISTOGRAMS_STACK_RELATIONS_H
#define FT_FORMATS_HISTOGRAMS_STACK_RELATIONS_H

#include "formats/histograms/entry.h"

/* FT_ERROR_DATA where something does not add up; the message says what. */
int ft_stack_relations_check(const struct ft_histograms *trace, struct ft_diag *diag);

#endif
