/*
 * What one repetition adds to the counts of a replay, so that further ones can be counted without
 * being replayed: a snapshot before it, the difference after it, added once per repetition. Batches
 * must be flushed at its start and end.
 */
#ifndef FT_ENGINE_REUSE_STACKS_REPEATED_COUNTS_H
#define FT_ENGINE_REUSE_STACKS_REPEATED_COUNTS_H

#include "engine/reuse/stacks/repetition_state.h"
#include "formats/base/status.h"

struct ft_replay;
/* How many counters a snapshot copies: its cost. */
uint64_t ft_repeated_counters(struct ft_replay *replay);
/* Whether memory suffices for one. */
bool ft_repeated_counts_have_room(const struct ft_repeated_counts *counts,
                                  struct ft_replay *replay);
int ft_repeated_counts_note(struct ft_repeated_counts *counts, struct ft_replay *replay,
                            struct ft_diag *diag);
int ft_repeated_counts_measure(struct ft_repeated_counts *counts, struct ft_replay *replay,
                               struct ft_diag *diag);
void ft_repeated_counts_add(const struct ft_repeated_counts *counts, struct ft_replay *replay,
                            uint64_t times);
void ft_repeated_counts_fini(struct ft_repeated_counts *counts);

#endif
