/*
 * The time of several threads against a slow reference: what each thread does in each scope is made
 * up, and added up thread by thread, with all of them waiting behind each scope and with none. What
 * memory's bandwidth adds, and which distances a level sees, by hand.
 */
#include <math.h>
#include <string.h>

#include "formats/model/thread_lookup.h"
#include "predict/metrics/cycles.h"
#include "predict/time/time_estimate.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define SCOPES  6 /* the program, a routine, four loops in it */
#define THREADS 3

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(b), 1);
}

static struct ft_function constant(double value)
{
    return (struct ft_function){.coefficients = {value}};
}

static struct ft_scope scope_rows[SCOPES] = {
    {.kind = FT_SCOPE_PROGRAM, .parent = 0}, {.kind = FT_SCOPE_ROUTINE, .parent = 0},
    {.kind = FT_SCOPE_LOOP, .parent = 1},    {.kind = FT_SCOPE_LOOP, .parent = 1},
    {.kind = FT_SCOPE_LOOP, .parent = 1},    {.kind = FT_SCOPE_LOOP, .parent = 4}};

/* ---- how work is divided ---- */

static void check_splits(void)
{
    struct ft_thread_share shares[] = {
        {2, constant(100), constant(100), constant(100)}, /* the first thread alone */
        {3, constant(100), constant(10), constant(60)},
        {4, constant(100), constant(20), constant(25)}, /* less than an even part of three */
    };
    const char *const names[] = {"N"};
    struct ft_model model = {.basis = ft_basis_of(names, 1),
                             .scopes = {.scopes = scope_rows, .scope_count = SCOPES},
                             .threads = {.most = THREADS, .cores = 1, .count = constant(3.2)}};
    const struct ft_point at = ft_point_at(&model.basis, &(double){100});
    struct ft_thread_split splits[SCOPES];
    tap_ok(ft_model_thread_count(&model, &at) == 3, "threads are counted in whole ones");
    tap_ok(!ft_model_thread_splits(&model, &at, splits), "without shares nobody knows");
    model.threads.shares = shares;
    model.threads.share_count = 3;
    tap_ok(ft_model_thread_splits(&model, &at, splits), "with shares it is known");
    tap_ok(splits[2].busiest == 1 && splits[2].first == 1, "serial code");
    tap_ok(is_near(splits[3].busiest, 0.6) && is_near(splits[3].first, 0.1), "uneven parts");
    tap_ok(is_near(splits[4].busiest, 1.0 / 3) && is_near(splits[4].first, 0.2),
           "no thread is the busiest with less than an even part");
    tap_ok(splits[5].busiest == splits[4].busiest && splits[1].busiest == 1,
           "without accesses as around it");
    model.threads = (struct ft_model_threads){.most = 1, .count = constant(1)};
    tap_ok(ft_model_thread_count(&model, &at) == 1 && ft_model_thread_splits(&model, &at, splits) &&
               splits[3].busiest == 1,
           "one thread does all");
}

static void check_levels(void)
{
    struct ft_model pair = {0}, all = {0};
    struct ft_shared_model shared[] = {{2, &pair}, {4, &all}};
    struct ft_model model = {.threads = {.most = 4, .cores = 1, .shared = shared}};
    model.threads.shared_count = 2;
    tap_ok(ft_model_shared_by(&model, 1, 4) == &model, "a private level: the model's own");
    tap_ok(ft_model_shared_by(&model, 2, 4) == &pair, "a level of two cores");
    tap_ok(ft_model_shared_by(&model, 4, 4) == &all && ft_model_shared_by(&model, 64, 4) == &all,
           "a level of as many cores as threads, and of more");
    tap_ok(!ft_model_shared_by(&model, 3, 4), "a level of three cores was not replayed");
    tap_ok(ft_model_shared_by(&model, 64, 16) == &all && !ft_model_shared_by(&model, 4, 16),
           "more threads than ever ran: where all of them share it, not where some do");
    tap_ok(ft_model_shared_by(&model, 64, 1) == &model, "one thread has all levels for itself");
    model.threads.cores = 4;
    tap_ok(ft_model_shared_by(&model, 8, 4) == &model && !ft_model_shared_by(&model, 1, 4),
           "a model of shared distances says nothing of private levels");
}

/* ---- the reference ---- */

static void check_estimates(const struct ft_machine *machine, uint64_t *random)
{
    const struct ft_scopes scopes = {.scopes = scope_rows, .scope_count = SCOPES};
    struct ft_scope_time times[SCOPES] = {0};
    struct ft_thread_split splits[SCOPES];
    struct ft_time_estimate estimates[SCOPES];
    const struct ft_thread_work work = {THREADS, splits};
    double meeting = 0, alone[THREADS] = {0}, all = 0;
    for (size_t i = 0; i < SCOPES; i++) {
        double sum = 0, most = 0, first = 0;
        for (size_t t = 0; t < THREADS; t++) {
            const double cycles = 1 + (double)random_below(random, 1000);
            alone[t] += cycles;
            sum += cycles;
            most = fmax(most, cycles);
            first = t == 0 ? cycles : first;
        }
        splits[i] = (struct ft_thread_split){first / sum, most / sum};
        times[i] = (struct ft_scope_time){
            .cycles = most, .low = most, .high = most, .together = sum / most};
        meeting += most;
        all += sum;
    }
    double longest = 0;
    for (size_t t = 0; t < THREADS; t++)
        longest = fmax(longest, alone[t]);
    ft_time_estimates_find(&scopes, machine, times, &work, estimates);
    const double cycles = 1e9 * machine->clock_ghz;
    tap_ok(is_near(estimates[0].seconds * cycles, meeting) &&
               is_near(estimates[0].cpu_seconds * cycles, all),
           "threads that meet behind each scope: %g cycles, of all %g", meeting, all);
    /* What is not sure of one thread is a factor to either side. */
    const double low = estimates[0].low * cycles * estimates[0].high / estimates[0].seconds;
    tap_ok(low <= longest + 1e-6 && longest <= meeting &&
               is_near(low, fmax(alone[0], all / THREADS)),
           "threads that never meet take %g cycles, and are in the interval from %g", longest, low);
}

/* ---- bandwidth ---- */

static void check_bandwidth(struct ft_machine *machine)
{
    struct ft_traffic traffic[2] = {0};
    traffic[0].misses[FT_TRAFFIC_STREAM] = 9000;
    traffic[1].misses[FT_TRAFFIC_STREAM] = 800;
    traffic[1].misses[FT_TRAFFIC_STORE_STREAM] = 100;
    machine->all_cores_bytes_per_cycle = 16;
    /* 800 lines come, 100 come and go: 64000 bytes in 4000 cycles, in which two threads wait. */
    tap_ok(is_near(ft_bandwidth_cycles(machine, traffic, 2, 5000), 3000) &&
               is_near(ft_bandwidth_cycles_upper(machine, traffic, 2, 5000), 3000),
           "what two threads wait for memory beyond what each would");
    tap_ok(ft_bandwidth_cycles(machine, traffic, 2, 9000) == 0, "memory is fast enough");
    tap_ok(ft_bandwidth_cycles(machine, traffic, 1, 10) == 0, "one thread has it for itself");
    machine->all_cores_bytes_per_cycle = 0;
    tap_ok(ft_bandwidth_cycles(machine, traffic, 2, 5000) == 0, "unknown: no limit");
    tap_ok(is_near(ft_bandwidth_cycles_upper(machine, traffic, 3, 5000), 10000),
           "unknown: at worst each waits for the lines of the others, too");
}

int main(void)
{
    struct ft_machine machine;
    struct ft_diag diag = {0};
    uint64_t random = 7;
    if (!tap_ok(ft_machine_parse("L1:32K:64:8@4,L2:1M:64:16:shared_by=2@14,memory@214", &machine,
                                 &diag) == FT_OK,
                "a machine %s", diag.message))
        return tap_plan_done();
    check_splits();
    check_levels();
    for (int i = 0; i < 20; i++)
        check_estimates(&machine, &random);
    check_bandwidth(&machine);
    ft_machine_fini(&machine);
    return tap_plan_done();
}
