/*
 * `foretrace report`: what predict, query and model show say of one size, as a page to look at.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/base/number_text.h"
#include "formats/cli/commands.h"
#include "formats/cli/progress_line.h"
#include "formats/cli/terminal.h"
#include "formats/cli/text_output.h"
#include "formats/commands/trace_operand.h"
#include "predict/commands/forecasts.h"
#include "predict/commands/report/document.h"
#include "predict/commands/report/page.h"
#include "predict/commands/shell_word.h"
#include "predict/commands/source_file.h"

#define LOOPS_KEPT 1000

/* ---- the command as it was typed ---- */

static void print_options(const struct ft_arguments *arguments, const char *name, FILE *stream)
{
    for (size_t i = 0; i < ft_option_count(arguments, name); i++) {
        fprintf(stream, " --%s ", name);
        ft_print_shell_word(ft_option_at(arguments, name, i), stream);
    }
}

/* Without --sources: where source files were is nothing that the page depends on. The caller frees
 * the text; NULL: out of memory. */
static char *command_text(const struct ft_arguments *arguments)
{
    static const char *const names[] = {"at", "machine", "model", "loops", "output"};
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return NULL;
    fputs("foretrace report", stream);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        print_options(arguments, names[i], stream);
    if (ft_option_count(arguments, "dirty"))
        fputs(" --dirty", stream);
    if (ft_option_count(arguments, "no-source"))
        fputs(" --no-source", stream);
    fputc(' ', stream);
    ft_print_shell_word(ft_operands(arguments)[0], stream);
    fclose(stream);
    return text;
}

/* ---- the file ---- */

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int write_page(const char *path, const struct ft_prediction *prediction, json_t *document,
                      struct ft_diag *diag)
{
    char title[2 * FT_REPORT_POINT_TEXT], point[FT_REPORT_POINT_TEXT];
    struct ft_text_output output;
    int status = ft_text_output_create(path, &output, diag);
    if (status != FT_OK) {
        json_decref(document);
        return status;
    }
    snprintf(title, sizeof title, "%.100s, %s, on %.100s", file_name(prediction->model->program),
             ft_report_point_text(point, prediction), prediction->machine->name);
    status = ft_page_write(document, title, output.stream, diag);
    return ft_text_output_finish(&output, status, diag);
}

static void say_what_was_made(const char *path, const struct ft_report *report)
{
    char size[FT_NUMBER_TEXT];
    struct stat there;
    if (stat(path, &there) != 0)
        return;
    printf("%s: %s, %zu routines and loops; open it in a browser\n", path,
           ft_text_bytes(size, (double)there.st_size), report->count);
    if (!ft_page_has_plots())
        printf("It has tables in the place of plots: foretrace was built without d3 (Debian's "
               "node-d3)\n");
}

static int make(struct ft_forecasts *forecasts, struct ft_diag *diag)
{
    const struct ft_arguments *arguments = forecasts->arguments;
    const char *path = ft_option_last(arguments, "output");
    json_t *document = NULL;
    FT_TRY(ft_option_u64(arguments, "loops", LOOPS_KEPT, 1, UINT64_MAX,
                         &forecasts->options.loop_limit, diag));
    FT_TRY(ft_report_machines_read(arguments, &forecasts->options, diag));
    FT_TRY(ft_forecasts_check_dirty(forecasts, diag));
    FT_TRY(ft_forecasts_resolve(forecasts, diag));
    if (forecasts->points.count > 1)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--at: a report is of one size; the curves in it "
                       "show the others");
    FT_TRY(ft_forecasts_make(forecasts, diag));
    char *command = command_text(arguments);
    if (!command)
        return ft_fail_memory(diag, "a report");
    const struct ft_page_task task = {.forecasts = forecasts,
                                      .command = command,
                                      .with_source = !ft_option_count(arguments, "no-source"),
                                      .sources = ft_option_last(arguments, "sources")};
    int status = ft_page_document(&task, &document, diag);
    if (status == FT_OK)
        status = write_page(path, forecasts->reports[0].prediction, document, diag);
    free(command);
    if (status == FT_OK)
        say_what_was_made(path, &forecasts->reports[0]);
    return status == FT_OK ? ft_stdout_finish(diag) : status;
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag;
    struct ft_forecasts forecasts = {.arguments = arguments,
                                     .dirty_memory = ft_option_count(arguments, "dirty") > 0};
    if (ft_operand_count(arguments) != 1)
        return ft_command_misuse(arguments, "give one model file");
    if (!ft_option_count(arguments, "machine"))
        return ft_command_misuse(arguments, "--machine is needed");
    if (!ft_option_count(arguments, "at"))
        return ft_command_misuse(arguments, "--at is needed");
    if (!ft_option_count(arguments, "output"))
        return ft_command_misuse(arguments, "-o is needed: the file to write");
    ft_terminal_widen(); /* sentences are for lines of any width, and all notes are shown */
    int status = make(&forecasts, &diag);
    ft_forecasts_fini(&forecasts);
    return status == FT_OK ? 0 : ft_command_fail(arguments, &diag);
}

static const struct ft_option options[] = {
    {"at", 0, "NAME=VALUE", "the size to forecast; N=160,M=5 for several parameters; s=BYTES",
     .repeats = true},
    {"machine", 'm', "MACHINE", FT_MACHINE_HELP, .repeats = true},
    {"output", 'o', "FILE", "the page to write, as HTML", .writes = FT_FILE_PAGE},
    {"model", 0, "NAME", "which of the file's models (required if there are several)"},
    {"loops", 0, "COUNT", "keep the COUNT routines and loops that take most time (1000)"},
    {"dirty", 0, NULL, "charge every miss to memory with the write-back of a modified line"},
    {"no-source", 0, NULL, "no lines of source files, which are taken where they can be read",
     .excludes = "sources"},
    {"sources", 0, "FOLDER", FT_SOURCES_HELP},
    FT_QUIET_OPTION,
};

const struct ft_command ft_report_command = {
    .name = "report",
    .synopsis = "report [options] --at NAME=VALUE --machine MACHINE -o FILE.html MODEL",
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
        "Several --machine: all are in the page, side by side. docs/report.md shows its parts.\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
