/*
 * The whole fit against exact histograms of kernels that are written down in synthetic.c: train on
 * small sizes, compare total misses of a larger one at many capacities. Also: totals are conserved,
 * the model file reads back as it was, and thread counts do not matter.
 *
 * A capacity that is within EDGE of a working set is a knife's edge: there the forecast's range
 * over that band must reach the exact count.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fit/evaluate/evaluate.h"
#include "fit/fit_model.h"
#include "fit/methods/methods.h"
#include "tests/support/synthetic_kernels.h"
#include "tests/support/tap.h"

#define EDGE 0.04

struct forecast_case {
    const char *kernel;
    uint64_t sizes[5], target;
    uint64_t block_bytes;
    uint64_t from;      /* capacities from here to beyond the footprint */
    double tolerance;   /* of total misses */
    const char *method; /* NULL: the default, of groups; else of the whole program */
};
/* Sizes are congruent modulo the elements of a line, as a user is told to choose them. */
static const struct forecast_case cases[] = {
    {"triad", {1000, 2000, 4000, 6000, 8000}, 24000, 64, 16, 0.001},
    {"triad", {1000, 2000, 4000, 6000, 8000}, 24000, 4096, 16, 0.03},
    {"matmul-ijk", {16, 24, 32, 40, 48}, 144, 64, 16, 0.005},
    {"matmul-ijk", {40, 56, 72, 88, 104}, 144, 4096, 64, 0.03},
    /* Of b's rows a share that grows like n begins on another block: all at n = 128. */
    {"matmul-ijk", {40, 48, 56, 64, 72}, 112, 1024, 16, 0.03},
    {"matmul-ikj", {16, 24, 32, 40, 48}, 144, 64, 16, 0.005},
    {"matmul-tiled", {16, 32, 48, 64, 80}, 144, 128, 64, 0.03},
    {"stencil", {16, 24, 32, 40, 48}, 96, 64, 64, 0.03},
    {"adi", {32, 48, 64, 80, 96}, 288, 64, 64, 0.03},
    {"adi", {32, 48, 64, 80, 96}, 288, 4096, 16, 0.03},
    {"triad", {1000, 2000, 4000, 6000, 8000}, 24000, 64, 16, 0.01, "modes"},
    {"triad", {1000, 2000, 4000, 6000, 8000}, 24000, 64, 16, 0.01, "split"},
    {"triad", {1000, 2000, 4000, 6000, 8000}, 24000, 64, 16, 0.01, "patterns"},
    {"adi", {32, 48, 64, 80, 96}, 288, 64, 64, 0.03, "patterns"},
    {"matmul-ijk", {16, 24, 32, 40, 48}, 144, 64, 16, 0.03, "modes"},
};

static double forecast_misses(const struct ft_model *model, double n, double capacity)
{
    struct ft_point at = ft_point_at(&model->basis, &n);
    struct ft_forecast forecast = {0};
    double misses = 0;
    for (size_t i = 0; i < model->group_count; i++) {
        ft_forecast_evaluate(model, i, 0, &at, &forecast, NULL);
        misses += ft_forecast_misses(&forecast, capacity);
    }
    ft_forecast_fini(&forecast);
    return misses;
}

/* The largest relative error of total misses over the capacities of a case. */
static double largest_error(const struct forecast_case *c, const struct ft_model *model,
                            const struct ft_histograms *target, uint64_t *ret_capacity)
{
    double worst = 0, n = (double)c->target;
    double last = 1.2 * (double)target->distinct_blocks[0];
    uint64_t capacity = c->from;
    for (; (double)capacity < last; capacity += capacity / 10 + 1) {
        capacity = ft_bin_low(ft_bin_of(capacity));
        double exact = (double)synthetic_misses(target, capacity);
        double most = forecast_misses(model, n, (double)capacity * (1 - EDGE));
        double least = forecast_misses(model, n, (double)capacity * (1 + EDGE));
        double error = fmax(0, fmax(exact - most, least - exact)) / exact;
        if (error > worst) {
            worst = error;
            *ret_capacity = capacity;
        }
    }
    return worst;
}

static void test_case(const struct forecast_case *c)
{
    const struct synthetic_kernel *kernel = synthetic_find(c->kernel);
    struct ft_histograms entries[5],
        target = synthetic_histograms(kernel, c->target, c->block_bytes);
    struct ft_fit_options options = {.whole = c->method != NULL};
    struct ft_model model = {0};
    struct ft_diag diag = {0};
    uint64_t capacity = 0;
    if (c->method)
        options.method = ft_fit_method_find(c->method);
    for (size_t i = 0; i < 5; i++)
        entries[i] = synthetic_histograms(kernel, c->sizes[i], c->block_bytes);
    bool fitted = ft_fit_model(entries, 5, &options, &model, NULL, &diag) == FT_OK;
    double error = fitted ? largest_error(c, &model, &target, &capacity) : INFINITY;
    tap_ok(
        error <= c->tolerance && (!c->method || model.group_count == 1),
        "%s%s%s, %llu-byte blocks, N = %llu..%llu to %llu: %.2f %% at most (%.1f allowed), at %llu "
        "blocks %s",
        c->kernel, c->method ? ", the whole by " : "", c->method ? c->method : "",
        (unsigned long long)c->block_bytes, (unsigned long long)c->sizes[0],
        (unsigned long long)c->sizes[4], (unsigned long long)c->target, 100 * error,
        100 * c->tolerance, (unsigned long long)capacity, diag.message);
    ft_model_fini(&model);
    for (size_t i = 0; i < 5; i++)
        ft_histograms_fini(&entries[i]);
    ft_histograms_fini(&target);
}

static bool same_files(const char *left, const char *right)
{
    FILE *a = fopen(left, "rb"), *b = fopen(right, "rb");
    bool same = a && b;
    for (int c = 0; same && c != EOF;)
        same = (c = getc(a)) == getc(b);
    if (a)
        fclose(a);
    if (b)
        fclose(b);
    return same;
}

static void test_refused_model(const char *path, long bytes, const char *what)
{
    struct ft_model model = {0};
    struct ft_diag diag = {0};
    tap_ok(truncate(path, bytes) == 0 && ft_model_read(path, NULL, &model, &diag) == FT_ERROR_DATA,
           "%s: %s", what, diag.message);
    ft_model_fini(&model);
}

/* One thread and two give the same file, and so does what is read back from it. */
static void test_files(void)
{
    static const uint64_t sizes[3] = {32, 16, 24};
    const struct synthetic_kernel *kernel = synthetic_find("adi");
    char names[3][64];
    for (int run = 0; run < 2; run++) {
        struct ft_histograms entries[3];
        struct ft_model model = {0};
        struct ft_fit_options options = {.threads = run + 1};
        for (size_t i = 0; i < 3; i++)
            entries[i] = synthetic_histograms(kernel, sizes[i], 64);
        snprintf(names[run], sizeof names[run], "fit_forecast_%d.h5", run);
        tap_ok(ft_fit_model(entries, 3, &options, &model, NULL, NULL) == FT_OK &&
                   ft_model_write(names[run], &model, NULL) == FT_OK,
               "a model is fitted with %d threads and written", run + 1);
        ft_model_fini(&model);
        for (size_t i = 0; i < 3; i++)
            ft_histograms_fini(&entries[i]);
    }
    tap_ok(same_files(names[0], names[1]), "thread counts give the same bytes");
    struct ft_model model = {0};
    strcpy(names[2], "fit_forecast_2.h5");
    tap_ok(ft_model_read(names[0], NULL, &model, NULL) == FT_OK &&
               ft_model_write(names[2], &model, NULL) == FT_OK && same_files(names[0], names[2]),
           "what is read back gives the same bytes");
    tap_ok(model.training_count == 3 && model.training[0] == 16 && model.matched_share == 1,
           "sizes are put in order, all references matched");
    ft_model_fini(&model);
    test_refused_model(names[1], 6000, "a model file cut short");
    test_refused_model(names[2], 0, "an empty model file");
    for (int i = 0; i < 3; i++)
        remove(names[i]);
}

/* What a user may give that makes no model; each refusal says why. */
static void test_refused(void)
{
    const struct synthetic_kernel *kernel = synthetic_find("triad");
    struct ft_histograms entries[4];
    for (size_t i = 0; i < 4; i++)
        entries[i] = synthetic_histograms(kernel, 64 * (i + 1), 64);
    struct ft_fit_options options = {0}, other = {.parameter = "M"};
    struct ft_model model = {0};
    struct ft_diag diag = {0};
    tap_ok(ft_fit_model(entries, 2, &options, &model, NULL, &diag) == FT_ERROR_USAGE,
           "two sizes: %s", diag.message);
    tap_ok(ft_fit_model(entries, 4, &other, &model, NULL, &diag) == FT_ERROR_USAGE,
           "a parameter that was not recorded: %s", diag.message);
    double *value = &entries[1].metadata.parameters[0].value;
    *value = 64;
    tap_ok(ft_fit_model(entries, 4, &options, &model, NULL, &diag) == FT_ERROR_USAGE,
           "two traces of one size: %s", diag.message);
    *value = 128;
    entries[1].block_bytes[0] = 128;
    tap_ok(ft_fit_model(entries, 4, &options, &model, NULL, &diag) == FT_ERROR_USAGE,
           "different block sizes: %s", diag.message);
    entries[1].block_bytes[0] = 64;
    for (size_t i = 0; i < 4; i++)
        entries[i].metadata.parameters[0].value = 64;
    tap_ok(ft_fit_model(entries, 4, &options, &model, NULL, &diag) == FT_ERROR_USAGE,
           "no parameter varies: %s", diag.message);
    for (size_t i = 0; i < 4; i++)
        ft_histograms_fini(&entries[i]);
}

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        test_case(&cases[i]);
    test_files();
    test_refused();
    return tap_plan_done();
}
