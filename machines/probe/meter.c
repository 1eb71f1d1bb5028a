/*
 * Clocks of CPU time cost a system call, some hundred nanoseconds; windows are long enough to
 * forget it, and short enough that many fit between two disturbances.
 */
#include "machines/probe/meter.h"

#include <math.h>

#include "formats/base/clock.h"

#define CANARY_ADDS     150000
#define CANARY_SAMPLES  200
#define DISTURBED_ABOVE 1.08 /* of the best canary */
#define LATE_SAMPLES    3
#define AGREE           0.02 /* halves as near as this are enough */

/* What reading the clock adds to what is measured. */
static double clock_ns(void)
{
    double least = INFINITY;
    for (int i = 0; i < CANARY_SAMPLES; i++) {
        const uint64_t start = ft_thread_cpu_ns();
        least = fmin(least, (double)(ft_thread_cpu_ns() - start));
    }
    return least;
}

static double canary_ns(const struct ft_meter *meter)
{
    uint64_t adds = CANARY_ADDS / 100, sum = 0;
    const uint64_t start = ft_thread_cpu_ns();
    __asm__ volatile("1:\n"
                     ".rept 100\n"
                     "add $1, %1\n"
                     ".endr\n"
                     "dec %0\n"
                     "jnz 1b\n"
                     : "+r"(adds), "+r"(sum)
                     :
                     : "cc");
    return ((double)(ft_thread_cpu_ns() - start) - meter->clock_ns) / CANARY_ADDS;
}

/* Whether the core is as fast as ever. */
static bool look_at_canary(struct ft_meter *meter)
{
    const double ns = canary_ns(meter);
    if (meter->cycle_ns == 0 || ns < meter->cycle_ns)
        meter->cycle_ns = ns;
    return ns <= DISTURBED_ABOVE * meter->cycle_ns;
}

void ft_meter_init(struct ft_meter *meter)
{
    *meter = (struct ft_meter){.window_ns = 3e5, .samples_min = 6, .samples_max = 12};
    meter->clock_ns = clock_ns();
    for (int i = 0; i < CANARY_SAMPLES; i++)
        look_at_canary(meter);
}

static double time_work(const struct ft_meter *meter, ft_work *work, void *context, uint64_t count)
{
    const uint64_t start = ft_thread_cpu_ns();
    work(context, count);
    return (double)(ft_thread_cpu_ns() - start) - meter->clock_ns;
}

/* Operations that fill a window. */
static uint64_t calibrate(const struct ft_meter *meter, ft_work *work, void *context, uint64_t unit)
{
    uint64_t count = unit;
    for (;;) {
        const double ns = time_work(meter, work, context, count);
        if (ns >= meter->window_ns)
            return count;
        const double factor = ns > 0 ? fmin(8, fmax(1.3, 1.2 * meter->window_ns / ns)) : 8;
        count = (uint64_t)((double)count * factor / (double)unit + 1) * unit;
    }
}

void ft_meter_measure(struct ft_meter *meter, ft_work *work, void *context, uint64_t unit,
                      struct ft_probe_point *point)
{
    const uint64_t count = calibrate(meter, work, context, unit);
    double best[2] = {INFINITY, INFINITY};
    uint32_t samples = 0, calm = 0;
    while (samples < meter->samples_max) {
        const bool was_calm = look_at_canary(meter);
        const double ns = time_work(meter, work, context, count) / (double)count;
        best[samples % 2] = fmin(best[samples % 2], ns);
        samples++;
        calm += was_calm;
        meter->samples++;
        meter->disturbed += !was_calm;
        if (samples >= LATE_SAMPLES && meter->deadline_ns && ft_clock_ns() > meter->deadline_ns)
            break;
        if (samples >= meter->samples_min && calm >= meter->samples_min / 2 &&
            fabs(best[0] - best[1]) <= AGREE * fmin(best[0], best[1]))
            break;
    }
    point->samples = samples;
    point->ns = fmin(best[0], best[1]);
    point->again_ns = INFINITY;
}

double ft_meter_disturbed(const struct ft_meter *meter)
{
    return meter->samples ? (double)meter->disturbed / (double)meter->samples : 0;
}
