/*
 * A look takes the first records of a buffer as a row of units. The unit that stands there most
 * often, and is not yet the start of a path, becomes one: from all its positions at once the row is
 * followed for as long as most of them agree on the next unit. What the path covers is taken out,
 * and the next start is chosen, until none stands there often enough. Looks that find nothing make
 * the next ones rarer. A path that is left early stands in the row as its beginning, a unit of its
 * own: it may start a better one, which takes its place.
 *
 * Where the row comes back to the start, again and again, a loop path takes its place: one record
 * for all iterations.
 *
 * In order: records of the log as a row of units; where paths start; following them; making the
 * path and taking out what it covers; the look.
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

#define ROW_MAX          16384U /* records of a look */
#define POSITIONS_MAX    64U    /* of a start that are followed */
#define PATHS_A_LOOK_MAX 32U
#define TRIES_A_LOOK_MAX 64U
#define TRIES_MAX        3U         /* of a start */
#define GENERATIONS_MAX  4U         /* paths that take the place of paths */
#define WAIT_BYTES_MAX   (1U << 24) /* of log, between looks that find nothing */
#define LOOK_BYTES_MIN   (1U << 14)
/* A path that runs seldom costs more than it saves, and so do its exits, which are units of their
 * own. A few are made as soon as they show. Each further one needs so much log, so that a program
 * that never stays anywhere long gets few; and what runs often is taken to go on so: had the path
 * been there from the start, it would have saved so many records. */
#define FREE_PATHS    32U
#define BYTES_A_PATH  (1U << 21)
#define SAVED_MIN     262144U
#define SHARE_MIN     256U /* a start is one of so many records at least, */
#define POSITIONS_MIN 16U  /* and stands in so many positions */
#define AGREE_MIN     4U   /* positions, and one in */
#define AGREE_SHARE   8U   /* so many of those at the start */
#define ROUND_MIN     64U  /* instructions: shorter rounds of a loop are joined */
#define JOIN_MAX      96U  /* a longer path ends where another starts */
#define UNITS_MAX     FT_PATH_INSTRUCTIONS_MAX
#define TURNS_MIN     4U /* of a loop path, on average */

struct look {
    struct ft_capture *capture;
    struct ft_paths *paths;
    uint32_t row[ROW_MAX];    /* units; 0: an escape */
    uint32_t starts[ROW_MAX]; /* the unit translated at the same pc; 0: none, or covered */
    size_t length;
    uint64_t bytes;               /* of the row */
    uint32_t candidates[ROW_MAX]; /* the starts that there are, by their first positions */
    size_t candidate_count;
    struct by_unit {
        uint32_t start; /* start_of */
        uint32_t count; /* of it, where it is a start: positions that are not covered */
        bool is_known;
    } * by_unit;
};

static const struct ft_unit *unit_of(const struct look *look, uint32_t id)
{
    return ft_drain_unit(look->capture->drain, id);
}

/* ---- The row ---- */

static uint64_t loop_bytes(const struct ft_unit *unit, const uint8_t *record, uint64_t address)
{
    uint64_t end_word, last_iteration_bytes = 0;
    if (unit->count_source != FT_COUNT_VALUES)
        return ft_log_loop_entry_bytes(unit);
    memcpy(&end_word, record + 4, sizeof end_word);
    for (unsigned s = 0; s < unit->last_iteration_slots; s++)
        last_iteration_bytes += unit->slots[unit->entry_slot_count + s].size_bytes;
    return end_word - address + last_iteration_bytes;
}

static uint64_t slot_bytes(const struct ft_unit *unit, unsigned instructions)
{
    uint64_t bytes = 0;
    for (unsigned s = 0; s < unit->slot_count; s++)
        if (unit->slots[s].instruction <= instructions)
            bytes += unit->slots[s].size_bytes;
    return bytes;
}

/* The bytes of the record at hand, which is a whole one. */
static uint64_t record_bytes(const struct look *look, const uint8_t *record, uint64_t address)
{
    uint32_t head[4];
    memcpy(head, record, sizeof head);
    const struct ft_unit *unit = unit_of(look, head[0]);
    if (!unit && head[1] == FT_ESCAPE_PARTIAL)
        return sizeof head + slot_bytes(unit_of(look, head[2]), head[3]);
    if (!unit)
        return 2 * sizeof head[0] + ft_escape_fields(head[1], head[2]) * sizeof(uint64_t);
    if (ft_unit_is_loop(unit))
        return loop_bytes(unit, record, address);
    return sizeof head[0] + slot_bytes(unit, unit->instruction_count);
}

static void read_row(struct look *look, const struct ft_thread *thread, uint64_t end)
{
    uint64_t from = thread->looked_at ? thread->looked_at : ft_log_buffer_start(thread), at = from;
    while (look->length < ROW_MAX && at < end) {
        const uint8_t *record = ft_log_at(thread, at);
        memcpy(&look->row[look->length], record, sizeof *look->row);
        look->length++;
        at += record_bytes(look, record, at);
    }
    look->bytes = at - from;
}

/* Units that log the calls or returns of watched functions stay as they are. */
static bool takes(const struct look *look, const struct ft_unit *unit)
{
    const struct ft_watched_functions *watched = &look->capture->watched;
    bool has_timestamps = look->capture->translator.timestamps && ft_timestamps_atomic(unit);
    return ft_path_takes(unit) && !has_timestamps &&
           !ft_watched_find(watched, unit->pc, unit->module) &&
           !ft_watched_returns(watched, unit->pc, unit->module);
}

/* The unit whose translation runs at the unit's pc, if a path may start there. */
static uint32_t start_of(const struct look *look, uint32_t id)
{
    const struct ft_unit *unit = unit_of(look, id);
    if (!unit || !takes(look, unit) || ft_is_predicted(&unit->instructions[0]))
        return 0;
    const struct ft_translation *translation =
        ft_code_cache_find(&look->capture->cache, FT_MODE_LOGGED, unit->pc);
    if (!translation || translation->changed || translation->is_closed ||
        !takes(look, &translation->unit) || translation->generation >= GENERATIONS_MAX)
        return 0;
    uint32_t start = translation->unit.id;
    return look->paths->tries[start] < TRIES_MAX ? start : 0;
}

/* ---- Starts ---- */

static void find_starts(struct look *look)
{
    look->candidate_count = 0;
    for (size_t i = 0; i < look->length; i++)
        look->by_unit[look->row[i]] = (struct by_unit){0};
    for (size_t i = 0; i < look->length; i++) {
        struct by_unit *unit = &look->by_unit[look->row[i]];
        if (!unit->is_known) {
            unit->start = start_of(look, look->row[i]);
            unit->is_known = true;
            look->by_unit[unit->start].count = 0; /* it may stand in no place itself */
        }
        look->starts[i] = unit->start;
    }
    for (size_t i = 0; i < look->length; i++)
        if (look->starts[i] && look->by_unit[look->starts[i]].count++ == 0)
            look->candidates[look->candidate_count++] = look->starts[i];
}

/* The start that stands in most positions, the first of those that tie; 0 where none is worth it.
 */
static uint32_t choose_start(const struct look *look)
{
    uint32_t best = 0, most = 0;
    for (size_t i = 0; i < look->candidate_count; i++) {
        uint32_t count = look->by_unit[look->candidates[i]].count;
        if (count > most) {
            most = count;
            best = look->candidates[i];
        }
    }
    return most >= POSITIONS_MIN && most * SHARE_MIN >= look->length ? best : 0;
}

/* ---- Following ---- */

struct course {
    size_t positions[POSITIONS_MAX]; /* in the row, of the next unit */
    unsigned position_count, first_count;
    const struct ft_unit *units[UNITS_MAX];
    unsigned unit_count;
    unsigned turn_units; /* the first units, behind which the start comes again; 0: it never does */
    unsigned instructions, code_bytes;
};

static void find_positions(const struct look *look, uint32_t start, struct course *course)
{
    uint32_t skip = look->by_unit[start].count / POSITIONS_MAX + 1, seen = 0;
    for (size_t i = 0; i < look->length && course->position_count < POSITIONS_MAX; i++)
        if (look->starts[i] == start && seen++ % skip == 0)
            course->positions[course->position_count++] = i;
    course->first_count = course->position_count;
}

/* The unit that most positions agree on, 0 where too few do; those that do not agree are left. */
static uint32_t agree(const struct look *look, struct course *course)
{
    uint32_t best = 0;
    unsigned most = 0, kept = 0;
    for (unsigned i = 0; i < course->position_count; i++) {
        unsigned votes = 0;
        uint32_t id = course->positions[i] < look->length ? look->row[course->positions[i]] : 0;
        for (unsigned j = i; j < course->position_count; j++)
            votes += course->positions[j] < look->length && look->row[course->positions[j]] == id;
        if (votes > most && id) {
            most = votes;
            best = id;
        }
    }
    if (most < AGREE_MIN || most * AGREE_SHARE < course->first_count ||
        most * 2 < course->position_count)
        return 0;
    for (unsigned i = 0; i < course->position_count; i++)
        if (course->positions[i] < look->length && look->row[course->positions[i]] == best)
            course->positions[kept++] = course->positions[i] + 1;
    course->position_count = kept;
    return best;
}

/* Whether a path that has come so far ends before a unit: at its own start again, or another's. */
static bool ends_before(const struct look *look, const struct course *course,
                        const struct ft_unit *unit)
{
    if (course->unit_count == 0)
        return false;
    if (unit->pc == course->units[0]->pc)
        return course->instructions >= ROUND_MIN;
    const struct ft_translation *translation =
        ft_code_cache_find(&look->capture->cache, FT_MODE_LOGGED, unit->pc);
    return course->instructions >= JOIN_MAX && translation &&
           translation->unit.kind == FT_UNIT_PATH;
}

static void follow(const struct look *look, uint32_t start, struct course *course)
{
    find_positions(look, start, course);
    while (course->unit_count < UNITS_MAX) {
        const struct ft_unit *unit = unit_of(look, agree(look, course));
        if (unit && course->turn_units == 0 && course->unit_count &&
            unit->pc == course->units[0]->pc)
            course->turn_units = course->unit_count;
        if (!unit || !takes(look, unit) || ends_before(look, course, unit) ||
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

/* Puts a path, which it takes over, in the place of what runs at its pc. */
static bool put_in_place(struct ft_capture *capture, struct ft_unit *path)
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

/* Whether the row makes enough iterations each time that it comes to the start. */
static bool is_loop(const struct look *look, const struct course *course)
{
    uint64_t iterations = 0, entries = 0;
    unsigned count = course->turn_units;
    size_t next = SIZE_MAX; /* where a further iteration begins */
    for (size_t i = 0; count && i + count <= look->length;) {
        unsigned same = 0;
        while (same < count && look->row[i + same] == course->units[same]->id)
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
    return iterations > 0 && iterations >= TURNS_MIN * entries;
}

static bool make_path(const struct look *look, const struct course *course)
{
    struct ft_unit path;
    if (is_loop(look, course) &&
        ft_loop_path_plan(course->units, course->turn_units, &path, NULL) == FT_OK &&
        put_in_place(look->capture, &path))
        return true;
    return course->unit_count > 1 &&
           ft_path_plan(course->units, course->unit_count, &path, NULL) == FT_OK &&
           put_in_place(look->capture, &path);
}

static void cover_position(struct look *look, size_t position)
{
    if (look->starts[position])
        look->by_unit[look->starts[position]].count--;
    look->starts[position] = 0;
}

/* Takes the positions that the path covers out of the row; returns how many records it would save.
 */
static uint64_t cover(struct look *look, uint32_t start, const struct course *course)
{
    uint64_t saved = 0;
    for (size_t i = 0; i < look->length; i++) {
        if (look->starts[i] != start)
            continue;
        cover_position(look, i);
        for (unsigned k = 0; k < course->unit_count && i + k < look->length; k++) {
            if (look->row[i + k] != course->units[k]->id)
                break;
            cover_position(look, i + k);
            saved += k > 0;
        }
    }
    return saved;
}

static unsigned make_paths(struct look *look, uint64_t allowed)
{
    unsigned made = 0, tries = 0;
    find_starts(look);
    while (made < allowed && made < PATHS_A_LOOK_MAX && tries++ < TRIES_A_LOOK_MAX) {
        struct course course = {0};
        uint32_t start = choose_start(look);
        if (!start)
            break;
        follow(look, start, &course);
        uint64_t saved = cover(look, start, &course);
        if (course.unit_count > 1 && look->paths->made + made >= FREE_PATHS &&
            saved * look->paths->log_bytes < SAVED_MIN * look->bytes)
            continue; /* later, perhaps */
        look->paths->tries[start]++;
        made += make_path(look, &course);
    }
    return made;
}

static unsigned look_at(struct ft_thread *thread, uint64_t end, uint64_t allowed)
{
    struct ft_capture *capture = thread->capture;
    struct ft_paths *paths = &capture->paths;
    size_t units = ft_drain_unit_count(capture->drain) + 1U;
    struct look *look = malloc(sizeof *look);
    struct by_unit *by_unit = malloc(units * sizeof *by_unit);
    unsigned made = 0;
    if (look && by_unit && FT_RESERVE(paths->tries, paths->capacity, units)) {
        for (; paths->count < units; paths->count++)
            paths->tries[paths->count] = 0;
        look->capture = capture;
        look->paths = paths;
        look->length = 0;
        look->by_unit = by_unit;
        read_row(look, thread, end);
        made = make_paths(look, allowed);
    }
    free(by_unit);
    free(look);
    return made;
}

void ft_paths_look(struct ft_thread *thread, uint64_t end)
{
    struct ft_paths *paths = &thread->capture->paths;
    const struct ft_translator *translator = &thread->capture->translator;
    /* a path runs past the positions where windows begin and end, and does not count instructions
     */
    if (thread->mode != FT_MODE_LOGGED || translator->is_window_stop ||
        translator->counts[FT_MODE_LOGGED] || translator->counts[FT_MODE_UNLOGGED])
        return;
    uint64_t from = thread->looked_at ? thread->looked_at : ft_log_buffer_start(thread);
    if (end - from < LOOK_BYTES_MIN)
        return;
    paths->log_bytes += end - from;
    uint64_t allowed = FREE_PATHS + paths->log_bytes / BYTES_A_PATH - paths->made;
    if (allowed > 0 && paths->log_bytes >= paths->next_look) {
        unsigned made = look_at(thread, end, allowed);
        paths->made += made;
        paths->wait_bytes = made ? 0
                            : paths->wait_bytes < WAIT_BYTES_MAX
                                ? 2 * paths->wait_bytes + LOOK_BYTES_MIN
                                : WAIT_BYTES_MAX;
        paths->next_look = paths->log_bytes + paths->wait_bytes;
    }
    thread->looked_at = end;
}

void ft_paths_fini(struct ft_paths *paths)
{
    free(paths->tries);
    *paths = (struct ft_paths){0};
}
