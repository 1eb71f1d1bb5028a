/*
 * Whole runs are scheduled one behind the other, dependences between them with them, as many
 * iterations of each as the window can hold twice: what a longer run has in its middle takes as
 * long as if it never ended.
 */
#include "predict/time/loop_runs.h"

#include <math.h>
#include <stdlib.h>

/* Runs that are longer gain less than that share. */
#define LEAST_SHARE 0.02
/* Instructions of a run that are scheduled. */
#define WINDOWS 2

/* What ports and the front end allow is no less for many runs than for one; a twentieth above that
 * is not worth a schedule. */
static bool has_chains(const struct ft_schedule *schedule)
{
    return schedule->cycles > 1.05 * ft_schedule_throughput(schedule);
}

static struct ft_body_code *list_run(const struct ft_loop_runs *runs, uint32_t iterations)
{
    struct ft_body_code *code =
        malloc(((size_t)iterations * runs->iteration_length + runs->between_length) * sizeof *code);
    struct ft_body_code *next = code;
    for (uint32_t i = 0; code && i < iterations; i++)
        for (uint32_t c = 0; c < runs->iteration_length; c++)
            *next++ = runs->iteration[c];
    for (uint32_t c = 0; code && c < runs->between_length; c++)
        *next++ = runs->between[c];
    return code;
}

/* Where the end of a run is not foreseen, nothing of the next one is in the window until its last
 * branch is resolved; how long that takes behind its last iteration is the misprediction's. */
static double mix(const struct ft_loop_runs *runs, const struct ft_schedule *schedule,
                  double iterations, double foreseen)
{
    const double share = fmin(runs->mispredictions, 1);
    const double chain = iterations * schedule->cycles - schedule->resolve_cycles;
    const double unforeseen = fmin(foreseen + schedule->branch_wait_cycles,
                                   fmax(chain, iterations * ft_schedule_throughput(schedule)));
    return (1 - share) * foreseen + share * fmax(unforeseen, foreseen);
}

int ft_loop_runs_cycles(struct ft_path_schedules *schedules, const struct ft_loop_runs *runs,
                        const struct ft_schedule *schedule, double *ret_cycles,
                        struct ft_diag *diag)
{
    const double window = ft_path_schedules_core(schedules)->window;
    const double held = window / runs->iteration_length; /* iterations */
    struct ft_schedule run, between;
    *ret_cycles = schedule->cycles;
    if (!has_chains(schedule) || runs->iterations * LEAST_SHARE > held)
        return FT_OK;
    const double iterations = fmax(1, round(fmin(runs->iterations, fmax(ceil(WINDOWS * held), 1))));
    struct ft_body_code *code = list_run(runs, (uint32_t)iterations);
    if (!code)
        return ft_fail_memory(diag, "the schedule of a loop's runs");
    const struct ft_body_path whole = {.code = code,
                                       .count = (uint32_t)iterations * runs->iteration_length +
                                                runs->between_length,
                                       .repeats = true};
    const struct ft_body_path rest = {.code = runs->between, .count = runs->between_length};
    int status = ft_path_schedule_find(schedules, &whole, &run, diag);
    if (status == FT_OK)
        status = ft_path_schedule_find(schedules, &rest, &between, diag);
    free(code);
    if (status != FT_OK)
        return status;
    /* What is between runs is of the scope around the loop. */
    const double foreseen = run.cycles - ft_schedule_throughput(&between);
    const double cycles = mix(runs, schedule, iterations, foreseen);
    const double gained = fmax(iterations * schedule->cycles - cycles, 0);
    *ret_cycles = fmax(schedule->cycles - gained / fmax(runs->iterations, 1),
                       ft_schedule_throughput(schedule));
    return FT_OK;
}
