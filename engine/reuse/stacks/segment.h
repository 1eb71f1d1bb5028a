/*
 * A segment: a part of a stream that was replayed from empty LRU stacks, with what it takes to
 * append it to another. Segments of one stream can be replayed in parallel, on several nodes, or on
 * different days; joined in order they give the result of one replay of the whole (docs/replay.md,
 * "Segments").
 *
 * Per block size: first touches in order, whose distances depend on what comes before; the blocks
 * in LRU order; all other counts. Blocks are numbered; regions[] maps numbers to addresses. The
 * first segment of a stream may lack its first touches: they are cold. Plain data, owned; any
 * thread may use it.
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
    uint32_t *order; /* [block_count], least recently used first; NULL if the stream has ended */
    uint64_t block_count;
    uint64_t *large; /* [large_count]: address >> shift of blocks larger than a region, or NULL */
    uint32_t large_count;
    uint64_t spans;
};

struct ft_segment {
    bool is_beginning; /* first touches are cold, and not listed */
    bool has_ended;    /* nothing follows: it has block_count, but no order, regions or large */
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

/* Before the replay of a segment other than the first begins. */
void ft_replay_keep_first_touches(struct ft_replay *replay);
/* Makes a segment of what was replayed, joined, or both. The replay can then only be destroyed. */
int ft_segment_take(struct ft_replay *replay, struct ft_segment *ret_segment, struct ft_diag *diag);
/* The same for a whole stream, from start to end. Such a segment is small. */
int ft_segment_take_whole(struct ft_replay *replay, struct ft_segment *ret_segment,
                          struct ft_diag *diag);
/* Appends the next segment, of the same sizes, regions and references, to what was replayed (and
 * ended) or joined so far. After that the replay takes only segments, no runs. Exceeding the memory
 * limit is a failure, as in a replay. Block sizes are joined in parallel (OpenMP tasks);
 * helper_time, or NULL: gets the time of threads other than the caller's. */
int ft_segment_join(struct ft_replay *replay, const struct ft_segment *segment,
                    struct ft_helper_time *helper_time, struct ft_diag *diag);
/* Lets a replay take runs again after segments were joined to it. */
int ft_replay_go_on(struct ft_replay *replay, struct ft_diag *diag);
/* Upper bound of the memory in use. */
uint64_t ft_segment_bytes(const struct ft_segment *segment);
void ft_segment_fini(struct ft_segment *segment);

#endif
