#include "engine/simulate/hit-rates/point_hit_rates.h"

#include <stdlib.h>

#include "engine/simulate/simulate.h"
#include "formats/x86/unit.h"
#include "machines/probe/apex_map.h"

/* Of large pages, in which the probe's arrays are. */
#define START UINT64_C(0x40000000)

#define BATCH_RUNS 4096U

enum { FIRST_PASS, SECOND_PASS, PASSES };

/* Two passes, each of the same runs with a reference of its own: one over the array, or one at each
 * start of Apex-MAP. */
struct passes {
    struct ft_run_source source; /* first, so that a source is cast to its whole */
    struct ft_reference references[PASSES];
    uint64_t iterations;
    int64_t stride;
    uint32_t *starts; /* in elements; NULL: one, at 0 */
    uint64_t start_count;
    uint32_t pass;
    uint64_t given; /* runs of this pass */
    struct ft_run runs[BATCH_RUNS];
    uint32_t run_references[BATCH_RUNS];
    uint64_t addresses[BATCH_RUNS];
    int64_t strides[BATCH_RUNS];
};

static int next_runs(struct ft_run_source *source, struct ft_run_batch *ret_batch,
                     struct ft_diag *diag)
{
    struct passes *passes = (struct passes *)source;
    size_t count = 0;
    (void)diag;
    if (passes->given == passes->start_count) {
        passes->pass++;
        passes->given = 0;
    }
    for (; passes->pass < PASSES && passes->given < passes->start_count && count < BATCH_RUNS;
         count++, passes->given++) {
        const uint64_t start = passes->starts ? passes->starts[passes->given] : 0;
        passes->runs[count] = (struct ft_run){count, 1, passes->iterations};
        passes->run_references[count] = passes->pass;
        passes->addresses[count] = START + start * FT_BANDWIDTH_BYTES_PER_ACCESS;
        passes->strides[count] = passes->stride;
    }
    *ret_batch = (struct ft_run_batch){
        .runs = passes->runs,
        .run_count = count,
        .references = passes->run_references,
        .addresses = passes->addresses,
        .strides = passes->strides,
        .entry_count = count,
    };
    return FT_OK;
}

/* They are the opener's own. */
static void keep_passes(struct ft_run_source *source)
{
    (void)source;
}

static int open_passes(void *context, struct ft_run_source **ret_source, struct ft_diag *diag)
{
    struct passes *passes = context;
    (void)diag;
    passes->pass = 0;
    passes->given = 0;
    *ret_source = &passes->source;
    return FT_OK;
}

static int make_passes(const struct ft_bandwidth_point *point, struct passes **ret_passes,
                       struct ft_diag *diag)
{
    struct passes *passes = calloc(1, sizeof *passes);
    if (!passes)
        return ft_fail_memory(diag, "a point");
    *ret_passes = passes;
    passes->start_count = 1;
    passes->iterations =
        point->length > 0 ? point->length : point->size_bytes / point->stride_bytes;
    passes->stride =
        point->length > 0 ? FT_BANDWIDTH_BYTES_PER_ACCESS : (int64_t)point->stride_bytes;
    for (uint32_t i = 0; i < PASSES; i++)
        passes->references[i] = (struct ft_reference){.module = FT_NO_MODULE,
                                                      .size_bytes = FT_BANDWIDTH_BYTES_PER_ACCESS};
    passes->source = (struct ft_run_source){.references = passes->references,
                                            .reference_count = PASSES,
                                            .next = next_runs,
                                            .destroy = keep_passes};
    if (point->length == 0)
        return FT_OK;
    passes->start_count = ft_apex_count(point->length);
    passes->starts = calloc(passes->start_count, sizeof *passes->starts);
    if (!passes->starts)
        return ft_fail_memory(diag, "a point");
    ft_apex_starts(point->size_bytes, point->alpha, point->length, passes->starts);
    return FT_OK;
}

static int find_point(const struct ft_machine *caches, struct ft_bandwidth_point *point,
                      struct ft_diag *diag)
{
    struct passes *passes = NULL;
    struct ft_simulation simulation = {0};
    int status = make_passes(point, &passes, diag);
    if (status == FT_OK)
        status = ft_simulate(caches, 1, open_passes, passes, NULL, &simulation, diag);
    if (status == FT_OK) {
        for (size_t i = 0; i < caches->cache_count; i++)
            point->hit_rates[i] =
                1 - (double)simulation.set_associative_misses[i * PASSES + SECOND_PASS] /
                        (double)simulation.accesses[SECOND_PASS];
        point->hit_rate_count = (uint32_t)caches->cache_count;
        ft_hit_rates_accumulate(point->hit_rates, caches->cache_count);
        ft_simulation_fini(&simulation);
    }
    if (passes)
        free(passes->starts);
    free(passes);
    return status;
}

struct ft_machine ft_machine_caches(const struct ft_machine *machine)
{
    struct ft_machine caches = *machine;
    caches.level_count = machine->cache_count;
    return caches;
}

int ft_point_hit_rates_find(const struct ft_machine *machine, struct ft_bandwidth_points *points,
                            struct ft_progress *progress, struct ft_diag *diag)
{
    const struct ft_machine caches = ft_machine_caches(machine);
    size_t done = 0;
    int status = FT_OK;
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < points->count; i++) {
        struct ft_diag why = {0};
        int found = FT_OK;
        if (points->items[i].hit_rate_count == 0)
            found = find_point(&caches, &points->items[i], &why);
#pragma omp critical(point_hit_rates)
        {
            ft_progress_update(progress, ++done, points->count, "points");
            if (found != FT_OK && status == FT_OK)
                status = ft_fail(diag, found, "%s", why.message);
        }
    }
    return status;
}
