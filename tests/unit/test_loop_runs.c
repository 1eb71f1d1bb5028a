/*
 * The inner loop of a product of matrices, c[i][j] -= the sum of a[i][k] * b[j][k], compiled by gcc
 * 12 -O2, as measured on an EPYC of family 25, model 17 (Zen 4), all data in its first cache: a sum
 * is ready 3 cycles after the one before, but short sums overlap with those behind them.
 */
#include <math.h>
#include <stdlib.h>

#include "predict/time/loop_runs.h"
#include "tests/support/body_code.h"
#include "tests/support/tap.h"

#define NEAR 0.2

/* movsd (%rsi,%rax,8),%xmm0; mulsd (%rdx,%rax,8),%xmm0; add $1,%rax; addsd %xmm0,%xmm1; cmp
 * %rax,%rcx; jne */
#define ITERATION    "f20f1004c6 f20f5904c2 4883c001 f20f58c8 4839c1 75e9"
#define ITERATION_PC 0x15e0
/* movsd (%rdi),%xmm0; add $8,%rdi; add %r9,%rdx; subsd %xmm1,%xmm0; movsd %xmm0,-8(%rdi); cmp
 * %rdi,%r8; jne */
#define AFTER    "f20f1007 4883c708 4c01ca f20f5cc1 f20f1147f8 4939f8 75c0"
#define AFTER_PC 0x15f7
/* pxor %xmm1,%xmm1; xor %eax,%eax; test %rcx,%rcx; je; nop */
#define BEFORE    "660fefc9 31c0 4885c9 741c 0f1f440000"
#define BEFORE_PC 0x15d0

/* Up to 40 iterations the end of a run is foreseen. */
static const struct {
    double iterations, measured; /* cycles of a run, and of what is between it and the next */
} measured_runs[] = {
    {12, 13.36},  {16, 18.95},  {20, 24.87},   {24, 32.09},   {32, 46.12},   {48, 84.14},
    {64, 119.77}, {96, 185.56}, {128, 267.81}, {192, 458.77}, {256, 658.47}, {512, 1452.91},
};

struct loop {
    uint8_t bytes[3][16][16];
    struct ft_body_code iteration[16], between[32];
    uint32_t iteration_length, between_length;
};

static void read_loop(struct loop *loop)
{
    loop->iteration_length =
        body_code_of_text(ITERATION, ITERATION_PC, loop->bytes[0], loop->iteration);
    loop->iteration[loop->iteration_length - 1].taken = true;
    const uint32_t after = body_code_of_text(AFTER, AFTER_PC, loop->bytes[1], loop->between);
    loop->between[after - 1].taken = true;
    loop->between_length =
        after + body_code_of_text(BEFORE, BEFORE_PC, loop->bytes[2], loop->between + after);
}

static bool is_scheduled(struct ft_path_schedules *schedules, const struct ft_body_path *path,
                         struct ft_schedule *ret_schedule)
{
    struct ft_diag diag = {0};
    const bool done = ft_path_schedule_find(schedules, path, ret_schedule, &diag) == FT_OK;
    if (!done)
        tap_ok(false, "a schedule: %s", diag.message);
    return done;
}

static double cycles_of(struct ft_path_schedules *schedules, const struct loop *loop,
                        const struct ft_schedule *schedule, double iterations,
                        double mispredictions)
{
    const struct ft_loop_runs runs = {.iteration = loop->iteration,
                                      .between = loop->between,
                                      .iteration_length = loop->iteration_length,
                                      .between_length = loop->between_length,
                                      .iterations = iterations,
                                      .mispredictions = mispredictions};
    double cycles;
    return ft_loop_runs_cycles(schedules, &runs, schedule, &cycles, NULL) == FT_OK ? cycles : NAN;
}

static void check_measured(struct ft_path_schedules *schedules, const struct loop *loop,
                           const struct ft_schedule *schedule, const struct ft_schedule *between)
{
    for (size_t i = 0; i < sizeof measured_runs / sizeof *measured_runs; i++) {
        const double n = measured_runs[i].iterations, measured = measured_runs[i].measured;
        const double cycles =
            n * cycles_of(schedules, loop, schedule, n, 0) + ft_schedule_throughput(between);
        tap_ok(fabs(cycles / measured - 1) <= NEAR,
               "runs of %g iterations: %.1f cycles, measured %.1f", n, cycles, measured);
    }
}

/* A chain that does not begin again with each run, and one that decides where a run ends. */
static void check_chains(struct ft_path_schedules *schedules, struct loop *loop)
{
    struct ft_schedule schedule;
    /* Without pxor the sum goes on. */
    uint32_t kept = 0;
    for (uint32_t i = 0; i < loop->between_length; i++)
        if (loop->between[i].pc != BEFORE_PC)
            loop->between[kept++] = loop->between[i];
    loop->between_length = kept;
    const struct ft_body_path path = {loop->iteration, loop->iteration_length, true, NULL, 0};
    if (!is_scheduled(schedules, &path, &schedule))
        return;
    const double on = cycles_of(schedules, loop, &schedule, 16, 0);
    tap_ok(on > 2.8, "a sum over all runs: %.2f cycles per iteration", on);
    /* imul %rbx,%rax; cmp %rax,%rcx; jne; and mov $1,%eax between runs. */
    loop->iteration_length =
        body_code_of_text("480fafc3 4839c1 75e9", ITERATION_PC, loop->bytes[0], loop->iteration);
    loop->iteration[loop->iteration_length - 1].taken = true;
    loop->between_length =
        body_code_of_text("b801000000", BEFORE_PC, loop->bytes[2], loop->between);
    const struct ft_body_path product = {loop->iteration, loop->iteration_length, true, NULL, 0};
    if (!is_scheduled(schedules, &product, &schedule))
        return;
    const double foreseen = cycles_of(schedules, loop, &schedule, 8, 0);
    const double mispredicted = cycles_of(schedules, loop, &schedule, 8, 1);
    /* The last product and comparison, 4 of 24 cycles, are the misprediction's. */
    tap_ok(foreseen < 1.2 && fabs(mispredicted - 2.5) < 0.1,
           "products until one is large: %.2f cycles where that is foreseen, %.2f where not",
           foreseen, mispredicted);
}

int main(void)
{
    struct ft_machine machine;
    struct ft_path_schedules *schedules;
    struct ft_schedule schedule, between;
    struct ft_diag diag = {0};
    struct loop loop;
    if (ft_machine_load("amd-zen4", &machine, &diag) != FT_OK ||
        ft_path_schedules_create(&machine, &schedules, &diag) != FT_OK) {
        tap_ok(false, "a machine: %s", diag.message);
        return tap_plan_done();
    }
    ft_machine_fini(&machine);
    read_loop(&loop);
    const struct ft_body_path path = {loop.iteration, loop.iteration_length, true, NULL, 0};
    const struct ft_body_path rest = {loop.between, loop.between_length, false, NULL, 0};
    if (is_scheduled(schedules, &path, &schedule) && is_scheduled(schedules, &rest, &between))
        check_measured(schedules, &loop, &schedule, &between);
    check_chains(schedules, &loop);
    ft_path_schedules_destroy(schedules);
    return tap_plan_done();
}
