/*
 * Translated code counts as it goes from node to node. If a thread stops, and the host resumes it,
 * the host counts that edge: from the position where the thread was (struct ft_walk_position) to
 * the translation that it enters, or to the outside if a signal or the end came in between.
 */
#include "trace-capture/tracer/walks.h"

#include <inttypes.h>

#include "trace-capture/counts/edge_counts.h"
#include "trace-capture/target/context.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/registers.h"
#include "trace-capture/translate/translation.h"

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

int ft_walk_end(struct ft_thread *thread, struct ft_walk_position *position, struct ft_diag *diag)
{
    int status = FT_OK;
    if (position->node != FT_OUTSIDE)
        status = ft_walk_count(thread, position->node, position->left, FT_OUTSIDE, diag);
    *position = (struct ft_walk_position){0};
    thread->is_walking = false;
    return status;
}

int ft_walk_enter(struct ft_thread *thread, const struct ft_walk_position *position,
                  const struct ft_translation *to, struct ft_diag *diag)
{
    struct ft_walk_position from = *position;
    if (!thread->capture->cache.counts)
        return FT_OK;
    bool is_same = from.left == FT_LEFT_STOPPED && from.node == to->node;
    int status = FT_OK;
    if (ft_left_is_stop(from.left) && !is_same)
        status = ft_walk_end(thread, &from, diag);
    if (status == FT_OK && !is_same)
        status = ft_walk_count(thread, from.node, from.left, to->node, diag);
    thread->is_walking = status == FT_OK;
    return status;
}

/* By how much the current, incomplete iteration of a loop has moved the counter. */
static uint64_t moved_amid(const struct ft_counts_node *node,
                           const struct ft_translation *translation, uint64_t rip)
{
    if (rip <= translation->head || rip >= translation->loop_exit)
        return 0;
    bool is_moved = node->induction == FT_NO_REGISTER ||
                    node->induction_at < ft_translation_instruction(translation, rip);
    return is_moved ? (uint64_t)node->stride : 0;
}

bool ft_walk_note_iterations(struct ft_thread *thread, const struct ft_translation *translation,
                             const struct user_regs_struct *registers)
{
    const struct ft_edge_counts *counts = thread->capture->cache.counts;
    struct user_regs_struct copy = *registers;
    if (!counts)
        return true;
    const struct ft_counts_node *node = &counts->nodes[translation->node];
    uint64_t *iterations = &ft_walk_counters(thread)[node->iterations];
    uint64_t before = *iterations;
    *iterations = *ft_register_of(&copy, translation->iteration_register) -
                  moved_amid(node, translation, registers->rip);
    if (node->induction != FT_NO_REGISTER)
        *iterations += *ft_register_of(&copy, node->induction);
    return *iterations != before;
}

void ft_walk_collect(struct ft_thread *thread)
{
    struct ft_edge_counts *counts = thread->capture->cache.counts;
    if (!counts || !thread->region.host)
        return;
    if (thread->is_walking)
        ft_edge_counts_discard(counts, ft_walk_counters(thread));
    else
        ft_edge_counts_collect(counts, ft_walk_counters(thread));
    thread->is_walking = false;
}
