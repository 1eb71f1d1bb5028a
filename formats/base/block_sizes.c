#include "formats/base/block_sizes.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/parse.h"

static int by_size(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

int ft_block_sizes_parse(const char *text, uint64_t *ret_block_bytes, size_t *ret_count,
                         struct ft_diag *diag)
{
    uint64_t sizes[FT_BLOCK_SIZES_MAX];
    size_t count = 0;
    for (const char *at = text;; at++) {
        char word[32];
        size_t length = strcspn(at, ",");
        if (count == FT_BLOCK_SIZES_MAX)
            return ft_fail(diag, FT_ERROR_USAGE, "-b %s: at most %d block sizes", text,
                           FT_BLOCK_SIZES_MAX);
        if (length >= sizeof word)
            return ft_fail(diag, FT_ERROR_USAGE, "-b %s: not a list of sizes such as 64,4K,2M",
                           text);
        memcpy(word, at, length);
        word[length] = 0;
        uint64_t bytes = 0;
        int status = ft_parse_bytes(word, &bytes, diag);
        if (status)
            return status;
        if (bytes == 0 || (bytes & (bytes - 1)))
            return ft_fail(diag, FT_ERROR_USAGE, "-b %s: %s is not a power of two", text, word);
        for (size_t s = 0; s < count; s++)
            if (sizes[s] == bytes)
                return ft_fail(diag, FT_ERROR_USAGE, "-b %s: %s is given twice", text, word);
        sizes[count++] = bytes;
        at += length;
        if (*at == 0)
            break;
    }
    qsort(sizes, count, sizeof *sizes, by_size);
    memcpy(ret_block_bytes, sizes, count * sizeof *sizes);
    *ret_count = count;
    return FT_OK;
}
