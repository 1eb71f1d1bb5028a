/*
 * A segment: a part of a stream that was replayed from empty LRU stacks, as what it takes to put it
 * behind another. Segments of one stream can be replayed side by side, on several nodes, or today
 * and tomorrow; joined in their order they give what one replay of the whole would (docs/replay.md,
 * "Segments").
 *
 * Per block size: first touches, whose distance only what lies before can tell, in their order;
 * the blocks in LRU order; all other counts. Blocks have numbers, regions[] says which they are. A
 * segment from the stream's beginning may lack its first touches: they are cold. Plain data,
 * owned; any thread may use it.
 */
#ifndef FT_ENGINE_REUSE_STACKS_SEGMENT_H
#define FT_ENGINE_REUSE_STACKS_SEGMENT_H

#include "engine/reuse/stacks/helper_time.h"
#include "engine/reuse/stacks/replay_state.h"

/* One block size. Its blocks are numbered like those of struct ft_stack. */
struct ft_segment_stack {
    struct ft_tally tally;
    struct ft_zero_array first_touches; /* struct ft_first_touch [first_touch_count] */
    uint64_t first_touch_count;
    uint32_t *order; /* [block_count], least recently used first; NULL where it has ended */
    uint64_t block_count;
    uint64_t *large; /* [large_count]: address >> shift of blocks larger than a region, or NULL */
    uint32_t large_count;
    uint64_t spans;
};

struct ft_segment {
    bool is_beginning; /* first touches are cold, and not listed */
    bool has_ended;    /* nothing comes behind it: block_count without order, regions and large */
    unsigned size_count;
    unsigned region_shift;
    uint64_t *regions; /* [region_count]: address >> region_shift */
    uint32_t region_count;
    struct ft_reference_state *references;
    uint32_t reference_count;
    uint64_t access_count;
    struct ft_zero_array counts; /* as in struct ft_replay */
    struct ft_segment_stack stacks[FT_BLOCK_SIZES_MAX];
};

/* Before the replay of a segment that does not begin the stream begins. */
void ft_replay_keep_first_touches(struct ft_replay *replay);
/* Makes a segment of what was replayed, joined, or both. The replay may then only be destroyed. */
int ft_segment_take(struct ft_replay *replay, struct ft_segment *ret_segment, struct ft_diag *diag);
/* The same of a whole stream, from its beginning to its end. It takes little memory. */
int ft_segment_take_whole(struct ft_replay *replay, struct ft_segment *ret_segment,
                          struct ft_diag *diag);
/* Puts the segment that follows behind what was replayed, and ended, or joined so far: with the
 * same sizes, regions and references. The replay takes no runs then, only segments; more memory
 * than it may take is a failure, as in a replay. Block sizes are joined side by side (OpenMP
 * tasks); helper_time, or NULL: takes what other threads than the caller's spend on it. */
int ft_segment_join(struct ft_replay *replay, const struct ft_segment *segment,
                    struct ft_helper_time *helper_time, struct ft_diag *diag);
/* Lets a replay that segments were joined to take runs again. */
int ft_replay_go_on(struct ft_replay *replay, struct ft_diag *diag);
/* Memory in use, at most. */
uint64_t ft_segment_bytes(const struct ft_segment *segment);
void ft_segment_fini(struct ft_segment *segment);

#endif
