/*
 * How a number moves is decided at the largest size; where it moves otherwise at another one, or a
 * part of it has no exact law, its parts stay what they are there. Parts are learned as differences
 * from the largest size, as numbers of the nest are (sized_skeleton.c). Blocks that a step of the
 * program allocates, and frees before the next step does, are told by their bytes and order.
 */
#include "fit/skeletons/drawn_laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/skeletons/size_law.h"
#include "formats/base/common_divisor.h"

/* A range of random addresses reaches the end of its block if no more is missing than so many times
 * the mean distance of what was drawn. */
#define GAPS_MAX 20.0

/* A number that is what it was in so many executions, in the mean, is drawn that seldom. */
#define STAYS_MIN 4U

struct learning {
    const struct ft_drawn_training *training;
    size_t last;                                               /* the largest size */
    const struct ft_irregular *loops[FT_SIZED_SIZES_MAX];      /* or NULL: it has none */
    const struct ft_irregular_path *paths[FT_SIZED_SIZES_MAX]; /* likewise */
    bool is_everywhere;                                        /* the path is at all sizes */
    bool is_cut;                                               /* (iteration_cut.h) */
};

static uint64_t magnitude(uint64_t step)
{
    return step >> 63 ? 0 - step : step;
}

/* ---- blocks that follow each other ---- */

/* Blocks of one size, as many numbers apart, of which each is freed before the next one is
 * allocated: what a step of the program allocates at one place. */
struct block_family {
    uint64_t first, step, count; /* blocks */
    uint64_t bytes;              /* of each */
};

static uint64_t block_of(uint64_t place)
{
    return (place - FT_PLACE_BLOCKS) / FT_PLACE_STEP;
}

/* Takes in the next block of the bytes that the first has; false: it is as far from the one before
 * as no other, or that lives. */
static bool take_block(struct block_family *family, uint64_t block, bool lives)
{
    if (family->count == 1)
        family->step = block - family->first;
    if (lives || block != family->first + family->count * family->step)
        return false;
    family->count++;
    return true;
}

/* Those in which a range of places starts and ends. */
static bool find_family(const struct ft_skeleton *skeleton, uint64_t min, uint64_t max,
                        struct block_family *ret_family)
{
    if (!ft_is_in_block(min) || !ft_is_in_block(max) || block_of(min) >= block_of(max))
        return false;
    struct block_family family = {.first = block_of(min)};
    const uint64_t last = block_of(max);
    uint64_t latest = last; /* the one before */
    bool lives = false;
    for (size_t i = 0; i < skeleton->blocks.event_count; i++) {
        const struct ft_block_event *event = &skeleton->blocks.events[i];
        if (event->is_freed) {
            lives = lives && event->block != latest;
            continue;
        }
        if (event->block == family.first)
            family.bytes = event->bytes;
        if (event->block < family.first || event->block > last || event->bytes != family.bytes)
            continue;
        if (!take_block(&family, event->block, lives))
            return false;
        latest = event->block;
        lives = true;
    }
    *ret_family = family;
    return latest == last && family.count > 1 && family.bytes > 0;
}

/* ---- how a number moves ---- */

/* Whether `count` values that step, and start again where they would leave their range, have that
 * many breaks. */
static bool is_cyclic(uint64_t min, uint64_t max, uint64_t step, uint64_t count, uint64_t breaks)
{
    if (step == 0)
        return false;
    const double span = (double)(max - min) + (double)magnitude(step);
    return (double)breaks <= 2 * floor((double)(count - 1) * (double)magnitude(step) / span) + 1;
}

static enum ft_drawn_kind kind_of(const struct ft_skeleton *skeleton,
                                  const struct ft_irregular *loop,
                                  const struct ft_irregular_path *path, uint32_t k)
{
    struct block_family family;
    const struct ft_irregular_number *number = &path->numbers[k];
    if (number->leader != k)
        return FT_DRAWN_FOLLOWS;
    const bool slopes = number->slope_breaks == 0;
    if (slopes && (number->start_min == number->start_max ||
                   is_cyclic(number->start_min, number->start_max, number->start_step,
                             loop->entries, number->start_breaks)))
        return FT_DRAWN_BY_ENTRY;
    if (is_cyclic(number->min, number->max, number->step, path->count, number->breaks))
        return FT_DRAWN_BY_EXECUTION;
    if (slopes && number->has_slope)
        return FT_DRAWN_START;
    return find_family(skeleton, number->min, number->max, &family) ? FT_DRAWN_IN_BLOCKS
                                                                    : FT_DRAWN_EACH;
}

static bool is_drawn_in_each(enum ft_drawn_kind kind)
{
    return kind == FT_DRAWN_EACH || kind == FT_DRAWN_ABOVE_ENTRY || kind == FT_DRAWN_ABOVE_NUMBER;
}

static bool is_cut_kind(enum ft_drawn_kind kind)
{
    return kind == FT_DRAWN_ABOVE_ENTRY || kind == FT_DRAWN_ABOVE_NUMBER;
}

/* Of a loop that is cut, where what is drawn progresses with its iterations or entries at one end:
 * such as a row below the one that it is swapped with. */
static enum ft_drawn_kind cut_kind_of(const struct ft_skeleton *skeleton,
                                      const struct ft_irregular *loop,
                                      const struct ft_irregular_path *path, uint32_t k)
{
    const enum ft_drawn_kind kind = kind_of(skeleton, loop, path, k);
    const struct ft_irregular_number *number = &path->numbers[k], *before = k ? number - 1 : NULL;
    if (kind != FT_DRAWN_EACH || !ft_is_in_block(number->min))
        return kind;
    if (number->below_start == 0 &&
        is_cyclic(number->start_min, number->start_max, number->start_step, loop->entries,
                  number->start_breaks))
        return FT_DRAWN_ABOVE_ENTRY;
    if (before && (int64_t)number->above >= 0 && ft_is_in_block(before->min) &&
        block_of(before->min) == block_of(number->min) && before->min != before->max &&
        !is_drawn_in_each(kind_of(skeleton, loop, path, k - 1)))
        return FT_DRAWN_ABOVE_NUMBER;
    return kind;
}

static void set_cycle(uint64_t min, uint64_t max, uint64_t step, uint64_t parts[FT_DRAWN_PARTS])
{
    parts[FT_DRAWN_FIRST] = step >> 63 ? max : min;
    parts[FT_DRAWN_STEP] = min == max ? 0 : step;
    parts[FT_DRAWN_SPAN] = min == max ? 0 : max - min + magnitude(step);
}

/* In all of each block. */
static void set_in_blocks(const struct ft_skeleton *skeleton, const struct ft_irregular_path *path,
                          uint32_t k, uint64_t parts[FT_DRAWN_PARTS])
{
    const struct ft_irregular_number *number = &path->numbers[k];
    const uint64_t grain = number->grain ? number->grain : 1;
    const uint64_t offset = (number->min - FT_PLACE_BLOCKS) % FT_PLACE_STEP % grain;
    struct block_family family = {0};
    if (!find_family(skeleton, number->min, number->max, &family))
        return;
    parts[FT_DRAWN_FIRST] = FT_PLACE_BLOCKS + family.first * FT_PLACE_STEP + offset;
    parts[FT_DRAWN_STEP] = family.step * FT_PLACE_STEP;
    parts[FT_DRAWN_SPAN] = family.count * parts[FT_DRAWN_STEP];
    parts[FT_DRAWN_SLOPE] = (path->count + family.count - 1) / family.count;
    parts[FT_DRAWN_CHOICES] = (family.bytes - offset + grain - 1) / grain;
}

/* ---- ranges ---- */

/* The bytes of the block that a place is in, or 0. */
static uint64_t block_bytes(const struct ft_skeleton *skeleton, uint64_t place)
{
    if (!ft_is_in_block(place))
        return 0;
    const uint64_t block = (place - FT_PLACE_BLOCKS) / FT_PLACE_STEP;
    for (size_t i = 0; i < skeleton->blocks.event_count; i++)
        if (skeleton->blocks.events[i].block == block && !skeleton->blocks.events[i].is_freed)
            return skeleton->blocks.events[i].bytes;
    return 0;
}

/* A range of random places becomes that of the whole block where it nearly is that. */
static void widen_range(const struct ft_skeleton *skeleton, uint64_t grain, uint64_t draws,
                        uint64_t parts[FT_DRAWN_PARTS])
{
    const uint64_t first = parts[FT_DRAWN_FIRST], choices = parts[FT_DRAWN_CHOICES];
    const uint64_t bytes = block_bytes(skeleton, first);
    if (bytes == 0 || choices < 2 || draws < 2)
        return;
    const uint64_t offset = (first - FT_PLACE_BLOCKS) % FT_PLACE_STEP;
    if (offset + choices * grain > bytes + grain)
        return; /* leaves the block */
    const double gap = (double)choices / (double)draws * GAPS_MAX + 1;
    const uint64_t before = offset / grain;
    const uint64_t after =
        bytes > offset + choices * grain ? (bytes - offset - choices * grain) / grain : 0;
    if ((double)before <= gap) {
        parts[FT_DRAWN_FIRST] -= before * grain;
        parts[FT_DRAWN_CHOICES] += before;
    }
    if ((double)after <= gap)
        parts[FT_DRAWN_CHOICES] += after;
}

/* ---- parts ---- */

/* grain: a divisor of the number's. */
static void set_parts(const struct ft_skeleton *skeleton, enum ft_drawn_kind kind,
                      const struct ft_irregular_path *path, uint32_t k, uint64_t grain,
                      uint64_t parts[FT_DRAWN_PARTS])
{
    const struct ft_irregular_number *number = &path->numbers[k];
    memset(parts, 0, FT_DRAWN_PARTS * sizeof *parts);
    switch (kind) {
    case FT_DRAWN_FOLLOWS:
        parts[FT_DRAWN_FIRST] = number->first - path->numbers[number->leader].first;
        return;
    case FT_DRAWN_BY_ENTRY:
        set_cycle(number->start_min, number->start_max, number->start_step, parts);
        parts[FT_DRAWN_SLOPE] = number->slope;
        return;
    case FT_DRAWN_BY_EXECUTION:
        set_cycle(number->min, number->max, number->step, parts);
        return;
    case FT_DRAWN_START:
        parts[FT_DRAWN_FIRST] = number->start_min;
        parts[FT_DRAWN_CHOICES] = (number->start_max - number->start_min) / grain + 1;
        parts[FT_DRAWN_SLOPE] = number->slope;
        widen_range(skeleton, grain, path->count, parts);
        return;
    case FT_DRAWN_EACH:
        parts[FT_DRAWN_FIRST] = number->min;
        parts[FT_DRAWN_CHOICES] = (number->max - number->min) / grain + 1;
        widen_range(skeleton, grain, path->count, parts);
        return;
    case FT_DRAWN_IN_BLOCKS:
        set_in_blocks(skeleton, path, k, parts);
        return;
    case FT_DRAWN_ABOVE_ENTRY:
        set_cycle(number->start_min, number->start_max, number->start_step, parts);
        parts[FT_DRAWN_CHOICES] = (number->max - number->start_min) / grain + 1;
        return;
    case FT_DRAWN_ABOVE_NUMBER:
        parts[FT_DRAWN_FIRST] = number->above;
        parts[FT_DRAWN_SPAN] = number->max;
        parts[FT_DRAWN_CHOICES] = 2; /* or more */
        return;
    }
}

/* In how many executions, in the mean, a number stays as it is before it is drawn again, such as
 * the place of what is the largest so far. Loops that files say are irregular do not have it. */
static void set_stay(const struct learning *learning, enum ft_drawn_kind kind,
                     const struct ft_irregular_path *path, uint32_t k,
                     uint64_t parts[FT_DRAWN_PARTS])
{
    const uint64_t values = path->count - path->numbers[k].stays; /* the first is one */
    if (learning->is_cut && is_drawn_in_each(kind) && path->count / values >= STAYS_MIN)
        parts[FT_DRAWN_SLOPE] = path->count / values;
}

/* ---- laws ---- */

/* What has no exact law, how long values stay: a line through what the smallest and the largest
 * size say. */
static void set_line(const struct learning *learning,
                     uint64_t parts[FT_SIZED_SIZES_MAX][FT_DRAWN_PARTS], size_t part,
                     struct ft_drawn_number *number)
{
    const double *sizes = learning->training->sizes;
    const double rise = ((double)parts[learning->last][part] - (double)parts[0][part]) /
                        (sizes[learning->last] - sizes[0]);
    number->changes[part][0] = -rise * sizes[learning->last];
    number->changes[part][1] = rise;
}

/* Whether the parts of all sizes lie on laws. */
static bool learn_changes(const struct learning *learning,
                          uint64_t parts[FT_SIZED_SIZES_MAX][FT_DRAWN_PARTS],
                          struct ft_drawn_number *number)
{
    const struct ft_drawn_training *training = learning->training;
    for (size_t part = 0; part < FT_DRAWN_PARTS; part++) {
        uint64_t values[FT_SIZED_SIZES_MAX];
        for (size_t s = 0; s < training->count; s++)
            values[s] = parts[s][part];
        if (part == FT_DRAWN_SLOPE && is_drawn_in_each(number->kind))
            set_line(learning, parts, part, number);
        else if (!ft_size_law_find_change(training->sizes, values, training->count,
                                          number->changes[part]))
            return false;
    }
    return true;
}

/* What is drawn is a multiple of it: the common divisor over the sizes, where these have others
 * that follow no law. */
static uint64_t common_grain(const struct learning *learning, uint32_t k)
{
    uint64_t grain = 0;
    for (size_t s = 0; s < learning->training->count; s++)
        grain = (uint64_t)ft_common_divisor(grain, learning->paths[s]->numbers[k].grain);
    return grain;
}

/* The parts at all sizes, if the number moves there as it does at the largest one. common: a grain
 * for all sizes, or 0: each has its own, which is a part if these differ, such as the bytes of a
 * row. */
static bool find_parts(const struct learning *learning, uint32_t k, uint64_t common,
                       const struct ft_drawn_number *number,
                       uint64_t parts[FT_SIZED_SIZES_MAX][FT_DRAWN_PARTS])
{
    const struct ft_drawn_training *training = learning->training;
    const bool has_grain = number->kind == FT_DRAWN_EACH || number->kind == FT_DRAWN_START ||
                           number->kind == FT_DRAWN_ABOVE_NUMBER;
    const bool has_slope = number->kind == FT_DRAWN_BY_ENTRY || number->kind == FT_DRAWN_START;
    bool have_grains = false;
    for (size_t s = 0; s < training->count; s++) {
        const struct ft_irregular_path *own = learning->paths[s];
        const enum ft_drawn_kind kind = (is_cut_kind(number->kind) ? cut_kind_of : kind_of)(
            training->skeletons[s], learning->loops[s], own, k);
        if (kind != number->kind || own->numbers[k].leader != number->leader ||
            (has_slope && own->numbers[k].slope_per != number->slope_per))
            return false;
        const uint64_t grain = common ? common : own->numbers[k].grain;
        set_parts(training->skeletons[s], number->kind, own, k, grain ? grain : 1, parts[s]);
        set_stay(learning, number->kind, own, k, parts[s]);
        have_grains = have_grains || (has_grain && grain != number->grain);
    }
    for (size_t s = 0; have_grains && !common && s < training->count; s++)
        parts[s][FT_DRAWN_STEP] = learning->paths[s]->numbers[k].grain;
    return true;
}

/* Whether its parts lie on laws if it moves in the way that `number` says, which gets these. */
static bool learn_kind(const struct learning *learning, uint32_t k, struct ft_drawn_number *number)
{
    uint64_t parts[FT_SIZED_SIZES_MAX][FT_DRAWN_PARTS];
    if (!learning->is_everywhere || !find_parts(learning, k, 0, number, parts))
        return false;
    const uint64_t common = common_grain(learning, k);
    const bool has_start = number->kind == FT_DRAWN_ABOVE_ENTRY; /* no part is the grain */
    bool is_exact =
        (!has_start || common == number->grain) && learn_changes(learning, parts, number);
    if (!is_exact && common > 0 && number->kind != FT_DRAWN_IN_BLOCKS) {
        number->grain = common;
        is_exact = find_parts(learning, k, common, number, parts) &&
                   learn_changes(learning, parts, number);
    }
    memcpy(number->parts, parts[learning->last], sizeof number->parts);
    return is_exact;
}

static void learn_number(const struct learning *learning, uint32_t k,
                         struct ft_drawn_number *ret_number)
{
    const struct ft_skeleton *skeleton = learning->training->skeletons[learning->last];
    const struct ft_irregular *loop = learning->loops[learning->last];
    const struct ft_irregular_path *path = learning->paths[learning->last];
    struct ft_drawn_number number = {.kind = kind_of(skeleton, loop, path, k),
                                     .leader = path->numbers[k].leader,
                                     .grain = path->numbers[k].grain ? path->numbers[k].grain : 1,
                                     .slope_per = path->numbers[k].slope_per};
    set_parts(skeleton, number.kind, path, k, number.grain, number.parts);
    set_stay(learning, number.kind, path, k, number.parts);
    *ret_number = number; /* as it is there, if it has no laws */
    struct ft_drawn_number cut = number;
    cut.kind = learning->is_cut ? cut_kind_of(skeleton, loop, path, k) : number.kind;
    if (cut.kind != number.kind && learn_kind(learning, k, &cut))
        *ret_number = cut;
    else if (learn_kind(learning, k, &number))
        *ret_number = number;
}

/* ---- paths ---- */

/* The path of the same tokens at a size, or NULL. */
static const struct ft_irregular_path *find_path(const struct learning *learning, size_t s,
                                                 const struct ft_irregular_path *path)
{
    const struct ft_irregular *loop = learning->loops[s];
    if (s == learning->last || !loop)
        return s == learning->last ? path : NULL;
    const size_t id = (size_t)(loop - learning->training->skeletons[s]->threads[0].irregulars);
    const struct ft_renamed_loop *renamed = &learning->training->renamed[s].loops[id];
    for (size_t p = 0; p < loop->path_count; p++)
        if (loop->paths[p].token_count == path->token_count &&
            memcmp(renamed->paths[p], path->tokens, path->token_count * sizeof *path->tokens) == 0)
            return &loop->paths[p];
    return NULL;
}

/* How often a path is taken, of how many iterations in all, as functions of the size. */
static void learn_share(const struct learning *learning, struct ft_drawn_path *drawn)
{
    const struct ft_drawn_training *training = learning->training;
    double counts[2][FT_SIZED_SIZES_MAX];
    if (!learning->is_everywhere)
        return;
    for (size_t s = 0; s < training->count; s++) {
        counts[0][s] = (double)learning->paths[s]->count;
        counts[1][s] = (double)learning->loops[s]->iterations;
    }
    drawn->has_law = ft_size_law_find(training->sizes, counts[0], training->count, drawn->law[0]) &&
                     ft_size_law_find(training->sizes, counts[1], training->count, drawn->law[1]);
}

static int learn_path(struct learning *learning, const struct ft_irregular_path *path,
                      struct ft_drawn_path *ret_path, struct ft_diag *diag)
{
    const struct ft_irregular *loop = learning->loops[learning->last];
    *ret_path =
        (struct ft_drawn_path){.tokens = malloc(path->token_count * sizeof *path->tokens + 1),
                               .token_count = path->token_count,
                               .share = (double)path->count / (double)loop->iterations,
                               .numbers = calloc(path->number_count + 1, sizeof *ret_path->numbers),
                               .number_count = path->number_count};
    if (!ret_path->tokens || !ret_path->numbers)
        return ft_fail_memory(diag, "an irregular loop");
    memcpy(ret_path->tokens, path->tokens, path->token_count * sizeof *path->tokens);
    learning->is_everywhere = true;
    for (size_t s = 0; s < learning->training->count; s++) {
        learning->paths[s] = find_path(learning, s, path);
        learning->is_everywhere = learning->is_everywhere && learning->paths[s];
    }
    learn_share(learning, ret_path);
    for (uint32_t k = 0; k < path->number_count; k++)
        learn_number(learning, k, &ret_path->numbers[k]);
    return FT_OK;
}

/* ---- loops ---- */

static double mean_iterations(const struct ft_irregular *loop)
{
    return (double)loop->iterations / (double)loop->entries;
}

static void learn_iterations(const struct learning *learning, struct ft_drawn_loop *drawn)
{
    const struct ft_drawn_training *training = learning->training;
    const struct ft_irregular *loop = learning->loops[learning->last];
    double iterations[FT_SIZED_SIZES_MAX];
    drawn->varies = loop->iterations_min != loop->iterations_max;
    drawn->iterations_min = loop->iterations_min;
    drawn->is_exact = true;
    size_t before = learning->last; /* a smaller size that growth can be told from */
    for (size_t s = 0; s < training->count; s++) {
        const struct ft_irregular *own = learning->loops[s];
        drawn->is_exact = drawn->is_exact && own && own->iterations_min == own->iterations_max;
        iterations[s] = own ? (double)own->iterations_min : 0;
        if (own && own->iterations && training->sizes[s] > 0 && s != learning->last)
            before = s;
    }
    drawn->is_exact = drawn->is_exact && ft_size_law_find(training->sizes, iterations,
                                                          training->count, drawn->iterations);
    if (drawn->is_exact)
        return;
    const double mean = mean_iterations(loop), size = training->sizes[learning->last];
    if (before != learning->last)
        drawn->exponent = log(mean / mean_iterations(learning->loops[before])) /
                          log(size / training->sizes[before]);
    drawn->scale = mean / pow(size, drawn->exponent);
}

static int learn_loop(struct learning *learning, uint32_t id, struct ft_drawn_loop *ret_loop,
                      struct ft_diag *diag)
{
    const struct ft_drawn_training *training = learning->training;
    const struct ft_irregular *loop =
        &training->skeletons[learning->last]->threads[0].irregulars[id];
    if (loop->path_count == 0 || loop->entries == 0)
        return FT_OK;
    for (size_t s = 0; s < training->count; s++) {
        const struct ft_thread_skeleton *thread = &training->skeletons[s]->threads[0];
        learning->loops[s] = s == learning->last ? loop : NULL;
        for (size_t i = 0; s != learning->last && i < thread->irregular_count; i++)
            if (training->renamed[s].loops[i].id == id && thread->irregulars[i].entries)
                learning->loops[s] = &thread->irregulars[i];
    }
    learning->is_cut = ft_irregular_is_cut(loop, id);
    learn_iterations(learning, ret_loop);
    ret_loop->paths = calloc(loop->path_count, sizeof *ret_loop->paths);
    if (!ret_loop->paths)
        return ft_fail_memory(diag, "an irregular loop");
    for (size_t p = 0; p < loop->path_count; p++) {
        ret_loop->path_count++;
        FT_TRY(learn_path(learning, &loop->paths[p], &ret_loop->paths[p], diag));
    }
    return FT_OK;
}

int ft_drawn_loops_learn(const struct ft_drawn_training *training, struct ft_drawn_loop **ret_loops,
                         struct ft_diag *diag)
{
    struct learning learning = {.training = training, .last = training->count - 1};
    const size_t count = training->skeletons[learning.last]->threads[0].irregular_count;
    struct ft_drawn_loop *loops = calloc(count + 1, sizeof *loops);
    int status = loops ? FT_OK : ft_fail_memory(diag, "an irregular loop");
    for (uint32_t i = 0; !status && i < count; i++)
        status = learn_loop(&learning, i, &loops[i], diag);
    if (status) {
        ft_drawn_loops_free(loops, count);
        return status;
    }
    *ret_loops = loops;
    return FT_OK;
}

/* ---- at a size ---- */

static double iterations_at(const struct ft_drawn_loop *loop, double size)
{
    if (!loop->is_exact)
        return loop->scale * pow(size, loop->exponent);
    return (double)ft_size_law_at(loop->iterations, size);
}

static bool path_at(const struct ft_drawn_path *path, double size, struct ft_drawn_path *ret_path)
{
    *ret_path = *path;
    ret_path->tokens = malloc(path->token_count * sizeof *path->tokens + 1);
    ret_path->numbers = calloc(path->number_count + 1, sizeof *path->numbers);
    if (!ret_path->tokens || !ret_path->numbers)
        return false;
    memcpy(ret_path->tokens, path->tokens, path->token_count * sizeof *path->tokens);
    for (size_t k = 0; k < path->number_count; k++) {
        struct ft_drawn_number *number = &ret_path->numbers[k];
        *number = path->numbers[k];
        for (size_t part = 0; part < FT_DRAWN_PARTS; part++)
            number->parts[part] += (uint64_t)ft_size_law_at(number->changes[part], size);
    }
    return true;
}

/* Shares with laws are as these say, the others what is left, as at the largest training size. */
static void set_shares(struct ft_drawn_loop *loop, double size)
{
    double known = 0, others = 0;
    for (size_t p = 0; p < loop->path_count; p++) {
        struct ft_drawn_path *path = &loop->paths[p];
        const double all = path->has_law ? (double)ft_size_law_at(path->law[1], size) : 0;
        if (all > 0) {
            path->share = fmin(1, fmax(0, (double)ft_size_law_at(path->law[0], size) / all));
            known += path->share;
        } else {
            path->has_law = false;
            others += path->share;
        }
    }
    for (size_t p = 0; p < loop->path_count; p++)
        if (!loop->paths[p].has_law && known < 1)
            loop->paths[p].share *= (1 - known) / others;
}

static bool loop_at(const struct ft_drawn_loop *loop, double size, struct ft_drawn_loop *ret_loop)
{
    *ret_loop = *loop;
    ret_loop->iterations[0] = iterations_at(loop, size);
    ret_loop->path_count = 0;
    ret_loop->paths = calloc(loop->path_count + 1, sizeof *ret_loop->paths);
    if (!ret_loop->paths)
        return false;
    for (size_t p = 0; p < loop->path_count; p++) {
        ret_loop->path_count++;
        if (!path_at(&loop->paths[p], size, &ret_loop->paths[p]))
            return false;
    }
    set_shares(ret_loop, size);
    return true;
}

int ft_drawn_loops_at(const struct ft_drawn_loop *loops, size_t loop_count, double size,
                      struct ft_drawn_loop **ret_loops, struct ft_diag *diag)
{
    struct ft_drawn_loop *made = calloc(loop_count + 1, sizeof *made);
    bool done = made != NULL;
    for (size_t i = 0; done && i < loop_count; i++)
        done = loop_at(&loops[i], size, &made[i]);
    if (!done) {
        ft_drawn_loops_free(made, loop_count);
        return ft_fail_memory(diag, "an irregular loop");
    }
    *ret_loops = made;
    return FT_OK;
}
