/*
 * What a replay may take, what it takes, and what another attempt could do better.
 */
#ifndef FT_ENGINE_REUSE_STACKS_REPLAY_LIMITS_H
#define FT_ENGINE_REUSE_STACKS_REPLAY_LIMITS_H

#include "engine/reuse/stacks/memory_limit.h"
#include "formats/base/status.h"

struct ft_replay;
/* Before the replay begins: log2 of a region's bytes (FT_REGION_SHIFT), and the memory that it may
 * take; beyond that it fails with FT_ERROR_MEMORY. Smaller regions cost time, and save memory where
 * few blocks of a region are touched. */
void ft_replay_limit(struct ft_replay *replay, unsigned region_shift, uint64_t memory_max);
/* Besides: all that note in one budget may take what it allows. It must live as long. */
void ft_replay_share_budget(struct ft_replay *replay, struct ft_memory_budget *budget);
/* After a failure: what another attempt could do better. */
enum ft_replay_retry ft_replay_retry(const struct ft_replay *replay);
/* Memory in use, at most. */
uint64_t ft_replay_bytes(const struct ft_replay *replay);
/* Fails where more memory is in use, and so much more soon, than the replay may take. */
int ft_replay_check_memory(struct ft_replay *replay, uint64_t more_bytes, struct ft_diag *diag);

#endif
