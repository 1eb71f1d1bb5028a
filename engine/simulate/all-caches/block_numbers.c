#include "engine/simulate/all-caches/block_numbers.h"

#include <stdlib.h>

#include "formats/base/array.h"

#define REGION_SHIFT 21
#define NO_REGION    UINT64_MAX

void ft_block_numbers_init(struct ft_block_numbers *numbers, unsigned block_shift)
{
    *numbers =
        (struct ft_block_numbers){.bits = REGION_SHIFT - block_shift, .last_region = NO_REGION};
}

void ft_block_numbers_fini(struct ft_block_numbers *numbers)
{
    ft_dense_ids_fini(&numbers->regions);
    free(numbers->keys);
    numbers->keys = NULL;
}

static int find_region(struct ft_block_numbers *numbers, uint64_t region, struct ft_diag *diag)
{
    uint32_t known = numbers->regions.count;
    int status = ft_dense_ids_find(&numbers->regions, region, &numbers->last_region_number, diag);
    if (status != FT_OK)
        return status;
    if (ft_block_numbers_end(numbers) >= UINT32_MAX)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "the program touches %u regions of 2 MiB, more than can be numbered with "
                       "lines of %u bytes; larger lines can (option --line)",
                       numbers->regions.count, 1U << (REGION_SHIFT - numbers->bits));
    if (numbers->regions.count > known) {
        if (!FT_RESERVE(numbers->keys, numbers->key_capacity, numbers->regions.count))
            return ft_fail_memory(diag, "the table of regions");
        numbers->keys[known] = region;
    }
    numbers->last_region = region;
    return FT_OK;
}

int ft_block_numbers_find(struct ft_block_numbers *numbers, uint64_t block, uint32_t *ret_number,
                          struct ft_diag *diag)
{
    uint64_t region = block >> numbers->bits;
    if (region != numbers->last_region) {
        int status = find_region(numbers, region, diag);
        if (status != FT_OK)
            return status;
    }
    *ret_number = (numbers->last_region_number << numbers->bits) |
                  (uint32_t)(block & ((UINT64_C(1) << numbers->bits) - 1));
    return FT_OK;
}
