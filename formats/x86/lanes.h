/*
 * Lanes: which elements a masked, packed or gathering instruction touches. Follows the vector and
 * mask registers whose values are logged (a slot) or known to be all ones, so that planner and
 * expander agree on what must be logged.
 *
 * Pure functions, thread safe.
 */
#ifndef FT_FORMATS_X86_LANES_H
#define FT_FORMATS_X86_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/x86/effect.h"
#include "formats/x86/unit.h"

struct ft_lane_source {
    int16_t slot;       /* index into the unit's slots, or -1 */
    uint16_t ones_bits; /* without a slot: the register holds this many ones from bit 0 on */
};
struct ft_lanes {
    struct ft_lane_source vectors[32];
    struct ft_lane_source masks[8];
};

/* Nothing is known: the start of a unit and of each iteration of a loop. */
void ft_lanes_init(struct ft_lanes *lanes);
void ft_lanes_step(struct ft_lanes *lanes, const struct ft_effect *effect);
/* A slot was logged. */
void ft_lanes_set(struct ft_lanes *lanes, const struct ft_slot *slot, int16_t slot_index);

/* The vectors and masks that an access needs, as slots would log them. */
bool ft_access_mask_slot(const struct ft_access *access, struct ft_slot *ret_slot);
bool ft_access_index_slot(const struct ft_access *access, struct ft_slot *ret_slot);

/* Where the value of the register that `needed` names is known from; false where it is not. */
bool ft_lanes_find(const struct ft_lanes *lanes, const struct ft_slot *slots,
                   const struct ft_slot *needed, const struct ft_access *access,
                   struct ft_lane_source *ret_source);

/* Elements in memory that are touched, as bits; mask is the value of the mask register, or NULL
 * where all lanes are active. */
uint64_t ft_access_active(const struct ft_access *access, const uint64_t *mask);
/* The index of a lane, from the value of the index vector (NULL: all ones). */
int64_t ft_access_lane_index(const struct ft_access *access, const uint64_t *index, unsigned lane);

#endif
