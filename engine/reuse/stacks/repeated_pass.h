/*
 * Passes through logs that the trace says come again, in a replay. The second of two in a row has
 * the same accesses as the first one; so each block that it touches was touched in the first at the
 * same place, its distances are those of any further pass, and it leaves the LRU order that the
 * first one left. What it counts is measured (repeated_counts.h), and others need neither be read
 * nor compared, however long they are. Not where scopes are followed.
 */
#ifndef FT_ENGINE_REUSE_STACKS_REPEATED_PASS_H
#define FT_ENGINE_REUSE_STACKS_REPEATED_PASS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/reuse/stacks/repetition_state.h"
#include "formats/base/status.h"

struct ft_replay;
/* Between two batches, at the end of a pass: what the next one counts is measured, unless that
 * takes too long for what was replayed so far, or memory does not suffice. */
int ft_replay_note_pass(struct ft_replay *replay, struct ft_diag *diag);
/* At the end of that pass: whether it was measured. */
bool ft_replay_has_pass(const struct ft_replay *replay);
/* Then: counts it so many times more. */
int ft_replay_add_passes(struct ft_replay *replay, uint64_t times, struct ft_diag *diag);
void ft_repeated_pass_fini(struct ft_repeated_pass *pass);

#endif
