#include "engine/simulate/warping/watching.h"

#include "formats/base/array.h"

static int add_entry(struct ft_warping *warping, const uint32_t *token, uint64_t address,
                     uint64_t stride, struct ft_diag *diag)
{
    const uint32_t reference = ft_nest_id(*token);
    const uint32_t bytes = warping->program->references[reference].size_bytes;
    if (ft_watch_is_left_out(warping, token))
        return FT_OK;
    if (!FT_RESERVE(warping->entries, warping->entry_capacity, warping->entry_count + 1))
        return ft_warping_no_memory(diag);
    warping->entries[warping->entry_count++] = (struct ft_run_entry){.address = address,
                                                                     .stride = (int64_t)stride,
                                                                     .extra = bytes ? bytes - 1 : 0,
                                                                     .reference = reference};
    return FT_OK;
}

/* The entries of a run, at places. */
static int take_entries(struct ft_warping *warping, const struct ft_walk_step *step,
                        struct ft_diag *diag)
{
    const uint64_t *addresses = step->numbers + 1, *strides = addresses + step->number_count;
    size_t k = 0;
    warping->entry_count = 0;
    for (size_t at = 0; at < step->token_count;) {
        const struct ft_nest_element element = ft_nest_element(step->tokens + at);
        if (element.kind == FT_NEST_ACCESS) {
            FT_TRY(add_entry(warping, step->tokens + at, addresses[k], strides[k], diag));
            k++;
        }
        at += element.head;
    }
    return FT_OK;
}

/* Puts entries where their places are. False: some leave their block. */
static bool place_entries(struct ft_warping *warping, uint64_t iterations)
{
    const struct ft_places *places = warping->program->places;
    for (size_t e = 0; e < warping->entry_count; e++) {
        const struct ft_run_entry *entry = &warping->entries[e];
        const uint64_t end = entry->address + (iterations - 1) * (uint64_t)entry->stride;
        if (!ft_places_stay(places, entry->address, end))
            return false;
    }
    for (size_t e = 0; e < warping->entry_count; e++)
        warping->entries[e].address = ft_place_address(places, warping->entries[e].address);
    return true;
}

/* One iteration after the other, each entry where its place is. */
static void take_scattered(struct ft_warping *warping, uint64_t iterations)
{
    for (uint64_t i = 0; i < iterations; i++)
        for (size_t e = 0; e < warping->entry_count; e++) {
            struct ft_run_entry entry = warping->entries[e];
            entry.address = ft_place_address(warping->program->places,
                                             entry.address + i * (uint64_t)entry.stride);
            ft_single_cache_access(warping->cache, &entry);
        }
}

/* Touches in an iteration, about. */
static double run_rate(const struct ft_warping *warping)
{
    const double block_bytes = (double)(UINT64_C(1) << warping->cache->shift);
    double rate = 0;
    for (size_t e = 0; e < warping->entry_count; e++) {
        const int64_t stride = warping->entries[e].stride;
        const double blocks = (double)(stride < 0 ? -stride : stride) / block_bytes;
        rate += blocks < 1 ? blocks : 1;
    }
    return rate;
}

static int watch_run(struct ft_warping *warping, const struct ft_walk_step *step, double rate,
                     bool *ret_found, struct ft_diag *diag)
{
    struct ft_watch_site *site = ft_watch_site(warping, step->tokens);
    const uint64_t iterations = step->numbers[0];
    const double needed =
        FT_WATCH_LOOKS * (double)ft_recurrence_look_touches(warping->cache, warping->entry_count);
    const struct ft_nest_span body = {step->tokens, step->token_count, step->numbers + 1,
                                      step->number_count};
    *ret_found = false;
    if (rate * (double)iterations < needed || ft_watch_rests(site))
        return FT_OK;
    FT_TRY(ft_watch_find_hulls(warping, &body, body.numbers + body.number_count, false, ret_found,
                               diag));
    if (*ret_found)
        FT_TRY(ft_watch_find_moves(warping, 0, iterations, &warping->run, ret_found, diag));
    if (!*ret_found)
        ft_watch_fail(site);
    return FT_OK;
}

int ft_warped_run(struct ft_warping *warping, const struct ft_walk_step *step, struct ft_diag *diag)
{
    const uint64_t iterations = step->numbers[0];
    FT_TRY(take_entries(warping, step, diag));
    warping->accesses += (double)warping->entry_count * (double)iterations;
    const double rate = run_rate(warping);
    bool is_watched;
    FT_TRY(watch_run(warping, step, rate, &is_watched, diag));
    if (!place_entries(warping, iterations)) {
        take_scattered(warping, iterations);
        return FT_OK;
    }
    uint64_t next = iterations;
    if (is_watched) {
        ft_recurrence_start(&warping->run, 0, rate);
        next = 0;
    }
    for (uint64_t i = 0; i < iterations;) {
        ft_single_cache_run(warping->cache, warping->entries, warping->entry_count, i, next);
        i = next;
        if (i == iterations)
            break;
        uint64_t skipped;
        const double before = warping->accesses;
        FT_TRY(ft_watch_look(warping, &warping->run, ft_watch_site(warping, step->tokens), i,
                             iterations - i, &skipped, diag));
        warping->accesses = before;
        i += skipped;
        next = warping->run.next < iterations ? warping->run.next : iterations;
    }
    return FT_OK;
}

int ft_warped_access(struct ft_warping *warping, const struct ft_walk_step *step,
                     struct ft_diag *diag)
{
    warping->entry_count = 0;
    FT_TRY(add_entry(warping, step->tokens,
                     ft_place_address(warping->program->places, *step->numbers), 0, diag));
    if (warping->entry_count)
        ft_single_cache_access(warping->cache, warping->entries);
    warping->accesses++;
    return FT_OK;
}
