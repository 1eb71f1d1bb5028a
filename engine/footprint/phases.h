/*
 * Phases: intervals that execute the same code. Each interval has a signature, the share of its
 * accesses that each basic block makes (a basic block vector, Sherwood et al., ASPLOS 2002). It
 * joins the phase whose first interval it overlaps most, if they share at least three quarters;
 * else it starts a new phase (docs/footprint.md). One thread at a time.
 */
#ifndef FT_ENGINE_FOOTPRINT_PHASES_H
#define FT_ENGINE_FOOTPRINT_PHASES_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

/* Three quarters: the sum over basic blocks of the smaller share. */
#define FT_PHASE_OVERLAP    3U
#define FT_PHASE_OVERLAP_OF 4U

struct ft_signature_entry {
    uint32_t block; /* basic block, ascending */
    uint64_t accesses;
};

struct ft_phase {
    struct ft_signature_entry *entries; /* of its first interval */
    size_t entry_count;
    uint64_t entry_accesses;
    uint64_t first_interval, interval_count, accesses;
};

struct ft_phases {
    struct ft_phase *phases;
    size_t count, capacity;
    uint64_t interval_count;
    uint64_t *counts; /* [block]: accesses in this interval */
    uint32_t *seen;   /* blocks whose count is not 0 */
    size_t seen_count;
};

int ft_phases_init(struct ft_phases *phases, size_t block_count, struct ft_diag *diag);
void ft_phases_fini(struct ft_phases *phases);

static inline void ft_phases_count(struct ft_phases *phases, uint32_t block, uint64_t accesses)
{
    if (phases->counts[block] == 0)
        phases->seen[phases->seen_count++] = block;
    phases->counts[block] += accesses;
}

/* Ends the interval of the accesses counted since the last call (at least one), and finds its
 * phase. */
int ft_phases_end_interval(struct ft_phases *phases, uint32_t *ret_phase, struct ft_diag *diag);

#endif
