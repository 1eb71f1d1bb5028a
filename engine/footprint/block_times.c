#include "engine/footprint/block_times.h"

void ft_block_times_init(struct ft_block_times *times)
{
    *times = (struct ft_block_times){0};
    for (size_t i = 0; i < FT_RECENT_GROUPS; i++)
        times->recent[i].group = UINT64_MAX;
}

void ft_block_times_fini(struct ft_block_times *times)
{
    ft_dense_ids_fini(&times->groups);
    ft_zero_array_fini(&times->times);
}

uint64_t ft_block_times_bytes(const struct ft_block_times *times)
{
    return ft_block_times_end(times) * sizeof(uint64_t) + ft_dense_ids_bytes(&times->groups);
}

int ft_block_times_add_group(struct ft_block_times *times, uint64_t group, struct ft_diag *diag)
{
    uint32_t number;
    FT_TRY(ft_dense_ids_find(&times->groups, group, &number, diag));
    FT_TRY(
        ft_zero_array_reserve(&times->times, ft_block_times_end(times) * sizeof(uint64_t), diag));
    size_t slot = ft_hash_mix(group) % FT_RECENT_GROUPS;
    times->recent[slot].group = group;
    times->recent[slot].number = number;
    return FT_OK;
}
