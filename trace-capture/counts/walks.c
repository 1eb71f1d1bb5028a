/*
 * The host's part in counting edges (edge_counts.h). Translated code counts as it goes from node to
 * node. Where a thread stops, and the host sends it on, the host counts that way: from the place
 * where the thread was (struct ft_walk_place) to the translation that it enters, or to the outside
 * where a signal, or the end, has come in between.
 */
#include <inttypes.h>

#include "trace-capture/capture.h"

uint64_t *ft_walk_counters(const struct ft_thread *thread)
{
    return (uint64_t *)(void *)(thread->region.host + FT_REGION_BYTES);
}

int ft_walk_count(struct ft_thread *thread, uint32_t from, unsigned left, uint32_t to,
                  struct ft_diag *diag)
{
    struct ft_edge_counts *counts = thread->capture->cache.counts;
    uint32_t edge;
    int status = ft_edge_counts_edge(counts, from, left, to, &edge, diag);
    if (status == FT_OK && counts->edges[edge].counter)
        ft_walk_counters(thread)[counts->edges[edge].counter]++;
    return status;
}

int ft_walk_end(struct ft_thread *thread, struct ft_walk_place *place, struct ft_diag *diag)
{
    int status = FT_OK;
    if (place->node != FT_OUTSIDE)
        status = ft_walk_count(thread, place->node, place->left, FT_OUTSIDE, diag);
    *place = (struct ft_walk_place){0};
    thread->is_walking = false;
    return status;
}

int ft_walk_enter(struct ft_thread *thread, const struct ft_walk_place *place,
                  const struct ft_translation *to, struct ft_diag *diag)
{
    struct ft_walk_place from = *place;
    if (!thread->capture->cache.counts)
        return FT_OK;
    bool is_there = from.left == FT_LEFT_STOPPED && from.node == to->node;
    int status = FT_OK;
    if (ft_left_is_stop(from.left) && !is_there)
        status = ft_walk_end(thread, &from, diag);
    if (status == FT_OK && !is_there)
        status = ft_walk_count(thread, from.node, from.left, to->node, diag);
    thread->is_walking = status == FT_OK;
    return status;
}

/* What the present turn of a loop, which is not whole, has moved the counter by. */
static uint64_t moved_amid(const struct ft_counts_node *node,
                           const struct ft_translation *translation, uint64_t rip)
{
    if (rip <= translation->head || rip >= translation->loop_exit)
        return 0;
    bool is_moved = node->induction == FT_NO_REGISTER ||
                    node->induction_at < ft_translation_instruction(translation, rip);
    return is_moved ? (uint64_t)node->stride : 0;
}

bool ft_walk_note_turns(struct ft_thread *thread, const struct ft_translation *translation,
                        const struct user_regs_struct *registers)
{
    const struct ft_edge_counts *counts = thread->capture->cache.counts;
    struct user_regs_struct copy = *registers;
    if (!counts)
        return true;
    const struct ft_counts_node *node = &counts->nodes[translation->node];
    uint64_t *turns = &ft_walk_counters(thread)[node->turns];
    uint64_t before = *turns;
    *turns = *ft_register_of(&copy, translation->turn_register) -
             moved_amid(node, translation, registers->rip);
    if (node->induction != FT_NO_REGISTER)
        *turns += *ft_register_of(&copy, node->induction);
    return *turns != before;
}

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

static struct ft_walk_place behind_edge(const struct ft_edge_counts *counts, uint32_t edge)
{
    return (struct ft_walk_place){counts->edges[edge].to, FT_LEFT_STOPPED};
}

/* Between two translations: on the way of a link, in landings, in a system call's route. */
static struct ft_walk_place place_between(struct ft_thread *thread, uint64_t rip)
{
    const struct ft_code_cache *cache = &thread->capture->cache;
    const struct ft_context *context = ft_region_context(&thread->region);
    const struct ft_edge_counts *counts = cache->counts;
    const struct ft_link *link = link_at(cache, rip);
    if (link && link->counted_bytes && rip >= link->stub + link->counted_bytes)
        return behind_edge(counts, link->edge);
    if (link)
        return (struct ft_walk_place){link->node, link->left};
    for (uint32_t i = 0; i < counts->edge_count; i++) {
        const struct ft_counts_edge *edge = &counts->edges[i];
        if (rip - edge->landing >= edge->landing_end - edge->landing)
            continue;
        return rip >= edge->counted_at
                   ? behind_edge(counts, i)
                   : (struct ft_walk_place){(uint32_t)context->source, FT_LEFT_WHOLE};
    }
    const struct ft_translation *caller = ft_code_cache_at(cache, context->syscall_return);
    return (struct ft_walk_place){caller ? caller->node : FT_OUTSIDE, FT_LEFT_WHOLE};
}

/* In the midst of a translation. */
static struct ft_walk_place place_inside(struct ft_thread *thread,
                                         const struct ft_translation *translation,
                                         const struct user_regs_struct *registers)
{
    struct ft_walk_place place = {translation->node, FT_LEFT_STOPPED};
    bool is_loop = ft_unit_is_loop(&translation->unit);
    if (is_loop && registers->rip > translation->loop_exit)
        place.left = FT_LEFT_WHOLE;
    else if (is_loop && registers->rip >= translation->head &&
             ft_walk_note_turns(thread, translation, registers))
        place.left = FT_LEFT_WHOLE;
    return place;
}

int ft_walk_end_killed(struct ft_thread *thread, const struct user_regs_struct *registers,
                       struct ft_diag *diag)
{
    const struct ft_code_cache *cache = &thread->capture->cache;
    struct ft_program_state state = {0};
    if (!cache->counts || !thread->is_walking)
        return FT_OK;
    const struct ft_stop *stop = ft_code_cache_stop(cache, registers->rip - 1);
    const struct ft_translation *translation = ft_code_cache_at(cache, registers->rip);
    if (stop && stop->kind != FT_STOP_REWRITTEN)
        ft_program_leave_stop(thread, registers, stop, &state);
    else if (!ft_program_leave(thread, registers, &state))
        state.left = translation ? place_inside(thread, translation, registers)
                                 : place_between(thread, registers->rip);
    return ft_walk_end(thread, &state.left, diag);
}

int ft_walk_end_replaced(struct ft_thread *thread, struct ft_diag *diag)
{
    const struct ft_code_cache *cache = &thread->capture->cache;
    if (!cache->counts || !thread->is_walking)
        return FT_OK;
    const struct ft_translation *caller =
        ft_code_cache_at(cache, ft_region_context(&thread->region)->syscall_return);
    struct ft_walk_place place = {caller ? caller->node : FT_OUTSIDE, FT_LEFT_WHOLE};
    return ft_walk_end(thread, &place, diag);
}

void ft_walk_take(struct ft_thread *thread)
{
    struct ft_edge_counts *counts = thread->capture->cache.counts;
    if (!counts || !thread->region.host)
        return;
    if (thread->is_walking)
        ft_edge_counts_lose(counts, ft_walk_counters(thread));
    else
        ft_edge_counts_take(counts, ft_walk_counters(thread));
    thread->is_walking = false;
}
