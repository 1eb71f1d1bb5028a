/*
 * The calls of a rank that never ran, node by node: loops as often as their laws say.
 *
 * In order: values; details; calls; loops.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/base/bytes.h"
#include "predict/ranks/laws/call_laws.h"

#define CALLS_MAX   (UINT64_C(1) << 26) /* of a rank */
#define DETAILS_MAX (UINT64_C(1) << 20) /* of a call */

struct maker {
    const struct ft_call_laws *laws;
    const struct ft_rank_space *space;
    const struct ft_rank_size *size;
    struct ft_mpi_rank *rank;
    struct ft_law_point point;
    uint32_t iterations[FT_SHAPE_DEPTH];
    uint32_t depth;
    uint32_t from;      /* node of the call before */
    uint64_t *was_made; /* [node]: bit of each edge */
    struct ft_diag *diag;
};

/* ---- values ---- */

static int fail_at(const struct maker *maker, const struct ft_node_law *node, const char *what)
{
    return ft_fail(maker->diag, FT_ERROR_DATA,
                   "rank %" PRIu32 " of %" PRIu32 ": %s: the law of its %s gives no number there",
                   maker->rank->rank, maker->size->ranks, node->name ? node->name : "a loop", what);
}

static int value_of(const struct maker *maker, const struct ft_node_law *node,
                    const struct ft_value_rules *rules, const char *what, int64_t *ret_value)
{
    return ft_value_rules_at(rules, maker->space, maker->size, maker->rank->rank, &maker->point,
                             ret_value)
               ? FT_OK
               : fail_at(maker, node, what);
}

/* ---- details ---- */

static int add_detail(struct maker *maker, const struct ft_node_law *node,
                      const struct ft_detail_law *law)
{
    struct ft_mpi_timeline *timeline = &maker->rank->timeline;
    const char *what = ft_mpi_key_name(law->key);
    int64_t length, value;
    FT_TRY(value_of(maker, node, &law->length, what, &length));
    if (length < 0 || (uint64_t)length > DETAILS_MAX ||
        (!law->is_list && (size_t)length > law->item_count))
        return fail_at(maker, node, what);
    if (!FT_RESERVE(timeline->details, timeline->detail_capacity,
                    timeline->detail_count + 2 * (size_t)length + 1))
        return ft_fail_memory(maker->diag, "the calls of a rank");
    for (int64_t i = 0; i < length; i++) {
        maker->point.values[maker->space->item] = law->is_list ? i : 0;
        FT_TRY(value_of(maker, node, &law->items[law->is_list ? 0 : i], what, &value));
        if (value < 0 && law->key != FT_MPI_KEY_ORDER)
            return fail_at(maker, node, what);
        timeline->details[timeline->detail_count++] = law->key;
        timeline->details[timeline->detail_count++] =
            law->key == FT_MPI_KEY_ORDER ? ft_zigzag((uint64_t)value) : (uint64_t)value;
    }
    maker->point.values[maker->space->item] = 0;
    return FT_OK;
}

/* ---- calls ---- */

static uint64_t work_at(const struct maker *maker, const struct ft_work_law *law)
{
    return (uint64_t)llround(
        fmin(fmax(0, ft_work_law_at(law, maker->rank->rank, &maker->point)), 1e18));
}

/* Instructions before a call; from a call that no captured rank had before it, as from another. */
static uint64_t work_before(struct maker *maker, uint32_t index)
{
    const struct ft_node_law *node = &maker->laws->nodes[index];
    size_t at = 0;
    while (at < node->edge_count && node->edges[at].from != maker->from)
        at++;
    at = at < node->edge_count ? at : 0;
    if (node->edge_count == 0)
        return 0;
    const uint64_t bit = UINT64_C(1) << at % 64;
    const bool is_later = (maker->was_made[index] & bit) && node->edges[at].has_later;
    maker->was_made[index] |= bit;
    maker->from = index;
    return work_at(maker, is_later ? &node->edges[at].later : &node->edges[at].first);
}

static int add_call(struct maker *maker, uint32_t index)
{
    struct ft_mpi_timeline *timeline = &maker->rank->timeline;
    const struct ft_node_law *node = &maker->laws->nodes[index];
    const size_t first_detail = timeline->detail_count;
    timeline->instructions += work_before(maker, index);
    if (timeline->count == CALLS_MAX)
        return ft_fail(maker->diag, FT_ERROR_DATA, "rank %" PRIu32 " would make 2^26 calls",
                       maker->rank->rank);
    if (!FT_RESERVE(timeline->calls, timeline->capacity, timeline->count + 1))
        return ft_fail_memory(maker->diag, "the calls of a rank");
    for (size_t i = 0; i < node->detail_count; i++)
        FT_TRY(add_detail(maker, node, &node->details[i]));
    timeline->calls[timeline->count++] =
        (struct ft_mpi_call){.name = node->name,
                             .function = node->function,
                             .has_returned = true,
                             .instructions = timeline->instructions,
                             .first_detail = first_detail,
                             .detail_count = timeline->detail_count - first_detail};
    return FT_OK;
}

/* ---- loops ---- */

static int add_nodes(struct maker *maker, uint32_t first, uint32_t end);

static int add_loop(struct maker *maker, uint32_t index)
{
    const struct ft_node_law *node = &maker->laws->nodes[index];
    int64_t trips;
    FT_TRY(value_of(maker, node, &node->trips, "trip count", &trips));
    maker->depth++;
    for (int64_t i = 0; i < trips; i++) {
        maker->iterations[maker->depth - 1] = (uint32_t)i;
        ft_rank_space_iterate(maker->space, maker->iterations, maker->depth, &maker->point);
        FT_TRY(add_nodes(maker, index + 1, maker->laws->shape.nodes[index].end));
    }
    maker->depth--;
    ft_rank_space_iterate(maker->space, maker->iterations, maker->depth, &maker->point);
    return FT_OK;
}

static int add_nodes(struct maker *maker, uint32_t first, uint32_t end)
{
    const struct ft_shape_node *nodes = maker->laws->shape.nodes;
    for (uint32_t node = first; node < end; node = nodes[node].end)
        FT_TRY(nodes[node].symbol == FT_SHAPE_LOOP ? add_loop(maker, node) : add_call(maker, node));
    return FT_OK;
}

int ft_call_laws_make(const struct ft_call_laws *laws, const struct ft_rank_space *space,
                      const struct ft_rank_size *size, struct ft_mpi_rank *rank,
                      struct ft_diag *diag)
{
    struct maker maker = {.laws = laws,
                          .space = space,
                          .size = size,
                          .rank = rank,
                          .point = ft_rank_space_point(space, size, rank->rank),
                          .from = FT_SHAPE_LOOP,
                          .was_made = calloc(laws->shape.count + 1, sizeof(uint64_t)),
                          .diag = diag};
    if (!maker.was_made)
        return ft_fail_memory(diag, "the calls of a rank");
    const int status = add_nodes(&maker, 0, (uint32_t)laws->shape.count);
    rank->timeline.instructions += work_at(&maker, &laws->tail);
    rank->timeline.caller_instructions = rank->timeline.instructions;
    free(maker.was_made);
    return status;
}
