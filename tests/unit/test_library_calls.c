/*
 * How escapes in a thread's log become calls with results: where the result stands right behind the
 * return, where a timestamp comes between (the log's buffer was full there), and where there is
 * none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "formats/trace/library_calls.h"
#include "tests/support/small_trace.h"
#include "tests/support/tap.h"

#define PATH      "test_library_calls.h5"
#define RSP       0x7fffffffd000
#define GIVEN_MAX 8

struct given {
    struct ft_library_call calls[GIVEN_MAX];
    unsigned count;
};

static void take(void *context, const struct ft_library_call *call)
{
    struct given *given = context;
    if (given->count < GIVEN_MAX)
        given->calls[given->count++] = *call;
}

/* A record as letters: C, a call; B, a unit of its body; L, one that leaves the function's frame;
 * S, a timestamp; R, a result. */
static struct ft_record record_of(char letter, const uint64_t *values)
{
    switch (letter) {
    case 'C':
        return (struct ft_record){.escape = FT_ESCAPE_CALL, .values = values, .value_count = 2};
    case 'S':
        return (struct ft_record){
            .escape = FT_ESCAPE_TIMESTAMP, .values = values, .value_count = 1};
    case 'R':
        return (struct ft_record){.escape = FT_ESCAPE_RETURN, .values = values, .value_count = 1};
    default:
        return (struct ft_record){.unit = SMALL_COPY, .iteration_count = 1};
    }
}

/* What is given of a row of records; calls all begin with the same RSP. */
static struct given track(const struct ft_trace *trace, const char *letters)
{
    const uint64_t call[] = {ft_library_call_head(1, 1), 6000}, timestamp[] = {1},
                   result[] = {0xabc};
    struct given given = {0};
    struct ft_library_tracker *tracker;
    uint64_t rsp = RSP;
    if (ft_library_tracker_create(trace, take, &given, &tracker, NULL) < 0)
        exit(99);
    for (unsigned i = 0; letters[i]; i++) {
        struct ft_record record = record_of(letters[i], letters[i] == 'C'   ? call
                                                        : letters[i] == 'S' ? timestamp
                                                                            : result);
        rsp = letters[i] == 'C'   ? RSP
              : letters[i] == 'B' ? RSP - 64
              : letters[i] == 'L' ? RSP + 8
                                  : rsp;
        if (ft_library_tracker_add(tracker, &record, rsp, i, NULL) < 0)
            exit(99);
    }
    ft_library_tracker_end(tracker, 0);
    ft_library_tracker_destroy(tracker);
    return given;
}

static bool is_one_with_result(const struct given *given)
{
    return given->count == 1 && given->calls[0].has_result && given->calls[0].result == 0xabc &&
           given->calls[0].arguments[0] == 6000;
}

int main(void)
{
    static const char *const with_result[] = {"CBLR", "CBLSR", "CSBSLSR", "CLSSR"};
    static const char *const without[] = {"CBLL", "CBLSL", "CBLSLR", "CB"};
    struct ft_diag diag = {0};
    struct ft_trace *trace;
    if (small_trace(PATH, SMALL_GOOD, &diag) < 0 || ft_trace_open(PATH, NULL, &trace, &diag) < 0) {
        fprintf(stderr, "%s\n", diag.message);
        return 99;
    }
    for (unsigned i = 0; i < sizeof with_result / sizeof *with_result; i++) {
        const struct given given = track(trace, with_result[i]);
        tap_ok(is_one_with_result(&given), "%s: a call with its result", with_result[i]);
    }
    for (unsigned i = 0; i < sizeof without / sizeof *without; i++) {
        const struct given given = track(trace, without[i]);
        tap_ok(given.count == 1 && !given.calls[0].has_result, "%s: a call without one",
               without[i]);
    }
    const struct given given = track(trace, "CBLSRCBLR");
    tap_ok(given.count == 2 && given.calls[0].has_result && given.calls[1].has_result,
           "one call after another");
    ft_trace_close(trace);
    unlink(PATH);
    return tap_plan_done();
}
