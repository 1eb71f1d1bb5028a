/*
 * A trace in which a log chunk comes again by a repetition, beside the same trace with all chunks
 * written out: the same logs, the same runs. Repetitions of what is not there, or that count
 * something else, are refused; where a file was cut off, the log ends before them.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/trace/repair.h"
#include "formats/trace/repeated_chunks.h"
#include "formats/trace/trace_reader.h"
#include "tests/support/small_trace.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

#define TIMES 3

/* What the chunks behind the small trace's two logs are. */
enum tail { WRITTEN_OUT, REPEATED, REPEATED_TWICE };

struct wanted {
    enum tail tail;
    struct ft_repeated_chunks repeated;
    unsigned added_accesses; /* that the repetition counts too many */
    bool has_rest;           /* bytes behind its fields */
    bool is_cut_off;
};

static int append(struct ft_trace_writer *writer, struct ft_chunk *chunk,
                  struct ft_metadata *metadata, struct ft_diag *diag)
{
    struct ft_bytes frame = {0};
    int status = ft_chunk_compress(chunk, 1, &frame, diag);
    if (status == FT_OK)
        status = ft_trace_writer_append(writer, chunk, &frame, diag);
    metadata->instructions += chunk->totals.instructions;
    metadata->accesses += chunk->totals.accesses;
    metadata->prefetches += chunk->totals.prefetches;
    chunk->sequence++;
    ft_bytes_fini(&frame);
    return status;
}

/* Appends a log of the small trace. */
static int append_log(const struct ft_trace *small, size_t log, struct ft_trace_writer *writer,
                      struct ft_chunk *chunk, struct ft_metadata *metadata, struct ft_diag *diag)
{
    struct ft_log_buffer buffer = {0};
    const struct ft_chunk_description *description = ft_trace_log(small, 0, log);
    chunk->kind = FT_CHUNK_LOG;
    chunk->version = 0;
    chunk->totals = description->totals;
    chunk->payload_bytes = description->payload_bytes;
    int status = ft_trace_log_read(small, 0, log, &buffer, &chunk->payload, diag);
    if (status == FT_OK)
        status = append(writer, chunk, metadata, diag);
    ft_log_buffer_fini(&buffer);
    return status;
}

static int append_repetition(const struct ft_trace *small, const struct wanted *wanted,
                             struct ft_trace_writer *writer, struct ft_chunk *chunk,
                             struct ft_metadata *metadata, struct ft_diag *diag)
{
    struct ft_bytes payload = {0};
    ft_repeated_chunks_write(&wanted->repeated, &payload);
    if (wanted->has_rest)
        ft_put_u8(&payload, 0);
    chunk->kind = FT_CHUNK_REPETITION;
    chunk->version = FT_TRACE_VERSION_REPETITIONS;
    chunk->totals = ft_log_totals_times(&ft_trace_log(small, 0, 1)->totals, TIMES);
    chunk->totals.accesses += wanted->added_accesses;
    chunk->payload = payload.data;
    chunk->payload_bytes = payload.length;
    int status = append(writer, chunk, metadata, diag);
    ft_bytes_fini(&payload);
    return status;
}

static int write_logs(const struct ft_trace *small, const struct wanted *wanted,
                      struct ft_trace_writer *writer, struct ft_metadata *metadata,
                      struct ft_diag *diag)
{
    struct ft_chunk chunk = {0};
    int status = append_log(small, 0, writer, &chunk, metadata, diag);
    if (status == FT_OK)
        status = append_log(small, 1, writer, &chunk, metadata, diag);
    for (unsigned i = 0; i < TIMES && wanted->tail == WRITTEN_OUT && status == FT_OK; i++)
        status = append_log(small, 1, writer, &chunk, metadata, diag);
    for (unsigned i = 0; i < (unsigned)wanted->tail && status == FT_OK; i++)
        status = append_repetition(small, wanted, writer, &chunk, metadata, diag);
    if (status == FT_OK)
        status = append_log(small, 0, writer, &chunk, metadata, diag);
    return status;
}

/* The small trace with another log. */
static int write_trace(const struct ft_trace *small, const char *path, const struct wanted *wanted,
                       struct ft_diag *diag)
{
    struct ft_metadata metadata = *ft_trace_metadata(small);
    const struct ft_unit *units[SMALL_UNITS];
    struct ft_trace_writer *writer = NULL;
    for (uint32_t id = 1; id < SMALL_UNITS; id++)
        units[id - 1] = ft_trace_unit(small, id);
    metadata.instructions = metadata.accesses = metadata.prefetches = 0;
    int status = ft_trace_writer_create(path, &metadata, &writer, diag);
    if (status == FT_OK)
        status = ft_trace_writer_module(writer, ft_trace_module(small, 0), diag);
    if (status == FT_OK)
        status = ft_trace_writer_units(writer, units, SMALL_UNITS - 1, diag);
    if (status == FT_OK)
        status = write_logs(small, wanted, writer, &metadata, diag);
    if (status == FT_OK && !wanted->is_cut_off)
        status = ft_trace_writer_finish(writer, &metadata, diag);
    ft_trace_writer_destroy(writer);
    return status;
}

static bool same_logs(const struct ft_trace *left, const struct ft_trace *right)
{
    struct ft_log_buffer buffers[2] = {{{0}, NULL, NULL}, {{0}, NULL, NULL}};
    bool same = ft_trace_log_count(left, 0) == ft_trace_log_count(right, 0);
    for (size_t i = 0; same && i < ft_trace_log_count(left, 0); i++) {
        const struct ft_chunk_description *a = ft_trace_log(left, 0, i),
                                          *b = ft_trace_log(right, 0, i);
        const uint8_t *payloads[2];
        same = a->payload_bytes == b->payload_bytes && a->totals.accesses == b->totals.accesses &&
               ft_trace_log_read(left, 0, i, &buffers[0], &payloads[0], NULL) == FT_OK &&
               ft_trace_log_read(right, 0, i, &buffers[1], &payloads[1], NULL) == FT_OK &&
               memcmp(payloads[0], payloads[1], a->payload_bytes) == 0;
    }
    ft_log_buffer_fini(&buffers[0]);
    ft_log_buffer_fini(&buffers[1]);
    return same;
}

/* All runs of two sources alike: their references, addresses and lengths. */
static bool same_batches(struct ft_run_source *left, struct ft_run_source *right)
{
    for (;;) {
        struct ft_run_batch a, b;
        if (left->next(left, &a, NULL) || right->next(right, &b, NULL) ||
            a.run_count != b.run_count)
            return false;
        if (a.run_count == 0)
            return true;
        for (size_t i = 0; i < a.run_count; i++)
            if (a.runs[i].iteration_count != b.runs[i].iteration_count ||
                a.runs[i].reference_count != b.runs[i].reference_count)
                return false;
        if (a.entry_count != b.entry_count ||
            memcmp(a.references, b.references, a.entry_count * sizeof *a.references) != 0 ||
            memcmp(a.addresses, b.addresses, a.entry_count * sizeof *a.addresses) != 0)
            return false;
    }
}

static bool same_runs(struct ft_trace *left, struct ft_trace *right)
{
    struct ft_run_source *a = NULL, *b = NULL;
    bool same = ft_trace_runs(left, 0, NULL, &a, NULL) == FT_OK &&
                ft_trace_runs(right, 0, NULL, &b, NULL) == FT_OK && same_batches(a, b);
    if (a)
        a->destroy(a);
    if (b)
        b->destroy(b);
    return same;
}

static void test_same(const struct ft_trace *small)
{
    const struct wanted written_out = {.tail = WRITTEN_OUT},
                        repeated = {.tail = REPEATED, .repeated = {1, 1, TIMES}};
    const size_t logs = 6;
    struct ft_trace *left = NULL, *right = NULL, *copy = NULL;
    struct ft_diag diag = {0};
    tap_ok(write_trace(small, "written", &written_out, &diag) == FT_OK &&
               write_trace(small, "repeated", &repeated, &diag) == FT_OK &&
               ft_trace_open("written", NULL, &left, &diag) == FT_OK &&
               ft_trace_open("repeated", NULL, &right, &diag) == FT_OK,
           "both are written and read (%s)", diag.message);
    tap_ok(ft_trace_log_count(right, 0) == logs && same_logs(left, right),
           "they have the same logs");
    tap_ok(same_runs(left, right), "and the same runs");
    tap_ok(ft_trace_metadata(left)->accesses == ft_trace_metadata(right)->accesses &&
               ft_trace_version(left) < FT_TRACE_VERSION_REPETITIONS &&
               ft_trace_version(right) == FT_TRACE_VERSION_REPETITIONS,
           "only that with a repetition has the version that knows of them");
    tap_ok(ft_trace_repair(right, &logs, true, "copy", &diag) == FT_OK &&
               ft_trace_open("copy", NULL, &copy, &diag) == FT_OK && same_logs(copy, right) &&
               strcmp(ft_trace_content_hash(copy), ft_trace_content_hash(right)) == 0,
           "a copy is the same (%s)", diag.message);
    ft_trace_close(left);
    ft_trace_close(right);
    ft_trace_close(copy);
}

static void test_refused(const struct ft_trace *small)
{
    const struct {
        struct wanted wanted;
        const char *what;
    } rows[] = {
        {{.tail = REPEATED, .repeated = {2, 1, TIMES}}, "itself"},
        {{.tail = REPEATED, .repeated = {1, 2, TIMES}}, "more than there is"},
        {{.tail = REPEATED, .repeated = {1, UINT64_MAX, TIMES}}, "far more than there is"},
        {{.tail = REPEATED, .repeated = {1, 0, TIMES}}, "nothing"},
        {{.tail = REPEATED, .repeated = {1, 1, 0}}, "no time"},
        {{.tail = REPEATED, .repeated = {1, 1, TIMES + 1}}, "more often than it counts"},
        {{.tail = REPEATED, .repeated = {1, 1, UINT64_MAX}}, "without end"},
        {{.tail = REPEATED, .repeated = {1, 1, TIMES}, .added_accesses = 1}, "another count"},
        {{.tail = REPEATED, .repeated = {1, 1, TIMES}, .has_rest = true}, "and something more"},
        {{.tail = REPEATED_TWICE, .repeated = {1, 2, TIMES}}, "a repetition"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ft_trace *trace = NULL;
        struct ft_diag diag = {0};
        int written = write_trace(small, "refused", &rows[i].wanted, &diag);
        int status = ft_trace_open("refused", NULL, &trace, &diag);
        tap_ok(written == FT_OK && status == FT_ERROR_DATA, "refused: %s (%s)", rows[i].what,
               diag.message);
        ft_trace_close(trace);
    }
}

static void test_cut_off(const struct ft_trace *small)
{
    const struct ft_trace_options options = {.allow_incomplete = true};
    const struct wanted good = {.tail = REPEATED, .repeated = {1, 1, TIMES}, .is_cut_off = true},
                        bad = {.tail = REPEATED, .repeated = {1, 1, 1}, .is_cut_off = true};
    struct ft_trace *trace = NULL;
    struct ft_diag diag = {0};
    const uint64_t accesses = ft_trace_metadata(small)->accesses;
    int status = write_trace(small, "good", &good, &diag);
    if (status == FT_OK)
        status = ft_trace_open("good.partial", &options, &trace, &diag);
    tap_ok(status == FT_OK && ft_trace_log_count(trace, 0) == 6 &&
               ft_trace_metadata(trace)->accesses == 3 * accesses,
           "cut off behind it: all logs are counted (%s)", diag.message);
    ft_trace_close(trace);
    trace = NULL;
    status = write_trace(small, "bad", &bad, &diag);
    if (status == FT_OK)
        status = ft_trace_open("bad.partial", &options, &trace, &diag);
    tap_ok(status == FT_OK && ft_trace_log_count(trace, 0) == 2 &&
               ft_trace_metadata(trace)->accesses == accesses && ft_trace_dropped_count(trace) == 2,
           "a bad one ends the log of what was cut off (%s)", diag.message);
    ft_trace_close(trace);
}

int main(void)
{
    struct ft_trace *small = NULL;
    struct ft_diag diag = {0};
    enter_temporary_folder();
    tap_ok(small_trace("small", SMALL_GOOD, &diag) == FT_OK &&
               ft_trace_open("small", NULL, &small, &diag) == FT_OK,
           "the small trace (%s)", diag.message);
    test_same(small);
    test_refused(small);
    test_cut_off(small);
    ft_trace_close(small);
    return tap_plan_done();
}
