/*
 * Four stages, of which each but the last gives on all that it takes:
 *
 *     searching   the first bytes of some buffer, the probe, are searched for in what follows
 *     recording   they recurred, at a distance: so many bytes are copied, from the next buffer on,
 *                 or a multiple of them
 *     comparing   the next bytes are the same again; to the end of the copy
 *     repeating   what comes is compared, and nothing else
 *
 * Searching is cycle detection as by Brent: what is searched behind a probe doubles, up to the
 * longest period. It pauses after probes that found nothing, and after copies that were in vain, so
 * that both stay small parts of the log.
 *
 * A period starts where a buffer does, so at a record; that one ends where it does is checked by
 * following its last records, whose state must be that of its start. With the same bytes from
 * there, all later periods are the same records.
 */
#include "trace-capture/tracer/log_periods.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

/* Long enough that what recurs inside of a short period, as of an interpreter's loop, is told from
 * the period itself. */
#define PROBE_BYTES      (16U << 10)
#define PROBE_WORDS      64U /* its first, of which the rarest one is looked for */
#define WINDOW_BYTES_MIN (UINT64_C(4) << 20)
#define PERIOD_BYTES_MAX (UINT64_C(64) << 20)
/* Shorter periods are taken several times: a chunk has costs of its own. */
#define PERIOD_BYTES_MIN (UINT64_C(2) << 20)
/* Searched are an eighth of a log, copied in vain a 16th, and at first this much more. */
#define SEARCH_PAUSE 3U
#define SEARCH_FREE  (UINT64_C(64) << 20)
#define VAIN_SHARE   16U
#define VAIN_FREE    (UINT64_C(16) << 20)
/* Matches of the probe's word in a buffer, above which it is no good probe. */
#define MATCHES_MAX 4096U
/* Periods that are worth the ends of chunks around them. */
#define TIMES_MIN 3U
/* Given on at least so often, for the sake of captures that are killed. */
#define HELD_BYTES_MAX (UINT64_C(256) << 20)
#define COMPARED_WORDS 256U

enum stage { SEARCHING, RECORDING, COMPARING, REPEATING };

/* Where a buffer starts in the copy. */
struct start {
    size_t offset;
    struct ft_log_state state;
};

struct ft_log_periods {
    struct ft_log_receiver receiver;
    enum stage stage;
    uint64_t position; /* bytes taken, up to the buffer at hand */
    /* searching */
    uint8_t probe[PROBE_BYTES];
    bool has_probe;
    unsigned word;       /* of the probe, that is looked for: the rarest one */
    uint64_t probe_at;   /* its position */
    uint64_t window;     /* bytes that are searched behind it */
    uint64_t next_probe; /* the position from which on there may be one */
    uint64_t searched, copied_in_vain;
    /* the copy */
    uint8_t *copy;
    size_t copy_capacity, copied, period_bytes;
    struct start *starts;
    size_t start_count, start_capacity;
    size_t phase;  /* in the copy, of what comes next */
    uint64_t held; /* bytes that were the same and are not given on; whole periods and `phase` */
    uint32_t number;
    bool is_given; /* the period itself, under that number */
};

struct ft_log_periods *ft_log_periods_create(const struct ft_log_receiver *receiver)
{
    struct ft_log_periods *periods = calloc(1, sizeof *periods);
    if (periods)
        *periods = (struct ft_log_periods){.receiver = *receiver, .window = WINDOW_BYTES_MIN};
    return periods;
}

void ft_log_periods_destroy(struct ft_log_periods *periods)
{
    if (!periods)
        return;
    free(periods->copy);
    free(periods->starts);
    free(periods);
}

static void give(struct ft_log_periods *periods, uint32_t number, const uint8_t *records,
                 size_t bytes, const struct ft_log_state *state)
{
    if (bytes)
        periods->receiver.take_records(periods->receiver.context, number, records, bytes, state);
}

/* ---- Searching ---- */

static uint32_t load_word(const uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* The first of the words [from, count) that is `word`; at least count if there is none: from may be
 * behind it. */
static size_t find_word(const uint8_t *data, size_t from, size_t count, uint32_t word)
{
    for (; from + COMPARED_WORDS <= count; from += COMPARED_WORDS) {
        uint32_t any = 0;
        for (size_t i = 0; i < COMPARED_WORDS; i++)
            any |= load_word(data + 4 * (from + i)) == word;
        if (any)
            break;
    }
    while (from < count && load_word(data + 4 * from) != word)
        from++;
    return from;
}

static size_t count_word(const uint8_t *data, size_t count, uint32_t word)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += load_word(data + 4 * i) == word;
    return found;
}

static void take_probe(struct ft_log_periods *periods, const uint8_t *records, size_t bytes)
{
    const size_t sampled = bytes / 4 < 16 * COMPARED_WORDS ? bytes / 4 : 16 * COMPARED_WORDS;
    size_t fewest = SIZE_MAX;
    if (bytes < PROBE_BYTES)
        return;
    memcpy(periods->probe, records, PROBE_BYTES);
    for (unsigned w = 0; w < PROBE_WORDS; w++) {
        size_t found = count_word(records, sampled, load_word(records + 4 * w));
        if (found < fewest) {
            fewest = found;
            periods->word = w;
        }
    }
    periods->has_probe = true;
    periods->probe_at = periods->position;
}

static void drop_probe(struct ft_log_periods *periods)
{
    periods->has_probe = false;
    if (periods->searched > SEARCH_FREE)
        periods->next_probe = periods->position + SEARCH_PAUSE * periods->window;
    if (periods->copied_in_vain > VAIN_FREE) {
        uint64_t due = (periods->copied_in_vain - VAIN_FREE) * VAIN_SHARE;
        if (due > periods->next_probe)
            periods->next_probe = due;
    }
    if (periods->window < PERIOD_BYTES_MAX)
        periods->window *= 2;
}

/* Where in the buffer the probe recurs; SIZE_MAX if nowhere. */
static size_t find_probe(struct ft_log_periods *periods, const uint8_t *records, size_t bytes)
{
    const size_t count = bytes / 4;
    const uint32_t word = load_word(periods->probe + (size_t)4 * periods->word);
    size_t at = periods->word + (periods->probe_at == periods->position);
    for (unsigned matches = 0; (at = find_word(records, at, count, word)) < count; at++) {
        size_t start = 4 * (at - periods->word);
        if (start + PROBE_BYTES > bytes)
            break;
        if (memcmp(records + start, periods->probe, PROBE_BYTES) == 0)
            return start;
        if (++matches == MATCHES_MAX) {
            drop_probe(periods);
            break;
        }
    }
    return SIZE_MAX;
}

static void search(struct ft_log_periods *periods, const uint8_t *records, size_t bytes)
{
    if (!periods->has_probe && periods->position >= periods->next_probe)
        take_probe(periods, records, bytes);
    if (!periods->has_probe)
        return;
    periods->searched += bytes;
    size_t found = find_probe(periods, records, bytes);
    if (found != SIZE_MAX) {
        uint64_t distance = periods->position + found - periods->probe_at;
        periods->period_bytes =
            distance * ((PERIOD_BYTES_MIN + distance - 1) / distance); /* at least as long */
        periods->copied = periods->start_count = 0;
        periods->stage = periods->period_bytes <= PERIOD_BYTES_MAX ? RECORDING : SEARCHING;
    }
    if (periods->stage == SEARCHING && periods->has_probe &&
        periods->position + bytes - periods->probe_at > periods->window)
        drop_probe(periods);
}

/* The copy was in vain; the probe may recur elsewhere. */
static void give_up(struct ft_log_periods *periods)
{
    periods->copied_in_vain += periods->copied;
    periods->stage = SEARCHING;
    if (periods->copied_in_vain > VAIN_FREE)
        drop_probe(periods);
}

/* ---- The copy ---- */

/* How many of the bytes are those of the copy, which is read round and round from the phase on. */
static size_t same_bytes(struct ft_log_periods *periods, const uint8_t *records, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        size_t part = periods->period_bytes - periods->phase;
        part = part < bytes - at ? part : bytes - at;
        if (memcmp(records + at, periods->copy + periods->phase, part) != 0)
            return at;
        at += part;
        periods->phase += part;
        if (periods->phase == periods->period_bytes)
            periods->phase = 0;
    }
    return bytes;
}

/* Copies up to the period's length; returns how many bytes. */
static size_t record(struct ft_log_periods *periods, const uint8_t *records, size_t bytes,
                     const struct ft_log_state *state)
{
    size_t part = periods->period_bytes - periods->copied;
    part = part < bytes ? part : bytes;
    if (!FT_RESERVE(periods->copy, periods->copy_capacity, periods->copied + part) ||
        !FT_RESERVE(periods->starts, periods->start_capacity, periods->start_count + 1)) {
        give_up(periods);
        return bytes;
    }
    memcpy(periods->copy + periods->copied, records, part);
    periods->starts[periods->start_count++] = (struct start){periods->copied, *state};
    periods->copied += part;
    return part;
}

static bool same_state(const struct ft_log_state *a, const struct ft_log_state *b)
{
    return a->rsp == b->rsp && a->fs_base == b->fs_base && a->direction_down == b->direction_down;
}

/* Whether the copy ends with a record, and in the state that it started from. */
static bool is_period(const struct ft_log_periods *periods)
{
    const struct start *last = &periods->starts[periods->start_count - 1];
    struct ft_log_state state = last->state;
    return periods->receiver.follow(periods->receiver.context, periods->copy + last->offset,
                                    periods->period_bytes - last->offset, &state) &&
           same_state(&state, &periods->starts[0].state);
}

/* Gives on the first `bytes` of the copy, buffer by buffer. */
static void give_copy(struct ft_log_periods *periods, uint32_t number, size_t bytes)
{
    for (size_t i = 0; i < periods->start_count && periods->starts[i].offset < bytes; i++) {
        const struct start *start = &periods->starts[i];
        size_t end = i + 1 < periods->start_count ? start[1].offset : periods->period_bytes;
        give(periods, number, periods->copy + start->offset,
             (end < bytes ? end : bytes) - start->offset, &start->state);
    }
}

/* ---- Repeating ---- */

/* Gives on the whole periods that are held, and leaves what is over. */
static void give_periods(struct ft_log_periods *periods)
{
    uint64_t times = periods->held / periods->period_bytes;
    periods->held -= times * periods->period_bytes;
    if (!periods->is_given && times < TIMES_MIN) {
        for (; times; times--)
            give_copy(periods, 0, periods->period_bytes);
        return;
    }
    if (!periods->is_given) {
        give_copy(periods, ++periods->number, periods->period_bytes);
        periods->is_given = true;
        times--;
    }
    if (times)
        periods->receiver.take_repeats(periods->receiver.context, periods->number, times);
}

static void start_repeating(struct ft_log_periods *periods)
{
    periods->stage = REPEATING;
    periods->phase = periods->held = 0;
    periods->is_given = false;
}

/* Gives on all that is held; the search starts over. */
static void stop_repeating(struct ft_log_periods *periods)
{
    give_periods(periods);
    give_copy(periods, 0, (size_t)periods->held);
    periods->stage = SEARCHING;
    if (!periods->is_given) {
        periods->copied_in_vain += periods->copied;
        drop_probe(periods);
        return;
    }
    periods->has_probe = false;
    periods->window = WINDOW_BYTES_MIN;
    periods->next_probe = periods->searched = periods->copied_in_vain = 0;
    periods->position = 0;
}

static void repeat(struct ft_log_periods *periods, const uint8_t *records, size_t bytes,
                   const struct ft_log_state *state)
{
    if (same_bytes(periods, records, bytes) == bytes) {
        periods->held += bytes;
        if (periods->held >= HELD_BYTES_MAX)
            give_periods(periods);
        return;
    }
    stop_repeating(periods);
    give(periods, 0, records, bytes, state);
}

/* ---- All ---- */

/* Takes a part of a buffer in a stage that gives on all; returns how many bytes. */
static size_t record_or_compare(struct ft_log_periods *periods, const uint8_t *records,
                                size_t bytes, const struct ft_log_state *state)
{
    if (periods->stage == RECORDING) {
        size_t part = record(periods, records, bytes, state);
        if (periods->stage == RECORDING && periods->copied == periods->period_bytes) {
            periods->stage = COMPARING;
            periods->phase = 0;
        }
        return part;
    }
    size_t part = periods->period_bytes - periods->phase;
    part = part < bytes ? part : bytes;
    if (same_bytes(periods, records, part) < part) {
        give_up(periods);
        return bytes;
    }
    if (periods->phase == 0) { /* the copy's end */
        if (is_period(periods))
            start_repeating(periods);
        else
            give_up(periods);
    }
    return part;
}

void ft_log_periods_take(struct ft_log_periods *periods, const uint8_t *records, size_t bytes,
                         const struct ft_log_state *state)
{
    size_t done = 0;
    if (periods->stage == SEARCHING)
        search(periods, records, bytes);
    else
        while (done < bytes && (periods->stage == RECORDING || periods->stage == COMPARING))
            done += record_or_compare(periods, records + done, bytes - done, state);
    if (periods->stage != REPEATING) {
        give(periods, 0, records, bytes, state);
    } else if (done) { /* since the middle of this buffer */
        give(periods, 0, records, done, state);
        repeat(periods, records + done, bytes - done, &periods->starts[0].state);
    } else {
        repeat(periods, records, bytes, state);
    }
    periods->position += bytes;
}

void ft_log_periods_flush(struct ft_log_periods *periods)
{
    if (periods->stage == REPEATING)
        stop_repeating(periods);
    periods->stage = SEARCHING;
}
