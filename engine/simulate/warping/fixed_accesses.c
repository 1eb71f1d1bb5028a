#include "engine/simulate/warping/fixed_accesses.h"

#include <stdlib.h>

#include "engine/skeleton/nest_hulls.h"
#include "formats/base/array.h"
#include "formats/skeleton/nest_executions.h"

#define HOT_PART  16U  /* of the accesses, that a loop makes at least */
#define BYTES_MAX 256U /* between the addresses of a fixed one */
#define SETS_PART 16U  /* of the sets, at most */

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "a simulation");
}

struct finding {
    const struct ft_warped_program *program;
    const struct ft_nest_executions *executions;
    const struct ft_nest_hull *hull, *hulls_end; /* the next one */
    struct ft_fixed_accesses *fixed;
};

static bool is_hot(const struct finding *finding, size_t token, size_t length)
{
    const uint64_t *before = finding->executions->before;
    const uint64_t all = before[finding->program->nest->token_count];
    return before[token + length] - before[token] > all / HOT_PART;
}

static bool is_moving(const uint64_t *steps, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (steps[k])
            return true;
    return false;
}

/* An access in a loop that moves. */
static bool take_access(struct finding *finding, size_t token)
{
    const struct ft_warped_program *program = finding->program;
    struct ft_fixed_accesses *fixed = finding->fixed;
    const struct ft_nest_hull *hull = finding->hull;
    if (hull == finding->hulls_end || hull->token != program->nest->tokens + token ||
        hull->last - hull->first >= BYTES_MAX ||
        !ft_places_stay(program->places, hull->first, hull->last))
        return true;
    if (!FT_RESERVE(fixed->ranges, fixed->range_capacity, fixed->range_count + 1))
        return false;
    const uint32_t bytes = program->references[ft_nest_id(*hull->token)].size_bytes;
    const uint64_t address = ft_place_address(program->places, hull->first);
    fixed->ranges[fixed->range_count++] = (struct ft_fixed_range){
        address, address + (hull->last - hull->first) + (bytes ? bytes : 1)};
    fixed->is_fixed[token] = true;
    return true;
}

/* numbers: of the span, in the first iterations of the loops around. */
static bool find(struct finding *finding, size_t token, size_t length, const uint64_t *numbers,
                 bool moves)
{
    for (size_t end = token + length; token < end;) {
        const uint32_t *tokens = finding->program->nest->tokens + token;
        const struct ft_nest_element element = ft_nest_element(tokens);
        if (element.kind == FT_NEST_ACCESS) {
            if (moves && !take_access(finding, token))
                return false;
            numbers++;
        }
        while (finding->hull < finding->hulls_end && finding->hull->token <= tokens)
            finding->hull++;
        if (element.counts) {
            const uint64_t *first = numbers + element.counts, *steps = first + element.body;
            const size_t body = token + element.head;
            const bool is_moved =
                moves || (is_moving(steps, element.body) && is_hot(finding, body, element.length));
            if (!find(finding, body, element.length, first, is_moved))
                return false;
            numbers = steps + element.body;
            token += element.length;
        }
        token += element.head;
    }
    return true;
}

int ft_fixed_accesses_find(const struct ft_warped_program *program,
                           struct ft_fixed_accesses *ret_fixed, struct ft_diag *diag)
{
    const struct ft_nest *nest = program->nest;
    const struct ft_nest_span whole = ft_nest_span(nest);
    struct ft_fixed_accesses fixed = {.is_fixed =
                                          calloc(nest->token_count + 1, sizeof *fixed.is_fixed)};
    struct ft_nest_executions executions;
    struct ft_nest_hulls hulls = {0};
    if (!fixed.is_fixed)
        return no_memory(diag);
    int status = ft_nest_executions_make(nest, &executions, diag);
    if (status) {
        ft_fixed_accesses_fini(&fixed);
        return status;
    }
    const enum ft_hulls_found found = ft_nest_hulls_find(&hulls, &whole, NULL);
    struct finding finding = {program, &executions, hulls.hulls, hulls.hulls + hulls.count, &fixed};
    bool done = found != FT_HULLS_MEMORY;
    if (found == FT_HULLS_FOUND)
        done = find(&finding, 0, nest->token_count, nest->numbers, false);
    ft_nest_executions_fini(&executions);
    ft_nest_hulls_fini(&hulls);
    if (!done) {
        ft_fixed_accesses_fini(&fixed);
        return no_memory(diag);
    }
    *ret_fixed = fixed;
    return FT_OK;
}

void ft_fixed_accesses_fini(struct ft_fixed_accesses *fixed)
{
    free(fixed->is_fixed);
    free(fixed->ranges);
    *fixed = (struct ft_fixed_accesses){0};
}

/* ---- sets ---- */

void ft_some_sets_fini(struct ft_some_sets *some)
{
    free(some->up);
    free(some->down);
    *some = (struct ft_some_sets){0};
}

/* How far it is from each set, from the distances of the sets themselves, 0, and of others, the
 * number of sets. */
static void measure(struct ft_some_sets *some, uint64_t sets)
{
    for (uint64_t i = 0; i < 2 * sets; i++) { /* twice around */
        const uint64_t down = i < sets ? i : i - sets, up = sets - 1 - down;
        const uint32_t above = some->up[up + 1 < sets ? up + 1 : 0] + 1;
        const uint32_t below = some->down[down > 0 ? down - 1 : sets - 1] + 1;
        if (above < some->up[up])
            some->up[up] = above;
        if (below < some->down[down])
            some->down[down] = below;
    }
}

int ft_fixed_sets_find(const struct ft_fixed_accesses *fixed, const struct ft_cache_form *form,
                       struct ft_some_sets *ret_some, struct ft_diag *diag)
{
    const uint64_t sets = form->blocks / form->ways;
    struct ft_some_sets some = {malloc(sets * sizeof *some.up), malloc(sets * sizeof *some.down)};
    uint64_t count = 0;
    *ret_some = (struct ft_some_sets){0};
    if (sets == 0 || !some.up || !some.down) {
        ft_some_sets_fini(&some);
        return no_memory(diag);
    }
    for (uint64_t set = 0; set < sets; set++)
        some.up[set] = some.down[set] = (uint32_t)sets;
    for (size_t i = 0; i < fixed->range_count; i++) {
        const struct ft_fixed_range *range = &fixed->ranges[i];
        for (uint64_t block = range->start / form->block_bytes;
             block <= (range->end - 1) / form->block_bytes; block++) {
            count += some.up[block % sets] != 0;
            some.up[block % sets] = some.down[block % sets] = 0;
        }
    }
    if (count == 0 || count > sets / SETS_PART) {
        ft_some_sets_fini(&some);
        return FT_OK;
    }
    measure(&some, sets);
    *ret_some = some;
    return FT_OK;
}
