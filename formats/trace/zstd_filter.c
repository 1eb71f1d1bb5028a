/*
 * HDF5 passes a malloc'ed buffer and gets another one back. The content size is read from the
 * header of the frame, where the registration of the filter requires it.
 */
#include "formats/trace/zstd_filter.h"

#include <stdlib.h>

#include <zstd.h>

/* Puts a new buffer in place of the old one; 0 and the old one where there is none. */
static size_t replace(void **buffer, size_t *buffer_bytes, void *made, size_t made_capacity,
                      size_t made_bytes)
{
    if (ZSTD_isError(made_bytes)) {
        free(made);
        return 0;
    }
    free(*buffer);
    *buffer = made;
    *buffer_bytes = made_capacity;
    return made_bytes;
}

static size_t filter(unsigned flags, size_t value_count, const unsigned values[], size_t bytes,
                     size_t *buffer_bytes, void **buffer)
{
    if (flags & H5Z_FLAG_REVERSE) {
        unsigned long long content = ZSTD_getFrameContentSize(*buffer, bytes);
        if (content == ZSTD_CONTENTSIZE_ERROR || content == ZSTD_CONTENTSIZE_UNKNOWN ||
            content > (size_t)1 << 32)
            return 0;
        void *made = malloc(content ? content : 1);
        return made ? replace(buffer, buffer_bytes, made, content,
                              ZSTD_decompress(made, content, *buffer, bytes))
                    : 0;
    }
    size_t bound = ZSTD_compressBound(bytes);
    int level = value_count > 0 ? (int)values[0] : ZSTD_CLEVEL_DEFAULT;
    void *made = malloc(bound);
    return made ? replace(buffer, buffer_bytes, made, bound,
                          ZSTD_compress(made, bound, *buffer, bytes, level))
                : 0;
}

const H5Z_class2_t ft_zstd_filter = {
    .version = H5Z_CLASS_T_VERS,
    .id = FT_ZSTD_FILTER,
    .encoder_present = 1,
    .decoder_present = 1,
    .name = "zstd",
    .filter = filter,
};
