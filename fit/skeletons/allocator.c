/*
 * Chunks start 16 bytes before the address given out. Free ones are in the cache of their size, in
 * the fast bin of theirs, or, where neighbours are merged, first unsorted and then in the bin of
 * their sizes; the last one before the break is the top. When one is looked for, those that are not
 * sorted are; then one of the first bin is split that has large enough ones.
 */
#include "fit/skeletons/allocator.h"

#include <stdlib.h>
#include <string.h>

#include "fit/skeletons/chunk_bins.h"
#include "formats/base/array.h"
#include "formats/base/hash_table.h"
#include "formats/skeleton/malloc_chunks.h"

#define HEADER          FT_CHUNK_HEAD_BYTES
#define CHUNK_MIN       FT_CHUNK_MIN_BYTES
#define FAST_MAX        128U
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

/* Free chunks that are looked at in all: there may be many at once, and they are in no index. */
#define LOOKS_MAX (UINT64_C(1) << 33)

struct ft_allocator {
    struct ft_chunks used;         /* that were given out, in order; of no bytes when freed */
    struct ft_hash_table used_at;  /* by address given out */
    struct ft_chunks unsorted;     /* the oldest one first */
    struct ft_chunks bins;         /* all of them, in no order */
    struct ft_chunks fast, cached; /* stacks, of all sizes */
    uint64_t last_remainder;       /* where the last small block left one of a chunk; 0: nowhere */
    uint64_t top, end;             /* the top chunk is [top, end) */
    uint64_t fresh;                /* from here on, no page of the heap was in use */
    bool has_cache, has_heap;
    uint64_t heap, threshold, trim_threshold, age;
    uint64_t looks;
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

static bool has_cache_for(const struct ft_allocator *allocator, uint64_t bytes)
{
    return allocator->has_cache && bytes <= FT_CHUNK_CACHED_MAX &&
           ft_chunks_count(&allocator->cached, bytes) < CACHED_COUNT;
}

static int look(struct ft_allocator *allocator, struct ft_diag *diag)
{
    allocator->looks += allocator->unsorted.count + allocator->bins.count;
    return allocator->looks <= LOOKS_MAX
               ? FT_OK
               : ft_fail(diag, FT_ERROR_UNSUPPORTED,
                         "the heap is in more pieces than can be looked through");
}

/* ---- freeing ---- */

/* Takes a free neighbour out of a list, and makes it part of the chunk. */
static void merge_neighbours(struct ft_chunks *free_chunks, struct ft_chunk *chunk)
{
    for (size_t i = 0; i < free_chunks->count;) {
        const struct ft_chunk *other = &free_chunks->items[i];
        const bool is_before = other->start + other->bytes == chunk->start;
        if (!is_before && chunk->start + chunk->bytes != other->start) {
            i++;
            continue;
        }
        const struct ft_chunk neighbour = ft_chunks_take(free_chunks, i);
        chunk->bytes += neighbour.bytes;
        if (is_before)
            chunk->start = neighbour.start;
    }
}

/* To the unsorted ones or the top, with free neighbours, of which no two are next to each other.
 * ret_bytes: of all of it. */
static int merge(struct ft_allocator *allocator, struct ft_chunk chunk, uint64_t *ret_bytes,
                 struct ft_diag *diag)
{
    FT_TRY(look(allocator, diag));
    merge_neighbours(&allocator->unsorted, &chunk);
    merge_neighbours(&allocator->bins, &chunk);
    *ret_bytes = chunk.bytes;
    if (chunk.start + chunk.bytes == allocator->top) {
        allocator->top = chunk.start;
        *ret_bytes = allocator->end - allocator->top;
        return FT_OK;
    }
    return ft_chunks_add(&allocator->unsorted, chunk, diag);
}

/* The smallest chunks first, and of these the last one that came. */
static int compare_fast(const void *left, const void *right)
{
    const struct ft_chunk *a = left, *b = right;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    return (a->age < b->age) - (a->age > b->age);
}

/* The fast bins, one after the other. */
static int consolidate(struct ft_allocator *allocator, struct ft_diag *diag)
{
    struct ft_chunks *fast = &allocator->fast;
    uint64_t merged;
    int status = FT_OK;
    for (size_t i = 0; i < fast->count; i++)
        fast->items[i].age = i;
    if (fast->count)
        qsort(fast->items, fast->count, sizeof *fast->items, compare_fast);
    for (size_t i = 0; i < fast->count && !status; i++) {
        fast->items[i].age = 0;
        status = merge(allocator, fast->items[i], &merged, diag);
    }
    fast->count = 0;
    return status;
}

static void trim(struct ft_allocator *allocator)
{
    uint64_t bytes = allocator->end - allocator->top;
    if (bytes < allocator->trim_threshold || bytes < TOP_PAD + CHUNK_MIN + 1)
        return;
    allocator->end -= (bytes - CHUNK_MIN - 1 - TOP_PAD) / PAGE * PAGE;
    if (allocator->fresh > allocator->end)
        allocator->fresh = allocator->end;
}

/* As _int_free. */
static int free_chunk(struct ft_allocator *allocator, struct ft_chunk chunk, struct ft_diag *diag)
{
    if (has_cache_for(allocator, chunk.bytes))
        return ft_chunks_add(&allocator->cached, chunk, diag);
    if (chunk.bytes <= FAST_MAX)
        return ft_chunks_add(&allocator->fast, chunk, diag);
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

static void unmap(struct ft_allocator *allocator, const struct ft_chunk *chunk)
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

static bool is_mapped(const struct ft_allocator *allocator, const struct ft_chunk *chunk)
{
    return !allocator->has_heap || chunk->start < allocator->heap || chunk->start >= allocator->end;
}

/* ---- allocating ---- */

/* More memory from the kernel, where the top is too small. */
static int grow(struct ft_allocator *allocator, uint64_t bytes, struct ft_chunk *ret_chunk,
                struct ft_diag *diag)
{
    if (bytes >= allocator->threshold) {
        *ret_chunk = (struct ft_chunk){.bytes = mapping_bytes(bytes)};
        return map(allocator, ret_chunk->bytes, &ret_chunk->start, diag);
    }
    uint64_t have = allocator->has_heap ? allocator->end - allocator->top : 0;
    if (!allocator->has_heap)
        allocator->top = allocator->end = round_up(allocator->heap, HEADER);
    allocator->has_heap = true;
    allocator->end += round_up(bytes + TOP_PAD + CHUNK_MIN - have, PAGE);
    allocator->end = round_up(allocator->end, PAGE); /* where the heap began within one */
    *ret_chunk = (struct ft_chunk){.start = allocator->top, .bytes = bytes};
    allocator->top += bytes;
    return FT_OK;
}

/* What a chunk has more is free again. */
static int split(struct ft_allocator *allocator, struct ft_chunk chunk, uint64_t bytes,
                 bool is_remembered, struct ft_chunk *ret_chunk, struct ft_diag *diag)
{
    if (chunk.bytes >= bytes + CHUNK_MIN) {
        const struct ft_chunk rest = {.start = chunk.start + bytes, .bytes = chunk.bytes - bytes};
        FT_TRY(ft_chunks_add(&allocator->unsorted, rest, diag));
        if (is_remembered)
            allocator->last_remainder = rest.start;
        chunk.bytes = bytes;
    }
    *ret_chunk = chunk;
    return FT_OK;
}

/* Others of a size go to the cache when one of them is taken. */
static int stash(struct ft_allocator *allocator, struct ft_chunks *from, bool are_last,
                 uint64_t bytes, struct ft_diag *diag)
{
    while (has_cache_for(allocator, bytes)) {
        const size_t at = are_last ? ft_chunks_find_last(from, bytes)
                                   : ft_bins_smallest(from, ft_bin_of(bytes), bytes);
        if (at == from->count)
            break;
        FT_TRY(ft_chunks_add(&allocator->cached, ft_chunks_take(from, at), diag));
    }
    return FT_OK;
}

/* Sorts what is not; chunks of the size are cached, or taken: *ret_found. */
static int sort(struct ft_allocator *allocator, uint64_t bytes, struct ft_chunk *ret_chunk,
                bool *ret_found, struct ft_diag *diag)
{
    bool is_cached = false;
    *ret_found = true;
    while (allocator->unsorted.count) {
        const struct ft_chunk *oldest = allocator->unsorted.items;
        const bool is_alone = allocator->unsorted.count == 1;
        if (is_alone && bytes < FT_CHUNK_LARGE_MIN && oldest->start == allocator->last_remainder &&
            oldest->bytes > bytes + CHUNK_MIN)
            return split(allocator, ft_chunks_take(&allocator->unsorted, 0), bytes, true, ret_chunk,
                         diag);
        struct ft_chunk chunk = ft_chunks_take(&allocator->unsorted, 0);
        if (chunk.bytes == bytes && has_cache_for(allocator, bytes)) {
            FT_TRY(ft_chunks_add(&allocator->cached, chunk, diag));
            is_cached = true;
        } else if (chunk.bytes == bytes) {
            *ret_chunk = chunk;
            return FT_OK;
        } else {
            chunk.age = ++allocator->age;
            FT_TRY(ft_chunks_add(&allocator->bins, chunk, diag));
        }
    }
    *ret_found = is_cached;
    if (is_cached)
        *ret_chunk =
            ft_chunks_take(&allocator->cached, ft_chunks_find_last(&allocator->cached, bytes));
    return FT_OK;
}

/* Of the bin of its size, if that is of several, or of the next one that has any. */
static int take_binned(struct ft_allocator *allocator, uint64_t bytes, struct ft_chunk *ret_chunk,
                       bool *ret_found, struct ft_diag *diag)
{
    struct ft_chunks *bins = &allocator->bins;
    const unsigned own = ft_bin_of(bytes);
    size_t at = bytes < FT_CHUNK_LARGE_MIN ? bins->count : ft_bins_smallest(bins, own, bytes);
    const bool is_by_size = at < bins->count;
    const unsigned bin = is_by_size ? own : ft_bins_next(bins, own + 1);
    *ret_found = bin != FT_NO_BIN;
    if (bin == FT_NO_BIN)
        return FT_OK;
    if (!is_by_size)
        at = ft_bins_smallest(bins, bin, 0);
    if (bins->items[at].bytes >= FT_CHUNK_LARGE_MIN)
        at = ft_bins_like(bins, at, is_by_size);
    return split(allocator, ft_chunks_take(bins, at), bytes,
                 !is_by_size && bytes < FT_CHUNK_LARGE_MIN, ret_chunk, diag);
}

/* Of chunks of the very size, without sorting any. */
static int take_exact(struct ft_allocator *allocator, uint64_t bytes, struct ft_chunk *ret_chunk,
                      bool *ret_found, struct ft_diag *diag)
{
    size_t at = ft_chunks_find_last(&allocator->fast, bytes);
    *ret_found = true;
    if (at < allocator->fast.count) {
        *ret_chunk = ft_chunks_take(&allocator->fast, at);
        return stash(allocator, &allocator->fast, true, bytes, diag);
    }
    at = bytes < FT_CHUNK_LARGE_MIN ? ft_bins_smallest(&allocator->bins, ft_bin_of(bytes), bytes)
                                    : allocator->bins.count;
    *ret_found = at < allocator->bins.count;
    if (!*ret_found)
        return FT_OK;
    *ret_chunk = ft_chunks_take(&allocator->bins, at);
    return stash(allocator, &allocator->bins, false, bytes, diag);
}

/* As _int_malloc. */
static int allocate_chunk(struct ft_allocator *allocator, uint64_t bytes,
                          struct ft_chunk *ret_chunk, struct ft_diag *diag)
{
    bool found;
    FT_TRY(look(allocator, diag));
    FT_TRY(take_exact(allocator, bytes, ret_chunk, &found, diag));
    if (found)
        return FT_OK;
    if (bytes >= FT_CHUNK_LARGE_MIN)
        FT_TRY(consolidate(allocator, diag));
    for (;;) {
        FT_TRY(sort(allocator, bytes, ret_chunk, &found, diag));
        if (!found)
            FT_TRY(take_binned(allocator, bytes, ret_chunk, &found, diag));
        if (found)
            return FT_OK;
        if (allocator->has_heap && allocator->end - allocator->top >= bytes + CHUNK_MIN)
            break;
        if (allocator->fast.count == 0)
            return grow(allocator, bytes, ret_chunk, diag);
        FT_TRY(consolidate(allocator, diag));
    }
    *ret_chunk = (struct ft_chunk){.start = allocator->top, .bytes = bytes};
    allocator->top += bytes;
    return FT_OK;
}

static int start_cache(struct ft_allocator *allocator, struct ft_diag *diag)
{
    struct ft_chunk chunk;
    if (allocator->has_cache)
        return FT_OK;
    FT_TRY(allocate_chunk(allocator, CACHE_CHUNK, &chunk, diag));
    allocator->has_cache = true;
    return FT_OK;
}

/* As _int_memalign: what is before the aligned place, and behind the block, is freed. */
static int allocate_aligned(struct ft_allocator *allocator, uint64_t bytes, uint64_t alignment,
                            struct ft_chunk *ret_chunk, struct ft_diag *diag)
{
    struct ft_chunk chunk;
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
        FT_TRY(free_chunk(allocator, (struct ft_chunk){.start = chunk.start, .bytes = lead}, diag));
    chunk = (struct ft_chunk){.start = start, .bytes = end - start};
    if (chunk.bytes > need + CHUNK_MIN) {
        FT_TRY(free_chunk(allocator,
                          (struct ft_chunk){.start = start + need, .bytes = chunk.bytes - need},
                          diag));
        chunk.bytes = need;
    }
    *ret_chunk = chunk;
    return FT_OK;
}

/* As __libc_calloc: mappings are 0 as they come, and so is what the heap has grown by. top, end: as
 * they were before. */
static uint64_t cleared_bytes(const struct ft_allocator *allocator, const struct ft_chunk *chunk,
                              uint64_t top, uint64_t end)
{
    if (is_mapped(allocator, chunk))
        return 0;
    const bool has_grown = chunk->start == top && chunk->bytes > end - top;
    return (has_grown ? end - top : chunk->bytes) - HEADER / 2;
}

/* Takes the pages that the chunk is the first to use; the head of what follows is touched, too. */
static uint64_t take_fresh_pages(struct ft_allocator *allocator, const struct ft_chunk *chunk)
{
    const uint64_t end = round_up(chunk->start + chunk->bytes + HEADER, PAGE);
    if (is_mapped(allocator, chunk))
        return chunk->bytes / PAGE;
    if (allocator->fresh == 0)
        allocator->fresh = allocator->heap / PAGE * PAGE;
    if (end <= allocator->fresh)
        return 0;
    const uint64_t pages = (end - allocator->fresh) / PAGE;
    allocator->fresh = end;
    return pages;
}

static uint64_t address_of(const struct ft_chunk *chunk)
{
    return chunk->start + chunk->lead + HEADER;
}

int ft_allocator_allocate(struct ft_allocator *allocator, uint64_t bytes, uint64_t alignment,
                          bool clears, struct ft_placed_block *ret_block, struct ft_diag *diag)
{
    struct ft_chunk chunk = {0};
    const uint64_t need = ft_chunk_bytes(bytes);
    uint64_t top = 0, end = 0;
    if (alignment <= HEADER) {
        FT_TRY(start_cache(allocator, diag));
        top = allocator->top;
        end = allocator->end;
        size_t cached =
            clears ? allocator->cached.count : ft_chunks_find_last(&allocator->cached, need);
        if (cached < allocator->cached.count)
            chunk = ft_chunks_take(&allocator->cached, cached);
        else
            FT_TRY(allocate_chunk(allocator, need, &chunk, diag));
    } else {
        FT_TRY(allocate_aligned(allocator, bytes, alignment < CHUNK_MIN ? CHUNK_MIN : alignment,
                                &chunk, diag));
    }
    const uint64_t address = address_of(&chunk);
    const uint64_t cleared = clears ? cleared_bytes(allocator, &chunk, top, end) : 0;
    if (!ft_hash_table_add(&allocator->used_at, ft_hash_mix(address),
                           (uint32_t)allocator->used.count))
        return no_memory(diag);
    FT_TRY(ft_chunks_add(&allocator->used, chunk, diag));
    *ret_block =
        (struct ft_placed_block){.address = address,
                                 .bytes = bytes,
                                 .cleared = cleared,
                                 .uncleared = clears && bytes > cleared ? bytes - cleared : 0,
                                 .fresh_pages = take_fresh_pages(allocator, &chunk)};
    return FT_OK;
}

/* NULL: none is given out there. */
static struct ft_chunk *find_used(struct ft_allocator *allocator, uint64_t address)
{
    const uint64_t hash = ft_hash_mix(address);
    uint32_t i;
    for (size_t probe = hash; ft_hash_next(&allocator->used_at, hash, &probe, &i);) {
        struct ft_chunk *chunk = &allocator->used.items[i];
        if (chunk->bytes && address_of(chunk) == address)
            return chunk;
    }
    return NULL;
}

int ft_allocator_free(struct ft_allocator *allocator, uint64_t address, struct ft_diag *diag)
{
    struct ft_chunk *used = find_used(allocator, address);
    if (!used)
        return FT_OK;
    struct ft_chunk chunk = {.start = used->start, .bytes = used->bytes};
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
    free(allocator->unsorted.items);
    free(allocator->bins.items);
    free(allocator->fast.items);
    free(allocator->cached.items);
    free(allocator->mapped);
    free(allocator);
}
