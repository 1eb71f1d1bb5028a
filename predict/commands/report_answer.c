/*
 * The head of a report, in sentences: the bounds of the time; the scope in which most of the
 * latency is, and what it waits for; the training sizes, how far beyond them the forecast is, and
 * how well the largest is forecast without it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/file_name.h"
#include "formats/cli/terminal.h"
#include "predict/commands/report_parts.h"
#include "predict/held_out.h"
#include "predict/metrics/cycles.h"
#include "predict/time_bounds.h"

#define EXACT      1e-9 /* relative: rounding alone */
#define SOME_SHARE 0.01 /* of the latency: less is not worth a sentence */

char *ft_report_scope_text(char text[FT_REPORT_SCOPE_TEXT], const struct ft_scopes *scopes,
                           uint32_t index)
{
    const struct ft_scope *scope = &scopes->scopes[index];
    const struct ft_scope *routine = &scopes->scopes[ft_scope_routine(scopes, index)];
    int length = snprintf(text, FT_REPORT_SCOPE_TEXT, "%.100s", routine->name);
    if (scope->file[0] && scope->first_line)
        snprintf(text + length, FT_REPORT_SCOPE_TEXT - (size_t)length, " (%s%.100s:%u)",
                 scope == routine ? "" : "loop at ", ft_file_name(scope->file), scope->first_line);
    else if (scope != routine)
        snprintf(text + length, FT_REPORT_SCOPE_TEXT - (size_t)length, ", %.100s", scope->name);
    return text;
}

char *ft_report_model_point_text(char text[FT_REPORT_POINT_TEXT], const struct ft_model *model,
                                 double value)
{
    int length = snprintf(text, FT_REPORT_POINT_TEXT, "%.100s = %.15g", model->parameter, value);
    for (size_t i = 0; i < model->fixed_count && length < FT_REPORT_POINT_TEXT; i++)
        length += snprintf(text + length, FT_REPORT_POINT_TEXT - (size_t)length, ", %.100s = %.15g",
                           model->fixed[i].name, model->fixed[i].value);
    return text;
}

char *ft_report_point_text(char text[FT_REPORT_POINT_TEXT], const struct ft_prediction *prediction)
{
    return ft_report_model_point_text(text, prediction->model, prediction->n);
}

/* "at least 1.20 ms, at most 95.1 ms" */
static void print_bounds(const struct ft_time_bounds *bounds, FILE *stream)
{
    char least[FT_NUMBER_TEXT], most[FT_NUMBER_TEXT];
    if (isnan(bounds->least_seconds))
        fputs("its time is unknown", stream);
    else if (isnan(bounds->most_seconds))
        fprintf(stream, "at least %s; how much more memory takes is unknown",
                ft_text_seconds(least, bounds->least_seconds));
    else
        fprintf(stream, "at least %s, at most %s", ft_text_seconds(least, bounds->least_seconds),
                ft_text_seconds(most, bounds->most_seconds));
}

/* "58.0 ms (36.2 ms to 92.7 ms)", and " with 2 threads side by side, 101 ms of CPU time" */
static void print_estimate(const struct ft_prediction *prediction, FILE *stream)
{
    const struct ft_time_estimate *estimate = &prediction->estimates[0];
    char range[FT_RANGE_TEXT], cpu[FT_NUMBER_TEXT];
    fputs(ft_text_range(range, estimate->seconds, estimate->low, estimate->high, ft_text_seconds),
          stream);
    if (prediction->threads.count > 1)
        fprintf(stream, " with %.15g threads side by side, %s of CPU time",
                prediction->threads.count, ft_text_seconds(cpu, estimate->cpu_seconds));
}

/* What most of a scope's latency is of: a level's misses, or NULL and the rest. */
static const char *dominant(const struct ft_prediction *prediction, const double *row)
{
    const struct ft_machine *machine = prediction->machine;
    const char *name = NULL;
    double most = row[FT_METRIC_SERIAL_CYCLES];
    for (size_t i = 0; i < machine->level_count; i++)
        most -= row[ft_set_assoc_column(i)] *
                ft_machine_miss_cycles(machine, i, prediction->dirty_memory);
    for (size_t i = 0; i < machine->level_count; i++) {
        const double cycles = row[ft_set_assoc_column(i)] *
                              ft_machine_miss_cycles(machine, i, prediction->dirty_memory);
        if (cycles > most) {
            most = cycles;
            name = machine->levels[i].name;
        }
    }
    return name;
}

static void print_hottest(const struct ft_prediction *prediction, FILE *stream)
{
    const struct ft_scopes *scopes = &prediction->model->scopes;
    uint32_t hottest = 0;
    double total = 0; /* of what scopes do themselves: rows may follow laws of their own */
    char text[FT_REPORT_SCOPE_TEXT], share[FT_NUMBER_TEXT];
    for (uint32_t i = 0; i < scopes->scope_count; i++) {
        total += prediction->exclusive[i * prediction->width + FT_METRIC_SERIAL_CYCLES];
        if (prediction->exclusive[i * prediction->width + FT_METRIC_SERIAL_CYCLES] >
            prediction->exclusive[hottest * prediction->width + FT_METRIC_SERIAL_CYCLES])
            hottest = i;
    }
    const double *row = prediction->exclusive + hottest * prediction->width;
    const enum ft_scope_kind kind = scopes->scopes[hottest].kind;
    if (row[FT_METRIC_SERIAL_CYCLES] < SOME_SHARE * total || total <= 0 ||
        (kind != FT_SCOPE_ROUTINE && kind != FT_SCOPE_LOOP))
        return;
    const char *level = dominant(prediction, row);
    ft_print_wrapped(stream, 2, "  %s of all latency is in %s, most of that %s%s.\n",
                     ft_text_share(share, row[FT_METRIC_SERIAL_CYCLES] / total),
                     ft_report_scope_text(text, scopes, hottest),
                     level ? "misses of " : "instructions and hits", level ? level : "");
}

/* "; 'foretrace explain' of matmul.c:20 says why", where it can be named so. */
#define EXPLAIN_TEXT 192
static const char *explain_text(char text[EXPLAIN_TEXT], const struct ft_scopes *scopes,
                                uint32_t index)
{
    const struct ft_scope *scope = &scopes->scopes[index];
    const char *why = "; 'foretrace explain' of";
    text[0] = 0;
    if (scope->kind == FT_SCOPE_LOOP && scope->file[0] && scope->first_line)
        snprintf(text, EXPLAIN_TEXT, "%s %.100s:%u says why", why, ft_file_name(scope->file),
                 scope->first_line);
    else if (scope->kind == FT_SCOPE_ROUTINE && strlen(scope->name) < EXPLAIN_TEXT / 2)
        snprintf(text, EXPLAIN_TEXT, "%s '%s' says why", why, scope->name);
    return text;
}

uint32_t ft_report_slowest(const struct ft_prediction *prediction)
{
    uint32_t slowest = 0;
    for (uint32_t i = 0; i < prediction->model->scopes.scope_count; i++)
        if (prediction->times[i].cycles > prediction->times[slowest].cycles)
            slowest = i;
    return slowest;
}

/* The scope that takes longest itself, and what limits it. */
static void print_slowest(const struct ft_prediction *prediction, FILE *stream)
{
    const struct ft_scopes *scopes = &prediction->model->scopes;
    const uint32_t slowest = ft_report_slowest(prediction);
    double total = 0;
    char text[FT_REPORT_SCOPE_TEXT], share[FT_NUMBER_TEXT], explain[EXPLAIN_TEXT];
    for (uint32_t i = 0; i < scopes->scope_count; i++)
        total += prediction->times[i].cycles;
    const struct ft_scope_time *time = &prediction->times[slowest];
    const enum ft_scope_kind kind = scopes->scopes[slowest].kind;
    if (time->cycles < SOME_SHARE * total || total <= 0 ||
        (kind != FT_SCOPE_ROUTINE && kind != FT_SCOPE_LOOP))
        return;
    ft_print_wrapped(stream, 2, "  %s of it in %s, limited by %s%s.\n",
                     ft_text_share(share, time->cycles / total),
                     ft_report_scope_text(text, scopes, slowest), time->limit,
                     explain_text(explain, scopes, slowest));
}

/* "3.3x extrapolation": also in a parameter that has been fixed. */
static void write_reach(char text[FT_NUMBER_TEXT], const struct ft_prediction *prediction)
{
    if (prediction->extrapolation == 1)
        strcpy(text, "no extrapolation");
    else
        snprintf(text, FT_NUMBER_TEXT, "%.3gx extrapolation", prediction->extrapolation);
}

/* ", and R = 1 to 3" of the other parameters of a model over several. */
static void print_fixed(const struct ft_model *model, FILE *stream)
{
    for (size_t i = 0; i < model->fixed_count; i++) {
        const struct ft_model_fixed *fixed = &model->fixed[i];
        fprintf(stream, ", and %s = %.15g to %.15g", fixed->name, fixed->least, fixed->largest);
    }
}

/* Ascending sizes, each once. */
static void print_each(const double *sizes, size_t count, FILE *stream)
{
    for (size_t i = 0; i < count; i++)
        if (i == 0 || sizes[i] != sizes[i - 1])
            fprintf(stream, " %.15g", sizes[i]);
}

static void print_sizes(const struct ft_model *model, FILE *stream)
{
    fprintf(stream, "Learned from %s =", model->parameter);
    print_each(model->training, model->training_count, stream);
    print_fixed(model, stream);
    if (model->counted.count > 0) {
        fprintf(stream, ", executions also from %s =", model->parameter);
        print_each(model->counted.values, model->counted.count, stream);
    }
}

int ft_report_learned_print(const struct ft_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_prediction *prediction = report->prediction;
    const struct ft_model *model = prediction->model;
    char reach[FT_NUMBER_TEXT], text[FT_NUMBER_TEXT], *sizes = NULL;
    double error;
    size_t bytes;
    FT_TRY(ft_held_out_error(prediction, &error, diag));
    FILE *line = open_memstream(&sizes, &bytes);
    if (!line)
        return ft_fail_memory(diag, "a report");
    print_sizes(model, line);
    write_reach(reach, prediction);
    fprintf(line, " (%s)", reach);
    if (!isnan(error))
        fprintf(line, "; held out %s = %.15g: misses %s%s", model->parameter,
                model->training[model->training_count - 1], error < EXACT ? "exact" : "within ",
                error < EXACT ? "" : ft_text_percent(text, error));
    fputs(".\n", line);
    fclose(line);
    ft_print_wrapped(stream, 0, "%s", sizes);
    free(sizes);
    return FT_OK;
}

static void print_convolved(const struct ft_prediction *prediction, FILE *stream)
{
    const struct ft_convolved_time *time = &prediction->convolved[0];
    char range[FT_RANGE_TEXT], memory[FT_NUMBER_TEXT], flops[FT_NUMBER_TEXT];
    ft_print_wrapped(
        stream, 2,
        "  By the convolver %s%s: %s for references, %s for floating-point operations.\n",
        ft_text_range(range, time->seconds, time->low, time->high, ft_text_seconds),
        prediction->threads.count > 1 ? " of CPU time" : "",
        ft_text_seconds(memory, time->memory_seconds), ft_text_seconds(flops, time->flops_seconds));
}

/* "120 ms of the schedule, 33 ms of L1D, 12 ms of L2" */
static void print_parts(const struct ft_prediction *prediction, FILE *stream)
{
    char text[FT_NUMBER_TEXT];
    fprintf(stream, "%s of the schedule",
            ft_text_seconds(text, prediction->penalties[0].schedule_seconds));
    for (size_t i = 0; i < prediction->machine->level_count; i++)
        fprintf(stream, ", %s of %.40s",
                ft_text_seconds(text,
                                ft_penalty_level_seconds(prediction->machine, prediction->inclusive,
                                                         i, prediction->dirty_memory)),
                prediction->machine->levels[i].name);
}

static int print_penalty(const struct ft_prediction *prediction, FILE *stream, struct ft_diag *diag)
{
    const struct ft_penalty_time *time = &prediction->penalties[0];
    char range[FT_RANGE_TEXT], *parts = NULL;
    size_t bytes;
    if (!time->known) {
        ft_print_wrapped(stream, 2, "  By Marin & Mellor-Crummey 2004 unknown: the misses are.\n");
        return FT_OK;
    }
    FILE *line = open_memstream(&parts, &bytes);
    if (!line)
        return ft_fail_memory(diag, "a report");
    print_parts(prediction, line);
    fclose(line);
    if (isnan(time->low))
        ft_text_seconds(range, time->seconds);
    else
        ft_text_range(range, time->seconds, time->low, time->high, ft_text_seconds);
    ft_print_wrapped(stream, 2, "  By Marin & Mellor-Crummey 2004 %s: %s.\n", range, parts);
    free(parts);
    return FT_OK;
}

int ft_report_answer_print(const struct ft_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_prediction *prediction = report->prediction;
    const struct ft_machine *machine = prediction->machine;
    const struct ft_time_bounds bounds = ft_time_bounds_of(prediction, 0);
    char point[FT_REPORT_POINT_TEXT], asked[FT_QUERY_POINT_TEXT], *answer = NULL;
    size_t bytes;
    FILE *line = open_memstream(&answer, &bytes);
    if (!line)
        return ft_fail_memory(diag, "a report");
    if (prediction->estimates)
        print_estimate(prediction, line);
    else
        print_bounds(&bounds, line);
    if (!prediction->estimates && prediction->threads.count > 1)
        fprintf(line, " with %.15g threads side by side", prediction->threads.count);
    fclose(line);
    ft_print_wrapped(
        stream, 2, "%s, %s, on %s (%s): %s.\n", ft_file_name(prediction->model->program),
        ft_report_point_text(point, prediction), machine->name, machine->description, answer);
    free(answer);
    if (prediction->estimates)
        print_slowest(prediction, stream);
    else if (!isnan(bounds.most_seconds))
        print_hottest(prediction, stream);
    if (prediction->convolved)
        print_convolved(prediction, stream);
    if (prediction->penalties)
        FT_TRY(print_penalty(prediction, stream, diag));
    if (*ft_query_point_text(asked, prediction->model, &prediction->size))
        ft_print_wrapped(stream, 2, "%s.\n", asked);
    return ft_report_learned_print(report, stream, diag);
}
