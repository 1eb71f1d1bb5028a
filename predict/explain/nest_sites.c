#include "predict/explain/nest_sites.h"

#include <stdlib.h>

#include "engine/skeleton/nest_numbers.h"
#include "formats/base/array.h"
#include "formats/skeleton/nest_executions.h"

struct finding {
    const struct ft_nest *nest;
    const struct ft_skeleton *skeleton;
    struct ft_nest_executions executions;
    uint32_t scopes[FT_NEST_DEPTH_MAX];     /* [depth] */
    uint64_t iterations[FT_NEST_DEPTH_MAX]; /* likewise */
    struct ft_nest_sites *sites;
};

/* By how much the next number changes with the loop at a depth alone. */
static int64_t step_of(const struct ft_nest_numbers *numbers, unsigned depth)
{
    const uint32_t bit = UINT32_C(1) << depth;
    uint64_t step = 0;
    for (size_t t = 0; t < numbers->count; t++)
        if (numbers->terms[t].counters == bit && !numbers->terms[t].exponents)
            step += *numbers->terms[t].at;
    return (int64_t)step;
}

static int add_site(struct finding *finding, size_t token, const struct ft_nest_numbers *numbers,
                    struct ft_diag *diag)
{
    struct ft_nest_sites *sites = finding->sites;
    const uint64_t *before = finding->executions.before;
    if (before[token + 1] == before[token])
        return FT_OK;
    if (!FT_RESERVE(sites->sites, sites->capacity, sites->count + 1))
        return ft_fail_memory(diag, "the accesses of a nest");
    struct ft_nest_site *site = &sites->sites[sites->count++];
    *site = (struct ft_nest_site){.reference = ft_nest_id(finding->nest->tokens[token]),
                                  .place = *numbers->terms[0].at,
                                  .accesses = (double)(before[token + 1] - before[token])};
    for (unsigned depth = numbers->depth; depth-- > 0 && site->loop_count < FT_SITE_LOOPS_MAX;) {
        if (finding->iterations[depth] > 1)
            site->loops[site->loop_count++] = (struct ft_site_loop){
                finding->scopes[depth], finding->iterations[depth], step_of(numbers, depth)};
    }
    return FT_OK;
}

/* The elements from a token to another; scope: the loop or routine around. */
static int find_span(struct finding *finding, size_t at, size_t end, uint32_t scope,
                     struct ft_nest_numbers *numbers, struct ft_diag *diag);

static int find_repeat(struct finding *finding, size_t token, uint32_t scope,
                       const struct ft_nest_numbers *around, struct ft_diag *diag)
{
    const struct ft_nest_element element = ft_nest_element(finding->nest->tokens + token);
    struct ft_nest_numbers body;
    if (!ft_nest_numbers_may_enter(around, &element))
        return FT_OK;
    if (!ft_nest_numbers_enter(around, &element, &body))
        return ft_fail_memory(diag, "the accesses of a nest");
    finding->scopes[around->depth] = scope;
    finding->iterations[around->depth] = *around->terms[0].at;
    const size_t first = token + element.head;
    int status = find_span(finding, first, first + element.length, scope, &body, diag);
    free(body.terms);
    return status;
}

static int find_span(struct finding *finding, size_t at, size_t end, uint32_t scope,
                     struct ft_nest_numbers *numbers, struct ft_diag *diag)
{
    const uint32_t *tokens = finding->nest->tokens;
    while (at < end) {
        const struct ft_nest_element element = ft_nest_element(tokens + at);
        const size_t body = at + element.head;
        uint32_t inner = scope;
        if (element.kind == FT_NEST_LOOP)
            inner = finding->skeleton->loop_scopes[element.id];
        else if (element.kind == FT_NEST_ROUTINE)
            inner = finding->skeleton->routine_scopes[element.id];
        if (element.kind == FT_NEST_ACCESS)
            FT_TRY(add_site(finding, at, numbers, diag));
        if (element.counts)
            FT_TRY(find_repeat(finding, at, scope, numbers, diag));
        else
            FT_TRY(find_span(finding, body, body + element.length, inner, numbers, diag));
        if (element.kind == FT_NEST_ACCESS)
            ft_nest_numbers_skip(numbers, 1);
        else if (element.counts)
            ft_nest_numbers_skip(numbers, ft_nest_repeat_numbers(&element));
        at = body + element.length;
    }
    return FT_OK;
}

int ft_nest_sites_find(const struct ft_nest *nest, const struct ft_skeleton *skeleton,
                       struct ft_nest_sites *ret_sites, struct ft_diag *diag)
{
    struct ft_nest_sites sites = {0};
    struct finding finding = {.nest = nest, .skeleton = skeleton, .sites = &sites};
    struct ft_nest_numbers numbers;
    FT_TRY(ft_nest_executions_make(nest, &finding.executions, diag));
    if (!ft_nest_numbers_init(&numbers, nest)) {
        ft_nest_executions_fini(&finding.executions);
        return ft_fail_memory(diag, "the accesses of a nest");
    }
    int status = find_span(&finding, 0, nest->token_count, 0, &numbers, diag);
    ft_nest_numbers_fini(&numbers);
    ft_nest_executions_fini(&finding.executions);
    if (status) {
        ft_nest_sites_fini(&sites);
        return status;
    }
    *ret_sites = sites;
    return FT_OK;
}

void ft_nest_sites_fini(struct ft_nest_sites *sites)
{
    free(sites->sites);
    *sites = (struct ft_nest_sites){0};
}

const struct ft_site_loop *ft_site_loop_of(const struct ft_nest_site *site, uint32_t scope)
{
    for (unsigned i = 0; i < site->loop_count; i++)
        if (site->loops[i].scope == scope)
            return &site->loops[i];
    return NULL;
}
