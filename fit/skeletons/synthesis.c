#include "fit/skeletons/synthesis.h"

#include <stdlib.h>

#include "engine/skeleton/nest_source.h"
#include "formats/skeleton/nest_executions.h"

int ft_synthesis_init(const struct ft_sized_skeleton *sized, double size,
                      struct ft_synthesis *ret_synthesis, struct ft_diag *diag)
{
    struct ft_synthesis synthesis = {.sized = sized};
    FT_TRY(ft_sized_skeleton_at(sized, size, &synthesis.nest, &synthesis.addresses, diag));
    *ret_synthesis = synthesis;
    return FT_OK;
}

void ft_synthesis_fini(struct ft_synthesis *synthesis)
{
    ft_nest_fini(&synthesis->nest);
    free(synthesis->addresses);
    *synthesis = (struct ft_synthesis){0};
}

int ft_synthesis_source(const struct ft_synthesis *synthesis, struct ft_run_source **ret_source,
                        struct ft_diag *diag)
{
    const struct ft_skeleton *largest = &synthesis->sized->largest;
    struct ft_nest_source_options options = {.references = largest->references,
                                             .reference_count = largest->reference_count};
    struct ft_places places = {.blocks = synthesis->addresses,
                               .block_count = largest->blocks.block_count,
                               .stack = largest->memory.stack};
    struct ft_run_source *source;
    FT_TRY(ft_nest_source_create(&synthesis->nest, &options, &source, diag));
    return ft_placed_source_create(source, &places, ret_source, diag);
}

/* ---- shares ---- */

struct sharing {
    const struct ft_sized_skeleton *sized;
    const struct ft_nest_executions *executions;
    struct ft_synthetic_share *shares;
};

/* is_known: accesses follow laws. in_loop: there is a loop around. */
static void add_span(const struct sharing *sharing, size_t token, size_t length, bool is_known,
                     bool in_loop)
{
    const struct ft_skeleton *largest = &sharing->sized->largest;
    const struct ft_nest *nest = &largest->threads[0].nest;
    for (size_t end = token + length; token < end;) {
        struct ft_nest_element element = ft_nest_element(nest->tokens + token);
        bool is_leaf = element.kind == FT_NEST_ACCESS || element.kind == FT_NEST_REPEAT;
        bool is_sized = is_known || (is_leaf && sharing->sized->is_sized[token]);
        if (element.kind == FT_NEST_ACCESS) {
            uint64_t made =
                sharing->executions->before[token + 1] - sharing->executions->before[token];
            struct ft_synthetic_share *share =
                &sharing->shares[largest->scopes.references[element.id].scope];
            *(is_sized || !in_loop ? &share->sized : &share->recorded) += (double)made;
        }
        add_span(sharing, token + element.head, element.length, is_sized,
                 in_loop || element.kind == FT_NEST_LOOP || element.kind == FT_NEST_REPEAT);
        token += element.head + element.length;
    }
}

int ft_synthetic_shares(const struct ft_sized_skeleton *sized,
                        struct ft_synthetic_share *ret_shares, struct ft_diag *diag)
{
    const struct ft_skeleton *largest = &sized->largest;
    const struct ft_thread_skeleton *thread = &largest->threads[0];
    struct ft_nest_executions executions;
    FT_TRY(ft_nest_executions_make(&thread->nest, &executions, diag));
    for (size_t s = 0; s < largest->scopes.scope_count; s++)
        ret_shares[s] = (struct ft_synthetic_share){0};
    for (uint32_t r = 0; r < largest->reference_count; r++) {
        struct ft_synthetic_share *share = &ret_shares[largest->scopes.references[r].scope];
        share->accesses += (double)largest->accesses[r];
        share->irregular += (double)thread->irregular_accesses[r];
    }
    struct sharing sharing = {sized, &executions, ret_shares};
    add_span(&sharing, 0, thread->nest.token_count, false, false);
    ft_nest_executions_fini(&executions);
    return FT_OK;
}

int ft_synthetic_share_sum(const struct ft_sized_skeleton *sized,
                           struct ft_synthetic_share *ret_sum, struct ft_diag *diag)
{
    const size_t count = sized->largest.scopes.scope_count;
    struct ft_synthetic_share *shares = calloc(count + 1, sizeof *shares), sum = {0};
    int status = shares ? ft_synthetic_shares(sized, shares, diag)
                        : ft_fail_memory(diag, "a skeleton over sizes");
    for (size_t s = 0; !status && s < count; s++) {
        sum.accesses += shares[s].accesses;
        sum.sized += shares[s].sized;
        sum.recorded += shares[s].recorded;
        sum.irregular += shares[s].irregular;
    }
    free(shares);
    *ret_sum = sum;
    return status;
}
