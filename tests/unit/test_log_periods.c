/*
 * Raw logs that repeat themselves, and some that only seem to, through the search for periods: what
 * it gives on is, with periods put in for their repetitions, what came, with the same state before
 * each part; and little of it where little is new.
 *
 * Records here are their length in words, by how much they move RSP, and words of any value.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "formats/base/bytes.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"
#include "trace-capture/tracer/log_periods.h"

#define MIB        ((size_t)1 << 20)
#define WORDS_MIN  2U
#define WORDS_MAX  40U
#define START_RSP  0x7fff00000000U
#define BUFFER_MAX (MIB - MIB / 16)

static uint64_t random_state = 1;

/* What was given on. */
struct given {
    struct ft_bytes all;    /* with repetitions put in */
    struct ft_bytes period; /* the last one */
    uint32_t number;
    uint64_t rsp; /* behind `all` */
    size_t encoded, repetitions;
    bool is_right;
};

static bool follow(void *context, const uint8_t *records, size_t bytes, struct ft_log_state *state)
{
    (void)context;
    for (size_t at = 0; at < bytes;) {
        int32_t head[2];
        if (bytes - at < sizeof head)
            return false;
        memcpy(head, records + at, sizeof head);
        if (head[0] < (int32_t)WORDS_MIN || (size_t)head[0] * 4 > bytes - at)
            return false;
        state->rsp += (uint64_t)(int64_t)head[1];
        at += (size_t)head[0] * 4;
    }
    return true;
}

static void take_records(void *context, uint32_t number, const uint8_t *records, size_t bytes,
                         const struct ft_log_state *state)
{
    struct given *given = context;
    struct ft_log_state next = *state;
    given->is_right = given->is_right && bytes <= MIB && state->rsp == given->rsp &&
                      follow(NULL, records, bytes, &next);
    given->rsp = next.rsp;
    ft_put(&given->all, records, bytes);
    given->encoded += bytes;
    if (number == 0)
        return;
    if (number != given->number)
        given->period.length = 0;
    given->is_right = given->is_right && number >= given->number;
    given->number = number;
    ft_put(&given->period, records, bytes);
}

static void take_repeats(void *context, uint32_t number, uint64_t times)
{
    struct given *given = context;
    given->is_right = given->is_right && number == given->number && times > 0;
    given->repetitions++;
    for (; times; times--)
        ft_put(&given->all, given->period.data, given->period.length);
}

static void put_record(struct ft_bytes *raw, int32_t moved)
{
    uint32_t words[WORDS_MAX];
    uint32_t count = WORDS_MIN + (uint32_t)random_below(&random_state, WORDS_MAX - WORDS_MIN);
    words[0] = count;
    words[1] = (uint32_t)moved;
    for (uint32_t i = 2; i < count; i++)
        words[i] = (uint32_t)random_next(&random_state);
    ft_put(raw, words, count * sizeof *words);
}

/* Random records that leave RSP where it was, but for `moved`. */
static void put_records(struct ft_bytes *raw, size_t bytes, int32_t moved)
{
    size_t end = raw->length + bytes;
    put_record(raw, moved);
    while (raw->length < end) {
        put_record(raw, -16);
        put_record(raw, 16);
    }
}

static void put_times(struct ft_bytes *raw, const struct ft_bytes *period, unsigned times)
{
    for (; times; times--)
        ft_put(raw, period->data, period->length);
}

/* Takes it buffer by buffer, which end at any record. */
static void take_all(const struct ft_bytes *raw, struct given *given)
{
    const struct ft_log_receiver receiver = {given, take_records, take_repeats, follow};
    struct ft_log_periods *periods = ft_log_periods_create(&receiver);
    struct ft_log_state state = {.rsp = START_RSP};
    *given = (struct given){.rsp = START_RSP, .is_right = true};
    for (size_t at = 0; at < raw->length;) {
        size_t limit = random_below(&random_state, 4) ? BUFFER_MAX
                                                      : 1000 + random_below(&random_state, MIB / 2);
        size_t end = at;
        for (uint32_t words; end < raw->length && end - at + 4 * WORDS_MAX < limit;
             end += words * sizeof words)
            memcpy(&words, raw->data + end, sizeof words);
        ft_log_periods_take(periods, raw->data + at, end - at, &state);
        follow(NULL, raw->data + at, end - at, &state);
        at = end;
    }
    ft_log_periods_flush(periods);
    ft_log_periods_destroy(periods);
}

/* Whether all came back, of which at most so much was to be encoded. */
static void check(const struct ft_bytes *raw, size_t encoded_max, const char *what)
{
    struct given given;
    take_all(raw, &given);
    tap_ok(given.is_right && given.all.length == raw->length &&
               memcmp(given.all.data, raw->data, raw->length) == 0,
           "%s: what came is given on", what);
    tap_ok(given.encoded <= encoded_max, "%s: %zu of %zu bytes are encoded, at most %zu", what,
           given.encoded, raw->length, encoded_max);
    tap_ok(encoded_max < raw->length ? given.repetitions > 0 : given.repetitions == 0,
           "%s: %zu repetitions", what, given.repetitions);
    ft_bytes_fini(&given.all);
    ft_bytes_fini(&given.period);
}

/* What is looked for begins with 20 records alike, so that it is found by a word behind them; a
 * buffer of one record ends before, and there the memory ends, too. */
static void check_short_buffer(void)
{
    static const uint32_t record[WORDS_MIN] = {WORDS_MIN, 0};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *memory =
        mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct ft_bytes raw = {0};
    struct given given = {.rsp = START_RSP, .is_right = true};
    const struct ft_log_receiver receiver = {&given, take_records, take_repeats, follow};
    const struct ft_log_state state = {.rsp = START_RSP};
    struct ft_log_periods *periods = ft_log_periods_create(&receiver);
    if (memory == MAP_FAILED || mprotect(memory + page, page, PROT_NONE) != 0 || !periods) {
        tap_ok(false, "memory that ends");
        return;
    }
    for (unsigned i = 0; i < 20; i++)
        ft_put(&raw, record, sizeof record);
    put_records(&raw, MIB / 16, 0);
    uint8_t *last = memory + page - sizeof record;
    memcpy(last, record, sizeof record);
    ft_log_periods_take(periods, raw.data, raw.length, &state);
    ft_log_periods_take(periods, last, sizeof record, &state);
    ft_log_periods_flush(periods);
    tap_ok(given.is_right && given.all.length == raw.length + sizeof record,
           "a buffer shorter than what is looked for");
    ft_log_periods_destroy(periods);
    munmap(memory, 2 * page);
    ft_bytes_fini(&raw);
    ft_bytes_fini(&given.all);
}

int main(void)
{
    struct ft_bytes raw = {0}, period = {0}, other = {0};

    put_records(&raw, 40 * MIB, 0);
    check(&raw, raw.length, "nothing repeats");

    put_records(&period, 3 * MIB, 0);
    raw.length = 0;
    put_records(&raw, MIB, 0);
    put_times(&raw, &period, 20);
    put_records(&raw, MIB, 0);
    check(&raw, 24 * MIB, "20 periods of 3 MiB");

    raw.length = 0;
    put_times(&raw, &period, 120);
    ft_put(&raw, period.data, 4 * (size_t)((const uint32_t *)(const void *)period.data)[0]);
    check(&raw, 24 * MIB, "120 periods, more than are held back at once");

    put_records(&other, 700, 0);
    raw.length = 0;
    put_records(&raw, MIB, 0);
    put_times(&raw, &other, 40000);
    put_times(&raw, &period, 20);
    put_times(&raw, &other, 40000);
    check(&raw, 64 * MIB, "a short period, a long one, the short one");

    struct ft_bytes part = {0};
    put_records(&part, 500, 0);
    other.length = 0;
    for (unsigned i = 0; i < 8; i++) {
        put_times(&other, &part, 1);
        put_record(&other, 0);
    }
    raw.length = 0;
    put_times(&raw, &other, 20000);
    check(&raw, 24 * MIB, "parts of a short period recur in it");
    ft_bytes_fini(&part);

    other.length = 0;
    put_records(&other, 2 * MIB, -8);
    raw.length = 0;
    put_times(&raw, &other, 20);
    check(&raw, raw.length, "RSP moves on in each period");

    raw.length = 0;
    for (unsigned i = 0; i < 20; i++) {
        put_times(&raw, &period, 1);
        put_record(&raw, 0);
    }
    check(&raw, raw.length, "a record between two periods differs each time");

    raw.length = 0;
    put_times(&raw, &period, 3);
    check(&raw, raw.length, "too few to be worth it");

    check_short_buffer();

    ft_bytes_fini(&raw);
    ft_bytes_fini(&period);
    ft_bytes_fini(&other);
    return tap_plan_done();
}
