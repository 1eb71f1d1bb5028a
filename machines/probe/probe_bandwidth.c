/*
 * Bandwidth by size and stride, as MultiMAPS measures it (Tikir et al., SC 2007, 3.1): passes over
 * an array of each size at each stride, in large pages where there are any. Copies have two arrays
 * of half the size. Gathers load from random places whose addresses come from a small table, so
 * that any number of them may overlap.
 */
#include <cpuid.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/base/splitmix.h"
#include "machines/probe/code.h"
#include "machines/probe/probe_memory.h"
#include "machines/probe/probe_run.h"

#define ELEMENT_BYTES 8
#define VECTOR_BYTES  32
#define PLACES        1024 /* of gathers: the table stays in the first cache */

static bool has_avx(void)
{
    return __builtin_cpu_supports("avx") != 0;
}

/* ---- strides ---- */

struct strided {
    struct ft_code code;
    void *from, *to;
};

static void run_passes(void *context, uint64_t count)
{
    const struct strided *strided = context;
    strided->code.run(strided->from, strided->to, count / strided->code.accesses);
}

static int measure_strided(struct ft_probing *probing, const struct ft_probe_memory *memory,
                           enum ft_code_kind kind, uint64_t bytes, uint64_t stride_bytes,
                           struct ft_diag *diag)
{
    static const char *const curves[] = {
        [FT_CODE_LOAD] = FT_CURVE_LOAD,
        [FT_CODE_STORE] = FT_CURVE_STORE,
        [FT_CODE_COPY] = FT_CURVE_COPY,
        [FT_CODE_VECTOR_LOAD] = FT_CURVE_VECTOR,
    };
    const uint64_t array = kind == FT_CODE_COPY ? bytes / 2 / 64 * 64 : bytes;
    struct ft_probe_point point = {.size_bytes = bytes, .stride_bytes = stride_bytes};
    struct strided strided = {.from = memory->start, .to = memory->start + array};
    if (array < stride_bytes)
        return FT_OK;
    snprintf(point.curve, sizeof point.curve, "%s", curves[kind]);
    FT_TRY(ft_code_strided(kind, array, stride_bytes, &strided.code, diag));
    int status =
        ft_probing_measure(probing, run_passes, &strided, strided.code.accesses, point, diag);
    ft_code_fini(&strided.code);
    return status;
}

/* ---- gathers ---- */

struct gather {
    const uint8_t *start;
    const uint32_t *places; /* offsets below half of the size */
    uint64_t half_bytes, state;
};

static void gather(void *context, uint64_t count)
{
    struct gather *gather = context;
    for (uint64_t done = 0; done < count; done += PLACES) {
        const uint8_t *base =
            gather->start + ft_splitmix(&gather->state) % gather->half_bytes / 8 * 8;
        const uint32_t *place = gather->places, *end = place + PLACES;
        uint64_t offset, value;
        __asm__ volatile("1:\n"
                         ".set at, 0\n"
                         ".rept 16\n"
                         "mov at(%[place]), %k[offset]\n"
                         "mov (%[base],%[offset]), %[value]\n"
                         ".set at, at + 4\n"
                         ".endr\n"
                         "add $64, %[place]\n"
                         "cmp %[end], %[place]\n"
                         "jne 1b\n"
                         : [place] "+r"(place), [offset] "=&r"(offset), [value] "=&r"(value)
                         : [base] "r"(base), [end] "r"(end)
                         : "cc", "memory");
    }
}

static int measure_gather(struct ft_probing *probing, const struct ft_probe_memory *memory,
                          uint64_t bytes, struct ft_diag *diag)
{
    struct ft_probe_point point = {.size_bytes = bytes, .curve = FT_CURVE_GATHER};
    uint32_t places[PLACES];
    uint64_t state = bytes;
    struct gather work = {memory->start, places, bytes / 2, 1};
    for (size_t i = 0; i < PLACES; i++)
        places[i] = (uint32_t)(ft_splitmix(&state) % (bytes / 2) / 8 * 8);
    return ft_probing_measure(probing, gather, &work, PLACES, point, diag);
}

/* ---- all of it ---- */

static int measure_size(struct ft_probing *probing, const struct ft_probe_memory *memory,
                        uint64_t bytes, struct ft_diag *diag)
{
    static const enum ft_code_kind kinds[] = {FT_CODE_LOAD, FT_CODE_STORE, FT_CODE_COPY};
    const struct ft_probe_plan *plan = probing->plan;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (uint32_t s = 0; s < plan->stride_count; s++)
            FT_TRY(measure_strided(probing, memory, kinds[k], bytes,
                                   (uint64_t)ELEMENT_BYTES * plan->strides[s], diag));
    if (has_avx())
        FT_TRY(measure_strided(probing, memory, FT_CODE_VECTOR_LOAD, bytes, VECTOR_BYTES, diag));
    return measure_gather(probing, memory, bytes, diag);
}

int ft_probe_bandwidth(struct ft_probing *probing, struct ft_diag *diag)
{
    const struct ft_probe_plan *plan = probing->plan;
    const double ratio = (double)plan->size_max / (double)plan->size_min;
    struct ft_probe_memory memory;
    const uint64_t largest =
        plan->size_max > plan->memory_bytes ? plan->size_max : plan->memory_bytes;
    FT_TRY(ft_probe_memory_init(&memory, largest, true, diag));
    int status = measure_size(probing, &memory, plan->memory_bytes, diag);
    for (uint32_t i = 0; status == FT_OK && i < plan->size_count; i++) {
        const double share = plan->size_count > 1 ? (double)i / (plan->size_count - 1) : 0;
        const double bytes = (double)plan->size_min * pow(ratio, share);
        status = measure_size(probing, &memory, (uint64_t)(bytes / 128 + 0.5) * 128, diag);
    }
    ft_probe_memory_fini(&memory);
    return status;
}
