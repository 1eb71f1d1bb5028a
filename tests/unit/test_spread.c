/*
 * The rules of intervals (predict/intervals/spread.h), each alone: figures are what the test says
 * of each perturbation of a model, so that all rules but one leave them as they are.
 */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>

#include "predict/intervals/calibration.h"
#include "predict/intervals/spread.h"
#include "tests/support/sized_model.h"
#include "tests/support/tap.h"

#define SIZES    SIZED_MODEL_SIZES
#define REPLICAS SIZED_MODEL_SIZES
#define N        320.0 /* twice the largest size, which is twice the one before */

enum { ACCESSES, MISSES, RATIO, CAPACITY, TIME, WIDTH };
static const enum ft_spread_kind kinds[WIDTH] = {FT_SPREAD_COUNT, FT_SPREAD_MISSES, FT_SPREAD_RATIO,
                                                 FT_SPREAD_CAPACITY, FT_SPREAD_TIME};

/* By what figures of each variant are off, as factors; of misses, unless it says otherwise. */
struct variants {
    const struct sized_model *sized;
    double replicas[REPLICAS]; /* at N */
    double smaller, larger;    /* with capacities that are so */
    double raised;             /* accesses */
    double exact;              /* accesses, of 20000, that are */
    double others[2];          /* accesses by other laws, and misses with them */
    double held_out[5];        /* of the last replica at the largest size, by scale */
    double accesses[REPLICAS]; /* of replicas */
    double capacity;           /* of the first replica; NAN: none does */
    bool no_capacity_before;   /* none does, by the last one at the largest size */
    unsigned scales_seen, others_seen;
};

/* By which a model whose functions were replaced is known. */
static struct ft_model_scope_counts counts = {
    .instructions = {.coefficients = {1}, .rms_relative_error = 0.1}};

static int compute(const struct ft_spread_view *view, const void *context, double *row,
                   struct ft_diag *diag)
{
    /* Scales count up while the largest size is forecast. */
    struct variants *variants = (struct variants *)context;
    const struct sized_model *sized = variants->sized;
    const bool is_largest = view->at.parameters[0] == sized->training[SIZES - 1];
    double misses = 1000, accesses = 20000, capacity = 4096;
    const size_t replica = sized_model_replica(sized, view->model);
    (void)diag;
    if (is_largest && replica < REPLICAS) {
        misses *= variants->held_out[variants->scales_seen++];
        capacity = variants->no_capacity_before ? NAN : capacity;
    } else if (replica < REPLICAS) {
        misses *= variants->replicas[replica];
        accesses *= variants->accesses[replica];
        capacity *= replica == 0 ? variants->capacity : 1;
    } else if (view->capacity_scales && !is_largest) {
        misses *= view->capacity_scales[0] < 1 ? variants->smaller : variants->larger;
    } else if (view->miss_scales) {
        const double factor = variants->others[variants->others_seen++];
        accesses *= factor;
        misses *= factor;
    } else if (view->model != &sized->model &&
               !(view->model->counts->instructions.coefficients[0] > 0)) {
        accesses = variants->exact;
    } else if (view->model != &sized->model) {
        accesses *= variants->raised;
    }
    row[ACCESSES] = accesses;
    row[MISSES] = misses;
    row[RATIO] = misses / accesses;
    row[CAPACITY] = capacity;
    row[TIME] = misses;
    return FT_OK;
}

/* Where replicas agree to the last digit, nothing else is asked. */
#define NEARLY (1 + 1e-7)

static const struct variants alike = {.replicas = {1, 1, 1, 1, 1},
                                      .smaller = 1,
                                      .larger = 1,
                                      .raised = 1,
                                      .others = {1, 1},
                                      .capacity = 1,
                                      .held_out = {1, 1, 1, 1, 1},
                                      .accesses = {1, 1, 1, 1, 1}};

static void ask(struct sized_model *sized, struct variants variants, double n,
                struct ft_interval intervals[WIDTH])
{
    struct ft_level level = {.block_bytes = 64, .blocks = 512, .ways = 512};
    const struct ft_machine machine = {.levels = &level, .level_count = 1, .cache_count = 1};
    const struct ft_query_point size = {.value = n, .asked = {.values = {n}}};
    double row[WIDTH] = {0};
    struct ft_diag diag = {0};
    variants.sized = sized;
    const struct ft_spread_task task = {.model = &sized->model,
                                        .machine = &machine,
                                        .size = &size,
                                        .row_count = 1,
                                        .width = WIDTH,
                                        .kinds = kinds,
                                        .compute = compute,
                                        .context = &variants};
    const struct ft_spread_view view = ft_spread_view_of(&task);
    if (compute(&view, &variants, row, &diag) != FT_OK ||
        ft_spread_intervals(&task, row, NULL, intervals, &diag) != FT_OK)
        abort();
    ft_spread_doubt_misses(&task, row, intervals);
}

static bool is(const struct ft_interval *interval, double low, double high)
{
    return fabs(interval->low - low) <= 1e-9 * high && fabs(interval->high - high) <= 1e-9 * high;
}

static void check_as_is(const struct ft_interval *interval, double low, double high, bool known,
                        const char *what)
{
    tap_ok(is(interval, low, high) && interval->known == known, "%s: %.6g to %.6g", what,
           interval->low, interval->high);
}

/* With what calibration (test_interval.c) makes of the ends. */
static void check(const struct ft_interval *interval, double value, double low, double high,
                  bool known, const char *what)
{
    struct ft_interval calibrated = {low, high, false, known};
    ft_interval_calibrate(FT_SPREAD_MISSES, REPLICAS, value, 1, &calibrated);
    check_as_is(interval, calibrated.low, calibrated.high, known, what);
}

/* Figures on which all agree: as narrow as their kinds may be. */
static void check_floors(struct sized_model *sized)
{
    struct ft_interval intervals[WIDTH];
    ask(sized, alike, N, intervals);
    tap_ok(intervals[ACCESSES].exact && is(&intervals[ACCESSES], 20000, 20000), "counts are exact");
    check(&intervals[MISSES], 1000, 980, 1020, true, "misses have a floor");
    check(&intervals[RATIO], 0.05, 0.049, 0.051, true, "so has their ratio");
    check(&intervals[CAPACITY], 4096, 0.98 * 4096, 1.02 * 4096, true, "so has a capacity");
    check(&intervals[TIME], 1000, 980, 1020, true, "so has a time");
    sized->model.replica_count = 0;
    ask(sized, alike, N, intervals);
    tap_ok(isnan(intervals[MISSES].low) && isnan(intervals[RATIO].high),
           "without replicas nothing is known");
    sized->model.replica_count = REPLICAS;
}

static void check_replicas(struct sized_model *sized)
{
    struct ft_interval intervals[WIDTH];
    struct variants variants = alike;
    variants.replicas[0] = 1.2;
    ask(sized, variants, N, intervals);
    /* Of 1200 and four times 1000: a mean of 1040, squares of 32,000, four fifths of that. */
    double half = ft_interval_errors(REPLICAS) * sqrt(32000 * 0.8);
    check(&intervals[MISSES], 1000, 1000 - half, 1040 + half, true, "the jackknife");
    check(&intervals[RATIO], 0.05, (1000 - half) / 20000, (1040 + half) / 20000, true,
          "the jackknife of the ratio");
}

static void check_capacities(struct sized_model *sized)
{
    struct ft_interval intervals[WIDTH];
    struct variants variants = alike;
    variants.smaller = 1.3;
    variants.larger = 0.6;
    ask(sized, variants, N, intervals);
    check(&intervals[MISSES], 1000, 600, 1300, true, "what capacities around would miss");
    check(&intervals[RATIO], 0.05, 0.03, 0.065, true, "their ratios");
}

static void check_misfit(struct sized_model *sized)
{
    struct ft_interval intervals[WIDTH];
    struct variants variants = alike;
    variants.raised = 1.25;
    variants.accesses[0] = NEARLY;
    ask(sized, variants, N, intervals);
    check(&intervals[ACCESSES], 20000, 16000, 25000, true, "functions that miss their sizes");
    check(&intervals[RATIO], 0.05, 0.04, 0.0625, true, "the ratio to what they count");
    variants.exact = 10000; /* half: of the rest, 10000 became 15000 */
    ask(sized, variants, N, intervals);
    check(&intervals[ACCESSES], 20000, 10000 + 10000 / 1.5, 25000, true,
          "those that are not exact");
}

static void check_other_laws(struct sized_model *sized)
{
    struct ft_interval intervals[WIDTH];
    struct variants variants = alike;
    variants.others[0] = 0.7;
    variants.others[1] = 1.1;
    ask(sized, variants, N, intervals);
    check_as_is(&intervals[ACCESSES], 14000, 22000, true, "what other laws say of accesses");
    check_as_is(&intervals[MISSES], 700, 1100, true, "and of misses");
    check(&intervals[RATIO], 0.05, 0.049, 0.051, true, "of which the ratio stays");
}

/* The forecast of the largest size from the others: 1000 and a block there, 1200 and one. */
static void check_held_out(struct sized_model *sized)
{
    struct ft_interval intervals[WIDTH];
    struct variants variants = alike;
    const double errors = ft_interval_errors(REPLICAS) / 1.96, once = errors * log(1201.0 / 1001);
    variants.replicas[0] = NEARLY;
    for (int i = 0; i < 5; i++)
        variants.held_out[i] = 1.2;
    ask(sized, variants, N, intervals);
    check(&intervals[MISSES], 1000, 1000 * exp(-once), 1000 * exp(once), true, "a step beyond");
    check(&intervals[RATIO], 0.05, 0.05 * exp(-once), 0.05 * exp(once), true, "its ratio");
    ask(sized, variants, 2 * N, intervals);
    check(&intervals[MISSES], 1000, 1000 * exp(-2 * once), 1000 * exp(2 * once), true,
          "two steps beyond");
    ask(sized, variants, 100, intervals);
    check(&intervals[MISSES], 1000, 1000 * exp(-once), 1000 * exp(once), true,
          "never less than one");
    for (int i = 0; i < 5; i++)
        variants.held_out[i] = i == 3 ? 1.2 : 1;
    ask(sized, variants, N, intervals);
    check(&intervals[MISSES], 1000, 1000 * exp(-once / sqrt(5)), 1000 * exp(once / sqrt(5)), true,
          "in one cache of five");
    sized->replicas[REPLICAS - 1].left_out = 1;
    ask(sized, variants, N, intervals);
    check(&intervals[MISSES], 1000, 980, 1020, true, "where all replicas have the largest size");
    sized->replicas[REPLICAS - 1].left_out = (uint64_t)1 << (REPLICAS - 1);
}

/* Even if the one size that can confirm a law does so: the law may change beyond. */
static void check_three_sizes(struct sized_model *sized)
{
    struct ft_interval intervals[WIDTH];
    struct variants variants = alike;
    const double once = ft_interval_errors(3) * 0.02;
    variants.replicas[0] = NEARLY;
    sized->model.training += SIZES - 3;
    sized->model.training_count = sized->model.replica_count = 3;
    ask(sized, variants, N, intervals);
    check_as_is(&intervals[MISSES], 1000 * exp(-once), 1000 * exp(once), true, "three sizes");
    tap_ok(intervals[ACCESSES].exact, "counts are exact");
    ask(sized, variants, 8 * N, intervals);
    check_as_is(&intervals[MISSES], 1000 * exp(-4 * once), 1000 * exp(4 * once), 4 * once < log(2),
                "and four steps beyond them");
    sized->model.training = sized->training;
    sized->model.training_count = sized->model.replica_count = REPLICAS;
}

static void check_unknown(struct sized_model *sized)
{
    struct ft_interval intervals[WIDTH];
    struct variants variants = alike;
    variants.capacity = NAN;
    ask(sized, variants, N, intervals);
    tap_ok(!intervals[CAPACITY].known && intervals[CAPACITY].low == 0 &&
               isinf(intervals[CAPACITY].high) && intervals[MISSES].known,
           "a capacity that a replica does not have");
    variants = alike;
    variants.capacity = NEARLY;
    variants.no_capacity_before = true;
    ask(sized, variants, N, intervals);
    tap_ok(!intervals[CAPACITY].known && intervals[MISSES].known,
           "a capacity that was not forecast at the largest size");
    variants = alike;
    variants.accesses[1] = 3;
    ask(sized, variants, N, intervals);
    bool doubted = !intervals[ACCESSES].known && intervals[ACCESSES].high >= 25000;
    for (int i = MISSES; i < WIDTH; i++)
        doubted = doubted && !intervals[i].known && intervals[i].low == 0;
    tap_ok(doubted && intervals[MISSES].high == intervals[ACCESSES].high &&
               intervals[RATIO].high == 1 && isinf(intervals[CAPACITY].high),
           "accesses that are not known");
}

int main(void)
{
    struct sized_model sized;
    gsl_set_error_handler_off();
    sized_model_init(&sized);
    sized.model.counts = &counts;
    sized.model.counts_count = 1;
    check_floors(&sized);
    check_replicas(&sized);
    check_capacities(&sized);
    check_misfit(&sized);
    check_other_laws(&sized);
    check_held_out(&sized);
    check_three_sizes(&sized);
    check_unknown(&sized);
    return tap_plan_done();
}
