/*
 * How much memory a replay may hold (--mem). What its stacks and the segments that wait take is
 * counted as they grow, all of one trace together; and what the process holds in all, code,
 * libraries, readers and results included, is asked of the kernel now and then. The first makes
 * most decisions, and the same ones in each run; the second sees what nobody counts.
 *
 * Thread safe: many stacks note in one budget.
 */
#ifndef FT_ENGINE_REUSE_STACKS_MEMORY_LIMIT_H
#define FT_ENGINE_REUSE_STACKS_MEMORY_LIMIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What another attempt could do better, once a replay has failed. */
enum ft_replay_retry {
    FT_RETRY_NONE,
    FT_RETRY_SMALLER_REGIONS, /* memory is touched sparsely, or there are too many blocks */
    FT_RETRY_FEWER_SIZES,     /* memory_max is reached */
};

struct ft_process_limit {
    uint64_t process_max;  /* UINT64_MAX: no limit */
    uint64_t before_bytes; /* that the process held before it opened a trace */
};

/* Memory that the process holds now; 0 where that is not known, and under AddressSanitizer, whose
 * own memory it would be. */
uint64_t ft_process_bytes(void);

struct ft_memory_budget {
    const struct ft_process_limit *limit; /* or NULL */
    uint64_t most;                        /* of what is noted */
    atomic_uint_fast64_t noted, peak;
    /* When more was needed than may be, of the process, and what of it was noted; else 0. */
    atomic_uint_fast64_t needed, needed_noted;
};

void ft_memory_budget_init(struct ft_memory_budget *budget, uint64_t most,
                           const struct ft_process_limit *limit);
/* Something that took *noted_bytes takes `bytes` now. */
void ft_memory_note(struct ft_memory_budget *budget, uint64_t *noted_bytes, uint64_t bytes);
/* Whether so many bytes more are there, besides what is noted; where not, it has failed. */
bool ft_memory_is_enough(struct ft_memory_budget *budget, uint64_t more_bytes);
/* The same of what can be done without. */
bool ft_memory_has_room(const struct ft_memory_budget *budget, uint64_t more_bytes);

#endif
