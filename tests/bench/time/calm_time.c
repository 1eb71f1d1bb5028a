/*
 * calm_time BEST SECONDS RUNS COMMAND...: the CPU time of a command while nobody else uses the core
 * that it runs on. On a virtual machine another one may, and no clock shows it. So the canary of
 * `machine probe` runs before and behind each run, which counts where both are as fast as ever.
 *
 * BEST is what the canary took at best before, in cycles per iteration; 0: not known, it is looked
 * for. Ends after so many runs that count, or SECONDS. Prints: BEST now, the clock in GHz, what a
 * page fault takes in us, runs, those that count, and the least CPU time in s, of user and system
 * (the kernel splits the two by ticks, which page faults under a hypervisor mislead), of those that
 * count or, where there are none, of all.
 *
 * On such a machine what page faults take drifts by half within an hour, so they are measured
 * around the runs, too: the least, as for the command.
 */
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/base/clock.h"
#include "machines/probe/probe_run.h"

#define LOOKING_S 5.0 /* for the best canary */

static void look_for_best(struct ft_meter *meter)
{
    const uint64_t start = ft_clock_ns();
    while ((double)(ft_clock_ns() - start) < 1e9 * LOOKING_S) {
        ft_meter_move_on(meter);
        ft_meter_is_calm(meter);
    }
}

/* False where it failed. */
static bool run(char **command, struct rusage *ret_usage)
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        const int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        execvp(command[0], command);
        perror(command[0]);
        _exit(127);
    }
    return child > 0 && wait4(child, &status, 0, ret_usage) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static double seconds(const struct timeval *time)
{
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

/* In us, as in machine files. */
static double page_fault_us(void)
{
    const uint64_t start = ft_thread_cpu_ns();
    ft_probe_touch_pages(NULL, FT_PROBE_PAGES);
    return 1e-3 * (double)(ft_thread_cpu_ns() - start) / FT_PROBE_PAGES;
}

struct times {
    double least;
    int runs;
};

static void add(struct times *times, const struct rusage *usage)
{
    const double all = seconds(&usage->ru_utime) + seconds(&usage->ru_stime);
    times->least = times->runs == 0 ? all : fmin(times->least, all);
    times->runs++;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fputs("usage: calm_time BEST SECONDS RUNS COMMAND...\n", stderr);
        return 2;
    }
    const double limit = strtod(argv[2], NULL);
    const int wanted = (int)strtol(argv[3], NULL, 10);
    const double best = strtod(argv[1], NULL);
    struct ft_meter meter;
    struct times calm = {0}, all = {0};
    double fault_us = INFINITY;
    ft_meter_init(&meter);
    if (best == 0)
        look_for_best(&meter);
    else
        meter.fill_ns = fmin(meter.fill_ns, best * meter.cycle_ns);
    ft_meter_move_on(&meter);
    const uint64_t start = ft_clock_ns();
    while (calm.runs < wanted &&
           ((double)(ft_clock_ns() - start) < 1e9 * limit || all.runs < wanted)) {
        struct rusage usage;
        const bool is_late = (double)(ft_clock_ns() - start) >= 1e9 * limit;
        const bool was_calm = ft_meter_is_calm(&meter);
        if (!was_calm && !is_late) {
            ft_meter_move_on(&meter);
            continue;
        }
        if (!run(argv + 4, &usage))
            return 1;
        add(&all, &usage);
        fault_us = fmin(fault_us, page_fault_us());
        if (was_calm && ft_meter_is_calm(&meter))
            add(&calm, &usage);
    }
    const struct times *of = calm.runs > 0 ? &calm : &all;
    printf("%.3f %.3f %.3f %d %d %.6f\n", meter.fill_ns / meter.cycle_ns, 1 / meter.cycle_ns,
           fault_us, all.runs, calm.runs, of->least);
    return 0;
}
