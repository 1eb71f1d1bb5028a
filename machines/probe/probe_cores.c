/*
 * Memory bandwidth of one to all processors: each thread loads from memory of its own until all
 * have run for a while; the rates, by CPU time, are added up. They only count as together where
 * each thread had its processor for nearly all of the time: the curve "cores running" says for what
 * share of it.
 */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/base/clock.h"
#include "machines/host/system_files.h"
#include "machines/probe/code.h"
#include "machines/probe/probe_memory.h"
#include "machines/probe/probe_run.h"

#define TRIALS        4
#define TRIAL_NS      UINT64_C(40000000)
#define BYTES_EACH    (UINT64_C(64) << 20)
#define ELEMENT_BYTES 8

struct stream_thread {
    struct ft_probe_memory memory;
    struct ft_code code;
    pthread_t thread;
    pthread_barrier_t *start;
    double elements_per_ns, running;
};

static int prepare(struct stream_thread *thread, struct ft_diag *diag)
{
    FT_TRY(ft_probe_memory_init(&thread->memory, BYTES_EACH, true, diag));
    int status = ft_code_strided(FT_CODE_LOAD, BYTES_EACH, ELEMENT_BYTES, &thread->code, diag);
    if (status != FT_OK)
        ft_probe_memory_fini(&thread->memory);
    return status;
}

static void *load(void *context)
{
    struct stream_thread *self = context;
    uint64_t elements = 0;
    (void)pthread_barrier_wait(self->start);
    const uint64_t wall = ft_clock_ns(), cpu = ft_thread_cpu_ns();
    while (ft_clock_ns() - wall < TRIAL_NS) {
        self->code.run(self->memory.start, NULL, 1);
        elements += self->code.accesses;
    }
    const double used = (double)(ft_thread_cpu_ns() - cpu);
    self->elements_per_ns = (double)elements / used;
    self->running = used / (double)(ft_clock_ns() - wall);
    return NULL;
}

/* Elements in a nanosecond of all threads; 0 where they could not be started. */
static double run_trial(struct stream_thread *threads, uint32_t count, double *ret_running)
{
    pthread_barrier_t start;
    uint32_t started = 0;
    double sum = 0;
    *ret_running = 1;
    if (pthread_barrier_init(&start, NULL, count) != 0)
        return 0;
    for (; started < count; started++) {
        threads[started].start = &start;
        if (pthread_create(&threads[started].thread, NULL, load, &threads[started]) != 0)
            break;
    }
    /* Fewer than the barrier waits for: they can only be ended. */
    for (uint32_t i = 0; i < started && started < count; i++)
        (void)pthread_cancel(threads[i].thread);
    for (uint32_t i = 0; i < started; i++) {
        (void)pthread_join(threads[i].thread, NULL);
        sum += threads[i].elements_per_ns;
        *ret_running = fmin(*ret_running, threads[i].running);
    }
    (void)pthread_barrier_destroy(&start);
    return started == count ? sum : 0;
}

static int measure_count(struct ft_probing *probing, struct stream_thread *threads, uint32_t count,
                         struct ft_diag *diag)
{
    double best = 0, best_running = 0;
    struct ft_probe_point point = {.size_bytes = BYTES_EACH,
                                   .stride_bytes = ELEMENT_BYTES,
                                   .count = count,
                                   .samples = TRIALS,
                                   .passes = 1};
    for (int trial = 0; trial < (probing->plan->brief ? 1 : TRIALS); trial++) {
        double running;
        const double rate = run_trial(threads, count, &running);
        /* Where some did not run, the others had the memory for themselves. */
        if (running > best_running + 0.1 || (running > best_running - 0.1 && rate > best)) {
            best = rate;
            best_running = running;
        }
    }
    if (best == 0)
        return FT_OK;
    point.ns = point.again_ns = 1 / best;
    snprintf(point.curve, sizeof point.curve, FT_CURVE_CORES);
    if (!ft_probe_add(probing->probe, &point))
        return ft_fail_memory(diag, "a point");
    point.ns = point.again_ns = best_running;
    snprintf(point.curve, sizeof point.curve, FT_CURVE_RUNNING);
    return ft_probe_add(probing->probe, &point) ? FT_OK : ft_fail_memory(diag, "a point");
}

/* Processors that this process may use, as many as have memory to measure on. */
static uint32_t count_processors(void)
{
    cpu_set_t set;
    uint32_t count = sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
    const uint64_t room = ft_available_memory_bytes() / 4 / BYTES_EACH;
    return count < room ? count : room > 0 ? (uint32_t)room : 1;
}

int ft_probe_cores(struct ft_probing *probing, struct ft_diag *diag)
{
    const struct ft_probe_point late = {0};
    if (ft_probing_is_settled(probing, &late))
        return FT_OK;
    const uint32_t count = count_processors();
    struct stream_thread *threads = calloc(count, sizeof *threads);
    uint32_t ready = 0;
    int status = threads ? FT_OK : ft_fail_memory(diag, "threads");
    for (; status == FT_OK && ready < count; ready += status == FT_OK)
        status = prepare(&threads[ready], diag);
    for (uint32_t wide = 1; status == FT_OK && wide <= count;
         wide = wide < count && 2 * wide > count ? count : 2 * wide)
        status = measure_count(probing, threads, wide, diag);
    for (uint32_t i = 0; i < ready; i++) {
        ft_code_fini(&threads[i].code);
        ft_probe_memory_fini(&threads[i].memory);
    }
    free(threads);
    return status;
}
