/*
 * Of a list of levels those at its ends may do something else, as the coarsest grid is solved: from
 * none on as few are matched by their place as leave others whose numbers follow laws of size and
 * level (level_laws.h). These are written as one tree, again and again: as often as there are such
 * levels at sizes far beyond the largest.
 */
#include "fit/skeletons/level_writing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

/* Levels that may do something else: at the end of the size itself, and at the other one. */
#define FINE_MAX   2U
#define COARSE_MAX 3U

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "the laws of loop nests");
}

#define LEVELS_MAX FT_SIZED_SIZES_MAX

/* A list at a size: what the levels run, that of the size itself first. */
struct level_list {
    struct ft_tree_span spans[LEVELS_MAX];
    size_t count;
};

static bool list_levels(const struct ft_nest_writing *writing, size_t node, size_t size,
                        struct level_list *ret_list)
{
    const struct ft_tree_place *place = &ft_node_places(writing, node)[size];
    const struct ft_nest *nest = &writing->nests[size];
    const size_t end = place->token + place->length;
    size_t number = place->number;
    ret_list->count = 0;
    for (size_t at = place->token + 2; at < end;) {
        const struct ft_nest_element element = ft_nest_element(nest->tokens + at);
        if (ret_list->count == LEVELS_MAX)
            return false;
        ret_list->spans[ret_list->count++] =
            (struct ft_tree_span){nest, at + element.head, element.length, number};
        number += ft_nest_element_numbers(&element, nest->tokens + at);
        at += element.head + element.length;
    }
    if (ft_node_at(writing, node)->id == FT_LEVELS_FROM_FIRST)
        return true;
    for (size_t i = 0, j = ret_list->count; i + 1 < j; i++) {
        const struct ft_tree_span kept = ret_list->spans[i];
        ret_list->spans[i] = ret_list->spans[--j];
        ret_list->spans[j] = kept;
    }
    return true;
}

/* Levels of sizes, written as one. */
struct level_block {
    struct ft_tree_span spans[FT_SIZED_SIZES_MAX]; /* [column] */
    uint8_t size_of[FT_SIZED_SIZES_MAX], level_of[FT_SIZED_SIZES_MAX];
    size_t columns;
    struct ft_nest nest; /* its tokens */
    struct ft_origin *origins;
    size_t numbers;
};

static void block_fini(struct level_block *block)
{
    ft_nest_fini(&block->nest);
    free(block->origins);
    block->origins = NULL;
    block->columns = block->numbers = 0;
}

static void add_column(struct level_block *block, const struct level_list *lists, size_t size,
                       size_t level)
{
    block->spans[block->columns] = lists[size].spans[level];
    block->size_of[block->columns] = (uint8_t)size;
    block->level_of[block->columns++] = (uint8_t)level;
}

static int write_block(const struct ft_nest_writing *writing, struct level_block *block)
{
    struct ft_nest_tree tree;
    FT_TRY(ft_nest_tree_make_levels(block->spans, block->columns, &writing->tree->ids, &tree,
                                    writing->diag));
    struct ft_nest_writing inner = {.write_levels = writing->write_levels,
                                    .tree = &tree,
                                    .nests = writing->nests,
                                    .size_of = block->size_of,
                                    .sizes = writing->sizes,
                                    .into = &block->nest,
                                    .executions = writing->executions,
                                    .foreign = writing->foreign,
                                    .diag = writing->diag};
    int status =
        ft_nest_write_list(&inner, tree.root, FT_TREE_END, UINT64_MAX >> (64 - block->columns));
    block->origins = inner.origins;
    block->numbers = inner.origin_count / block->columns;
    inner.origins = NULL;
    ft_nest_writing_fini(&inner);
    ft_nest_tree_fini(&tree);
    return status;
}

static uint64_t origin_value(const struct ft_nest *nest, const struct ft_origin *origin)
{
    return origin->kind == FT_ORIGIN_NUMBER ? nest->numbers[origin->at] : origin->at;
}

/* How many numbers of a block have no law of size and level. */
static size_t count_lawless(const struct ft_nest_writing *writing, const struct level_block *block)
{
    size_t lawless = 0;
    for (size_t i = 0; i < block->numbers; i++) {
        struct ft_level_sample samples[FT_SIZED_SIZES_MAX];
        struct ft_level_law law;
        uint64_t base = 0;
        size_t count = 0;
        for (size_t c = 0; c < block->columns; c++) {
            const size_t size = block->size_of[c];
            const struct ft_origin *origin = &block->origins[i * block->columns + c];
            if (origin->kind == FT_ORIGIN_UNKNOWN)
                continue;
            const uint64_t value = origin_value(&writing->nests[size], origin);
            base = count ? base : value;
            samples[count++] = (struct ft_level_sample){writing->sizes[size], block->level_of[c],
                                                        (double)(int64_t)(value - base)};
        }
        lawless += count && !ft_level_law_find(samples, count, &law);
    }
    return lawless;
}

/* Where levels are matched by their places, and where by laws. */
struct level_split {
    size_t fine, coarse; /* by their places */
    size_t lawless;
};

/* Levels of as many of the largest sizes as there is room for; size and level ascend and descend,
 * so that the last one is the largest size's own. */
static void fill_block(const struct level_list *lists, uint64_t sizes,
                       const struct level_split *split, struct level_block *block)
{
    size_t columns = 0;
    uint64_t some = sizes;
    for (uint64_t left = sizes; left; left &= left - 1)
        columns += lists[__builtin_ctzll(left)].count - split->fine - split->coarse;
    for (; columns > FT_SIZED_SIZES_MAX; some &= some - 1)
        columns -= lists[__builtin_ctzll(some)].count - split->fine - split->coarse;
    for (; some; some &= some - 1) {
        const size_t size = (size_t)__builtin_ctzll(some);
        for (size_t level = lists[size].count - split->coarse; level-- > split->fine;)
            add_column(block, lists, size, level);
    }
}

static size_t fewest_levels(const struct level_list *lists, uint64_t sizes)
{
    size_t fewest = LEVELS_MAX;
    for (; sizes; sizes &= sizes - 1) {
        const size_t count = lists[__builtin_ctzll(sizes)].count;
        fewest = count < fewest ? count : fewest;
    }
    return fewest;
}

/* The fewest levels by their places with which the others have laws. */
static int find_split(const struct ft_nest_writing *writing, const struct level_list *lists,
                      uint64_t sizes, struct level_split *ret_split, struct level_block *block)
{
    const size_t fewest = fewest_levels(lists, sizes);
    double foreign[FT_SIZED_SIZES_MAX];
    memcpy(foreign, writing->foreign, writing->tree->size_count * sizeof *foreign);
    *ret_split = (struct level_split){.lawless = SIZE_MAX};
    for (size_t both = 0; both < fewest && both <= FINE_MAX + COARSE_MAX; both++)
        for (size_t coarse = both < COARSE_MAX ? both : COARSE_MAX;
             coarse + FINE_MAX >= both && ret_split->lawless > 0; coarse--) {
            struct level_split split = {both - coarse, coarse, 0};
            fill_block(lists, sizes, &split, block);
            int status = write_block(writing, block);
            split.lawless = status ? 0 : count_lawless(writing, block);
            block_fini(block);
            memcpy(writing->foreign, foreign, writing->tree->size_count * sizeof *foreign);
            FT_TRY(status);
            if (split.lawless < ret_split->lawless)
                *ret_split = split;
            if (coarse == 0)
                break;
        }
    fill_block(lists, sizes, ret_split, block);
    return write_block(writing, block);
}

/* The numbers of a block, as the sizes with a level have them. */
static int add_block_origins(struct ft_nest_writing *writing, const struct level_block *block,
                             size_t level)
{
    for (size_t i = 0; i < block->numbers; i++) {
        struct ft_origin *origins = ft_add_origins(writing);
        if (!origins)
            return no_memory(writing->diag);
        for (size_t c = 0; c < block->columns; c++)
            if (block->level_of[c] == level)
                origins[block->size_of[c]] = block->origins[i * block->columns + c];
    }
    return FT_OK;
}

static int add_block_tokens(struct ft_nest_writing *writing, const struct level_block *block)
{
    const struct ft_nest_span span = {block->nest.tokens, block->nest.token_count, NULL, 0};
    return ft_nest_add(writing->into, &span) ? FT_OK : no_memory(writing->diag);
}

/* Levels at one end, each by its place from there. */
static int write_end(struct ft_nest_writing *writing, const struct level_list *lists,
                     uint64_t sizes, bool from_fine, size_t place, struct level_block *block)
{
    size_t bracket;
    for (uint64_t left = sizes; left; left &= left - 1) {
        const size_t size = (size_t)__builtin_ctzll(left);
        add_column(block, lists, size, from_fine ? place : lists[size].count - 1 - place);
        block->level_of[block->columns - 1] = 0;
    }
    int status = write_block(writing, block);
    if (!status)
        status = ft_nest_open(writing->into, FT_NEST_ONCE, 0, &bracket) ? FT_OK
                                                                        : no_memory(writing->diag);
    if (!status)
        status = add_block_tokens(writing, block);
    if (!status) {
        ft_nest_close(writing->into, bracket);
        status = add_block_origins(writing, block, 0);
    }
    block_fini(block);
    return status;
}

/* A level that only sizes have of which there are so many. */
static int write_copy(struct ft_nest_writing *writing, const struct level_block *block,
                      const struct level_list *lists, uint64_t sizes,
                      const struct level_split *split, size_t level)
{
    const uint32_t head[] = {ft_nest_token(FT_NEST_REPEAT, 0), (uint32_t)block->nest.token_count,
                             (uint32_t)block->numbers};
    const struct ft_nest_span span = {head, 3, NULL, 0};
    struct ft_origin *count = ft_add_origins(writing);
    if (!count || !ft_nest_add(writing->into, &span))
        return no_memory(writing->diag);
    for (uint64_t left = sizes; left; left &= left - 1) {
        const size_t size = (size_t)__builtin_ctzll(left);
        count[size] =
            (struct ft_origin){FT_ORIGIN_CONSTANT, level + split->coarse < lists[size].count};
    }
    FT_TRY(add_block_tokens(writing, block));
    FT_TRY(add_block_origins(writing, block, level));
    for (size_t i = 0; i < block->numbers; i++)
        if (!ft_add_origins(writing))
            return no_memory(writing->diag);
    return FT_OK;
}

/* Levels by laws. */
static int write_copies(struct ft_nest_writing *writing, const struct level_block *block,
                        const struct level_list *lists, uint64_t sizes, bool falls,
                        const struct level_split *split)
{
    const size_t columns = writing->tree->size_count;
    const size_t last = (size_t)(63 - __builtin_clzll(sizes)),
                 first = (size_t)__builtin_ctzll(sizes);
    const size_t largest = lists[last].count - split->fine - split->coarse;
    const double doublings = log2(writing->sizes[last] / writing->sizes[first]);
    const uint64_t rate =
        (uint64_t)((double)(lists[last].count - lists[first].count) / fmax(1, doublings));
    const size_t copies = largest + FT_LEVEL_DOUBLINGS * rate;
    if (!FT_RESERVE(writing->levels, writing->levels_capacity, writing->levels_count + 1))
        return no_memory(writing->diag);
    writing->levels[writing->levels_count++] =
        (struct ft_written_levels){.first = writing->origin_count / columns,
                                   .copies = copies,
                                   .body = block->numbers,
                                   .fine = split->fine,
                                   .falls = falls,
                                   .largest = largest,
                                   .rate = rate};
    for (size_t i = 0; i < copies; i++)
        FT_TRY(write_copy(writing, block, lists, sizes, split,
                          split->fine + (falls ? copies - 1 - i : i)));
    return FT_OK;
}

/* The list as the only size has it. */
static int write_as_is(struct ft_nest_writing *writing, size_t node, size_t column)
{
    const struct ft_tree_place *place = &ft_node_places(writing, node)[column];
    const struct ft_nest *nest = &writing->nests[ft_size_of(writing, column)];
    const struct ft_nest_element element = ft_nest_element(nest->tokens + place->token);
    const size_t numbers = ft_nest_element_numbers(&element, nest->tokens + place->token);
    const struct ft_nest_span span = {nest->tokens + place->token + element.head, element.length,
                                      NULL, 0};
    if (!ft_nest_add(writing->into, &span))
        return no_memory(writing->diag);
    for (size_t i = 0; i < numbers; i++) {
        struct ft_origin *origins = ft_add_origins(writing);
        if (!origins)
            return no_memory(writing->diag);
        origins[column] = (struct ft_origin){FT_ORIGIN_NUMBER, place->number + i};
    }
    return FT_OK;
}

static int write_split(struct ft_nest_writing *writing, const struct level_list *lists,
                       uint64_t sizes, bool falls, struct level_block *blocks)
{
    struct level_split split;
    FT_TRY(find_split(writing, lists, sizes, &split, &blocks[0]));
    const size_t before = falls ? split.coarse : split.fine;
    for (size_t i = 0; i < before; i++)
        FT_TRY(write_end(writing, lists, sizes, !falls, i, &blocks[1]));
    FT_TRY(write_copies(writing, &blocks[0], lists, sizes, falls, &split));
    for (size_t i = split.fine + split.coarse - before; i-- > 0;)
        FT_TRY(write_end(writing, lists, sizes, falls, i, &blocks[1]));
    return FT_OK;
}

int ft_levels_write(struct ft_nest_writing *writing, size_t node, uint64_t sizes)
{
    const bool falls = ft_node_at(writing, node)->id == FT_LEVELS_FROM_LAST;
    sizes &= ft_node_at(writing, node)->sizes;
    if (writing->size_of || (sizes & (sizes - 1)) == 0)
        return write_as_is(writing, node, (size_t)(63 - __builtin_clzll(sizes)));
    struct level_list *lists = calloc(writing->tree->size_count, sizeof *lists);
    struct level_block *blocks = calloc(2, sizeof *blocks);
    int status = lists && blocks ? FT_OK : no_memory(writing->diag);
    bool fit = true;
    for (uint64_t left = sizes; !status && left; left &= left - 1)
        fit = fit && list_levels(writing, node, (size_t)__builtin_ctzll(left),
                                 &lists[__builtin_ctzll(left)]);
    if (!status)
        status = fit ? write_split(writing, lists, sizes, falls, blocks)
                     : write_as_is(writing, node, (size_t)(63 - __builtin_clzll(sizes)));
    for (size_t i = 0; blocks && i < 2; i++)
        block_fini(&blocks[i]);
    free(blocks);
    free(lists);
    return status;
}

const struct ft_written_levels *ft_levels_of_number(const struct ft_nest_writing *writing,
                                                    size_t number, size_t *ret_level,
                                                    size_t *ret_within)
{
    for (size_t i = 0; i < writing->levels_count; i++) {
        const struct ft_written_levels *levels = &writing->levels[i];
        const size_t each = 1 + 2 * levels->body, from = number - levels->first;
        if (number < levels->first || from >= each * levels->copies)
            continue;
        *ret_level = from / each;
        *ret_within = from % each;
        return levels;
    }
    return NULL;
}
