/*
 * A scan takes the first records of a buffer as a sequence of units. The unit that occurs most
 * often and does not start a path yet is made the start of one: from all its positions at once the
 * sequence is followed as long as most of them agree on the next unit. What the path covers is
 * removed, and the next start is chosen, until none occurs often enough. Scans that find nothing
 * make the next ones rarer. A path that is left early appears in the sequence as its prefix, a unit
 * of its own: it may start a better path, which replaces it.
 *
 * If the sequence returns to the start again and again, the path becomes a loop path: one record
 * for all iterations.
 *
 * In order: records of the log as a sequence of units; where paths start; following them; making
 * the path and removing what it covers; the scan.
 */
#include "trace-capture/tracer/paths.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/x86/path_plan.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/drain.h"
#include "trace-capture/tracer/log_buffer.h"
#include "trace-capture/tracer/mappings.h"
#include "trace-capture/translate/code_cache.h"
#include "trace-capture/translate/emit_x86_64.h"
#include "trace-capture/translate/indirect_targets.h"
#include "trace-capture/translate/timestamps.h"
#include "trace-capture/translate/translate.h"
#include "trace-capture/translate/translation.h"
#include "trace-capture/translate/translator.h"
#include "trace-capture/translate/watched_functions.h"

#define SEQUENCE_MAX       16384U /* records of a scan */
#define POSITIONS_MAX      64U    /* of one start that are followed */
#define PATHS_PER_SCAN_MAX 32U
#define TRIES_PER_SCAN_MAX 64U
#define TRIES_MAX          3U         /* per start */
#define GENERATIONS_MAX    4U         /* paths that replace paths */
#define WAIT_BYTES_MAX     (1U << 24) /* of log, between scans that find nothing */
#define SCAN_BYTES_MIN     (1U << 14)
/* A path that seldom runs costs more than it saves, and so do its exits, which are units of their
 * own. The first FREE_PATHS are made as soon as they show up. Each further one takes BYTES_PER_PATH
 * of log, so that a program that never stays anywhere long gets few; and it must be worth it: had
 * the path existed from the start, it would have saved SAVED_MIN records. */
#define FREE_PATHS     32U
#define BYTES_PER_PATH (1U << 21)
#define SAVED_MIN      262144U
#define SHARE_MIN      256U /* a start is at least one in so many records, */
#define POSITIONS_MIN  16U  /* and occurs at this many positions */
#define AGREE_MIN      4U   /* at least so many positions, and one in */
#define AGREE_SHARE    8U   /* AGREE_SHARE of those at the start */
#define ROUND_MIN      64U  /* instructions: shorter iterations of a loop are joined */
#define JOIN_MAX       96U  /* a longer path ends where another starts */
#define UNITS_MAX      FT_PATH_INSTRUCTIONS_MAX
#define ITERATIONS_MIN 4U /* per entry of a loop path, on average */

struct scan {
    struct ft_capture *capture;
    struct ft_paths *paths;
    uint32_t sequence[SEQUENCE_MAX]; /* units; 0: an escape */
    uint32_t starts[SEQUENCE_MAX];   /* the unit translated at the same pc; 0: none, or covered */
    size_t length;
    uint64_t bytes;                    /* of the sequence */
    uint32_t candidates[SEQUENCE_MAX]; /* the possible starts, in order of their first positions */
    size_t candidate_count;
    struct by_unit {
        uint32_t start; /* start_of */
        uint32_t count; /* of a start: its positions that are not covered */
        bool is_known;
    } * by_unit;
};

static const struct ft_unit *unit_of(const struct scan *scan, uint32_t id)
{
    return ft_drain_unit(scan->capture->drain, id);
}

/* ---- The row ---- */

static uint64_t loop_bytes(const struct ft_unit *unit, const uint8_t *record)
{
    uint64_t end_word, last_iteration_bytes = 0;
    if (unit->count_source != FT_COUNT_VALUES)
        return ft_log_loop_entry_bytes(unit);
    memcpy(&end_word, record + 4, sizeof end_word);
    for (unsigned s = 0; s < unit->last_iteration_slots; s++)
        last_iteration_bytes += unit->slots[unit->entry_slot_count + s].size_bytes;
    return end_word + last_iteration_bytes;
}

static uint64_t slot_bytes(const struct ft_unit *unit, unsigned instructions)
{
    uint64_t bytes = 0;
    for (unsigned s = 0; s < unit->slot_count; s++)
        if (unit->slots[s].instruction <= instructions)
            bytes += unit->slots[s].size_bytes;
    return bytes;
}

/* The bytes of the record, which is complete. */
static uint64_t record_bytes(const struct scan *scan, const uint8_t *record)
{
    uint32_t head[4];
    memcpy(head, record, sizeof head);
    const struct ft_unit *unit = unit_of(scan, head[0]);
    if (!unit && head[1] == FT_ESCAPE_PARTIAL)
        return sizeof head + slot_bytes(unit_of(scan, head[2]), head[3]);
    if (!unit)
        return 2 * sizeof head[0] + ft_escape_fields(head[1], head[2]) * sizeof(uint64_t);
    if (ft_unit_is_loop(unit))
        return loop_bytes(unit, record);
    return sizeof head[0] + slot_bytes(unit, unit->instruction_count);
}

static void read_sequence(struct scan *scan, const struct ft_thread *thread, uint64_t end)
{
    uint64_t from = thread->scanned_to ? thread->scanned_to : ft_log_buffer_start(thread),
             at = from;
    while (scan->length < SEQUENCE_MAX && at < end) {
        const uint8_t *record = ft_log_at(thread, at);
        memcpy(&scan->sequence[scan->length], record, sizeof *scan->sequence);
        scan->length++;
        at += record_bytes(scan, record);
    }
    scan->bytes = at - from;
}

/* Units that log the calls or returns of watched functions stay as they are. */
static bool takes(const struct scan *scan, const struct ft_unit *unit)
{
    const struct ft_watched_functions *watched = &scan->capture->watched;
    bool has_timestamps = scan->capture->translator.timestamps && ft_timestamps_atomic(unit);
    return ft_path_takes(unit) && !has_timestamps &&
           !ft_watched_find(watched, unit->pc, unit->module) &&
           !ft_watched_returns(watched, unit->pc, unit->module);
}

/* The unit whose translation runs at the unit's pc, if a path may start there. */
static uint32_t start_of(const struct scan *scan, uint32_t id)
{
    const struct ft_unit *unit = unit_of(scan, id);
    if (!unit || !takes(scan, unit) || ft_is_predicted(&unit->instructions[0]))
        return 0;
    const struct ft_translation *translation =
        ft_code_cache_find(&scan->capture->cache, FT_MODE_LOGGED, unit->pc);
    if (!translation || translation->changed || translation->is_closed ||
        !takes(scan, &translation->unit) || translation->generation >= GENERATIONS_MAX)
        return 0;
    uint32_t start = translation->unit.id;
    return scan->paths->tries[start] < TRIES_MAX ? start : 0;
}

/* ---- Starts ---- */

static void find_starts(struct scan *scan)
{
    scan->candidate_count = 0;
    for (size_t i = 0; i < scan->length; i++)
        scan->by_unit[scan->sequence[i]] = (struct by_unit){0};
    for (size_t i = 0; i < scan->length; i++) {
        struct by_unit *unit = &scan->by_unit[scan->sequence[i]];
        if (!unit->is_known) {
            unit->start = start_of(scan, scan->sequence[i]);
            unit->is_known = true;
            scan->by_unit[unit->start].count = 0; /* it may not occur itself */
        }
        scan->starts[i] = unit->start;
    }
    for (size_t i = 0; i < scan->length; i++)
        if (scan->starts[i] && scan->by_unit[scan->starts[i]].count++ == 0)
            scan->candidates[scan->candidate_count++] = scan->starts[i];
}

/* The start with the most positions, the first of those that tie; 0 if none is worth it. */
static uint32_t choose_start(const struct scan *scan)
{
    uint32_t best = 0, max_count = 0;
    for (size_t i = 0; i < scan->candidate_count; i++) {
        uint32_t count = scan->by_unit[scan->candidates[i]].count;
        if (count > max_count) {
            max_count = count;
            best = scan->candidates[i];
        }
    }
    return max_count >= POSITIONS_MIN && max_count * SHARE_MIN >= scan->length ? best : 0;
}

/* ---- Following ---- */

struct course {
    size_t positions[POSITIONS_MAX]; /* in the sequence, of the next unit */
    unsigned position_count, first_count;
    const struct ft_unit *units[UNITS_MAX];
    unsigned unit_count;
    unsigned loop_units; /* the first units, after which the start comes again; 0: it does not */
    unsigned instructions, code_bytes;
};

static void find_positions(const struct scan *scan, uint32_t start, struct course *course)
{
    uint32_t skip = scan->by_unit[start].count / POSITIONS_MAX + 1, seen = 0;
    for (size_t i = 0; i < scan->length && course->position_count < POSITIONS_MAX; i++)
        if (scan->starts[i] == start && seen++ % skip == 0)
            course->positions[course->position_count++] = i;
    course->first_count = course->position_count;
}

/* The unit that most positions agree on, or 0 if too few do; positions that disagree are
 * dropped. */
static uint32_t agree(const struct scan *scan, struct course *course)
{
    uint32_t best = 0;
    unsigned max_count = 0, kept = 0;
    for (unsigned i = 0; i < course->position_count; i++) {
        unsigned votes = 0;
        uint32_t id =
            course->positions[i] < scan->length ? scan->sequence[course->positions[i]] : 0;
        for (unsigned j = i; j < course->position_count; j++)
            votes +=
                course->positions[j] < scan->length && scan->sequence[course->positions[j]] == id;
        if (votes > max_count && id) {
            max_count = votes;
            best = id;
        }
    }
    if (max_count < AGREE_MIN || max_count * AGREE_SHARE < course->first_count ||
        max_count * 2 < course->position_count)
        return 0;
    for (unsigned i = 0; i < course->position_count; i++)
        if (course->positions[i] < scan->length && scan->sequence[course->positions[i]] == best)
            course->positions[kept++] = course->positions[i] + 1;
    course->position_count = kept;
    return best;
}

/* Whether the path ends before a unit: at its own start again, or at that of another path. */
static bool ends_before(const struct scan *scan, const struct course *course,
                        const struct ft_unit *unit)
{
    if (course->unit_count == 0)
        return false;
    if (unit->pc == course->units[0]->pc)
        return course->instructions >= ROUND_MIN;
    const struct ft_translation *translation =
        ft_code_cache_find(&scan->capture->cache, FT_MODE_LOGGED, unit->pc);
    return course->instructions >= JOIN_MAX && translation &&
           translation->unit.kind == FT_UNIT_PATH;
}

static void follow(const struct scan *scan, uint32_t start, struct course *course)
{
    find_positions(scan, start, course);
    while (course->unit_count < UNITS_MAX) {
        const struct ft_unit *unit = unit_of(scan, agree(scan, course));
        if (unit && course->loop_units == 0 && course->unit_count &&
            unit->pc == course->units[0]->pc)
            course->loop_units = course->unit_count;
        if (!unit || !takes(scan, unit) || ends_before(scan, course, unit) ||
            course->instructions + unit->instruction_count > FT_PATH_INSTRUCTIONS_MAX ||
            course->code_bytes + unit->code_bytes > FT_PATH_BYTES_MAX)
            return;
        course->units[course->unit_count++] = unit;
        course->instructions += unit->instruction_count;
        course->code_bytes += unit->code_bytes;
        if (!ft_path_goes_on_behind(unit))
            return;
    }
}

/* ---- Making ---- */

/* Makes a path, which it takes over, run instead of the translation at its pc. */
static bool install_path(struct ft_capture *capture, struct ft_unit *path)
{
    struct ft_translation *translation;
    struct ft_translation *old = ft_code_cache_find(&capture->cache, FT_MODE_LOGGED, path->pc);
    if (ft_translate_path(&capture->translator, path, &translation, NULL) < 0)
        return false;
    if (!ft_mappings_allow(capture, translation) ||
        !ft_reaches(old->entry + 5, translation->entry) ||
        ft_code_cache_supersede(&capture->cache, old, translation, NULL) < 0) {
        ft_code_cache_drop(&capture->cache, translation);
        return false;
    }
    translation->generation = old->generation + 1;
    if (old->has_indirect_target)
        ft_indirect_target_add(&capture->cache, translation, NULL);
    return true;
}

/* Whether the sequence makes enough iterations on average when it comes to the start. */
static bool is_loop(const struct scan *scan, const struct course *course)
{
    uint64_t iterations = 0, entries = 0;
    unsigned count = course->loop_units;
    size_t next = SIZE_MAX; /* where the next iteration would begin */
    for (size_t i = 0; count && i + count <= scan->length;) {
        unsigned same = 0;
        while (same < count && scan->sequence[i + same] == course->units[same]->id)
            same++;
        if (same < count) {
            i++;
            continue;
        }
        iterations++;
        entries += i != next;
        i += count;
        next = i;
    }
    return iterations > 0 && iterations >= ITERATIONS_MIN * entries;
}

static bool make_path(const struct scan *scan, const struct course *course)
{
    struct ft_unit path;
    if (is_loop(scan, course) &&
        ft_loop_path_plan(course->units, course->loop_units, &path, NULL) == FT_OK &&
        install_path(scan->capture, &path))
        return true;
    return course->unit_count > 1 &&
           ft_path_plan(course->units, course->unit_count, &path, NULL) == FT_OK &&
           install_path(scan->capture, &path);
}

static void cover_position(struct scan *scan, size_t position)
{
    if (scan->starts[position])
        scan->by_unit[scan->starts[position]].count--;
    scan->starts[position] = 0;
}

/* Removes the positions that the path covers from the sequence; returns how many records it
 * saves. */
static uint64_t cover(struct scan *scan, uint32_t start, const struct course *course)
{
    uint64_t saved = 0;
    for (size_t i = 0; i < scan->length; i++) {
        if (scan->starts[i] != start)
            continue;
        cover_position(scan, i);
        for (unsigned k = 0; k < course->unit_count && i + k < scan->length; k++) {
            if (scan->sequence[i + k] != course->units[k]->id)
                break;
            cover_position(scan, i + k);
            saved += k > 0;
        }
    }
    return saved;
}

static unsigned make_paths(struct scan *scan, uint64_t allowed)
{
    unsigned made = 0, tries = 0;
    find_starts(scan);
    while (made < allowed && made < PATHS_PER_SCAN_MAX && tries++ < TRIES_PER_SCAN_MAX) {
        struct course course = {0};
        uint32_t start = choose_start(scan);
        if (!start)
            break;
        follow(scan, start, &course);
        uint64_t saved = cover(scan, start, &course);
        if (course.unit_count > 1 && scan->paths->made + made >= FREE_PATHS &&
            saved * scan->paths->log_bytes < SAVED_MIN * scan->bytes)
            continue; /* perhaps in a later scan */
        scan->paths->tries[start]++;
        made += make_path(scan, &course);
    }
    return made;
}

static unsigned scan_buffer(struct ft_thread *thread, uint64_t end, uint64_t allowed)
{
    struct ft_capture *capture = thread->capture;
    struct ft_paths *paths = &capture->paths;
    size_t units = ft_drain_unit_count(capture->drain) + 1U;
    struct scan *scan = malloc(sizeof *scan);
    struct by_unit *by_unit = malloc(units * sizeof *by_unit);
    unsigned made = 0;
    if (scan && by_unit && FT_RESERVE(paths->tries, paths->capacity, units)) {
        for (; paths->count < units; paths->count++)
            paths->tries[paths->count] = 0;
        scan->capture = capture;
        scan->paths = paths;
        scan->length = 0;
        scan->by_unit = by_unit;
        read_sequence(scan, thread, end);
        made = make_paths(scan, allowed);
    }
    free(by_unit);
    free(scan);
    return made;
}

void ft_paths_scan(struct ft_thread *thread, uint64_t end)
{
    struct ft_paths *paths = &thread->capture->paths;
    const struct ft_translator *translator = &thread->capture->translator;
    /* a path would run past the beginnings and ends of windows, and does not count instructions */
    if (thread->mode != FT_MODE_LOGGED || translator->is_window_stop ||
        translator->counts[FT_MODE_LOGGED] || translator->counts[FT_MODE_UNLOGGED])
        return;
    uint64_t from = thread->scanned_to ? thread->scanned_to : ft_log_buffer_start(thread);
    if (end - from < SCAN_BYTES_MIN)
        return;
    paths->log_bytes += end - from;
    uint64_t allowed = FREE_PATHS + paths->log_bytes / BYTES_PER_PATH - paths->made;
    if (allowed > 0 && paths->log_bytes >= paths->next_scan) {
        unsigned made = scan_buffer(thread, end, allowed);
        paths->made += made;
        paths->wait_bytes = made ? 0
                            : paths->wait_bytes < WAIT_BYTES_MAX
                                ? 2 * paths->wait_bytes + SCAN_BYTES_MIN
                                : WAIT_BYTES_MAX;
        paths->next_scan = paths->log_bytes + paths->wait_bytes;
    }
    thread->scanned_to = end;
}

void ft_paths_fini(struct ft_paths *paths)
{
    free(paths->tries);
    *paths = (struct ft_paths){0};
}
