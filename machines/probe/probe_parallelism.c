/*
 * What hides latency: how many chains of dependent loads overlap, which strides through memory
 * prefetchers follow, and how far ahead of a stream they are.
 *
 * In order: chains; strides; ahead.
 */
#include <stdio.h>
#include <stdlib.h>

#include "formats/base/splitmix.h"
#include "machines/probe/probe_memory.h"
#include "machines/probe/probe_run.h"

#define CHAINS_MAX   32
#define PAGE_BYTES   4096
#define STREAM_LINES 4   /* before the line that may have been prefetched */
#define DELAY        400 /* multiplications: time for a prefetch to arrive */
#define SWEEP_STEP   37  /* odd: all offsets come, neighbours far apart */
#define FAR_LINES    0   /* as count: a line that nothing prefetches */

/* ---- chains ---- */

struct chains {
    void **places[CHAINS_MAX];
    uint32_t count;
};

static void follow_chains(void *context, uint64_t count)
{
    struct chains *chains = context;
    const uint32_t wide = chains->count;
    for (uint64_t done = 0; done < count; done += wide)
        for (uint32_t k = 0; k < wide; k++)
            chains->places[k] = *(void **volatile *)chains->places[k];
}

static int measure_chains(struct ft_probing *probing, const struct ft_probe_memory *memory,
                          uint64_t bytes, struct ft_diag *diag)
{
    static const uint32_t counts[] = {1, 2, 4, 6, 8, 12, 16, 24, 32};
    const uint64_t line = probing->plan->line_bytes;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct chains chains = {.count = counts[i]};
        struct ft_probe_point point = {
            .curve = FT_CURVE_CHAINS, .size_bytes = bytes, .count = counts[i]};
        const uint64_t lines = bytes / line / counts[i];
        if (lines < 2)
            break;
        if (ft_probing_is_settled(probing, &point))
            continue;
        for (uint32_t k = 0; k < counts[i]; k++) {
            chains.places[k] =
                ft_probe_ring(memory->start + k * lines * line, lines, line, false, k + 1);
            if (!chains.places[k])
                return ft_fail_memory(diag, "a ring");
        }
        if (bytes < memory->bytes)
            follow_chains(&chains, bytes / line);
        FT_TRY(ft_probing_measure(probing, follow_chains, &chains, counts[i], point, diag));
    }
    return FT_OK;
}

/* ---- strides ---- */

/* All lines of memory: sweeps at a stride, of which those that are beside each other do not follow
 * each other, as prefetchers fetch pairs of lines too. */
static void **link_stride(const struct ft_probe_memory *memory, uint64_t line, uint64_t stride)
{
    void **first = (void **)memory->start, **last = first;
    const uint64_t sweeps = stride / line;
    for (uint64_t sweep = 0; sweep < sweeps; sweep++) {
        const uint64_t offset = sweep * SWEEP_STEP % sweeps * line;
        for (uint64_t at = offset; at + line <= memory->bytes; at += stride) {
            void **place = (void **)(memory->start + at);
            *last = place;
            last = place;
        }
    }
    *last = first;
    return first;
}

static int measure_strides(struct ft_probing *probing, const struct ft_probe_memory *memory,
                           struct ft_diag *diag)
{
    const uint64_t line = probing->plan->line_bytes;
    for (uint64_t stride = line; stride <= 64UL * PAGE_BYTES; stride *= 2) {
        struct ft_probe_point point = {
            .curve = FT_CURVE_FOLLOWED, .size_bytes = memory->bytes, .stride_bytes = stride};
        if (ft_probing_is_settled(probing, &point))
            continue;
        void **place = link_stride(memory, line, stride);
        FT_TRY(ft_probing_measure(probing, ft_probe_follow_work, &place, 16, point, diag));
        if (probing->plan->brief)
            break;
    }
    return FT_OK;
}

/* ---- ahead ---- */

/* In a random page each: a stream of lines from its start, and the line that may be there by then;
 * FAR_LINES: one in the middle of another page. The places of one page are linked, and lead to the
 * next page. */
static void **link_ahead(const struct ft_probe_memory *memory, uint64_t line, uint32_t lines_ahead)
{
    const uint64_t pages = memory->bytes / PAGE_BYTES / 2;
    uint8_t *far = memory->start + pages * PAGE_BYTES;
    uint64_t state = 1;
    void **first = ft_probe_ring(memory->start, pages, PAGE_BYTES, false, 1);
    if (!first)
        return NULL;
    for (uint64_t page = 0; page < pages; page++) {
        uint8_t *start = memory->start + page * PAGE_BYTES;
        uint8_t *ahead = lines_ahead == FAR_LINES
                             ? far + ft_splitmix(&state) % pages * PAGE_BYTES + PAGE_BYTES / 2
                             : start + (STREAM_LINES - 1 + lines_ahead) * line;
        void *next = *(void **)start;
        for (uint64_t i = 0; i + 1 < STREAM_LINES; i++)
            *(void **)(start + i * line) = start + (i + 1) * line;
        *(void **)(start + (STREAM_LINES - 1) * line) = ahead;
        /* Far lines are shared by pages that draw the same one, so the way on is not in them. */
        *(void **)(start + (STREAM_LINES - 1) * line + sizeof(void *)) = next;
    }
    return first;
}

static void follow_ahead(void *context, uint64_t count)
{
    void ***place = context;
    void **at = *place;
    for (uint64_t i = 0; i < count; i++) {
        for (int k = 0; k + 1 < STREAM_LINES; k++)
            at = *(void **volatile *)at;
        void **ahead = *(void **volatile *)at, **next = *(void **volatile *)(at + 1);
        uint64_t delay = (uint64_t)ahead, loops = DELAY / 20;
        __asm__ volatile("1:\n"
                         ".rept 20\n"
                         "imul %0, %0\n"
                         ".endr\n"
                         "dec %1\n"
                         "jnz 1b\n"
                         "and $0, %0\n"
                         : "+r"(delay), "+r"(loops)
                         :
                         : "cc");
        /* The line ahead is asked for when the delay is over, the next page when it has come. */
        uint64_t value = *(volatile uint64_t *)((uint8_t *)ahead + delay);
        __asm__ volatile("and $0, %0\n" : "+r"(value) : : "cc");
        at = (void **)((uint8_t *)next + value);
    }
    *place = at;
}

static int measure_ahead(struct ft_probing *probing, const struct ft_probe_memory *memory,
                         struct ft_diag *diag)
{
    static const uint32_t distances[] = {FAR_LINES, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48};
    const uint64_t line = probing->plan->line_bytes;
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        struct ft_probe_point point = {
            .curve = FT_CURVE_AHEAD, .size_bytes = memory->bytes, .count = distances[i]};
        if ((STREAM_LINES + distances[i]) * line > PAGE_BYTES)
            break;
        if (ft_probing_is_settled(probing, &point))
            continue;
        void **place = link_ahead(memory, line, distances[i]);
        if (!place)
            return ft_fail_memory(diag, "a ring");
        FT_TRY(ft_probing_measure(probing, follow_ahead, &place, 1, point, diag));
        if (probing->plan->brief)
            break;
    }
    return FT_OK;
}

int ft_probe_parallelism(struct ft_probing *probing, struct ft_diag *diag)
{
    const struct ft_probe_plan *plan = probing->plan;
    struct ft_probe_memory memory;
    FT_TRY(ft_probe_memory_init(&memory, plan->memory_bytes, true, diag));
    int status = FT_OK;
    for (uint32_t i = 1; status == FT_OK && i < plan->cache_count; i++)
        if (3 * plan->cache_bytes[i - 1] < plan->cache_bytes[i])
            status = measure_chains(probing, &memory, 3 * plan->cache_bytes[i - 1], diag);
    if (status == FT_OK)
        status = measure_chains(probing, &memory, plan->memory_bytes, diag);
    if (status == FT_OK)
        status = measure_strides(probing, &memory, diag);
    if (status == FT_OK)
        status = measure_ahead(probing, &memory, diag);
    ft_probe_memory_fini(&memory);
    return status;
}
