/*
 * Which references of a trace share a histogram (docs/formulas.md, "Groups of references"): those
 * that their formulas put into one group (reference_groups.h); if a trace has no code, those of one
 * scope with the same observed stride.
 */
#ifndef FT_ENGINE_PROGRAM_GROUP_REFERENCES_H
#define FT_ENGINE_PROGRAM_GROUP_REFERENCES_H

#include "engine/program/structure.h"

/* Sets the group of each reference of the scope tree, numbered as their first references are, and
 * how each moves.
 * strides: per reference as in struct ft_histograms. Fetches are groups of their own. */
int ft_group_references(struct ft_structure *structure, const int64_t *strides,
                        struct ft_diag *diag);

#endif
