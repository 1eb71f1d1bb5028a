/*
 * Sizes in the GNU C library's malloc (malloc/malloc.c, 2.26 to 2.40): a block is in a chunk,
 * behind its head, and the chunk's size is in the eight bytes before the block.
 */
#ifndef FT_FORMATS_SKELETON_MALLOC_CHUNKS_H
#define FT_FORMATS_SKELETON_MALLOC_CHUNKS_H

#include <stdint.h>

#define FT_CHUNK_HEAD_BYTES 16U /* and what chunks are multiples of */
#define FT_CHUNK_SIZE_BYTES 8U
#define FT_CHUNK_MIN_BYTES  32U
/* The largest chunk that the cache of a thread keeps, when it is freed. */
#define FT_CHUNK_CACHED_MAX 0x410U

/* Blocks of so many bytes, or more, have mappings of their own at first. */
#define FT_CHUNK_MAPPED_MIN 131072U

/* Of the chunk of a block for so many bytes. */
static inline uint64_t ft_chunk_bytes(uint64_t bytes)
{
    const uint64_t chunk = (bytes + FT_CHUNK_SIZE_BYTES + FT_CHUNK_HEAD_BYTES - 1) /
                           FT_CHUNK_HEAD_BYTES * FT_CHUNK_HEAD_BYTES;
    return chunk < FT_CHUNK_MIN_BYTES ? FT_CHUNK_MIN_BYTES : chunk;
}
/* Bytes of a block that a program may use, as many as it asked for or a few more: up to the size of
 * the next chunk. */
static inline uint64_t ft_chunk_usable(uint64_t bytes)
{
    return ft_chunk_bytes(bytes) - FT_CHUNK_SIZE_BYTES;
}

#endif
