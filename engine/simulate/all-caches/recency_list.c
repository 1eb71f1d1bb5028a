#include "engine/simulate/all-caches/recency_list.h"

#define LIST_END UINT32_MAX

struct links { /* to neighbours, or LIST_END; 0: not in the list */
    uint32_t newer, older;
};

void ft_recency_list_init(struct ft_recency_list *list, unsigned block_shift)
{
    *list = (struct ft_recency_list){.newest = LIST_END};
    ft_block_numbers_init(&list->numbers, block_shift);
}

void ft_recency_list_fini(struct ft_recency_list *list)
{
    ft_block_numbers_fini(&list->numbers);
    ft_zero_array_fini(&list->links);
}

static struct links *links_of(const struct ft_recency_list *list, uint32_t link)
{
    return (struct links *)list->links.items + (link - 1);
}

int ft_recency_list_find(struct ft_recency_list *list, uint64_t block, uint32_t *ret_link,
                         bool *ret_is_new, struct ft_diag *diag)
{
    uint32_t number;
    FT_TRY(ft_block_numbers_find(&list->numbers, block, &number, diag));
    FT_TRY(ft_zero_array_reserve(
        &list->links, ft_block_numbers_end(&list->numbers) * sizeof(struct links), diag));
    *ret_link = number + 1;
    *ret_is_new = links_of(list, *ret_link)->newer == 0;
    return FT_OK;
}

static void unlink_block(struct ft_recency_list *list, const struct links *links)
{
    if (links->newer == LIST_END)
        list->newest = links->older;
    else
        links_of(list, links->newer)->older = links->older;
    if (links->older != LIST_END)
        links_of(list, links->older)->newer = links->newer;
}

void ft_recency_list_touch(struct ft_recency_list *list, uint32_t link, bool is_new)
{
    if (!is_new)
        unlink_block(list, links_of(list, link));
    *links_of(list, link) = (struct links){.newer = LIST_END, .older = list->newest};
    if (list->newest != LIST_END)
        links_of(list, list->newest)->newer = link;
    list->newest = link;
}

/* Counted by how many low bits they share, and summed up. */
void ft_recency_list_distances(const struct ft_recency_list *list, uint64_t block, uint32_t link,
                               unsigned set_bits, uint32_t *distances)
{
    for (unsigned k = 0; k <= set_bits; k++)
        distances[k] = 0;
    for (uint32_t other = list->newest; other != link;) {
        uint64_t differing = ft_block_of_number(&list->numbers, other - 1) ^ block;
        unsigned shared = (unsigned)__builtin_ctzll(differing);
        distances[shared < set_bits ? shared : set_bits]++;
        other = links_of(list, other)->older;
    }
    for (unsigned k = set_bits; k-- > 0;)
        distances[k] += distances[k + 1];
}
