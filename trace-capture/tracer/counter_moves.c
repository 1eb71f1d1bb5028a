/*
 * Counters are placed as edges appear, before it is known how often they are taken. From time to
 * time they move: the counts so far are solved for, the tree of edges without counters is chosen
 * again from those taken most often (a maximum spanning tree, as in Marin & Mellor-Crummey 2004,
 * section 2.2.1, with measured weights instead of estimates), and the code of edges that gained or
 * lost a counter is rewritten. Meanwhile the thread, the only one, pauses: it goes to the outside
 * and comes back, so that flow is conserved at each node in each interval.
 *
 * This is done where the thread stops by itself. A program that has reached all of its code no
 * longer stops, so a stop is put on the edge taken most often since the last time.
 */
#include "trace-capture/tracer/counter_moves.h"

#include <stdlib.h>

#include "trace-capture/counts/edge_counts.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/cpu_time.h"
#include "trace-capture/tracer/walks.h"
#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/code_links.h"
#include "trace-capture/translate/code_zones.h"
#include "trace-capture/translate/indirect_targets.h"
#include "trace-capture/translate/translation.h"

#define FIRST_SECONDS 0.02
#define GROWTH        1.5 /* from one move to the next */
#define STOP          0xcc

static bool is_of_host(const struct ft_counts_edge *edge)
{
    return edge->from == FT_OUTSIDE || edge->to == FT_OUTSIDE;
}

/* Gives each edge a counter or removes it, by the tree of the edges taken most often; those of the
 * host keep theirs. */
static int place_counters(struct ft_edge_counts *counts, struct ft_diag *diag)
{
    struct ft_counted_edge *edges = calloc(counts->edge_count + 1, sizeof *edges);
    if (!edges)
        return ft_fail_memory(diag, "the counters of a program");
    for (size_t i = 0; i < counts->edge_count; i++) {
        const struct ft_counts_edge *edge = &counts->edges[i];
        bool is_loop = is_of_host(edge); /* an edge to itself is in no tree */
        edges[i] = (struct ft_counted_edge){.from = is_loop ? FT_OUTSIDE : edge->from,
                                            .to = is_loop ? FT_OUTSIDE : edge->to,
                                            .is_fixed = edge->is_fixed,
                                            .weight = (double)edge->count_before};
    }
    int status = ft_counters_place(edges, counts->edge_count, (uint32_t)counts->node_count, diag);
    for (size_t i = 0; i < counts->edge_count && status == FT_OK; i++) {
        struct ft_counts_edge *edge = &counts->edges[i];
        if (edges[i].has_counter && !edge->reserved_counter)
            status = ft_edge_counts_add_counter(counts, &edge->reserved_counter, diag);
        if (status == FT_OK)
            edge->counter = edges[i].has_counter ? edge->reserved_counter : FT_NO_COUNTER;
    }
    for (uint32_t n = 0; n < counts->node_count; n++)
        counts->joined.parents[n] = n;
    for (size_t i = 0; i < counts->edge_count; i++)
        if (counts->edges[i].counter == FT_NO_COUNTER)
            ft_joined_join(&counts->joined, counts->edges[i].from, counts->edges[i].to);
    free(edges);
    return status;
}

/* Rewrites the links of a translation whose edges gained or lost a counter. */
static void relink(struct ft_code_cache *cache, const struct ft_translation *translation,
                   struct ft_translation *const *by_node)
{
    for (unsigned k = 0; k < translation->link_count; k++) {
        struct ft_link *link = &translation->links[k];
        const struct ft_counts_edge *edge = &cache->counts->edges[link->edge];
        if (link->linked && (link->counted_bytes != 0) != (edge->counter != FT_NO_COUNTER))
            ft_code_cache_relink(cache, link, by_node[edge->to]);
    }
}

static int rewrite_code(struct ft_code_cache *cache, struct ft_translation **by_node,
                        struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t z = 0; z < cache->zone_count; z++)
        for (size_t i = 0; i < cache->zones[z]->translation_count; i++)
            by_node[cache->zones[z]->translations[i]->node] = cache->zones[z]->translations[i];
    for (size_t z = 0; z < cache->zone_count; z++)
        for (size_t i = 0; i < cache->zones[z]->translation_count; i++)
            relink(cache, cache->zones[z]->translations[i], by_node);
    for (uint32_t i = 0; i < cache->counts->edge_count && status == FT_OK; i++) {
        const struct ft_counts_edge *edge = &cache->counts->edges[i];
        if (edge->indirect_target && edge->is_target_counted != (edge->counter != FT_NO_COUNTER))
            status = ft_indirect_target_add_counted(cache, by_node[edge->to], i, diag);
    }
    return status;
}

static int move_counters(struct ft_thread *thread, const struct ft_walk_position *position,
                         struct ft_diag *diag)
{
    struct ft_code_cache *cache = &thread->capture->cache;
    struct ft_edge_counts *counts = cache->counts;
    int status = FT_OK;
    if (position->node != FT_OUTSIDE)
        status = ft_walk_count(thread, position->node, FT_LEFT_PAUSED, FT_OUTSIDE, diag);
    ft_edge_counts_collect(counts, ft_walk_counters(thread));
    if (status == FT_OK)
        status = ft_edge_counts_solve(counts, diag);
    if (status == FT_OK)
        status = place_counters(counts, diag);
    struct ft_translation **by_node = calloc(counts->node_count + 1, sizeof *by_node);
    if (status == FT_OK)
        status = by_node ? rewrite_code(cache, by_node, diag)
                         : ft_fail_memory(diag, "the counters of a program");
    free(by_node);
    if (status == FT_OK && position->node != FT_OUTSIDE)
        status = ft_walk_count(thread, FT_OUTSIDE, FT_LEFT_PAUSED, position->node, diag);
    return status;
}

static bool is_due(struct ft_capture *capture)
{
    ft_capture_note_cpu(capture);
    return capture->thread_count == 1 &&
           capture->metadata.target_cpu_seconds >=
               FIRST_SECONDS + GROWTH * capture->counts->moved_seconds;
}

/* The counted link that was taken most often since counters were last moved, or NULL. */
static struct ft_link *hottest_link(const struct ft_capture *capture)
{
    const struct ft_edge_counts *counts = capture->counts;
    const uint64_t *counters = ft_walk_counters(capture->threads[0]);
    struct ft_link *found = NULL;
    uint64_t max_count = 0;
    for (size_t z = 0; z < capture->cache.zone_count; z++)
        for (size_t i = 0; i < capture->cache.zones[z]->translation_count; i++) {
            struct ft_translation *translation = capture->cache.zones[z]->translations[i];
            for (unsigned k = 0; k < translation->link_count; k++) {
                struct ft_link *link = &translation->links[k];
                if (!link->linked || !link->counted_bytes ||
                    counters[counts->edges[link->edge].counter] <= max_count)
                    continue;
                max_count = counters[counts->edges[link->edge].counter];
                found = link;
            }
        }
    return found;
}

void ft_walk_request_stop(struct ft_capture *capture)
{
    struct ft_edge_counts *counts = capture->counts;
    if (!counts || counts->stop_link || capture->releasing || capture->abandoned ||
        !is_due(capture))
        return;
    counts->stop_link = hottest_link(capture);
    if (!counts->stop_link)
        return;
    uint8_t *stub = ft_code_cache_host(&capture->cache, counts->stop_link->stub);
    counts->stop_link_byte = *stub;
    __atomic_store_n(stub, STOP, __ATOMIC_RELEASE);
}

static void clear_stop_request(struct ft_capture *capture)
{
    struct ft_edge_counts *counts = capture->counts;
    if (counts->stop_link)
        __atomic_store_n(ft_code_cache_host(&capture->cache, counts->stop_link->stub),
                         counts->stop_link_byte, __ATOMIC_RELEASE);
    counts->stop_link = NULL;
}

int ft_walk_move_counters(struct ft_thread *thread, const struct ft_walk_position *position,
                          struct ft_diag *diag)
{
    struct ft_capture *capture = thread->capture;
    if (!capture->counts)
        return FT_OK;
    clear_stop_request(capture);
    if (!is_due(capture))
        return FT_OK;
    capture->counts->moved_seconds = capture->metadata.target_cpu_seconds;
    return move_counters(thread, position, diag);
}
