#include "engine/footprint/phases.h"

#include <stdbool.h>
#include <stdlib.h>

#include "formats/base/array.h"

int ft_phases_init(struct ft_phases *phases, size_t block_count, struct ft_diag *diag)
{
    *phases = (struct ft_phases){
        .counts = calloc(block_count + 1, sizeof *phases->counts),
        .seen = calloc(block_count + 1, sizeof *phases->seen),
    };
    if (phases->counts && phases->seen)
        return FT_OK;
    ft_phases_fini(phases);
    return ft_fail_memory(diag, "phases");
}

void ft_phases_fini(struct ft_phases *phases)
{
    for (size_t i = 0; i < phases->count; i++)
        free(phases->phases[i].entries);
    free(phases->phases);
    free(phases->counts);
    free(phases->seen);
    *phases = (struct ft_phases){0};
}

static uint64_t accesses_of(const struct ft_phases *phases)
{
    uint64_t accesses = 0;
    for (size_t i = 0; i < phases->seen_count; i++)
        accesses += phases->counts[phases->seen[i]];
    return accesses;
}

__extension__ typedef unsigned __int128 wide;

/* What an interval and a phase have in common: a share of 1, times the accesses of both. */
static wide overlap(const struct ft_phases *phases, uint64_t accesses, const struct ft_phase *phase)
{
    wide sum = 0;
    for (size_t i = 0; i < phase->entry_count; i++) {
        wide there = (wide)phase->entries[i].accesses * accesses;
        wide here = (wide)phases->counts[phase->entries[i].block] * phase->entry_accesses;
        sum += here < there ? here : there;
    }
    return sum;
}

static bool is_near(wide common, uint64_t accesses, uint64_t phase_accesses)
{
    return FT_PHASE_OVERLAP_OF * common >= FT_PHASE_OVERLAP * ((wide)accesses * phase_accesses);
}

/* The phase of the interval, or the number of phases for none. Counts of an interval are below
 * 2^42, so that products of three have room. */
static size_t find_nearest(const struct ft_phases *phases, uint64_t accesses)
{
    size_t nearest = phases->count;
    wide max_common = 0;
    for (size_t p = 0; p < phases->count; p++) {
        const struct ft_phase *phase = &phases->phases[p];
        wide common = overlap(phases, accesses, phase);
        if (!is_near(common, accesses, phase->entry_accesses))
            continue;
        if (nearest == phases->count ||
            common * phases->phases[nearest].entry_accesses > max_common * phase->entry_accesses) {
            nearest = p;
            max_common = common;
        }
    }
    return nearest;
}

static int by_block(const void *left, const void *right)
{
    const struct ft_signature_entry *a = left, *b = right;
    return (a->block > b->block) - (a->block < b->block);
}

static int begin_phase(struct ft_phases *phases, uint64_t accesses, struct ft_diag *diag)
{
    struct ft_phase phase = {
        .entries = calloc(phases->seen_count + 1, sizeof *phase.entries),
        .entry_count = phases->seen_count,
        .entry_accesses = accesses,
        .first_interval = phases->interval_count,
    };
    if (!phase.entries || !FT_RESERVE(phases->phases, phases->capacity, phases->count + 1)) {
        free(phase.entries);
        return ft_fail_memory(diag, "phases");
    }
    for (size_t i = 0; i < phases->seen_count; i++)
        phase.entries[i] =
            (struct ft_signature_entry){phases->seen[i], phases->counts[phases->seen[i]]};
    qsort(phase.entries, phase.entry_count, sizeof *phase.entries, by_block);
    phases->phases[phases->count++] = phase;
    return FT_OK;
}

int ft_phases_end_interval(struct ft_phases *phases, uint32_t *ret_phase, struct ft_diag *diag)
{
    const uint64_t accesses = accesses_of(phases);
    const size_t nearest = find_nearest(phases, accesses);
    if (nearest == phases->count) {
        int status = begin_phase(phases, accesses, diag);
        if (status)
            return status;
    }
    phases->phases[nearest].interval_count++;
    phases->phases[nearest].accesses += accesses;
    phases->interval_count++;
    for (size_t i = 0; i < phases->seen_count; i++)
        phases->counts[phases->seen[i]] = 0;
    phases->seen_count = 0;
    *ret_phase = (uint32_t)nearest;
    return FT_OK;
}
