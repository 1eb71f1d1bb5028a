/*
 * `foretrace report`: what predict, query and model show say of one size, or what simulate and info
 * say of a trace or histograms, as a page to look at.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/file_name.h"
#include "formats/base/input_form.h"
#include "formats/base/number_text.h"
#include "formats/cli/commands.h"
#include "formats/cli/progress_line.h"
#include "formats/cli/shell_word.h"
#include "formats/cli/terminal.h"
#include "formats/cli/text_output.h"
#include "formats/commands/trace_operand.h"
#include "machines/commands/report_options.h"
#include "predict/commands/forecasts.h"
#include "predict/commands/page/page.h"
#include "predict/commands/page/sources.h"
#include "predict/commands/report/document.h"
#include "predict/commands/report/measured.h"
#include "predict/commands/report/measured_distances.h"
#include "predict/commands/source_file.h"

#define LOOPS_KEPT 1000

/* ---- the file ---- */

static int write_page(const struct ft_arguments *arguments, enum ft_page_kind kind,
                      const char *title, json_t *document, struct ft_diag *diag)
{
    const char *path = ft_option_last(arguments, "output");
    struct ft_text_output output;
    ft_page_warn_of_sources("report", ft_option_last(arguments, "sources"),
                            json_object_get(document, "sources"));
    int status = ft_text_output_create(path, &output, diag);
    if (status != FT_OK) {
        json_decref(document);
        return status;
    }
    status = ft_page_write(document, kind, title, output.stream, diag);
    return ft_text_output_finish(&output, status, diag);
}

static int say_what_was_made(const char *path, size_t scope_count, struct ft_diag *diag)
{
    char size[FT_NUMBER_TEXT];
    struct stat there;
    if (stat(path, &there) == 0)
        printf("%s: %s, %zu routines and loops; open it in a browser\n", path,
               ft_text_bytes(size, (double)there.st_size), scope_count);
    if (!ft_page_has_plots())
        printf("It has tables in the place of plots: foretrace was built without d3 (Debian's "
               "node-d3)\n");
    return ft_stdout_finish(diag);
}

/* ---- of a model ---- */

/* --histograms; NULL without it. */
static int read_histograms(const struct ft_forecasts *forecasts,
                           struct ft_measured_distances **ret_measured, struct ft_diag *diag)
{
    const struct ft_arguments *arguments = forecasts->arguments;
    const size_t count = ft_option_count(arguments, "histograms");
    *ret_measured = NULL;
    if (count == 0)
        return FT_OK;
    const char **paths = calloc(count, sizeof *paths);
    if (!paths)
        return ft_fail_memory(diag, "a report");
    for (size_t i = 0; i < count; i++)
        paths[i] = ft_option_at(arguments, "histograms", i);
    const int status = ft_measured_distances_read(forecasts->points.items[0].model, paths, count,
                                                  ret_measured, diag);
    free(paths);
    return status;
}

static int write_forecasts(const struct ft_forecasts *forecasts, const char *command,
                           const struct ft_measured_distances *measured, struct ft_diag *diag)
{
    const struct ft_page_task task = {
        .measured = measured,
        .forecasts = forecasts,
        .command = command,
        .with_source = !ft_option_count(forecasts->arguments, "no-source"),
        .with_code = !ft_option_count(forecasts->arguments, "no-code"),
        .sources = ft_option_last(forecasts->arguments, "sources")};
    const struct ft_prediction *prediction = forecasts->reports[0].prediction;
    char title[2 * FT_REPORT_POINT_TEXT], point[FT_REPORT_POINT_TEXT];
    json_t *document = NULL;
    FT_TRY(ft_page_document(&task, &document, diag));
    snprintf(title, sizeof title, "%.100s, %s, on %.100s", ft_file_name(prediction->model->program),
             ft_report_point_text(point, prediction), prediction->machine->name);
    return write_page(forecasts->arguments, FT_PAGE_REPORT, title, document, diag);
}

static int report_model(struct ft_forecasts *forecasts, const char *command, struct ft_diag *diag)
{
    const struct ft_arguments *arguments = forecasts->arguments;
    FT_TRY(ft_option_u64(arguments, "loops", LOOPS_KEPT, 1, UINT64_MAX,
                         &forecasts->options.loop_limit, diag));
    FT_TRY(ft_report_machines_read(arguments, &forecasts->options, diag));
    FT_TRY(ft_forecasts_check_dirty(forecasts, diag));
    FT_TRY(ft_forecasts_resolve(forecasts, diag));
    if (forecasts->points.count > 1)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--at: a report is of one size; the curves in it "
                       "show the others");
    struct ft_measured_distances *measured;
    FT_TRY(read_histograms(forecasts, &measured, diag));
    int status = ft_forecasts_make(forecasts, diag);
    if (status == FT_OK)
        status = write_forecasts(forecasts, command, measured, diag);
    ft_measured_distances_destroy(measured);
    if (status != FT_OK)
        return status;
    return say_what_was_made(ft_option_last(arguments, "output"), forecasts->reports[0].count,
                             diag);
}

/* ---- of a trace or histograms ---- */

static int write_measured(const struct ft_arguments *arguments,
                          const struct ft_measurement *measured, const char *command,
                          struct ft_diag *diag)
{
    const struct ft_diff_source *source = &measured->sources[0];
    char title[2 * FT_DIFF_POINT_TEXT], point[FT_DIFF_POINT_TEXT];
    const struct ft_measurement_page page = {
        .command = command,
        .with_source = !ft_option_count(arguments, "no-source"),
        .with_code = !ft_option_count(arguments, "no-code"),
        .sources = ft_option_last(arguments, "sources"),
    };
    json_t *document = NULL;
    FT_TRY(ft_measurement_document(measured, &page, &document, diag));
    ft_diff_source_point(point, source);
    snprintf(title, sizeof title, "%.100s%s%s, on %.100s",
             ft_file_name(ft_diff_source_program(source)), *point ? ", " : "", point,
             source->machine.name);
    return write_page(arguments, FT_PAGE_MEASURED, title, document, diag);
}

static int report_measured(const struct ft_arguments *arguments, const char *command,
                           struct ft_diag *diag)
{
    struct ft_measurement measured = {0};
    uint64_t limit;
    if (ft_option_count(arguments, "dirty"))
        return ft_fail(diag, FT_ERROR_USAGE, "--dirty goes with a model: it is about time");
    if (ft_option_count(arguments, "histograms"))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--histograms goes with a model, of which they show what was measured");
    FT_TRY(ft_option_u64(arguments, "loops", LOOPS_KEPT, 1, UINT64_MAX, &limit, diag));
    int status = ft_measurement_load(arguments, limit, &measured, diag);
    if (status == FT_OK)
        status = write_measured(arguments, &measured, command, diag);
    if (status == FT_OK)
        status = say_what_was_made(ft_option_last(arguments, "output"), measured.list_count, diag);
    ft_measurement_fini(&measured);
    return status;
}

/* ---- the command ---- */

/* All that is missing at once: a file that is not there first. 0: nothing is. */
static int refuse(const struct ft_arguments *arguments, bool is_of_model)
{
    const char *path = ft_operands(arguments)[0];
    char missing[256] = "";
    struct ft_diag diag;
    if (access(path, F_OK) != 0) {
        ft_fail(&diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
        return ft_command_fail(arguments, &diag);
    }
    if (ft_check_input_form(path, &diag) != FT_OK)
        return ft_command_fail(arguments, &diag);
    if (!ft_option_count(arguments, "machine"))
        strcat(missing, "; " FT_MACHINE_NEEDED);
    if (is_of_model && !ft_option_count(arguments, "at"))
        strcat(missing, "; --at is needed: the size to forecast, NAME=VALUE");
    if (!ft_option_count(arguments, "output"))
        strcat(missing, "; -o is needed: the file to write, NAME.html");
    return missing[0] ? ft_command_misuse(arguments, "%s: %s", path, missing + 2) : 0;
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag;
    struct ft_forecasts forecasts = {.arguments = arguments,
                                     .dirty_memory = ft_option_count(arguments, "dirty") > 0};
    if (ft_operand_count(arguments) != 1)
        return ft_command_misuse(arguments, "give one file: a model, a trace or histograms");
    const bool is_of_model = !ft_measurement_is_for(ft_operands(arguments)[0]);
    const int code = refuse(arguments, is_of_model);
    if (code != 0)
        return code;
    ft_terminal_widen(); /* sentences are for lines of any width, and all notes are shown */
    char *command = ft_command_text(&ft_report_command, arguments);
    int status = command ? ft_sources_check(ft_option_last(arguments, "sources"), &diag)
                         : ft_fail_memory(&diag, "a report");
    if (status == FT_OK)
        status = is_of_model ? report_model(&forecasts, command, &diag)
                             : report_measured(arguments, command, &diag);
    free(command);
    ft_forecasts_fini(&forecasts);
    return status == FT_OK ? 0 : ft_command_fail(arguments, &diag);
}

static const struct ft_option options[] = {
    {"at", 0, "NAME=VALUE",
     "the size to forecast, N=160,M=5 for several parameters, s=BYTES; or which of the traces",
     .repeats = true},
    {"machine", 'm', "MACHINE", FT_MACHINE_HELP, .reads = true, .repeats = true},
    {"output", 'o', "FILE", "the page to write, as HTML", .writes = FT_FILE_PAGE},
    {"model", 0, "NAME", "which of the file's models (required if there are several)"},
    {"loops", 0, "COUNT", "keep the COUNT routines and loops that take most time (1000)"},
    {"dirty", 0, NULL, "charge every miss to memory with the write-back of a modified line"},
    {"histograms", 0, "HIST", "what the model was fitted to: measured distances beside the model's",
     .reads = true, .repeats = true},
    {"no-source", 0, NULL, "no lines of source files, which are taken where they can be read",
     .excludes = "sources"},
    {"sources", 0, "FOLDER", FT_SOURCES_HELP},
    {"no-code", 0, NULL, "no instructions of routines and loops"},
    FT_QUIET_OPTION,
};

const struct ft_command ft_report_command = {
    .name = "report",
    .synopsis = "report [options] --machine MACHINE -o FILE.html MODEL|HIST|TRACE",
    .summary = "a page to look at: misses and time of loops, curves over sizes and caches",
    .details =
        "One HTML file that needs no network and no server. It answers what takes the time and\n"
        "how sure that is, then shows all routines and loops with their misses in each cache and\n"
        "TLB, how misses and time grow with the size, reuse distances with the caches among\n"
        "them, source lines where the files can be read, and what the forecast was made from.\n"
        "\n"
        "  foretrace report --at N=400 --machine amd-zen5 -o matmul.html model.h5\n"
        "  foretrace report --at N=400 -m amd-zen5 -m itanium2 -o matmul.html model.h5\n"
        "\n"
        "Several --machine: all are in the page, side by side. docs/report.md shows its parts.\n"
        "\n"
        "Of histograms or a trace the page shows what was measured: misses, reuse distances, and\n"
        "where replay counted them who reuses whose data, and data objects; no times.\n"
        "\n"
        "  foretrace report --at N=400 -m amd-zen5 -o run.html run.hist\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
