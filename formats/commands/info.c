/*
 * `foretrace info`: everything about a trace but the accesses themselves, from its tables and the
 * descriptions of its chunks, without reading a log; for histograms and models, a summary and where
 * they come from.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/bytes.h"
#include "formats/cli/commands.h"
#include "formats/cli/json.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "formats/commands/histograms_report.h"
#include "formats/commands/host_report.h"
#include "formats/commands/model_report.h"
#include "formats/commands/mpi_report.h"
#include "formats/commands/report_head.h"
#include "formats/commands/source_report.h"
#include "formats/commands/trace_list.h"
#include "formats/commands/trace_operand.h"
#include "formats/text/text_import.h"
#include "formats/trace/recorded_windows.h"
#include "formats/trace/trace_reader.h"

/* Sums over the chunks of one kind. */
struct kind_sum {
    uint64_t chunks, payload_bytes, frame_bytes;
};

static void sum_chunks(const struct ft_trace *trace, struct kind_sum sums[FT_CHUNK_KINDS],
                       struct ft_log_totals *ret_totals)
{
    *ret_totals = (struct ft_log_totals){0};
    for (size_t i = 0; i < ft_trace_chunk_count(trace); i++) {
        const struct ft_chunk_description *chunk = ft_trace_chunk(trace, i);
        struct kind_sum *sum = &sums[chunk->kind < FT_CHUNK_KINDS ? chunk->kind : 0];
        sum->chunks++;
        sum->payload_bytes += chunk->payload_bytes;
        sum->frame_bytes += chunk->frame_bytes;
        if (chunk->kind == FT_CHUNK_LOG || chunk->kind == FT_CHUNK_REPETITION)
            ret_totals->records += chunk->totals.records;
    }
}

/* The units that are defined: a trace that was cut off may have gaps in their numbers. */
static uint64_t count_units(const struct ft_trace *trace)
{
    uint64_t count = 0;
    for (size_t id = 1; id <= ft_trace_unit_count(trace); id++)
        count += ft_trace_unit(trace, (uint32_t)id) != NULL;
    return count;
}

static double bytes_per_access(const struct ft_trace *trace)
{
    uint64_t accesses = ft_trace_metadata(trace)->accesses;
    return accesses ? (double)ft_trace_file_bytes(trace) / (double)accesses : 0;
}

/* Whether it was made from another tool's text: what is known of it then is less. */
static bool is_imported(const struct ft_trace *trace)
{
    const struct ft_unit *first = ft_trace_unit(trace, 1);
    return first && first->kind == FT_UNIT_REFERENCES;
}

/* Whether `synthesise` made it. */
static bool is_synthesised(const struct ft_trace *trace)
{
    struct ft_imported_source source;
    size_t at = 0;
    return ft_imported_source(trace, &at, &source) &&
           strcmp(source.format, FT_TEXT_SYNTHESISED) == 0;
}

/* ---- JSON ---- */

static json_t *chunks_json(const struct kind_sum sums[FT_CHUNK_KINDS])
{
    json_t *kinds = json_array();
    for (unsigned kind = 0; kind < FT_CHUNK_KINDS; kind++)
        if (sums[kind].chunks)
            json_array_append_new(
                kinds, json_pack("{s:s, s:I, s:I, s:I}", "kind", ft_chunk_kind_name(kind), "chunks",
                                 (json_int_t)sums[kind].chunks, "payload_bytes",
                                 (json_int_t)sums[kind].payload_bytes, "frame_bytes",
                                 (json_int_t)sums[kind].frame_bytes));
    return kinds;
}

static json_t *modules_json(const struct ft_trace *trace)
{
    json_t *modules = json_array();
    for (size_t i = 0; i < ft_trace_module_count(trace); i++) {
        const struct ft_module *module = ft_trace_module(trace, i);
        char build_id[2 * sizeof module->build_id + 1], sha256[2 * sizeof module->sha256 + 1];
        ft_hex_text(module->build_id, module->build_id_bytes, build_id);
        ft_hex_text(module->sha256, sizeof module->sha256, sha256);
        json_t *entry = json_object();
        json_object_set_new(entry, "path", ft_json_text(module->path));
        json_object_set_new(entry, "build_id", json_string(build_id));
        json_object_set_new(entry, "sha256", json_string(sha256));
        json_object_set_new(entry, "symbols", json_integer((json_int_t)module->symbol_count));
        json_object_set_new(entry, "lines", json_integer((json_int_t)module->line_count));
        json_object_set_new(entry, "inlined_calls", json_integer((json_int_t)module->inline_count));
        json_array_append_new(modules, entry);
    }
    return modules;
}

static void set_numbers(json_t *root, const struct ft_trace *trace,
                        const struct ft_log_totals *totals)
{
    const struct ft_metadata *metadata = ft_trace_metadata(trace);
    const struct {
        const char *key;
        uint64_t number;
    } rows[] = {
        {"format_version", ft_trace_version(trace)},
        {"accesses", metadata->accesses},
        {"prefetches", metadata->prefetches},
        {"instructions", metadata->instructions},
        {"records", totals->records},
        {"units", count_units(trace)},
        {"threads", ft_trace_thread_count(trace)},
        {"events", ft_trace_event_count(trace)},
        {"file_bytes", ft_trace_file_bytes(trace)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        json_object_set_new(root, rows[i].key, json_integer((json_int_t)rows[i].number));
    json_object_set_new(root, "only_counts", json_boolean(ft_trace_counts(trace) != NULL));
    const uint64_t kernel[] = {metadata->kernel_calls, metadata->kernel_reads_bytes,
                               metadata->kernel_writes_bytes, metadata->library_calls};
    static const char *const kernel_keys[] = {"kernel_calls", "kernel_reads_bytes",
                                              "kernel_writes_bytes", "library_calls"};
    for (size_t i = 0; i < sizeof kernel / sizeof *kernel; i++)
        json_object_set_new(root, kernel_keys[i],
                            metadata->has_kernel_totals ? json_integer((json_int_t)kernel[i])
                                                        : json_null());
    const struct ft_recorded_windows windows = ft_recorded_windows(trace);
    if (windows.any) {
        json_object_set_new(root, "windows", json_integer((json_int_t)windows.count));
        json_object_set_new(root, "unrecorded_instructions",
                            windows.counted ? json_integer((json_int_t)windows.instructions)
                                            : json_null());
    }
    json_object_set_new(root, "target_cpu_seconds", json_real(metadata->target_cpu_seconds));
    json_object_set_new(root, "host_cpu_seconds", json_real(metadata->host_cpu_seconds));
    json_object_set_new(root, "bytes_per_access", json_real(bytes_per_access(trace)));
    json_object_set_new(root, "complete", json_boolean(ft_trace_is_complete(trace)));
}

static void set_source(json_t *root, const struct ft_trace *trace)
{
    struct ft_imported_source source;
    const bool synthesised = is_synthesised(trace);
    json_t *files = json_array();
    for (size_t at = 0; ft_imported_source(trace, &at, &source);)
        json_array_append_new(files,
                              json_pack("{s:o, s:s, s:s, s:I}", "file", ft_json_text(source.name),
                                        "format", source.format, "sha256", source.sha256, "bytes",
                                        (json_int_t)source.bytes));
    if (synthesised)
        json_object_set(root, "synthesised_from", files);
    else if (json_array_size(files))
        json_object_set(root, "imported_from", json_array_get(files, 0));
    json_decref(files);
}

static int print_json(const struct ft_trace *trace, const struct kind_sum *sums,
                      const struct ft_log_totals *totals, struct ft_diag *diag)
{
    const struct ft_metadata *metadata = ft_trace_metadata(trace);
    const struct {
        const char *key, *text;
    } rows[] = {
        {"program", metadata->program},
        {"directory", metadata->directory},
        {"host", metadata->host},
        {"cpu", metadata->cpu},
        {"kernel", metadata->kernel},
        {"started", metadata->started},
        {"tool_version", metadata->tool_version},
        {"end_reason", metadata->end_reason},
        {"content_hash", ft_trace_content_hash(trace)},
    };
    json_t *root = json_object();
    set_numbers(root, trace, totals);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        json_object_set_new(root, rows[i].key, ft_json_text(rows[i].text));
    json_object_set_new(root, "command_line", ft_arguments_json(metadata));
    json_t *parameters = json_object();
    for (size_t i = 0; i < metadata->parameter_count; i++)
        json_object_set_new(parameters, metadata->parameters[i].name,
                            json_real(metadata->parameters[i].value));
    json_object_set_new(root, "parameters", parameters);
    json_object_set_new(root, "chunks", chunks_json(sums));
    json_object_set_new(root, "modules", modules_json(trace));
    json_object_set_new(root, "sources", ft_sources_json(ft_trace_sources(trace)));
    set_source(root, trace);
    json_object_set_new(root, "capture_host", ft_host_json(&metadata->capture_host));
    return ft_json_write(root, stdout, diag);
}

/* ---- as text ---- */

/* The files that a trace without code was made from. */
static void print_sources(const struct ft_trace *trace)
{
    struct ft_imported_source source;
    char bytes[FT_NUMBER_TEXT];
    for (size_t at = 0; ft_imported_source(trace, &at, &source);) {
        ft_print_wrapped(stdout, FT_VALUE_INDENT, "  source        %s, %s, %s\n", source.name,
                         is_synthesised(trace) ? "learned from" : source.format,
                         ft_text_bytes(bytes, (double)source.bytes));
        printf("  SHA-256       %s\n", source.sha256);
    }
}

/* How a trace came about. */
static const char *origin_of(const struct ft_trace *trace)
{
    return is_synthesised(trace) ? "synthesised" : is_imported(trace) ? "imported" : "captured";
}

static void print_origin(const struct ft_trace *trace)
{
    const struct ft_metadata *metadata = ft_trace_metadata(trace);
    char bytes[FT_NUMBER_TEXT];
    printf("%s: %s, %s\n\n", ft_trace_path(trace),
           ft_trace_is_complete(trace) ? "a complete trace"
                                       : "the intact part of a truncated trace",
           ft_text_bytes(bytes, (double)ft_trace_file_bytes(trace)));
    ft_print_wrapped(stdout, FT_VALUE_INDENT, "  program       %s\n", metadata->program);
    printf("%s", metadata->argument_count ? "  command line " : "");
    for (size_t i = 0; i < metadata->argument_count; i++) {
        const char *argument = metadata->arguments[i];
        bool plain = *argument && !strpbrk(argument, " \t\n'\"\\$*?[]();&|<>`");
        printf(plain ? " %s" : " '%s'", argument);
    }
    printf("%s", metadata->argument_count ? "\n" : "");
    if (metadata->directory[0])
        printf("  directory     %s\n", metadata->directory);
    for (size_t i = 0; i < metadata->parameter_count; i++)
        printf("%s%s = %.15g", i == 0 ? "  parameters    " : ", ", metadata->parameters[i].name,
               metadata->parameters[i].value);
    printf("%s", metadata->parameter_count ? "\n" : "");
    if (metadata->host[0])
        ft_print_wrapped(stdout, FT_VALUE_INDENT, "  machine       %s, %s, Linux %s\n",
                         metadata->host, metadata->cpu, metadata->kernel);
    ft_print_wrapped(stdout, FT_VALUE_INDENT, "  %-13s %s by foretrace %s\n", origin_of(trace),
                     metadata->started, metadata->tool_version);
    const struct ft_host_fact *options =
        ft_capture_host_find_fact(&metadata->capture_host, FT_HOST_OPTIONS);
    if (options && options->text)
        ft_print_wrapped(stdout, FT_VALUE_INDENT, "  options       %s\n", options->text);
    print_sources(trace);
    printf("  ended         %s\n\n", metadata->end_reason && *metadata->end_reason
                                         ? metadata->end_reason
                                         : "unknown: the capture was cut off");
}

static void print_numbers(const struct ft_trace *trace, const struct ft_log_totals *totals)
{
    const struct ft_metadata *metadata = ft_trace_metadata(trace);
    const bool only_counts = ft_trace_counts(trace) != NULL;
    char text[FT_NUMBER_TEXT], more[FT_NUMBER_TEXT];
    printf("  accesses      %-10s %s",
           only_counts ? "none" : ft_text_count(text, (double)metadata->accesses),
           only_counts ? "captured with --counts: 'foretrace structure' shows what ran"
                       : "loads and stores");
    if (metadata->prefetches)
        printf("; %s prefetches not included", ft_text_count(more, (double)metadata->prefetches));
    printf("\n  instructions  %-10s\n", ft_text_count(text, (double)metadata->instructions));
    const struct ft_recorded_windows windows = ft_recorded_windows(trace);
    if (windows.any)
        printf("  windows       %-10s %s instructions outside them not recorded\n",
               ft_text_count(text, (double)windows.count),
               windows.counted ? ft_text_count(more, (double)windows.instructions) : "uncounted");
    printf("  units         %-10s %s; %s execution records\n",
           ft_text_count(text, (double)count_units(trace)),
           is_imported(trace) ? "references, without code" : "of straight-line code",
           ft_text_count(more, (double)totals->records));
    printf("  threads       %-10u\n", ft_trace_thread_count(trace));
    printf("  file          %-10s", ft_text_bytes(text, (double)ft_trace_file_bytes(trace)));
    if (metadata->accesses)
        printf(" %.3g bytes per access", bytes_per_access(trace));
    if (ft_trace_is_complete(trace) && is_imported(trace))
        printf("\n  CPU time      %-10s of foretrace during the %s",
               ft_text_seconds(more, metadata->host_cpu_seconds),
               is_synthesised(trace) ? "synthesis" : "import");
    else if (ft_trace_is_complete(trace))
        printf("\n  CPU time      %-10s of the program during capture; %s of foretrace",
               ft_text_seconds(text, metadata->target_cpu_seconds),
               ft_text_seconds(more, metadata->host_cpu_seconds));
    printf("\n  content       %s\n\n", ft_trace_content_hash(trace));
}

static int print_chunks(const struct kind_sum *sums, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "chunks of", "kind", false);
    ft_table_column(table, "number", "chunks", true);
    ft_table_column(table, "payload", "payload_bytes", true);
    ft_table_column(table, "in the file", "frame_bytes", true);
    for (unsigned kind = 0; kind < FT_CHUNK_KINDS; kind++) {
        if (!sums[kind].chunks)
            continue;
        ft_table_text(table, ft_chunk_kind_name(kind));
        ft_table_count(table, (double)sums[kind].chunks);
        ft_table_bytes(table, (double)sums[kind].payload_bytes);
        ft_table_bytes(table, (double)sums[kind].frame_bytes);
    }
    int status = ft_table_write(table, stdout, false, diag);
    ft_table_destroy(table);
    return status;
}

static int print_modules(const struct ft_trace *trace, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "module", "path", false);
    ft_table_column(table, "build-id", "build_id", false);
    ft_table_column(table, "symbols", "symbols", true);
    ft_table_column(table, "lines", "lines", true);
    for (size_t i = 0; i < ft_trace_module_count(trace); i++) {
        const struct ft_module *module = ft_trace_module(trace, i);
        ft_table_text(table, module->path);
        if (module->build_id_bytes >= 4)
            ft_table_format(table, "%02x%02x%02x%02x...", module->build_id[0], module->build_id[1],
                            module->build_id[2], module->build_id[3]);
        else
            ft_table_empty(table);
        ft_table_count(table, (double)module->symbol_count);
        ft_table_count(table, (double)module->line_count);
    }
    putchar('\n');
    int status = ft_table_write(table, stdout, false, diag);
    ft_table_destroy(table);
    return status;
}

static void print_lacks(const struct ft_trace *trace)
{
    const struct ft_text_format *format;
    struct ft_imported_source source;
    size_t at = 0;
    if (is_synthesised(trace)) {
        ft_print_wrapped(stdout, 0,
                         "No program ran: the accesses follow the laws of smaller sizes "
                         "('foretrace synthesise'). Not in the trace: code, routines, source "
                         "lines.\n");
        return;
    }
    ft_print_wrapped(stdout, 0,
                     "Not in the trace: code, routines, source lines, and what the other tool left "
                     "out.\n");
    if (ft_imported_source(trace, &at, &source) &&
        ft_text_format_find(source.format, false, NULL, &format, NULL) == FT_OK && format->lacks)
        ft_print_wrapped(stdout, 0, "Not in %s: %s.\n", format->name, format->lacks);
}

/* What the kernel touched, which is in no count of accesses. */
static void print_kernel(const struct ft_trace *trace)
{
    const struct ft_metadata *metadata = ft_trace_metadata(trace);
    char calls[FT_NUMBER_TEXT], written[FT_NUMBER_TEXT], read[FT_NUMBER_TEXT];
    if (is_imported(trace))
        print_lacks(trace);
    else if (!metadata->has_kernel_totals)
        printf("Not among the accesses: what the kernel reads or writes in system calls.\n");
    else
        ft_print_wrapped(
            stdout, 0,
            "Not among the accesses: what the kernel touches. %s system calls with buffers are in "
            "the trace (it wrote %s, read %s there; 'foretrace dump --calls'), paths and small "
            "structures are not.\n",
            ft_text_count(calls, (double)metadata->kernel_calls),
            ft_text_bytes(written, (double)metadata->kernel_writes_bytes),
            ft_text_bytes(read, (double)metadata->kernel_reads_bytes));
}

static void print_library_calls(const struct ft_trace *trace)
{
    char calls[FT_NUMBER_TEXT];
    if (ft_trace_metadata(trace)->library_calls)
        printf("%s calls of library functions are in the trace: 'foretrace dump --calls', of MPI\n"
               "'dump --mpi'\n",
               ft_text_count(calls, (double)ft_trace_metadata(trace)->library_calls));
}

static int print_text(const struct ft_trace *trace, const struct kind_sum *sums,
                      const struct ft_log_totals *totals, struct ft_diag *diag)
{
    char text[FT_NUMBER_TEXT];
    print_origin(trace);
    print_numbers(trace, totals);
    int status = print_chunks(sums, diag);
    if (status == FT_OK && ft_trace_module_count(trace))
        status = print_modules(trace, diag);
    if (status == FT_OK)
        status = ft_sources_print(ft_trace_sources(trace), stdout, diag);
    ft_host_print(&ft_trace_metadata(trace)->capture_host, stdout);
    printf("\n%s events; 'foretrace dump --events' lists them\n",
           ft_text_count(text, (double)ft_trace_event_count(trace)));
    print_library_calls(trace);
    print_kernel(trace);
    return status;
}

static int tell_trace(const struct ft_arguments *arguments, bool json, struct ft_diag *diag)
{
    struct ft_trace *trace;
    struct kind_sum sums[FT_CHUNK_KINDS] = {0};
    struct ft_log_totals totals;
    FT_TRY(ft_trace_open_operand(arguments, &trace, diag));
    sum_chunks(trace, sums, &totals);
    int status =
        json ? print_json(trace, sums, &totals, diag) : print_text(trace, sums, &totals, diag);
    ft_trace_close(trace);
    return status;
}

static int tell_histograms(const char *path, bool json, struct ft_diag *diag)
{
    struct ft_histogram_file file;
    FT_TRY(ft_histogram_file_read(path, &file, diag));
    int status = json ? ft_json_write(ft_histograms_json(&file), stdout, diag)
                      : ft_histograms_print(path, &file, stdout, diag);
    ft_histogram_file_fini(&file);
    return status;
}

static int tell_models(const char *path, bool json, struct ft_diag *diag)
{
    struct ft_model_file file;
    FT_TRY(ft_model_file_read(path, &file, diag));
    int status = json ? ft_json_write(ft_models_json(&file), stdout, diag)
                      : ft_models_print(path, &file, stdout, diag);
    ft_model_file_fini(&file);
    return status;
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag = {0};
    int status;
    const bool csv = ft_option_count(arguments, "csv") > 0;
    const bool json = ft_option_count(arguments, "json") > 0;
    if (ft_operand_count(arguments) == 0)
        return ft_command_misuse(arguments, "expected a trace");
    const char *path = ft_operands(arguments)[0];
    const bool mpi = ft_option_count(arguments, "mpi") > 0;
    const bool several = csv || ft_operand_count(arguments) > 1;
    if (!mpi && several && json)
        return ft_command_misuse(arguments, "--json takes one file; use --csv for several traces");
    if (mpi)
        status = ft_mpi_job_print(arguments, csv, json, stdout, &diag);
    else if (several)
        status = ft_trace_list_print(arguments, csv, &diag);
    else if (ft_histogram_file_is(path))
        status = tell_histograms(path, json, &diag);
    else if (ft_model_file_is(path))
        status = tell_models(path, json, &diag);
    else
        status = tell_trace(arguments, json, &diag);
    if (status == FT_OK)
        status = ft_stdout_finish(&diag);
    return status ? ft_command_fail(arguments, &diag) : 0;
}

static const struct ft_option options[] = {
    {"json", 0, NULL, "output as JSON, unrounded (docs/json.md)", .excludes = "csv"},
    {"csv", 0, NULL, "output as CSV, unrounded, one line per trace"},
    {"mpi", 0, NULL, "MPI calls, messages and bytes of the ranks whose traces are given"},
    FT_PARTIAL_OPTION,
    FT_WIDE_OPTION,
};

const struct ft_command ft_info_command = {
    .name = "info",
    .synopsis = "info [--json | --csv] [--mpi] TRACE... | HIST | MODEL",
    .summary = "summarize a trace, a histograms file or a model",
    .details =
        "One trace is shown in full, several as one line each; of histograms, the misses of\n"
        "fully associative caches by capacity and block size; of a model, its counts as\n"
        "formulas. With --mpi, the traces of all ranks of a job: what each rank sent to which\n"
        "other, and its collectives, with bytes (docs/mpi.md).\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
