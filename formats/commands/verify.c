/*
 * `foretrace verify`: reads everything and trusts nothing. Checked are each chunk against its
 * checksum and the index; the records of each log, recounted from the code of the units, against
 * what the encoder counted at capture; the end of each log chunk against the start of the next; the
 * runs that replay reads against the same counts; and the summary against the sums. --thorough also
 * steps through each instruction, with code that shares only the decoder with the counting.
 *
 * The log of each thread of a truncated trace is intact up to its first damaged or missing chunk;
 * --repair writes that much as a complete trace. Histogram files: verify_histograms.h; archives:
 * verify_archive.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/archive/archive_input.h"
#include "formats/cli/commands.h"
#include "formats/cli/progress_line.h"
#include "formats/cli/terminal.h"
#include "formats/commands/trace_operand.h"
#include "formats/commands/verify_archive.h"
#include "formats/commands/verify_histograms.h"
#include "formats/commands/verify_model.h"
#include "formats/commands/verify_report.h"
#include "formats/expand/expand.h"
#include "formats/expand/known_effects.h"
#include "formats/expand/log_counter.h"
#include "formats/histograms/histograms.h"
#include "formats/model/model.h"
#include "formats/trace/log_parts.h"
#include "formats/trace/repair.h"
#include "formats/trace/trace_reader.h"

#define BATCH 4096

struct verifier {
    const struct ft_arguments *arguments;
    struct ft_trace *trace;
    struct ft_log_counter *counter;
    struct ft_log_decoder *decoder;
    struct ft_log_buffer buffer;
    struct ft_record *records; /* BATCH */
    bool thorough;
    struct ft_known_effects effects;    /* where it is */
    struct ft_log_totals totals;        /* of all logs, as the encoder counted */
    struct ft_verified_thread *threads; /* thread_count */
    size_t damaged_count;               /* threads */
    struct ft_progress_line progress;
};

static int differ(const char *what, uint64_t found, uint64_t noted, struct ft_diag *diag)
{
    return ft_fail(diag, FT_ERROR_DATA,
                   "%" PRIu64 " %s expanded, %" PRIu64 " counted at capture: the log or the counts "
                   "are damaged",
                   found, what, noted);
}

static int compare_totals(const struct ft_log_totals *found, const struct ft_log_totals *noted,
                          struct ft_diag *diag)
{
    if (found->records != noted->records)
        return differ("records", found->records, noted->records, diag);
    if (found->instructions != noted->instructions)
        return differ("instructions", found->instructions, noted->instructions, diag);
    if (found->accesses != noted->accesses)
        return differ("accesses", found->accesses, noted->accesses, diag);
    if (found->prefetches != noted->prefetches)
        return differ("prefetches", found->prefetches, noted->prefetches, diag);
    return FT_OK;
}

static int count_access(void *context, const struct ft_expanded_access *access)
{
    struct ft_log_totals *totals = context;
    totals->accesses += access->kind != FT_PREFETCH;
    totals->prefetches += access->kind == FT_PREFETCH;
    return 0;
}

/* The slow reference over a batch that starts at *state; moves it past the batch. */
static int step_batch(struct verifier *verifier, size_t count, struct ft_log_state *state,
                      struct ft_log_totals *totals, struct ft_diag *diag)
{
    const struct ft_unit_table *units = ft_trace_units(verifier->trace);
    for (size_t i = 0; i < count; i++) {
        const struct ft_unit *unit = ft_record_unit(units, &verifier->records[i]);
        const struct ft_effect *effects = NULL;
        if (unit)
            FT_TRY(ft_known_effects_of(&verifier->effects, unit, &effects, diag));
        FT_TRY(ft_unit_step_known(unit, effects, &verifier->records[i], state, count_access, totals,
                                  diag));
    }
    return FT_OK;
}

static bool same_state(const struct ft_log_state *a, const struct ft_log_state *b)
{
    return a->rsp == b->rsp && a->fs_base == b->fs_base && a->direction_down == b->direction_down;
}

/* Counts one chunk's records again. *state is where the chunk before ended, if there is one. */
static int check_records(struct verifier *verifier, const uint8_t *payload,
                         const struct ft_chunk_description *chunk, bool is_first,
                         struct ft_log_state *state, struct ft_diag *diag)
{
    struct ft_log_state start, stepped;
    struct ft_log_totals totals = {0}, stepped_totals = {0};
    int status = ft_log_decoder_start(verifier->decoder, payload, chunk->payload_bytes,
                                      chunk->totals.instructions, &start, diag);
    if (status)
        return status;
    if (!is_first && !same_state(&start, state))
        return ft_fail(diag, FT_ERROR_DATA,
                       "starts with RSP 0x%" PRIx64 "; the previous chunk ends with 0x%" PRIx64,
                       start.rsp, state->rsp);
    *state = stepped = start;
    for (size_t count = 1; count;) {
        status = ft_log_decoder_next(verifier->decoder, verifier->records, BATCH, &count, diag);
        for (size_t i = 0; i < count && status == FT_OK; i++)
            status = ft_log_counter_add(verifier->counter, &verifier->records[i], &chunk->totals,
                                        state, &totals, diag);
        if (status == FT_OK && verifier->thorough)
            status = step_batch(verifier, count, &stepped, &stepped_totals, diag);
        if (status)
            return status;
        if (verifier->thorough && !same_state(&stepped, state))
            return ft_fail(diag, FT_ERROR_DATA,
                           "RSP is 0x%" PRIx64 " after counting, 0x%" PRIx64 " after stepping",
                           state->rsp, stepped.rsp);
    }
    status = compare_totals(&totals, &chunk->totals, diag);
    if (status == FT_OK && verifier->thorough && stepped_totals.accesses != totals.accesses)
        status = differ("accesses (step by step)", stepped_totals.accesses, totals.accesses, diag);
    return status;
}

static void add_totals(struct ft_log_totals *sum, const struct ft_log_totals *totals)
{
    sum->records += totals->records;
    sum->instructions += totals->instructions;
    sum->accesses += totals->accesses;
    sum->prefetches += totals->prefetches;
}

static int check_log(struct verifier *verifier, uint32_t thread, size_t index,
                     struct ft_log_state *state, struct ft_diag *diag)
{
    const struct ft_chunk_description *chunk = ft_trace_log(verifier->trace, thread, index);
    const uint8_t *payload;
    int status =
        ft_trace_log_read(verifier->trace, thread, index, &verifier->buffer, &payload, diag);
    if (status)
        return status;
    status = check_records(verifier, payload, chunk, index == 0, state, diag);
    return status ? ft_trace_log_fail(verifier->trace, thread, index, diag) : FT_OK;
}

static void count_good(struct verifier *verifier, uint32_t thread)
{
    struct ft_verified_thread *found = &verifier->threads[thread];
    const struct ft_log_totals *totals =
        &ft_trace_log(verifier->trace, thread, found->good)->totals;
    add_totals(&found->totals, totals);
    add_totals(&verifier->totals, totals);
    found->good++;
    ft_progress_update(&verifier->progress.base, verifier->totals.accesses,
                       ft_trace_metadata(verifier->trace)->accesses, "accesses");
}

/* The logs of a part from which on the rest are good if these are: those that come for the first
 * time, or, of a repetition, once more, and the one behind them, which starts as they end. */
static size_t distinct_logs(const struct ft_log_part *part)
{
    return part->base_count && part->base_count + 1 < part->log_count ? part->base_count + 1
                                                                      : part->log_count;
}

/* Checks the logs of a part, in the order of the thread, and counts them. */
static int check_part(struct verifier *verifier, uint32_t thread, const struct ft_log_part *part,
                      struct ft_log_state *state, struct ft_diag *diag)
{
    struct ft_log_state end = *state;
    for (size_t i = 0; i < distinct_logs(part); i++) {
        FT_TRY(check_log(verifier, thread, verifier->threads[thread].good, state, diag));
        count_good(verifier, thread);
        if (i + 1 <= part->base_count)
            end = *state;
    }
    for (size_t i = distinct_logs(part); i < part->log_count; i++)
        count_good(verifier, thread);
    if (distinct_logs(part) < part->log_count)
        *state = end;
    return FT_OK;
}

/* Notes how far a thread's log is good. */
static int check_logs(struct verifier *verifier, uint32_t thread, struct ft_diag *diag)
{
    size_t part_count;
    const struct ft_log_part *parts = ft_trace_log_parts(verifier->trace, thread, &part_count);
    struct ft_log_state state = {0};
    int status = FT_OK;
    for (size_t i = 0; i < part_count && status == FT_OK; i++)
        status = check_part(verifier, thread, &parts[i], &state, diag);
    if (status != FT_ERROR_DATA || ft_trace_is_complete(verifier->trace))
        return status;
    verifier->threads[thread].why = *diag;
    verifier->damaged_count++;
    return FT_OK;
}

/* The runs that replay would read stand for as many accesses as these logs of a thread. */
static int check_runs_between(struct verifier *verifier, uint32_t thread, size_t first, size_t end,
                              struct ft_diag *diag)
{
    struct ft_run_source *source;
    struct ft_run_batch batch = {.run_count = 1};
    uint64_t found = 0, noted = 0;
    for (size_t i = first; i < end; i++)
        noted += ft_trace_log(verifier->trace, thread, i)->totals.accesses;
    int status = ft_trace_runs_between(verifier->trace, thread, FT_RUN_ACCESSES,
                                       (struct ft_log_place){.chunk = first},
                                       (struct ft_log_place){.chunk = end}, NULL, &source, diag);
    if (status)
        return status;
    while (status == FT_OK && batch.run_count) {
        status = source->next(source, &batch, diag);
        for (size_t i = 0; status == FT_OK && i < batch.run_count; i++)
            found += batch.runs[i].reference_count * batch.runs[i].iteration_count;
    }
    source->destroy(source);
    if (status == FT_OK && found != noted) {
        differ("accesses (as runs)", found, noted, diag);
        status = ft_fail_at(diag, FT_ERROR_DATA, "%s: thread %u", ft_trace_path(verifier->trace),
                            thread);
    }
    return status;
}

/* The same of all logs of the thread, each chunk once: a log's runs follow from it alone. */
static int check_runs(struct verifier *verifier, uint32_t thread, struct ft_diag *diag)
{
    size_t part_count, first = 0;
    const struct ft_log_part *parts = ft_trace_log_parts(verifier->trace, thread, &part_count);
    int status = FT_OK;
    for (size_t i = 0; i < part_count && status == FT_OK; i++) {
        if (parts[i].base_count == 0)
            continue;
        status = check_runs_between(verifier, thread, first, parts[i].first, diag);
        first = parts[i].first + parts[i].log_count;
    }
    return status ? status
                  : check_runs_between(verifier, thread, first,
                                       ft_trace_log_count(verifier->trace, thread), diag);
}

static int check_summary(const struct verifier *verifier, struct ft_diag *diag)
{
    const struct ft_metadata *metadata = ft_trace_metadata(verifier->trace);
    if (verifier->totals.accesses != metadata->accesses)
        return ft_fail(
            diag, FT_ERROR_DATA, "%s: %" PRIu64 " accesses in the summary, %" PRIu64 " in the logs",
            ft_trace_path(verifier->trace), metadata->accesses, verifier->totals.accesses);
    if (verifier->totals.instructions != metadata->instructions)
        return ft_fail(diag, FT_ERROR_DATA,
                       "%s: %" PRIu64 " instructions in the summary, %" PRIu64 " in the logs",
                       ft_trace_path(verifier->trace), metadata->instructions,
                       verifier->totals.instructions);
    return FT_OK;
}

static int check_all(struct verifier *verifier, struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < ft_trace_chunk_count(verifier->trace); i++) {
        unsigned kind = ft_trace_chunk(verifier->trace, i)->kind;
        if (kind == FT_CHUNK_COUNTS)
            add_totals(&verifier->totals, &ft_trace_chunk(verifier->trace, i)->totals);
        if (kind != FT_CHUNK_LOG && kind != FT_CHUNK_DROPPED)
            status = ft_trace_chunk_read(verifier->trace, i, &verifier->buffer, diag);
    }
    for (uint32_t thread = 0; status == FT_OK && thread < ft_trace_thread_count(verifier->trace);
         thread++) {
        status = check_logs(verifier, thread, diag);
        if (status == FT_OK && verifier->threads[thread].why.status == FT_OK &&
            !ft_trace_counts(verifier->trace))
            status = check_runs(verifier, thread, diag);
    }
    if (status == FT_OK && ft_trace_is_complete(verifier->trace))
        status = check_summary(verifier, diag);
    return status;
}

static int verify(struct verifier *verifier, struct ft_diag *diag)
{
    FT_TRY(ft_option_count(verifier->arguments, "repair")
               ? ft_trace_open_carved(verifier->arguments, &verifier->trace, diag)
               : ft_trace_open_operand(verifier->arguments, &verifier->trace, diag));
    const struct ft_unit_table *units = ft_trace_units(verifier->trace);
    verifier->records = calloc(BATCH, sizeof *verifier->records);
    verifier->threads =
        calloc(ft_trace_thread_count(verifier->trace) + 1U, sizeof *verifier->threads);
    if (!verifier->records || !verifier->threads)
        return ft_fail_memory(diag, "records");
    int status = ft_log_counter_create(units, &verifier->counter, diag);
    if (status == FT_OK)
        status = ft_log_decoder_create(units, &verifier->decoder, diag);
    if (status)
        return status;
    ft_progress_line_init(&verifier->progress, "verify");
    status = check_all(verifier, diag);
    ft_progress_line_fini(&verifier->progress);
    return status;
}

/* ---- what was found ---- */

static struct ft_verified_trace verified_of(const struct verifier *verifier)
{
    return (struct ft_verified_trace){verifier->trace, verifier->threads, verifier->totals,
                                      verifier->damaged_count};
}

static int repair(const struct verifier *verifier, struct ft_diag *diag)
{
    const char *path = ft_option_last(verifier->arguments, "repair");
    uint32_t thread_count = ft_trace_thread_count(verifier->trace);
    size_t *log_counts = calloc(thread_count + 1U, sizeof *log_counts);
    if (!log_counts)
        return ft_fail_memory(diag, "the logs of a trace");
    for (uint32_t thread = 0; thread < thread_count; thread++)
        log_counts[thread] = verifier->threads[thread].good;
    bool is_whole = ft_trace_is_whole(verifier->trace) && !verifier->damaged_count;
    int status = ft_trace_repair(verifier->trace, log_counts, is_whole, path, diag);
    free(log_counts);
    return status;
}

static int print_json(const struct verifier *verifier, struct ft_diag *diag)
{
    const struct ft_verified_trace verified = verified_of(verifier);
    const char *copy = ft_option_last(verifier->arguments, "repair");
    if (copy)
        FT_TRY(repair(verifier, diag));
    return ft_verified_print_json(&verified, copy, diag);
}

static int print_text(const struct verifier *verifier, struct ft_diag *diag)
{
    const struct ft_verified_trace verified = verified_of(verifier);
    const char *copy = ft_option_last(verifier->arguments, "repair");
    FT_TRY(ft_verified_print(&verified, diag));
    if (!copy)
        return FT_OK;
    FT_TRY(repair(verifier, diag));
    printf("%s: written, a complete trace of the intact part\n", copy);
    return FT_OK;
}

static int run_histograms(const struct ft_arguments *arguments)
{
    struct ft_diag diag = {0};
    if (ft_option_count(arguments, "repair"))
        return ft_command_misuse(
            arguments, "--repair is for traces; regenerate histograms with 'foretrace replay'");
    const char *path = ft_operands(arguments)[0];
    struct ft_verified_histograms verified = {0};
    int status = ft_verify_histograms(path, &verified, &diag);
    if (status == FT_OK) {
        status = ft_option_count(arguments, "json")
                     ? ft_verified_histograms_print_json(path, &verified, &diag)
                     : ft_verified_histograms_print(path, &verified, &diag);
        ft_verified_histograms_fini(&verified);
    }
    if (status == FT_OK)
        status = ft_stdout_finish(&diag);
    return status ? ft_command_fail(arguments, &diag) : 0;
}

/* Of what is verified as one. refusal: of options that are for traces. */
static int run_whole(const struct ft_arguments *arguments,
                     int (*verify_one)(const char *path, bool as_json, struct ft_diag *diag),
                     const char *refusal)
{
    struct ft_diag diag = {0};
    if (ft_option_count(arguments, "repair") || ft_option_count(arguments, "thorough"))
        return ft_command_misuse(arguments, "--repair and --thorough are for traces%s", refusal);
    int status =
        verify_one(ft_operands(arguments)[0], ft_option_count(arguments, "json") > 0, &diag);
    if (status == FT_OK)
        status = ft_stdout_finish(&diag);
    return status ? ft_command_fail(arguments, &diag) : 0;
}

static int run(const struct ft_arguments *arguments)
{
    if (ft_operand_count(arguments) != 1)
        return ft_command_misuse(arguments,
                                 "expected one trace, histograms file, model, or archive");
    if (ft_archive_is(ft_operands(arguments)[0]))
        return run_whole(arguments, ft_verify_archive,
                         ": unpack the archive, and verify a trace in it");
    if (ft_histogram_file_is(ft_operands(arguments)[0]))
        return run_histograms(arguments);
    if (ft_model_file_is(ft_operands(arguments)[0]))
        return run_whole(arguments, ft_verify_model, "; make a model again with 'foretrace fit'");
    struct ft_diag diag;
    struct verifier verifier = {.arguments = arguments,
                                .thorough = ft_option_count(arguments, "thorough") > 0};
    int status = verify(&verifier, &diag);
    if (status == FT_OK)
        status = ft_option_count(arguments, "json") ? print_json(&verifier, &diag)
                                                    : print_text(&verifier, &diag);
    if (status == FT_OK && verifier.damaged_count && !ft_option_count(arguments, "repair"))
        status = ft_fail(&diag, FT_ERROR_DATA,
                         "%s: damaged; save its intact part as a complete trace with --repair COPY",
                         ft_trace_path(verifier.trace));
    if (status == FT_OK)
        status = ft_stdout_finish(&diag);
    ft_log_counter_destroy(verifier.counter);
    ft_log_decoder_destroy(verifier.decoder);
    ft_log_buffer_fini(&verifier.buffer);
    ft_trace_close(verifier.trace);
    ft_known_effects_fini(&verifier.effects);
    free(verifier.records);
    free(verifier.threads);
    return status ? ft_command_fail(arguments, &diag) : 0;
}

static const struct ft_option options[] = {
    {"thorough", 0, NULL, "also step through every instruction (slow)"},
    {"repair", 0, "COPY", "write the intact part of TRACE to COPY as a complete trace",
     .writes = FT_FILE_TRACE},
    FT_PARTIAL_OPTION,
    {"json", 0, NULL, "as JSON (docs/json.md)"},
    FT_QUIET_OPTION,
    FT_WIDE_OPTION,
};

const struct ft_command ft_verify_command = {
    .name = "verify",
    .synopsis = "verify [--thorough] [--repair COPY] TRACE|HIST|MODEL|ARCHIVE",
    .summary = "check a trace, histograms file, model or archive for damage and consistency",
    .details =
        "Checks the checksum of every chunk, the index, and that the logs expand to as many\n"
        "accesses as were counted at capture. Exits with 3 if a check fails.\n"
        "Of a truncated trace it shows how much is there, by thread.\n"
        "--repair searches TRACE, truncated or damaged, for intact chunks, copies the log of\n"
        "each thread up to the first missing or damaged one, and never modifies TRACE.\n"
        "\n"
        "Histograms are checked for consistency: touches and footprint at each block size,\n"
        "accesses against the capture, distances that do not grow with the block size, and\n"
        "loops that add up to their program.\n"
        "\n"
        "A model is read as a whole, which checks the checksums of all its tables.\n"
        "\n"
        "Of an archive (foretrace archive), a folder or .tar.zst, each file that is missing,\n"
        "has changed or was added is named.\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
