#include "engine/skeleton/heap_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/skeleton/malloc_chunks.h"

#define STACK_BLOCK (FT_NO_INTERVAL - 1)
#define STACK_BELOW (UINT64_C(64) << 20)
#define STACK_ABOVE (UINT64_C(1) << 20)

int ft_heap_blocks_init(struct ft_heap_blocks *blocks, const struct ft_thread_memory *memory,
                        uint32_t reference_count, struct ft_diag *diag)
{
    *blocks = (struct ft_heap_blocks){
        .memory = memory,
        .last = calloc(reference_count + (size_t)1, sizeof *blocks->last),
        .last_version = calloc(reference_count + (size_t)1, sizeof *blocks->last_version),
        .version = 1};
    int status =
        blocks->last && blocks->last_version ? FT_OK : ft_fail_memory(diag, "the heap of a thread");
    if (!status && memory->first_rsp)
        status = ft_interval_map_put(&blocks->live, memory->first_rsp - STACK_BELOW,
                                     memory->first_rsp + STACK_ABOVE, STACK_BLOCK, diag);
    if (status)
        ft_heap_blocks_fini(blocks);
    return status;
}

void ft_heap_blocks_fini(struct ft_heap_blocks *blocks)
{
    ft_interval_map_fini(&blocks->live);
    free(blocks->last);
    free(blocks->last_version);
    free(blocks->events.events);
    *blocks = (struct ft_heap_blocks){0};
}

static int add_event(struct ft_heap_blocks *blocks, struct ft_block_event event,
                     struct ft_diag *diag)
{
    struct ft_block_events *events = &blocks->events;
    if (!FT_RESERVE(events->events, events->event_capacity, events->event_count + 1))
        return ft_fail_memory(diag, "the heap of a thread");
    events->events[events->event_count++] = event;
    blocks->version++;
    return FT_OK;
}

static int apply(struct ft_heap_blocks *blocks, const struct ft_memory_event *event,
                 struct ft_diag *diag)
{
    blocks->freed = (struct ft_interval){0};
    if (event->kind == FT_MEMORY_ALLOCATED && event->bytes < FT_PLACE_STEP &&
        blocks->events.block_count < FT_PLACE_BLOCKS_MAX) {
        FT_TRY(ft_interval_map_put(&blocks->live, event->address, event->address + event->bytes,
                                   blocks->events.block_count, diag));
        return add_event(blocks,
                         (struct ft_block_event){.block = blocks->events.block_count++,
                                                 .address = event->address,
                                                 .bytes = event->bytes,
                                                 .alignment = event->alignment,
                                                 .clears = strcmp(event->function, "calloc") == 0},
                         diag);
    }
    struct ft_interval freed = ft_interval_map_find(&blocks->live, event->address);
    if (event->kind != FT_MEMORY_FREED || freed.value >= STACK_BLOCK ||
        freed.start != event->address)
        return FT_OK;
    FT_TRY(ft_interval_map_cut(&blocks->live, freed.start, freed.end, diag));
    blocks->freed = freed;
    return add_event(
        blocks,
        (struct ft_block_event){.block = freed.value, .is_freed = true, .address = freed.start},
        diag);
}

int ft_heap_blocks_advance(struct ft_heap_blocks *blocks, uint64_t accesses, struct ft_diag *diag)
{
    const struct ft_thread_memory *memory = blocks->memory;
    while (blocks->next_event < memory->count &&
           memory->events[blocks->next_event].position <= accesses)
        FT_TRY(apply(blocks, &memory->events[blocks->next_event++], diag));
    return FT_OK;
}

uint64_t ft_heap_blocks_next(const struct ft_heap_blocks *blocks)
{
    return blocks->next_event < blocks->memory->count
               ? blocks->memory->events[blocks->next_event].position
               : UINT64_MAX;
}

static uint64_t place_of(const struct ft_interval *block, uint64_t address)
{
    return FT_PLACE_BLOCKS + block->value * FT_PLACE_STEP + (address - block->start);
}

/* Makes a range what it has in common with another one; false: not the address. */
static bool narrow(uint64_t start, uint64_t end, uint64_t address, uint64_t *from, uint64_t *to)
{
    if (address < start || address >= end) {
        *from = address >= end && end > *from ? end : *from;
        *to = address < start && start < *to ? start : *to;
        return false;
    }
    *from = start > *from ? start : *from;
    *to = end < *to ? end : *to;
    return true;
}

/* Where the size of the chunk behind a block's is. */
static uint64_t size_behind(const struct ft_interval *block)
{
    return block->start + ft_chunk_usable(block->end - block->start);
}

/* Between blocks, malloc accesses the head of a chunk, in front of its block, and that of the next
 * one behind it, where it makes a block; and free accesses the block that it frees. from, to: the
 * gap; becomes the part of it that is alike. */
static uint64_t place_in_gap(const struct ft_heap_blocks *blocks, uint64_t address, uint64_t *from,
                             uint64_t *to)
{
    const struct ft_interval *freed = &blocks->freed;
    const struct ft_interval next = ft_interval_map_find(&blocks->live, *to);
    const struct ft_interval before = ft_interval_map_find(&blocks->live, *from - 1);
    if (freed->end && narrow(freed->start - FT_CHUNK_HEAD_BYTES, freed->end, address, from, to))
        return place_of(freed, address);
    if (next.value < STACK_BLOCK &&
        narrow(next.start - FT_CHUNK_HEAD_BYTES, next.start, address, from, to))
        return place_of(&next, address);
    if (before.value < STACK_BLOCK &&
        narrow(size_behind(&before), size_behind(&before) + FT_CHUNK_SIZE_BYTES, address, from, to))
        return place_of(&before, address);
    return address;
}

uint64_t ft_heap_blocks_place(struct ft_heap_blocks *blocks, uint32_t reference, uint64_t address,
                              uint64_t *ret_from, uint64_t *ret_to)
{
    struct ft_interval *last = &blocks->last[reference];
    if (blocks->last_version[reference] != blocks->version || address < last->start ||
        address >= last->end) {
        *last = ft_interval_map_find(&blocks->live, address);
        blocks->last_version[reference] = blocks->version;
    }
    *ret_from = last->start;
    *ret_to = last->end;
    if (last->value == FT_NO_INTERVAL)
        return place_in_gap(blocks, address, ret_from, ret_to);
    if (last->value == STACK_BLOCK)
        return FT_PLACE_STACK + (address - blocks->memory->first_rsp);
    return place_of(last, address);
}
