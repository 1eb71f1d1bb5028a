/*
 * Which references of a trace share a histogram (docs/formulas.md, "Groups of references"): those
 * that their address formulas put into one group (reference_groups.h), or, if a trace has no code,
 * those of one scope with the same observed stride.
 */
#ifndef FT_ENGINE_PROGRAM_GROUP_REFERENCES_H
#define FT_ENGINE_PROGRAM_GROUP_REFERENCES_H

#include "engine/program/structure.h"

/* Sets the group of each reference of the scope tree, numbered by first reference, and how each
 * group moves. strides: per reference as in struct ft_histograms. Each fetch is a group of its
 * own. */
int ft_group_references(struct ft_structure *structure, const int64_t *strides,
                        struct ft_diag *diag);

#endif
