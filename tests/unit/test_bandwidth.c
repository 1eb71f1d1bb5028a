/*
 * Bandwidth functions: Eq. 1 to 6 by hand, the readings of Eq. 6, what holds at any hit rates;
 * drawn machines, which both methods of training find again; curves as text; the file of models.
 */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/splitmix.h"
#include "machines/bandwidth/bandwidth_model.h"
#include "machines/bandwidth/genetic.h"
#include "machines/bandwidth/multistart.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

static bool is_close(double a, double b, double relative)
{
    return fabs(a - b) <= relative * fmax(fabs(a), fabs(b));
}

/* ---- the function ---- */

static const struct ft_bandwidth_function known = {
    .level_count = 3,
    .penalty = FT_PENALTY_SATURATING,
    .cycles = {1, 5, 60},
    .gb_per_s = {20, 8, 2},
    .factors = {0.7, -0.4},
    .offsets = {0.05, 0.3},
};

static void check_by_hand(void)
{
    const double all[] = {1, 1}, none[] = {0, 0}, second[] = {0, 1}, mixed[] = {0.5, 0.9};
    tap_ok(ft_bandwidth_at(&known, all) == 20, "all hits in the first cache: b_1");
    tap_ok(ft_bandwidth_at(&known, none) == 2, "none in any: memory's");
    tap_ok(ft_bandwidth_at(&known, second) == 8, "all in the second: b_2");
    /* t = 0.5, 2, 6; T = 8.5; z_1 = 0.5 / 0.55, z_2 = 0.1 / 0.4. */
    const double total = 8.5, e = exp(1);
    const double p1 = 0.7 * (1 - exp(-0.5 / 0.55)) / (1 - 1 / e) * 0.5 / total,
                 p2 = -0.4 * (1 - exp(-0.1 / 0.4)) / (1 - 1 / e) * 2 / total;
    const double expected =
        0.5 / total * 20 * (1 - p1 - p2) + 2 / total * 8 * (1 + p1) + 6 / total * 2 * (1 + p2);
    tap_ok(is_close(ft_bandwidth_at(&known, mixed), expected, 1e-12), "Eq. 1 by hand: %g",
           expected);
    struct ft_bandwidth_function plain = known;
    plain.penalty = FT_PENALTY_NONE;
    tap_ok(is_close(ft_bandwidth_at(&plain, mixed), (0.5 * 20 + 2 * 8 + 6 * 2) / total, 1e-12),
           "Eq. 5 by hand");
    double rates[] = {0.9, 0.7, 1.2};
    ft_hit_rates_accumulate(rates, 3);
    tap_ok(rates[0] == 0.9 && rates[1] == 0.9 && rates[2] == 1, "hit rates are made cumulative");
}

static void draw_function(struct ft_bandwidth_function *function, uint32_t levels,
                          enum ft_penalty penalty, uint64_t *state)
{
    const double factor_max = ft_penalty_factor_max(penalty);
    *function = (struct ft_bandwidth_function){.level_count = levels, .penalty = (uint8_t)penalty};
    for (uint32_t i = 0; i < levels; i++) {
        function->cycles[i] =
            i == 0 ? 1 : function->cycles[i - 1] * (2 + 6 * ft_splitmix_uniform(state));
        function->gb_per_s[i] =
            i == 0 ? 10 + 20 * ft_splitmix_uniform(state)
                   : function->gb_per_s[i - 1] * (0.2 + 0.5 * ft_splitmix_uniform(state));
    }
    for (uint32_t i = 0; i < FT_BANDWIDTH_PENALTIES_MAX; i++) {
        function->factors[i] = factor_max * (2 * ft_splitmix_uniform(state) - 1);
        function->offsets[i] = 0.02 + ft_splitmix_uniform(state);
    }
}

static void draw_hit_rates(double *hit_rates, uint32_t count, uint64_t *state)
{
    for (uint32_t i = 0; i < count; i++) {
        const double before = i ? hit_rates[i - 1] : 0;
        hit_rates[i] = ft_splitmix_uniform(state) < 0.2
                           ? 1
                           : before + (1 - before) * ft_splitmix_uniform(state);
    }
}

static void check_readings(void)
{
    uint64_t state = 7;
    bool same = true, positive = true;
    double lowest = INFINITY, highest = 0;
    for (int i = 0; i < 20000; i++) {
        struct ft_bandwidth_function function, printed;
        double hit_rates[FT_BANDWIDTH_LEVELS_MAX];
        const uint32_t levels = 2 + (uint32_t)(3 * ft_splitmix_uniform(&state));
        draw_function(&function, levels, (enum ft_penalty)(i % 3), &state);
        draw_hit_rates(hit_rates, levels - 1, &state);
        for (uint32_t k = 0; k < 2; k++) /* at the ends of their range */
            function.factors[k] =
                copysign(ft_penalty_factor_max(function.penalty), function.factors[k]);
        const double bandwidth = ft_bandwidth_at(&function, hit_rates);
        positive = positive && bandwidth > -1e-12;
        lowest = fmin(lowest, bandwidth);
        highest = fmax(highest, bandwidth);
        if (function.penalty != FT_PENALTY_SATURATING)
            continue;
        printed = function;
        printed.penalty = FT_PENALTY_PRINTED;
        for (uint32_t k = 0; k < 2; k++)
            printed.factors[k] = -M_E * function.factors[k];
        same = same && is_close(ft_bandwidth_at(&printed, hit_rates), bandwidth, 1e-9);
    }
    tap_ok(same, "as printed is the saturating reading with f' = -e f");
    tap_ok(positive, "no hit rates give less than 0 within the ranges of f: %g to %g GB/s", lowest,
           highest);
}

/* ---- training ---- */

/* Points of a function at drawn hit rates, each off by up to `noise`. */
static void draw_points(const struct ft_bandwidth_function *function, size_t count, double noise,
                        uint64_t *state, struct ft_bandwidth_points *points)
{
    for (size_t i = 0; i < count; i++) {
        struct ft_bandwidth_point point = {.size_bytes = 1024 * (i + 1),
                                           .stride_bytes = 8,
                                           .runs = 1,
                                           .hit_rate_count = function->level_count - 1};
        draw_hit_rates(point.hit_rates, point.hit_rate_count, state);
        point.gb_per_s = ft_bandwidth_at(function, point.hit_rates) *
                         (1 + noise * (2 * ft_splitmix_uniform(state) - 1));
        (void)ft_bandwidth_points_add(points, &point, NULL);
    }
}

/* The mean error at hit rates that it was not trained on. */
static double error_elsewhere(const struct ft_bandwidth_function *found,
                              const struct ft_bandwidth_function *drawn, uint64_t seed)
{
    struct ft_bandwidth_points points = {0};
    draw_points(drawn, 1000, 0, &seed, &points);
    const double error = ft_bandwidth_error_of(found, &points, UINT64_MAX).mean;
    ft_bandwidth_points_fini(&points);
    return error;
}

static void check_recovery(enum ft_penalty penalty, uint32_t levels, uint64_t seed)
{
    struct ft_bandwidth_function drawn, found;
    struct ft_bandwidth_points points = {0};
    struct ft_training training = {0};
    struct ft_genetic_options options = ft_genetic_published;
    double genes[FT_BANDWIDTH_PARAMETERS_MAX];
    struct ft_diag diag = {0};
    options.entities = tap_repetitions(10000, 600, 120);
    options.generations = tap_repetitions(200, 120, 30);
    draw_function(&drawn, levels, penalty, &seed);
    draw_points(&drawn, 300, 0, &seed, &points);
    if (!tap_ok(ft_training_init(&points, levels, penalty, &training, &diag) == FT_OK,
                "%u levels, %s: %s", levels, ft_penalty_names[penalty], diag.message))
        return;
    const bool is_fitted =
        ft_multistart_train(&training, tap_repetitions(64, 24, 8), genes, &diag) == FT_OK;
    ft_training_function(&training, genes, &found);
    double error = error_elsewhere(&found, &drawn, 99);
    bool same = is_fitted && error < 1e-3;
    for (uint32_t i = 0; i < levels; i++)
        same = same && is_close(found.cycles[i], drawn.cycles[i], 0.02) &&
               is_close(found.gb_per_s[i], drawn.gb_per_s[i], 0.02);
    tap_ok(same, "least squares find c and b within 2 %%; elsewhere off by %.4f %%", 100 * error);
    const bool trained = ft_genetic_train(&training, &options, NULL, genes, &diag) == FT_OK;
    ft_training_function(&training, genes, &found);
    error = error_elsewhere(&found, &drawn, 99);
    const double limit = tap_repetitions(1, 4, 15) / 100.0;
    tap_ok(trained && error < limit, "the genetic algorithm is elsewhere off by %.2f %%",
           100 * error);
    ft_training_fini(&training);
    ft_bandwidth_points_fini(&points);
}

static void check_threads(void)
{
    struct ft_bandwidth_points points = {0};
    struct ft_training training;
    struct ft_genetic_options options = ft_genetic_published;
    double genes[3][FT_BANDWIDTH_PARAMETERS_MAX] = {{0}}, starts[2][FT_BANDWIDTH_PARAMETERS_MAX];
    uint64_t state = 3;
    const int threads = omp_get_max_threads();
    options.entities = 120;
    options.generations = 10;
    draw_points(&known, 60, 0.1, &state, &points);
    if (!tap_ok(ft_training_init(&points, 3, FT_PENALTY_PRINTED, &training, NULL) == FT_OK,
                "points for some threads"))
        return;
    for (int i = 0; i < 3; i++) {
        omp_set_num_threads(i == 0 ? 1 : 3);
        options.seed = i == 2 ? 2 : 1;
        (void)ft_genetic_train(&training, &options, NULL, genes[i], NULL);
        if (i < 2)
            (void)ft_multistart_train(&training, 6, starts[i], NULL);
    }
    omp_set_num_threads(threads);
    const size_t bytes = training.gene_count * sizeof(double);
    tap_ok(memcmp(genes[0], genes[1], bytes) == 0, "the same genes by 1 and 3 threads");
    tap_ok(memcmp(starts[0], starts[1], bytes) == 0, "the same by least squares");
    tap_ok(memcmp(genes[0], genes[2], bytes) != 0, "others with another seed");
    options.entities = 6;
    struct ft_diag diag = {0};
    tap_ok(ft_genetic_train(&training, &options, NULL, genes[0], &diag) == FT_ERROR_USAGE, "%s",
           diag.message);
    ft_training_fini(&training);
    ft_bandwidth_points_fini(&points);
}

/* Of 1, 2 and 4 GB/s at the same hit rates 1 is the best: off by 0, 1/2 and 3/4. */
static void check_error_min(void)
{
    static const double measured[] = {1, 2, 4};
    struct ft_bandwidth_points points = {0};
    struct ft_training training = {0};
    for (uint64_t i = 0; i < 12; i++) {
        const uint64_t tuple = i / 3;
        const struct ft_bandwidth_point point = {.size_bytes = (i + 1) * 1024,
                                                 .stride_bytes = 8,
                                                 .gb_per_s = measured[i % 3],
                                                 .runs = 1,
                                                 .hit_rate_count = 1,
                                                 .hit_rates = {0.25 * (double)tuple}};
        (void)ft_bandwidth_points_add(&points, &point, NULL);
    }
    const int status = ft_training_init(&points, 2, FT_PENALTY_PRINTED, &training, NULL);
    const double least = status == FT_OK ? ft_training_error_min(&training) : NAN;
    tap_ok(is_close(least, 1.25 / 3, 1e-12), "no function is less than %.1f %% off", 100 * least);
    ft_training_fini(&training);
    ft_bandwidth_points_fini(&points);
}

static void check_too_few(void)
{
    struct ft_bandwidth_points points = {0};
    struct ft_training training;
    struct ft_diag diag = {0};
    uint64_t state = 3;
    draw_points(&known, 8, 0, &state, &points);
    tap_ok(ft_training_init(&points, 3, FT_PENALTY_PRINTED, &training, &diag) == FT_ERROR_DATA,
           "%s", diag.message);
    tap_ok(ft_training_init(&points, 4, FT_PENALTY_PRINTED, &training, &diag) == FT_ERROR_DATA,
           "%s", diag.message);
    ft_bandwidth_points_fini(&points);
    for (uint64_t i = 1; i <= 20; i++) {
        const struct ft_bandwidth_point point = {.size_bytes = i * 1024,
                                                 .stride_bytes = 8,
                                                 .gb_per_s = 10,
                                                 .runs = 1,
                                                 .hit_rate_count = 2,
                                                 .hit_rates = {1, 1}};
        (void)ft_bandwidth_points_add(&points, &point, NULL);
    }
    tap_ok(ft_training_init(&points, 3, FT_PENALTY_PRINTED, &training, &diag) == FT_ERROR_DATA,
           "%s", diag.message);
    ft_bandwidth_points_fini(&points);
}

/* ---- curves as text ---- */

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    fputs(text, file);
    fclose(file);
}

static void check_text(void)
{
    struct ft_bandwidth_points points = {0};
    struct ft_diag diag = {0};
    write_text("good.csv", "# MultiMAPS\n\nsize_bytes, stride_bytes, mb_per_s\n4K,8,16000\n"
                           "1K,8,20000\n1K,8,22000\r\n4K,64,8000\n");
    const bool read =
        ft_bandwidth_points_read(&points, "good.csv", FT_POINTS_MULTIMAPS | FT_POINTS_APEX_MAP,
                                 &diag) == FT_OK;
    tap_ok(read && points.count == 3 && points.items[0].size_bytes == 1024 &&
               points.items[0].gb_per_s == 21 && points.items[0].runs == 2 &&
               points.items[1].size_bytes == 4096 && points.items[2].stride_bytes == 64,
           "lines of a point are runs, whose mean counts %s", diag.message);
    ft_bandwidth_points_fini(&points);
    static const char *const bad[][2] = {
        {"size_bytes,stride_bytes,bandwidth\n1K,8,3\n",
         "bad.csv:1: column 'bandwidth': must be size_bytes, stride_bytes (or alpha and length), "
         "gb_per_s, mb_per_s, ns "
         "(per access) or hit_rate_1, hit_rate_2 ..."},
        {"size_bytes,gb_per_s\n",
         "bad.csv:1: must name the columns size_bytes, stride_bytes (or alpha and length) and one "
         "of gb_per_s, mb_per_s and ns"},
        {"size_bytes,stride_bytes,gb_per_s,size_bytes\n", "bad.csv:1: column 'size_bytes' twice"},
        {"size_bytes,stride_bytes,gb_per_s\n1K,8\n", "bad.csv:2: 2 fields, of 3 columns"},
        {"size_bytes,stride_bytes,gb_per_s\n1K,8,1,2\n",
         "bad.csv:2: more fields than the 3 columns"},
        {"size_bytes,stride_bytes,gb_per_s\n#\n1K,8,fast\n",
         "bad.csv:3: gb_per_s 'fast': must be a number"},
        {"size_bytes,stride_bytes,gb_per_s\n1K,8,2e10\n",
         "bad.csv:2: gb_per_s '2e10' is 2e+10 GB/s, which no memory has: is it in another unit?"},
        {"size_bytes,stride_bytes,ns\n1K,8,-1\n", "bad.csv:2: ns '-1': must be above 0"},
        {"size_bytes,stride_bytes,ns\n1K,0,1\n",
         "bad.csv:2: stride_bytes '0': must be bytes above 0, such as 4096 or 4K"},
        {"size_bytes,stride_bytes,ns\n1K,4K,1\n",
         "bad.csv:2: a stride of 4096 bytes in an array of 1024"},
        {"size_bytes,alpha,ns\n",
         "bad.csv:1: must name the columns size_bytes, stride_bytes (or alpha "
         "and length) and one of gb_per_s, mb_per_s and ns"},
        {"size_bytes,alpha,length,ns\n1K,2,1,1\n", "bad.csv:2: alpha '2': must be above 0, to 1"},
        {"size_bytes,alpha,length,ns\n1K,1,0,1\n",
         "bad.csv:2: length '0': must be elements, from 1 to 65536"},
        {"size_bytes,alpha,length,ns\n1K,1,129,1\n",
         "bad.csv:2: runs of 129 elements in an array of 1024 bytes"},
        {"size_bytes,stride_bytes,ns,hit_rate_1\n1K,8,1,98\n",
         "bad.csv:2: hit rate '98': must be from 0 to 1"},
        {"size_bytes,stride_bytes,ns,hit_rate_2\n", "bad.csv:1: no column hit_rate_1"},
        {"size_bytes,stride_bytes,ns,hit_rate_1,hit_rate_2\n1K,8,1,0.9,0.8\n",
         "bad.csv:2: hit_rate_2 is below hit_rate_1: they are cumulative, of what hits there or "
         "before"},
        {"", "bad.csv: no points: neither curves of a probe nor text"},
        {"\x89HDF", "bad.csv: "},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_text("bad.csv", bad[i][0]);
        const int status = ft_bandwidth_points_read(
            &points, "bad.csv", FT_POINTS_MULTIMAPS | FT_POINTS_APEX_MAP, &diag);
        tap_ok(status == FT_ERROR_DATA && strncmp(diag.message, bad[i][1], strlen(bad[i][1])) == 0,
               "%s", diag.message);
        ft_bandwidth_points_fini(&points);
    }
    tap_ok(ft_bandwidth_points_read(&points, "nowhere.csv",
                                    FT_POINTS_MULTIMAPS | FT_POINTS_APEX_MAP, &diag) == FT_ERROR_IO,
           "%s", diag.message);
}

/* ---- the file ---- */

static bool is_same(const struct ft_bandwidth_function *a, const struct ft_bandwidth_function *b)
{
    bool same = a->level_count == b->level_count && a->penalty == b->penalty;
    for (uint32_t i = 0; i < a->level_count; i++)
        same = same && a->cycles[i] == b->cycles[i] && a->gb_per_s[i] == b->gb_per_s[i];
    for (uint32_t i = 0; i < FT_BANDWIDTH_PENALTIES_MAX; i++)
        same = same && a->factors[i] == b->factors[i] && a->offsets[i] == b->offsets[i];
    return same;
}

static void check_file(void)
{
    struct ft_bandwidth_model model = {0}, read = {0};
    struct ft_machine machine = {0};
    struct ft_trained_function functions[2] = {
        {.function = known,
         .method = FT_METHOD_GENETIC,
         .error = {0.05, 0.07, 12},
         .seed = 4,
         .entities = 10,
         .generations = 20},
        {.function = known, .method = FT_METHOD_LATENCIES, .error = {0.5, 0.7, 12}}};
    struct ft_diag diag = {0};
    uint64_t state = 5;
    functions[1].function.penalty = FT_PENALTY_NONE;
    draw_points(&known, 12, 0, &state, &model.points);
    const bool made =
        ft_machine_parse("L1:32K:64:8@4,L2:1M:64:16@14,memory@200", &machine, &diag) == FT_OK &&
        ft_bandwidth_model_set_machine(&model, &machine, &diag) == FT_OK;
    model.functions = functions;
    model.function_count = 2;
    const bool kept = made && ft_bandwidth_model_write("m.bandwidth.h5", &model, &diag) == FT_OK &&
                      ft_bandwidth_model_read("m.bandwidth.h5", &read, &diag) == FT_OK;
    tap_ok(kept && read.function_count == 2 && read.points.count == 12 && read.cache_count == 2 &&
               is_same(&read.functions[0].function, &known) && read.functions[0].seed == 4 &&
               read.functions[1].method == FT_METHOD_LATENCIES &&
               read.points.items[3].gb_per_s == model.points.items[3].gb_per_s,
           "a model comes back from its file %s", diag.message);
    tap_ok(kept && ft_bandwidth_model_check(&read, "m.bandwidth.h5", &machine, &diag) == FT_OK,
           "it is of its machine");
    ft_machine_fini(&machine);
    (void)ft_machine_parse("L1:48K:64:12@4,L2:1M:64:16@14,memory@200", &machine, &diag);
    tap_ok(ft_bandwidth_model_check(&read, "m.bandwidth.h5", &machine, &diag) == FT_ERROR_USAGE,
           "%s", diag.message);
    ft_machine_fini(&machine);
    (void)ft_machine_parse("L1:48K:64:12@4,memory@200", &machine, &diag);
    tap_ok(ft_bandwidth_model_check(&read, "m.bandwidth.h5", &machine, &diag) == FT_ERROR_USAGE,
           "%s", diag.message);
    ft_bandwidth_model_fini(&read);
    functions[0].function.gb_per_s[1] = NAN;
    (void)ft_bandwidth_model_write("m.bandwidth.h5", &model, &diag);
    tap_ok(ft_bandwidth_model_read("m.bandwidth.h5", &read, &diag) == FT_ERROR_DATA, "%s",
           diag.message);
    ft_machine_fini(&machine);
    model.functions = NULL;
    ft_bandwidth_model_fini(&model);
}

int main(void)
{
    gsl_set_error_handler_off();
    enter_temporary_folder();
    check_by_hand();
    check_readings();
    check_recovery(FT_PENALTY_PRINTED, 3, 11);
    check_recovery(FT_PENALTY_GROWING, 4, 12);
    check_recovery(FT_PENALTY_NONE, 3, 13);
    check_threads();
    check_error_min();
    check_too_few();
    check_text();
    check_file();
    return tap_plan_done();
}
