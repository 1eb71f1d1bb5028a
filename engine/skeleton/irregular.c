/*
 * An iteration is looked up by the hash of its tokens. Each of its numbers is taken three times: as
 * a sequence of values; from one execution to the next within an entry, as a slope; and, where it
 * is the entry's first, as the start of that slope. Numbers that have moved alike so far are led by
 * the first of them.
 */
#include "engine/skeleton/irregular.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/base/common_divisor.h"

static void widen_grain(struct ft_irregular_number *number, uint64_t step)
{
    const uint64_t size = (uint64_t)ft_magnitude((int64_t)step);
    if (size && (number->grain == 0 || size % number->grain))
        number->grain = (uint64_t)ft_common_divisor(number->grain, size);
}

/* Widens a range. Steps of inner loops may be below 0 and addresses beyond 2^63: what is smaller is
 * told by how far it is from the first value. */
static void widen_range(uint64_t first, uint64_t value, uint64_t *min, uint64_t *max)
{
    const int64_t apart = (int64_t)(value - first);
    if (apart < (int64_t)(*min - first))
        *min = value;
    if (apart > (int64_t)(*max - first))
        *max = value;
}

static void take_number(struct ft_irregular_number *number, uint64_t value, bool is_first)
{
    if (is_first) {
        *number =
            (struct ft_irregular_number){.first = value, .min = value, .max = value, .last = value};
        return;
    }
    uint64_t step = value - number->last;
    number->breaks += step != number->step;
    number->stays += step == 0;
    number->step = step;
    number->last = value;
    widen_range(number->first, value, &number->min, &number->max);
    widen_grain(number, step);
}

/* ---- accesses by reference ---- */

static int find_reference(struct ft_irregular *irregular, uint32_t reference,
                          struct ft_irregular_reference **ret_found, struct ft_diag *diag)
{
    uint64_t hash = ft_hash_mix(reference);
    uint32_t i;
    for (size_t probe = hash; ft_hash_next(&irregular->by_reference, hash, &probe, &i);)
        if (irregular->references[i].reference == reference) {
            *ret_found = &irregular->references[i];
            return FT_OK;
        }
    if (!FT_RESERVE(irregular->references, irregular->reference_capacity,
                    irregular->reference_count + 1) ||
        !ft_hash_table_add(&irregular->by_reference, hash, (uint32_t)irregular->reference_count))
        return ft_fail_memory(diag, "the references of a loop");
    *ret_found = &irregular->references[irregular->reference_count++];
    **ret_found = (struct ft_irregular_reference){.reference = reference};
    return FT_OK;
}

static void take_address(struct ft_irregular_reference *reference, uint64_t address)
{
    take_number(&reference->address, address, reference->address_count++ == 0);
}

int ft_irregular_add_access(struct ft_irregular *irregular, uint32_t reference, uint64_t address,
                            uint64_t *by_reference, struct ft_diag *diag)
{
    struct ft_irregular_reference *found;
    irregular->accesses++;
    by_reference[reference]++;
    FT_TRY(find_reference(irregular, reference, &found, diag));
    take_address(found, address);
    found->count++;
    return FT_OK;
}

/* The addresses of an iteration that no path is kept for; of inner loops those of their first
 * iteration stand for all. */
static int take_addresses(struct ft_irregular *irregular, const struct ft_nest_span *span,
                          struct ft_diag *diag)
{
    const uint64_t *numbers = span->numbers;
    for (size_t at = 0; at < span->token_count;) {
        struct ft_nest_element element = ft_nest_element(span->tokens + at);
        at += element.head;
        if (element.kind == FT_NEST_ACCESS) {
            struct ft_irregular_reference *found;
            FT_TRY(find_reference(irregular, element.id, &found, diag));
            take_address(found, *numbers++);
        } else if (element.counts) {
            struct ft_nest_span body = {span->tokens + at, element.length, numbers + element.counts,
                                        element.body};
            FT_TRY(take_addresses(irregular, &body, diag));
            numbers += ft_nest_repeat_numbers(&element);
            at += element.length;
        }
    }
    return FT_OK;
}

/* ---- paths ---- */

static uint64_t hash_shape(const struct ft_nest *nest)
{
    uint64_t hash = nest->token_count;
    for (size_t i = 0; i < nest->token_count; i++)
        hash = ft_hash_add(hash, nest->tokens[i]);
    return hash;
}

static struct ft_irregular_path *find_path(const struct ft_irregular *irregular, uint64_t hash,
                                           const struct ft_nest *iteration)
{
    uint32_t i;
    for (size_t probe = hash; ft_hash_next(&irregular->by_shape, hash, &probe, &i);) {
        struct ft_irregular_path *path = &irregular->paths[i];
        if (path->token_count == iteration->token_count &&
            memcmp(path->tokens, iteration->tokens,
                   iteration->token_count * sizeof *iteration->tokens) == 0)
            return path;
    }
    return NULL;
}

static int add_path(struct ft_irregular *irregular, uint64_t hash, const struct ft_nest *iteration,
                    struct ft_irregular_path **ret_path, struct ft_diag *diag)
{
    size_t tokens = iteration->token_count, numbers = iteration->number_count;
    struct ft_irregular_path path = {.hash = hash,
                                     .tokens = malloc(tokens * sizeof *path.tokens),
                                     .token_count = tokens,
                                     .numbers = calloc(numbers + 1, sizeof *path.numbers),
                                     .number_count = numbers};
    if (!path.tokens || !path.numbers ||
        !FT_RESERVE(irregular->paths, irregular->path_capacity, irregular->path_count + 1) ||
        !ft_hash_table_add(&irregular->by_shape, hash, (uint32_t)irregular->path_count)) {
        free(path.tokens);
        free(path.numbers);
        return ft_fail_memory(diag, "the paths through a loop");
    }
    memcpy(path.tokens, iteration->tokens, tokens * sizeof *path.tokens);
    irregular->paths[irregular->path_count] = path;
    *ret_path = &irregular->paths[irregular->path_count++];
    return FT_OK;
}

struct counting {
    struct ft_irregular *irregular;
    uint64_t *by_reference;
    bool is_stray; /* on no path */
    int status;
    struct ft_diag *diag;
};

static void count_accesses(void *context, const uint32_t *token, uint64_t count)
{
    struct counting *counting = context;
    const uint32_t reference = ft_nest_id(*token);
    counting->irregular->accesses += count;
    counting->by_reference[reference] += count;
    if (!counting->is_stray || counting->status)
        return;
    struct ft_irregular_reference *found;
    counting->status = find_reference(counting->irregular, reference, &found, counting->diag);
    if (!counting->status)
        found->count += count;
}

/* The first execution in an entry, in the loop's iteration of that number. */
static void take_start(struct ft_irregular_number *number, uint64_t value, uint64_t iteration,
                       bool is_first)
{
    const uint64_t start =
        value - ft_irregular_progress(number->slope, number->slope_per, iteration);
    if (is_first) {
        number->start_min = number->start_max = number->start_last = start;
        return;
    }
    const uint64_t step = start - number->start_last;
    number->start_breaks += step != number->start_step;
    number->start_step = step;
    number->start_last = start;
    widen_range(number->first, start, &number->start_min, &number->start_max);
}

/* A later one of the same entry, before it is taken itself. */
static void take_slope(struct ft_irregular_number *number, uint64_t value, uint64_t iteration,
                       uint64_t last_iteration)
{
    const uint64_t step = value - number->last, iterations = iteration - last_iteration;
    if (!number->has_slope) {
        number->has_slope = true;
        const ft_uint128 size = ft_magnitude((int64_t)step);
        number->slope_per = iterations / (uint64_t)ft_common_divisor(size, iterations);
        number->slope =
            (uint64_t)((int64_t)step * (int64_t)number->slope_per / (int64_t)iterations);
        if (number->start_step == 0) /* the start so far took it for 0 */
            number->start_min = number->start_max = number->start_last =
                number->last -
                ft_irregular_progress(number->slope, number->slope_per, last_iteration);
    }
    number->slope_breaks += step * number->slope_per != number->slope * iterations;
}

/* Numbers stay with their leader as long as they move as it does; those that leave one together,
 * moved by as much, have a new one. */
static void follow_leaders(struct ft_irregular_path *path, const uint64_t *values)
{
    struct ft_irregular_number *numbers = path->numbers;
    for (uint32_t k = 1; k < path->number_count; k++) {
        const uint32_t leader = numbers[k].leader;
        const uint64_t moved = values[k] - numbers[k].first;
        numbers[k].former_leader = leader;
        if (leader == k || moved == values[leader] - numbers[leader].first)
            continue;
        uint32_t with = leader + 1;
        while (with < k &&
               (numbers[with].former_leader != leader || numbers[with].leader == leader ||
                moved != values[with] - numbers[with].first))
            with++;
        numbers[k].leader = with;
    }
}

static void take_numbers(struct ft_irregular_path *path, const struct ft_nest *iteration,
                         uint64_t entry, uint64_t in_entry)
{
    const bool is_first = path->count == 0;
    const bool enters = is_first || path->last_entry != entry;
    for (size_t k = 0; k < path->number_count; k++) {
        struct ft_irregular_number *number = &path->numbers[k];
        const uint64_t value = iteration->numbers[k];
        if (!enters)
            take_slope(number, value, in_entry, path->last_iteration);
        take_number(number, value, is_first);
        if (enters)
            take_start(number, value, in_entry, is_first);
        else
            number->below_start += (int64_t)(value - number->start_last) < 0;
        const uint64_t above = k ? value - iteration->numbers[k - 1] : 0;
        if (is_first || (int64_t)(above - number->above) < 0)
            number->above = above;
    }
    follow_leaders(path, iteration->numbers);
    path->last_entry = entry;
    path->last_iteration = in_entry;
    path->count++;
}

void ft_irregular_end_entry(struct ft_irregular *irregular)
{
    const uint64_t iterations = irregular->entry_iterations;
    if (irregular->entries == 0 || iterations < irregular->iterations_min)
        irregular->iterations_min = iterations;
    if (iterations > irregular->iterations_max)
        irregular->iterations_max = iterations;
    irregular->entry_iterations = 0;
    irregular->entries++;
}

int ft_irregular_add(struct ft_irregular *irregular, const struct ft_nest *iteration,
                     uint64_t *by_reference, struct ft_diag *diag)
{
    uint64_t hash = hash_shape(iteration);
    struct ft_nest_span span = ft_nest_span(iteration);
    struct ft_irregular_path *path = find_path(irregular, hash, iteration);
    struct counting counting = {irregular, by_reference,
                                !path && irregular->path_count == FT_IRREGULAR_PATHS_MAX, FT_OK,
                                diag};
    const uint64_t in_entry = irregular->entry_iterations++;
    irregular->iterations++;
    FT_TRY(ft_nest_count(&span, count_accesses, &counting, diag));
    FT_TRY(counting.status);
    if (counting.is_stray)
        return take_addresses(irregular, &span, diag);
    if (!path)
        FT_TRY(add_path(irregular, hash, iteration, &path, diag));
    take_numbers(path, iteration, irregular->entries, in_entry);
    return FT_OK;
}
