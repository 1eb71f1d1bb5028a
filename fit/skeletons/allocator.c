/*
 * Chunks start 16 bytes before the address given out. Free ones are in the cache of their size, in
 * the fast bin of theirs, or in `bins`, where neighbours are merged; the last one before the break
 * is the top. Of bins the smallest chunk that fits is taken, the oldest of these, and split.
 */
#include "fit/skeletons/allocator.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/base/hash_table.h"
#include "formats/skeleton/malloc_chunks.h"

#define HEADER          FT_CHUNK_HEAD_BYTES
#define CHUNK_MIN       FT_CHUNK_MIN_BYTES
#define FAST_MAX        128U
#define LARGE_MIN       1024U
#define CACHED_COUNT    7U
#define CACHE_CHUNK     0x290U /* where the cache itself is */
#define CONSOLIDATE_MIN 65536U
#define THRESHOLD       131072U
#define THRESHOLD_MAX   (32U << 20)
#define TOP_PAD         131072U
#define PAGE            UINT64_C(4096)
/* Where nothing is known to be mapped, as in static programs: below the kernel's own pages (as many
 * as Linux 6.18 has), without random addresses, as captures run. */
#define FIRST_MAPPING_END UINT64_C(0x7ffff7ff7000)

struct chunk {
    uint64_t start, bytes;
    uint64_t age;  /* of free ones */
    uint64_t lead; /* of mapped ones that are given out: bytes before the aligned header */
};

struct chunks {
    struct chunk *items;
    size_t count, capacity;
};

struct ft_allocator {
    struct chunks used;           /* that were given out, in order; of no bytes when freed */
    struct ft_hash_table used_at; /* by address given out */
    struct chunks bins;           /* not sorted */
    struct chunks fast, cached;   /* stacks, of all sizes */
    uint64_t top, end;            /* the top chunk is [top, end) */
    bool has_cache, has_heap;
    uint64_t heap, threshold, trim_threshold, age;
    struct ft_mapped_range *mapped; /* sorted */
    size_t mapped_count, mapped_capacity;
};

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "an allocator");
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Of a chunk that has an aligned block in it. */
static uint64_t aligned_chunk_bytes(uint64_t bytes, uint64_t alignment)
{
    return ft_chunk_bytes(ft_chunk_bytes(bytes) + alignment + CHUNK_MIN);
}

/* Of a mapping of its own for a chunk. */
static uint64_t mapping_bytes(uint64_t chunk_bytes)
{
    return round_up(chunk_bytes + 8, PAGE);
}

/* ---- lists ---- */

static int add(struct chunks *chunks, struct chunk chunk, struct ft_diag *diag)
{
    if (!FT_RESERVE(chunks->items, chunks->capacity, chunks->count + 1))
        return no_memory(diag);
    chunks->items[chunks->count++] = chunk;
    return FT_OK;
}

static struct chunk take(struct chunks *chunks, size_t index)
{
    struct chunk chunk = chunks->items[index];
    memmove(chunks->items + index, chunks->items + index + 1,
            (--chunks->count - index) * sizeof *chunks->items);
    return chunk;
}

/* The last one put there of this size, or count. */
static size_t find_last(const struct chunks *chunks, uint64_t bytes)
{
    for (size_t i = chunks->count; i > 0; i--)
        if (chunks->items[i - 1].bytes == bytes)
            return i - 1;
    return chunks->count;
}

static size_t count_of(const struct chunks *chunks, uint64_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < chunks->count; i++)
        count += chunks->items[i].bytes == bytes;
    return count;
}

/* ---- freeing ---- */

/* Into the bins or the top, with free neighbours. ret_bytes: of all of it. */
static int merge(struct ft_allocator *allocator, struct chunk chunk, uint64_t *ret_bytes,
                 struct ft_diag *diag)
{
    for (size_t i = 0; i < allocator->bins.count;) {
        const struct chunk *other = &allocator->bins.items[i];
        bool is_before = other->start + other->bytes == chunk.start;
        if (!is_before && chunk.start + chunk.bytes != other->start) {
            i++;
            continue;
        }
        struct chunk neighbour = take(&allocator->bins, i);
        chunk.bytes += neighbour.bytes;
        if (is_before)
            chunk.start = neighbour.start;
        i = 0;
    }
    *ret_bytes = chunk.bytes;
    if (chunk.start + chunk.bytes == allocator->top) {
        allocator->top = chunk.start;
        *ret_bytes = allocator->end - allocator->top;
        return FT_OK;
    }
    chunk.age = ++allocator->age;
    return add(&allocator->bins, chunk, diag);
}

static int consolidate(struct ft_allocator *allocator, struct ft_diag *diag)
{
    uint64_t merged;
    for (size_t i = 0; i < allocator->fast.count; i++)
        FT_TRY(merge(allocator, allocator->fast.items[i], &merged, diag));
    allocator->fast.count = 0;
    return FT_OK;
}

static void trim(struct ft_allocator *allocator)
{
    uint64_t bytes = allocator->end - allocator->top;
    if (bytes < allocator->trim_threshold || bytes < TOP_PAD + CHUNK_MIN + 1)
        return;
    allocator->end -= (bytes - CHUNK_MIN - 1 - TOP_PAD) / PAGE * PAGE;
}

/* As _int_free. */
static int free_chunk(struct ft_allocator *allocator, struct chunk chunk, struct ft_diag *diag)
{
    if (allocator->has_cache && chunk.bytes <= FT_CHUNK_CACHED_MAX &&
        count_of(&allocator->cached, chunk.bytes) < CACHED_COUNT)
        return add(&allocator->cached, chunk, diag);
    if (chunk.bytes <= FAST_MAX)
        return add(&allocator->fast, chunk, diag);
    uint64_t merged;
    FT_TRY(merge(allocator, chunk, &merged, diag));
    if (merged < CONSOLIDATE_MIN)
        return FT_OK;
    FT_TRY(consolidate(allocator, diag));
    trim(allocator);
    return FT_OK;
}

/* ---- mappings ---- */

static int map(struct ft_allocator *allocator, uint64_t bytes, uint64_t *ret_start,
               struct ft_diag *diag)
{
    struct ft_mapped_range *mapped = allocator->mapped;
    size_t i = allocator->mapped_count;
    while (i > 1 && mapped[i - 1].start - mapped[i - 2].end < bytes)
        i--; /* the gap below the range i - 1 is too small */
    if (!FT_RESERVE(allocator->mapped, allocator->mapped_capacity, allocator->mapped_count + 1))
        return no_memory(diag);
    mapped = allocator->mapped;
    const size_t at = i > 0 ? i - 1 : 0;
    const uint64_t end = i > 0 ? mapped[at].start : FIRST_MAPPING_END;
    if (bytes > end)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "heap blocks would take more than the address space");
    memmove(mapped + at + 1, mapped + at, (allocator->mapped_count++ - at) * sizeof *mapped);
    mapped[at] = (struct ft_mapped_range){end - bytes, end};
    *ret_start = end - bytes;
    return FT_OK;
}

static void unmap(struct ft_allocator *allocator, const struct chunk *chunk)
{
    for (size_t i = 0; i < allocator->mapped_count; i++)
        if (allocator->mapped[i].start == chunk->start) {
            memmove(allocator->mapped + i, allocator->mapped + i + 1,
                    (--allocator->mapped_count - i) * sizeof *allocator->mapped);
            break;
        }
    if (chunk->bytes > allocator->threshold && chunk->bytes <= THRESHOLD_MAX) {
        allocator->threshold = chunk->bytes;
        allocator->trim_threshold = 2 * chunk->bytes;
    }
}

static bool is_mapped(const struct ft_allocator *allocator, const struct chunk *chunk)
{
    return !allocator->has_heap || chunk->start < allocator->heap || chunk->start >= allocator->end;
}

/* ---- allocating ---- */

/* More memory from the kernel, where the top is too small. */
static int grow(struct ft_allocator *allocator, uint64_t bytes, struct chunk *ret_chunk,
                struct ft_diag *diag)
{
    if (bytes >= allocator->threshold) {
        *ret_chunk = (struct chunk){.bytes = mapping_bytes(bytes)};
        return map(allocator, ret_chunk->bytes, &ret_chunk->start, diag);
    }
    uint64_t have = allocator->has_heap ? allocator->end - allocator->top : 0;
    if (!allocator->has_heap)
        allocator->top = allocator->end = round_up(allocator->heap, HEADER);
    allocator->has_heap = true;
    allocator->end += round_up(bytes + TOP_PAD + CHUNK_MIN - have, PAGE);
    allocator->end = round_up(allocator->end, PAGE); /* where the heap began within one */
    *ret_chunk = (struct chunk){.start = allocator->top, .bytes = bytes};
    allocator->top += bytes;
    return FT_OK;
}

static size_t best_fit(const struct ft_allocator *allocator, uint64_t bytes)
{
    const struct chunks *bins = &allocator->bins;
    size_t best = bins->count;
    for (size_t i = 0; i < bins->count; i++)
        if (bins->items[i].bytes >= bytes &&
            (best == bins->count || bins->items[i].bytes < bins->items[best].bytes ||
             (bins->items[i].bytes == bins->items[best].bytes &&
              bins->items[i].age < bins->items[best].age)))
            best = i;
    return best;
}

/* As _int_malloc. */
static int allocate_chunk(struct ft_allocator *allocator, uint64_t bytes, struct chunk *ret_chunk,
                          struct ft_diag *diag)
{
    size_t at = find_last(&allocator->fast, bytes);
    if (at < allocator->fast.count) {
        *ret_chunk = take(&allocator->fast, at);
        return FT_OK;
    }
    if (bytes >= LARGE_MIN)
        FT_TRY(consolidate(allocator, diag));
    at = best_fit(allocator, bytes);
    if (at < allocator->bins.count) {
        struct chunk chunk = take(&allocator->bins, at);
        if (chunk.bytes >= bytes + CHUNK_MIN) {
            struct chunk rest = {chunk.start + bytes, chunk.bytes - bytes, ++allocator->age, 0};
            FT_TRY(add(&allocator->bins, rest, diag));
            chunk.bytes = bytes;
        }
        *ret_chunk = chunk;
        return FT_OK;
    }
    if (!allocator->has_heap || allocator->end - allocator->top < bytes + CHUNK_MIN)
        return grow(allocator, bytes, ret_chunk, diag);
    *ret_chunk = (struct chunk){.start = allocator->top, .bytes = bytes};
    allocator->top += bytes;
    return FT_OK;
}

static int start_cache(struct ft_allocator *allocator, struct ft_diag *diag)
{
    struct chunk chunk;
    if (allocator->has_cache)
        return FT_OK;
    FT_TRY(allocate_chunk(allocator, CACHE_CHUNK, &chunk, diag));
    allocator->has_cache = true;
    return FT_OK;
}

/* As _int_memalign: what is before the aligned place, and behind the block, is freed. */
static int allocate_aligned(struct ft_allocator *allocator, uint64_t bytes, uint64_t alignment,
                            struct chunk *ret_chunk, struct ft_diag *diag)
{
    struct chunk chunk;
    const uint64_t need = ft_chunk_bytes(bytes);
    FT_TRY(allocate_chunk(allocator, aligned_chunk_bytes(bytes, alignment), &chunk, diag));
    uint64_t start = round_up(chunk.start + HEADER, alignment) - HEADER;
    if (start != chunk.start && start - chunk.start < CHUNK_MIN)
        start += alignment;
    const uint64_t lead = start - chunk.start, end = chunk.start + chunk.bytes;
    if (is_mapped(allocator, &chunk)) {
        *ret_chunk = chunk;
        ret_chunk->lead = lead;
        return FT_OK;
    }
    if (lead)
        FT_TRY(free_chunk(allocator, (struct chunk){.start = chunk.start, .bytes = lead}, diag));
    chunk = (struct chunk){.start = start, .bytes = end - start};
    if (chunk.bytes > need + CHUNK_MIN) {
        FT_TRY(free_chunk(
            allocator, (struct chunk){.start = start + need, .bytes = chunk.bytes - need}, diag));
        chunk.bytes = need;
    }
    *ret_chunk = chunk;
    return FT_OK;
}

/* As __libc_calloc: mappings are 0 as they come, and so is what the heap has grown by. top, end: as
 * they were before. */
static uint64_t cleared_bytes(const struct ft_allocator *allocator, const struct chunk *chunk,
                              uint64_t top, uint64_t end)
{
    if (is_mapped(allocator, chunk))
        return 0;
    const bool has_grown = chunk->start == top && chunk->bytes > end - top;
    return (has_grown ? end - top : chunk->bytes) - HEADER / 2;
}

static uint64_t address_of(const struct chunk *chunk)
{
    return chunk->start + chunk->lead + HEADER;
}

int ft_allocator_allocate(struct ft_allocator *allocator, uint64_t bytes, uint64_t alignment,
                          bool clears, struct ft_placed_block *ret_block, struct ft_diag *diag)
{
    struct chunk chunk = {0};
    const uint64_t need = ft_chunk_bytes(bytes);
    uint64_t top = 0, end = 0;
    if (alignment <= HEADER) {
        FT_TRY(start_cache(allocator, diag));
        top = allocator->top;
        end = allocator->end;
        size_t cached = clears ? allocator->cached.count : find_last(&allocator->cached, need);
        if (cached < allocator->cached.count)
            chunk = take(&allocator->cached, cached);
        else
            FT_TRY(allocate_chunk(allocator, need, &chunk, diag));
    } else {
        FT_TRY(allocate_aligned(allocator, bytes, alignment < CHUNK_MIN ? CHUNK_MIN : alignment,
                                &chunk, diag));
    }
    const uint64_t address = address_of(&chunk);
    if (!ft_hash_table_add(&allocator->used_at, ft_hash_mix(address),
                           (uint32_t)allocator->used.count))
        return no_memory(diag);
    FT_TRY(add(&allocator->used, chunk, diag));
    *ret_block = (struct ft_placed_block){
        .address = address,
        .bytes = bytes,
        .cleared = clears ? cleared_bytes(allocator, &chunk, top, end) : 0};
    return FT_OK;
}

/* NULL: none is given out there. */
static struct chunk *find_used(struct ft_allocator *allocator, uint64_t address)
{
    const uint64_t hash = ft_hash_mix(address);
    uint32_t i;
    for (size_t probe = hash; ft_hash_next(&allocator->used_at, hash, &probe, &i);) {
        struct chunk *chunk = &allocator->used.items[i];
        if (chunk->bytes && address_of(chunk) == address)
            return chunk;
    }
    return NULL;
}

int ft_allocator_free(struct ft_allocator *allocator, uint64_t address, struct ft_diag *diag)
{
    struct chunk *used = find_used(allocator, address);
    if (!used)
        return FT_OK;
    struct chunk chunk = {.start = used->start, .bytes = used->bytes};
    used->bytes = 0;
    if (is_mapped(allocator, &chunk)) {
        unmap(allocator, &chunk);
        return FT_OK;
    }
    FT_TRY(start_cache(allocator, diag));
    return free_chunk(allocator, chunk, diag);
}

uint64_t ft_allocator_mapping_end(uint64_t address, uint64_t bytes, uint64_t alignment)
{
    const uint64_t chunk =
        alignment <= HEADER ? ft_chunk_bytes(bytes) : aligned_chunk_bytes(bytes, alignment);
    return chunk < THRESHOLD ? 0 : (address - HEADER) / PAGE * PAGE + mapping_bytes(chunk);
}

/* ---- from start to end ---- */

int ft_allocator_create(uint64_t heap, const struct ft_mapped_range *mapped, size_t mapped_count,
                        struct ft_allocator **ret_allocator, struct ft_diag *diag)
{
    struct ft_allocator *allocator = calloc(1, sizeof *allocator);
    if (!allocator)
        return no_memory(diag);
    *allocator =
        (struct ft_allocator){.heap = heap, .threshold = THRESHOLD, .trim_threshold = THRESHOLD};
    if (!FT_RESERVE(allocator->mapped, allocator->mapped_capacity, mapped_count + 1)) {
        ft_allocator_destroy(allocator);
        return no_memory(diag);
    }
    if (mapped_count)
        memcpy(allocator->mapped, mapped, mapped_count * sizeof *mapped);
    allocator->mapped_count = mapped_count;
    *ret_allocator = allocator;
    return FT_OK;
}

void ft_allocator_destroy(struct ft_allocator *allocator)
{
    free(allocator->used.items);
    ft_hash_table_fini(&allocator->used_at);
    free(allocator->bins.items);
    free(allocator->fast.items);
    free(allocator->cached.items);
    free(allocator->mapped);
    free(allocator);
}
