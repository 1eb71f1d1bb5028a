/*
 * A replay for block sizes that a test has as an array.
 */
#ifndef FT_TESTS_SUPPORT_CREATE_REPLAY_H
#define FT_TESTS_SUPPORT_CREATE_REPLAY_H

#include <string.h>

#include "engine/reuse/stacks/replay.h"

static inline int create_replay(const uint64_t *block_bytes, size_t count, const char *kernel,
                                struct ft_replay **ret_replay, struct ft_diag *diag)
{
    struct ft_block_sizes sizes = {.count = count};
    memcpy(sizes.bytes, block_bytes, count * sizeof *block_bytes);
    return ft_replay_create(&sizes, kernel, ret_replay, diag);
}

#endif
