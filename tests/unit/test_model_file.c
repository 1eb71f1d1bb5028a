/* Model files: members, replicas and several models come back as they were; names are told. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/model/model_restriction.h"
#include "formats/model/model_set_distances.h"
#include "formats/model/model_values.h"
#include "tests/support/bare_model.h"
#include "tests/support/same_functions.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

static struct ft_function line(double constant, double slope)
{
    return (struct ft_function){
        .coefficients = {constant, slope}, .rms_relative_error = 0.25, .left_out = 1};
}

static void set_member(struct ft_model_member *member, uint32_t method, double weight,
                       size_t bin_count)
{
    struct ft_model_bin *bins = calloc(bin_count, sizeof *bins);
    for (size_t i = 0; i < bin_count; i++)
        bins[i] = (struct ft_model_bin){line((double)i, weight), line(1, (double)i)};
    *member = (struct ft_model_member){method, weight, ft_member_bins_of(bins, bin_count), false};
    free(bins);
}

/* A group at one block size with two members; in the replicas with one. */
static void set_functions(struct ft_model *model, double seed, size_t member_count)
{
    struct ft_model_histogram *histogram = model->groups[0].histograms;
    model->distinct_blocks[0] = line(seed, 1);
    model->groups[0].accesses = line(seed, 2);
    model->counts[0].flops = line(seed, 3);
    histogram->cold = line(seed, 4);
    histogram->members = calloc(member_count, sizeof *histogram->members);
    histogram->member_count = member_count;
    for (size_t i = 0; i < member_count; i++)
        set_member(&histogram->members[i], (uint32_t)i, 0.75 - 0.5 * (double)i, 3 - i);
}

static struct ft_model make_model(const char *name)
{
    struct ft_model model = bare_model(name, "N");
    model.group_count = model.counts_count = 1;
    model.groups[0].histograms = calloc(1, sizeof(struct ft_model_histogram));
    model.methods[model.method_count++] = strdup("split");
    if (ft_basis_add(&model.data_basis, "1", NULL) < 0 ||
        ft_basis_add(&model.data_basis, "s^(1/2)", NULL) < 0)
        abort();
    set_functions(&model, 7, 2);
    model.groups[0].histograms[0].members[1].over_data = true;
    if (ft_model_add_replicas(&model, 3, NULL) < 0)
        abort();
    for (size_t i = 0; i < 3; i++)
        set_functions(&model.replicas[i], 100 + (double)i, 1);
    return model;
}

static uint64_t *copied(const uint64_t *numbers, size_t count)
{
    uint64_t *copy = calloc(count, sizeof *copy);
    memcpy(copy, numbers, count * sizeof *copy);
    return copy;
}

/* What was counted at the three training sizes, and a distance within sets at each. */
static void set_counts(struct ft_model *model)
{
    static const uint64_t accesses[] = {5, 6, 7}, blocks[] = {50, 60, 70};
    model->training_accesses = copied(accesses, 3);
    model->training_blocks = copied(blocks, 3);
    for (size_t i = 0; i < 3; i++) {
        struct ft_set_distances *distances = calloc(1, sizeof *distances);
        distances->rows = calloc(1, sizeof *distances->rows);
        distances->rows[distances->count++] =
            (struct ft_set_distance){.step = 4, .touches = 10 + (double)i};
        if (ft_model_set_distances_add(model, i, distances, NULL) < 0)
            abort();
    }
}

/* The same over N and M: M is the second column, each function has a term of both. */
static struct ft_model make_model_over_two(void)
{
    struct ft_model model = make_model("two");
    static const double rows[] = {10, 1, 10, 2, 20, 1};
    const struct ft_term terms[] = {{{1, 1}, {0}}, {{0, 1}, {0}}, {{2, -1}, {0, 1}}};
    const char *names[] = {model.parameter, model.further[0] = strdup("M")};
    free(model.training);
    model.training = malloc(sizeof rows);
    memcpy(model.training, rows, sizeof rows);
    model.basis = ft_basis_of(names, 2);
    set_counts(&model);
    for (size_t i = 0; i < 3; i++)
        ft_basis_insert(&model.basis, &terms[i]);
    for (size_t i = 0; i < model.replica_count; i++) {
        model.replicas[i].training = model.training;
        model.replicas[i].left_out |= i == 1 ? 4 : 0; /* two sizes at once */
        model.replicas[i].basis = model.basis;
    }
    return model;
}

static bool same_members(const struct ft_model_member *a, const struct ft_model_member *b)
{
    const size_t count = ft_member_bins_count(a->bins);
    bool same = a->method == b->method && a->weight == b->weight &&
                count == ft_member_bins_count(b->bins) && a->over_data == b->over_data;
    for (size_t i = 0; same && i < count; i++) {
        const struct ft_model_bin left = ft_member_bin(a->bins, i);
        const struct ft_model_bin right = ft_member_bin(b->bins, i);
        same = same_functions(&left.tail, &right.tail) &&
               same_functions(&left.distance_blocks, &right.distance_blocks);
    }
    return same;
}

static bool same_fits(const struct ft_model *a, const struct ft_model *b)
{
    const struct ft_model_histogram *left = a->groups[0].histograms,
                                    *right = b->groups[0].histograms;
    bool same = same_functions(&a->distinct_blocks[0], &b->distinct_blocks[0]) &&
                same_functions(&a->groups[0].accesses, &b->groups[0].accesses) &&
                same_functions(&a->counts[0].flops, &b->counts[0].flops) &&
                same_functions(&left->cold, &right->cold) &&
                left->member_count == right->member_count;
    for (size_t i = 0; same && i < left->member_count; i++)
        same = same_members(&left->members[i], &right->members[i]);
    return same;
}

static void test_one(const char *path, const struct ft_model *written, const char *name)
{
    struct ft_model model = {0};
    struct ft_diag diag = {0};
    bool read = ft_model_read(path, name, &model, &diag) == FT_OK;
    tap_ok(read && strcmp(model.name, written->name) == 0 && model.method_count == 2 &&
               strcmp(model.methods[1], "split") == 0 && same_fits(&model, written),
           "%s is read as it was written %s", written->name, diag.message);
    bool same = read && model.replica_count == 3;
    for (size_t i = 0; same && i < 3; i++)
        same = model.replicas[i].left_out == written->replicas[i].left_out &&
               same_fits(&model.replicas[i], &written->replicas[i]);
    tap_ok(same, "and so are its replicas");
    /* 7 + log2(16) blocks of 64 bytes: the data size is 704. The second bin's distance is 1 + its
     * root. */
    const double values[FT_PARAMETERS_MAX] = {16, 1};
    const struct ft_point at = ft_point_at(&model.basis, values);
    const struct ft_model_member *member = &model.groups[0].histograms[0].members[1];
    tap_ok(model.basis.parameter_count > 1 ||
               (ft_model_data_point(&model, &at).parameters[0] == 704 &&
                fabs(ft_member_distance(&model, member, 1, &at) - (1 + sqrt(704))) < 1e-9),
           "a member's distances over the data size, at N = 16");
    ft_model_fini(&model);
}

static void test_refusals(const char *path)
{
    struct ft_model model = {0};
    struct ft_diag diag = {0};
    tap_ok(ft_model_read(path, NULL, &model, &diag) == FT_ERROR_USAGE &&
               strstr(diag.message, "--model NAME, of first, second"),
           "of two models one must be chosen: %s", diag.message);
    tap_ok(ft_model_read(path, "third", &model, &diag) == FT_ERROR_USAGE &&
               strstr(diag.message, "it has first, second"),
           "an unknown name: %s", diag.message);
}

/* Restricted, all keep their footprints; two are of N = 10. */
static void check_sets(const struct ft_model *model)
{
    bool same = model->set_distance_count == 3;
    for (size_t i = 0; same && i < 3; i++) {
        const struct ft_model_set_distances *sets = &model->set_distances[i];
        same = sets->training == (i == 2) && sets->blocks[0] == 50 + 10 * i &&
               sets->distances->count == 1 && sets->distances->rows[0].touches == 10 + (double)i;
    }
    tap_ok(same, "distances within sets of all training sizes");
}

/* At M = 1 both sizes ran, in the first and the last row. */
static void test_counts(const char *path)
{
    struct ft_model model = {0};
    struct ft_diag diag = {0};
    if (!tap_ok(ft_model_read(path, NULL, &model, &diag) == FT_OK &&
                    ft_model_restrict_by_text(&model, "M=1", &diag) == FT_OK &&
                    model.training_count == 2,
                "at M = 1 %s", diag.message))
        return;
    tap_ok(model.training_accesses && model.training_accesses[0] == 5 &&
               model.training_accesses[1] == 7 && model.training_blocks[0] == 50 &&
               model.training_blocks[1] == 70 &&
               model.replicas[0].training_blocks == model.training_blocks,
           "what was counted there");
    check_sets(&model);
    ft_model_fini(&model);
}

/* A model over N and M, written, read, and restricted to N at M = 8: values stay the same. */
static void test_several_parameters(void)
{
    struct ft_model written = make_model_over_two(), model = {0};
    struct ft_diag diag = {0};
    for (size_t i = 0; i < written.basis.term_count; i++)
        written.replicas[1].distinct_blocks[0].coefficients[i] =
            written.distinct_blocks[0].coefficients[i] = 1 + (double)i;
    tap_ok(ft_model_write("several.h5", &written, &diag) == FT_OK, "two parameters %s",
           diag.message);
    test_one("several.h5", &written, NULL);
    if (!tap_ok(ft_model_read("several.h5", NULL, &model, &diag) == FT_OK &&
                    model.basis.parameter_count == 2 && model.basis.term_count == 4 &&
                    strcmp(model.basis.parameters[1], "M") == 0 &&
                    ft_model_training(&model, 1)[1] == 2,
                "and is read %s", diag.message))
        return;
    char text[FT_TRAINING_TEXT];
    tap_ok(strcmp(ft_model_training_text(text, &model), "N, M = 10, 1; 10, 2; 20, 1") == 0, "%s",
           text);
    const double at[] = {40, 8};
    const struct ft_point before = ft_point_at(&model.basis, at);
    const double blocks = ft_function_at(&model.distinct_blocks[0], &before);
    tap_ok(ft_model_restrict_by_text(&model, NULL, &diag) == FT_ERROR_USAGE, "%s", diag.message);
    tap_ok(ft_model_restrict_by_text(&model, "K=3", &diag) == FT_ERROR_USAGE, "%s", diag.message);
    tap_ok(ft_model_restrict_by_text(&model, "M=-3", &diag) == FT_ERROR_USAGE, "%s", diag.message);
    if (!tap_ok(ft_model_restrict_by_text(&model, "M=8", &diag) == FT_OK &&
                    model.basis.parameter_count == 1 && model.training_count == 2 &&
                    model.training[1] == 20 && model.fixed_count == 1 &&
                    model.fixed[0].largest == 2 && model.replicas[0].left_out == 0 &&
                    model.replicas[2].left_out == 2,
                "a model over N at M = 8 %s", diag.message))
        return;
    const struct ft_point after = ft_point_at(&model.basis, at);
    tap_ok(ft_function_at(&model.distinct_blocks[0], &after) == blocks &&
               ft_function_at(&model.replicas[1].distinct_blocks[0], &after) == blocks,
           "its functions have the same values, %g", blocks);
    tap_ok(!model.training_accesses && !model.training_blocks && !model.replicas[0].training_blocks,
           "of M = 8 nothing was counted");
    check_sets(&model);
    ft_model_fini(&model);
    test_counts("several.h5");
    ft_model_fini(&written);
}

int main(void)
{
    struct ft_model models[] = {make_model("first"), make_model("second")};
    struct ft_model_file file = {models, 2}, twice = {(struct ft_model[]){models[0], models[0]}, 2};
    struct ft_diag diag = {0};
    models[1].groups[0].histograms[0].members[1].weight = 0.125;
    if (chdir(temporary_folder()) < 0)
        return 1;
    tap_ok(ft_model_write("one.h5", &models[0], &diag) == FT_OK, "one model %s", diag.message);
    test_one("one.h5", &models[0], NULL);
    tap_ok(ft_model_file_write("two.h5", &file, &diag) == FT_OK, "two models %s", diag.message);
    test_one("two.h5", &models[0], "first");
    test_one("two.h5", &models[1], "second");
    test_refusals("two.h5");
    tap_ok(ft_model_file_write("twice.h5", &twice, &diag) == FT_ERROR_USAGE, "two of one name: %s",
           diag.message);
    test_several_parameters();
    ft_model_fini(&models[0]);
    ft_model_fini(&models[1]);
    return tap_plan_done();
}
