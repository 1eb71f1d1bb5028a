/*
 * Which forecast is taken (predict/intervals/combined.h): of a task whose replicas disagree at the
 * target while its misses follow a law of the footprint in caches that are scaled with it.
 */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>

#include "predict/intervals/combined.h"
#include "tests/support/sized_model.h"
#include "tests/support/tap.h"

#define N 320.0 /* twice the largest size */

#define ACCESSES_PER_N 1000.0
#define MISSES_PER_N   30.0 /* in any cache as large relative to the data */

enum { ACCESSES, MISSES, RATIO, WIDTH };

/* How far the laws of groups are off. */
struct wrong {
    const struct sized_model *sized;
    double accesses[SIZED_MODEL_SIZES],
        misses[SIZED_MODEL_SIZES]; /* of each replica at the target, as factors */
    double groups;                 /* of the model's own misses there */
    double counts;                 /* 0: 1; of its accesses there, and of the misses with them */
    bool is_cold;                  /* all misses are, and a training size has a fifth more */
};

/* Whether the view is of what exact functions count, or the like: of no model that was fitted. */
static bool is_of_copy(const struct wrong *wrong, const struct ft_spread_view *view)
{
    return view->model != &wrong->sized->model &&
           sized_model_replica(wrong->sized, view->model) == SIZED_MODEL_SIZES &&
           !view->capacity_scales && !view->miss_scales;
}

static int compute(const struct ft_spread_view *view, const void *context, double *row,
                   struct ft_diag *diag)
{
    const struct wrong *wrong = context;
    const double n = view->at.parameters[0];
    double accesses = ACCESSES_PER_N * n, misses = MISSES_PER_N * n;
    const bool holds_all = view->capacity_scales && view->capacity_scales[0] > 1e3;
    (void)diag;
    if (n == N) {
        const double counts = wrong->counts > 0 ? wrong->counts : 1;
        accesses *= counts;
        misses *= holds_all && !wrong->is_cold ? 0 : wrong->groups;
        misses *= wrong->is_cold ? 1 : counts;
        const size_t replica = sized_model_replica(wrong->sized, view->model);
        if (replica < SIZED_MODEL_SIZES) {
            accesses *= wrong->accesses[replica];
            misses *= wrong->misses[replica];
        }
    } else if (wrong->is_cold) {
        misses *= n == wrong->sized->training[3] ? 1.2 : 1;
    } else if (view->capacity_scales) {
        /* Another cache than one scaled with the data misses as much more as it is smaller. */
        misses *= pow(n / N / view->capacity_scales[0], 0.1);
    }
    row[ACCESSES] = wrong->counts > 0 && is_of_copy(wrong, view) ? 0 : accesses;
    row[MISSES] = misses;
    row[RATIO] = misses / fmax(row[ACCESSES], 1);
    return FT_OK;
}

static void forecast(const struct wrong *wrong, double row[WIDTH],
                     struct ft_interval intervals[WIDTH])
{
    static const enum ft_spread_kind kinds[WIDTH] = {FT_SPREAD_COUNT, FT_SPREAD_MISSES,
                                                     FT_SPREAD_RATIO};
    static const size_t levels[WIDTH];
    struct ft_level level = {.block_bytes = 64, .blocks = 512, .ways = 512};
    const struct ft_machine machine = {.levels = &level, .level_count = 1, .cache_count = 1};
    const struct ft_query_point size = {.value = N, .asked = {.values = {N}}};
    const struct ft_spread_task task = {.model = &wrong->sized->model,
                                        .machine = &machine,
                                        .size = &size,
                                        .row_count = 1,
                                        .width = WIDTH,
                                        .kinds = kinds,
                                        .levels = levels,
                                        .compute = compute,
                                        .context = wrong};
    const struct ft_spread_view view = ft_spread_view_of(&task);
    if (compute(&view, wrong, row, NULL) != FT_OK ||
        ft_combined_forecast(&task, row, intervals, NULL) != FT_OK)
        abort();
}

static bool near(double value, double expected, double tolerance)
{
    return fabs(value / expected - 1) <= tolerance;
}

static bool holds(const struct ft_interval *interval, double value)
{
    return interval->known && interval->low <= value && value <= interval->high;
}

static void check_groups(const struct sized_model *sized)
{
    const struct wrong wrong = {sized, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, 1.1};
    struct ft_interval intervals[WIDTH];
    double row[WIDTH];
    forecast(&wrong, row, intervals);
    tap_ok(intervals[ACCESSES].exact && row[ACCESSES] == ACCESSES_PER_N * N,
           "what groups know exactly stays");
    tap_ok(near(row[MISSES], 1.1 * MISSES_PER_N * N, 1e-12), "and so does what they know well");
}

static void check_rows(const struct sized_model *sized)
{
    const struct wrong wrong = {sized, {1, 1, 1, 1, 1}, {9, 1, 0.1, 1, 5}, 1.08};
    const double expected = MISSES_PER_N * N;
    struct ft_interval intervals[WIDTH];
    double row[WIDTH];
    forecast(&wrong, row, intervals);
    tap_ok(near(row[MISSES], expected, 1e-6) && holds(&intervals[MISSES], expected) &&
               intervals[MISSES].high < 1.1 * expected,
           "where replicas disagree, misses follow the row: %.0f (%.0f to %.0f)", row[MISSES],
           intervals[MISSES].low, intervals[MISSES].high);
    tap_ok(near(row[RATIO], MISSES_PER_N / ACCESSES_PER_N, 1e-6), "and their ratio");
    struct wrong both = wrong;
    both.accesses[1] = 12;
    forecast(&both, row, intervals);
    tap_ok(holds(&intervals[ACCESSES], ACCESSES_PER_N * N) &&
               intervals[ACCESSES].high < 1.2 * ACCESSES_PER_N * N,
           "accesses that replicas disagree on: %.0f to %.0f", intervals[ACCESSES].low,
           intervals[ACCESSES].high);
    tap_ok(holds(&intervals[MISSES], expected), "and the misses of these");
    both.groups = 4;
    forecast(&both, row, intervals);
    tap_ok(!intervals[MISSES].known, "not where groups say four times as many");
    both.groups = 0.25;
    forecast(&both, row, intervals);
    tap_ok(!intervals[MISSES].known, "or a quarter");
}

/* Groups find far too many accesses, and the row does not. */
static void check_counts(struct sized_model *sized)
{
    uint64_t none = 0; /* accesses of no group */
    const double expected = MISSES_PER_N * N;
    struct wrong wrong = {sized, {1, 1, 0.1, 1, 9}, {1, 1, 0.1, 1, 9}, .groups = 1, .counts = 1.7};
    struct ft_interval intervals[WIDTH];
    double row[WIDTH];
    sized->model.training_accesses = &none;
    forecast(&wrong, row, intervals);
    tap_ok(near(row[ACCESSES], ACCESSES_PER_N * N, 1e-6), "the row counts accesses");
    tap_ok(holds(&intervals[MISSES], expected) && intervals[MISSES].high < 1.2 * expected,
           "what groups miss too often with them is not held against it: %.0f to %.0f",
           intervals[MISSES].low, intervals[MISSES].high);
    wrong = (struct wrong){sized,       {1, 1, 0.1, 1, 9}, {1, 1, 1, 1, 1},
                           .groups = 1, .counts = 1.7,     .is_cold = true};
    forecast(&wrong, row, intervals);
    tap_ok(holds(&intervals[MISSES], expected) && intervals[MISSES].high < 1.03 * expected &&
               intervals[MISSES].low > 0.97 * expected,
           "cold misses do not follow accesses: %.0f to %.0f", intervals[MISSES].low,
           intervals[MISSES].high);
    sized->model.training_accesses = NULL;
}

/* Both are unsure: what groups say is within the interval of the row. */
static void check_narrower(const struct sized_model *sized)
{
    const double expected = MISSES_PER_N * N;
    const struct wrong wrong = {
        sized, {1, 1, 1, 1, 1}, {1, 1.3, 1, 1, 1}, .groups = 1.25, .is_cold = true};
    struct ft_interval intervals[WIDTH];
    double row[WIDTH];
    forecast(&wrong, row, intervals);
    tap_ok(near(row[MISSES], expected, 0.1) && intervals[MISSES].high >= 1.25 * expected,
           "a row that is a little surer is taken: %.0f (%.0f to %.0f)", row[MISSES],
           intervals[MISSES].low, intervals[MISSES].high);
}

static void check_nothing(struct sized_model *sized)
{
    const struct wrong wrong = {sized, {1, 1, 1, 1, 1}, {9, 1, 0.1, 1, 5}, 2};
    struct ft_interval intervals[WIDTH];
    double row[WIDTH];
    sized->footprint.coefficients[ft_basis_power(&sized->model.basis, 1)] = 0.2;
    forecast(&wrong, row, intervals);
    tap_ok(!intervals[MISSES].known, "a few blocks are no cache to learn from");
    sized->footprint.coefficients[ft_basis_power(&sized->model.basis, 1)] = SIZED_MODEL_BLOCKS;
    sized->model.training_count = 2;
    forecast(&wrong, row, intervals);
    tap_ok(!intervals[MISSES].known, "nor are two sizes enough");
    sized->model.replica_count = 0;
    forecast(&wrong, row, intervals);
    tap_ok(isnan(intervals[MISSES].low), "without replicas nothing is known");
}

int main(void)
{
    struct sized_model sized;
    gsl_set_error_handler_off();
    sized_model_init(&sized);
    check_groups(&sized);
    check_rows(&sized);
    check_counts(&sized);
    check_narrower(&sized);
    check_nothing(&sized);
    return tap_plan_done();
}
