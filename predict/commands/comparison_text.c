/*
 * As text: what is compared; the sweep, where there are several sizes, a table for each metric with
 * machines as columns, or one with all metrics of the only machine; then of the last size the
 * ranking, the stacked components of the times, and what edits gain.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/file_name.h"
#include "formats/cli/terminal.h"
#include "predict/commands/compared_cells.h"
#include "predict/commands/comparison.h"
#include "predict/commands/report_parts.h"
#include "predict/time/time_components.h"

#define NAME_TEXT 24   /* bytes of a machine's name over a column */
#define MATTERS   5e-4 /* of a time: components of less are left out, gains of less are none */

/* ---- cells ---- */

/* Per unit of work. */
static void add_value(struct ft_table *table, const struct ft_compared_value *value, double work,
                      bool is_time, bool with_interval)
{
    const struct ft_compared_value divided = {value->value / work, value->low / work,
                                              value->high / work};
    ft_compared_cell(table, &divided, is_time, with_interval);
}

/* NAN: none, or unknown. */
static void add_chance(struct ft_table *table, double chance)
{
    if (isnan(chance))
        ft_table_empty(table);
    else if (chance < 0.005)
        ft_table_text(table, "<1 %");
    else
        ft_table_format(table, "%.0f %%", 100 * chance);
}

/* A machine's name, shortened in its middle where it would make a column too wide. */
static char *short_name(char text[NAME_TEXT], const struct ft_comparison *comparison,
                        size_t machine)
{
    const char *name = ft_compared_prediction(comparison, 0, machine)->machine->name;
    const size_t length = strlen(name);
    if (length < NAME_TEXT || ft_terminal_is_wide())
        snprintf(text, NAME_TEXT, "%s", name);
    else
        snprintf(text, NAME_TEXT, "%.10s...%s", name, name + length - (NAME_TEXT - 14));
    return text;
}

static const char *name_of(const struct ft_comparison *comparison, size_t machine)
{
    return ft_compared_prediction(comparison, 0, machine)->machine->name;
}

static bool has_level(const struct ft_prediction *prediction, const struct ft_shown_metric *metric)
{
    return metric->kind != FT_SHOW_MISSES ||
           ft_machine_find_level(prediction->machine, metric->level) <
               prediction->machine->level_count;
}

static const char *metric_name(const struct ft_shown_metric *metric)
{
    static const char *const names[] = {"time", "accesses", "instructions"};
    return metric->kind == FT_SHOW_MISSES ? metric->level : names[metric->kind];
}

static void add_metric(struct ft_table *table, const struct ft_comparison *comparison, size_t point,
                       size_t machine, const struct ft_shown_metric *metric, bool with_interval)
{
    const struct ft_prediction *prediction = ft_compared_prediction(comparison, point, machine);
    const struct ft_compared_value value = ft_compared_value_of(prediction, 0, metric);
    if (has_level(prediction, metric))
        add_value(table, &value, comparison->work[point], metric->kind == FT_SHOW_TIME,
                  with_interval);
    else
        ft_table_empty(table);
}

/* ", per N^3" */
static const char *per_text(const struct ft_comparison *comparison, char text[FT_REPORT_POINT_TEXT])
{
    text[0] = 0;
    if (comparison->per)
        snprintf(text, FT_REPORT_POINT_TEXT, ", per %.200s", comparison->per);
    return text;
}

/* ---- the sweep ---- */

static void add_point(struct ft_table *table, const struct ft_comparison *comparison, size_t point)
{
    char text[FT_REPORT_POINT_TEXT];
    ft_table_text(table, ft_report_point_text(text, ft_compared_prediction(comparison, point, 0)));
}

/* One machine: a column for each metric. */
static int print_metrics(const struct ft_comparison *comparison, FILE *stream, struct ft_diag *diag)
{
    const bool with_interval = ft_terminal_is_wide() || comparison->shown_count <= 2;
    char per[FT_REPORT_POINT_TEXT];
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "at", "at", false);
    for (size_t i = 0; i < comparison->shown_count; i++)
        ft_table_column(table, metric_name(&comparison->shown[i]), "value", true);
    for (size_t point = 0; point < comparison->point_count; point++) {
        add_point(table, comparison, point);
        for (size_t i = 0; i < comparison->shown_count; i++)
            add_metric(table, comparison, point, 0, &comparison->shown[i], with_interval || i == 0);
    }
    fputc('\n', stream);
    ft_print_wrapped(stream, 0, "Time and set-associative misses by size%s:\n\n",
                     per_text(comparison, per));
    return ft_report_finish(table, stream, diag);
}

/* The machine with the least of a metric; the count of machines where one is unknown. */
static size_t find_minimum(const struct ft_comparison *comparison, size_t point,
                           const struct ft_shown_metric *metric)
{
    size_t least = comparison->machine_count;
    double value = INFINITY;
    for (size_t m = 0; m < comparison->machine_count; m++) {
        const struct ft_prediction *prediction = ft_compared_prediction(comparison, point, m);
        const struct ft_compared_value of = ft_compared_value_of(prediction, 0, metric);
        if (isnan(of.value))
            return comparison->machine_count;
        if (of.value < value) {
            value = of.value;
            least = m;
        }
    }
    return least;
}

/* Several: a column for each. */
static int print_machines(const struct ft_comparison *comparison,
                          const struct ft_shown_metric *metric, FILE *stream, struct ft_diag *diag)
{
    const bool is_time = metric->kind == FT_SHOW_TIME, wide = ft_terminal_is_wide();
    char per[FT_REPORT_POINT_TEXT], name[NAME_TEXT];
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "at", "at", false);
    if (is_time)
        ft_table_column(table, "fastest", "fastest", false);
    for (size_t m = 0; m < comparison->machine_count; m++)
        ft_table_column(table, short_name(name, comparison, m), "value", true);
    for (size_t point = 0; point < comparison->point_count; point++) {
        add_point(table, comparison, point);
        const size_t minimum = find_minimum(comparison, point, metric);
        if (is_time)
            ft_table_text(table, minimum < comparison->machine_count
                                     ? short_name(name, comparison, minimum)
                                     : "");
        for (size_t m = 0; m < comparison->machine_count; m++)
            add_metric(table, comparison, point, m, metric, wide);
    }
    fputc('\n', stream);
    if (metric->kind == FT_SHOW_MISSES)
        ft_print_wrapped(stream, 0, "Set-associative misses of %s by size%s:\n\n", metric->level,
                         per_text(comparison, per));
    else
        ft_print_wrapped(stream, 0, "%s by size%s%s:\n\n",
                         is_time                            ? "Time"
                         : metric->kind == FT_SHOW_ACCESSES ? "Accesses"
                                                            : "Instructions",
                         per_text(comparison, per), wide ? "" : " (intervals: --wide)");
    return ft_report_finish(table, stream, diag);
}

static int print_sweep(const struct ft_comparison *comparison, FILE *stream, struct ft_diag *diag)
{
    if (comparison->machine_count == 1)
        return print_metrics(comparison, stream, diag);
    for (size_t i = 0; i < comparison->shown_count; i++)
        FT_TRY(print_machines(comparison, &comparison->shown[i], stream, diag));
    return FT_OK;
}

/* ---- of the last size: the ranking ---- */

/* Machines by rank. The caller frees them. */
static size_t *ranked(const struct ft_comparison *comparison, const struct ft_standing *standings)
{
    size_t *order = calloc(comparison->machine_count + 1, sizeof *order);
    for (size_t m = 0; order && m < comparison->machine_count; m++)
        order[standings[m].rank - 1] = m;
    return order;
}

static void add_penalty(struct ft_table *table, const struct ft_penalty_time *time, double work)
{
    const struct ft_compared_value value = {time->known ? time->seconds : NAN, time->low,
                                            time->high};
    add_value(table, &value, work, true, false);
}

static void add_rank(struct ft_table *table, const struct ft_comparison *comparison, size_t machine,
                     const struct ft_standing *standing, double first_seconds)
{
    static const struct ft_shown_metric metric = {FT_SHOW_TIME, NULL};
    const size_t last = comparison->point_count - 1;
    const struct ft_prediction *prediction = ft_compared_prediction(comparison, last, machine);
    const struct ft_compared_value time = ft_compared_value_of(prediction, 0, &metric);
    ft_table_count(table, (double)standing->rank);
    ft_table_text(table, prediction->machine->name);
    add_value(table, &time, comparison->work[last], true, true);
    if (prediction->penalties)
        add_penalty(table, &prediction->penalties[0], comparison->work[last]);
    if (isnan(time.value / first_seconds))
        ft_table_empty(table);
    else
        ft_table_format(table, "%.3g x", time.value / first_seconds);
    add_chance(table, standing->inversion);
}

static int print_ranking(const struct ft_comparison *comparison,
                         const struct ft_standing *standings, const size_t *order, FILE *stream,
                         struct ft_diag *diag)
{
    const size_t last = comparison->point_count - 1;
    const struct ft_prediction *first = ft_compared_prediction(comparison, last, order[0]);
    const double first_seconds = first->estimates ? first->estimates[0].seconds : NAN;
    char point[FT_REPORT_POINT_TEXT], per[FT_REPORT_POINT_TEXT];
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "rank", "rank", true);
    ft_table_column(table, "machine", "machine", false);
    ft_table_column(table, "time", "seconds", true);
    if (first->penalties)
        ft_table_column(table, "Marin 2004", "marin_2004_seconds", true);
    ft_table_column(table, "to first", "ratio", true);
    ft_table_column(table, "inverted", "inversion_chance", true);
    for (size_t i = 0; i < comparison->machine_count; i++)
        add_rank(table, comparison, order[i], &standings[order[i]], first_seconds);
    fputc('\n', stream);
    ft_print_wrapped(stream, 0,
                     "Machines by time at %s%s; inverted: the chance to be faster than the machine "
                     "in front:\n\n",
                     ft_report_point_text(point, first), per_text(comparison, per));
    return ft_report_finish(table, stream, diag);
}

/* ---- components ---- */

/* Of one machine's time; NULL where there is no estimate. */
struct components {
    const struct ft_prediction *prediction;
    double *seconds;
};

static double share_of(const struct components *of, const char *name)
{
    for (size_t i = 0; of->seconds && i < ft_time_component_count(of->prediction->machine); i++)
        if (strcmp(ft_time_component_name(of->prediction->machine, i), name) == 0)
            return of->seconds[i] / of->prediction->estimates[0].seconds;
    return 0;
}

/* Adds names of components that matter: those before memory and page faults, or memory and the
 * TLBs. */
static bool add_names(struct ft_compared_names *names, const struct components *of, bool of_tlbs)
{
    const struct ft_machine *machine = of->prediction->machine;
    const size_t memory = FT_COMPONENT_SOURCES + machine->cache_count - 1;
    const size_t page_faults = FT_COMPONENT_SOURCES + machine->level_count;
    bool fits = true;
    for (size_t i = 0; i < ft_time_component_count(machine); i++) {
        const char *name = ft_time_component_name(machine, i);
        if (of_tlbs == (i >= memory && i < page_faults) && share_of(of, name) >= MATTERS)
            fits = fits && ft_compared_names_add(names, name);
    }
    return fits;
}

static void add_components(struct ft_table *table, const struct components *of,
                           const struct ft_compared_names *names, double work)
{
    char text[FT_NUMBER_TEXT];
    ft_table_text(table, of->prediction->machine->name);
    ft_table_text(table, ft_text_small_seconds(text, of->prediction->estimates[0].seconds / work));
    for (size_t i = 0; i < names->count; i++)
        if (share_of(of, names->items[i]) < MATTERS)
            ft_table_empty(table);
        else
            ft_table_share(table, share_of(of, names->items[i]));
}

/* parts: [machine], by rank. */
static int write_components(const struct components *parts, size_t count, double work, FILE *stream,
                            struct ft_diag *diag)
{
    struct ft_compared_names names = {0};
    bool fits = true;
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++)
            fits = fits && add_names(&names, &parts[i], pass > 0);
    struct ft_table *table = fits ? ft_table_create() : NULL;
    if (table) {
        ft_table_column(table, "machine", "machine", false);
        ft_table_column(table, "time", "seconds", true);
    }
    for (size_t i = 0; table && i < names.count; i++)
        ft_table_column(table,
                        strcmp(names.items[i], "mispredictions") == 0 ? "mispred." : names.items[i],
                        "share", true);
    for (size_t i = 0; table && i < count; i++)
        if (parts[i].seconds)
            add_components(table, &parts[i], &names, work);
    free((void *)names.items);
    return table ? ft_report_finish(table, stream, diag) : ft_fail_memory(diag, "a table");
}

static bool find_components(const struct ft_prediction *prediction, struct components *ret_of)
{
    *ret_of = (struct components){.prediction = prediction};
    ret_of->seconds = ft_compared_components(prediction);
    return ret_of->seconds || !prediction->estimates;
}

static int print_components(const struct ft_comparison *comparison, const size_t *order,
                            FILE *stream, struct ft_diag *diag)
{
    const size_t last = comparison->point_count - 1, count = comparison->machine_count;
    struct components *parts = calloc(count + 1, sizeof *parts);
    bool fits = parts != NULL, any = false;
    for (size_t i = 0; fits && i < count; i++) {
        fits = find_components(ft_compared_prediction(comparison, last, order[i]), &parts[i]);
        any = any || parts[i].seconds;
    }
    int status = fits ? FT_OK : ft_fail_memory(diag, "where the time goes");
    if (status == FT_OK && any) {
        char point[FT_REPORT_POINT_TEXT];
        fputc('\n', stream);
        ft_print_wrapped(stream, 0,
                         "Where the time goes at %s, each what it takes beyond the columns before "
                         "it:\n\n",
                         ft_report_point_text(point, parts[0].prediction));
        status = write_components(parts, count, comparison->work[last], stream, diag);
    }
    for (size_t i = 0; parts && i < count; i++)
        free(parts[i].seconds);
    free(parts);
    return status;
}

/* ---- what edits gain ---- */

/* "+1 MiB": what its caches hold more than those of the machine without edits. */
static void add_bytes(struct ft_table *table, double bytes)
{
    char text[FT_NUMBER_TEXT];
    if (bytes == 0)
        ft_table_empty(table);
    else
        ft_table_format(table, "%c%s", bytes < 0 ? '-' : '+', ft_text_bytes(text, fabs(bytes)));
}

static void add_gain(struct ft_table *table, const struct ft_comparison *comparison, size_t machine,
                     const struct ft_standing *standing)
{
    static const struct ft_shown_metric metric = {FT_SHOW_TIME, NULL};
    const size_t last = comparison->point_count - 1, base = comparison->bases[machine];
    const struct ft_compared_value after =
        ft_compared_value_of(ft_compared_prediction(comparison, last, machine), 0, &metric);
    const struct ft_compared_value before =
        ft_compared_value_of(ft_compared_prediction(comparison, last, base), 0, &metric);
    ft_table_text(table, name_of(comparison, machine));
    ft_table_text(table, name_of(comparison, base));
    add_bytes(table, standing->added_bytes);
    if (isnan(standing->gain)) {
        for (size_t i = 0; i < 3; i++)
            ft_table_text(table, "unknown");
        return;
    }
    const bool matters = fabs(standing->gain) >= MATTERS;
    const double saved = matters ? before.value - after.value : 0;
    add_value(table, &(struct ft_compared_value){saved, NAN, NAN}, comparison->work[last], true,
              false);
    ft_table_percent(table, matters ? standing->gain : 0);
    add_chance(table, matters ? standing->no_gain : NAN);
}

static int print_gains(const struct ft_comparison *comparison, const struct ft_standing *standings,
                       FILE *stream, struct ft_diag *diag)
{
    size_t rows = 0;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "machine", "machine", false);
    ft_table_column(table, "instead of", "instead_of", false);
    ft_table_column(table, "caches", "added_cache_bytes", true);
    ft_table_column(table, "saves", "saved_seconds", true);
    ft_table_column(table, "share", "gain", true);
    ft_table_column(table, "inverted", "no_gain_chance", true);
    for (size_t m = 0; m < comparison->machine_count; m++)
        if (comparison->bases[m] != m) {
            rows++;
            add_gain(table, comparison, m, &standings[m]);
        }
    if (rows == 0) {
        ft_table_destroy(table);
        return FT_OK;
    }
    const size_t last = comparison->point_count - 1;
    char point[FT_REPORT_POINT_TEXT];
    fprintf(stream, "\nWhat edits gain at %s:\n\n",
            ft_report_point_text(point, ft_compared_prediction(comparison, last, 0)));
    return ft_report_finish(table, stream, diag);
}

/* ---- misses, at one size ---- */

/* Levels as rows, machines as columns. */
static int print_levels(const struct ft_comparison *comparison, FILE *stream, struct ft_diag *diag)
{
    struct ft_compared_names names = {0};
    char name[NAME_TEXT], per[FT_REPORT_POINT_TEXT];
    bool fits = true;
    for (size_t m = 0; m < comparison->machine_count; m++) {
        const struct ft_machine *machine = ft_compared_prediction(comparison, 0, m)->machine;
        for (size_t i = 0; i < machine->level_count; i++)
            fits = fits && ft_compared_names_add(&names, machine->levels[i].name);
    }
    struct ft_table *table = fits ? ft_table_create() : NULL;
    if (!table) {
        free((void *)names.items);
        return ft_fail_memory(diag, "a table");
    }
    ft_table_column(table, "level", "level", false);
    for (size_t m = 0; m < comparison->machine_count; m++)
        ft_table_column(table, short_name(name, comparison, m), "misses", true);
    for (size_t i = 0; i < names.count; i++) {
        const struct ft_shown_metric metric = {FT_SHOW_MISSES, names.items[i]};
        ft_table_text(table, names.items[i]);
        for (size_t m = 0; m < comparison->machine_count; m++)
            add_metric(table, comparison, 0, m, &metric,
                       ft_terminal_is_wide() || comparison->machine_count <= 2);
    }
    free((void *)names.items);
    fputc('\n', stream);
    ft_print_wrapped(stream, 0, "Set-associative misses%s:\n\n", per_text(comparison, per));
    return ft_report_finish(table, stream, diag);
}

/* ---- all of it ---- */

static void print_head(const struct ft_comparison *comparison, FILE *stream)
{
    const struct ft_prediction *first = ft_compared_prediction(comparison, 0, 0);
    const struct ft_prediction *last =
        ft_compared_prediction(comparison, comparison->point_count - 1, 0);
    char from[FT_REPORT_POINT_TEXT], to[FT_REPORT_POINT_TEXT], sizes[FT_NUMBER_TEXT],
        machines[FT_NUMBER_TEXT];
    snprintf(sizes, sizeof sizes, " (%zu sizes)", comparison->point_count);
    snprintf(machines, sizeof machines, "%zu machines", comparison->machine_count);
    ft_print_wrapped(stream, 2, "%s, %s%s%s%s, on %s.\n", ft_file_name(first->model->program),
                     ft_report_point_text(from, first), comparison->point_count > 1 ? " to " : "",
                     comparison->point_count > 1 ? ft_report_point_text(to, last) : "",
                     comparison->point_count > 1 ? sizes : "",
                     comparison->machine_count > 1 ? machines : first->machine->name);
}

/* Forecasts alone may look surer than they are. */
static void print_warnings(const struct ft_comparison *comparison, FILE *stream)
{
    const size_t count = comparison->point_count * comparison->machine_count;
    size_t with_notes = 0;
    if (comparison->without_note)
        return;
    for (size_t i = 0; i < count; i++)
        with_notes += ft_report_notes_count(&comparison->reports[i]) > 0;
    if (with_notes == count && count > 1)
        ft_print_wrapped(stream, 2,
                         "\nnote: all forecasts have warnings or notes: --each prints them\n");
    else if (with_notes > 0)
        ft_print_wrapped(stream, 2,
                         "\nnote: %zu of %zu forecast%s warnings or notes: --each prints them\n",
                         with_notes, count, with_notes == 1 ? " has" : "s have");
}

int ft_comparison_text(const struct ft_comparison *comparison, FILE *stream, struct ft_diag *diag)
{
    const size_t last = comparison->point_count - 1;
    struct ft_standing *standings = calloc(comparison->machine_count + 1, sizeof *standings);
    if (!standings)
        return ft_fail_memory(diag, "a ranking");
    print_head(comparison, stream);
    int status = ft_report_learned_print(&comparison->reports[last * comparison->machine_count],
                                         stream, diag);
    if (status == FT_OK)
        status = ft_standings_find(comparison, last, standings, diag);
    size_t *order = status == FT_OK ? ranked(comparison, standings) : NULL;
    if (status == FT_OK && !order)
        status = ft_fail_memory(diag, "a ranking");
    if (status == FT_OK && (comparison->point_count > 1 || comparison->machine_count == 1))
        status = print_sweep(comparison, stream, diag);
    if (status == FT_OK && comparison->machine_count > 1)
        status = print_ranking(comparison, standings, order, stream, diag);
    if (status == FT_OK)
        status = print_components(comparison, order, stream, diag);
    if (status == FT_OK)
        status = print_gains(comparison, standings, stream, diag);
    if (status == FT_OK && comparison->point_count == 1 && comparison->machine_count > 1)
        status = print_levels(comparison, stream, diag);
    if (status == FT_OK)
        print_warnings(comparison, stream);
    free(order);
    free(standings);
    return status;
}
