/*
 * Routines that engine/match leaves on both sides because they have other names: those of one
 * source file that begin on the same line, or have code of the same shape, if there is no other
 * such routine on either side; and their loops, by line and nesting. For a diff such a routine was
 * renamed; a fit over builds is better off without the guess.
 */
#ifndef FT_PREDICT_DIFF_RENAMED_H
#define FT_PREDICT_DIFF_RENAMED_H

#include "engine/match/matching.h"
#include "engine/match/scope_locations.h"

/* Adds to the matching. */
void ft_match_renamed(const struct ft_scope_locations sides[2], struct ft_matching *matching);

#endif
