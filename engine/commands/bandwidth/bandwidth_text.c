/*
 * As text: the functions and their errors beside the published ones, the parameters of the best,
 * errors by curve, and coverage.
 */
#include "engine/commands/bandwidth/bandwidth_report.h"

#include <string.h>

#include "formats/cli/table.h"
#include "formats/cli/terminal.h"

#define UNCOVERED_MAX 5 /* bins that are named, of a program */

uint64_t ft_bandwidth_next_stride(const struct ft_bandwidth_points *points, uint64_t stride_bytes)
{
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < points->count; i++)
        if (points->items[i].stride_bytes > stride_bytes && points->items[i].stride_bytes < next)
            next = points->items[i].stride_bytes;
    return next;
}

static int finish(struct ft_table *table, FILE *stream, struct ft_diag *diag)
{
    const int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

static void print_head(const struct ft_bandwidth_report *report, FILE *stream)
{
    const struct ft_bandwidth_points *points = &report->model.points;
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < points->count; i++) {
        least = points->items[i].runs < least ? points->items[i].runs : least;
        most = points->items[i].runs > most ? points->items[i].runs : most;
    }
    char runs[64];
    if (least == most)
        snprintf(runs, sizeof runs, "%u run%s", most, most == 1 ? "" : "s");
    else
        snprintf(runs, sizeof runs, "%u to %u runs", least, most);
    ft_print_wrapped(stream, 0,
                     "Bandwidth of %s as a function of its hit rates, trained on %zu points, each "
                     "the mean of %s:\n\n",
                     report->model.machine, points->count, runs);
}

/* ---- functions ---- */

static const char *equation_of(const struct ft_bandwidth_function *function)
{
    return function->penalty == FT_PENALTY_NONE ? "Eq. 5 alone"
                                                : ft_penalty_names[function->penalty];
}

static int print_functions(const struct ft_bandwidth_report *report, FILE *stream,
                           struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "trained by", "method", false);
    ft_table_column(table, "penalty", "penalty", false);
    ft_table_column(table, "mean error", "error_mean", true);
    ft_table_column(table, "deviation", "error_deviation", true);
    for (size_t i = 0; i < report->model.function_count; i++) {
        const struct ft_trained_function *trained = &report->model.functions[i];
        ft_table_text(table, ft_training_method_names[trained->method]);
        ft_table_text(table, equation_of(&trained->function));
        ft_table_percent(table, trained->error.mean);
        ft_table_percent(table, trained->error.deviation);
    }
    FT_TRY(finish(table, stream, diag));
    char least[FT_NUMBER_TEXT];
    fputc('\n', stream);
    ft_print_wrapped(
        stream, 0,
        "No function of these hit rates is less than %s off: points of equal hit rates "
        "differ by that much. Published (Tikir et al., SC 2007): 3.6 to 8.2 %% on five "
        "machines, Eq. 5 alone 54 %% on one.\n",
        ft_text_percent(least, report->error_min));
    return FT_OK;
}

/* ---- the best function ---- */

static const char *level_name(const struct ft_machine *machine, uint32_t level)
{
    return level < machine->cache_count ? machine->levels[level].name : "memory";
}

static int print_parameters(const struct ft_bandwidth_report *report, FILE *stream,
                            struct ft_diag *diag)
{
    const struct ft_bandwidth_function *best = &report->model.functions[0].function;
    const double factor_max = ft_penalty_factor_max(best->penalty);
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "level", "level", false);
    ft_table_column(table, "c", "cycles", true);
    ft_table_column(table, "b, GB/s", "gb_per_s", true);
    ft_table_column(table, "f", "factor", true);
    ft_table_column(table, "x", "offset", true);
    for (uint32_t i = 0; i < best->level_count; i++) {
        ft_table_text(table, level_name(report->machine, i));
        ft_table_format(table, "%.3g", best->cycles[i]);
        ft_table_format(table, "%.3g", best->gb_per_s[i]);
        if (best->penalty != FT_PENALTY_NONE && i < ft_bandwidth_penalty_count(best->level_count)) {
            ft_table_format(table, "%.3f", best->factors[i]);
            ft_table_format(table, "%.3g", best->offsets[i]);
        } else {
            ft_table_empty(table);
            ft_table_empty(table);
        }
    }
    fputc('\n', stream);
    ft_print_wrapped(
        stream, 0,
        "The first of them. c: latencies, as multiples of the first cache's; b: "
        "bandwidths at equilibrium; f: from %.4g to %.4g, within which no hit rates give "
        "a bandwidth below 0:\n\n",
        -factor_max, factor_max);
    return finish(table, stream, diag);
}

static const struct ft_trained_function *
first_without_penalty(const struct ft_bandwidth_model *model)
{
    for (size_t i = 0; i < model->function_count; i++)
        if (model->functions[i].function.penalty == FT_PENALTY_NONE)
            return &model->functions[i];
    return NULL;
}

static int print_curves(const struct ft_bandwidth_report *report, FILE *stream,
                        struct ft_diag *diag)
{
    const struct ft_bandwidth_points *points = &report->model.points;
    const struct ft_trained_function *plain = first_without_penalty(&report->model);
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "stride", "stride_bytes", true);
    ft_table_column(table, "points", "points", true);
    ft_table_column(table, "mean error", "error_mean", true);
    ft_table_column(table, "deviation", "error_deviation", true);
    ft_table_column(table, "Eq. 5 alone", "eq5_error_mean", true);
    for (uint64_t stride = 0; stride != UINT64_MAX;
         stride = ft_bandwidth_next_stride(points, stride)) {
        const struct ft_bandwidth_error error =
            ft_bandwidth_error_of(&report->model.functions[0].function, points, stride);
        if (error.points == 0)
            continue;
        if (stride == 0)
            ft_table_text(table, "Apex-MAP");
        else
            ft_table_bytes(table, (double)stride);
        ft_table_count(table, (double)error.points);
        ft_table_percent(table, error.mean);
        ft_table_percent(table, error.deviation);
        if (plain)
            ft_table_percent(table, ft_bandwidth_error_of(&plain->function, points, stride).mean);
        else
            ft_table_empty(table);
    }
    fputs("\nIts error by curve:\n\n", stream);
    return finish(table, stream, diag);
}

/* ---- coverage ---- */

static bool is_in_programs(const struct ft_bandwidth_report *report, size_t first, size_t second)
{
    for (size_t i = 0; i < report->program_count; i++)
        if (report->programs[i].coverage.counts[first][second] > 0)
            return true;
    return false;
}

static int print_grid(const struct ft_bandwidth_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_machine *machine = report->machine;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, level_name(machine, 0), "first", true);
    for (size_t i = 0; i < FT_HIT_RATE_BINS; i++)
        ft_table_column(table, ft_hit_rate_bin_names[i], ft_hit_rate_bin_names[i], true);
    for (size_t first = 0; first < FT_HIT_RATE_BINS; first++) {
        ft_table_text(table, ft_hit_rate_bin_names[first]);
        for (size_t second = 0; second < FT_HIT_RATE_BINS; second++) {
            const bool of_points = report->coverage.counts[first][second] > 0,
                       of_programs = is_in_programs(report, first, second);
            ft_table_text(table, second > first             ? ""
                                 : of_points && of_programs ? "both"
                                 : of_points                ? "points"
                                 : of_programs              ? "program"
                                                            : ".");
        }
    }
    fputc('\n', stream);
    ft_print_wrapped(
        stream, 0,
        "Hit rates in per cent, cumulative, of %s downwards and %s across: where there "
        "are points%s:\n\n",
        level_name(machine, 0),
        machine->cache_count > 1 ? level_name(machine, 1) : level_name(machine, 0),
        report->program_count ? ", basic blocks of the programs, or both" : "");
    return finish(table, stream, diag);
}

/* The heaviest bin without points that is not named yet; false: there is none. */
static bool next_uncovered(const struct ft_bandwidth_report *report,
                           const struct ft_hit_rate_coverage *coverage, const bool *named,
                           size_t *ret_place)
{
    double most = 0;
    for (size_t i = 0; i < (size_t)FT_HIT_RATE_BINS * FT_HIT_RATE_BINS; i++) {
        const size_t first = i / FT_HIT_RATE_BINS, second = i % FT_HIT_RATE_BINS;
        if (!named[i] && report->coverage.counts[first][second] == 0 &&
            coverage->weights[first][second] > most) {
            most = coverage->weights[first][second];
            *ret_place = i;
        }
    }
    return most > 0;
}

static void print_program(const struct ft_bandwidth_report *report,
                          const struct ft_covered_program *program, FILE *stream)
{
    size_t bins = 0, covered = 0;
    double weight = 0, covered_weight = 0;
    for (size_t first = 0; first < FT_HIT_RATE_BINS; first++)
        for (size_t second = 0; second < FT_HIT_RATE_BINS; second++) {
            const bool is_covered = report->coverage.counts[first][second] > 0;
            const bool is_there = program->coverage.counts[first][second] > 0;
            bins += is_there;
            covered += is_there && is_covered;
            weight += program->coverage.weights[first][second];
            covered_weight += is_covered ? program->coverage.weights[first][second] : 0;
        }
    fputc('\n', stream);
    ft_print_wrapped(stream, 0,
                     "%s (%s): points cover %zu of its %zu bins, and %.1f %% of its accesses",
                     program->name, program->path, covered, bins,
                     weight > 0 ? 100 * covered_weight / weight : 100);
    bool named[FT_HIT_RATE_BINS * FT_HIT_RATE_BINS] = {false};
    size_t place = 0;
    fputs(covered < bins ? "; not:\n" : "\n", stream);
    for (unsigned i = 0;
         i < UNCOVERED_MAX && next_uncovered(report, &program->coverage, named, &place); i++) {
        const size_t first = place / FT_HIT_RATE_BINS, second = place % FT_HIT_RATE_BINS;
        named[place] = true;
        fprintf(stream, "  %s %s %%, %s %s %%: %.2g %% of accesses\n",
                level_name(report->machine, 0), ft_hit_rate_bin_names[first],
                level_name(report->machine, report->machine->cache_count > 1),
                ft_hit_rate_bin_names[second],
                100 * program->coverage.weights[first][second] / weight);
    }
}

int ft_bandwidth_text(const struct ft_bandwidth_report *report, FILE *stream, struct ft_diag *diag)
{
    print_head(report, stream);
    FT_TRY(print_functions(report, stream, diag));
    FT_TRY(print_parameters(report, stream, diag));
    FT_TRY(print_curves(report, stream, diag));
    FT_TRY(print_grid(report, stream, diag));
    for (size_t i = 0; i < report->program_count; i++)
        print_program(report, &report->programs[i], stream);
    if (report->path)
        fprintf(stream, "\nwritten to %s\n", report->path);
    return FT_OK;
}
