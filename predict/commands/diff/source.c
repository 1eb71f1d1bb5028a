/*
 * In order: opening, and what of the options does not go with the kind of file; loading, of each
 * kind; what a side is made of; how it is called.
 */
#include "predict/commands/diff/source.h"

#include <string.h>

#include "formats/base/parse.h"
#include "formats/cli/progress_line.h"
#include "formats/commands/report_head.h"
#include "formats/commands/trace_operand.h"
#include "formats/model/model_restriction.h"
#include "machines/commands/report_options.h"
#include "predict/commands/comparison.h"

static const char *kind_name(enum ft_file_kind kind)
{
    return kind == FT_FILE_MODEL        ? "a model"
           : kind == FT_FILE_HISTOGRAMS ? "a histograms file"
                                        : "a trace";
}

/* ---- opening ---- */

int ft_diff_source_read_machine(struct ft_diff_source *source, struct ft_diag *diag)
{
    if (source->machine_text) {
        FT_TRY(ft_machine_load(source->machine_text, &source->machine, diag));
        source->has_machine = true;
    }
    return FT_OK;
}

/* Files of other kinds, and damaged ones, are left to the reader of traces, which says what they
 * are. */
int ft_diff_source_open(struct ft_diff_source *source, struct ft_diag *diag)
{
    source->kind = ft_file_kind_of(source->path);
    if (source->kind != FT_FILE_MODEL && source->kind != FT_FILE_HISTOGRAMS) {
        FT_TRY(ft_trace_open_named(source->path, false, &source->trace, diag));
        source->kind = FT_FILE_TRACE;
    }
    return FT_OK;
}

int ft_diff_source_check(const struct ft_diff_source *source, struct ft_diag *diag)
{
    if (source->kind == FT_FILE_MODEL && !source->at)
        return ft_fail(diag, FT_ERROR_USAGE, "%s: is a model: --at NAME=VALUE is needed",
                       source->path);
    if (source->kind == FT_FILE_MODEL && !source->has_machine)
        return ft_fail(diag, FT_ERROR_USAGE, "%s: is a model: " FT_MACHINE_NEEDED, source->path);
    if (source->kind == FT_FILE_TRACE && source->at)
        return ft_fail(diag, FT_ERROR_USAGE, "--at %s: %s is a trace, which is of one size",
                       source->at, source->path);
    if (source->kind != FT_FILE_MODEL && source->model_name)
        return ft_fail(diag, FT_ERROR_USAGE, "--model %s: %s is %s", source->model_name,
                       source->path, kind_name(source->kind));
    return FT_OK;
}

int ft_diff_sources_check(const struct ft_diff_source sources[2], struct ft_diag *diag)
{
    if (sources[0].kind != sources[1].kind)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s is %s, %s is %s: give two of one kind ('foretrace replay' makes "
                       "histograms of traces, 'foretrace fit' a model of histograms)",
                       sources[0].path, kind_name(sources[0].kind), sources[1].path,
                       kind_name(sources[1].kind));
    FT_TRY(ft_diff_source_check(&sources[0], diag));
    return ft_diff_source_check(&sources[1], diag);
}

/* ---- models ---- */

static int load_model(struct ft_diff_source *source, struct ft_diag *diag)
{
    struct ft_query_values asked = {0};
    struct ft_progress_line progress;
    struct ft_diag inner = {0};
    FT_TRY(ft_model_read(source->path, source->model_name, &source->model, diag));
    int status = ft_query_point_read(&source->model, source->at, &asked, &inner);
    if (status == FT_OK)
        status = ft_model_restrict_to(&source->model, &asked, &source->point, &inner);
    if (status != FT_OK)
        return ft_fail(diag, status, "--at %s", inner.message);
    const struct ft_predict_options options = {.misses = FT_MISSES_BEST,
                                               .progress = &progress.base};
    ft_progress_line_init(&progress, "synthesise");
    status = ft_predict(&source->model, &source->machine, &source->point, &options,
                        &source->prediction, diag);
    ft_progress_line_fini(&progress);
    source->has_prediction = status == FT_OK;
    return status;
}

/* ---- histograms ---- */

/* Whether an entry has all parameters of a text, "N=100,M=5"; false of an invalid text, too. */
static bool has_point(const struct ft_histograms *entry, const char *text, bool *ret_is_valid)
{
    bool has = true;
    *ret_is_valid = true;
    while (*text) {
        const char *name = text;
        size_t length, i = 0;
        double value;
        *ret_is_valid = ft_read_assignment(&text, &length, &value);
        if (!*ret_is_valid)
            return false;
        while (i < entry->metadata.parameter_count &&
               (strlen(entry->metadata.parameters[i].name) != length ||
                strncmp(entry->metadata.parameters[i].name, name, length) != 0))
            i++;
        has = has && i < entry->metadata.parameter_count &&
              entry->metadata.parameters[i].value == value;
    }
    return has;
}

/* "N = 100; N = 200" */
static void list_points(const struct ft_diff_source *source, char *text, size_t room)
{
    size_t length = 0;
    text[0] = 0;
    for (size_t i = 0; i < source->file.count && length < room; i++) {
        char point[FT_DIFF_POINT_TEXT];
        const struct ft_diff_source one = {.kind = FT_FILE_HISTOGRAMS,
                                           .entry = &source->file.entries[i]};
        length += (size_t)snprintf(text + length, room - length, "%s%s", i ? "; " : "",
                                   ft_diff_source_point(point, &one));
    }
}

static int load_histograms(struct ft_diff_source *source, struct ft_diag *diag)
{
    char points[512];
    size_t found = 0;
    bool is_valid = true;
    FT_TRY(ft_histogram_file_read(source->path, &source->file, diag));
    for (size_t i = 0; i < source->file.count && is_valid; i++)
        if (!source->at || has_point(&source->file.entries[i], source->at, &is_valid)) {
            source->entry = &source->file.entries[i];
            found++;
        }
    list_points(source, points, sizeof points);
    if (!is_valid)
        return ft_fail(diag, FT_ERROR_USAGE, "--at %s: must be NAME=VALUE, or several with commas",
                       source->at);
    if (found == 0)
        return ft_fail(diag, FT_ERROR_USAGE, "--at %s: %s has no such size; it has %s", source->at,
                       source->path, points);
    if (found > 1)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s: has %zu traces%s%s: choose one with --at NAME=VALUE; it has %s",
                       source->path, found, source->at ? " with " : "",
                       source->at ? source->at : "", points);
    return FT_OK;
}

/* ---- traces ---- */

static int load_trace(struct ft_diff_source *source, struct ft_diag *diag)
{
    static const struct ft_machine no_levels = {0};
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, source->has_machine ? "simulate" : "count");
    int status =
        ft_simulate_trace(source->trace, source->has_machine ? &source->machine : &no_levels,
                          &progress.base, &source->simulated, diag);
    ft_progress_line_fini(&progress);
    ft_trace_close(source->trace);
    source->trace = NULL;
    return status;
}

/* ---- all of them ---- */

int ft_diff_source_load(struct ft_diff_source *source, struct ft_diag *diag)
{
    return source->kind == FT_FILE_MODEL        ? load_model(source, diag)
           : source->kind == FT_FILE_HISTOGRAMS ? load_histograms(source, diag)
                                                : load_trace(source, diag);
}

int ft_diff_source_side(const struct ft_diff_source *source, const struct ft_diff_metrics *metrics,
                        struct ft_diff_side *ret_side, struct ft_diag *diag)
{
    struct ft_diag inner = {0};
    const struct ft_machine *machine = ft_diff_machine(source);
    if (source->kind == FT_FILE_MODEL)
        return ft_diff_side_of_prediction(&source->prediction, metrics, ret_side, diag);
    if (source->kind == FT_FILE_TRACE)
        return ft_diff_side_of_trace(&source->simulated, machine, metrics, ret_side, diag);
    int status = ft_diff_side_of_histograms(source->entry, machine, metrics, ret_side, &inner);
    return status == FT_OK ? FT_OK : ft_fail(diag, status, "%s: %s", source->path, inner.message);
}

void ft_diff_source_fini(struct ft_diff_source *source)
{
    if (source->has_prediction)
        ft_prediction_fini(&source->prediction);
    ft_model_fini(&source->model);
    ft_histogram_file_fini(&source->file);
    ft_trace_close(source->trace);
    ft_simulated_trace_fini(&source->simulated);
    if (source->has_machine)
        ft_machine_fini(&source->machine);
    *source = (struct ft_diff_source){0};
}

/* ---- what they are called ---- */

bool ft_diff_sources_share(const struct ft_diff_source sources[2])
{
    const char *names[2] = {sources[0].model_name, sources[1].model_name};
    if (strcmp(sources[0].path, sources[1].path) != 0)
        return false;
    if (sources[0].kind == FT_FILE_HISTOGRAMS)
        return sources[0].entry - sources[0].file.entries ==
               sources[1].entry - sources[1].file.entries;
    return !names[0] || !names[1] ? names[0] == names[1] : strcmp(names[0], names[1]) == 0;
}

static const struct ft_metadata *metadata_of(const struct ft_diff_source *source)
{
    return source->kind == FT_FILE_HISTOGRAMS ? &source->entry->metadata
                                              : &source->simulated.metadata;
}

const char *ft_diff_source_program(const struct ft_diff_source *source)
{
    return source->kind == FT_FILE_MODEL ? source->model.program : metadata_of(source)->program;
}

char *ft_diff_source_point(char text[FT_DIFF_POINT_TEXT], const struct ft_diff_source *source)
{
    if (source->kind == FT_FILE_MODEL)
        return ft_report_point_text(text, &source->prediction);
    const struct ft_metadata *metadata = metadata_of(source);
    size_t length = 0;
    text[0] = 0;
    for (size_t i = 0; i < metadata->parameter_count && length < FT_DIFF_POINT_TEXT; i++)
        length += (size_t)snprintf(text + length, FT_DIFF_POINT_TEXT - length, "%s%.100s = %.15g",
                                   i ? ", " : "", metadata->parameters[i].name,
                                   metadata->parameters[i].value);
    return text;
}

json_t *ft_diff_source_point_json(const struct ft_diff_source *source)
{
    return source->kind == FT_FILE_MODEL ? ft_compared_point_json(&source->prediction)
                                         : ft_parameters_json(metadata_of(source));
}
