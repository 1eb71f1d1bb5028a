/*
 * Conservation: what the histograms of a trace must add up to, whatever the program did.
 *
 * - accesses: those of all references are as many as the capture counted
 * - touches: each histogram's bins and cold touches add up to its touches; those of a size are what
 *   replay counted from the addresses alone; an access is at least one touch and at most one for
 *   each block that it can cover
 * - footprint: the cold touches of a size are the blocks that were in its LRU stack at the end
 * - levels: larger blocks never miss more: of each reference, at no distance more touches lie at or
 *   beyond it; the footprint in blocks falls, in bytes it rises
 * - threads: histograms of several stacks add up to those of the trace; threads that share a cache
 *   have the touches together that each has by itself, and no more blocks
 * - fetches: as many as instructions were counted at capture; a unified stack has the touches of
 *   accesses and fetches together
 * - loops: each scope holds what its references and the scopes in it hold, up to the program
 * - data: the parts of a reference, one for each object that it touches, add up to its histogram
 * - pairs: those of a reference add up to its histogram, bin by bin
 *
 * docs/replay.md, "Conservation", says why the levels must be so.
 */
#ifndef FT_FORMATS_HISTOGRAMS_CONSERVATION_H
#define FT_FORMATS_HISTOGRAMS_CONSERVATION_H

#include "formats/histograms/entry.h"

/* Fills scope_totals, from each reference up through its scopes. */
int ft_conservation_note(struct ft_histograms *histograms, struct ft_diag *diag);

/* FT_ERROR_DATA where something is not conserved; the message says what. Of files of version 1,
 * which have no totals, the rest is checked. */
int ft_conservation_check(const struct ft_histograms *histograms, struct ft_diag *diag);

#endif
