/*
 * Each nest becomes a tree of its own, whose lists of nodes are merged into those of the larger
 * ones, the largest first: what is equal at both ends of
 * two lists, which is nearly all, is paired at once; of the others those pairs are taken whose
 * scores have the largest sum (Needleman & Wunsch 1970).
 */
#include "fit/skeletons/nest_tree.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/base/hash_table.h"
#include "formats/skeleton/sized_skeleton.h"

/* Of a table of two lists' remainders; larger ones are not merged. */
#define CELLS_MAX (UINT64_C(1) << 24)
/* Of two parts: the share of their references that both have. */
#define SIMILAR_MIN 0.5F
#define NO_PAIR     (-1.0F)

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "the loop nests of several sizes");
}

/* ---- one nest ---- */

static int add_node(struct ft_nest_tree *tree, const struct ft_tree_node *node, size_t size,
                    const struct ft_tree_place *place, size_t *ret_node, struct ft_diag *diag)
{
    const size_t sizes = tree->size_count, row = tree->count * sizes;
    if (!FT_RESERVE(tree->nodes, tree->capacity, tree->count + 1) ||
        !FT_RESERVE(tree->places, tree->place_capacity, row + sizes))
        return no_memory(diag);
    memset(tree->places + row, 0, sizes * sizeof *tree->places);
    tree->places[row + size] = *place;
    tree->nodes[tree->count] = *node;
    *ret_node = tree->count++;
    return FT_OK;
}

/* Whether iterations are repeated or not is no matter of shape. */
static uint64_t shape_of(const struct ft_nest_element *element)
{
    const enum ft_nest_kind kind = element->kind == FT_NEST_ONCE ? FT_NEST_REPEAT : element->kind;
    return ft_hash_mix(ft_nest_token(kind, element->id) + UINT64_C(1));
}

/* Whether the largest size has no such code. */
static bool is_foreign(const struct ft_nest_ids *ids, const struct ft_nest_element *element)
{
    switch (element->kind) {
    case FT_NEST_ACCESS:
        return element->id >= ids->references;
    case FT_NEST_ROUTINE:
        return element->id >= ids->routines;
    case FT_NEST_LOOP:
        return element->id >= ids->loops;
    case FT_NEST_IRREGULAR:
        return element->id >= ids->irregulars;
    default:
        return false;
    }
}

/* Adds what a child is to its parent. */
static void add_shape(struct ft_tree_node *node, const struct ft_tree_node *child)
{
    node->shape = ft_hash_add(node->shape, child->shape);
    for (size_t i = 0; i < 4; i++)
        node->contents[i] |= child->contents[i];
}

/* The tokens of a size as a list of nodes of a tree of that size alone; number: that of the first
 * token. */
static int grow(struct ft_nest_tree *tree, const struct ft_nest *nest, size_t size, size_t token,
                size_t length, size_t number, size_t *ret_first, struct ft_diag *diag)
{
    size_t former = FT_TREE_END;
    *ret_first = FT_TREE_END;
    for (size_t end = token + length; token < end;) {
        const struct ft_nest_element element = ft_nest_element(nest->tokens + token);
        const uint64_t bit = UINT64_C(1) << size;
        struct ft_tree_node node = {.kind = element.kind,
                                    .id = element.id,
                                    .child = FT_TREE_END,
                                    .next = FT_TREE_END,
                                    .sizes = bit,
                                    .repeated = element.counts ? bit : 0,
                                    .shape = shape_of(&element),
                                    .is_foreign = is_foreign(&tree->ids, &element)};
        if (element.kind == FT_NEST_ACCESS)
            node.contents[node.shape >> 6 & 3] |= UINT64_C(1) << (node.shape & 63);
        const struct ft_tree_place where = {(uint32_t)number, (uint32_t)element.body,
                                            (uint32_t)token,
                                            (uint32_t)(element.head + element.length)};
        size_t place = 0, child;
        FT_TRY(add_node(tree, &node, 0, &where, &place, diag));
        FT_TRY(grow(tree, nest, size, token + element.head, element.length, number + element.counts,
                    &child, diag));
        tree->nodes[place].child = child;
        for (; child != FT_TREE_END; child = tree->nodes[child].next)
            add_shape(&tree->nodes[place], &tree->nodes[child]);
        if (element.kind == FT_LEVELS) { /* sizes have more or less of them */
            tree->nodes[place].child = FT_TREE_END;
            tree->nodes[place].shape = node.shape;
        }
        *(former == FT_TREE_END ? ret_first : &tree->nodes[former].next) = place;
        former = place;
        number += ft_nest_element_numbers(&element, nest->tokens + token);
        token += element.head + element.length;
    }
    return FT_OK;
}

/* ---- what may be one ---- */

/* The share of their references that both have; of many columns, of those of the one with fewer:
 * what all together run may be much more than any of them does. */
static float similarity(const struct ft_nest_tree *tree, const struct ft_tree_node *a,
                        const struct ft_tree_node *b)
{
    int both = 0, in_a = 0, in_b = 0;
    for (size_t i = 0; i < 4; i++) {
        both += __builtin_popcountll(a->contents[i] & b->contents[i]);
        in_a += __builtin_popcountll(a->contents[i]);
        in_b += __builtin_popcountll(b->contents[i]);
    }
    const int fewer = in_a < in_b ? in_a : in_b, any = in_a + in_b - both;
    const int of = tree->are_levels ? fewer : any;
    return of ? (float)both / (float)of : 1;
}

/* Whether a part may be one with others that are repeated or not. */
static bool joins_others(const struct ft_tree_node *part)
{
    return part->kind == FT_NEST_ONCE || part->kind == FT_NEST_REPEAT;
}

/* How good a pair two nodes make. */
static float score(const struct ft_nest_tree *tree, const struct ft_tree_node *a,
                   const struct ft_tree_node *b)
{
    const bool are_parts = ft_tree_is_part(a) && ft_tree_is_part(b);
    if (are_parts && joins_others(a) == joins_others(b) && a->id == b->id &&
        (joins_others(a) || a->kind == b->kind)) {
        const float alike = similarity(tree, a, b), same_kind = a->kind == b->kind ? 0.5F : 0;
        if (a->shape == b->shape)
            return 4 + same_kind;
        if (a->kind == FT_NEST_CYCLE)
            return NO_PAIR; /* what is left out of it is counted in parts */
        return alike >= SIMILAR_MIN ? 1 + 2 * alike + same_kind : NO_PAIR;
    }
    if (a->kind != b->kind || a->id != b->id)
        return NO_PAIR;
    return a->child == FT_TREE_END ? 1 : 2 + 2 * similarity(tree, a, b);
}

static bool are_equal(const struct ft_tree_node *a, const struct ft_tree_node *b)
{
    return a->kind == b->kind && a->id == b->id && a->shape == b->shape;
}

/* ---- merging ---- */

struct list {
    size_t *nodes;
    size_t count;
};

static int list_nodes(const struct ft_nest_tree *tree, size_t first, struct list *ret_list,
                      struct ft_diag *diag)
{
    struct list list = {0};
    for (size_t node = first; node != FT_TREE_END; node = tree->nodes[node].next)
        list.count++;
    list.nodes = malloc((list.count + 1) * sizeof *list.nodes);
    if (!list.nodes)
        return no_memory(diag);
    list.count = 0;
    for (size_t node = first; node != FT_TREE_END; node = tree->nodes[node].next)
        list.nodes[list.count++] = node;
    *ret_list = list;
    return FT_OK;
}

struct merging {
    struct ft_nest_tree *tree;       /* of the larger sizes */
    const struct ft_nest_tree *from; /* of one, that is merged into it */
    size_t size;                     /* which */
    struct ft_diag *diag;
};

static int merge_lists(struct merging *merging, size_t into, size_t from, size_t *ret_first);

static int merge_nodes(struct merging *merging, size_t into, size_t from)
{
    struct ft_nest_tree *tree = merging->tree;
    struct ft_tree_node *a = &tree->nodes[into];
    const struct ft_tree_node *b = &merging->from->nodes[from];
    if (b->kind == FT_NEST_REPEAT)
        a->kind = FT_NEST_REPEAT;
    a->sizes |= b->sizes;
    a->repeated |= b->repeated;
    for (size_t i = 0; i < 4; i++)
        a->contents[i] |= b->contents[i];
    tree->places[into * tree->size_count + merging->size] = merging->from->places[from];
    size_t child;
    FT_TRY(merge_lists(merging, a->child, b->child, &child));
    tree->nodes[into].child = child; /* nodes may have moved */
    return FT_OK;
}

static int copy_node(struct merging *merging, size_t from, size_t *ret_node);

/* A list of nodes of which the tree has none. */
static int copy_list(struct merging *merging, size_t from, size_t *ret_first)
{
    size_t former = FT_TREE_END, node = FT_TREE_END;
    *ret_first = FT_TREE_END;
    for (; from != FT_TREE_END; from = merging->from->nodes[from].next) {
        FT_TRY(copy_node(merging, from, &node));
        *(former == FT_TREE_END ? ret_first : &merging->tree->nodes[former].next) = node;
        former = node;
    }
    return FT_OK;
}

static int copy_node(struct merging *merging, size_t from, size_t *ret_node)
{
    struct ft_tree_node node = merging->from->nodes[from];
    node.next = FT_TREE_END;
    FT_TRY(copy_list(merging, node.child, &node.child));
    return add_node(merging->tree, &node, merging->size, &merging->from->places[from], ret_node,
                    merging->diag);
}

/* Appends a node to the merged list. */
static void append(struct ft_nest_tree *tree, size_t node, size_t *ret_first, size_t *last)
{
    *(*last == FT_TREE_END ? ret_first : &tree->nodes[*last].next) = node;
    tree->nodes[node].next = FT_TREE_END;
    *last = node;
}

/* The largest sums of scores of all ends, [a * (b_count + 1) + b]. */
static float *sum_scores(const struct merging *merging, const size_t *a, size_t a_count,
                         const size_t *b, size_t b_count)
{
    const struct ft_tree_node *nodes = merging->tree->nodes, *others = merging->from->nodes;
    const size_t row = b_count + 1;
    float *sums = calloc((a_count + 1) * row, sizeof *sums);
    for (size_t i = a_count; sums && i-- > 0;)
        for (size_t j = b_count; j-- > 0;) {
            const float pair = score(merging->tree, &nodes[a[i]], &others[b[j]]);
            const float skip_a = sums[(i + 1) * row + j], skip_b = sums[i * row + j + 1];
            const float paired = pair > 0 ? pair + sums[(i + 1) * row + j + 1] : 0;
            const float skipped = skip_a > skip_b ? skip_a : skip_b;
            sums[i * row + j] = paired > skipped ? paired : skipped;
        }
    return sums;
}

/* What is between equal ends. */
static int merge_middle(struct merging *merging, const size_t *a, size_t a_count, const size_t *b,
                        size_t b_count, size_t *ret_first, size_t *last)
{
    struct ft_nest_tree *tree = merging->tree;
    const size_t row = b_count + 1;
    const bool is_too_long = (a_count + 1) * row > CELLS_MAX;
    float *sums = is_too_long ? NULL : sum_scores(merging, a, a_count, b, b_count);
    if (!sums && !is_too_long)
        return no_memory(merging->diag);
    size_t i = 0, j = is_too_long ? b_count : 0;
    int status = FT_OK;
    while (!status && (i < a_count || j < b_count)) {
        const bool has_both = i < a_count && j < b_count;
        const float sum = has_both ? sums[i * row + j] : 0;
        if (has_both && sum > sums[(i + 1) * row + j] && sum > sums[i * row + j + 1]) {
            status = merge_nodes(merging, a[i], b[j++]);
            append(tree, a[i++], ret_first, last);
        } else if (!has_both ? i < a_count : sum == sums[(i + 1) * row + j]) {
            append(tree, a[i++], ret_first, last);
        } else {
            size_t node = FT_TREE_END;
            status = copy_node(merging, b[j++], &node);
            if (!status)
                append(tree, node, ret_first, last);
        }
    }
    free(sums);
    return status;
}

static int merge_listed(struct merging *merging, const struct list *a, const struct list *b,
                        size_t *ret_first)
{
    struct ft_nest_tree *tree = merging->tree;
    const struct ft_tree_node *nodes = tree->nodes, *others = merging->from->nodes;
    const size_t shorter = a->count < b->count ? a->count : b->count;
    size_t first = 0, end = 0, last = FT_TREE_END;
    while (first < shorter && are_equal(&nodes[a->nodes[first]], &others[b->nodes[first]]))
        first++;
    while (first + end < shorter &&
           are_equal(&nodes[a->nodes[a->count - 1 - end]], &others[b->nodes[b->count - 1 - end]]))
        end++;
    *ret_first = FT_TREE_END;
    for (size_t i = 0; i < first; i++) {
        FT_TRY(merge_nodes(merging, a->nodes[i], b->nodes[i]));
        append(tree, a->nodes[i], ret_first, &last);
    }
    FT_TRY(merge_middle(merging, a->nodes + first, a->count - first - end, b->nodes + first,
                        b->count - first - end, ret_first, &last));
    for (size_t i = end; i > 0; i--) {
        FT_TRY(merge_nodes(merging, a->nodes[a->count - i], b->nodes[b->count - i]));
        append(tree, a->nodes[a->count - i], ret_first, &last);
    }
    return FT_OK;
}

/* ret_first: of the list that has the nodes of both. */
static int merge_lists(struct merging *merging, size_t into, size_t from, size_t *ret_first)
{
    struct list a = {0}, b = {0};
    *ret_first = into;
    if (from == FT_TREE_END)
        return FT_OK;
    int status = list_nodes(merging->tree, into, &a, merging->diag);
    if (!status)
        status = list_nodes(merging->from, from, &b, merging->diag);
    if (!status)
        status = merge_listed(merging, &a, &b, ret_first);
    free(a.nodes);
    free(b.nodes);
    return status;
}

static int merge_size(struct ft_nest_tree *tree, const struct ft_tree_span *span, size_t size,
                      struct ft_diag *diag)
{
    struct ft_nest_tree from = {.size_count = 1, .ids = tree->ids, .root = FT_TREE_END};
    struct merging merging = {tree, &from, size, diag};
    int status =
        grow(&from, span->nest, size, span->token, span->length, span->number, &from.root, diag);
    if (!status)
        status = merge_lists(&merging, tree->root, from.root, &tree->root);
    ft_nest_tree_fini(&from);
    return status;
}

static int make_tree(const struct ft_tree_span *spans, size_t span_count, bool are_levels,
                     const struct ft_nest_ids *ids, struct ft_nest_tree *ret_tree,
                     struct ft_diag *diag)
{
    struct ft_nest_tree tree = {
        .size_count = span_count, .ids = *ids, .root = FT_TREE_END, .are_levels = are_levels};
    int status = FT_OK;
    for (size_t s = span_count; !status && s-- > 0;)
        status = merge_size(&tree, &spans[s], s, diag);
    if (status) {
        ft_nest_tree_fini(&tree);
        return status;
    }
    *ret_tree = tree;
    return FT_OK;
}

int ft_nest_tree_make_levels(const struct ft_tree_span *spans, size_t span_count,
                             const struct ft_nest_ids *ids, struct ft_nest_tree *ret_tree,
                             struct ft_diag *diag)
{
    return make_tree(spans, span_count, true, ids, ret_tree, diag);
}

int ft_nest_tree_make(const struct ft_nest *nests, size_t size_count, const struct ft_nest_ids *ids,
                      struct ft_nest_tree *ret_tree, struct ft_diag *diag)
{
    struct ft_tree_span spans[FT_SIZED_SIZES_MAX];
    for (size_t s = 0; s < size_count; s++)
        spans[s] = (struct ft_tree_span){&nests[s], 0, nests[s].token_count, 0};
    return make_tree(spans, size_count, false, ids, ret_tree, diag);
}

void ft_nest_tree_fini(struct ft_nest_tree *tree)
{
    free(tree->nodes);
    free(tree->places);
    *tree = (struct ft_nest_tree){0};
}
