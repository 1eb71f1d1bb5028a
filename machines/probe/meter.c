/*
 * Reading the clocks costs a system call, some hundred nanoseconds; windows are long enough to
 * forget it, and short enough that many fit between two disturbances.
 */
#include "machines/probe/meter.h"

#include <math.h>

#include "formats/base/clock.h"
#include "machines/probe/canary.h"

#define CANARY_ADDS     150000
#define CANARY_FILLS    60000
#define CANARY_SAMPLES  100
#define PROCESSORS_MAX  8    /* looked at for the best canary */
#define DISTURBED_ABOVE 1.08 /* of the best canary: clocks vary by as much */
#define WAITS           20   /* canaries in front of a sample, 0.1 ms each */
#define AGREE           0.02 /* halves as near as this are enough */
#define WHOLE           0.97 /* of its wall time a thread ran, to have run for all of it */
#define LATE_SAMPLES    3

struct reading {
    uint64_t wall, cpu;
};

struct sample {
    double ns;
    bool is_whole; /* the thread was not interrupted */
};

static struct reading read_clocks(void)
{
    struct reading reading = {.wall = ft_clock_ns()};
    reading.cpu = ft_thread_cpu_ns();
    return reading;
}

static struct sample since(const struct ft_meter *meter, const struct reading *start)
{
    const uint64_t cpu_now = ft_thread_cpu_ns(), wall_now = ft_clock_ns();
    const double wall = (double)(wall_now - start->wall) - meter->clock_ns;
    const double cpu = (double)(cpu_now - start->cpu);
    const bool is_whole = cpu >= WHOLE * wall;
    return (struct sample){fmax(is_whole ? wall : cpu, 0), is_whole};
}

/* ---- the canary ---- */

static struct sample time_canary(const struct ft_meter *meter, void (*canary)(uint64_t),
                                 uint64_t count)
{
    const struct reading start = read_clocks();
    canary(count);
    return since(meter, &start);
}

/* Each by its own best: that of their ratio would be one where only the chain was slow. */
bool ft_meter_is_calm(struct ft_meter *meter)
{
    const struct sample chain = time_canary(meter, ft_canary_chain, CANARY_ADDS),
                        fill = time_canary(meter, ft_canary_fill, CANARY_FILLS);
    if (!chain.is_whole || !fill.is_whole)
        return false;
    const double cycle_ns = chain.ns / CANARY_ADDS, fill_ns = fill.ns / CANARY_FILLS;
    meter->cycle_ns = fmin(meter->cycle_ns, cycle_ns);
    meter->fill_ns = fmin(meter->fill_ns, fill_ns);
    return cycle_ns <= DISTURBED_ABOVE * meter->cycle_ns &&
           fill_ns <= DISTURBED_ABOVE * meter->fill_ns;
}

/* ---- processors ---- */

static void stay_on(int cpu)
{
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET((size_t)cpu, &only);
    (void)sched_setaffinity(0, sizeof only, &only);
}

static void leave_to_kernel(const struct ft_meter *meter)
{
    if (CPU_COUNT(&meter->allowed) > 0)
        (void)sched_setaffinity(0, sizeof meter->allowed, &meter->allowed);
}

void ft_meter_move_on(struct ft_meter *meter)
{
    if (CPU_COUNT(&meter->allowed) < 2)
        return;
    do
        meter->cpu = (meter->cpu + 1) % CPU_SETSIZE;
    while (!CPU_ISSET((size_t)meter->cpu, &meter->allowed));
    stay_on(meter->cpu);
}

static bool wait_for_calm(struct ft_meter *meter)
{
    for (int i = 0; i < WAITS; i++) {
        if (ft_meter_is_calm(meter))
            return true;
        ft_meter_move_on(meter);
    }
    return false;
}

/* What reading the clocks adds to what is measured. */
static double clock_ns(const struct ft_meter *meter)
{
    double least = INFINITY;
    for (int i = 0; i < CANARY_SAMPLES; i++) {
        const struct reading start = read_clocks();
        const struct sample sample = since(meter, &start);
        if (sample.is_whole || sample.ns < least)
            least = fmin(least, (double)(ft_clock_ns() - start.wall));
    }
    return least;
}

void ft_meter_init(struct ft_meter *meter)
{
    *meter = (struct ft_meter){.window_ns = 3e5,
                               .samples_min = 6,
                               .samples_max = 12,
                               .cycle_ns = INFINITY,
                               .fill_ns = INFINITY};
    if (sched_getaffinity(0, sizeof meter->allowed, &meter->allowed) != 0)
        CPU_ZERO(&meter->allowed);
    meter->clock_ns = clock_ns(meter);
    for (int processor = 0; processor < PROCESSORS_MAX; processor++) {
        if (processor > 0 && processor >= CPU_COUNT(&meter->allowed))
            break;
        ft_meter_move_on(meter);
        for (int i = 0; i < CANARY_SAMPLES; i++)
            ft_meter_is_calm(meter);
    }
    leave_to_kernel(meter);
}

/* ---- work ---- */

static struct sample time_work(const struct ft_meter *meter, ft_work *work, void *context,
                               uint64_t count)
{
    const struct reading start = read_clocks();
    work(context, count);
    return since(meter, &start);
}

/* Operations that fill a window, twice in a row: once may be an interruption. */
static uint64_t calibrate(const struct ft_meter *meter, ft_work *work, void *context, uint64_t unit)
{
    uint64_t count = unit;
    for (;;) {
        double ns = time_work(meter, work, context, count).ns;
        if (ns >= meter->window_ns) {
            ns = fmin(ns, time_work(meter, work, context, count).ns);
            if (ns >= 0.7 * meter->window_ns)
                return count;
        }
        const double factor = ns > 0 ? fmin(8, fmax(1.3, 1.2 * meter->window_ns / ns)) : 8;
        count = (uint64_t)((double)count * factor / (double)unit + 1) * unit;
    }
}

/* Whole samples in two halves, and CPU times of those that are not. */
struct halves {
    double best[2], interrupted[2];
    uint32_t whole, interruptions;
};

static void take_sample(struct halves *halves, const struct sample *sample, uint64_t count)
{
    const double ns = sample->ns / (double)count;
    double *best = sample->is_whole ? &halves->best[halves->whole++ % 2]
                                    : &halves->interrupted[halves->interruptions++ % 2];
    *best = fmin(*best, ns);
}

static bool is_enough(const struct ft_meter *meter, const struct halves *halves, uint32_t samples,
                      uint32_t calm)
{
    if (samples >= LATE_SAMPLES && meter->deadline_ns && ft_clock_ns() > meter->deadline_ns)
        return true;
    return samples >= meter->samples_min && calm >= meter->samples_min / 2 &&
           halves->whole >= meter->samples_min / 2 &&
           fabs(halves->best[0] - halves->best[1]) <=
               AGREE * fmin(halves->best[0], halves->best[1]);
}

void ft_meter_measure(struct ft_meter *meter, ft_work *work, void *context, uint64_t unit,
                      struct ft_probe_point *point)
{
    if (CPU_COUNT(&meter->allowed) > 1)
        stay_on(meter->cpu);
    const uint64_t count = calibrate(meter, work, context, unit);
    struct halves halves = {{INFINITY, INFINITY}, {INFINITY, INFINITY}, 0, 0};
    uint32_t samples = 0, calm = 0;
    while (samples < meter->samples_max && !is_enough(meter, &halves, samples, calm)) {
        const bool was_calm = wait_for_calm(meter);
        const struct sample sample = time_work(meter, work, context, count);
        take_sample(&halves, &sample, count);
        samples++;
        calm += was_calm && sample.is_whole;
        meter->samples++;
        meter->disturbed += !(was_calm && sample.is_whole);
    }
    leave_to_kernel(meter);
    const double *best = halves.whole >= 2           ? halves.best
                         : halves.interruptions >= 2 ? halves.interrupted
                                                     : NULL;
    const double single = fmin(halves.best[0], halves.interrupted[0]);
    point->samples = samples;
    point->calm = calm;
    point->passes = 1;
    point->ns = best ? fmin(best[0], best[1]) : single;
    point->again_ns = best ? fmax(best[0], best[1]) : single;
}

double ft_meter_disturbed(const struct ft_meter *meter)
{
    return meter->samples ? (double)meter->disturbed / (double)meter->samples : 0;
}
