/*
 * `foretrace export`: a trace in the format of another tool, on standard output or in a file that
 * gets its name once it is complete.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/hdf5_output.h"
#include "formats/base/parse.h"
#include "formats/cli/commands.h"
#include "formats/cli/text_output.h"
#include "formats/commands/mpi_operands.h"
#include "formats/commands/trace_operand.h"
#include "formats/text/simgrid_text.h"
#include "formats/text/text_export.h"

#define OUTPUT_BYTES (1U << 18)

/* Which thread is wanted: of several, one must be chosen. */
static int choose_thread(const struct ft_arguments *arguments, const struct ft_trace *trace,
                         uint32_t *ret_thread, struct ft_diag *diag)
{
    uint32_t threads = ft_trace_thread_count(trace);
    uint64_t thread = 0;
    if (threads > 1 && !ft_option_count(arguments, "thread"))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s: has %" PRIu32 " threads; choose one with --thread",
                       ft_trace_path(trace), threads);
    int status = ft_option_u64(arguments, "thread", 0, 0, threads ? threads - 1 : 0, &thread, diag);
    *ret_thread = (uint32_t)thread;
    return status;
}

/* What the format's writer needs, and which options it takes. */
static int read_options(const struct ft_arguments *arguments, const struct ft_text_format *format,
                        struct ft_text_options *ret_options, struct ft_diag *diag)
{
    const struct ft_text_writer *writer = format->writer;
    const char *bytes = ft_option_last(arguments, "block-size");
    struct ft_text_options options = {0};
    if (writer && writer->needs_file && !ft_option_count(arguments, "output"))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "-f %s needs -o FILE: it goes back to what it has written", format->name);
    if (writer && writer->needs_instructions && ft_option_count(arguments, "no-instructions"))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "-f %s is made of instructions: leave out --no-instructions", format->name);
    if (bytes && !(writer && writer->takes_block_bytes))
        return ft_fail(diag, FT_ERROR_USAGE, "--block-size is not for -f %s", format->name);
    if (bytes)
        FT_TRY(ft_parse_bytes(bytes, &options.block_bytes, diag));
    if (bytes && (options.block_bytes == 0 || options.block_bytes > 1U << 31 ||
                  (options.block_bytes & (options.block_bytes - 1))))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--block-size %s: expected a power of two from 1 to 2G", bytes);
    *ret_options = options;
    return FT_OK;
}

static int export_to(const struct ft_arguments *arguments, const struct ft_text_format *format,
                     FILE *stream, struct ft_diag *diag)
{
    struct ft_trace *trace;
    uint32_t thread = 0;
    struct ft_text_options options;
    FT_TRY(read_options(arguments, format, &options, diag));
    FT_TRY(ft_trace_open_operand(arguments, &trace, diag));
    bool with_instructions = ft_option_count(arguments, "no-instructions") == 0;
    int status = ft_trace_require_addresses(trace, diag);
    if (!status)
        status = choose_thread(arguments, trace, &thread, diag);
    if (!status)
        status = ft_text_export(trace, thread, format, &options, with_instructions, stream, diag);
    ft_trace_close(trace);
    return status;
}

/* The traces of all ranks of a job. */
static int export_job(const struct ft_arguments *arguments, FILE *stream, struct ft_diag *diag)
{
    struct ft_mpi_operands operands;
    FT_TRY(ft_mpi_operands_open(arguments, &operands, diag));
    int status = ft_simgrid_write(&operands.job, stream, diag);
    ft_mpi_operands_close(&operands);
    return status;
}

/* format NULL: SimGrid's */
static int export_any(const struct ft_arguments *arguments, const struct ft_text_format *format,
                      FILE *stream, struct ft_diag *diag)
{
    return format ? export_to(arguments, format, stream, diag)
                  : export_job(arguments, stream, diag);
}

static int export_to_file(const struct ft_arguments *arguments, const struct ft_text_format *format,
                          const char *path, struct ft_diag *diag)
{
    struct ft_text_output output;
    FT_TRY(ft_text_output_create(path, &output, diag));
    setvbuf(output.stream, NULL, _IOFBF, OUTPUT_BYTES);
    int status = export_any(arguments, format, output.stream, diag);
    return ft_text_output_finish(&output, status, diag);
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag;
    const struct ft_text_format *format = NULL;
    const char *output = ft_option_last(arguments, "output");
    const char *name = ft_option_last(arguments, "format");
    const bool is_job = name && strcmp(name, "simgrid") == 0;
    if (is_job ? ft_operand_count(arguments) == 0 : ft_operand_count(arguments) != 1)
        return ft_command_misuse(arguments, is_job ? "expected the traces of all ranks"
                                                   : "expected one trace");
    if (!name)
        return ft_command_misuse(arguments, "-f FORMAT is required");
    if (is_job &&
        (ft_option_count(arguments, "thread") || ft_option_count(arguments, "no-instructions") ||
         ft_option_count(arguments, "block-size")))
        return ft_command_misuse(arguments, "-f simgrid has no accesses: leave out --thread, "
                                            "--no-instructions and --block-size");
    int status = is_job ? FT_OK : ft_text_format_find(name, true, "simgrid", &format, &diag);
    if (!status && output) {
        status = export_to_file(arguments, format, output, &diag);
    } else if (!status) {
        setvbuf(stdout, NULL, _IOFBF, OUTPUT_BYTES);
        status = export_any(arguments, format, stdout, &diag);
        if (!status)
            status = ft_stdout_finish(&diag);
    }
    return status ? ft_command_fail(arguments, &diag) : 0;
}

static const struct ft_option options[] = {
    {"format", 'f', "FORMAT", "output format, of those below (required)"},
    {"output", 'o', "FILE", "the file to write (default: standard output)",
     .writes = FT_FILE_ACCESSES},
    {"no-instructions", 0, NULL, "accesses only, no executed instructions"},
    {"thread", 0, "N", "the thread to write (required if the trace has several)"},
    {"block-size", 0, "BYTES", "oracleGeneral: of a block, an object (default: 64)"},
    FT_PARTIAL_OPTION,
};

const struct ft_command ft_export_command = {
    .name = "export",
    .synopsis = "export -f FORMAT [-o FILE] [--no-instructions] [--thread N] TRACE...",
    .summary = "convert a trace to the format of another tool",
    .details =
        "Executed instructions and accesses in order, in the formats of 'foretrace import':\n"
        "  lackey         I  address,size; then L, S and M (load and store) for its accesses\n"
        "  din            label address size, hexadecimal; labels 0 read, 1 write, 2 fetch\n"
        "  csv            pc,address,size,kind; with prefetches and non-temporal stores\n"
        "  oracleGeneral  a record for each block that an access touches (needs -o)\n"
        "  pinatrace      0xIP: R 0xADDRESS, W for stores\n"
        "  champsim       a record for each instruction, with registers and branches\n"
        "What a format cannot represent is left out (docs/import.md).\n"
        "\n"
        "simgrid takes the traces of all ranks of an MPI job and writes what SimGrid replays\n"
        "(smpirun -replay): their messages and collectives, and between these what they compute,\n"
        "in instructions (docs/mpi.md).\n"
        "\n"
        "examples:\n"
        "  foretrace export -f csv --no-instructions -o accesses.csv run.h5\n"
        "  foretrace export -f din run.h5 | dineroIV -informat d -l1-usize 32K -l1-ubsize 64\n"
        "  foretrace export -f champsim run.h5 | xz >run.champsimtrace.xz\n"
        "  foretrace export -f simgrid -o halo.ti halo-*.h5\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
