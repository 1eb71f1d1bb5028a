/*
 * A touched block leaves a gap and is appended; where gaps are half of a full list, they are
 * closed. A walk so goes through memory in order: through links from block to block it would wait
 * for each of them, and take a hundred times as long.
 */
#include "engine/simulate/all-caches/recency_list.h"

#include <stdlib.h>

#include "formats/base/array.h"

void ft_recency_list_init(struct ft_recency_list *list, unsigned block_shift)
{
    *list = (struct ft_recency_list){.length = 0};
    ft_block_numbers_init(&list->numbers, block_shift);
}

void ft_recency_list_fini(struct ft_recency_list *list)
{
    ft_block_numbers_fini(&list->numbers);
    ft_zero_array_fini(&list->places);
    free(list->links);
}

static size_t *place_of(const struct ft_recency_list *list, uint32_t link)
{
    return (size_t *)list->places.items + link;
}

static void close_gaps(struct ft_recency_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->length; i++) {
        const uint32_t link = list->links[i];
        if (link == 0)
            continue;
        list->links[kept++] = link;
        *place_of(list, link) = kept;
    }
    list->length = kept;
}

int ft_recency_list_find(struct ft_recency_list *list, uint64_t block, uint32_t *ret_link,
                         bool *ret_is_new, struct ft_diag *diag)
{
    uint32_t number;
    FT_TRY(ft_block_numbers_find(&list->numbers, block, &number, diag));
    FT_TRY(ft_zero_array_reserve(
        &list->places, (ft_block_numbers_end(&list->numbers) + 1) * sizeof(size_t), diag));
    if (list->length == list->capacity && 2 * list->block_count <= list->length)
        close_gaps(list);
    if (!FT_RESERVE(list->links, list->capacity, list->length + 1))
        return ft_fail_memory(diag, "the blocks of a program");
    *ret_link = number + 1;
    *ret_is_new = *place_of(list, *ret_link) == 0;
    return FT_OK;
}

void ft_recency_list_touch(struct ft_recency_list *list, uint32_t link)
{
    size_t *place = place_of(list, link);
    if (*place > 0)
        list->links[*place - 1] = 0;
    else
        list->block_count++;
    list->links[list->length++] = link;
    *place = list->length;
}

/* Counted by how many low bits they share, and summed up. */
void ft_recency_list_distances(const struct ft_recency_list *list, uint64_t block, uint32_t link,
                               unsigned set_bits, uint32_t *distances)
{
    const size_t own = *place_of(list, link);
    for (unsigned k = 0; k <= set_bits; k++)
        distances[k] = 0;
    for (size_t i = own; i < list->length; i++) {
        const uint32_t other = list->links[i];
        if (other == 0)
            continue;
        const uint64_t differing = ft_block_of_number(&list->numbers, other - 1) ^ block;
        const unsigned shared = (unsigned)__builtin_ctzll(differing);
        distances[shared < set_bits ? shared : set_bits]++;
    }
    for (unsigned k = set_bits; k-- > 0;)
        distances[k] += distances[k + 1];
}
