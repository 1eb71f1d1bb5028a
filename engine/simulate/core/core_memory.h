/*
 * When data arrive: lines under way, buffers of misses, page walks, and the rate of lines from each
 * source. A buffer, a walker and a source serve in the order in which they are asked. One thread at
 * a time.
 */
#ifndef FT_ENGINE_SIMULATE_CORE_CORE_MEMORY_H
#define FT_ENGINE_SIMULATE_CORE_CORE_MEMORY_H

#include "engine/simulate/core/core_model.h"
#include "engine/simulate/core/executed.h"

struct ft_line_under_way {
    uint64_t line;
    int64_t arrival; /* 0: an empty place */
    uint8_t source;
};

struct ft_core_memory {
    const struct ft_core_model *model;
    int64_t *buffers, *walkers; /* when each is free */
    double source_free[FT_CORE_SOURCES_MAX];
    struct ft_line_under_way *lines; /* open addressing; arrived ones are replaced */
    size_t line_capacity, line_count;
};

int ft_core_memory_init(struct ft_core_memory *memory, const struct ft_core_model *model,
                        struct ft_diag *diag);
void ft_core_memory_fini(struct ft_core_memory *memory);
void ft_core_memory_reset(struct ft_core_memory *memory);

struct ft_arrival {
    int64_t cycle;     /* the data are there */
    int64_t tlb_cycle; /* the address is translated */
    uint8_t source;    /* what was waited for */
};
/* What starts in cycle `now`, with latency_cycles of a hit in the first cache; false without
 * memory. A prefetch takes no buffer, and waits for its source alone. */
bool ft_core_memory_prefetch(struct ft_core_memory *memory, const struct ft_executed_access *access,
                             int64_t now, int64_t latency_cycles);
bool ft_core_memory_access(struct ft_core_memory *memory, const struct ft_executed_access *access,
                           int64_t now, int64_t latency_cycles, struct ft_arrival *ret_arrival);

#endif
