/*
 * calm_time BEST SECONDS RUNS COMMAND...: the CPU time of a command while nobody else uses the core
 * that it runs on. On a virtual machine another one may: work that fills the core then takes nearly
 * twice as long, and no clock shows it. So a canary (machines/probe/canary.h) runs before and
 * behind each run, which counts where both canaries take as long as the best ever did, in clocks of
 * a chain that others on the core do not slow down: the clock, too, varies.
 *
 * BEST is what the canary took at best before, in clocks an iteration; 0: not known, it is looked
 * for. Ends after so many runs that count, or SECONDS. Prints: BEST now, the clock in GHz, runs,
 * those that count, and the least CPU time in s and the share of user mode, of those that count or,
 * where there are none, of all.
 */
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/base/clock.h"
#include "machines/probe/canary.h"

#define SAMPLES    5
#define CHAINS     20   /* at first, for the shortest */
#define CALM       1.06 /* times the best canary */
#define SAME_CLOCK 1.1  /* times the shortest chain */
#define SHARE_S    1.2  /* of runs, for the share of user mode: the kernel counts by ticks */
#define LOOKING_S  5.0  /* for the best one */

struct state {
    double best;     /* clocks an iteration */
    double chain_ns; /* the shortest */
    int cpu_count, cpu;
};

/* ---- the canary ---- */

static double time_ns(void (*work)(void))
{
    const uint64_t start = ft_clock_ns();
    work();
    return (double)(ft_clock_ns() - start);
}

/* Clocks an iteration; where the chain is longer than it ever was nothing is known: INFINITY. */
static double canary(struct state *state)
{
    double clocks = INFINITY;
    for (int i = 0; i < SAMPLES; i++) {
        const double fill_ns = time_ns(ft_canary_fill), chain_ns = time_ns(ft_canary_chain);
        state->chain_ns = fmin(state->chain_ns, chain_ns);
        if (chain_ns <= SAME_CLOCK * state->chain_ns)
            clocks = fmin(clocks, fill_ns / FT_CANARY_ITERATIONS * FT_CANARY_ADDS / chain_ns);
    }
    return clocks;
}

static bool is_calm(struct state *state)
{
    const double clocks = canary(state);
    if (isfinite(clocks) && (state->best == 0 || clocks < state->best))
        state->best = clocks;
    return clocks <= CALM * state->best;
}

static void move_to(struct state *state, int cpu)
{
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET((unsigned)cpu, &only);
    if (sched_setaffinity(0, sizeof only, &only) == 0)
        state->cpu = cpu;
}

static void look_for_best(struct state *state)
{
    const uint64_t start = ft_clock_ns();
    while ((double)(ft_clock_ns() - start) < 1e9 * LOOKING_S) {
        move_to(state, (state->cpu + 1) % state->cpu_count);
        is_calm(state);
    }
}

/* ---- the command ---- */

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

struct times {
    double least, user, all;
    int runs;
};

static void add(struct times *times, const struct rusage *usage)
{
    const double user = seconds(&usage->ru_utime), all = user + seconds(&usage->ru_stime);
    times->least = times->runs == 0 ? all : fmin(times->least, all);
    times->user += user;
    times->all += all;
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
    struct state state = {.best = strtod(argv[1], NULL),
                          .chain_ns = INFINITY,
                          .cpu_count = (int)sysconf(_SC_NPROCESSORS_ONLN)};
    struct times calm = {0}, all = {0};
    for (int i = 0; i < CHAINS; i++)
        state.chain_ns = fmin(state.chain_ns, time_ns(ft_canary_chain));
    if (state.best == 0)
        look_for_best(&state);
    const uint64_t start = ft_clock_ns();
    while (calm.runs < wanted &&
           ((double)(ft_clock_ns() - start) < 1e9 * limit || all.runs < wanted)) {
        struct rusage usage;
        const bool is_late = (double)(ft_clock_ns() - start) >= 1e9 * limit;
        const bool was_calm = is_calm(&state);
        if (!was_calm && !is_late) {
            move_to(&state, (state.cpu + 1) % state.cpu_count);
            continue;
        }
        if (!run(argv + 4, &usage))
            return 1;
        add(&all, &usage);
        if (was_calm && is_calm(&state))
            add(&calm, &usage);
    }
    while (all.all < SHARE_S) {
        struct rusage usage;
        if (!run(argv + 4, &usage))
            return 1;
        add(&all, &usage);
    }
    const struct times *of = calm.runs > 0 ? &calm : &all;
    printf("%.3f %.3f %d %d %.6f %.4f\n", state.best, FT_CANARY_ADDS / state.chain_ns, all.runs,
           calm.runs, of->least, of->all > 0 ? of->user / of->all : 1);
    return 0;
}
