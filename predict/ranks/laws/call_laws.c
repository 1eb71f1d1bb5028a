/*
 * In order: values of a call; points of visits; laws of details; of instructions and loops; of all
 * nodes; the module's functions.
 */
#include "predict/ranks/laws/call_laws.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/base/bytes.h"

#define ITEMS_MAX 64U /* of a list of constant length, each with a law of its own */

struct learner {
    const struct ft_value_task *task;
    const struct ft_shaped_rank *ranks;
    size_t rank_count;
    struct ft_call_laws *laws;
    uint32_t node; /* at hand */
    struct ft_law_lack *lack;
    struct ft_diag *diag;
};

/* ---- values of a call ---- */

static bool is_peer_key(uint64_t key)
{
    return key == FT_MPI_KEY_DESTINATION || key == FT_MPI_KEY_SOURCE ||
           key == FT_MPI_KEY_MATCHED_SOURCE;
}

/* As laws are about it. */
static int64_t to_value(uint64_t key, uint64_t detail)
{
    return key == FT_MPI_KEY_ORDER ? (int64_t)ft_unzigzag(detail) : (int64_t)detail;
}

static size_t length_of(const struct ft_rank_calls *calls, const struct ft_rank_call *call,
                        uint64_t key)
{
    size_t length = 0;
    const uint64_t *details = calls->details + call->first_detail;
    for (size_t i = 0; i + 1 < call->detail_count; i += 2)
        length += details[i] == key;
    return length;
}

/* ---- points of visits ---- */

struct visit_walk {
    const struct learner *learner;
    size_t rank, visit;
    const struct ft_shaped_rank *of;
    const struct ft_shape_visit *at;
    const struct ft_rank_call *call; /* of nodes that are calls */
    struct ft_law_point point;
};

/* The next visit of the node at hand, of all ranks in turn; false behind the last. */
static bool next_visit(struct visit_walk *walk)
{
    const struct learner *learner = walk->learner;
    const struct ft_value_task *task = learner->task;
    bool is_new = walk->of == NULL;
    if (walk->of)
        walk->visit++;
    for (; walk->rank < learner->rank_count; walk->rank++, is_new = true) {
        walk->of = &learner->ranks[walk->rank];
        if (is_new) {
            walk->visit = walk->of->first_visit[learner->node];
            walk->point = ft_rank_space_point(task->space, &task->runs[walk->of->source.run],
                                              walk->of->source.rank);
        }
        if (walk->visit < walk->of->first_visit[learner->node + 1])
            break;
    }
    if (walk->rank == learner->rank_count)
        return false;
    walk->at = &walk->of->visits.items[walk->visit];
    ft_rank_space_iterate(task->space, walk->at->iterations, walk->at->depth, &walk->point);
    const bool is_call = learner->laws->shape.nodes[learner->node].symbol != FT_SHAPE_LOOP;
    walk->call = is_call ? &walk->of->calls->items[walk->at->value] : NULL;
    return true;
}

/* ---- laws of details ---- */

static int fail_law(const struct learner *learner, enum ft_value_answer answer, const char *what)
{
    const struct ft_node_law *node = &learner->laws->nodes[learner->node];
    static const char *const reasons[] = {
        [FT_VALUE_NO_LAW] = "no law of the sizes, the ranks and their neighbours in a grid gives",
        [FT_VALUE_AMBIGUOUS] = "the captured runs do not tell, for several laws give",
        [FT_VALUE_UNSEEN] = "no captured run has ranks of all positions that are needed for",
    };
    return ft_fail(learner->diag, FT_ERROR_DATA,
                   "call %" PRIu32 ", %s: %s its %s: capture runs of other sizes and more ranks",
                   learner->node, node->name ? node->name : "a loop", reasons[answer], what);
}

static int find_rules(const struct learner *learner, const struct ft_value_samples *samples,
                      bool is_peer, const char *what, struct ft_value_rules *rules)
{
    enum ft_value_answer answer = FT_VALUE_NO_LAW;
    FT_TRY(ft_value_rules_find(learner->task, samples, is_peer, &answer, rules, learner->diag));
    learner->lack->is_ambiguous = answer == FT_VALUE_AMBIGUOUS;
    return answer == FT_VALUE_FOUND ? FT_OK : fail_law(learner, answer, what);
}

static int learn_length(struct learner *learner, struct ft_detail_law *law, size_t *ret_longest,
                        bool *ret_differs)
{
    struct visit_walk walk = {.learner = learner};
    struct ft_value_samples samples = {0};
    int status = FT_OK;
    *ret_longest = 0;
    *ret_differs = false;
    while (status == FT_OK && next_visit(&walk)) {
        const size_t length = length_of(walk.of->calls, walk.call, law->key);
        *ret_differs |= samples.count > 0 && (size_t)samples.values[0] != length;
        *ret_longest = length > *ret_longest ? length : *ret_longest;
        if (!ft_value_samples_add(&samples, &walk.point, (int64_t)length, walk.of->source))
            status = ft_fail_memory(learner->diag, "laws");
    }
    if (status == FT_OK)
        status = find_rules(learner, &samples, false, ft_mpi_key_name(law->key), &law->length);
    ft_value_samples_fini(&samples);
    return status;
}

/* item: SIZE_MAX: all of a list. */
static int learn_item(struct learner *learner, const struct ft_detail_law *law, size_t item,
                      struct ft_value_rules *rules)
{
    struct visit_walk walk = {.learner = learner};
    struct ft_value_samples samples = {0};
    const unsigned k = learner->task->space->item;
    int status = FT_OK;
    while (status == FT_OK && next_visit(&walk)) {
        uint64_t value;
        for (size_t i = item == SIZE_MAX ? 0 : item;
             status == FT_OK && ft_rank_call_detail(walk.of->calls, walk.call, law->key, i, &value);
             i++) {
            walk.point.values[k] = item == SIZE_MAX ? (int64_t)i : 0;
            if (!ft_value_samples_add(&samples, &walk.point, to_value(law->key, value),
                                      walk.of->source))
                status = ft_fail_memory(learner->diag, "laws");
            if (item != SIZE_MAX)
                break;
        }
        walk.point.values[k] = 0;
    }
    if (status == FT_OK)
        status =
            find_rules(learner, &samples, is_peer_key(law->key), ft_mpi_key_name(law->key), rules);
    ft_value_samples_fini(&samples);
    return status;
}

static int learn_detail(struct learner *learner, struct ft_detail_law *law)
{
    size_t longest;
    bool differs;
    FT_TRY(learn_length(learner, law, &longest, &differs));
    law->is_list = differs || longest > ITEMS_MAX;
    const size_t count = law->is_list ? 1 : longest;
    law->items = calloc(count + 1, sizeof *law->items);
    if (!law->items)
        return ft_fail_memory(learner->diag, "laws");
    for (law->item_count = 0; law->item_count < count; law->item_count++)
        FT_TRY(learn_item(learner, law, law->is_list ? SIZE_MAX : law->item_count,
                          &law->items[law->item_count]));
    return FT_OK;
}

/* The keys that any visit has. */
static int list_keys(struct learner *learner, struct ft_node_law *node)
{
    struct visit_walk walk = {.learner = learner};
    size_t capacity = 0;
    while (next_visit(&walk) && walk.call) {
        const uint64_t *details = walk.of->calls->details + walk.call->first_detail;
        node->name = walk.call->name;
        node->function = walk.call->function;
        for (size_t i = 0; i + 1 < walk.call->detail_count; i += 2) {
            size_t at = 0;
            while (at < node->detail_count && node->details[at].key != details[i])
                at++;
            if (at < node->detail_count)
                continue;
            if (!FT_RESERVE(node->details, capacity, node->detail_count + 1))
                return ft_fail_memory(learner->diag, "laws");
            node->details[node->detail_count++] = (struct ft_detail_law){.key = details[i]};
        }
    }
    return FT_OK;
}

/* ---- instructions and loops ---- */

/* A rank's first visit that comes from the call `from`, or the mean of its others; false: it has
 * none. */
static bool mean_work(const struct ft_shaped_rank *rank, uint32_t node, uint32_t from,
                      bool is_first, int64_t *ret_mean)
{
    uint64_t sum = 0, visits = 0;
    bool is_behind = false;
    for (size_t i = rank->first_visit[node]; i < rank->first_visit[node + 1]; i++) {
        const struct ft_shape_visit *visit = &rank->visits.items[i];
        if (visit->from != from)
            continue;
        if (is_behind != is_first) {
            sum += rank->calls->items[visit->value].instructions;
            visits++;
        }
        is_behind = true;
    }
    *ret_mean = visits ? (int64_t)((sum + visits / 2) / visits) : 0;
    return visits > 0;
}

static int learn_work(struct learner *learner, uint32_t from, bool is_first,
                      struct ft_work_law *law, bool *ret_has)
{
    struct ft_value_samples samples = {0};
    int status = FT_OK;
    for (size_t r = 0; r < learner->rank_count && status == FT_OK; r++) {
        const struct ft_shaped_rank *rank = &learner->ranks[r];
        int64_t mean;
        if (!mean_work(rank, learner->node, from, is_first, &mean))
            continue;
        const struct ft_law_point point = ft_rank_space_point(
            learner->task->space, &learner->task->runs[rank->source.run], rank->source.rank);
        if (!ft_value_samples_add(&samples, &point, mean, rank->source))
            status = ft_fail_memory(learner->diag, "laws");
    }
    *ret_has = samples.count > 0;
    if (status == FT_OK && samples.count > 0)
        status = ft_work_law_find(learner->task, &samples, law, learner->diag);
    ft_value_samples_fini(&samples);
    return status;
}

/* The calls that it may come behind. */
static int list_edges(struct learner *learner, struct ft_node_law *node)
{
    struct visit_walk walk = {.learner = learner};
    size_t capacity = 0;
    while (next_visit(&walk)) {
        size_t at = 0;
        while (at < node->edge_count && node->edges[at].from != walk.at->from)
            at++;
        if (at < node->edge_count)
            continue;
        if (!FT_RESERVE(node->edges, capacity, node->edge_count + 1))
            return ft_fail_memory(learner->diag, "laws");
        node->edges[node->edge_count++] = (struct ft_work_edge){.from = walk.at->from};
    }
    return FT_OK;
}

static int learn_edges(struct learner *learner, struct ft_node_law *node)
{
    bool has_first;
    FT_TRY(list_edges(learner, node));
    for (size_t i = 0; i < node->edge_count; i++) {
        struct ft_work_edge *edge = &node->edges[i];
        FT_TRY(learn_work(learner, edge->from, true, &edge->first, &has_first));
        FT_TRY(learn_work(learner, edge->from, false, &edge->later, &edge->has_later));
    }
    return FT_OK;
}

static int learn_tail(struct learner *learner)
{
    struct ft_value_samples samples = {0};
    int status = FT_OK;
    for (size_t r = 0; r < learner->rank_count && status == FT_OK; r++) {
        const struct ft_shaped_rank *rank = &learner->ranks[r];
        const struct ft_law_point point = ft_rank_space_point(
            learner->task->space, &learner->task->runs[rank->source.run], rank->source.rank);
        if (!ft_value_samples_add(&samples, &point, (int64_t)rank->calls->tail_instructions,
                                  rank->source))
            status = ft_fail_memory(learner->diag, "laws");
    }
    if (status == FT_OK)
        status = ft_work_law_find(learner->task, &samples, &learner->laws->tail, learner->diag);
    ft_value_samples_fini(&samples);
    return status;
}

static int learn_trips(struct learner *learner, struct ft_node_law *node)
{
    struct visit_walk walk = {.learner = learner};
    struct ft_value_samples samples = {0};
    int status = FT_OK;
    while (status == FT_OK && next_visit(&walk))
        if (!ft_value_samples_add(&samples, &walk.point, (int64_t)walk.at->value, walk.of->source))
            status = ft_fail_memory(learner->diag, "laws");
    if (status == FT_OK)
        status = find_rules(learner, &samples, false, "trip count", &node->trips);
    ft_value_samples_fini(&samples);
    return status;
}

/* ---- all nodes ---- */

/* Either the peers of a call, or all else. */
static int learn_node(struct learner *learner, bool of_peers)
{
    struct ft_node_law *node = &learner->laws->nodes[learner->node];
    if (learner->laws->shape.nodes[learner->node].symbol == FT_SHAPE_LOOP)
        return of_peers ? FT_OK : learn_trips(learner, node);
    if (of_peers)
        FT_TRY(list_keys(learner, node));
    for (size_t i = 0; i < node->detail_count; i++)
        if (is_peer_key(node->details[i].key) == of_peers)
            FT_TRY(learn_detail(learner, &node->details[i]));
    return FT_OK;
}

/* All peers first: a grid that does not have them is none, whatever laws of bytes there would be.
 */
static int learn_calls(struct learner *learner)
{
    for (int pass = 0; pass < 2; pass++)
        for (learner->node = 0; learner->node < learner->laws->shape.count;
             learner->node++, learner->lack->known++)
            FT_TRY(learn_node(learner, pass == 0));
    return FT_OK;
}

/* Once all calls have their laws: most shapes and grids that are tried do not. */
static int learn_all_work(struct learner *learner)
{
    for (learner->node = 0; learner->node < learner->laws->shape.count; learner->node++) {
        struct ft_node_law *node = &learner->laws->nodes[learner->node];
        if (node->name)
            FT_TRY(learn_edges(learner, node));
    }
    return learn_tail(learner);
}

int ft_call_laws_learn(const struct ft_value_task *task, const struct ft_shaped_rank *ranks,
                       size_t rank_count, struct ft_call_laws *laws, struct ft_law_lack *ret_lack,
                       struct ft_diag *diag)
{
    struct learner learner = {.task = task,
                              .ranks = ranks,
                              .rank_count = rank_count,
                              .laws = laws,
                              .lack = ret_lack,
                              .diag = diag};
    *ret_lack = (struct ft_law_lack){0};
    laws->nodes = calloc(laws->shape.count + 1, sizeof *laws->nodes);
    if (!laws->nodes)
        return ft_fail_memory(diag, "laws");
    FT_TRY(learn_calls(&learner));
    return learn_all_work(&learner);
}

void ft_call_laws_fini(struct ft_call_laws *laws)
{
    for (size_t n = 0; laws->nodes && n < laws->shape.count; n++) {
        struct ft_node_law *node = &laws->nodes[n];
        for (size_t i = 0; i < node->detail_count; i++) {
            for (size_t k = 0; k < node->details[i].item_count; k++)
                ft_value_rules_fini(&node->details[i].items[k]);
            ft_value_rules_fini(&node->details[i].length);
            free(node->details[i].items);
        }
        free(node->details);
        free(node->edges);
        ft_value_rules_fini(&node->trips);
    }
    free(laws->nodes);
    ft_call_shape_fini(&laws->shape);
    *laws = (struct ft_call_laws){0};
}

void ft_call_laws_use(const struct ft_call_laws *laws, uint64_t *variables, bool *has_positions)
{
    for (size_t n = 0; n < laws->shape.count; n++) {
        const struct ft_node_law *node = &laws->nodes[n];
        ft_value_rules_use(&node->trips, variables, has_positions);
        for (size_t i = 0; i < node->detail_count; i++) {
            ft_value_rules_use(&node->details[i].length, variables, has_positions);
            for (size_t k = 0; k < node->details[i].item_count; k++)
                ft_value_rules_use(&node->details[i].items[k], variables, has_positions);
        }
    }
}
