/*
 * Latency by size: a ring of pointers through all lines of a size, in random order, so that nothing
 * can be prefetched and nothing overlaps; in large pages, in which no TLB misses, and in small
 * ones.
 */
#include <math.h>
#include <stdio.h>

#include "machines/probe/probe_memory.h"
#include "machines/probe/probe_run.h"

#define STEPS_MAX    (UINT64_C(1) << 20) /* to fill caches before a size is measured */
#define SIZE_MIN     2048
#define PER_DOUBLING 5

static int measure_size(struct ft_probing *probing, const struct ft_probe_memory *memory,
                        const char *curve, uint64_t bytes, struct ft_diag *diag)
{
    const uint64_t line = probing->plan->line_bytes, lines = bytes / line;
    struct ft_probe_point point = {.size_bytes = lines * line};
    snprintf(point.curve, sizeof point.curve, "%s", curve);
    if (ft_probing_is_settled(probing, &point))
        return FT_OK;
    void **place = ft_probe_ring(memory->start, lines, line, false, bytes);
    if (!place)
        return ft_fail_memory(diag, "a ring");
    place = ft_probe_follow(place, lines * 2 < STEPS_MAX ? (lines * 2 + 15) / 16 * 16 : STEPS_MAX);
    return ft_probing_measure(probing, ft_probe_follow_work, &place, 16, point, diag);
}

static int measure_curve(struct ft_probing *probing, const char *curve, bool large,
                         double per_doubling, struct ft_diag *diag)
{
    const struct ft_probe_plan *plan = probing->plan;
    struct ft_probe_memory memory;
    FT_TRY(ft_probe_memory_init(&memory, plan->memory_bytes, large, diag));
    const double doublings = log2((double)plan->memory_bytes / SIZE_MIN);
    const unsigned count = (unsigned)(doublings * per_doubling);
    int status = FT_OK;
    for (unsigned i = 0; status == FT_OK && i <= count; i++) {
        const double bytes = SIZE_MIN * exp2(doublings * i / count);
        status = measure_size(probing, &memory, curve, (uint64_t)(bytes + 0.5), diag);
    }
    ft_probe_memory_fini(&memory);
    return status;
}

int ft_probe_latency(struct ft_probing *probing, struct ft_diag *diag)
{
    const double per_doubling = probing->plan->brief ? 1 : PER_DOUBLING;
    if (ft_probe_has_large_pages())
        FT_TRY(measure_curve(probing, FT_CURVE_LATENCY, true, per_doubling, diag));
    return measure_curve(probing, FT_CURVE_LATENCY_SMALL, false, per_doubling / 2, diag);
}
