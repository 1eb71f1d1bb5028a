/* The mappings are laid over each other; what is under two or more of them is mapped again. */
#include "engine/data/mapped_again.h"

#include <stdlib.h>

#include "formats/base/array.h"

/* A mapping begins or ends at a page. */
struct edge {
    uint64_t page;
    int step; /* 1, -1 */
};

struct edges {
    struct edge *items;
    size_t count, capacity;
};

static bool add_edges(struct edges *edges, uint64_t first, uint64_t end)
{
    if (first >= end)
        return true;
    if (!FT_RESERVE(edges->items, edges->capacity, edges->count + 2))
        return false;
    edges->items[edges->count++] = (struct edge){first, 1};
    edges->items[edges->count++] = (struct edge){end, -1};
    return true;
}

/* Ends stand before beginnings. */
static int compare_edges(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;
    if (a->page != b->page)
        return a->page < b->page ? -1 : 1;
    return a->step - b->step;
}

/* Each mapping, and what the break gains. */
static bool list_edges(const struct ft_memory_events *events, struct edges *edges)
{
    bool done = true;
    uint64_t program_break = 0;
    for (uint32_t t = 0; t < events->thread_count; t++) {
        const struct ft_thread_memory *thread = &events->threads[t];
        for (size_t i = 0; i < thread->count && done; i++) {
            const struct ft_memory_event *event = &thread->events[i];
            if (event->kind == FT_MEMORY_MAPPED)
                done = add_edges(edges, ft_page_of(event->address),
                                 ft_page_behind(event->address + event->bytes));
            if (event->kind != FT_MEMORY_BREAK)
                continue;
            if (program_break && event->address > program_break)
                done =
                    add_edges(edges, ft_page_behind(program_break), ft_page_behind(event->address));
            program_break = event->address;
        }
    }
    return done;
}

/* Where two mappings or more were, at whatever time. */
static int find_ranges(const struct ft_memory_events *events, struct ft_mapped_again *pages,
                       struct ft_diag *diag)
{
    struct edges edges = {0};
    bool done = list_edges(events, &edges);
    int depth = 0;
    if (done && edges.count)
        qsort(edges.items, edges.count, sizeof *edges.items, compare_edges);
    for (size_t i = 0; i < edges.count && done; i++) {
        const int before = depth;
        depth += edges.items[i].step;
        if (before < 2 && depth == 2) {
            done = FT_RESERVE(pages->ranges, pages->capacity, pages->count + 1);
            if (done)
                pages->ranges[pages->count++] = (struct ft_page_range){edges.items[i].page, 0, 0};
        } else if (before == 2 && depth < 2) {
            pages->ranges[pages->count - 1].end = edges.items[i].page;
        }
    }
    free(edges.items);
    return done ? FT_OK : ft_fail_memory(diag, "the pages of a program");
}

int ft_mapped_again_init(const struct ft_memory_events *events, struct ft_mapped_again *ret_pages,
                         struct ft_diag *diag)
{
    uint64_t states = 0;
    *ret_pages = (struct ft_mapped_again){0};
    FT_TRY(find_ranges(events, ret_pages, diag));
    for (size_t i = 0; i < ret_pages->count; i++) {
        struct ft_page_range *range = &ret_pages->ranges[i];
        range->state = states;
        states += range->end - range->first;
    }
    return ft_zero_array_reserve(&ret_pages->states, states + 1, diag);
}

void ft_mapped_again_fini(struct ft_mapped_again *pages)
{
    ft_zero_array_fini(&pages->states);
    free(pages->ranges);
}

/* The number of the first range that ends behind the page. */
static size_t range_behind(const struct ft_mapped_again *pages, uint64_t page)
{
    size_t low = 0, high = pages->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (pages->ranges[middle].end > page)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

bool ft_mapped_again_has(const struct ft_mapped_again *pages, uint64_t first, uint64_t last)
{
    const size_t at = range_behind(pages, first);
    return at < pages->count && pages->ranges[at].first <= last;
}

uint8_t *ft_mapped_again_state(const struct ft_mapped_again *pages, uint64_t page)
{
    const size_t at = range_behind(pages, page);
    if (at == pages->count || pages->ranges[at].first > page)
        return NULL;
    const struct ft_page_range *range = &pages->ranges[at];
    return (uint8_t *)pages->states.items + range->state + (page - range->first);
}

void ft_mapped_again_give_back(const struct ft_mapped_again *pages, uint64_t first, uint64_t end)
{
    for (size_t i = range_behind(pages, first); i < pages->count; i++) {
        const struct ft_page_range *range = &pages->ranges[i];
        uint8_t *states = (uint8_t *)pages->states.items + range->state;
        const uint64_t from = first > range->first ? first : range->first;
        const uint64_t to = end < range->end ? end : range->end;
        for (uint64_t page = from; page < to; page++)
            if (states[page - range->first] == FT_PAGE_TOUCHED)
                states[page - range->first] = FT_PAGE_GIVEN_BACK;
        if (range->end >= end)
            return;
    }
}
