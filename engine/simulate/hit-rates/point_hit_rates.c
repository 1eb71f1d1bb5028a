#include "engine/simulate/hit-rates/point_hit_rates.h"

#include <stdlib.h>

#include "engine/simulate/simulate.h"
#include "formats/x86/unit.h"

/* Of large pages, in which the probe's arrays are. */
#define START UINT64_C(0x40000000)

enum { FIRST_PASS, SECOND_PASS, PASSES };

/* Two passes, each a run with a reference of its own. */
struct passes {
    struct ft_run_source source; /* first, so that a source is cast to its whole */
    struct ft_reference references[PASSES];
    struct ft_run run;
    uint32_t pass;
    uint64_t address;
    int64_t stride;
};

static int next_pass(struct ft_run_source *source, struct ft_run_batch *ret_batch,
                     struct ft_diag *diag)
{
    static const uint32_t references[PASSES] = {FIRST_PASS, SECOND_PASS};
    struct passes *passes = (struct passes *)source;
    (void)diag;
    *ret_batch = (struct ft_run_batch){0};
    if (passes->pass == PASSES)
        return FT_OK;
    *ret_batch = (struct ft_run_batch){
        .runs = &passes->run,
        .run_count = 1,
        .references = &references[passes->pass++],
        .addresses = &passes->address,
        .strides = &passes->stride,
        .entry_count = 1,
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
    *ret_source = &passes->source;
    return FT_OK;
}

static int find_point(const struct ft_machine *caches, struct ft_bandwidth_point *point,
                      struct ft_diag *diag)
{
    struct passes passes = {
        .source = {.reference_count = PASSES, .next = next_pass, .destroy = keep_passes},
        .run = {.reference_count = 1, .iteration_count = point->size_bytes / point->stride_bytes},
        .address = START,
        .stride = (int64_t)point->stride_bytes,
    };
    struct ft_simulation simulation;
    for (uint32_t i = 0; i < PASSES; i++)
        passes.references[i] = (struct ft_reference){.module = FT_NO_MODULE,
                                                     .size_bytes = FT_BANDWIDTH_BYTES_PER_ACCESS};
    passes.source.references = passes.references;
    passes.source.access_count = PASSES * passes.run.iteration_count;
    FT_TRY(ft_simulate(caches, 1, open_passes, &passes, NULL, &simulation, diag));
    for (size_t i = 0; i < caches->cache_count; i++)
        point->hit_rates[i] =
            1 - (double)simulation.set_associative_misses[i * PASSES + SECOND_PASS] /
                    (double)simulation.accesses[SECOND_PASS];
    point->hit_rate_count = (uint32_t)caches->cache_count;
    ft_hit_rates_accumulate(point->hit_rates, caches->cache_count);
    ft_simulation_fini(&simulation);
    return FT_OK;
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
