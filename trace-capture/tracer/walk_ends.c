#include "trace-capture/tracer/walk_ends.h"

#include "trace-capture/counts/edge_counts.h"
#include "trace-capture/target/context.h"
#include "trace-capture/target/region.h"
#include "trace-capture/tracer/app_state.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/walks.h"
#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/code_cache.h"
#include "trace-capture/translate/translation.h"

/* The link whose stub is at an address. */
static const struct ft_link *link_at(const struct ft_code_cache *cache, uint64_t address)
{
    for (size_t z = 0; z < cache->zone_count; z++)
        for (size_t i = 0; i < cache->zones[z]->translation_count; i++) {
            const struct ft_translation *translation = cache->zones[z]->translations[i];
            for (unsigned k = 0; k < translation->link_count; k++)
                if (address - translation->links[k].stub < FT_STUB_BYTES)
                    return &translation->links[k];
        }
    return NULL;
}

static struct ft_walk_position behind_edge(const struct ft_edge_counts *counts, uint32_t edge)
{
    return (struct ft_walk_position){counts->edges[edge].to, FT_LEFT_STOPPED};
}

/* Between two translations: in the stub of a link, in indirect targets, in a system call's
 * route. */
static struct ft_walk_position position_between(struct ft_thread *thread, uint64_t rip)
{
    const struct ft_code_cache *cache = &thread->capture->cache;
    const struct ft_context *context = ft_region_context(&thread->region);
    const struct ft_edge_counts *counts = cache->counts;
    const struct ft_link *link = link_at(cache, rip);
    if (link && link->counted_bytes && rip >= link->stub + link->counted_bytes)
        return behind_edge(counts, link->edge);
    if (link)
        return (struct ft_walk_position){link->node, link->left};
    for (uint32_t i = 0; i < counts->edge_count; i++) {
        const struct ft_counts_edge *edge = &counts->edges[i];
        if (rip - edge->indirect_target >= edge->indirect_target_end - edge->indirect_target)
            continue;
        return rip >= edge->counted_at
                   ? behind_edge(counts, i)
                   : (struct ft_walk_position){(uint32_t)context->source, FT_LEFT_WHOLE};
    }
    const struct ft_translation *caller = ft_code_cache_at(cache, context->syscall_return);
    return (struct ft_walk_position){caller ? caller->node : FT_OUTSIDE, FT_LEFT_WHOLE};
}

/* Inside a translation. */
static struct ft_walk_position position_inside(struct ft_thread *thread,
                                               const struct ft_translation *translation,
                                               const struct user_regs_struct *registers)
{
    struct ft_walk_position position = {translation->node, FT_LEFT_STOPPED};
    bool is_loop = ft_unit_is_loop(&translation->unit);
    if (is_loop && registers->rip > translation->loop_exit)
        position.left = FT_LEFT_WHOLE;
    else if (is_loop && registers->rip >= translation->head &&
             ft_walk_note_iterations(thread, translation, registers))
        position.left = FT_LEFT_WHOLE;
    return position;
}

int ft_walk_end_killed(struct ft_thread *thread, const struct user_regs_struct *registers,
                       struct ft_diag *diag)
{
    const struct ft_code_cache *cache = &thread->capture->cache;
    struct ft_app_state state = {0};
    if (!cache->counts || !thread->is_walking)
        return FT_OK;
    const struct ft_stop *stop = ft_code_cache_stop(cache, registers->rip - 1);
    const struct ft_translation *translation = ft_code_cache_at(cache, registers->rip);
    if (stop && stop->kind != FT_STOP_REWRITTEN)
        ft_app_state_recover_at_stop(thread, registers, stop, &state);
    else if (!ft_app_state_recover(thread, registers, &state))
        state.left = translation ? position_inside(thread, translation, registers)
                                 : position_between(thread, registers->rip);
    return ft_walk_end(thread, &state.left, diag);
}

int ft_walk_end_replaced(struct ft_thread *thread, struct ft_diag *diag)
{
    const struct ft_code_cache *cache = &thread->capture->cache;
    if (!cache->counts || !thread->is_walking)
        return FT_OK;
    const struct ft_translation *caller =
        ft_code_cache_at(cache, ft_region_context(&thread->region)->syscall_return);
    struct ft_walk_position position = {caller ? caller->node : FT_OUTSIDE, FT_LEFT_WHOLE};
    return ft_walk_end(thread, &position, diag);
}
