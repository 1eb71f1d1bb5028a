/*
 * Each part of the text gives a list of points that have one name alone: one point, or those of a
 * range, whose ends and step are read as values of that name. A part without a name adds to the
 * list before it. The lists are multiplied.
 */
#include "formats/model/query_range.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/parse.h"
#include "formats/model/model_values.h"

#define ROUNDING 1e-9 /* of a step: the end still belongs to the range */

struct points {
    struct ft_query_values *items;
    size_t count;
};

bool ft_query_values_overlap(const struct ft_query_values *a, const struct ft_query_values *b)
{
    for (size_t i = 0; i < FT_PARAMETERS_MAX; i++)
        if ((a->values[i] != 0 && b->values[i] != 0) || (a->others[i] != 0 && b->others[i] != 0))
            return true;
    return false;
}

struct ft_query_values ft_query_values_join(const struct ft_query_values *a,
                                            const struct ft_query_values *b)
{
    struct ft_query_values joined = *a;
    for (size_t i = 0; i < FT_PARAMETERS_MAX; i++) {
        joined.values[i] += b->values[i];
        joined.others[i] += b->others[i];
    }
    return joined;
}

/* The only value that is given. */
static double *value_of(struct ft_query_values *point)
{
    for (size_t i = 0; i < FT_PARAMETERS_MAX; i++) {
        if (point->values[i] != 0)
            return &point->values[i];
        if (point->others[i] != 0)
            return &point->others[i];
    }
    return &point->values[0];
}

/* "100..2000/50" in its numbers. */
struct range {
    char *from, *to, *step;
    bool is_product; /* each is `step` times the one before */
};

/* Cuts a copy of what follows "NAME=". */
static int cut(char *text, const char *part, struct range *ret_range, struct ft_diag *diag)
{
    struct range range = {.from = text};
    char *dots = strstr(text, "..");
    *dots = 0;
    range.to = dots + 2;
    char *by = strpbrk(range.to, "/*");
    if (!by)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s: a range needs a step, as in %s/50, or a factor, as in %s*2", part, part,
                       part);
    range.is_product = *by == '*';
    *by = 0;
    range.step = by + 1;
    *ret_range = range;
    return FT_OK;
}

/* One of the numbers, as a value of the part's name. */
static int read_number(const struct ft_model *model, const char *part, const char *number,
                       struct ft_query_values *ret_point, struct ft_diag *diag)
{
    struct ft_query_values point = {0};
    struct ft_diag inner = {0};
    size_t length = 0;
    char *text = NULL;
    (void)ft_split_assignment(part, &length);
    if (asprintf(&text, "%.*s=%s", (int)length, part, number) < 0)
        return ft_fail_memory(diag, part);
    int status = ft_query_point_read(model, text, &point, &inner);
    free(text);
    if (status != FT_OK)
        return ft_fail(diag, status, "%s: %s", part, inner.message);
    *ret_point = point;
    return FT_OK;
}

/* How many values there are. */
static int count_values(const char *part, const double numbers[3], bool is_product,
                        size_t *ret_count, struct ft_diag *diag)
{
    const double from = numbers[0], to = numbers[1], step = numbers[2];
    if (from > to)
        return ft_fail(diag, FT_ERROR_USAGE, "%s: no size: it begins above its end", part);
    if (is_product && step <= 1)
        return ft_fail(diag, FT_ERROR_USAGE, "%s: the factor must be above 1", part);
    const double steps = is_product ? log(to / from) / log(step) : (to - from) / step;
    const double count = floor(steps + ROUNDING) + 1;
    if (count > FT_QUERY_POINTS_MAX)
        return ft_fail(diag, FT_ERROR_USAGE, "%s: %.15g sizes; at most %u can be asked for at once",
                       part, count, FT_QUERY_POINTS_MAX);
    *ret_count = (size_t)count;
    return FT_OK;
}

static int fill_range(const struct ft_model *model, const char *part, const struct range *range,
                      struct points *ret_points, struct ft_diag *diag)
{
    struct ft_query_values ends[3];
    const char *const texts[] = {range->from, range->to, range->step};
    double numbers[3];
    size_t count = 0;
    for (size_t i = 0; i < 3; i++) {
        FT_TRY(read_number(model, part, texts[i], &ends[i], diag));
        numbers[i] = *value_of(&ends[i]);
    }
    FT_TRY(count_values(part, numbers, range->is_product, &count, diag));
    struct ft_query_values *points = calloc(count, sizeof *points);
    if (!points)
        return ft_fail_memory(diag, "sizes");
    for (size_t i = 0; i < count; i++) {
        points[i] = ends[0];
        *value_of(&points[i]) = range->is_product ? numbers[0] * pow(numbers[2], (double)i)
                                                  : numbers[0] + (double)i * numbers[2];
    }
    *ret_points = (struct points){points, count};
    return FT_OK;
}

/* What one part gives. */
static int read_values(const struct ft_model *model, const char *part, struct points *ret_points,
                       struct ft_diag *diag)
{
    size_t length;
    const char *number = ft_split_assignment(part, &length);
    if (!number || !strstr(number, "..")) {
        struct ft_query_values *point = calloc(1, sizeof *point);
        int status =
            point ? ft_query_point_read(model, part, point, diag) : ft_fail_memory(diag, "a size");
        if (status != FT_OK) {
            free(point);
            return status;
        }
        *ret_points = (struct points){point, 1};
        return FT_OK;
    }
    struct range range;
    char *copy = strdup(number);
    int status = copy ? cut(copy, part, &range, diag) : ft_fail_memory(diag, part);
    if (status == FT_OK)
        status = fill_range(model, part, &range, ret_points, diag);
    free(copy);
    return status;
}

/* Each point so far with each of the values. */
static int multiply(struct points *points, const struct points *values, const char *part,
                    struct ft_diag *diag)
{
    const size_t count = points->count * values->count;
    if (ft_query_values_overlap(&points->items[0], &values->items[0]))
        return ft_fail(diag, FT_ERROR_USAGE, "%s: %.*s has a value already", part,
                       (int)strcspn(part, "="), part);
    if (count > FT_QUERY_POINTS_MAX)
        return ft_fail(diag, FT_ERROR_USAGE, "%s: %zu sizes; at most %u can be asked for at once",
                       part, count, FT_QUERY_POINTS_MAX);
    struct ft_query_values *items = calloc(count, sizeof *items);
    if (!items)
        return ft_fail_memory(diag, "sizes");
    for (size_t i = 0; i < count; i++)
        items[i] = ft_query_values_join(&points->items[i / values->count],
                                        &values->items[i % values->count]);
    free(points->items);
    *points = (struct points){items, count};
    return FT_OK;
}

/* What is read so far: the points of the lists that are whole, and the list that may get more. */
struct lists {
    struct points points, last;
    char *name; /* of the last list, "N=64"; NULL: there is none yet */
};

/* The list before is whole: each point so far with each of its values. */
static int end_list(struct lists *lists, struct ft_diag *diag)
{
    return lists->name ? multiply(&lists->points, &lists->last, lists->name, diag) : FT_OK;
}

static int begin_list(struct lists *lists, const char *part, const struct points *values,
                      struct ft_diag *diag)
{
    char *name = strdup(part);
    int status = name ? end_list(lists, diag) : ft_fail_memory(diag, part);
    if (status != FT_OK) {
        free(name);
        return status;
    }
    free(lists->name);
    free(lists->last.items);
    lists->name = name;
    lists->last = *values;
    return FT_OK;
}

/* Behind the last list; the values stay the caller's. */
static int add_to_list(struct lists *lists, const struct points *values, struct ft_diag *diag)
{
    const size_t before = lists->last.count, count = before + values->count;
    struct ft_query_values *items = realloc(lists->last.items, count * sizeof *items);
    if (!items)
        return ft_fail_memory(diag, "sizes");
    memcpy(items + before, values->items, values->count * sizeof *items);
    lists->last = (struct points){items, count};
    return FT_OK;
}

/* "128" behind "N=64": is read as "N=128". */
static int continue_list(const struct ft_model *model, struct lists *lists, const char *part,
                         struct ft_diag *diag)
{
    struct points values = {0};
    char *named = NULL;
    if (asprintf(&named, "%.*s=%s", (int)strcspn(lists->name, "="), lists->name, part) < 0)
        return ft_fail_memory(diag, part);
    int status = read_values(model, named, &values, diag);
    if (status == FT_OK)
        status = add_to_list(lists, &values, diag);
    free(values.items);
    free(named);
    return status;
}

static int read_part(const struct ft_model *model, const char *part, void *context,
                     struct ft_diag *diag)
{
    struct lists *lists = context;
    struct points values = {0};
    if (lists->name && *part && !strchr(part, '='))
        return continue_list(model, lists, part, diag);
    FT_TRY(read_values(model, part, &values, diag));
    int status = begin_list(lists, part, &values, diag);
    if (status != FT_OK)
        free(values.items);
    return status;
}

int ft_query_points_read(const struct ft_model *model, const char *text,
                         struct ft_query_values **ret_points, size_t *ret_count,
                         struct ft_diag *diag)
{
    struct lists lists = {.points = {calloc(1, sizeof *lists.points.items), 1}};
    if (!lists.points.items)
        return ft_fail_memory(diag, "sizes");
    int status = ft_model_read_parts(model, text, read_part, &lists, diag);
    if (status == FT_OK)
        status = end_list(&lists, diag);
    free(lists.last.items);
    free(lists.name);
    if (status != FT_OK) {
        free(lists.points.items);
        return status;
    }
    *ret_points = lists.points.items;
    *ret_count = lists.points.count;
    return FT_OK;
}
