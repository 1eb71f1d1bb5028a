/*
 * The difference of a replica's misses from the model's, at a size, is a deviation; the jackknife's
 * variance of K replicas is (K - 1) / K times the sum of their squares. How much a measurement at
 * another size n would reduce the target's variance follows from how the deviations at both are
 * related: with r their correlation over the replicas and v the variance at n, the part r^2 v / (v
 * + noise^2) of the target's variance would be gone (the conditional variance of normal deviates).
 * The noise, NOISE of the misses at n, is what no sum of terms follows; so a size where all
 * replicas agree is not informative.
 *
 * Candidates agree with the target modulo the elements of 8 bytes in a line, or are powers of two
 * like all other sizes: beyond the largest training size, between the two sizes farthest from each
 * other, and below the smallest.
 */
#include "fit/commands/advice.h"

#include <math.h>
#include <stdlib.h>

#include "fit/commands/group_label.h"
#include "fit/commands/tail_curve.h"
#include "formats/base/array.h"
#include "formats/cli/table.h"

#define NOISE               0.02
#define LINE_CHARACTERS_MAX 256.0 /* bytes */
#define NEAR_TARGET         0.75  /* larger sizes cost about what the target does */
#define HELPS               0.95  /* of the deviation left: more is no help */
#define AS_GOOD_AS          1.05
#define REPLICAS_MAX        64U

struct work {
    const struct ft_model *model;
    size_t replica_count;
    struct ft_point points[FT_ADVICE_SIZES_MAX + 1]; /* the target last */
    size_t point_count;
    struct ft_forecast forecast;
    /* Of one group and block size, at each point. */
    struct ft_tail_curve trained[FT_ADVICE_SIZES_MAX + 1];
    struct ft_tail_curve replicas[FT_ADVICE_SIZES_MAX + 1][REPLICAS_MAX];
    double left[FT_ADVICE_SIZES_MAX]; /* deviations, summed up */
};

/* ---- candidates ---- */

static bool is_power_of_two(double n)
{
    int exponent;
    return frexp(n, &exponent) == 0.5;
}

/* Whether the target and all training sizes are powers of two: the program may take no others. */
static bool are_powers_of_two(const struct ft_model *model, double target)
{
    bool are = is_power_of_two(target);
    for (size_t i = 0; i < model->training_count; i++)
        are &= is_power_of_two(model->training[i]);
    return are;
}

static double agreeing(const struct ft_model *model, double target, double n)
{
    double period = 1;
    if (are_powers_of_two(model, target))
        return exp2(round(log2(n)));
    for (size_t i = 0;
         i < model->size_count && (double)model->block_bytes[i] <= LINE_CHARACTERS_MAX; i++)
        period = fmax((double)model->block_bytes[i] / 8, 1);
    if (model->over_data_size || target != floor(target))
        return n;
    return target + period * round((n - target) / period);
}

static void add_candidate(struct ft_advice *advice, const struct ft_model *model, double n)
{
    size_t place = advice->size_count;
    n = agreeing(model, advice->target, n);
    if (!(n > 0) || n > NEAR_TARGET * advice->target || place == FT_ADVICE_SIZES_MAX)
        return;
    for (size_t i = 0; i < model->training_count; i++)
        if (model->training[i] == n)
            return;
    for (size_t i = 0; i < place; i++)
        if (advice->sizes[i].n == n)
            return;
    for (; place > 0 && advice->sizes[place - 1].n > n; place--)
        advice->sizes[place] = advice->sizes[place - 1];
    advice->sizes[place] = (struct ft_advice_size){.n = n};
    advice->size_count++;
}

static void list_candidates(struct ft_advice *advice, const struct ft_model *model)
{
    static const double beyond[] = {1.25, 1.5, 2, 2.5, 3, 4};
    const double *training = model->training;
    const double smallest = training[0], largest = training[model->training_count - 1];
    size_t gap = 1;
    for (size_t i = 1; i < model->training_count; i++)
        if (training[i] - training[i - 1] > training[gap] - training[gap - 1])
            gap = i;
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++)
        add_candidate(advice, model, largest * beyond[i]);
    add_candidate(advice, model, (training[gap - 1] + training[gap]) / 2);
    add_candidate(advice, model, smallest / 2);
}

/* ---- deviations ---- */

static int evaluate(struct work *work, const struct ft_model *model, size_t group,
                    size_t block_size, const struct ft_point *at, struct ft_tail_curve *ret_curve,
                    struct ft_diag *diag)
{
    *ret_curve = (struct ft_tail_curve){0};
    int status = ft_forecast_evaluate(model, group, block_size, at, &work->forecast, diag);
    if (status == FT_OK)
        ft_tail_curve_add_forecast(ret_curve, &work->forecast);
    return status;
}

static int evaluate_all(struct work *work, size_t group, size_t block_size, struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t p = 0; p < work->point_count && status == FT_OK; p++) {
        status = evaluate(work, work->model, group, block_size, &work->points[p], &work->trained[p],
                          diag);
        for (size_t k = 0; k < work->replica_count && status == FT_OK; k++)
            status = evaluate(work, &work->model->replicas[k], group, block_size, &work->points[p],
                              &work->replicas[p][k], diag);
    }
    return status;
}

/* The sum over replicas of the products of their deviations at two points, for caches of one size.
 */
static double products(const struct work *work, size_t p, size_t q, size_t cache)
{
    double sum = 0;
    for (size_t k = 0; k < work->replica_count; k++)
        sum += (ft_tail_curve_misses(&work->replicas[p][k], cache) -
                ft_tail_curve_misses(&work->trained[p], cache)) *
               (ft_tail_curve_misses(&work->replicas[q][k], cache) -
                ft_tail_curve_misses(&work->trained[q], cache));
    return sum;
}

/* Fills in a group's misses and deviation, and adds what each candidate would leave of the
 * deviation. */
static void deviate(struct work *work, struct ft_advice_group *group)
{
    const size_t target = work->point_count - 1;
    const double jackknife = 1 - 1 / (double)work->replica_count;
    for (size_t cache = 0; cache < FT_TAIL_STEPS; cache++) {
        double there = products(work, target, target, cache);
        group->misses += ft_tail_curve_misses(&work->trained[target], cache);
        group->deviation += sqrt(jackknife * there);
        for (size_t p = 0; p < target; p++) {
            double here = products(work, p, p, cache), both = products(work, p, target, cache);
            double noise = NOISE * ft_tail_curve_misses(&work->trained[p], cache);
            double variance = jackknife * here;
            double told = here > 0 && there > 0
                              ? both * both / (here * there) * variance / (variance + noise * noise)
                              : 0;
            work->left[p] += sqrt(jackknife * there * fmax(1 - told, 0));
        }
    }
}

static int compare_groups(const void *left, const void *right)
{
    const struct ft_advice_group *a = left, *b = right;
    if (a->deviation != b->deviation)
        return a->deviation < b->deviation ? 1 : -1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return a->block_size < b->block_size ? -1 : 1;
}

static int add_groups(struct work *work, struct ft_advice *advice, struct ft_diag *diag)
{
    const struct ft_model *model = work->model;
    size_t capacity = 0;
    for (size_t group = 0; group < model->group_count; group++)
        for (size_t size = 0; size < model->size_count; size++) {
            struct ft_advice_group item = {.group = group, .block_size = size};
            int status = evaluate_all(work, group, size, diag);
            if (status < 0)
                return status;
            deviate(work, &item);
            advice->misses += item.misses;
            advice->deviation += item.deviation;
            if (!(item.deviation > 0))
                continue;
            if (!FT_RESERVE(advice->groups, capacity, advice->group_count + 1))
                return ft_fail_memory(diag, "advice");
            advice->groups[advice->group_count++] = item;
        }
    if (advice->group_count > 0)
        qsort(advice->groups, advice->group_count, sizeof *advice->groups, compare_groups);
    for (size_t i = 0; i < advice->group_count; i++)
        advice->groups[i].share = advice->groups[i].deviation / advice->deviation;
    return FT_OK;
}

/* ---- sizes ---- */

static double accesses_at(const struct ft_model *model, const struct ft_point *at)
{
    double accesses = 0;
    for (size_t i = 0; i < model->group_count; i++)
        accesses += ft_function_at(&model->groups[i].accesses, at);
    return accesses;
}

/* The smallest size that is about as good as the best one. */
static void choose(struct work *work, struct ft_advice *advice)
{
    const struct ft_point largest = ft_model_largest(work->model);
    double all = accesses_at(work->model, &largest), least = HELPS;
    for (size_t i = 0; i < advice->size_count; i++) {
        struct ft_advice_size *size = &advice->sizes[i];
        size->accesses = accesses_at(work->model, &work->points[i]) / fmax(all, 1);
        size->left = advice->deviation > 0 ? work->left[i] / advice->deviation : 1;
        least = fmin(least, size->left);
    }
    advice->best = 0;
    while (advice->best < advice->size_count &&
           (least >= HELPS || advice->sizes[advice->best].left > AS_GOOD_AS * least))
        advice->best++;
}

int ft_advise(const struct ft_model *model, double target, struct ft_advice *ret_advice,
              struct ft_diag *diag)
{
    if (model->basis.parameter_count > 1)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s runs over %zu parameters: --advise needs a model over one", model->name,
                       model->basis.parameter_count);
    if (model->replica_count < 2)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s has no replicas, whose differences show what is poorly known: fit "
                       "it to three sizes or more",
                       model->name);
    struct ft_advice advice = {
        .target = target,
        .reach = target / model->training[model->training_count - 1],
    };
    struct work *work = calloc(1, sizeof *work);
    if (!work)
        return ft_fail_memory(diag, "advice");
    work->model = model;
    work->replica_count = model->replica_count < REPLICAS_MAX ? model->replica_count : REPLICAS_MAX;
    list_candidates(&advice, model);
    for (size_t i = 0; i < advice.size_count; i++)
        work->points[work->point_count++] = ft_point_at(&model->basis, &advice.sizes[i].n);
    work->points[work->point_count++] = ft_point_at(&model->basis, &target);
    int status = add_groups(work, &advice, diag);
    if (status == FT_OK)
        choose(work, &advice);
    ft_forecast_fini(&work->forecast);
    free(work);
    if (status == FT_OK)
        *ret_advice = advice;
    else
        ft_advice_fini(&advice);
    return status;
}

void ft_advice_fini(struct ft_advice *advice)
{
    free(advice->groups);
    *advice = (struct ft_advice){0};
}

/* ---- as text ---- */

static int print_groups(const struct ft_advice *advice, const struct ft_model *model, size_t most,
                        FILE *stream, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_group_columns(table, false);
    ft_table_column(table, "block", "block_bytes", true);
    ft_table_column(table, "deviation of its misses", "deviation", true);
    ft_table_column(table, "of all deviations", "share", true);
    for (size_t i = 0; i < advice->group_count && i < most; i++) {
        const struct ft_advice_group *item = &advice->groups[i];
        ft_group_cells(table, model, item->group, false);
        ft_table_bytes(table, (double)model->block_bytes[item->block_size]);
        ft_table_percent(table, item->misses > 0 ? item->deviation / item->misses : 1);
        ft_table_share(table, item->share);
    }
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

static int print_sizes(const struct ft_advice *advice, const struct ft_model *model, FILE *stream,
                       struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, model->parameter, "size", true);
    ft_table_column(table, "accesses", "accesses", true);
    ft_table_column(table, "deviation left", "left", true);
    for (size_t i = 0; i < advice->size_count; i++) {
        ft_table_format(table, "%.15g", advice->sizes[i].n);
        ft_table_format(table, "%.3g x", advice->sizes[i].accesses);
        ft_table_share(table, advice->sizes[i].left);
    }
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

int ft_advice_print(const struct ft_advice *advice, const struct ft_model *model, size_t group_max,
                    FILE *stream, struct ft_diag *diag)
{
    char text[FT_NUMBER_TEXT];
    fprintf(stream, "At %s = %.15g, %.3g times the largest training size, misses deviate by %s\n",
            model->parameter, advice->target, advice->reach,
            ft_text_percent(text, advice->misses > 0 ? advice->deviation / advice->misses : 0));
    if (advice->group_count == 0)
        return FT_OK;
    fputs("over all capacities. Least well known:\n\n", stream);
    FT_TRY(print_groups(advice, model, group_max, stream, diag));
    if (advice->size_count > 0) {
        fputs("\nWhat a further training size would leave of that:\n\n", stream);
        FT_TRY(print_sizes(advice, model, stream, diag));
    }
    if (advice->best < advice->size_count)
        fprintf(stream, "\n%s = %.15g helps most\n", model->parameter,
                advice->sizes[advice->best].n);
    else
        fputs("\nno further size below the target helps much\n", stream);
    return FT_OK;
}
