/*
 * `foretrace import`: the text or records of another tool become a trace.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/parse.h"
#include "formats/cli/commands.h"
#include "formats/cli/progress_line.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "formats/commands/parameters.h"
#include "formats/commands/trace_operand.h"
#include "formats/text/text_import.h"
#include "formats/x86/reference_unit.h"

/* What is known of an imported trace: neither machine nor directory nor command. */
static int fill_metadata(const struct ft_arguments *arguments, struct ft_metadata *metadata,
                         struct ft_diag *diag)
{
    const char *program = ft_option_last(arguments, "program");
    metadata->program = program ? strdup(program) : NULL;
    if ((program && !metadata->program) || !ft_metadata_begin_without_host(metadata))
        return ft_fail_memory(diag, "the metadata");
    return ft_parameters_read(arguments, metadata, diag);
}

/* Bytes that an access may have; is_power: a power of two of them. */
static int read_bytes(const struct ft_arguments *arguments, const char *option, bool is_power,
                      uint64_t *ret_bytes, struct ft_diag *diag)
{
    const char *text = ft_option_last(arguments, option);
    uint64_t bytes = 0;
    if (!text)
        return FT_OK;
    FT_TRY(ft_parse_bytes(text, &bytes, diag));
    if (bytes == 0 || bytes > FT_REFERENCE_SIZE_MAX || (is_power && (bytes & (bytes - 1))))
        return ft_fail(diag, FT_ERROR_USAGE, "--%s %s: expected %s 1 to %u", option, text,
                       is_power ? "a power of two from" : "bytes from", FT_REFERENCE_SIZE_MAX);
    *ret_bytes = bytes;
    return FT_OK;
}

/* Options that are of some formats only. */
static int read_options(const struct ft_arguments *arguments, const struct ft_text_format *format,
                        struct ft_text_options *ret_options, struct ft_diag *diag)
{
    const struct {
        const char *option;
        bool is_taken;
    } rows[] = {
        {"block-size", format->takes_block_bytes},
        {"access-size", format->takes_access_bytes},
        {"thread", format->takes_thread},
    };
    struct ft_text_options options = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!rows[i].is_taken && ft_option_count(arguments, rows[i].option))
            return ft_fail(diag, FT_ERROR_USAGE, "--%s is not for -f %s", rows[i].option,
                           format->name);
    FT_TRY(read_bytes(arguments, "block-size", true, &options.block_bytes, diag));
    FT_TRY(read_bytes(arguments, "access-size", false, &options.access_bytes, diag));
    options.has_thread = ft_option_count(arguments, "thread") > 0;
    FT_TRY(ft_option_u64(arguments, "thread", 0, 0, UINT64_MAX, &options.thread, diag));
    *ret_options = options;
    return FT_OK;
}

static int print_summary(const char *output, const struct ft_text_format *format,
                         const struct ft_metadata *metadata,
                         const struct ft_text_imported *imported, struct ft_diag *diag)
{
    char accesses[FT_NUMBER_TEXT], instructions[FT_NUMBER_TEXT], records[FT_NUMBER_TEXT];
    printf("%s: %s accesses, %s instructions\n", output,
           ft_text_count(accesses, (double)metadata->accesses),
           ft_text_count(instructions, (double)metadata->instructions));
    if (format->lacks)
        ft_print_wrapped(stdout, 0, "Not in %s: %s.\n", format->name, format->lacks);
    if (imported->larger)
        printf("Accesses to objects larger than a block, taken as one block: %s.\n",
               ft_text_count(records, (double)imported->larger));
    if (imported->empty)
        printf("Accesses to objects of no bytes, left out: %s.\n",
               ft_text_count(records, (double)imported->empty));
    return ft_stdout_finish(diag);
}

static int import_text(const struct ft_arguments *arguments, const struct ft_text_format *format,
                       struct ft_metadata *metadata, struct ft_diag *diag)
{
    const char *output = ft_option_last(arguments, "output");
    struct ft_progress_line progress;
    struct ft_text_imported imported = {0};
    struct ft_text_options options;
    FT_TRY(read_options(arguments, format, &options, diag));
    ft_progress_line_init(&progress, "import");
    int status = ft_text_import(ft_operands(arguments)[0], format, &options, output, metadata,
                                &progress.base, &imported, diag);
    ft_progress_line_fini(&progress);
    return status ? status : print_summary(output, format, metadata, &imported, diag);
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag;
    struct ft_metadata metadata = {0};
    const struct ft_text_format *format;
    if (ft_operand_count(arguments) != 1)
        return ft_command_misuse(arguments, "expected one file, or - for standard input");
    if (!ft_option_count(arguments, "format"))
        return ft_command_misuse(arguments, "-f FORMAT is required");
    int status =
        ft_text_format_find(ft_option_last(arguments, "format"), false, NULL, &format, &diag);
    if (!status)
        status = fill_metadata(arguments, &metadata, &diag);
    if (!status)
        status = import_text(arguments, format, &metadata, &diag);
    ft_metadata_fini(&metadata);
    return status ? ft_command_fail(arguments, &diag) : 0;
}

static const struct ft_option options[] = {
    {"format", 'f', "FORMAT", "input format, of those below (required)"},
    {"output", 'o', "FILE", "the trace to write (default: trace.h5)", .writes = FT_FILE_TRACE,
     .fallback = "trace.h5"},
    FT_PARAMETER_OPTION,
    {"program", 0, "NAME", "the program's name (default: from the text, or unknown)"},
    {"block-size", 0, "BYTES", "oracleGeneral: what an object is taken to have (default: 64)"},
    {"access-size", 0, "BYTES", "pinatrace, champsim: of all accesses (default: 1)"},
    {"thread", 0, "TID", "drmemtrace: the thread to import (required if it has several)"},
    FT_QUIET_OPTION,
};

const struct ft_command ft_import_command = {
    .name = "import",
    .synopsis = "import -f FORMAT [-o FILE] [-D NAME=NUMBER]... [--program NAME] FILE",
    .summary = "convert the trace of another tool",
    .details =
        "formats:\n"
        "  lackey         output of Valgrind's lackey, tracing memory\n"
        "  din            label address [size], hexadecimal, of the simulator Dinero;\n"
        "                 0 read, 1 write, 2 instruction fetch; size 4 by default\n"
        "  csv            pc,address,size,kind with that header line; decimal or 0x...;\n"
        "                 load, store, store_nt (non-temporal), prefetch, instruction\n"
        "  oracleGeneral  libCacheSim's records of 24 bytes: an object is a block\n"
        "  pinatrace      0xIP: R 0xADDRESS, of the example pinatrace of Intel Pin\n"
        "  champsim       ChampSim's records of 64 bytes (input_instr)\n"
        "  drmemtrace     what drrun -t drmemtrace -tool view prints (DynamoRIO 9)\n"
        "\n"
        "FILE may be - for standard input, and compressed by gzip, xz or zstd. It is read once.\n"
        "What is invalid ends the import with its line, or byte, and exit code 3, and no trace\n"
        "is written. The trace keeps the file's name and SHA-256 ('foretrace info').\n"
        "\n"
        "Accesses are attributed to instructions where the format allows it (docs/import.md).\n"
        "Code, routines and source lines are unknown; everything else works as with a capture.\n"
        "\n"
        "examples:\n"
        "  foretrace import -f lackey -D N=100 -o run-100.h5 run.txt\n"
        "  foretrace import -f champsim -o mcf.h5 605.mcf_s-665B.champsimtrace.xz\n"
        "  drrun -t drmemtrace -indir DIR -tool view 2>&1 | foretrace import -f drmemtrace -\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
