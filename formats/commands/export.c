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
#include "formats/commands/extrap_export.h"
#include "formats/commands/mpi_operands.h"
#include "formats/commands/trace_operand.h"
#include "formats/text/packed_stream.h"
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
    if (writer && writer->needs_file && ft_packed_name(ft_option_last(arguments, "output")))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "-f %s goes back to what it has written: compress the file afterwards",
                       format->name);
    if (writer && writer->needs_instructions && ft_option_count(arguments, "no-instructions"))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "-f %s is made of instructions: leave out --no-instructions", format->name);
    if (bytes && !format->takes_block_bytes)
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
    FT_TRY(ft_mpi_operands_open(arguments, false, &operands, diag));
    int status = ft_simgrid_write(&operands.job, stream, diag);
    ft_mpi_operands_close(&operands);
    return status;
}

/* "32K,1M" */
static int read_capacities(const char *text, struct ft_extrap_capacities *ret_capacities,
                           struct ft_diag *diag)
{
    struct ft_extrap_capacities capacities = {0};
    for (const char *at = text; at; at = strchr(at, ',')) {
        char word[32];
        at += *at == ',';
        const size_t length = strcspn(at, ",");
        if (length >= sizeof word || capacities.count == FT_EXTRAP_CAPACITIES_MAX)
            return ft_fail(diag, FT_ERROR_USAGE,
                           "--capacity %s: expected up to %d sizes such as 32K,1M", text,
                           FT_EXTRAP_CAPACITIES_MAX);
        memcpy(word, at, length);
        word[length] = 0;
        FT_TRY(ft_parse_bytes(word, &capacities.bytes[capacities.count++], diag));
    }
    *ret_capacities = capacities;
    return FT_OK;
}

/* What the traces of several sizes measured. */
static int export_histograms(const struct ft_arguments *arguments, FILE *stream,
                             struct ft_diag *diag)
{
    const char *path = ft_operands(arguments)[0];
    struct ft_histogram_file file = {0};
    struct ft_extrap_capacities capacities;
    FT_TRY(read_capacities(ft_option_last(arguments, "capacity"), &capacities, diag));
    int status = ft_histogram_file_read(path, &file, diag);
    if (status) {
        ft_hint_at_trace(path, "'foretrace replay -o HIST' makes the histograms of traces", diag);
        return status;
    }
    status = ft_extrap_write(&file, path, &capacities, stream, diag);
    ft_histogram_file_fini(&file);
    return status;
}

/* What is exported of other files than a trace. */
struct other_format {
    const char *name;
    const char *operands; /* what it expects */
    bool takes_several, takes_capacities;
    int (*run)(const struct ft_arguments *arguments, FILE *stream, struct ft_diag *diag);
};
static const struct other_format other_formats[] = {
    {"simgrid", "expected the traces of all ranks", true, false, export_job},
    {"extrap", "expected one histograms file", false, true, export_histograms},
};

static const struct other_format *find_other(const char *name)
{
    for (size_t i = 0; name && i < sizeof other_formats / sizeof *other_formats; i++)
        if (strcmp(other_formats[i].name, name) == 0)
            return &other_formats[i];
    return NULL;
}

/* One of the two is NULL. */
static int export_any(const struct ft_arguments *arguments, const struct ft_text_format *format,
                      const struct other_format *other, FILE *stream, struct ft_diag *diag)
{
    return other ? other->run(arguments, stream, diag) : export_to(arguments, format, stream, diag);
}

static int export_to_file(const struct ft_arguments *arguments, const struct ft_text_format *format,
                          const struct other_format *other, const char *path, struct ft_diag *diag)
{
    struct ft_text_output output;
    FILE *stream;
    FT_TRY(ft_text_output_create(path, &output, diag));
    setvbuf(output.stream, NULL, _IOFBF, OUTPUT_BYTES);
    int status = ft_packed_stream_open(path, output.stream, &stream, diag);
    if (!status) {
        setvbuf(stream, NULL, _IOFBF, OUTPUT_BYTES);
        status = export_any(arguments, format, other, stream, diag);
        int closed = ft_packed_stream_close(stream, output.stream, status ? NULL : diag);
        status = status ? status : closed;
    }
    return ft_text_output_finish(&output, status, diag);
}

/* Exit code of the first thing that is wrong with the options, or 0. */
static int check_misuse(const struct ft_arguments *arguments, const struct other_format *other)
{
    static const char *const of_traces[] = {"thread", "no-instructions", "block-size"};
    const size_t operands = ft_operand_count(arguments);
    if (operands == 0 || (operands > 1 && !(other && other->takes_several)))
        return ft_command_misuse(arguments, "%s", other ? other->operands : "expected one trace");
    if (!ft_option_count(arguments, "format"))
        return ft_command_misuse(arguments, "-f FORMAT is required");
    for (size_t i = 0; other && i < sizeof of_traces / sizeof *of_traces; i++)
        if (ft_option_count(arguments, of_traces[i]))
            return ft_command_misuse(arguments, "-f %s has no accesses: leave out --%s",
                                     other->name, of_traces[i]);
    if (ft_option_count(arguments, "capacity") && !(other && other->takes_capacities))
        return ft_command_misuse(arguments, "--capacity is for -f extrap alone");
    return 0;
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag;
    const struct ft_text_format *format = NULL;
    const char *output = ft_option_last(arguments, "output");
    const char *name = ft_option_last(arguments, "format");
    const struct other_format *other = find_other(name);
    const int misuse = check_misuse(arguments, other);
    if (misuse)
        return misuse;
    int status = other ? FT_OK : ft_text_format_find(name, true, "simgrid, extrap", &format, &diag);
    if (!status && output) {
        status = export_to_file(arguments, format, other, output, &diag);
    } else if (!status) {
        setvbuf(stdout, NULL, _IOFBF, OUTPUT_BYTES);
        status = export_any(arguments, format, other, stdout, &diag);
        if (!status)
            status = ft_stdout_finish(&diag);
    }
    return status ? ft_command_fail(arguments, &diag) : 0;
}

static const struct ft_option options[] = {
    {"format", 'f', "FORMAT", "output format, of those below (required)"},
    {"output", 'o', "FILE",
     "the file to write, compressed if it is *.gz, *.xz or *.zst (default: standard output)",
     .writes = FT_FILE_ACCESSES},
    {"no-instructions", 0, NULL, "accesses only, no executed instructions"},
    {"thread", 0, "N", "the thread to write (required if the trace has several)"},
    {"block-size", 0, "BYTES", "oracleGeneral: of a block, an object (default: 64)"},
    {"capacity", 0, "SIZES", "extrap: caches whose misses are written (default 32K,1M,32M)",
     .fallback = "32K,1M,32M"},
    FT_PARTIAL_OPTION,
};

const struct ft_command ft_export_command = {
    .name = "export",
    .synopsis = "export -f FORMAT [-o FILE] [options] FILE...",
    .summary = "convert a trace or histograms to the format of another tool",
    .details =
        "Executed instructions and accesses in order, in the formats of 'foretrace import':\n"
        "  lackey         I  address,size; then L, S and M (load and store)\n"
        "  din            label address size, hexadecimal; 0 read, 1 write, 2 fetch\n"
        "  csv            pc,address,size,kind; also prefetches, non-temporal stores\n"
        "  oracleGeneral  a record for each block that an access touches (needs -o)\n"
        "  pinatrace      0xIP: R 0xADDRESS, W for stores\n"
        "  champsim       a record for each instruction, with registers and branches\n"
        "What a format cannot represent is left out (docs/import.md).\n"
        "\n"
        "simgrid takes the traces of all ranks of an MPI job and writes what SimGrid replays\n"
        "(smpirun -replay): their messages and collectives, and between these what they compute,\n"
        "in instructions (docs/mpi.md).\n"
        "\n"
        "extrap takes a histograms file of several sizes and writes what was measured at each of\n"
        "them, by routine and loop, as JSON Lines, from which Extra-P makes its models.\n"
        "\n"
        "examples:\n"
        "  foretrace export -f csv --no-instructions -o accesses.csv run.h5\n"
        "  foretrace export -f din run.h5 | dineroIV -informat d -l1-usize 32K -l1-ubsize 64\n"
        "  foretrace export -f champsim -o run.champsimtrace.xz run.h5\n"
        "  foretrace export -f simgrid -o halo.ti halo-*.h5\n"
        "  foretrace export -f extrap -o run.jsonl run.hist\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
