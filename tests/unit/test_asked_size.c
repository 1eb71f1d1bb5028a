/*
 * Models asked at the size of their data, and models over it asked at what their traces recorded,
 * on functions whose answers are known.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/model/query_point.h"
#include "tests/support/bare_model.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

/* Over N = 10, 20, 40, with as many blocks of 64 bytes as the terms say. */
static struct ft_model make_model(const char *parameter, const char *const *terms,
                                  const double *coefficients, size_t count)
{
    struct ft_model model = bare_model("model", parameter);
    for (size_t i = 0; i < count; i++) {
        struct ft_basis one = ft_basis_of((const char *const *)&model.parameter, 1);
        one.term_count = 0;
        if (ft_basis_add(&one, terms[i], NULL) < 0)
            abort();
        model.distinct_blocks[0].coefficients[ft_basis_find(&model.basis, &one.terms[0])] =
            coefficients[i];
    }
    if (ft_model_add_replicas(&model, 2, NULL) < 0)
        abort();
    for (size_t i = 0; i < 2; i++)
        model.replicas[i].distinct_blocks[0] = model.distinct_blocks[0];
    return model;
}

static int ask(const struct ft_model *model, const char *text, struct ft_query_point *ret_size,
               struct ft_diag *diag)
{
    struct ft_query_values asked = {0};
    int status = ft_query_point_read(model, text, &asked, diag);
    return status < 0 ? status : ft_query_point_resolve(model, &asked, ret_size, diag);
}

static void answers(const struct ft_model *model, const char *text, double value,
                    const char *expected)
{
    struct ft_query_point size = {0};
    struct ft_diag diag = {0};
    char said[FT_QUERY_POINT_TEXT];
    int status = ask(model, text, &size, &diag);
    tap_ok(status == FT_OK && fabs(size.value - value) <= 1e-9 * value, "%s: %.15g %s", text,
           size.value, diag.message);
    ft_query_point_text(said, model, &size);
    tap_ok(status == FT_OK && strcmp(said, expected) == 0, "it says '%s'", said);
}

static void refuses(const struct ft_model *model, const char *text, const char *expected)
{
    struct ft_query_point size = {.value = -1};
    struct ft_diag diag = {0};
    tap_ok(ask(model, text, &size, &diag) == FT_ERROR_USAGE && size.value == -1 &&
               strstr(diag.message, expected),
           "refused: %s", diag.message);
}

/* 2 N^2 + 50 blocks of 64 bytes: 128 N^2 + 3200 bytes. */
static void test_data_of_sizes(void)
{
    const char *const terms[] = {"1", "N^2"};
    const double coefficients[] = {50, 2};
    struct ft_model model = make_model("N", terms, coefficients, 2);
    answers(&model, "N=20", 20, "");
    answers(&model, "s=54400", 20,
            "N = 20 is where the data are nearest to s = 53.1 KiB: 53.1 KiB");
    answers(&model, "s=54000", 20,
            "N = 20 is where the data are nearest to s = 52.7 KiB: 53.1 KiB");
    answers(&model, "s=1283200", 100,
            "N = 100 is where the data are nearest to s = 1.22 MiB: 1.22 MiB");
    answers(&model, "s=4352", 3, "N = 3 is where the data are nearest to s = 4.25 KiB: 4.25 KiB");
    refuses(&model, "s=3K", "the model knows no data smaller than 3.25 KiB, at N = 1");
    refuses(&model, "s=900000G", "the model knows no data larger than 191 GiB, at N = 40000");
    refuses(&model, "M=3", "so N=VALUE is needed, or s=BYTES");
    refuses(&model, "s=-3", "a number above 0 is needed");
    refuses(&model, "s=1M,N=20", "N and s exclude each other");
    refuses(&model, "N=10,20", "20: a second size, where one is asked about");
    refuses(&model, "N=10,N=20", "N=20: N has a value already");
    refuses(&model, "s=1M,s=2M", "s=2M: s has a value already");
    struct ft_query_point size = {0};
    model.replicas[1].distinct_blocks[0].coefficients[0] = 82; /* 2,048 bytes more */
    tap_ok(ask(&model, "s=54400", &size, NULL) == FT_OK &&
               ft_query_point_by_replica(&model, 0, &size) == 20 &&
               ft_query_point_by_replica(&model, 1, &size) == 20 &&
               ask(&model, "s=8320", &size, NULL) == FT_OK &&
               ft_query_point_by_replica(&model, 0, &size) == 6 &&
               ft_query_point_by_replica(&model, 1, &size) == 5,
           "a replica has them at a size of its own");
    model.training[1] = 20.5;
    answers(&model, "s=54000", sqrt((54000.0 - 3200) / 128),
            "N = 19.9217218131477 is where the data are nearest to s = 52.7 KiB: 52.7 KiB");
    ft_model_fini(&model);
}

/* Data that fall from N = 25 on, and data that do not grow. */
static void test_other_growth(void)
{
    const char *const terms[] = {"1", "N", "N^2"};
    const double hill[] = {1000, 50, -1}, flat[] = {100, 0, 0};
    struct ft_model model = make_model("N", terms, hill, 3);
    refuses(&model, "s=100K", "do not only grow with N: from N = 25");
    ft_model_fini(&model);
    model = make_model("N", terms, flat, 3);
    refuses(&model, "s=100K", "the model knows no data larger than 6.25 KiB, at N = 40");
    refuses(&model, "s=1K", "the model knows no data smaller than 6.25 KiB, at N = 10");
    ft_model_fini(&model);
}

/* A model over s whose data are 16 N M + 100. */
static void test_growth(void)
{
    const char *const terms[] = {"s"};
    const double coefficients[] = {0.015625};
    struct ft_model model = make_model("s", terms, coefficients, 1);
    struct ft_diag diag = {0};
    const struct ft_term product = {.exponents = {1, 1}};
    model.over_data_size = true;
    answers(&model, "s=4K", 4096, "");
    refuses(&model, "N=8", "so s=VALUE is needed");
    if (!ft_data_growth_add(&model.growth, "N", 10, 100) ||
        !ft_data_growth_add(&model.growth, "M", 1, 4))
        abort();
    ft_basis_insert(&model.growth.basis, &product);
    model.growth.bytes = calloc(3, sizeof *model.growth.bytes);
    model.growth.replica_count = 2;
    for (size_t i = 0; i < 3; i++) {
        model.growth.bytes[i].coefficients[0] = 100;
        model.growth.bytes[i].coefficients[1] = 16 + (double)i;
    }
    tap_ok(ft_model_write("growth.h5", &model, &diag) == FT_OK, "it is written %s", diag.message);
    ft_model_fini(&model);
    if (!tap_ok(ft_model_read("growth.h5", NULL, &model, &diag) == FT_OK &&
                    model.growth.basis.parameter_count == 2 && model.growth.largest[1] == 4,
                "and read %s", diag.message))
        return;
    answers(
        &model, "N=20,M=3", 1060,
        "s = 1.04 KiB is what the data are expected to be at N = 20, trained from 10 to 100 and "
        "M = 3, trained from 1 to 4");
    answers(
        &model, "M=5,N=20", 1700,
        "s = 1.66 KiB is what the data are expected to be at N = 20, trained from 10 to 100 and "
        "M = 5, trained from 1 to 4, so an extrapolation");
    refuses(&model, "N=20", "the data grow with 2 parameters: M=VALUE is needed, too");
    refuses(&model, "K=20", "so s=VALUE is needed, or N=VALUE");
    refuses(&model, "s=1M,N=20", "s and N exclude each other");
    struct ft_query_point size = {0};
    tap_ok(ask(&model, "N=20,M=3", &size, NULL) == FT_OK &&
               ft_query_point_by_replica(&model, 0, &size) == 1120 &&
               ft_query_point_by_replica(&model, 1, &size) == 1180,
           "replicas expect data of their own");
    ft_model_fini(&model);
}

int main(void)
{
    if (chdir(temporary_folder()) < 0)
        return 1;
    test_data_of_sizes();
    test_other_growth();
    test_growth();
    return tap_plan_done();
}
