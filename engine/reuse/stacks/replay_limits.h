/*
 * Memory limits of a replay, memory in use, and how a failed replay could be retried.
 */
#ifndef FT_ENGINE_REUSE_STACKS_REPLAY_LIMITS_H
#define FT_ENGINE_REUSE_STACKS_REPLAY_LIMITS_H

#include "engine/reuse/stacks/memory_limit.h"
#include "formats/base/status.h"

struct ft_replay;
/* Before the replay begins: log2 of a region's bytes (FT_REGION_SHIFT), and the memory limit,
 * beyond which it fails with FT_ERROR_MEMORY. Smaller regions cost time, and save memory if few
 * blocks of a region are touched. */
void ft_replay_limit(struct ft_replay *replay, unsigned region_shift, uint64_t memory_max);
/* In addition: charges the replay's memory to a budget that others share and that outlives it. */
void ft_replay_share_budget(struct ft_replay *replay, struct ft_memory_budget *budget);
/* After a failure: how to retry. */
enum ft_replay_retry ft_replay_retry(const struct ft_replay *replay);
/* Upper bound of the memory in use. */
uint64_t ft_replay_bytes(const struct ft_replay *replay);
/* Fails if the memory in use plus more_bytes exceeds the limit. */
int ft_replay_check_memory(struct ft_replay *replay, uint64_t more_bytes, struct ft_diag *diag);

#endif
