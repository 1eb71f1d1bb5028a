#include "formats/base/block_sizes.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/parse.h"

static int by_size(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

int ft_block_sizes_parse(const char *text, struct ft_block_sizes *ret_sizes, struct ft_diag *diag)
{
    struct ft_block_sizes sizes = {0};
    for (const char *at = text;; at++) {
        char word[32];
        size_t length = strcspn(at, ",");
        if (sizes.count == FT_BLOCK_SIZES_MAX)
            return ft_fail(diag, FT_ERROR_USAGE, "-b %s: at most %d block sizes", text,
                           FT_BLOCK_SIZES_MAX);
        if (length >= sizeof word)
            return ft_fail(diag, FT_ERROR_USAGE, "-b %s: not a list of sizes such as 64,4K,2M",
                           text);
        memcpy(word, at, length);
        word[length] = 0;
        uint64_t bytes = 0;
        FT_TRY(ft_parse_bytes(word, &bytes, diag));
        if (bytes == 0 || (bytes & (bytes - 1)))
            return ft_fail(diag, FT_ERROR_USAGE, "-b %s: %s is not a power of two", text, word);
        for (size_t s = 0; s < sizes.count; s++)
            if (sizes.bytes[s] == bytes)
                return ft_fail(diag, FT_ERROR_USAGE, "-b %s: %s is given twice", text, word);
        sizes.bytes[sizes.count++] = bytes;
        at += length;
        if (*at == 0)
            break;
    }
    qsort(sizes.bytes, sizes.count, sizeof *sizes.bytes, by_size);
    *ret_sizes = sizes;
    return FT_OK;
}
