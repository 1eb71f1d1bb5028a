#include "fit/skeletons/block_laws.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

#define PAGE UINT64_C(4096)

/* ---- what the kernel has mapped when the first block is asked for ---- */

static int by_start(const void *left, const void *right)
{
    const struct ft_mapped_range *a = left, *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

static void unmap(struct ft_block_laws *laws, uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < laws->mapped_count; i++)
        if (laws->mapped[i].start >= start && laws->mapped[i].end <= end) {
            memmove(laws->mapped + i, laws->mapped + i + 1,
                    (--laws->mapped_count - i) * sizeof *laws->mapped);
            i--;
        }
}

static uint64_t page_end(uint64_t address)
{
    return (address + PAGE - 1) / PAGE * PAGE;
}

/* Makes ranges that meet one. */
static void join_ranges(struct ft_block_laws *laws)
{
    size_t kept = 0;
    for (size_t i = 0; i < laws->mapped_count; i++) {
        const struct ft_mapped_range *range = &laws->mapped[i];
        if (kept == 0 || range->start > laws->mapped[kept - 1].end)
            laws->mapped[kept++] = *range;
        else if (range->end > laws->mapped[kept - 1].end)
            laws->mapped[kept - 1].end = range->end;
    }
    laws->mapped_count = kept;
}

static int list_mapped(struct ft_block_laws *laws, const struct ft_thread_memory *memory,
                       struct ft_diag *diag)
{
    size_t capacity = 0;
    for (size_t i = 0; i < memory->count && memory->events[i].kind != FT_MEMORY_ALLOCATED; i++) {
        const struct ft_memory_event *event = &memory->events[i];
        if (event->kind == FT_MEMORY_BREAK && laws->heap == 0)
            laws->heap = event->address;
        if (event->kind == FT_MEMORY_UNMAPPED)
            unmap(laws, event->address, page_end(event->address + event->bytes));
        if (event->kind != FT_MEMORY_MAPPED)
            continue;
        if (!FT_RESERVE(laws->mapped, capacity, laws->mapped_count + 1))
            return ft_fail_memory(diag, "the mappings of a program");
        laws->mapped[laws->mapped_count++] =
            (struct ft_mapped_range){event->address, page_end(event->address + event->bytes)};
    }
    if (laws->mapped_count)
        qsort(laws->mapped, laws->mapped_count, sizeof *laws->mapped, by_start);
    join_ranges(laws);
    return FT_OK;
}

/* ---- events ---- */

/* Whether all sizes allocate and free the same blocks by the same functions. */
static bool heaps_are_alike(const struct ft_skeleton *skeletons, size_t count)
{
    const struct ft_heap_blocks *last = &skeletons[count - 1].blocks;
    for (size_t s = 0; s + 1 < count; s++) {
        const struct ft_heap_blocks *blocks = &skeletons[s].blocks;
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

/* The training sizes. */
struct training {
    const struct ft_skeleton *skeletons;
    const double *sizes;
    size_t count;
};

static const struct ft_heap_blocks *largest_of(const struct training *training)
{
    return &training->skeletons[training->count - 1].blocks;
}

/* False where the bytes have no law. */
static bool learn_event(const struct training *training, size_t event,
                        struct ft_sized_block_event *ret_event)
{
    const struct ft_block_event *last = &largest_of(training)->events[event];
    struct ft_sized_block_event learnt = {.block = last->block,
                                          .is_freed = last->is_freed,
                                          .clears = last->clears,
                                          .alignment = last->alignment};
    double bytes[FT_SIZED_SIZES_MAX];
    for (size_t s = 0; s < training->count; s++)
        bytes[s] = (double)training->skeletons[s].blocks.events[event].bytes;
    if (!last->is_freed && !ft_size_law_find(training->sizes, bytes, training->count, learnt.bytes))
        return false;
    *ret_event = learnt;
    return true;
}

static int learn_events(struct ft_block_laws *laws, const struct training *training,
                        struct ft_diag *diag)
{
    const size_t count = largest_of(training)->event_count;
    if (!heaps_are_alike(training->skeletons, training->count))
        return FT_OK;
    laws->events = calloc(count + 1, sizeof *laws->events);
    if (!laws->events)
        return ft_fail_memory(diag, "the heap of a program");
    /* Behind an event without a law nothing is known. */
    while (laws->event_count < count &&
           learn_event(training, laws->event_count, &laws->events[laws->event_count]))
        laws->event_count++;
    return FT_OK;
}

/* ---- where blocks are ---- */

/* Takes the events through the allocator; ret_addresses of blocks that are allocated in them. */
static int run_events(const struct ft_block_laws *laws, double size, uint64_t *ret_addresses,
                      struct ft_diag *diag)
{
    struct ft_allocator *allocator;
    FT_TRY(ft_allocator_create(laws->heap, laws->mapped, laws->mapped_count, &allocator, diag));
    int status = FT_OK;
    for (size_t i = 0; !status && i < laws->event_count; i++) {
        const struct ft_sized_block_event *event = &laws->events[i];
        if (event->is_freed)
            status = ft_allocator_free(allocator, ret_addresses[event->block], diag);
        else
            status = ft_allocator_allocate(allocator, (uint64_t)ft_size_law_at(event->bytes, size),
                                           event->alignment, event->clears,
                                           &ret_addresses[event->block], diag);
    }
    ft_allocator_destroy(allocator);
    return status;
}

/* A block is confirmed where all sizes have it where the allocator puts it. */
static int confirm(struct ft_block_laws *laws, const struct training *training,
                   struct ft_diag *diag)
{
    uint64_t *addresses = calloc(laws->block_count + (size_t)1, sizeof *addresses);
    if (!addresses)
        return ft_fail_memory(diag, "the heap of a program");
    int status = FT_OK;
    for (size_t i = 0; i < laws->event_count; i++)
        laws->is_confirmed[laws->events[i].block] = true;
    for (size_t s = 0; !status && s < training->count; s++) {
        status = run_events(laws, training->sizes[s], addresses, diag);
        for (size_t i = 0; !status && i < laws->event_count; i++) {
            const struct ft_block_event *event = &training->skeletons[s].blocks.events[i];
            if (!event->is_freed && addresses[event->block] != event->address)
                laws->is_confirmed[event->block] = false;
        }
    }
    free(addresses);
    return status;
}

int ft_block_laws_learn(const struct ft_skeleton *skeletons, const double *sizes, size_t size_count,
                        struct ft_block_laws *ret_laws, struct ft_diag *diag)
{
    const struct training training = {skeletons, sizes, size_count};
    const struct ft_skeleton *largest = &skeletons[size_count - 1];
    struct ft_block_laws laws = {.block_count = largest->blocks.block_count};
    laws.is_confirmed = calloc(laws.block_count + (size_t)1, sizeof *laws.is_confirmed);
    int status = laws.is_confirmed ? list_mapped(&laws, &largest->memory.threads[0], diag)
                                   : ft_fail_memory(diag, "the heap of a program");
    if (!status)
        status = learn_events(&laws, &training, diag);
    if (!status)
        status = confirm(&laws, &training, diag);
    if (status) {
        ft_block_laws_fini(&laws);
        return status;
    }
    *ret_laws = laws;
    return FT_OK;
}

void ft_block_laws_fini(struct ft_block_laws *laws)
{
    free(laws->events);
    free(laws->is_confirmed);
    free(laws->mapped);
    *laws = (struct ft_block_laws){0};
}

int ft_block_laws_at(const struct ft_block_laws *laws, const struct ft_heap_blocks *largest,
                     double size, uint64_t *ret_addresses, struct ft_diag *diag)
{
    FT_TRY(run_events(laws, size, ret_addresses, diag));
    for (size_t i = 0; i < largest->event_count; i++) {
        const struct ft_block_event *event = &largest->events[i];
        if (!event->is_freed && !laws->is_confirmed[event->block])
            ret_addresses[event->block] = event->address;
    }
    return FT_OK;
}
