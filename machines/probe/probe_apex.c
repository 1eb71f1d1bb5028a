/*
 * Apex-MAP: loads from runs of elements at random starts (apex_map.h). A sample goes on where the
 * last one stopped, so that all of the array is met in the course of time.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "machines/probe/apex_map.h"
#include "machines/probe/probe_memory.h"
#include "machines/probe/probe_run.h"

struct apex {
    const uint64_t *array;
    uint32_t *starts;
    uint64_t count, at, length;
};

static void load_runs(void *context, uint64_t count)
{
    struct apex *apex = context;
    const uint64_t length = apex->length;
    for (uint64_t done = 0; done < count; done += length) {
        const uint64_t *place = apex->array + apex->starts[apex->at];
        apex->at = (apex->at + 1) & (apex->count - 1);
        for (uint64_t i = 0; i < length; i++) {
            uint64_t value;
            __asm__ volatile("mov (%1), %0" : "=r"(value) : "r"(place + i));
        }
    }
}

static int measure_point(struct ft_probing *probing, const struct ft_probe_memory *memory,
                         double alpha, uint32_t length, struct ft_diag *diag)
{
    const uint64_t bytes = probing->plan->size_max;
    struct ft_probe_point point = {.size_bytes = bytes, .count = length};
    struct apex apex = {
        .array = (const uint64_t *)memory->start, .count = ft_apex_count(length), .length = length};
    snprintf(point.curve, sizeof point.curve, FT_CURVE_APEX "%g", alpha);
    if (bytes < (uint64_t)FT_APEX_ELEMENT_BYTES * length || ft_probing_is_settled(probing, &point))
        return FT_OK;
    apex.starts = calloc(apex.count, sizeof *apex.starts);
    if (!apex.starts)
        return ft_fail_memory(diag, "starts");
    ft_apex_starts(bytes, alpha, length, apex.starts);
    load_runs(&apex, apex.count * length);
    const int status = ft_probing_measure(probing, load_runs, &apex, length, point, diag);
    free(apex.starts);
    return status;
}

int ft_probe_apex(struct ft_probing *probing, struct ft_diag *diag)
{
    static const double alphas[] = {1, 0.1, 0.5, 0.25, 0.05, 0.025, 0.01};
    static const uint32_t lengths[] = {1, 16, 4, 64, 256};
    const size_t alpha_count = probing->plan->brief ? 2 : sizeof alphas / sizeof *alphas,
                 length_count = probing->plan->brief ? 2 : sizeof lengths / sizeof *lengths;
    struct ft_probe_memory memory;
    FT_TRY(ft_probe_memory_init(&memory, probing->plan->size_max, true, diag));
    int status = FT_OK;
    for (size_t a = 0; a < alpha_count; a++)
        for (size_t k = 0; status == FT_OK && k < length_count; k++)
            status = measure_point(probing, &memory, alphas[a], lengths[k], diag);
    ft_probe_memory_fini(&memory);
    return status;
}
