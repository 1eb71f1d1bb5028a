/*
 * At the end each piece is merged into those of the enclosing scopes. Then, with a scope's pieces
 * sorted by address, bits are folded into larger blocks within a piece; beyond that, pieces of one
 * large block are adjacent and count once.
 */
#include "engine/footprint/scope_sets.h"

#include <stdlib.h>
#include <string.h>

#define WORDS (FT_GROUP_BLOCKS / 64)

int ft_scope_sets_init(struct ft_scope_sets *sets, size_t scope_count, struct ft_diag *diag)
{
    *sets = (struct ft_scope_sets){.last = malloc((scope_count + 1) * sizeof *sets->last)};
    if (!sets->last)
        return ft_fail_memory(diag, "the blocks of scopes");
    memset(sets->last, 0xff, (scope_count + 1) * sizeof *sets->last);
    return FT_OK;
}

void ft_scope_sets_fini(struct ft_scope_sets *sets)
{
    ft_dense_ids_fini(&sets->pieces);
    ft_zero_array_fini(&sets->bits);
    free(sets->last);
    sets->last = NULL;
}

uint64_t ft_scope_sets_bytes(const struct ft_scope_sets *sets)
{
    return (uint64_t)sets->pieces.count * WORDS * sizeof(uint64_t) +
           ft_dense_ids_bytes(&sets->pieces);
}

int ft_scope_sets_find(struct ft_scope_sets *sets, uint32_t scope, uint32_t group,
                       struct ft_diag *diag)
{
    uint32_t piece;
    int status = ft_dense_ids_find(&sets->pieces, (uint64_t)scope << 32 | group, &piece, diag);
    if (!status)
        status = ft_zero_array_reserve(&sets->bits,
                                       (size_t)sets->pieces.count * WORDS * sizeof(uint64_t), diag);
    if (!status)
        sets->last[scope] = (struct ft_scope_piece){group, piece};
    return status;
}

struct piece {
    uint32_t scope, number;
    uint32_t group;
    uint64_t address; /* of the group, in groups */
};

/* All pieces that there are, in no order. */
static struct piece *list_pieces(const struct ft_scope_sets *sets, size_t *ret_count)
{
    struct piece *pieces = malloc((sets->pieces.count + (size_t)1) * sizeof *pieces);
    size_t count = 0;
    for (size_t i = 0; pieces && i < sets->pieces.capacity; i++)
        if (sets->pieces.ids[i] != UINT32_MAX)
            pieces[count++] = (struct piece){.scope = (uint32_t)(sets->pieces.keys[i] >> 32),
                                             .number = sets->pieces.ids[i],
                                             .group = (uint32_t)sets->pieces.keys[i]};
    *ret_count = count;
    return pieces;
}

static int join_parents(struct ft_scope_sets *sets, const struct ft_scopes *scopes,
                        struct ft_diag *diag)
{
    size_t count;
    struct piece *pieces = list_pieces(sets, &count);
    int status = pieces ? FT_OK : ft_fail_memory(diag, "the blocks of scopes");
    for (size_t i = 0; !status && i < count; i++)
        for (uint32_t scope = pieces[i].scope; !status && scope != 0;) {
            scope = scopes->scopes[scope].parent;
            status = ft_scope_sets_find(sets, scope, pieces[i].group, diag);
            if (status)
                break;
            uint64_t *bits = sets->bits.items;
            uint64_t *into = bits + (size_t)sets->last[scope].piece * WORDS;
            for (size_t word = 0; word < WORDS; word++)
                into[word] |= bits[(size_t)pieces[i].number * WORDS + word];
        }
    free(pieces);
    return status;
}

static int by_scope_and_address(const void *left, const void *right)
{
    const struct piece *a = left, *b = right;
    if (a->scope != b->scope)
        return a->scope < b->scope ? -1 : 1;
    return (a->address > b->address) - (a->address < b->address);
}

/* Blocks of 2^log2_parts parts of which one at least is among the bits. */
static uint64_t count_folded(const uint64_t *bits, unsigned log2_parts)
{
    uint64_t count = 0;
    for (unsigned first = 0; first < FT_GROUP_BLOCKS; first += 1U << log2_parts) {
        bool any = false;
        for (unsigned bit = first; !any && bit < first + (1U << log2_parts); bit++)
            any = bits[bit / 64] >> bit % 64 & 1;
        count += any;
    }
    return count;
}

static void count_pieces(const struct ft_scope_sets *sets, const struct piece *pieces, size_t count,
                         const uint64_t *block_bytes, size_t size_count, uint64_t *blocks)
{
    for (size_t i = 0; i < count; i++)
        for (size_t s = 0; s < size_count; s++) {
            unsigned log2_parts = (unsigned)__builtin_ctzll(block_bytes[s] / block_bytes[0]);
            uint64_t *sum = &blocks[pieces[i].scope * size_count + s];
            if (log2_parts <= FT_GROUP_BITS) {
                const uint64_t *bits = sets->bits.items;
                *sum += count_folded(bits + (size_t)pieces[i].number * WORDS, log2_parts);
                continue;
            }
            unsigned groups = log2_parts - FT_GROUP_BITS;
            *sum += i == 0 || pieces[i - 1].scope != pieces[i].scope ||
                    pieces[i - 1].address >> groups != pieces[i].address >> groups;
        }
}

int ft_scope_sets_count(struct ft_scope_sets *sets, const struct ft_scopes *scopes,
                        const struct ft_dense_ids *groups, const uint64_t *block_bytes,
                        size_t size_count, uint64_t *ret_blocks, struct ft_diag *diag)
{
    int status = join_parents(sets, scopes, diag);
    if (status)
        return status;
    size_t count;
    struct piece *pieces = list_pieces(sets, &count);
    uint64_t *addresses = calloc(groups->count + (size_t)1, sizeof *addresses);
    if (pieces && addresses) {
        for (size_t i = 0; i < groups->capacity; i++)
            if (groups->ids[i] != UINT32_MAX)
                addresses[groups->ids[i]] = groups->keys[i];
        for (size_t i = 0; i < count; i++)
            pieces[i].address = addresses[pieces[i].group];
        qsort(pieces, count, sizeof *pieces, by_scope_and_address);
        memset(ret_blocks, 0, scopes->scope_count * size_count * sizeof *ret_blocks);
        count_pieces(sets, pieces, count, block_bytes, size_count, ret_blocks);
    } else {
        status = ft_fail_memory(diag, "the blocks of scopes");
    }
    free(pieces);
    free(addresses);
    return status;
}
