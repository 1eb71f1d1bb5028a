#include "predict/measured/load_samples.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

#define FIRST_CACHE_CYCLES 4 /* no load is faster */

/* ---- texts ---- */

/* Of a level: whether it was missed. */
enum outcome { UNKNOWN, HIT, MISS };

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

static bool ends(const char *text, const char *word)
{
    const size_t length = strlen(text), ending = strlen(word);
    return length >= ending && strcmp(text + length - ending, word) == 0;
}

/* The last of "A or B hit" that says something: perf has one place from each of two encodings. */
static const char *last_place(const char *text)
{
    for (const char *next; (next = strstr(text, " or ")) && !begins(next, " or N/A");)
        text = next + strlen(" or ");
    return text;
}

/* The cache that a place is, from 0; FT_SAMPLED_CACHES: memory, or what is as far; -1: neither. */
static int cache_of(const char *place)
{
    if (begins(place, "L1") || begins(place, "LFB"))
        return 0;
    if (begins(place, "L2"))
        return 1;
    if (begins(place, "L3"))
        return 2;
    return begins(place, "Local RAM") || begins(place, "RAM") || begins(place, "Remote") ||
                   begins(place, "Any cache") || begins(place, "PMEM") || begins(place, "L4") ||
                   begins(place, "CXL")
               ? FT_SAMPLED_CACHES
               : -1;
}

static void read_caches(const char *text, enum outcome outcomes[FT_SAMPLED_CACHES])
{
    const bool is_miss = ends(text, " miss");
    const int cache = is_miss || ends(text, " hit") ? cache_of(last_place(text)) : -1;
    for (int i = 0; i < FT_SAMPLED_CACHES; i++)
        outcomes[i] = cache < 0    ? UNKNOWN
                      : i < cache  ? MISS
                      : !is_miss   ? HIT
                      : i == cache ? MISS
                                   : UNKNOWN;
}

/* Of the last TLB, the second one. A walk, by the processor or the kernel's handler of a fault,
 * follows a miss in it. */
static enum outcome read_tlb(const char *text)
{
    if (!text)
        return UNKNOWN;
    if (strstr(text, "Walker") || strstr(text, "Fault"))
        return MISS;
    if (ends(text, " hit") && begins(text, "L"))
        return HIT;
    return ends(text, "L2 miss") ? MISS : UNKNOWN;
}

int ft_load_event_check(const char *event, const char *path, struct ft_diag *diag)
{
    const char *ldlat = strstr(event, "ldlat=");
    const unsigned long cycles = ldlat ? strtoul(ldlat + strlen("ldlat="), NULL, 0) : 0;
    return cycles <= FIRST_CACHE_CYCLES
               ? FT_OK
               : ft_fail(diag, FT_ERROR_DATA,
                         "%s: has only loads slower than %lu cycles, which say nothing of hits; "
                         "record all of them: perf mem record --ldlat 3",
                         path, cycles);
}

/* ---- counts ---- */

static struct ft_load_counts *counts_of(struct ft_load_samples *samples, const char *routine)
{
    for (size_t i = 0; i <= samples->count; i++) {
        const size_t at = i == 0 ? samples->last : i - 1;
        if (at >= samples->count)
            continue;
        struct ft_load_counts *counts = &samples->items[at];
        if (routine && counts->routine ? strcmp(counts->routine, routine) == 0
                                       : counts->routine == routine) {
            samples->last = routine ? at : samples->last;
            return counts;
        }
    }
    if (!FT_RESERVE(samples->items, samples->capacity, samples->count + 1))
        return NULL;
    struct ft_load_counts *counts = &samples->items[samples->count];
    *counts = (struct ft_load_counts){.routine = routine ? strdup(routine) : NULL};
    if (routine && !counts->routine)
        return NULL;
    samples->last = routine ? samples->count : samples->last;
    samples->count++;
    return counts;
}

static int add(struct ft_load_samples *samples, const char *routine,
               const enum outcome outcomes[FT_SAMPLED_LEVELS], double count, double weight,
               struct ft_diag *diag)
{
    struct ft_load_counts *counts = counts_of(samples, routine);
    if (!counts)
        return ft_fail_memory(diag, "samples");
    for (size_t i = 0; i < FT_SAMPLED_LEVELS; i++) {
        if (outcomes[i] == UNKNOWN)
            continue;
        counts->all[i] += count * weight;
        counts->squares[i] += count * weight * weight;
        if (outcomes[i] == MISS)
            counts->missed[i] += count * weight;
    }
    return FT_OK;
}

int ft_load_samples_add(struct ft_load_samples *samples, const char *routine, const char *level,
                        const char *tlb, double count, double weight, struct ft_diag *diag)
{
    enum outcome outcomes[FT_SAMPLED_LEVELS];
    read_caches(level, outcomes);
    outcomes[FT_SAMPLED_CACHES] = read_tlb(tlb);
    FT_TRY(add(samples, NULL, outcomes, count, weight, diag));
    return routine ? add(samples, routine, outcomes, count, weight, diag) : FT_OK;
}

int ft_load_samples_measure(const struct ft_load_samples *samples, const char *event,
                            struct ft_measured *measured, struct ft_diag *diag)
{
    for (size_t i = 0; i < samples->count; i++) {
        const struct ft_load_counts *counts = &samples->items[i];
        for (unsigned k = 0; k < FT_SAMPLED_LEVELS; k++) {
            const struct ft_measured_event what = {
                .kind = FT_MEASURED_MISS_RATIO,
                .part = FT_MEASURED_LOADS,
                .place = k < FT_SAMPLED_CACHES ? k : FT_MEASURED_LAST_TLB,
                .unit = 1};
            /* So many samples of equal weight would say as much. */
            const struct ft_measured_ratio ratio = {counts->missed[k] / counts->all[k],
                                                    counts->all[k] * counts->all[k] /
                                                        counts->squares[k]};
            if (counts->all[k] > 0)
                FT_TRY(
                    ft_measured_add_ratio(measured, counts->routine, event, &what, &ratio, diag));
        }
    }
    return FT_OK;
}

void ft_load_samples_fini(struct ft_load_samples *samples)
{
    for (size_t i = 0; i < samples->count; i++)
        free(samples->items[i].routine);
    free(samples->items);
    *samples = (struct ft_load_samples){0};
}
