#include "fit/skeletons/chunk_bins.h"

#include <string.h>

#include "formats/base/array.h"
#include "formats/skeleton/malloc_chunks.h"

int ft_chunks_add(struct ft_chunks *chunks, struct ft_chunk chunk, struct ft_diag *diag)
{
    if (!FT_RESERVE(chunks->items, chunks->capacity, chunks->count + 1))
        return ft_fail_memory(diag, "an allocator");
    chunks->items[chunks->count++] = chunk;
    return FT_OK;
}

/* Large chunks of one size stand behind the oldest one, the latest first: where the oldest is
 * taken, the latest is in its place. */
static void pass_place(struct ft_chunks *bins, size_t index)
{
    const struct ft_chunk *taken = &bins->items[index];
    struct ft_chunk *latest = NULL;
    for (size_t i = 0; i < bins->count; i++) {
        struct ft_chunk *chunk = &bins->items[i];
        if (chunk->bytes != taken->bytes || i == index)
            continue;
        if (chunk->age < taken->age)
            return; /* it was not the oldest */
        if (!latest || chunk->age > latest->age)
            latest = chunk;
    }
    if (latest)
        latest->age = taken->age;
}

struct ft_chunk ft_chunks_take(struct ft_chunks *chunks, size_t index)
{
    struct ft_chunk chunk = chunks->items[index];
    if (chunk.age && chunk.bytes >= FT_CHUNK_LARGE_MIN)
        pass_place(chunks, index);
    memmove(chunks->items + index, chunks->items + index + 1,
            (--chunks->count - index) * sizeof *chunks->items);
    return chunk;
}

size_t ft_chunks_find_last(const struct ft_chunks *chunks, uint64_t bytes)
{
    for (size_t i = chunks->count; i > 0; i--)
        if (chunks->items[i - 1].bytes == bytes)
            return i - 1;
    return chunks->count;
}

size_t ft_chunks_count(const struct ft_chunks *chunks, uint64_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < chunks->count; i++)
        count += chunks->items[i].bytes == bytes;
    return count;
}

/* glibc's bin_index: of the large ones each has a range of sizes, twice as wide every few. */
unsigned ft_bin_of(uint64_t bytes)
{
    static const struct {
        unsigned shift, last, base;
    } ranges[] = {{6, 48, 48}, {9, 20, 91}, {12, 10, 110}, {15, 4, 119}, {18, 2, 124}};
    if (bytes < FT_CHUNK_LARGE_MIN)
        return (unsigned)(bytes / FT_CHUNK_HEAD_BYTES);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (bytes >> ranges[i].shift <= ranges[i].last)
            return ranges[i].base + (unsigned)(bytes >> ranges[i].shift);
    return 126;
}

static bool comes_before(const struct ft_chunk *one, const struct ft_chunk *other)
{
    return one->bytes < other->bytes || (one->bytes == other->bytes && one->age < other->age);
}

size_t ft_bins_smallest(const struct ft_chunks *bins, unsigned bin, uint64_t bytes)
{
    size_t found = bins->count;
    for (size_t i = 0; i < bins->count; i++)
        if (bins->items[i].bytes >= bytes && ft_bin_of(bins->items[i].bytes) == bin &&
            (found == bins->count || comes_before(&bins->items[i], &bins->items[found])))
            found = i;
    return found;
}

size_t ft_bins_like(const struct ft_chunks *bins, size_t oldest, bool is_by_size)
{
    size_t found = oldest;
    for (size_t i = 0; i < bins->count; i++)
        if (i != oldest && bins->items[i].bytes == bins->items[oldest].bytes &&
            (found == oldest || (is_by_size ? bins->items[i].age > bins->items[found].age
                                            : bins->items[i].age < bins->items[found].age)))
            found = i;
    return found;
}

unsigned ft_bins_next(const struct ft_chunks *bins, unsigned first)
{
    unsigned next = FT_NO_BIN;
    for (size_t i = 0; i < bins->count; i++) {
        const unsigned bin = ft_bin_of(bins->items[i].bytes);
        if (bin >= first && (next == FT_NO_BIN || bin < next))
            next = bin;
    }
    return next;
}
