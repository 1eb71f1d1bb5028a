/*
 * Calls of allocation functions, as laws of the size, rounded or not; then where the model of the
 * allocator puts their blocks, which the traces must confirm.
 */
#include "fit/skeletons/block_laws.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "fit/skeletons/allocator.h"
#include "fit/skeletons/block_levels.h"
#include "fit/skeletons/block_loops.h"
#include "fit/skeletons/law_search.h"
#include "fit/skeletons/size_law.h"

/* ---- events ---- */

/* Whether all sizes allocate and free the same blocks by the same functions. */
static bool heaps_are_alike(const struct ft_skeleton *const *skeletons, size_t count)
{
    const struct ft_block_events *last = &skeletons[count - 1]->blocks;
    for (size_t s = 0; s + 1 < count; s++) {
        const struct ft_block_events *blocks = &skeletons[s]->blocks;
        if (blocks->event_count != last->event_count || blocks->block_count != last->block_count)
            return false;
        for (size_t i = 0; i < last->event_count; i++) {
            const struct ft_block_event *a = &blocks->events[i], *b = &last->events[i];
            if (a->block != b->block || a->is_freed != b->is_freed ||
                a->alignment != b->alignment || a->clears != b->clears)
                return false;
        }
    }
    return true;
}

static const struct ft_skeleton *largest_of(const struct ft_block_training *training)
{
    return training->skeletons[training->count - 1];
}

/* aligned_alloc takes multiples of the alignment, to which programs round up. */
static bool is_rounded(const struct ft_block_event *event)
{
    return event->alignment > 1 && event->bytes % event->alignment == 0;
}

/* a * size + b, a whole, of which `bytes` are rounded up: a is the only one that all sizes allow,
 * and one size more than it takes confirms it; b, of those that they allow, is the multiple of a
 * next to 0, a few elements more or less. */
static bool find_rounded_line(const double *sizes, const double *bytes, size_t count,
                              double granule, struct ft_size_law *ret_law)
{
    const size_t last = count - 1;
    const double apart = sizes[last] - sizes[0], change = bytes[last] - bytes[0];
    const double a = floor((change + granule) / apart);
    if (a < 1 || a <= (change - granule) / apart || a - 1 > (change - granule) / apart)
        return false;
    double above = -INFINITY, most = INFINITY; /* above < b <= most */
    for (size_t s = 0; s < count; s++) {
        above = fmax(above, bytes[s] - granule - a * sizes[s]);
        most = fmin(most, bytes[s] - a * sizes[s]);
    }
    double b = a * floor(most / a);
    if (b > 0)
        b = fmax(0, a * (floor(above / a) + 1));
    if (b <= above)
        return false;
    *ret_law = (struct ft_size_law){.powers = {b, a}};
    return true;
}

/* a * (size + k)^power, likewise: of a square or a cube with a border. */
static bool find_rounded_power(const double *sizes, const double *bytes, size_t count,
                               double granule, unsigned power, double k,
                               struct ft_size_law *ret_law)
{
    double above = -INFINITY, most = INFINITY; /* above < a <= most */
    for (size_t s = 0; s < count; s++) {
        const double elements = pow(sizes[s] + k, power);
        above = fmax(above, (bytes[s] - granule) / elements);
        most = fmin(most, bytes[s] / elements);
    }
    const double a = floor(most);
    if (sizes[0] + k <= 0 || a < 1 || a <= above || a - 1 > above)
        return false;
    *ret_law = power == 2
                   ? (struct ft_size_law){.powers = {a * k * k, 2 * a * k, a}}
                   : (struct ft_size_law){.powers = {a * k * k * k, 3 * a * k * k, 3 * a * k, a}};
    return true;
}

static bool find_rounded(const double *sizes, const double *bytes, size_t count, double granule,
                         struct ft_size_law *ret_law)
{
    static const double borders[] = {0, 1, 2, -1, -2, 3, 4};
    if (count < 4)
        return false;
    if (find_rounded_line(sizes, bytes, count, granule, ret_law))
        return true;
    for (unsigned power = 2; power <= 3; power++)
        for (size_t i = 0; i < sizeof borders / sizeof *borders; i++)
            if (find_rounded_power(sizes, bytes, count, granule, power, borders[i], ret_law))
                return true;
    return false;
}

/* False where the bytes have no law. */
static int learn_event(const struct ft_block_training *training, size_t event,
                       struct ft_law_search *search, struct ft_sized_block_event *ret_event,
                       bool *ret_is_known, struct ft_diag *diag)
{
    const struct ft_block_event *last = &largest_of(training)->blocks.events[event];
    const uint64_t all = UINT64_MAX >> (64 - training->count);
    double bytes[FT_SIZED_SIZES_MAX];
    *ret_event = (struct ft_sized_block_event){.block = last->block,
                                               .is_freed = last->is_freed,
                                               .clears = last->clears,
                                               .alignment = last->alignment};
    *ret_is_known = last->is_freed;
    if (last->is_freed)
        return FT_OK;
    for (size_t s = 0; s < training->count; s++)
        bytes[s] = (double)training->skeletons[s]->blocks.events[event].bytes;
    FT_TRY(ft_law_search_find(search, all, bytes, &ret_event->bytes, ret_is_known, diag));
    if (!*ret_is_known)
        *ret_is_known =
            is_rounded(last) && find_rounded(training->sizes, bytes, training->count,
                                             (double)last->alignment, &ret_event->bytes);
    return FT_OK;
}

static int learn_events(struct ft_block_laws *laws, const struct ft_block_training *training,
                        struct ft_law_search *search, struct ft_diag *diag)
{
    const size_t count = largest_of(training)->blocks.event_count;
    if (!heaps_are_alike(training->skeletons, training->count)) {
        FT_TRY(ft_block_levels_learn(training, search, laws, diag));
        return laws->event_count ? FT_OK
                                 : ft_block_loops_learn(training, search, &laws->loops, diag);
    }
    laws->events = calloc(count + 1, sizeof *laws->events);
    if (!laws->events)
        return ft_fail_memory(diag, "the heap of a program");
    /* Behind an event without a law nothing is known. */
    for (bool is_known = true; is_known && laws->event_count < count; laws->event_count += is_known)
        FT_TRY(learn_event(training, laws->event_count, search, &laws->events[laws->event_count],
                           &is_known, diag));
    return FT_OK;
}

/* ---- where blocks are ---- */

/* Of an allocation at a size; largest: as it was at the largest training size. */
static int bytes_at(const struct ft_sized_block_event *event, const struct ft_block_event *largest,
                    double size, uint64_t *ret_bytes, struct ft_diag *diag)
{
    const int64_t bytes = ft_law_at(&event->bytes, size);
    if (bytes >= (int64_t)FT_PLACE_STEP)
        return ft_fail(diag, FT_ERROR_USAGE, "at %g a heap block would have %" PRId64 " bytes",
                       size, bytes);
    *ret_bytes = bytes > 0 ? (uint64_t)bytes : 0;
    if (is_rounded(largest))
        *ret_bytes = (*ret_bytes + largest->alignment - 1) & ~(largest->alignment - 1);
    return FT_OK;
}

/* Static programs have mapped nothing: below the kernel's own pages, which begin where the first
 * large block ended. False: there was none. */
static bool find_kernel_pages(const struct ft_block_events *blocks,
                              struct ft_mapped_range *ret_range)
{
    uint64_t end = 0;
    for (size_t i = 0; i < blocks->event_count && end == 0; i++) {
        const struct ft_block_event *event = &blocks->events[i];
        if (!event->is_freed)
            end = ft_allocator_mapping_end(event->address, event->bytes, event->alignment);
    }
    *ret_range = (struct ft_mapped_range){end, end + 1};
    return end > 0;
}

static int start_allocator(const struct ft_skeleton *largest, struct ft_allocator **ret_allocator,
                           struct ft_diag *diag)
{
    const struct ft_first_memory *memory = &largest->memory;
    struct ft_mapped_range kernel_pages;
    if (memory->mapped_count == 0 && find_kernel_pages(&largest->blocks, &kernel_pages))
        return ft_allocator_create(memory->heap, &kernel_pages, 1, ret_allocator, diag);
    return ft_allocator_create(memory->heap, memory->mapped, memory->mapped_count, ret_allocator,
                               diag);
}

/* Blocks at a size. */
struct numbering {
    uint32_t *number_of; /* [block as the laws number them] */
    uint32_t *block_of;  /* [number at the size] */
    uint32_t count;
};

static int numbering_init(const struct ft_block_laws *laws, struct numbering *ret_numbering,
                          struct ft_diag *diag)
{
    uint32_t *all = calloc(2 * ((size_t)laws->block_count + 1), sizeof *all);
    if (!all)
        return ft_fail_memory(diag, "the heap of a program");
    *ret_numbering = (struct numbering){all, all + laws->block_count + 1, 0};
    return FT_OK;
}

/* Takes an event of a size through the allocator. */
static int run_event(struct ft_allocator *allocator, const struct ft_sized_block_event *event,
                     const struct ft_block_event *largest, double size,
                     struct ft_placed_block *block, struct ft_diag *diag)
{
    if (event->is_freed)
        return ft_allocator_free(allocator, block->address, diag);
    uint64_t bytes = 0;
    FT_TRY(bytes_at(event, largest, size, &bytes, diag));
    return ft_allocator_allocate(allocator, bytes, event->alignment, event->clears, block, diag);
}

/* Takes the events through the allocator; ret_blocks: those that are allocated in them. */
static int run_events(const struct ft_block_laws *laws, const struct ft_skeleton *largest,
                      double size, struct ft_placed_block *ret_blocks, struct numbering *numbering,
                      struct ft_diag *diag)
{
    static const struct ft_block_event none;
    struct ft_allocator *allocator;
    FT_TRY(start_allocator(largest, &allocator, diag));
    int status = FT_OK;
    numbering->count = 0;
    for (size_t i = 0, at = 0; !status && i < laws->event_count; i++) {
        const struct ft_sized_block_event *event = &laws->events[i];
        const bool is_largest = event->block < largest->blocks.block_count;
        const struct ft_block_event *its =
            is_largest && at < largest->blocks.event_count ? &largest->blocks.events[at++] : &none;
        if (size < event->from)
            continue;
        if (!event->is_freed && numbering->count < laws->block_count) {
            numbering->number_of[event->block] = numbering->count;
            numbering->block_of[numbering->count++] = event->block;
        }
        status = run_event(allocator, event, its, size,
                           &ret_blocks[numbering->number_of[event->block]], diag);
    }
    ft_allocator_destroy(allocator);
    return status;
}

/* A block is confirmed where all sizes have it where the allocator puts it; one that none has, if
 * all others are. */
static void confirm_at(struct ft_block_laws *laws, const struct ft_block_events *events,
                       const struct ft_placed_block *blocks, const struct numbering *numbering)
{
    for (size_t i = 0; i < events->event_count; i++) {
        const struct ft_block_event *event = &events->events[i];
        if (!event->is_freed && event->block < numbering->count &&
            blocks[event->block].address != event->address)
            laws->is_confirmed[numbering->block_of[event->block]] = false;
    }
}

static int confirm_events(struct ft_block_laws *laws, const struct ft_block_training *training,
                          struct ft_diag *diag)
{
    const uint32_t known = largest_of(training)->blocks.block_count;
    struct ft_placed_block *blocks = calloc(laws->block_count + (size_t)1, sizeof *blocks);
    struct numbering numbering = {0};
    int status = blocks ? numbering_init(laws, &numbering, diag)
                        : ft_fail_memory(diag, "the heap of a program");
    for (size_t i = 0; !status && i < laws->event_count; i++)
        laws->is_confirmed[laws->events[i].block] = true;
    for (size_t s = 0; !status && s < training->count; s++) {
        status =
            run_events(laws, largest_of(training), training->sizes[s], blocks, &numbering, diag);
        if (!status)
            confirm_at(laws, &training->skeletons[s]->blocks, blocks, &numbering);
    }
    bool all = true;
    for (uint32_t b = 0; !status && b < laws->block_count; b++) {
        all = all && (b >= known || laws->is_confirmed[b]);
        laws->is_confirmed[b] = laws->is_confirmed[b] && (b < known || all);
    }
    free(numbering.number_of);
    free(blocks);
    return status;
}

/* ---- blocks of loops ---- */

/* ret_blocks: to be freed. */
static int place_calls(const struct ft_skeleton *largest, const struct ft_block_events *calls,
                       struct ft_placed_block **ret_blocks, struct ft_diag *diag)
{
    struct ft_allocator *allocator = NULL;
    struct ft_placed_block *blocks = calloc(calls->block_count + (size_t)1, sizeof *blocks);
    int status = blocks ? start_allocator(largest, &allocator, diag)
                        : ft_fail_memory(diag, "the heap of a program");
    for (size_t i = 0; !status && i < calls->event_count; i++) {
        const struct ft_block_event *call = &calls->events[i];
        struct ft_placed_block *block = &blocks[call->block];
        status = call->is_freed ? ft_allocator_free(allocator, block->address, diag)
                                : ft_allocator_allocate(allocator, call->bytes, call->alignment,
                                                        call->clears, block, diag);
    }
    if (allocator)
        ft_allocator_destroy(allocator);
    if (status) {
        free(blocks);
        return status;
    }
    *ret_blocks = blocks;
    return FT_OK;
}

/* Of a size: which tokens allocate blocks that are elsewhere than the model puts them. */
static int find_elsewhere(const struct ft_block_laws *laws,
                          const struct ft_block_training *training, size_t size, bool *is_elsewhere,
                          struct ft_diag *diag)
{
    const struct ft_block_events *events = ft_block_training_events(training, size);
    struct ft_block_calls calls = {0};
    struct ft_placed_block *blocks = NULL;
    int status = ft_block_loops_at(&laws->loops, training->sizes[size], &calls, diag);
    if (!status)
        status = place_calls(largest_of(training), &calls.events, &blocks, diag);
    for (size_t i = 0; !status && i < calls.events.event_count && i < events->event_count; i++)
        if (!events->events[i].is_freed &&
            blocks[calls.events.events[i].block].address != events->events[i].address)
            is_elsewhere[calls.tokens[i]] = true;
    free(blocks);
    ft_block_calls_fini(&calls);
    return status;
}

/* Blocks of the largest size are confirmed where all blocks of all sizes are that the same call of
 * the loops allocates. */
static int confirm_loops(struct ft_block_laws *laws, const struct ft_block_training *training,
                         struct ft_diag *diag)
{
    const size_t last = training->count - 1;
    bool *is_elsewhere = calloc(laws->loops.nest.token_count + 1, sizeof *is_elsewhere);
    struct ft_block_calls calls = {0};
    int status = is_elsewhere ? FT_OK : ft_fail_memory(diag, "the heap of a program");
    for (size_t s = 0; !status && s <= last; s++)
        status = find_elsewhere(laws, training, s, is_elsewhere, diag);
    if (!status)
        status = ft_block_loops_at(&laws->loops, training->sizes[last], &calls, diag);
    for (size_t i = 0; !status && i < calls.events.event_count; i++) {
        const struct ft_block_event *call = &calls.events.events[i];
        if (!call->is_freed && call->block < laws->block_count)
            laws->is_confirmed[call->block] = !is_elsewhere[calls.tokens[i]];
    }
    ft_block_calls_fini(&calls);
    free(is_elsewhere);
    return status;
}

static int place_loops(const struct ft_block_laws *laws, const struct ft_skeleton *largest,
                       double size, struct ft_placed_block **ret_blocks, uint32_t *ret_block_count,
                       struct ft_diag *diag)
{
    struct ft_block_calls calls;
    FT_TRY(ft_block_loops_at(&laws->loops, size, &calls, diag));
    int status = place_calls(largest, &calls.events, ret_blocks, diag);
    *ret_block_count = calls.events.block_count;
    ft_block_calls_fini(&calls);
    return status;
}

/* ---- all of it ---- */

int ft_block_laws_learn(const struct ft_skeleton *const *skeletons, const double *sizes,
                        size_t size_count, struct ft_block_laws *ret_laws, struct ft_diag *diag)
{
    const struct ft_block_training training = {skeletons, sizes, size_count};
    struct ft_block_laws laws = {.block_count = largest_of(&training)->blocks.block_count};
    struct ft_law_search *search;
    FT_TRY(ft_law_search_create(sizes, size_count, &search, diag));
    int status = learn_events(&laws, &training, search, diag);
    ft_law_search_destroy(search);
    laws.is_confirmed = calloc(laws.block_count + (size_t)1, sizeof *laws.is_confirmed);
    if (!status && !laws.is_confirmed)
        status = ft_fail_memory(diag, "the heap of a program");
    if (!status)
        status = laws.loops.nest.token_count ? confirm_loops(&laws, &training, diag)
                                             : confirm_events(&laws, &training, diag);
    if (status) {
        ft_block_laws_fini(&laws);
        return status;
    }
    *ret_laws = laws;
    return FT_OK;
}

/* Of laws that number blocks as the largest size does. */
static int place_events(const struct ft_block_laws *laws, const struct ft_skeleton *largest,
                        double size, struct ft_placed_block *blocks, struct ft_diag *diag)
{
    struct numbering numbering;
    FT_TRY(numbering_init(laws, &numbering, diag));
    int status = run_events(laws, largest, size, blocks, &numbering, diag);
    for (uint32_t b = numbering.count; b < laws->block_count; b++) /* behind the events */
        numbering.number_of[b] = b;
    for (size_t i = 0; !status && i < largest->blocks.event_count; i++) {
        const struct ft_block_event *event = &largest->blocks.events[i];
        struct ft_placed_block *block = &blocks[numbering.number_of[event->block]];
        if (!event->is_freed && !laws->is_confirmed[event->block])
            *block = (struct ft_placed_block){
                event->address, event->bytes > block->bytes ? event->bytes : block->bytes};
    }
    free(numbering.number_of);
    return status;
}

int ft_block_laws_at(const struct ft_block_laws *laws, const struct ft_skeleton *largest,
                     double size, struct ft_placed_block **ret_blocks, uint32_t *ret_block_count,
                     struct ft_diag *diag)
{
    if (laws->loops.nest.token_count)
        return place_loops(laws, largest, size, ret_blocks, ret_block_count, diag);
    struct ft_placed_block *blocks = calloc(laws->block_count + (size_t)1, sizeof *blocks);
    int status = blocks ? place_events(laws, largest, size, blocks, diag)
                        : ft_fail_memory(diag, "the heap of a program");
    if (status) {
        free(blocks);
        return status;
    }
    *ret_blocks = blocks;
    *ret_block_count = laws->block_count;
    return FT_OK;
}
