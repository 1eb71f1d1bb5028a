/*
 * A trace in which a log chunk comes again by a repetition, beside the same trace with all chunks
 * written out: the same logs, the same runs. Repetitions of what is not there, or that count
 * something else, are refused; where a file was cut off, the log ends before them.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/trace/repair.h"
#include "formats/trace/trace_reader.h"
#include "tests/support/repeated_trace.h"
#include "tests/support/small_trace.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

#define TIMES 3

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
    const struct repeated_trace written_out = {.tail = WRITTEN_OUT, .times = TIMES},
                                repeated = {
                                    .tail = REPEATED, .times = TIMES, .repeated = {1, 1, TIMES}};
    const size_t logs = 6;
    struct ft_trace *left = NULL, *right = NULL, *copy = NULL;
    struct ft_diag diag = {0};
    tap_ok(repeated_trace_write(small, "written", &written_out, &diag) == FT_OK &&
               repeated_trace_write(small, "repeated", &repeated, &diag) == FT_OK &&
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
        struct repeated_trace wanted;
        const char *what;
    } rows[] = {
        {{.tail = REPEATED, .times = TIMES, .repeated = {2, 1, TIMES}}, "itself"},
        {{.tail = REPEATED, .times = TIMES, .repeated = {1, 2, TIMES}}, "more than there is"},
        {{.tail = REPEATED, .times = TIMES, .repeated = {1, UINT64_MAX, TIMES}},
         "far more than there is"},
        {{.tail = REPEATED, .times = TIMES, .repeated = {1, 0, TIMES}}, "nothing"},
        {{.tail = REPEATED, .times = TIMES, .repeated = {1, 1, 0}}, "no time"},
        {{.tail = REPEATED, .times = TIMES, .repeated = {1, 1, TIMES + 1}},
         "more often than it counts"},
        {{.tail = REPEATED, .times = TIMES, .repeated = {1, 1, UINT64_MAX}}, "without end"},
        {{.tail = REPEATED, .times = TIMES, .repeated = {1, 1, TIMES}, .added_accesses = 1},
         "another count"},
        {{.tail = REPEATED, .times = TIMES, .repeated = {1, 1, TIMES}, .has_rest = true},
         "and something more"},
        {{.tail = REPEATED_TWICE, .times = TIMES, .repeated = {1, 2, TIMES}}, "a repetition"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ft_trace *trace = NULL;
        struct ft_diag diag = {0};
        int written = repeated_trace_write(small, "refused", &rows[i].wanted, &diag);
        int status = ft_trace_open("refused", NULL, &trace, &diag);
        tap_ok(written == FT_OK && status == FT_ERROR_DATA, "refused: %s (%s)", rows[i].what,
               diag.message);
        ft_trace_close(trace);
    }
}

static void test_cut_off(const struct ft_trace *small)
{
    const struct ft_trace_options options = {.allow_incomplete = true};
    const struct repeated_trace
        good = {.tail = REPEATED, .times = TIMES, .repeated = {1, 1, TIMES}, .is_cut_off = true},
        bad = {.tail = REPEATED, .times = TIMES, .repeated = {1, 1, 1}, .is_cut_off = true};
    struct ft_trace *trace = NULL;
    struct ft_diag diag = {0};
    const uint64_t accesses = ft_trace_metadata(small)->accesses;
    int status = repeated_trace_write(small, "good", &good, &diag);
    if (status == FT_OK)
        status = ft_trace_open("good.partial", &options, &trace, &diag);
    tap_ok(status == FT_OK && ft_trace_log_count(trace, 0) == 6 &&
               ft_trace_metadata(trace)->accesses == 3 * accesses,
           "cut off behind it: all logs are counted (%s)", diag.message);
    ft_trace_close(trace);
    trace = NULL;
    status = repeated_trace_write(small, "bad", &bad, &diag);
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
