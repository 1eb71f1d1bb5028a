#include "fit/skeletons/synthesis.h"

#include <math.h>
#include <stdlib.h>

#include "engine/skeleton/limited_source.h"
#include "engine/skeleton/nest_source.h"
#include "fit/skeletons/aligned_granules.h"
#include "fit/skeletons/cleared_blocks.h"
#include "fit/skeletons/drawn_laws.h"
#include "fit/skeletons/wide_vectors.h"
#include "formats/skeleton/nest_executions.h"

int ft_synthesis_init(const struct ft_sized_skeleton *sized, double size,
                      struct ft_synthesis *ret_synthesis, struct ft_diag *diag)
{
    struct ft_synthesis synthesis = {
        .sized = sized, .accesses_max = INFINITY, .simulated_max = INFINITY};
    FT_TRY(ft_sized_skeleton_at(sized, size, &synthesis.nest, &synthesis.blocks,
                                &synthesis.block_count, diag));
    int status =
        ft_clear_blocks(sized, synthesis.blocks, &synthesis.nest, &synthesis.unknown_cleared, diag);
    if (!status)
        status = ft_vectors_widen(&sized->largest, &synthesis.nest, diag);
    if (!status) {
        const struct ft_places places = ft_synthesis_places(&synthesis);
        status = ft_granules_align(&sized->largest, &places, &synthesis.nest, diag);
    }
    if (!status)
        status = ft_drawn_loops_at(sized->drawn, sized->drawn_count, size, &synthesis.drawn, diag);
    if (status) {
        ft_synthesis_fini(&synthesis);
        return status;
    }
    *ret_synthesis = synthesis;
    return FT_OK;
}

void ft_synthesis_fini(struct ft_synthesis *synthesis)
{
    ft_nest_fini(&synthesis->nest);
    free(synthesis->blocks);
    if (synthesis->drawn)
        ft_drawn_loops_free(synthesis->drawn, synthesis->sized->drawn_count);
    *synthesis = (struct ft_synthesis){0};
}

struct ft_places ft_synthesis_places(const struct ft_synthesis *synthesis)
{
    const struct ft_skeleton *largest = &synthesis->sized->largest;
    return (struct ft_places){.blocks = synthesis->blocks,
                              .block_count = synthesis->block_count,
                              .stack = largest->memory.stack};
}

int ft_synthesis_source(const struct ft_synthesis *synthesis, struct ft_run_source **ret_source,
                        struct ft_diag *diag)
{
    const struct ft_skeleton *largest = &synthesis->sized->largest;
    struct ft_nest_source_options options = {.references = largest->references,
                                             .reference_count = largest->reference_count};
    const struct ft_places places = ft_synthesis_places(synthesis);
    struct ft_run_source *source;
    FT_TRY(ft_drawing_create(synthesis->drawn, synthesis->sized->drawn_count, FT_SYNTHESIS_SEED,
                             &options.drawing, diag));
    FT_TRY(ft_nest_source_create(&synthesis->nest, &options, &source, diag));
    FT_TRY(ft_limited_source_create(source, synthesis->accesses_max, &source, diag));
    return ft_placed_source_create(source, &places, ret_source, diag);
}

/* ---- shares ---- */

struct sharing {
    const struct ft_sized_skeleton *sized;
    const struct ft_nest *nest;
    const struct ft_nest_executions *executions;
    struct ft_synthetic_share *shares;
};

/* is_known: accesses follow laws, but for those that are marked. in_loop: there is a loop around.
 */
static void add_span(const struct sharing *sharing, size_t token, size_t length, bool is_known,
                     bool in_loop)
{
    const struct ft_skeleton *largest = &sharing->sized->largest;
    const uint32_t *tokens = sharing->nest->tokens;
    for (size_t end = token + length; token < end;) {
        struct ft_nest_element element = ft_nest_element(tokens + token);
        bool is_leaf = element.kind == FT_NEST_ACCESS || element.counts;
        const bool is_marked = is_leaf && sharing->sized->is_sized[token];
        const bool is_sized = is_known ? element.kind != FT_NEST_ACCESS || !is_marked : is_marked;
        if (element.kind == FT_NEST_ACCESS) {
            double made = (double)(sharing->executions->before[token + 1] -
                                   sharing->executions->before[token]);
            struct ft_synthetic_share *share =
                &sharing->shares[largest->scopes.references[element.id].scope];
            share->accesses += made;
            *(is_sized ? &share->sized : in_loop ? &share->recorded : &share->single) += made;
        }
        add_span(sharing, token + element.head, element.length, is_sized,
                 in_loop || element.kind == FT_NEST_LOOP || element.counts);
        token += element.head + element.length;
    }
}

/* Of a nest with the tokens of the largest size's. */
static int share_nest(const struct ft_sized_skeleton *sized, const struct ft_nest *nest,
                      struct ft_synthetic_share *ret_shares, struct ft_diag *diag)
{
    struct ft_nest_executions executions;
    struct sharing sharing = {sized, nest, &executions, ret_shares};
    FT_TRY(ft_nest_executions_make(nest, &executions, diag));
    for (size_t s = 0; s < sized->largest.scopes.scope_count; s++)
        ret_shares[s] = (struct ft_synthetic_share){0};
    add_span(&sharing, 0, nest->token_count, false, false);
    ft_nest_executions_fini(&executions);
    return FT_OK;
}

enum drawing { NOT_DRAWN, DRAWN, OF_CUTS }; /* the last: of loops that are cut alone */

/* ret_drawn: [reference of the largest]: in a path of a loop that is drawn. */
static void find_drawn(const struct ft_sized_skeleton *sized, enum drawing *ret_drawn)
{
    for (size_t i = 0; i < sized->drawn_count; i++) {
        const bool is_cut = ft_drawn_loop_is_cut(&sized->drawn[i], (uint32_t)i);
        for (size_t p = 0; p < sized->drawn[i].path_count; p++) {
            const struct ft_drawn_path *path = &sized->drawn[i].paths[p];
            for (size_t at = 0; at < path->token_count;) {
                struct ft_nest_element element = ft_nest_element(path->tokens + at);
                if (element.kind == FT_NEST_ACCESS)
                    ret_drawn[element.id] =
                        is_cut && ret_drawn[element.id] != DRAWN ? OF_CUTS : DRAWN;
                at += element.head;
            }
        }
    }
}

int ft_synthetic_shares(const struct ft_sized_skeleton *sized,
                        struct ft_synthetic_share *ret_shares, struct ft_diag *diag)
{
    const struct ft_skeleton *largest = &sized->largest;
    const struct ft_thread_skeleton *thread = &largest->threads[0];
    FT_TRY(share_nest(sized, &thread->nest, ret_shares, diag));
    enum drawing *drawn = calloc(largest->reference_count + (size_t)1, sizeof *drawn);
    if (!drawn)
        return ft_fail_memory(diag, "the shares of scopes");
    find_drawn(sized, drawn);
    for (uint32_t r = 0; r < largest->reference_count; r++) {
        struct ft_synthetic_share *share = &ret_shares[largest->scopes.references[r].scope];
        share->accesses += (double)thread->irregular_accesses[r];
        *(drawn[r] ? &share->drawn : &share->irregular) += (double)thread->irregular_accesses[r];
        share->cut += drawn[r] == OF_CUTS ? (double)thread->irregular_accesses[r] : 0;
    }
    free(drawn);
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
        sum.single += shares[s].single;
        sum.recorded += shares[s].recorded;
        sum.drawn += shares[s].drawn;
        sum.irregular += shares[s].irregular;
    }
    free(shares);
    *ret_sum = sum;
    return status;
}

int ft_synthesis_shares(const struct ft_synthesis *synthesis, struct ft_synthetic_share *ret_shares,
                        struct ft_diag *diag)
{
    return share_nest(synthesis->sized, &synthesis->nest, ret_shares, diag);
}
