/*
 * Which sizes are chosen, what runs of them take, and when a plan is refused: against synthetic
 * trials whose laws are known.
 */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

#include "predict/plan/training_plan.h"
#include "tests/support/tap.h"

static void test_choice(void)
{
    static const double builds[] = {12, 16, 20, 24, 28, 32};
    const struct ft_size_choice any = {1000, 16, NULL, 0}, some = {64, 8, builds, 6};
    tap_ok(ft_size_at_least(&any, 100) == 104 && ft_size_at_most(&any, 100) == 88 &&
               ft_size_at_most(&any, 104) == 104,
           "1000 = 8 modulo 16: 88 and 104 stand around 100");
    tap_ok(ft_size_at_least(&any, 0) == 8 && ft_size_at_most(&any, 7) == 0, "none below 8");
    tap_ok(ft_size_count(&any, 8, 104) == 7 && ft_size_count(&any, 9, 103) == 5, "counted");
    tap_ok(ft_size_at_least(&some, 17) == 24 && ft_size_at_most(&some, 31) == 24 &&
               ft_size_count(&some, 1, 64) == 3 && isinf(ft_size_at_least(&some, 33)),
           "of a list, those that agree");
    struct ft_size_choice wide = ft_size_choice_wide(&some, 12, 32, 5);
    tap_ok(wide.period == 4 && ft_size_count(&wide, 12, 32) == 6,
           "modulo 4 where too few agree modulo 8");
    tap_ok(ft_size_choice_wide(&any, 8, 104, 7).period == 16, "enough agree: the period stays");
}

/* The law of the trials: 2 n^3 + 1000 accesses, 5 n^2 + 300 records, a footprint of n^2 elements of
 * 8 bytes and 100 lines. */
static double accesses_at(double n)
{
    return 2 * n * n * n + 1000;
}
static double records_at(double n)
{
    return 5 * n * n + 300;
}
static double capture_at(double n)
{
    return 0.1 + 2e-8 * records_at(n) + 3e-9 * accesses_at(n);
}
static double replay_at(double n)
{
    return 0.05 + 7e-9 * accesses_at(n);
}

static struct ft_trials make_trials(void)
{
    static const double sizes[] = {16, 24, 40, 64, 120};
    struct ft_trials trials = {.count = 5, .too_long = INFINITY};
    for (size_t i = 0; i < trials.count; i++) {
        double n = sizes[i];
        trials.items[i] = (struct ft_trial){
            .n = n,
            .accesses = accesses_at(n),
            .records = records_at(n),
            .blocks = {n * n / 8 + 100, ceil(n * n / 512) + 10},
            .trace_bytes = 7e5 + 2 * records_at(n),
            .capture_seconds = capture_at(n),
            .replay_seconds = replay_at(n),
        };
    }
    return trials;
}

static bool is_near(double value, double expected)
{
    return fabs(value / expected - 1) < 1e-6;
}

static struct ft_run_costs make_costs(void)
{
    static const uint64_t blocks[] = {64, 4096};
    const struct ft_trials trials = make_trials();
    struct ft_run_costs costs;
    struct ft_diag diag = {0};
    tap_ok(ft_run_costs_fit(&trials, "N", blocks, 2, &costs, &diag) == FT_OK, "costs: %s",
           diag.message);
    return costs;
}

static void test_costs(void)
{
    const struct ft_run_costs costs = make_costs();
    const struct ft_run_cost at = ft_run_cost_at(&costs, 1000);
    tap_ok(is_near(at.accesses, accesses_at(1000)) && costs.residual < 1e-9, "accesses: %.10g",
           at.accesses);
    tap_ok(is_near(at.trace_bytes, 7e5 + 2 * records_at(1000)), "bytes: %.10g", at.trace_bytes);
    tap_ok(is_near(at.capture_seconds, capture_at(1000)), "capture: %.10g s", at.capture_seconds);
    tap_ok(is_near(at.replay_seconds, replay_at(1000)), "replay: %.10g s", at.replay_seconds);
    tap_ok(is_near(ft_run_growing_bytes(&costs, 1000), 8e6), "growing data: %.10g",
           ft_run_growing_bytes(&costs, 1000));

    /* Each size took less than the one before: no share is below 0. */
    struct ft_trials falling = make_trials();
    static const uint64_t blocks[] = {64, 4096};
    for (size_t i = 0; i < falling.count; i++)
        falling.items[i].replay_seconds = 1 / falling.items[i].n;
    struct ft_run_costs odd;
    tap_ok(ft_run_costs_fit(&falling, "N", blocks, 2, &odd, NULL) == FT_OK &&
               odd.replay_seconds[0] > 0 && odd.replay_seconds[1] == 0 &&
               odd.replay_seconds[2] == 0,
           "falling times are a start alone");
}

/* In one line: no name of a level is used. */
static struct ft_machine load_machine(const char *text)
{
    struct ft_machine machine;
    struct ft_diag diag = {0};
    tap_ok(ft_machine_parse(text, &machine, &diag) == FT_OK, "%s%s", text, diag.message);
    return machine;
}

static bool all_agree(const struct ft_training_plan *plan, double target, double period)
{
    for (size_t i = 0; i < plan->count; i++)
        if (fmod(target - plan->sizes[i], period) != 0 ||
            (i > 0 && plan->sizes[i] <= plan->sizes[i - 1]))
            return false;
    return true;
}

static struct ft_plan_request request_of(const struct ft_machine *machine)
{
    return (struct ft_plan_request){
        .choice = {312, 8, NULL, 0},
        .count = 5,
        .smallest = 16,
        .seconds_max = INFINITY,
        .bytes_max = INFINITY,
        .machine = machine,
    };
}

static void test_time(const struct ft_machine *machine, const struct ft_run_costs *costs)
{
    struct ft_plan_request request = request_of(machine);
    struct ft_training_plan plan;
    tap_ok(ft_training_plan_make(&request, costs, &plan, NULL) == FT_OK && plan.count == 5 &&
               plan.period == 8 && all_agree(&plan, 312, 8),
           "five sizes that agree with 312 modulo 8");
    const double largest = plan.sizes[4];
    /* 40 pages of 512 elements from n = 143.1 on, more than a third of the target; up to half of it
     * takes hardly longer */
    tap_ok(largest == 152 && plan.levels[1].taught && plan.levels[1].taught_from == 144,
           "the largest, %g, fills 40 pages", largest);
    tap_ok(plan.sizes[0] >= 16 && plan.sizes[0] <= largest / 2, "the smallest is %g",
           plan.sizes[0]);
    double sum = 0;
    for (size_t i = 0; i < plan.count; i++)
        sum += capture_at(plan.sizes[i]);
    tap_ok(is_near(plan.total.capture_seconds, sum) &&
               is_near(plan.target.accesses, accesses_at(312)),
           "sums of times: %g s", plan.total.capture_seconds);

    /* Time for half of it. */
    const double before = plan.total.capture_seconds + plan.total.replay_seconds;
    request.seconds_max = 0.75 + (before - 0.75) / 2;
    tap_ok(ft_training_plan_make(&request, costs, &plan, NULL) == FT_OK && plan.limited &&
               plan.total.capture_seconds + plan.total.replay_seconds <= request.seconds_max,
           "less time: enough for the plan");
    tap_ok(plan.sizes[plan.count - 1] < largest && all_agree(&plan, 312, 8) &&
               !plan.levels[1].taught,
           "its largest size, %g, fills too few pages", plan.sizes[plan.count - 1]);
    request.seconds_max = 0.3;
    tap_ok(ft_training_plan_make(&request, costs, &plan, NULL) == FT_ERROR_USAGE,
           "too little time for anything: refused");
}

/* What is cheap up to a third and expensive up to half. */
static void test_largest(const struct ft_machine *machine, const struct ft_run_costs *costs)
{
    struct ft_plan_request request = request_of(machine);
    struct ft_run_costs expensive = *costs;
    struct ft_training_plan plan;
    expensive.capture_seconds[0] = expensive.replay_seconds[0] = 0;
    request.choice.target = 480;
    tap_ok(ft_training_plan_make(&request, &expensive, &plan, NULL) == FT_OK &&
               plan.sizes[plan.count - 1] == 160,
           "no larger than a third where that is expensive");
    tap_ok(ft_training_plan_make(&request, costs, &plan, NULL) == FT_OK &&
               plan.sizes[plan.count - 1] == 240,
           "up to half where it is not");
}

/* A target with few sizes below it that agree, and a list of builds: the period is reduced. */
static void test_few_sizes(const struct ft_machine *machine, const struct ft_run_costs *costs)
{
    static const double builds[] = {12, 16, 20, 24, 28, 32};
    struct ft_plan_request request = request_of(machine);
    struct ft_training_plan plan;
    request.choice = (struct ft_size_choice){24, 8, NULL, 0};
    request.smallest = 4;
    tap_ok(ft_training_plan_make(&request, costs, &plan, NULL) == FT_OK && plan.period < 8 &&
               plan.count >= FT_PLAN_SIZES_MIN,
           "target 24: sizes modulo less than 8");
    tap_ok(all_agree(&plan, 24, (double)plan.period) && plan.sizes[plan.count - 1] <= 16,
           "%zu sizes modulo %d, up to %g", plan.count, (int)plan.period,
           plan.sizes[plan.count - 1]);
    request.choice.target = 4;
    request.smallest = 1;
    tap_ok(ft_training_plan_make(&request, costs, &plan, NULL) == FT_ERROR_USAGE,
           "target 4: refused");
    request.choice = (struct ft_size_choice){64, 8, builds, 6};
    request.smallest = 12;
    tap_ok(ft_training_plan_make(&request, costs, &plan, NULL) == FT_OK && plan.period == 4 &&
               plan.count == 5 && all_agree(&plan, 64, 4),
           "of the builds, five");
}

static void test_plans(void)
{
    const struct ft_run_costs costs = make_costs();
    struct ft_machine machine = load_machine("L1:32K:64:8@4,memory@100,TLB:256K:4K:full@30");
    test_time(&machine, &costs);
    test_largest(&machine, &costs);
    test_few_sizes(&machine, &costs);
    ft_machine_fini(&machine);
}

/* Where arrays pass the mmap threshold: sizes are all on one side. */
static void test_thresholds(void)
{
    const struct ft_run_costs costs = make_costs();
    struct ft_machine machine = load_machine("L1:32K:64:8@4,memory@100,TLB:256K:4K:full@30");
    double mapped_from[] = {100, 128};
    struct ft_plan_request request = {
        .choice = {312, 8, NULL, 0},
        .count = 5,
        .smallest = 16,
        .seconds_max = INFINITY,
        .bytes_max = INFINITY,
        .machine = &machine,
        .mapped_from = mapped_from,
        .mapped_count = 2,
    };
    struct ft_training_plan plan;
    tap_ok(ft_training_plan_make(&request, &costs, &plan, NULL) == FT_OK && plan.count == 5 &&
               all_agree(&plan, 312, 8) && plan.mapped_from == 128 && !plan.mixes_mapped,
           "five sizes on one side of 100 and 128");
    tap_ok(plan.sizes[0] >= 128 && plan.sizes[4] >= 1.4 * plan.sizes[0],
           "all beyond, and apart: %g to %g", plan.sizes[0], plan.sizes[4]);

    /* Of those that agree modulo 16, no five lie between 140 and two thirds of the target. */
    struct ft_machine caches = load_machine("L1:32K:64:8@4,memory@100");
    mapped_from[1] = 140;
    request.mapped_from = mapped_from + 1;
    request.mapped_count = 1;
    request.choice.period = 16;
    request.machine = &caches;
    tap_ok(ft_training_plan_make(&request, &costs, &plan, NULL) == FT_OK && plan.sizes[4] == 136 &&
               plan.mapped_from == 140 && !plan.mixes_mapped,
           "then all below");
    request.machine = &machine;
    tap_ok(ft_training_plan_make(&request, &costs, &plan, NULL) == FT_OK && plan.sizes[4] == 152 &&
               plan.mapped_from == 140 && plan.mixes_mapped,
           "on both sides where those below would fill too few pages");
    request.choice.period = 8;
    request.seconds_max = 0.9;
    tap_ok(ft_training_plan_make(&request, &costs, &plan, NULL) == FT_OK &&
               plan.total.capture_seconds + plan.total.replay_seconds <= 0.9,
           "no more time than there is");
    ft_machine_fini(&caches);
    ft_machine_fini(&machine);
}

int main(void)
{
    gsl_set_error_handler_off();
    test_choice();
    test_costs();
    test_plans();
    test_thresholds();
    return tap_plan_done();
}
