/*
 * Strides are those of the heaviest reference of a group. References are the same ones at all sizes
 * where a group has equally many at each: they are in the order of the code.
 */
#include "fit/group_strides.h"

#include <stdlib.h>

#include "fit/matching/reference_strides.h"

#define STREAMS_MAX 64U /* of a group: bases of more are not kept */

/* The runs of a loop show its stride as a number, whatever the formula says, and so do accesses
 * that follow each other. */
static void put_strides(const struct ft_histograms *entry, uint32_t reference, size_t index,
                        const struct ft_group_strides *into, size_t group)
{
    struct ft_reference_strides strides = ft_reference_strides_of(entry, reference);
    const int64_t seen = entry->reference_strides[reference];
    if (strides.count > 0 && strides.bytes[0] == FT_STRIDE_MIXED && seen != FT_STRIDE_NONE)
        strides.bytes[0] = seen;
    if (strides.count > 0 && strides.bytes[0] == FT_STRIDE_MIXED && entry->seen_strides &&
        entry->seen_strides[reference] != FT_STRIDE_NONE)
        strides.bytes[0] = entry->seen_strides[reference];
    for (size_t loop = 0; loop < strides.count && loop < FT_STRIDE_LOOPS_MAX; loop++)
        ft_group_stride(into, group, loop)[index] = strides.bytes[loop];
}

/* References of a group, 0 where these are not the same at all sizes. */
static size_t count_streams(const struct ft_fit_work *work, size_t group)
{
    const size_t *last = work->member_ends[work->count - 1];
    const size_t count = last[group + 1] - last[group];
    if (work->match.groups[group].rest || count > STREAMS_MAX)
        return 0;
    for (size_t e = 0; e < work->count; e++)
        if (!work->entries[e]->reference_bases ||
            work->member_ends[e][group + 1] - work->member_ends[e][group] != count)
            return 0;
    return count;
}

static int put_streams(const struct ft_fit_work *work, struct ft_group_strides *into,
                       struct ft_diag *diag)
{
    size_t count = 0;
    for (size_t g = 0; g < work->match.group_count; g++)
        count += count_streams(work, g);
    into->streams = calloc(count + 1, sizeof *into->streams);
    into->bases = calloc(count * work->count + 1, sizeof *into->bases);
    if (!into->streams || !into->bases)
        return ft_fail_memory(diag, "where references begin");
    for (uint32_t g = 0; g < work->match.group_count; g++)
        for (size_t i = 0; i < count_streams(work, g); i++) {
            uint64_t *bases = into->bases + into->stream_count * work->count;
            into->streams[into->stream_count++] = g;
            for (size_t e = 0; e < work->count; e++)
                bases[e] = work->entries[e]
                               ->reference_bases[work->members[e][work->member_ends[e][g] + i]];
        }
    return FT_OK;
}

/* Those at the largest size, where its histograms tell them. */
static bool put_load_classes(const struct ft_histograms *last, const uint32_t *heaviest,
                             struct ft_group_strides *into)
{
    if (!last->scopes.load_classes)
        return true;
    into->load_classes = calloc(into->group_count + 1, sizeof *into->load_classes);
    for (size_t g = 0; into->load_classes && g < into->group_count; g++)
        if (heaviest[g] != UINT32_MAX)
            into->load_classes[g] = last->scopes.load_classes[heaviest[g]];
    return into->load_classes;
}

int ft_group_strides_find(const struct ft_fit_work *work, struct ft_group_strides *ret_strides,
                          struct ft_diag *diag)
{
    const struct ft_match *match = &work->match;
    FT_TRY(ft_group_strides_init(ret_strides, match->group_count, work->count, diag));
    uint32_t *heaviest = calloc(match->group_count + 1, sizeof *heaviest);
    if (!heaviest)
        return ft_fail_memory(diag, "the strides of groups");
    for (size_t e = 0; e < work->count; e++) {
        ft_heaviest_references(match, work->entries[e], e, heaviest);
        for (size_t g = 0; g < match->group_count; g++)
            if (!match->groups[g].rest && heaviest[g] != UINT32_MAX)
                put_strides(work->entries[e], heaviest[g], e, ret_strides, g);
    }
    const bool done = put_load_classes(work->entries[work->count - 1], heaviest, ret_strides);
    free(heaviest);
    if (!done)
        return ft_fail_memory(diag, "the loads of groups");
    return put_streams(work, ret_strides, diag);
}
