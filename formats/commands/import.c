/*
 * `foretrace import`: the text of another tool becomes a trace.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/cli/commands.h"
#include "formats/cli/progress_line.h"
#include "formats/cli/table.h"
#include "formats/commands/parameters.h"
#include "formats/commands/trace_operand.h"
#include "formats/text/text_import.h"

/* What is known of an imported trace: neither machine nor directory nor command. */
static int fill_metadata(const struct ft_arguments *arguments, struct ft_metadata *metadata,
                         struct ft_diag *diag)
{
    const char *program = ft_option_last(arguments, "program");
    metadata->program = program ? strdup(program) : NULL;
    metadata->directory = strdup("");
    metadata->host = strdup("");
    metadata->cpu = strdup("");
    metadata->kernel = strdup("");
    if ((program && !metadata->program) || !metadata->directory || !metadata->host ||
        !metadata->cpu || !metadata->kernel || !ft_metadata_begin(metadata))
        return ft_fail_memory(diag, "the metadata");
    return ft_parameters_read(arguments, metadata, diag);
}

static int print_summary(const char *output, const struct ft_metadata *metadata,
                         struct ft_diag *diag)
{
    char accesses[FT_NUMBER_TEXT], instructions[FT_NUMBER_TEXT];
    printf("%s: %s accesses, %s instructions\n", output,
           ft_text_count(accesses, (double)metadata->accesses),
           ft_text_count(instructions, (double)metadata->instructions));
    return ft_stdout_finish(diag);
}

static int import_text(const char *path, const struct ft_text_format *format, const char *output,
                       struct ft_metadata *metadata, struct ft_diag *diag)
{
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "import");
    int status = ft_text_import(path, format, output, metadata, &progress.base, diag);
    ft_progress_line_fini(&progress);
    return status;
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag;
    struct ft_metadata metadata = {0};
    const struct ft_text_format *format;
    const char *output = ft_option_last(arguments, "output");
    if (ft_operand_count(arguments) != 1)
        return ft_command_misuse(arguments, "expected one file, or - for standard input");
    if (!ft_option_count(arguments, "format"))
        return ft_command_misuse(arguments, "-f FORMAT is required");
    int status = ft_text_format_find(ft_option_last(arguments, "format"), NULL, &format, &diag);
    if (!status)
        status = fill_metadata(arguments, &metadata, &diag);
    if (!status)
        status = import_text(ft_operands(arguments)[0], format, output, &metadata, &diag);
    if (!status)
        status = print_summary(output, &metadata, &diag);
    ft_metadata_fini(&metadata);
    return status ? ft_command_fail(arguments, &diag) : 0;
}

static const struct ft_option options[] = {
    {"format", 'f', "FORMAT", "input format: lackey, din or csv (required)"},
    {"output", 'o', "FILE", "the trace to write (default: trace.h5)", .writes = FT_FILE_TRACE,
     .fallback = "trace.h5"},
    FT_PARAMETER_OPTION,
    {"program", 0, "NAME", "the program's name (default: from the text, or unknown)"},
    FT_QUIET_OPTION,
};

const struct ft_command ft_import_command = {
    .name = "import",
    .synopsis = "import -f FORMAT [-o FILE] [-D NAME=NUMBER]... [--program NAME] TEXT",
    .summary = "convert the text trace of another tool",
    .details =
        "formats:\n"
        "  lackey  output of Valgrind's lackey, tracing memory\n"
        "  din     label address [size], hexadecimal, of the cache simulator Dinero;\n"
        "          labels 0 read, 1 write, 2 instruction fetch; the size defaults to 4 bytes\n"
        "  csv     pc,address,size,kind with that header line; numbers decimal or 0x...;\n"
        "          kinds load, store, store_nt (non-temporal), prefetch, instruction\n"
        "\n"
        "TEXT may be - for standard input. It is read once, line by line. An invalid line ends\n"
        "the import with its number and exit code 3, and no trace is written.\n"
        "\n"
        "Accesses are attributed to instructions where the format allows it (docs/import.md).\n"
        "Code, routines and source lines are unknown; everything else works as with a capture.\n"
        "\n"
        "examples:\n"
        "  foretrace import -f lackey -D N=100 -o run-100.h5 run.txt\n"
        "  zcat trace.din.gz | foretrace import -f din -o trace.h5 -\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
