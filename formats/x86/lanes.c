/*
 * A logged vector stays known until its register is written; comparing a register with itself
 * makes all ones, the usual mask of an unconditional gather. Which lanes are active follows from
 * the mask bits, or the sign bits of its elements; a broadcast touches an element where any lane
 * that it feeds is active, a compressing store as many as there are active lanes.
 */
#include "formats/x86/lanes.h"

static const struct ft_lane_source lane_unknown = {.slot = -1};

void ft_lanes_init(struct ft_lanes *lanes)
{
    for (unsigned i = 0; i < 32; i++)
        lanes->vectors[i] = lane_unknown;
    for (unsigned i = 0; i < 8; i++)
        lanes->masks[i] = lane_unknown;
}

void ft_lanes_step(struct ft_lanes *lanes, const struct ft_effect *effect)
{
    struct ft_lane_source written = {.slot = -1, .ones_bits = effect->ones_bits};
    for (uint32_t rest = effect->vectors_written; rest; rest &= rest - 1)
        lanes->vectors[__builtin_ctz(rest)] = written;
    for (unsigned rest = effect->masks_written; rest; rest &= rest - 1)
        lanes->masks[__builtin_ctz(rest)] = written;
}

void ft_lanes_set(struct ft_lanes *lanes, const struct ft_slot *slot, int16_t slot_index)
{
    struct ft_lane_source source = {.slot = slot_index};
    if (slot->kind == FT_SLOT_VECTOR)
        lanes->vectors[slot->source] = source;
    else if (slot->kind == FT_SLOT_MASK)
        lanes->masks[slot->source] = source;
}

bool ft_access_mask_slot(const struct ft_access *access, struct ft_slot *ret_slot)
{
    if (access->mask_bytes == 0 || access->mask_register == 0xff)
        return false;
    *ret_slot = (struct ft_slot){.kind = access->mask_is_k ? FT_SLOT_MASK : FT_SLOT_VECTOR,
                                 .source = access->mask_register,
                                 .size_bytes = access->mask_bytes};
    return true;
}

bool ft_access_index_slot(const struct ft_access *access, struct ft_slot *ret_slot)
{
    if (access->mode != FT_ACCESS_GATHER)
        return false;
    *ret_slot = (struct ft_slot){
        .kind = FT_SLOT_VECTOR, .source = access->vector_index, .size_bytes = access->vector_bytes};
    return true;
}

bool ft_lanes_find(const struct ft_lanes *lanes, const struct ft_slot *slots,
                   const struct ft_slot *needed, const struct ft_access *access,
                   struct ft_lane_source *ret_source)
{
    const struct ft_lane_source *source = needed->kind == FT_SLOT_MASK
                                              ? &lanes->masks[needed->source]
                                              : &lanes->vectors[needed->source];
    bool found = source->slot >= 0 ? slots[source->slot].size_bytes >= needed->size_bytes
                 : needed->kind == FT_SLOT_MASK ? source->ones_bits >= access->lanes
                                                : source->ones_bits >= needed->size_bytes * 8;
    if (found)
        *ret_source = *source;
    return found;
}

static uint64_t low_bits(unsigned count)
{
    return count >= 64 ? UINT64_MAX : (1ULL << count) - 1;
}

/* The lanes whose bit, or sign bit, is set. */
static uint64_t active_lanes(const struct ft_access *access, const uint64_t *mask)
{
    if (!mask)
        return low_bits(access->lanes);
    if (access->mask_is_k)
        return mask[0] & low_bits(access->lanes);
    uint64_t active = 0;
    for (unsigned lane = 0; lane < access->lanes; lane++) {
        unsigned sign_bit = (lane + 1) * access->size_bytes * 8 - 1;
        active |= (mask[sign_bit / 64] >> sign_bit % 64 & 1) << lane;
    }
    return active;
}

uint64_t ft_access_active(const struct ft_access *access, const uint64_t *mask)
{
    uint64_t lanes = active_lanes(access, mask);
    switch (access->mode) {
    case FT_ACCESS_PACKED:
        return low_bits((unsigned)__builtin_popcountll(lanes));
    case FT_ACCESS_MASKED: {
        uint64_t elements = 0;
        for (unsigned first = 0; first < access->lanes; first += access->elements)
            elements |= lanes >> first;
        return elements & low_bits(access->elements);
    }
    default:
        return lanes;
    }
}

int64_t ft_access_lane_index(const struct ft_access *access, const uint64_t *index, unsigned lane)
{
    if (!index)
        return -1;
    unsigned bit = lane * access->index_bytes * 8;
    uint64_t value = index[bit / 64] >> bit % 64;
    return access->index_bytes == 4 ? (int32_t)value : (int64_t)value;
}
