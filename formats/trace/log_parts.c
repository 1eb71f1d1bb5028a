#include "formats/trace/log_parts.h"

size_t ft_log_parts_logs(const struct ft_log_part *parts, size_t count)
{
    return count ? parts[count - 1].first + parts[count - 1].log_count : 0;
}

void ft_log_parts_add(struct ft_log_part *parts, size_t *count, size_t chunk)
{
    parts[*count] = (struct ft_log_part){
        .chunk = chunk, .first = ft_log_parts_logs(parts, *count), .log_count = 1};
    ++*count;
}

/* Adds so many times what a log counts. */
static bool add_times(uint64_t *sum, uint64_t once, uint64_t times)
{
    uint64_t product;
    return !__builtin_mul_overflow(once, times, &product) &&
           !__builtin_add_overflow(*sum, product, sum);
}

/* Whether a repetition counts what the logs that it names do. */
static bool counts_them(const struct ft_log_part *parts, const struct ft_repeated_chunks *repeated,
                        const struct ft_chunk_description *chunks,
                        const struct ft_log_totals *noted)
{
    struct ft_log_totals sum = {0};
    for (size_t i = 0; i < repeated->count; i++) {
        const struct ft_log_totals *totals = &chunks[parts[i].chunk].totals;
        if (parts[i].base_count || totals->records == 0 ||
            !add_times(&sum.records, totals->records, repeated->times) ||
            !add_times(&sum.instructions, totals->instructions, repeated->times) ||
            !add_times(&sum.accesses, totals->accesses, repeated->times) ||
            !add_times(&sum.prefetches, totals->prefetches, repeated->times))
            return false;
    }
    return sum.records == noted->records && sum.instructions == noted->instructions &&
           sum.accesses == noted->accesses && sum.prefetches == noted->prefetches;
}

int ft_log_parts_repeat(struct ft_log_part *parts, size_t *count, size_t chunk,
                        const struct ft_repeated_chunks *repeated,
                        const struct ft_chunk_description *chunks, struct ft_diag *diag)
{
    const size_t first = ft_log_parts_logs(parts, *count);
    if (repeated->first >= *count || repeated->count > *count - repeated->first ||
        repeated->count > (FT_LOGS_MAX - first) / repeated->times ||
        !counts_them(parts + repeated->first, repeated, chunks, &chunks[chunk].totals))
        return ft_fail(diag, FT_ERROR_DATA, "it repeats something else than logs before it");
    parts[*count] = (struct ft_log_part){.chunk = chunk,
                                         .first = first,
                                         .log_count = (size_t)(repeated->count * repeated->times),
                                         .base = (size_t)repeated->first,
                                         .base_count = (size_t)repeated->count};
    ++*count;
    return FT_OK;
}

const struct ft_log_part *ft_log_parts_find(const struct ft_log_part *parts, size_t count,
                                            size_t log)
{
    size_t low = 0, high = count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (parts[middle].first <= log)
            low = middle;
        else
            high = middle;
    }
    return &parts[low];
}

size_t ft_log_parts_chunk(const struct ft_log_part *parts, size_t count, size_t log)
{
    const struct ft_log_part *part = ft_log_parts_find(parts, count, log);
    return part->base_count ? parts[part->base + (log - part->first) % part->base_count].chunk
                            : part->chunk;
}
