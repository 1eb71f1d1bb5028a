#include "engine/skeleton/first_memory.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

#define PAGE UINT64_C(4096)

static int by_start(const void *left, const void *right)
{
    const struct ft_mapped_range *a = left, *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

static void unmap(struct ft_first_memory *memory, uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < memory->mapped_count; i++)
        if (memory->mapped[i].start >= start && memory->mapped[i].end <= end) {
            memmove(memory->mapped + i, memory->mapped + i + 1,
                    (--memory->mapped_count - i) * sizeof *memory->mapped);
            i--;
        }
}

static uint64_t page_end(uint64_t address)
{
    return (address + PAGE - 1) / PAGE * PAGE;
}

/* Makes ranges that meet one. */
static void join_ranges(struct ft_first_memory *memory)
{
    size_t kept = 0;
    for (size_t i = 0; i < memory->mapped_count; i++) {
        const struct ft_mapped_range *range = &memory->mapped[i];
        if (kept == 0 || range->start > memory->mapped[kept - 1].end)
            memory->mapped[kept++] = *range;
        else if (range->end > memory->mapped[kept - 1].end)
            memory->mapped[kept - 1].end = range->end;
    }
    memory->mapped_count = kept;
}

/* The end of the program, from where on blocks are: above what a static program's start-up took
 * from there for itself. That is the break below the first block of the heap; of a program without
 * one it is the first break. */
static uint64_t heap_start(const struct ft_thread_memory *events)
{
    uint64_t first = 0, now = 0, start = 0, block = 0;
    for (size_t i = 0; i < events->count && block == 0; i++) {
        const struct ft_memory_event *event = &events->events[i];
        if (event->kind == FT_MEMORY_BREAK) {
            first = first ? first : event->address;
            now = event->address;
        } else if (event->kind == FT_MEMORY_ALLOCATED && event->address >= first &&
                   event->address < now) {
            block = event->address;
        }
    }
    start = first;
    for (size_t i = 0; i < events->count && block != 0; i++) {
        const struct ft_memory_event *event = &events->events[i];
        if (event->kind == FT_MEMORY_BREAK && event->address <= block && event->address > start)
            start = event->address;
        if (event->kind == FT_MEMORY_ALLOCATED && event->address == block)
            break;
    }
    return start;
}

int ft_first_memory_find(const struct ft_thread_memory *events, struct ft_first_memory *ret_memory,
                         struct ft_diag *diag)
{
    struct ft_first_memory memory = {.stack = events->first_rsp, .heap = heap_start(events)};
    size_t capacity = 0;
    for (size_t i = 0; i < events->count && events->events[i].kind != FT_MEMORY_ALLOCATED; i++) {
        const struct ft_memory_event *event = &events->events[i];
        if (event->kind == FT_MEMORY_UNMAPPED)
            unmap(&memory, event->address, page_end(event->address + event->bytes));
        if (event->kind != FT_MEMORY_MAPPED)
            continue;
        if (!FT_RESERVE(memory.mapped, capacity, memory.mapped_count + 1)) {
            free(memory.mapped);
            return ft_fail_memory(diag, "the mappings of a program");
        }
        memory.mapped[memory.mapped_count++] =
            (struct ft_mapped_range){event->address, page_end(event->address + event->bytes)};
    }
    if (memory.mapped_count)
        qsort(memory.mapped, memory.mapped_count, sizeof *memory.mapped, by_start);
    join_ranges(&memory);
    *ret_memory = memory;
    return FT_OK;
}
