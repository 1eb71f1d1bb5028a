/*
 * Where the levels' allocations begin, and how many levels there are, is tried: what is before must
 * be alike at all sizes, and the bytes of each of a level's blocks must follow a law of size and
 * level. What is behind is then followed event by event.
 */
#include "fit/skeletons/block_levels.h"

#include <math.h>
#include <stdlib.h>

#include "fit/functions/doubling.h"
#include "fit/skeletons/level_laws.h"
#include "formats/base/array.h"

#define SIZES_MIN      4U
#define BY_LEVEL_MAX   16U /* blocks of a level */
#define NOT_OF_A_LEVEL SIZE_MAX

struct learning {
    const struct ft_block_training *training;
    struct ft_law_search *search;
    size_t by_level;                   /* blocks */
    size_t first;                      /* event: the first level's first allocation */
    uint32_t first_block;              /* its block */
    size_t levels[FT_SIZED_SIZES_MAX]; /* [size] */
    struct ft_level_law laws[BY_LEVEL_MAX];
    struct ft_block_laws *into;
    size_t capacity;
    struct ft_diag *diag;
};

static const struct ft_block_events *events_of(const struct learning *learning, size_t size)
{
    return ft_block_training_events(learning->training, size);
}

static size_t largest_of(const struct learning *learning)
{
    return learning->training->count - 1;
}

/* How many blocks more there are with each doubling; 0: none, or not always as many. */
static size_t blocks_by_level(const struct learning *learning)
{
    const double *sizes = learning->training->sizes;
    const double first = events_of(learning, 0)->block_count;
    const double by_level =
        (events_of(learning, 1)->block_count - first) / log2(sizes[1] / sizes[0]);
    if (by_level < 1 || by_level > BY_LEVEL_MAX || by_level != floor(by_level))
        return 0;
    for (size_t s = 1; s < learning->training->count; s++)
        if (events_of(learning, s)->block_count != first + by_level * log2(sizes[s] / sizes[0]))
            return 0;
    return (size_t)by_level;
}

static bool allocates_alike(const struct ft_block_event *a, const struct ft_block_event *b)
{
    return !a->is_freed && !b->is_freed && a->alignment == b->alignment && a->clears == b->clears;
}

/* ---- where levels are allocated ---- */

/* Whether all levels of all sizes allocate alike, with bytes that have laws. */
static bool find_laws(struct learning *learning)
{
    for (size_t s = 0; s <= largest_of(learning); s++) {
        const struct ft_block_events *blocks = events_of(learning, s);
        const size_t count = learning->levels[s] * learning->by_level;
        if (learning->first + count > blocks->event_count)
            return false;
        for (size_t i = 0; i < count; i++) {
            const struct ft_block_event *event = &blocks->events[learning->first + i];
            const struct ft_block_event *alike =
                &events_of(learning, 0)->events[learning->first + i % learning->by_level];
            if (!allocates_alike(event, alike) || event->alignment > 1 ||
                event->block != learning->first_block + i)
                return false;
        }
    }
    for (size_t j = 0; j < learning->by_level; j++) {
        struct ft_level_sample samples[FT_SIZED_SIZES_MAX];
        size_t count = 0;
        for (size_t s = 0; s <= largest_of(learning); s++)
            for (size_t k = 0; k < learning->levels[s] && count < FT_SIZED_SIZES_MAX; k++)
                samples[count++] = (struct ft_level_sample){
                    learning->training->sizes[s], (unsigned)k,
                    (double)events_of(learning, s)
                        ->events[learning->first + k * learning->by_level + j]
                        .bytes};
        if (!ft_level_law_find(samples, count, &learning->laws[j]))
            return false;
    }
    return true;
}

/* Whether an event is the same at all sizes, before there are levels. */
static bool is_common(const struct learning *learning, size_t event)
{
    const struct ft_block_events *last = events_of(learning, largest_of(learning));
    for (size_t s = 0; s <= largest_of(learning); s++) {
        const struct ft_block_events *blocks = events_of(learning, s);
        if (event >= blocks->event_count)
            return false;
        const struct ft_block_event *a = &blocks->events[event], *b = &last->events[event];
        if (a->block != b->block || a->is_freed != b->is_freed || a->alignment != b->alignment ||
            a->clears != b->clears)
            return false;
    }
    return true;
}

static bool find_levels(struct learning *learning)
{
    const struct ft_block_events *first = events_of(learning, 0);
    for (size_t event = 0; event < first->event_count; event++) {
        learning->first = event;
        learning->first_block = first->events[event].block;
        const size_t most = (first->block_count - learning->first_block) / learning->by_level;
        for (size_t levels = first->events[event].is_freed ? 0 : most; levels >= 2; levels--) {
            for (size_t s = 0; s <= largest_of(learning); s++)
                learning->levels[s] =
                    levels +
                    (events_of(learning, s)->block_count - first->block_count) / learning->by_level;
            if (find_laws(learning))
                return true;
        }
        if (!is_common(learning, event))
            return false;
    }
    return false;
}

/* ---- events ---- */

/* Of a block at a size: its level and which of that level's, or by how many it is behind all
 * levels' blocks. */
struct role {
    size_t level; /* or NOT_OF_A_LEVEL */
    size_t index;
};

static struct role role_of(const struct learning *learning, size_t size, uint32_t block)
{
    const size_t of_levels = learning->levels[size] * learning->by_level;
    if (block < learning->first_block)
        return (struct role){NOT_OF_A_LEVEL, block};
    const size_t at = block - learning->first_block;
    if (at < of_levels)
        return (struct role){at / learning->by_level, at % learning->by_level};
    return (struct role){NOT_OF_A_LEVEL, block - of_levels};
}

/* The block of the largest size with a role; those of levels that it does not have come behind. */
static uint32_t block_with(const struct learning *learning, struct role role)
{
    const size_t last = largest_of(learning), levels = learning->levels[last];
    const size_t blocks = events_of(learning, last)->block_count;
    if (role.level == NOT_OF_A_LEVEL)
        return (uint32_t)(role.index < learning->first_block
                              ? role.index
                              : role.index + levels * learning->by_level);
    const size_t at = role.level * learning->by_level + role.index;
    return (uint32_t)(role.level < levels ? learning->first_block + at
                                          : blocks + at - levels * learning->by_level);
}

static size_t copies_of(const struct learning *learning)
{
    return learning->levels[largest_of(learning)] + FT_LEVEL_DOUBLINGS;
}

static int add_event(struct learning *learning, const struct ft_sized_block_event *event)
{
    struct ft_block_laws *into = learning->into;
    if (!FT_RESERVE(into->events, learning->capacity, into->event_count + 1))
        return ft_fail_memory(learning->diag, "the heap of a program");
    into->events[into->event_count++] = *event;
    return FT_OK;
}

/* An allocation or free of a level; at: the level, and which of its blocks. */
static int add_level_event(struct learning *learning, const struct ft_block_event *event,
                           struct role at)
{
    const size_t last = largest_of(learning);
    const double above = (double)at.level + 1 - (double)learning->levels[last];
    struct ft_sized_block_event of_level = {.block = block_with(learning, at),
                                            .is_freed = event->is_freed,
                                            .clears = event->clears,
                                            .alignment = event->alignment,
                                            .from = learning->training->sizes[last] * exp2(above)};
    if (!event->is_freed)
        ft_level_law_of(&learning->laws[at.index], (unsigned)at.level, &of_level.bytes);
    return add_event(learning, &of_level);
}

static int add_allocations(struct learning *learning)
{
    for (size_t k = 0; k < copies_of(learning); k++)
        for (size_t j = 0; j < learning->by_level; j++)
            FT_TRY(add_level_event(learning, &events_of(learning, 0)->events[learning->first + j],
                                   (struct role){k, j}));
    learning->into->block_count = events_of(learning, largest_of(learning))->block_count +
                                  (uint32_t)(FT_LEVEL_DOUBLINGS * learning->by_level);
    return FT_OK;
}

/* Whether all sizes free their levels from these events on, level by level; falls: the last one
 * first. */
static bool frees_levels(const struct learning *learning, const size_t *at, bool falls)
{
    const size_t by_level = learning->by_level;
    for (size_t s = 0; s <= largest_of(learning); s++) {
        const struct ft_block_events *blocks = events_of(learning, s);
        for (size_t i = 0; i < learning->levels[s] * by_level; i++) {
            if (at[s] + i >= blocks->event_count || !blocks->events[at[s] + i].is_freed)
                return false;
            const struct role role = role_of(learning, s, blocks->events[at[s] + i].block);
            const struct role like =
                role_of(learning, 0, events_of(learning, 0)->events[at[0] + i % by_level].block);
            const size_t level = falls ? learning->levels[s] - 1 - i / by_level : i / by_level;
            if (role.level != level || role.index != like.index)
                return false;
        }
    }
    return true;
}

static int add_frees(struct learning *learning, const size_t *at, bool falls)
{
    for (size_t i = 0; i < copies_of(learning); i++)
        for (size_t j = 0; j < learning->by_level; j++) {
            const struct ft_block_event *event = &events_of(learning, 0)->events[at[0] + j];
            const size_t level = falls ? copies_of(learning) - 1 - i : i;
            const size_t index = role_of(learning, 0, event->block).index;
            FT_TRY(add_level_event(learning, event, (struct role){level, index}));
        }
    return FT_OK;
}

/* An event that all sizes have; false in *ret_known where they have not, or its bytes no law. */
static int add_common(struct learning *learning, const size_t *at, bool *ret_known)
{
    const size_t last = largest_of(learning);
    const struct ft_block_event *event = &events_of(learning, last)->events[at[last]];
    const struct role role = role_of(learning, last, event->block);
    struct ft_sized_block_event common = {.block = event->block,
                                          .is_freed = event->is_freed,
                                          .clears = event->clears,
                                          .alignment = event->alignment};
    double bytes[FT_SIZED_SIZES_MAX];
    *ret_known = role.level == NOT_OF_A_LEVEL;
    for (size_t s = 0; s <= last && *ret_known; s++) {
        const struct ft_block_event *other = &events_of(learning, s)->events[at[s]];
        const struct role its = role_of(learning, s, other->block);
        bytes[s] = (double)other->bytes;
        *ret_known = its.level == role.level && its.index == role.index &&
                     (event->is_freed ? other->is_freed : allocates_alike(event, other));
    }
    if (*ret_known && !event->is_freed)
        FT_TRY(ft_law_search_find(learning->search, UINT64_MAX >> (63 - last), bytes, &common.bytes,
                                  ret_known, learning->diag));
    return *ret_known ? add_event(learning, &common) : FT_OK;
}

static bool are_left(const struct learning *learning, const size_t *at)
{
    bool left = true;
    for (size_t s = 0; s <= largest_of(learning); s++)
        left = left && at[s] < events_of(learning, s)->event_count;
    return left;
}

static int add_events(struct learning *learning)
{
    size_t at[FT_SIZED_SIZES_MAX] = {0};
    bool is_known = true;
    while (is_known && are_left(learning, at)) {
        const bool allocates = at[0] == learning->first;
        const bool rises = !allocates && frees_levels(learning, at, false);
        const bool falls = !allocates && !rises && frees_levels(learning, at, true);
        if (allocates)
            FT_TRY(add_allocations(learning));
        else if (rises || falls)
            FT_TRY(add_frees(learning, at, falls));
        else
            FT_TRY(add_common(learning, at, &is_known));
        for (size_t s = 0; s <= largest_of(learning); s++)
            at[s] += allocates || rises || falls ? learning->levels[s] * learning->by_level : 1;
    }
    return FT_OK;
}

int ft_block_levels_learn(const struct ft_block_training *training, struct ft_law_search *search,
                          struct ft_block_laws *laws, struct ft_diag *diag)
{
    struct learning learning = {.training = training, .search = search, .into = laws, .diag = diag};
    if (training->count < SIZES_MIN || !ft_sizes_double(training->sizes, training->count))
        return FT_OK;
    learning.by_level = blocks_by_level(&learning);
    return learning.by_level && find_levels(&learning) ? add_events(&learning) : FT_OK;
}
