#include "fit/skeletons/nest_writing.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "the laws of loop nests");
}

void ft_nest_writing_fini(struct ft_nest_writing *writing)
{
    free(writing->origins);
    free(writing->levels);
}

double ft_node_accesses(const struct ft_nest_writing *writing, size_t node, size_t column)
{
    const struct ft_tree_place *place = &ft_node_places(writing, node)[column];
    const uint64_t *before = writing->executions[ft_size_of(writing, column)].before;
    return (double)(before[place->token + place->length] - before[place->token]);
}

/* ---- what is optional ---- */

/* Whether a loop leaves nothing where none of its parts runs. */
static bool may_be_empty(const struct ft_nest_writing *writing, const struct ft_tree_node *node)
{
    if (node->kind != FT_NEST_LOOP)
        return false;
    for (size_t child = node->child; child != FT_TREE_END; child = ft_node_at(writing, child)->next)
        if (!ft_tree_is_part(ft_node_at(writing, child)))
            return false;
    return true;
}

bool ft_is_optional(const struct ft_nest_writing *writing, size_t node, uint64_t sizes)
{
    const struct ft_tree_node *at = ft_node_at(writing, node);
    return (at->sizes & sizes) != sizes && !ft_tree_is_part(at) && !may_be_empty(writing, at);
}

size_t ft_end_of_option(const struct ft_nest_writing *writing, size_t first, uint64_t sizes)
{
    const uint64_t with = ft_node_at(writing, first)->sizes & sizes;
    size_t node = first;
    while (node != FT_TREE_END) {
        const uint64_t own = ft_node_at(writing, node)->sizes & sizes;
        if (own && (own != with || !ft_is_optional(writing, node, sizes) ||
                    ft_node_at(writing, node)->is_foreign))
            break;
        node = ft_node_at(writing, node)->next;
    }
    return node;
}

/* ---- writing ---- */

static bool add_token(struct ft_nest *nest, uint32_t token)
{
    const struct ft_nest_span span = {.tokens = &token, .token_count = 1};
    return ft_nest_add(nest, &span);
}

struct ft_origin *ft_add_origins(struct ft_nest_writing *writing)
{
    const size_t sizes = writing->tree->size_count;
    if (!FT_RESERVE(writing->origins, writing->origin_capacity, writing->origin_count + sizes))
        return NULL;
    struct ft_origin *origins = writing->origins + writing->origin_count;
    memset(origins, 0, sizes * sizeof *origins);
    writing->origin_count += sizes;
    return origins;
}

/* Levels among so many numbers are in all rows of these. */
static int repeat_levels(struct ft_nest_writing *writing, size_t first, size_t numbers, size_t rows)
{
    const size_t count = writing->levels_count;
    if (!FT_RESERVE(writing->levels, writing->levels_capacity, count * rows + 1))
        return no_memory(writing->diag);
    for (size_t row = 1; row < rows; row++)
        for (size_t i = 0; i < count; i++) {
            struct ft_written_levels levels = writing->levels[i];
            if (levels.first < first)
                continue;
            levels.first += row * numbers;
            levels.are_steps = true;
            writing->levels[writing->levels_count++] = levels;
        }
    return FT_OK;
}

/* By how much the numbers from an origin on change with the iterations of a repetition, in rows but
 * for the first; of one that is an option nothing is known. */
static int add_steps(struct ft_nest_writing *writing, size_t first,
                     const struct ft_tree_place *places, uint64_t repeated, size_t rows)
{
    const size_t sizes = writing->tree->size_count, end = writing->origin_count;
    for (size_t row = 1; row < rows; row++)
        for (size_t from = first; from < end; from += sizes) {
            struct ft_origin *steps = ft_add_origins(writing);
            if (!steps)
                return no_memory(writing->diag);
            for (size_t s = 0; s < sizes; s++) {
                if (!(repeated >> s & 1))
                    continue;
                steps[s] = writing->origins[from + s];
                steps[s].at =
                    steps[s].kind == FT_ORIGIN_NUMBER ? steps[s].at + row * places[s].body : 0;
            }
        }
    return repeat_levels(writing, first / sizes, (end - first) / sizes, rows);
}

/* A repetition of the nodes; its counts' origins are the last that were added. */
static int write_repeat(struct ft_nest_writing *writing, uint32_t token, size_t first, size_t end,
                        uint64_t sizes, const struct ft_tree_place *places, uint64_t repeated)
{
    struct ft_nest *nest = writing->into;
    const size_t place = nest->token_count, origin = writing->origin_count;
    if (!add_token(nest, token) || !add_token(nest, 0) || !add_token(nest, 0))
        return no_memory(writing->diag);
    FT_TRY(ft_nest_write_list(writing, first, end, sizes));
    nest->tokens[place + 1] = (uint32_t)(nest->token_count - place - 3);
    nest->tokens[place + 2] =
        (uint32_t)((writing->origin_count - origin) / writing->tree->size_count);
    return add_steps(writing, origin, places, repeated, ft_nest_element(nest->tokens + place).rows);
}

static int write_option(struct ft_nest_writing *writing, size_t first, size_t end, uint64_t sizes)
{
    const uint64_t with = ft_node_at(writing, first)->sizes & sizes;
    struct ft_origin *count = ft_add_origins(writing);
    if (!count)
        return no_memory(writing->diag);
    for (size_t s = 0; s < writing->tree->size_count; s++)
        if (sizes >> s & 1)
            count[s] = (struct ft_origin){FT_ORIGIN_CONSTANT, with >> s & 1};
    return write_repeat(writing, ft_nest_token(FT_NEST_REPEAT, 0), first, end, with, NULL, 0);
}

static int write_part(struct ft_nest_writing *writing, size_t node, uint64_t sizes)
{
    const struct ft_tree_node *part = ft_node_at(writing, node);
    const struct ft_tree_place *places = ft_node_places(writing, node);
    struct ft_nest *nest = writing->into;
    if ((part->sizes & sizes) == sizes && !(part->repeated & sizes)) {
        size_t place;
        if (!ft_nest_open(nest, FT_NEST_ONCE, 0, &place))
            return no_memory(writing->diag);
        FT_TRY(ft_nest_write_list(writing, part->child, FT_TREE_END, sizes));
        ft_nest_close(nest, place);
        return FT_OK;
    }
    const bool is_cycle = part->kind == FT_NEST_CYCLE;
    for (unsigned k = 0; k < (is_cycle ? 2 : 1); k++) {
        struct ft_origin *count = ft_add_origins(writing);
        if (!count)
            return no_memory(writing->diag);
        for (size_t s = 0; s < writing->tree->size_count; s++)
            if (part->repeated & sizes & UINT64_C(1) << s)
                count[s] = (struct ft_origin){FT_ORIGIN_NUMBER, places[s].number + k};
            else if ((sizes >> s & 1) && k == 0)
                count[s] = (struct ft_origin){FT_ORIGIN_CONSTANT, part->sizes >> s & 1};
    }
    const enum ft_nest_kind kind = part->kind == FT_NEST_ONCE ? FT_NEST_REPEAT : part->kind;
    return write_repeat(writing, ft_nest_token(kind, part->id), part->child, FT_TREE_END,
                        part->sizes & sizes, places, part->repeated);
}

static int write_access(struct ft_nest_writing *writing, size_t node, uint64_t sizes)
{
    const struct ft_tree_node *access = ft_node_at(writing, node);
    struct ft_origin *address = ft_add_origins(writing);
    if (!address || !add_token(writing->into, ft_nest_token(FT_NEST_ACCESS, access->id)))
        return no_memory(writing->diag);
    for (size_t s = 0; s < writing->tree->size_count; s++)
        if (access->sizes & sizes & UINT64_C(1) << s)
            address[s] =
                (struct ft_origin){FT_ORIGIN_NUMBER, ft_node_places(writing, node)[s].number};
    return FT_OK;
}

static int write_node(struct ft_nest_writing *writing, size_t node, uint64_t sizes)
{
    const struct ft_tree_node *at = ft_node_at(writing, node);
    struct ft_nest *nest = writing->into;
    size_t place;
    switch ((unsigned)at->kind) {
    case FT_NEST_ACCESS:
        return write_access(writing, node, sizes);
    case FT_NEST_IRREGULAR:
        return ft_nest_add_irregular(nest, at->id) ? FT_OK : no_memory(writing->diag);
    case FT_NEST_ONCE:
    case FT_NEST_REPEAT:
    case FT_NEST_CYCLE:
    case FT_NEST_GEOMETRIC:
        return write_part(writing, node, sizes);
    case FT_LEVELS:
        return writing->write_levels(writing, node, sizes);
    default:
        if (!ft_nest_open(nest, at->kind, at->id, &place))
            return no_memory(writing->diag);
        FT_TRY(ft_nest_write_list(writing, at->child, FT_TREE_END, sizes));
        ft_nest_close(nest, place);
        return FT_OK;
    }
}

/* Leaves a node out. */
static void add_foreign(struct ft_nest_writing *writing, size_t node, uint64_t sizes)
{
    for (size_t s = 0; s < writing->tree->size_count; s++)
        if (sizes >> s & 1)
            writing->foreign[ft_size_of(writing, s)] += ft_node_accesses(writing, node, s);
}

int ft_nest_write_list(struct ft_nest_writing *writing, size_t first, size_t end, uint64_t sizes)
{
    for (size_t node = first; node != end;) {
        size_t next = ft_node_at(writing, node)->next;
        const bool is_there = ft_node_at(writing, node)->sizes & sizes;
        if (!is_there || ft_node_at(writing, node)->is_foreign) {
            if (is_there)
                add_foreign(writing, node, sizes);
            node = next;
            continue;
        }
        if (ft_is_optional(writing, node, sizes)) {
            next = ft_end_of_option(writing, node, sizes);
            FT_TRY(write_option(writing, node, next, sizes));
        } else {
            FT_TRY(write_node(writing, node, sizes));
        }
        node = next;
    }
    return FT_OK;
}
