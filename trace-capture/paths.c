/*
 * A look takes the first records of a buffer as a row of units. The unit that stands there most
 * often, and is not yet the start of a path, becomes one: from all its places at once the row is
 * followed for as long as most of them agree on the next unit. What the path covers is taken out,
 * and the next start is chosen, until none stands there often enough. Looks that find nothing make
 * the next ones rarer. A path that is left early stands in the row as its beginning, a unit of its
 * own: it may start a better one, which takes its place.
 */
#include "trace-capture/paths.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/code/plan.h"
#include "trace-capture/capture.h"

#define ROW_MAX          16384U /* records of a look */
#define PLACES_MAX       64U    /* of a start that are followed */
#define PATHS_A_LOOK_MAX 32U
#define TRIES_A_LOOK_MAX 64U
#define TRIES_MAX        3U /* of a start */
#define GENERATIONS_MAX  4U /* paths that take the place of paths */
#define WAIT_MAX         256U
#define LOOK_BYTES_MIN   (1U << 14)
/* A path that runs seldom costs more than it saves, and so do its side exits, which are units of
 * their own: a program that never stays anywhere long gets few. */
#define FREE_PATHS   64U
#define BYTES_A_PATH (1U << 18) /* of log, for each further path */
#define SHARE_MIN    256U       /* a start is one of so many records at least, */
#define PLACES_MIN   16U        /* and stands in so many places */
#define AGREE_MIN    4U         /* places, and one in */
#define AGREE_SHARE  8U         /* so many of those at the start */
#define ROUND_MIN    64U        /* instructions: shorter rounds of a loop are joined */
#define JOIN_MAX     96U        /* a longer path ends where another starts */
#define UNITS_MAX    FT_PATH_INSTRUCTIONS_MAX

struct look {
    struct ft_capture *capture;
    struct ft_paths *paths;
    uint32_t row[ROW_MAX];    /* units; 0: an escape */
    uint32_t starts[ROW_MAX]; /* the unit translated at the same pc; 0: none, or covered */
    size_t length;
    uint32_t *counts; /* by unit */
};

static const struct ft_unit *unit_of(const struct look *look, uint32_t id)
{
    return ft_drain_unit(look->capture->drain, id);
}

/* ---- The row ---- */

static uint64_t loop_bytes(const struct ft_unit *unit, const uint8_t *record, uint64_t address)
{
    uint64_t bytes = ft_log_loop_entry_bytes(unit), end_word;
    memcpy(&end_word, record + 4, sizeof end_word);
    return unit->count_source == FT_COUNT_VALUES ? end_word - address : bytes;
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
    if (unit->kind == FT_UNIT_LOOP)
        return loop_bytes(unit, record, address);
    return sizeof head[0] + slot_bytes(unit, unit->instruction_count);
}

static void read_row(struct look *look, const struct ft_thread *thread, uint64_t end)
{
    uint64_t at = thread->looked_at ? thread->looked_at : ft_log_buffer_start(thread);
    while (look->length < ROW_MAX && at < end) {
        const uint8_t *record = ft_log_at(thread, at);
        memcpy(&look->row[look->length], record, sizeof *look->row);
        look->length++;
        at += record_bytes(look, record, at);
    }
}

/* Units that log the calls or returns of watched functions stay as they are. */
static bool takes(const struct look *look, const struct ft_unit *unit)
{
    const struct ft_watched_functions *watched = &look->capture->watched;
    return ft_path_takes(unit) && !ft_watched_find(watched, unit->pc, unit->module) &&
           !ft_watched_returns(watched, unit->pc, unit->module);
}

/* The unit whose translation runs at the unit's pc, if a path may start there. */
static uint32_t start_of(const struct look *look, uint32_t id)
{
    const struct ft_unit *unit = unit_of(look, id);
    if (!unit || !takes(look, unit) || ft_is_foretold(&unit->instructions[0]))
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

/* The start that stands in most places, the first of those that tie; 0 where none is worth it. */
static uint32_t choose_start(struct look *look)
{
    uint32_t best = 0;
    for (size_t i = 0; i < look->length; i++)
        look->counts[look->starts[i]] = 0;
    for (size_t i = 0; i < look->length; i++)
        look->counts[look->starts[i]]++;
    look->counts[0] = 0;
    for (size_t i = 0; i < look->length; i++)
        if (look->counts[look->starts[i]] > look->counts[best])
            best = look->starts[i];
    bool is_frequent =
        look->counts[best] >= PLACES_MIN && look->counts[best] * SHARE_MIN >= look->length;
    return is_frequent ? best : 0;
}

/* ---- Following ---- */

struct course {
    size_t places[PLACES_MAX]; /* in the row, of the next unit */
    unsigned place_count, first_count;
    const struct ft_unit *units[UNITS_MAX];
    unsigned unit_count;
    unsigned instructions, code_bytes;
};

static void find_places(const struct look *look, uint32_t start, struct course *course)
{
    uint32_t skip = look->counts[start] / PLACES_MAX + 1, seen = 0;
    for (size_t i = 0; i < look->length && course->place_count < PLACES_MAX; i++)
        if (look->starts[i] == start && seen++ % skip == 0)
            course->places[course->place_count++] = i;
    course->first_count = course->place_count;
}

/* The unit that most places agree on, 0 where too few do; those that do not agree are left. */
static uint32_t agree(const struct look *look, struct course *course)
{
    uint32_t best = 0;
    unsigned most = 0, kept = 0;
    for (unsigned i = 0; i < course->place_count; i++) {
        unsigned votes = 0;
        uint32_t id = course->places[i] < look->length ? look->row[course->places[i]] : 0;
        for (unsigned j = i; j < course->place_count; j++)
            votes += course->places[j] < look->length && look->row[course->places[j]] == id;
        if (votes > most && id) {
            most = votes;
            best = id;
        }
    }
    if (most < AGREE_MIN || most * AGREE_SHARE < course->first_count ||
        most * 2 < course->place_count)
        return 0;
    for (unsigned i = 0; i < course->place_count; i++)
        if (course->places[i] < look->length && look->row[course->places[i]] == best)
            course->places[kept++] = course->places[i] + 1;
    course->place_count = kept;
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
    find_places(look, start, course);
    while (course->unit_count < UNITS_MAX) {
        const struct ft_unit *unit = unit_of(look, agree(look, course));
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

static bool make_path(struct ft_capture *capture, const struct course *course)
{
    struct ft_unit path;
    struct ft_translation *translation;
    struct ft_translation *old =
        ft_code_cache_find(&capture->cache, FT_MODE_LOGGED, course->units[0]->pc);
    if (ft_path_plan(course->units, course->unit_count, &path, NULL) < 0 ||
        ft_translate_path(&capture->translator, &path, &translation, NULL) < 0)
        return false;
    if (!ft_mappings_allow(capture, translation) ||
        !ft_reaches(old->entry + 5, translation->entry) ||
        ft_code_cache_supersede(&capture->cache, old, translation, NULL) < 0) {
        ft_code_cache_drop(&capture->cache, translation);
        return false;
    }
    translation->generation = old->generation + 1;
    if (old->has_landing)
        ft_code_cache_land(&capture->cache, translation, NULL);
    return true;
}

/* Takes the places that the path covers out of the row. */
static void cover(struct look *look, uint32_t start, const struct course *course)
{
    for (size_t i = 0; i < look->length; i++) {
        if (look->starts[i] != start)
            continue;
        look->starts[i] = 0;
        for (unsigned k = 0; k < course->unit_count && i + k < look->length; k++) {
            if (look->row[i + k] != course->units[k]->id)
                break;
            look->starts[i + k] = 0;
        }
    }
}

static unsigned make_paths(struct look *look)
{
    unsigned made = 0, tries = 0;
    for (size_t i = 0; i < look->length; i++)
        look->starts[i] = start_of(look, look->row[i]);
    const uint64_t allowed = FREE_PATHS + look->paths->log_bytes / BYTES_A_PATH;
    while (made < PATHS_A_LOOK_MAX && tries++ < TRIES_A_LOOK_MAX && look->paths->made < allowed) {
        struct course course = {0};
        uint32_t start = choose_start(look);
        if (!start)
            break;
        follow(look, start, &course);
        bool is_made = course.unit_count > 1 && make_path(look->capture, &course);
        look->paths->tries[start]++;
        cover(look, start, &course);
        made += is_made;
        look->paths->made += is_made;
    }
    return made;
}

void ft_paths_look(struct ft_thread *thread, uint64_t end)
{
    struct ft_capture *capture = thread->capture;
    struct ft_paths *paths = &capture->paths;
    const struct ft_translator *translator = &capture->translator;
    /* a path runs past the places where windows begin and end, and does not count instructions */
    if (thread->mode != FT_MODE_LOGGED || translator->is_window_stop ||
        translator->counts[FT_MODE_LOGGED] || translator->counts[FT_MODE_UNLOGGED])
        return;
    uint64_t from = thread->looked_at ? thread->looked_at : ft_log_buffer_start(thread);
    if (end - from < LOOK_BYTES_MIN)
        return;
    paths->log_bytes += end - from;
    if (paths->waits > 0) {
        paths->waits--;
        thread->looked_at = end;
        return;
    }
    size_t units = ft_drain_unit_count(capture->drain) + 1U;
    struct look *look = malloc(sizeof *look);
    uint32_t *counts = malloc(units * sizeof *counts);
    if (look && counts && FT_RESERVE(paths->tries, paths->capacity, units)) {
        for (; paths->count < units; paths->count++)
            paths->tries[paths->count] = 0;
        look->capture = capture;
        look->paths = paths;
        look->length = 0;
        look->counts = counts;
        read_row(look, thread, end);
        thread->looked_at = end;
        unsigned made = make_paths(look);
        paths->wait_next = made                          ? 0
                           : paths->wait_next < WAIT_MAX ? 2 * paths->wait_next + 1
                                                         : WAIT_MAX;
        paths->waits = paths->wait_next;
    }
    free(counts);
    free(look);
}

void ft_paths_fini(struct ft_paths *paths)
{
    free(paths->tries);
    *paths = (struct ft_paths){0};
}
