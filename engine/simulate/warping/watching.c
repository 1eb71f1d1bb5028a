#include "engine/simulate/warping/watching.h"

#include "formats/base/array.h"

#define REST_SHIFT_MAX 12U /* a loop rests for at most 2^12 entries */

bool ft_watch_is_left_out(const struct ft_warping *warping, const uint32_t *token)
{
    const struct ft_nest *nest = warping->program->nest;
    return warping->task->left_out && token >= nest->tokens &&
           token < nest->tokens + nest->token_count &&
           warping->task->left_out[token - nest->tokens];
}

struct ft_watch_site *ft_watch_site(const struct ft_warping *warping, const uint32_t *body)
{
    const struct ft_nest *nest = warping->program->nest;
    return body >= nest->tokens && body < nest->tokens + nest->token_count
               ? &warping->sites[body - nest->tokens]
               : NULL;
}

bool ft_watch_rests(struct ft_watch_site *site)
{
    if (!site)
        return true;
    if (site->rest == 0)
        return false;
    site->rest--;
    return true;
}

void ft_watch_fail(struct ft_watch_site *site)
{
    if (site->failures < REST_SHIFT_MAX)
        site->failures++;
    site->rest = (UINT32_C(1) << site->failures) - 1;
}

/* Keeps the hulls of what is simulated; false: there are accesses that are drawn. */
static bool sort_out(struct ft_warping *warping)
{
    struct ft_nest_hulls *hulls = &warping->hulls;
    size_t kept = 0;
    for (size_t i = 0; i < hulls->count; i++) {
        const uint32_t token = *hulls->hulls[i].token;
        if (ft_nest_kind(token) == FT_NEST_IRREGULAR) {
            if (ft_nest_walk_draws(warping->walk, ft_nest_id(token)))
                return false;
        } else if (!ft_watch_is_left_out(warping, hulls->hulls[i].token)) {
            hulls->hulls[kept++] = hulls->hulls[i];
        }
    }
    hulls->count = kept;
    return true;
}

int ft_watch_find_hulls(struct ft_warping *warping, const struct ft_nest_span *body,
                        const uint64_t *steps, bool is_back, bool *ret_found, struct ft_diag *diag)
{
    *ret_found = false;
    if (!steps)
        return FT_OK;
    const enum ft_hulls_found found = ft_nest_hulls_find(&warping->hulls, body, steps);
    if (found == FT_HULLS_MEMORY)
        return ft_warping_no_memory(diag);
    for (size_t i = 0; is_back && i < warping->hulls.count; i++)
        warping->hulls.hulls[i].step = 0 - warping->hulls.hulls[i].step;
    *ret_found = found == FT_HULLS_FOUND && sort_out(warping);
    return FT_OK;
}

static bool collect_references(struct ft_warping *warping, struct ft_recurrence *recurrence)
{
    const struct ft_nest_hulls *hulls = &warping->hulls;
    recurrence->reference_count = 0;
    if (!FT_RESERVE(recurrence->references, recurrence->reference_capacity, hulls->count))
        return false;
    warping->collections++;
    for (size_t i = 0; i < hulls->count; i++) {
        const uint32_t reference = ft_nest_id(*hulls->hulls[i].token);
        if (warping->seen[reference] == warping->collections)
            continue;
        warping->seen[reference] = warping->collections;
        recurrence->references[recurrence->reference_count++] = reference;
    }
    return true;
}

struct ft_loop_accesses ft_watch_accesses(const struct ft_warping *warping, uint64_t done,
                                          uint64_t left)
{
    return (struct ft_loop_accesses){
        .hulls = warping->hulls.hulls,
        .count = warping->hulls.count,
        .done = done,
        .left = left,
        .places = warping->program->places,
        .references = warping->program->references,
        .may_rotate = !warping->cache->some, /* these would become others */
    };
}

int ft_watch_find_moves(struct ft_warping *warping, uint64_t done, uint64_t left,
                        struct ft_recurrence *recurrence, bool *ret_found, struct ft_diag *diag)
{
    const struct ft_loop_accesses accesses = ft_watch_accesses(warping, done, left);
    const uint64_t block_bytes = UINT64_C(1) << warping->cache->shift;
    bool has_memory;
    *ret_found = ft_loop_moves_find(&accesses, block_bytes, warping->cache->sets,
                                    &recurrence->moves, &has_memory);
    return has_memory && (!*ret_found || collect_references(warping, recurrence))
               ? FT_OK
               : ft_warping_no_memory(diag);
}

/* Accesses so far are the loop's in these iterations, too. */
static double accesses_of(const struct ft_recurrence *recurrence,
                          const struct ft_single_cache *cache)
{
    double accesses = 0;
    for (size_t i = 0; i < recurrence->reference_count; i++)
        accesses += (double)cache->counts[recurrence->references[i]].accesses;
    return accesses;
}

int ft_watch_look(struct ft_warping *warping, struct ft_recurrence *recurrence,
                  struct ft_watch_site *site, uint64_t iteration, uint64_t left,
                  uint64_t *ret_skipped, struct ft_diag *diag)
{
    const double before = accesses_of(recurrence, warping->cache);
    FT_TRY(ft_recurrence_look(recurrence, warping->cache, iteration, left, ret_skipped, diag));
    if (*ret_skipped) {
        const double skipped = accesses_of(recurrence, warping->cache) - before;
        warping->accesses += skipped;
        warping->skipped += skipped;
        site->failures = 0;
    } else if (recurrence->next == UINT64_MAX) {
        ft_watch_fail(site);
    }
    return FT_OK;
}
