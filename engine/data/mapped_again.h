/*
 * The pages of 4 KiB that a program maps more than once, at whatever times, and the state of each.
 * Memory is a byte for each page that is touched.
 */
#ifndef FT_ENGINE_DATA_MAPPED_AGAIN_H
#define FT_ENGINE_DATA_MAPPED_AGAIN_H

#include "engine/data/memory_events.h"
#include "formats/base/zero_array.h"

#define FT_PAGE_SHIFT 12U
#define FT_PAGE_BYTES (UINT64_C(1) << FT_PAGE_SHIFT)

enum ft_page_state { FT_PAGE_UNTOUCHED, FT_PAGE_TOUCHED, FT_PAGE_GIVEN_BACK };

/* Pages [first, end). */
struct ft_page_range {
    uint64_t first, end;
    uint64_t state; /* of the first one: index into the states */
};

struct ft_mapped_again {
    struct ft_page_range *ranges; /* ascending */
    size_t count, capacity;       /* 0: no page is */
    struct ft_zero_array states;  /* uint8_t, enum ft_page_state: range by range */
};

static inline uint64_t ft_page_of(uint64_t address)
{
    return address >> FT_PAGE_SHIFT;
}
/* The first page that begins at or behind an address. */
static inline uint64_t ft_page_behind(uint64_t address)
{
    return (address + FT_PAGE_BYTES - 1) >> FT_PAGE_SHIFT;
}

/* All pages are untouched. */
int ft_mapped_again_init(const struct ft_memory_events *events, struct ft_mapped_again *ret_pages,
                         struct ft_diag *diag);
void ft_mapped_again_fini(struct ft_mapped_again *pages);
/* Whether any of [first, last] is among them. */
bool ft_mapped_again_has(const struct ft_mapped_again *pages, uint64_t first, uint64_t last);
/* The state of a page; NULL: it is not among them. */
uint8_t *ft_mapped_again_state(const struct ft_mapped_again *pages, uint64_t page);
/* Of those in [first, end) the touched ones are given back. */
void ft_mapped_again_give_back(const struct ft_mapped_again *pages, uint64_t first, uint64_t end);

#endif
