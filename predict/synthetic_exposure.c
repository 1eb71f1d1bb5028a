#include "predict/synthetic_exposure.h"

#include <math.h>
#include <stdlib.h>

#include "fit/skeletons/string_copies.h"

/* glibc's x86_rep_movsb_stop_threshold is the size of a core's L2 or more. */
#define LONG_COPY_BYTES ((uint64_t)256 << 10)

struct counting {
    const struct ft_synthetic_exposure *exposure;
    const uint32_t *tokens;
};

static void add_times(void *context, const uint32_t *token, uint64_t count)
{
    const struct counting *counting = context;
    counting->exposure->times[token - counting->tokens] += count;
}

static uint32_t scope_of(const struct ft_skeleton *skeleton, uint32_t token)
{
    const uint32_t id = ft_nest_id(token);
    if (ft_nest_kind(token) == FT_NEST_ACCESS)
        return skeleton->scopes.references[id].scope;
    const uint32_t loop = skeleton->threads[0].irregulars[id].token;
    return ft_nest_kind(loop) == FT_NEST_LOOP ? skeleton->loop_scopes[ft_nest_id(loop)]
                                              : skeleton->routine_scopes[ft_nest_id(loop)];
}

/* And sums up their accesses. */
static void name_scopes(const struct ft_skeleton *skeleton,
                        const struct ft_synthetic_exposure *exposure)
{
    const struct ft_nest *nest = &exposure->nest;
    for (size_t at = 0; at < nest->token_count;) {
        const struct ft_nest_element element = ft_nest_element(nest->tokens + at);
        if (element.kind == FT_NEST_ACCESS || element.kind == FT_NEST_IRREGULAR)
            exposure->scopes[at] = scope_of(skeleton, nest->tokens[at]);
        if (element.kind == FT_NEST_ACCESS)
            exposure->accesses[exposure->scopes[at]] += (double)exposure->times[at];
        at += element.head; /* into the brackets */
    }
}

/* ---- what calls of the C library do otherwise ---- */

static int find_other_paths(const struct ft_skeleton *largest,
                            struct ft_synthetic_exposure *exposure, struct ft_diag *diag)
{
    const size_t scopes = exposure->scope_count + 1;
    uint64_t *longest = calloc(2 * scopes, sizeof *longest);
    exposure->may_run_back = calloc(scopes, sizeof *exposure->may_run_back);
    if (!longest || !exposure->may_run_back) {
        free(longest);
        return ft_fail_memory(diag, "what a synthesis does not have");
    }
    ft_string_copies_longest(largest, &exposure->nest, longest);
    ft_string_copies_longest(largest, &largest->threads[0].nest, longest + scopes);
    for (size_t s = 0; s < exposure->scope_count; s++)
        exposure->may_run_back[s] =
            longest[s] >= LONG_COPY_BYTES && longest[scopes + s] < LONG_COPY_BYTES;
    free(longest);
    return FT_OK;
}

int ft_synthetic_exposure_make(struct ft_synthesis *synthesis,
                               struct ft_synthetic_exposure *ret_exposure, struct ft_diag *diag)
{
    struct ft_synthetic_exposure exposure = {
        .nest = synthesis->nest, .scope_count = synthesis->sized->largest.scopes.scope_count};
    const size_t tokens = exposure.nest.token_count + 1;
    const struct ft_nest_span span = ft_nest_span(&exposure.nest);
    struct counting counting = {&exposure, exposure.nest.tokens};
    synthesis->nest = (struct ft_nest){0};
    exposure.times = calloc(tokens, sizeof *exposure.times);
    exposure.scopes = calloc(tokens, sizeof *exposure.scopes);
    exposure.accesses = calloc(exposure.scope_count + 1, sizeof *exposure.accesses);
    int status = exposure.times && exposure.scopes && exposure.accesses
                     ? ft_nest_count_elements(&span, add_times, &counting, diag)
                     : ft_fail_memory(diag, "what a synthesis does not have");
    if (!status)
        status = find_other_paths(&synthesis->sized->largest, &exposure, diag);
    if (status) {
        ft_synthetic_exposure_fini(&exposure);
        return status;
    }
    name_scopes(&synthesis->sized->largest, &exposure);
    *ret_exposure = exposure;
    return FT_OK;
}

void ft_synthetic_exposure_fini(struct ft_synthetic_exposure *exposure)
{
    ft_nest_fini(&exposure->nest);
    free(exposure->times);
    free(exposure->scopes);
    free(exposure->accesses);
    free(exposure->may_run_back);
    *exposure = (struct ft_synthetic_exposure){0};
}

/* ---- where others run ---- */

struct exposing {
    const struct ft_synthetic_exposure *exposure;
    const bool *is_made;
    double blocks;
    bool *is_whole; /* [token]: nothing else runs in it */
    double *within; /* [scope]: accesses in an element; else 0 */
    double *exposed;
};

/* Elements without others inside, which run `times` times. */
static void expose(const struct exposing *exposing, size_t at, size_t end, double times)
{
    const struct ft_synthetic_exposure *exposure = exposing->exposure;
    const uint32_t *tokens = exposure->nest.tokens;
    for (size_t i = at; i < end; i += ft_nest_element(tokens + i).head)
        if (ft_nest_kind(tokens[i]) == FT_NEST_ACCESS)
            exposing->within[exposure->scopes[i]] += (double)exposure->times[i];
    for (size_t i = at; i < end; i += ft_nest_element(tokens + i).head) {
        if (ft_nest_kind(tokens[i]) != FT_NEST_ACCESS)
            continue;
        double *within = &exposing->within[exposure->scopes[i]];
        exposing->exposed[exposure->scopes[i]] += fmin(*within, times * exposing->blocks);
        *within = 0;
    }
}

/* Whether nothing else runs in elements; where it does, those are exposed in which it does not. */
static bool walk(const struct exposing *exposing, size_t at, size_t length)
{
    const struct ft_synthetic_exposure *exposure = exposing->exposure;
    const size_t start = at, end = at + length;
    bool is_whole = true;
    while (at < end) {
        const struct ft_nest_element element = ft_nest_element(exposure->nest.tokens + at);
        const bool is_leaf = element.kind == FT_NEST_ACCESS || element.kind == FT_NEST_IRREGULAR;
        exposing->is_whole[at] = is_leaf ? exposing->is_made[exposure->scopes[at]]
                                         : walk(exposing, at + element.head, element.length);
        is_whole = is_whole && exposing->is_whole[at];
        at += element.head + element.length;
    }
    for (at = start; !is_whole && at < end;) {
        const struct ft_nest_element element = ft_nest_element(exposure->nest.tokens + at);
        const size_t next = at + element.head + element.length;
        if (exposing->is_whole[at])
            expose(exposing, at, next, (double)exposure->times[at]);
        at = next;
    }
    return is_whole;
}

int ft_synthetic_exposed(const struct ft_synthetic_exposure *exposure, const bool *is_made,
                         double blocks, double *ret_exposed, struct ft_diag *diag)
{
    struct exposing exposing = {.exposure = exposure,
                                .is_made = is_made,
                                .blocks = blocks,
                                .is_whole = calloc(exposure->nest.token_count + 1, sizeof(bool)),
                                .within = calloc(exposure->scope_count + 1, sizeof(double)),
                                .exposed = ret_exposed};
    for (size_t s = 0; s < exposure->scope_count; s++)
        ret_exposed[s] = 0;
    int status = exposing.is_whole && exposing.within
                     ? FT_OK
                     : ft_fail_memory(diag, "what a synthesis does not have");
    if (!status)
        walk(&exposing, 0, exposure->nest.token_count);
    free(exposing.is_whole);
    free(exposing.within);
    return status;
}
