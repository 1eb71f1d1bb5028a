#include "predict/diff/change.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/base/parse.h"

#define ROUNDING 1e-9 /* relative */

/* ---- changes ---- */

static const struct ft_compared_value unknown = {NAN, NAN, NAN};

static struct ft_compared_value absolute_change(const struct ft_compared_value *a,
                                                const struct ft_compared_value *b, bool alike)
{
    const double change = b->value - a->value;
    if (alike)
        return (struct ft_compared_value){change,
                                          fmin(fmin(b->low - a->low, b->high - a->high), change),
                                          fmax(fmax(b->low - a->low, b->high - a->high), change)};
    return (struct ft_compared_value){change, change - hypot(b->value - b->low, a->high - a->value),
                                      change + hypot(b->high - b->value, a->value - a->low)};
}

/* b / a - 1, where 0 / 0 is no change. */
static double ratio_change(double a, double b)
{
    return a > 0 ? b / a - 1 : b > 0 ? INFINITY : 0;
}

/* Errors of a ratio add up as logarithms. */
static struct ft_compared_value relative_change(const struct ft_compared_value *a,
                                                const struct ft_compared_value *b, bool alike)
{
    const double change = ratio_change(a->value, b->value);
    if (alike) {
        const double low = ratio_change(a->low, b->low), high = ratio_change(a->high, b->high);
        return (struct ft_compared_value){change, fmin(fmin(low, high), change),
                                          fmax(fmax(low, high), change)};
    }
    if (a->low == a->high && b->low == b->high)
        return (struct ft_compared_value){change, change, change};
    if (!(a->value > 0) || !(b->value > 0)) /* no logarithms: the ends at their worst */
        return (struct ft_compared_value){change, ratio_change(a->high, b->low),
                                          ratio_change(a->low, b->high)};
    const double down = hypot(log(b->value / b->low), log(a->high / a->value));
    const double up = hypot(log(b->high / b->value), log(a->value / a->low));
    return (struct ft_compared_value){change, (1 + change) * exp(-down) - 1,
                                      (1 + change) * exp(up) - 1};
}

/* Sums of real numbers in another order are no change. */
static double without_rounding(double before, double after)
{
    return fabs(after - before) <= ROUNDING * fmax(before, after) ? before : after;
}

struct ft_change ft_change_of(const struct ft_compared_value values[2], bool alike)
{
    if (isnan(values[0].value) || isnan(values[1].value))
        return (struct ft_change){unknown, unknown};
    const struct ft_compared_value *a = &values[0],
                                   second = {without_rounding(a->value, values[1].value),
                                             without_rounding(a->low, values[1].low),
                                             without_rounding(a->high, values[1].high)},
                                   *b = &second;
    struct ft_change change = {{b->value - a->value, NAN, NAN},
                               {ratio_change(a->value, b->value), NAN, NAN}};
    if (isnan(a->low) || isnan(a->high) || isnan(b->low) || isnan(b->high))
        return change;
    change.absolute = absolute_change(a, b, alike);
    change.relative = relative_change(a, b, alike);
    return change;
}

/* ---- limits ---- */

static const struct {
    const char *name;
    double factor;
    bool is_time;
} units[] = {{"K", 1e3, false}, {"M", 1e6, false},  {"G", 1e9, false},  {"T", 1e12, false},
             {"s", 1, true},    {"ms", 1e-3, true}, {"us", 1e-6, true}, {"ns", 1e-9, true}};

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* The number behind > or <: a sign, digits, and a unit or %. */
static bool read_value(const char *text, bool is_time, struct ft_diff_limit *limit)
{
    double value;
    text = skip_blanks(text);
    const bool has_sign = *text == '+' || *text == '-', is_negative = *text == '-';
    text += has_sign;
    if (*text == '+' || *text == '-' || !ft_read_double(&text, &value))
        return false;
    text = skip_blanks(text);
    double factor = *text ? 0 : 1;
    if (strncmp(text, "%", 1) == 0 && !*skip_blanks(text + 1))
        factor = 0.01;
    limit->limited = factor == 0.01 ? FT_LIMIT_RELATIVE
                     : has_sign     ? FT_LIMIT_CHANGE
                                    : FT_LIMIT_VALUE;
    for (size_t i = 0; factor == 0 && i < sizeof units / sizeof *units; i++)
        if (units[i].is_time == is_time &&
            strncmp(text, units[i].name, strlen(units[i].name)) == 0 &&
            !*skip_blanks(text + strlen(units[i].name)))
            factor = units[i].factor;
    limit->value = (is_negative ? -1 : 1) * value * factor;
    return factor > 0;
}

static int fail_metric(const char *text, const char *name, const struct ft_diff_metrics *metrics,
                       struct ft_diag *diag)
{
    char names[FT_DIFF_METRICS_TEXT];
    const bool has_levels = metrics->items[metrics->count - 1].level; /* which come last */
    return ft_fail(diag, FT_ERROR_USAGE, "%s: unknown metric '%s'; known here are %s%s", text, name,
                   ft_diff_metrics_text(names, metrics),
                   has_levels ? "" : " (misses need --machine)");
}

int ft_diff_limit_read(const char *text, const struct ft_diff_metrics *metrics,
                       struct ft_diff_limit *ret_limit, struct ft_diag *diag)
{
    char name[FT_DIFF_METRIC_TEXT];
    const char *start = skip_blanks(text), *relation = start + strcspn(start, "<>");
    size_t length = (size_t)(relation - start);
    while (length > 0 && strchr(" \t", start[length - 1]))
        length--;
    if (!*relation || length == 0 || length >= sizeof name)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s: must be METRIC > LIMIT or METRIC < LIMIT, as in 'misses.L2 > +5%%'",
                       text);
    snprintf(name, sizeof name, "%.*s", (int)length, start);
    struct ft_diff_limit limit = {
        .text = text, .metric = ft_diff_metric_find(metrics, name), .is_above = *relation == '>'};
    if (limit.metric == metrics->count)
        return fail_metric(text, name, metrics, diag);
    const bool is_time = metrics->items[limit.metric].kind == FT_SHOW_TIME;
    if (!read_value(relation + 1, is_time, &limit))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s: '%s' is no limit; write +5%%, %s (a change), or %s (of the second "
                       "alone)",
                       text, skip_blanks(relation + 1), is_time ? "-2ms" : "+20K",
                       is_time ? "1.5s" : "3M");
    *ret_limit = limit;
    return FT_OK;
}

bool ft_verdict_is_doubtful(const struct ft_verdict *verdict)
{
    return verdict->judged.high > verdict->judged.low && !verdict->is_sure;
}

struct ft_verdict ft_diff_limit_judge(const struct ft_diff_limit *limit,
                                      const struct ft_compared_value values[2], bool alike)
{
    const struct ft_change change = ft_change_of(values, alike);
    struct ft_verdict verdict = {.judged = limit->limited == FT_LIMIT_RELATIVE ? change.relative
                                           : limit->limited == FT_LIMIT_CHANGE ? change.absolute
                                                                               : values[1]};
    const struct ft_compared_value *judged = &verdict.judged;
    verdict.is_known = !isnan(judged->value);
    if (limit->is_above) {
        verdict.holds = judged->value > limit->value;
        verdict.is_sure = verdict.holds ? judged->low > limit->value : judged->high <= limit->value;
    } else {
        verdict.holds = judged->value < limit->value;
        verdict.is_sure = verdict.holds ? judged->high < limit->value : judged->low >= limit->value;
    }
    return verdict;
}
