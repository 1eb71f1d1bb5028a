/*
 * Loops of nops at chosen places on a Zen 5 (EPYC of family 26, model 2), and of moves between
 * registers on a Zen 4 (family 25, model 17), as measured: how many instructions lie in which
 * windows of 64 bytes, up to which taken branches, and the cycles of an iteration. A core that
 * dispatches 8, or 6, operations a cycle from the op cache takes as long. Loops of which this does
 * not hold are in docs/schedule.md.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/schedule/fetch_cycles.h"
#include "tests/support/tap.h"

#define RUNS_MAX 8
#define NEAR     0.1

static const struct ft_op_cache zen5 = {
    .window_bytes = 64, .entry_instructions = 6, .entries = 2, .decode_cycles = 3};

struct loop {
    const char *runs; /* instructions by windows, `|` behind a taken branch on the way */
    double measured;
};

static const struct loop zen5_loops[] = {
    /* one window */
    {"6", 0.97},
    {"8", 0.97},
    {"11", 1.38},
    {"12", 1.51},
    {"13", 2.96},
    {"16", 3.02},
    {"20", 2.96},
    /* two: a small one and what follows, or not */
    {"1 1", 1.05},
    {"1 7", 1.05},
    {"1 9", 1.24},
    {"3 8", 1.36},
    {"5 6", 1.36},
    {"6 9", 1.88},
    {"7 1", 1.98},
    {"7 4", 1.98},
    {"8 2", 1.98},
    {"10 2", 2.03},
    {"12 4", 2.00},
    {"13 1", 4.03},
    {"14 8", 3.94},
    /* more */
    {"1 7 1", 1.97},
    {"2 8 4", 1.97},
    {"6 6 6", 2.25},
    {"8 8 1", 3.02},
    {"13 8 4", 4.92},
    {"1 5 5 1", 2.00},
    {"1 7 7 1", 3.04},
    {"2 8 8 2", 2.98},
    {"8 8 8 8", 3.97},
    /* taken branches on the way */
    {"1 | 6", 1.03},
    {"1 | 7", 1.45},
    {"2 | 8", 1.49},
    {"7 | 7", 2.00},
    {"8 | 1", 1.52},
    {"8 | 8 | 1", 2.50},
    {"2 | 2 | 2 | 2", 2.00},
    {"8 | 8 | 8 | 8", 4.00},
    {"13 | 13", 6.10},
    {"1 | 8 2", 1.98},
    {"8 2 | 6", 1.98},
    {"8 2 | 8 2", 4.00},
    {"8 4 | 4 1", 2.97},
    {"8 2 | 10", 2.97},
    {"8 | 8 1", 2.97},
    {"4 8 | 4", 2.00},
    {"1 1 | 1", 2.00},
    {"1 1 | 1 | 1 | 1", 2.98},
};

static const struct ft_op_cache zen4 = {.window_bytes = 64, .entry_instructions = 9, .entries = 1};

static const struct loop zen4_loops[] = {
    {"1", 1.00},         {"6", 1.00},
    {"7", 1.17},         {"9", 1.50},
    {"10", 2.00},        {"12", 2.00},
    {"13", 2.16},        {"16", 2.66},
    {"20", 3.33},        {"1 1", 2.00},
    {"1 9", 2.00},       {"1 10", 2.00},
    {"1 12", 2.16},      {"2 14", 2.66},
    {"4 16", 3.33},      {"6 9", 2.50},
    {"7 4", 2.00},       {"9 9", 3.00},
    {"10 2", 2.00},      {"12 4", 2.66},
    {"13 1", 2.33},      {"14 8", 3.66},
    {"10 10", 3.33},     {"16 16", 5.33},
    {"2 5 2", 3.00},     {"6 6 6", 3.00},
    {"13 8 4", 4.16},    {"4 10 1", 3.00},
    {"4 14 1", 3.16},    {"10 10 1", 3.50},
    {"14 14 1", 4.83},   {"2 5 5 2", 4.00},
    {"8 8 8 8", 5.33},   {"1 | 6", 2.00},
    {"2 | 8", 2.00},     {"7 | 7", 2.33},
    {"8 | 8 | 1", 3.00}, {"2 | 2 | 2 | 2", 4.00},
    {"1 | 8 2", 3.00},   {"8 2 | 6", 3.00},
    {"8 2 | 8 2", 4.00}, {"1 1 | 1 | 1 | 1", 5.00},
    {"10 | 4", 3.00},    {"1 | 10", 3.00},
    {"12 | 12", 4.00},   {"16 | 2", 3.00},
    {"1 | 16", 3.00},
};

static uint32_t read_runs(const char *text, struct ft_fetch_run runs[RUNS_MAX],
                          uint32_t *ret_instructions)
{
    uint32_t count = 0;
    bool is_target = true;
    char *end;
    *ret_instructions = 0;
    for (; *text; text = end + strspn(end, " ")) {
        if (*text == '|') {
            runs[count - 1].falls_through = false;
            is_target = true;
            end = (char *)text + 1;
            continue;
        }
        const uint32_t instructions = (uint32_t)strtoul(text, &end, 10);
        runs[count++] = (struct ft_fetch_run){
            .instruction_count = instructions, .is_target = is_target, .falls_through = true};
        *ret_instructions += instructions;
        is_target = false;
    }
    runs[count - 1].falls_through = false;
    return count;
}

static void check(const char *name, const struct ft_op_cache *cache, uint32_t dispatch,
                  const struct loop *loops, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct ft_fetch_run runs[RUNS_MAX];
        uint32_t instructions;
        const uint32_t run_count = read_runs(loops[i].runs, runs, &instructions);
        const double fetch = ft_fetch_loop_cycles(cache, runs, run_count);
        /* The counter of a loop takes a cycle. */
        const double cycles = fmax(fmax(fetch, (double)instructions / dispatch), 1);
        tap_ok(fabs(cycles / loops[i].measured - 1) <= NEAR, "%s, %s: %.2f cycles, measured %.2f",
               name, loops[i].runs, cycles, loops[i].measured);
    }
}

int main(void)
{
    check("Zen 5", &zen5, 8, zen5_loops, sizeof zen5_loops / sizeof *zen5_loops);
    check("Zen 4", &zen4, 6, zen4_loops, sizeof zen4_loops / sizeof *zen4_loops);
    return tap_plan_done();
}
