/*
 * How much memory a replay may hold (--mem). The memory of its stacks and of waiting segments is
 * accounted for as they grow, per trace; the memory of the whole process (code, libraries, readers,
 * results) is queried from the kernel at intervals. The former makes most decisions, and
 * reproducibly; the latter catches what is not accounted for.
 *
 * Thread safe: many stacks share one budget.
 */
#ifndef FT_ENGINE_REUSE_STACKS_MEMORY_LIMIT_H
#define FT_ENGINE_REUSE_STACKS_MEMORY_LIMIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* How a failed replay could succeed when tried again. */
enum ft_replay_retry {
    FT_RETRY_NONE,
    FT_RETRY_SMALLER_REGIONS, /* memory is touched sparsely, or there are too many blocks */
    FT_RETRY_FEWER_SIZES,     /* memory_max is reached */
};

struct ft_process_limit {
    uint64_t process_max;  /* UINT64_MAX: no limit */
    uint64_t before_bytes; /* of the process before it opened a trace */
};

/* Resident memory of the process; 0 if unknown, and under AddressSanitizer, whose own memory would
 * dominate. */
uint64_t ft_process_bytes(void);

struct ft_memory_budget {
    const struct ft_process_limit *limit; /* or NULL */
    uint64_t max;                         /* of the accounted memory */
    atomic_uint_fast64_t noted, peak;
    /* If the process needed more than its limit: how much, and how much of it was accounted for;
     * else 0. */
    atomic_uint_fast64_t needed, needed_noted;
};

void ft_memory_budget_init(struct ft_memory_budget *budget, uint64_t max,
                           const struct ft_process_limit *limit);
/* Accounts for something that took *noted_bytes so far and takes `bytes` now. */
void ft_memory_note(struct ft_memory_budget *budget, uint64_t *noted_bytes, uint64_t bytes);
/* Whether more_bytes are available beyond the accounted memory; if not, records the failure. */
bool ft_memory_is_enough(struct ft_memory_budget *budget, uint64_t more_bytes);
/* The same for optional memory: records no failure. */
bool ft_memory_has_room(const struct ft_memory_budget *budget, uint64_t more_bytes);

#endif
