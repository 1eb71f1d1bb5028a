/*
 * The reference kernel: plain C, for any processor.
 */
#include <string.h>

#include "engine/reuse/stacks/kernel.h"

struct front {
    uint32_t blocks[FT_FRONT_BLOCKS];
};

static inline struct front front_load(const uint32_t *blocks)
{
    struct front front;
    memcpy(front.blocks, blocks, sizeof front.blocks);
    return front;
}

static inline void front_store(uint32_t *blocks, const struct front *front)
{
    memcpy(blocks, front->blocks, sizeof front->blocks);
}

static inline unsigned front_touch(struct front *front, uint32_t block, uint32_t *ret_evicted)
{
    unsigned position = 0;
    uint32_t moved = block;
    for (; position < FT_FRONT_BLOCKS; position++) {
        uint32_t here = front->blocks[position];
        front->blocks[position] = moved;
        if (here == block)
            break;
        moved = here;
    }
    *ret_evicted = moved;
    return position;
}

#include "engine/reuse/stacks/kernel_loops.inc"

static bool is_supported(void)
{
    return true;
}

const struct ft_replay_kernel ft_replay_kernel_c = {"c", is_supported, kernel_touch,
                                                    kernel_touch_pairs, kernel_resolve};
