/*
 * Anonymous mappings grown with mremap. Large ones ask for huge pages: replay accesses its tables
 * at random, where TLB misses of the host would cost as much as the lookup.
 */
#include "formats/base/zero_array.h"

#include <stdint.h>
#include <sys/mman.h>

#define SMALLEST_BYTES ((size_t)1 << 16)
#define HUGE_BYTES     ((size_t)1 << 21)

int ft_zero_array_reserve(struct ft_zero_array *array, size_t bytes, struct ft_diag *diag)
{
    if (bytes <= array->bytes)
        return FT_OK;
    size_t wanted = array->bytes ? array->bytes : SMALLEST_BYTES;
    while (wanted < bytes) {
        if (wanted > SIZE_MAX / 2)
            return ft_fail_memory(diag, "a table of blocks");
        wanted *= 2;
    }
    void *items;
    if (array->items)
        items = mremap(array->items, array->bytes, wanted, MREMAP_MAYMOVE);
    else
        items = mmap(NULL, wanted, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (items == MAP_FAILED)
        return ft_fail_memory(diag, "a table of blocks");
    if (wanted >= HUGE_BYTES)
        madvise(items, wanted, MADV_HUGEPAGE); /* only advice: a refusal changes nothing */
    array->items = items;
    array->bytes = wanted;
    return FT_OK;
}

void ft_zero_array_fini(struct ft_zero_array *array)
{
    if (array->items)
        munmap(array->items, array->bytes);
    *array = (struct ft_zero_array){0};
}
