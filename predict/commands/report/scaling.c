/*
 * Curves over sizes, from the smallest training size to twice the larger of the size asked about
 * and the largest training size, of the program and of the scopes that take most time. First the
 * critical sizes of the levels, as `query` finds them; then forecasts by histograms at sizes in
 * equal ratios and at both ends of the critical ones, so that steps are where they belong.
 *
 * Histograms, as a synthesis simulates accesses one by one: too slow for many sizes. The forecast
 * of the size asked about may be by synthesis; the page shows it as a point of its own.
 */
#include <math.h>
#include <stdlib.h>

#include "formats/cli/progress_line.h"
#include "predict/commands/report/document.h"
#include "predict/query/critical_sizes.h"

#define STEPS        7U /* sizes in equal ratios, and one */
#define SIZES_MAX    16U
#define SCOPES_SHOWN 24U
#define BEYOND       2.0
#define CLOSE        1.003 /* ratio of sizes that are one */
#define RESOLUTION   0.05  /* relative, of miss ratios between two samples of a curve */

struct ft_size_line ft_page_sizes(const struct ft_page_task *task)
{
    const double n = ft_page_prediction(task, 0)->n;
    struct ft_size_line line = ft_size_line_of(ft_page_model(task), 1);
    line.from = fmin(line.from, n);
    line.to = BEYOND * fmax(line.to, n);
    return line;
}

/* ---- sizes ---- */

struct sizes {
    double items[SIZES_MAX];
    size_t count;
};

/* Sizes that come first are kept. */
static void add_size(struct sizes *sizes, double n)
{
    for (size_t i = 0; i < sizes->count; i++)
        if (n < CLOSE * sizes->items[i] && CLOSE * n > sizes->items[i])
            return;
    if (sizes->count < SIZES_MAX)
        sizes->items[sizes->count++] = n;
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static struct sizes even_sizes(const struct ft_page_task *task)
{
    const struct ft_size_line line = ft_page_sizes(task);
    struct sizes sizes = {.count = 0};
    add_size(&sizes, ft_page_prediction(task, 0)->n);
    for (size_t i = 0; i <= STEPS; i++)
        add_size(&sizes, ft_size_step(&line, i, STEPS));
    return sizes;
}

/* ---- critical sizes ---- */

static json_t *critical_json(const struct ft_critical_size *size, size_t level)
{
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:I, s:o}", "level", (json_int_t)level, "from",
                     ft_json_number(size->last_before), "to", ft_json_number(size->first_after),
                     "before", ft_page_number(size->before), "after", ft_page_number(size->after),
                     "scope", (json_int_t)size->scope, "scope_share",
                     ft_page_number(size->scope_share));
}

/* Also puts their ends into the list of sizes. */
static int find_critical(const struct ft_page_task *task, size_t machine, struct sizes *sizes,
                         json_t **ret_critical, struct ft_diag *diag)
{
    const struct ft_size_line line = ft_page_sizes(task);
    const struct ft_machine *caches = ft_page_prediction(task, machine)->machine;
    struct ft_miss_curve curve;
    json_t *list = json_array();
    ft_miss_curve_init(&curve, &line, caches, RESOLUTION);
    curve.reuse = true;
    int status = ft_miss_curve_sample(&curve, diag);
    for (size_t i = 0; i < caches->level_count && status == FT_OK; i++) {
        struct ft_critical_size *found = NULL;
        size_t count = 0;
        status = ft_critical_sizes(&curve, i, &found, &count, diag);
        for (size_t k = 0; k < count && status == FT_OK; k++) {
            ft_json_append(&list, critical_json(&found[k], i));
            add_size(sizes, found[k].last_before);
            add_size(sizes, found[k].first_after);
        }
        free(found);
    }
    ft_miss_curve_fini(&curve);
    *ret_critical = list;
    return status;
}

/* ---- curves ---- */

/* A curve is a list of [value, low, high], an item for each size. */
struct curves {
    json_t *sizes, *accesses, *seconds;
    json_t *full, *set;   /* [level], lists */
    json_t *scopes;       /* the scopes shown */
    json_t *scope_times;  /* [scope shown], lists */
    json_t *scope_misses; /* [scope shown][level], lists; set-associative */
};

static json_t *ends_json(double value, const struct ft_interval *interval)
{
    if (ft_interval_is_refused(interval))
        return json_null();
    return json_pack("[o, o, o]", ft_page_number(value), ft_page_number(interval->low),
                     ft_page_number(interval->high));
}

static void append_to(json_t *lists, size_t index, json_t *value)
{
    json_array_append_new(json_array_get(lists, index), value);
}

static json_t *time_json(const struct ft_prediction *prediction, uint32_t scope)
{
    const struct ft_time_estimate *estimate = &prediction->estimates[scope];
    return json_pack("[o, o, o]", ft_page_number(estimate->seconds), ft_page_number(estimate->low),
                     ft_page_number(estimate->high));
}

static json_t *miss_json(const struct ft_prediction *prediction, uint32_t scope, size_t column)
{
    const size_t place = scope * prediction->width + column;
    return ends_json(prediction->inclusive[place], &prediction->intervals[place]);
}

static void append_point(struct curves *curves, const struct ft_prediction *prediction)
{
    const size_t levels = prediction->machine->level_count;
    json_array_append_new(curves->sizes, ft_json_number(prediction->n));
    json_array_append_new(curves->accesses, miss_json(prediction, 0, FT_METRIC_ACCESSES));
    if (prediction->estimates)
        json_array_append_new(curves->seconds, time_json(prediction, 0));
    for (size_t i = 0; i < levels; i++) {
        append_to(curves->full, i, miss_json(prediction, 0, ft_fully_assoc_column(i)));
        append_to(curves->set, i, miss_json(prediction, 0, ft_set_assoc_column(i)));
    }
    for (size_t k = 0; k < json_array_size(curves->scopes); k++) {
        const uint32_t scope = (uint32_t)json_integer_value(json_array_get(curves->scopes, k));
        if (prediction->estimates)
            append_to(curves->scope_times, k, time_json(prediction, scope));
        for (size_t i = 0; i < levels; i++)
            append_to(json_array_get(curves->scope_misses, k), i,
                      miss_json(prediction, scope, ft_set_assoc_column(i)));
    }
}

/* So many empty lists. */
static json_t *lists_json(size_t count)
{
    json_t *lists = json_array();
    for (size_t i = 0; i < count; i++)
        ft_json_append(&lists, json_array());
    return lists;
}

/* The first scopes of the forecast's tree; a routine comes before its loops. */
static void choose_scopes(struct curves *curves, const struct ft_report *report)
{
    const size_t count = report->count < SCOPES_SHOWN ? report->count : SCOPES_SHOWN;
    for (size_t i = 0; i < count; i++) {
        ft_json_append(&curves->scopes, json_integer(report->list[i]));
        ft_json_append(&curves->scope_misses, lists_json(report->prediction->machine->level_count));
    }
    curves->scope_times = lists_json(count);
}

/* ---- forecasts ---- */

static int forecast(const struct ft_prediction *asked, double n, struct ft_prediction *prediction,
                    struct ft_diag *diag)
{
    const struct ft_query_values values = {.values = {n}};
    const struct ft_predict_options options = {.dirty_memory = asked->dirty_memory,
                                               .misses = FT_MISSES_HISTOGRAMS,
                                               .schedules = asked->schedules};
    struct ft_query_point size;
    FT_TRY(ft_query_point_resolve(asked->model, &values, &size, diag));
    return ft_predict(asked->model, asked->machine, &size, &options, prediction, diag);
}

/* All sizes side by side, then one after the other into the curves. */
static int add_sizes(const struct ft_page_task *task, size_t machine, struct sizes *sizes,
                     struct curves *curves, struct ft_diag *diag)
{
    const struct ft_prediction *asked = ft_page_prediction(task, machine);
    struct ft_prediction predictions[SIZES_MAX] = {0};
    struct ft_progress_line progress;
    int status = FT_OK;
    uint64_t done = 0;
    qsort(sizes->items, sizes->count, sizeof *sizes->items, compare);
    ft_progress_line_init(&progress, "curves over sizes");
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < sizes->count; i++) {
        struct ft_diag inner;
        const int failed = forecast(asked, sizes->items[i], &predictions[i], &inner);
#pragma omp critical
        {
            if (failed && !status) {
                status = failed;
                *diag = inner;
            }
            ft_progress_update(&progress.base, ++done, sizes->count, "sizes");
        }
    }
    ft_progress_line_fini(&progress);
    for (size_t i = 0; i < sizes->count; i++) {
        if (status == FT_OK)
            append_point(curves, &predictions[i]);
        ft_prediction_fini(&predictions[i]);
    }
    return status;
}

/* ---- all of it ---- */

int ft_page_scaling(const struct ft_page_task *task, size_t machine, json_t **ret_scaling,
                    struct ft_diag *diag)
{
    const struct ft_report *report = &task->forecasts->reports[machine];
    const size_t levels = report->prediction->machine->level_count;
    struct curves curves = {.sizes = json_array(),
                            .accesses = json_array(),
                            .seconds = json_array(),
                            .full = lists_json(levels),
                            .set = lists_json(levels),
                            .scopes = json_array(),
                            .scope_misses = json_array()};
    json_t *critical = NULL;
    struct sizes sizes = even_sizes(task);
    choose_scopes(&curves, report);
    int status = find_critical(task, machine, &sizes, &critical, diag);
    if (status == FT_OK)
        status = add_sizes(task, machine, &sizes, &curves, diag);
    json_t *scaling = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "sizes",
                                curves.sizes, "accesses", curves.accesses, "seconds",
                                curves.seconds, "full", curves.full, "set", curves.set, "scopes",
                                curves.scopes, "scope_seconds", curves.scope_times, "scope_misses",
                                curves.scope_misses, "critical", critical ? critical : json_null());
    if (status == FT_OK)
        *ret_scaling = scaling;
    else
        json_decref(scaling);
    return status;
}
