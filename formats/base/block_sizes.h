/*
 * The block sizes that a command measures side by side, from its option -b down to the stacks:
 * "64,4K,2M", in any order.
 */
#ifndef FT_FORMATS_BASE_BLOCK_SIZES_H
#define FT_FORMATS_BASE_BLOCK_SIZES_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

#define FT_BLOCK_SIZES_MAX 31

/* Every line and page of the machine files that come with foretrace, and large pages. */
#define FT_BLOCK_SIZES_DEFAULT "32,64,128,4K,16K,32K,2M"

/* Ascending powers of two, each once. */
struct ft_block_sizes {
    size_t count;
    uint64_t bytes[FT_BLOCK_SIZES_MAX];
};

int ft_block_sizes_parse(const char *text, struct ft_block_sizes *ret_sizes, struct ft_diag *diag);

#endif
