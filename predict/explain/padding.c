#include "predict/explain/padding.h"

#include <stdlib.h>

#include "fit/skeletons/block_laws.h"

struct padder {
    const struct ft_padding *padding;
    uint32_t block_count;
    const uint32_t *tokens; /* of the whole nest */
    uint32_t *blocks;       /* [token]: the block that an access is in, + 1; 0: another place */
};

static uint32_t block_of(uint64_t place, uint32_t block_count)
{
    const uint64_t block = (place - FT_PLACE_BLOCKS) / FT_PLACE_STEP;
    return ft_is_in_block(place) && block < block_count ? (uint32_t)block + 1 : 0;
}

/* Rows that are nearest to so many bytes. */
static uint64_t nearest_rows(int64_t bytes, uint64_t row_bytes)
{
    const uint64_t size = bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes;
    const uint64_t rows = (size + row_bytes / 2) / row_bytes;
    return bytes < 0 ? 0 - rows : rows;
}

/* The address of an access in the first iterations, or by how much it changes. */
static void pad_number(const struct padder *padder, size_t token, uint64_t *number, bool is_step)
{
    if (!is_step)
        padder->blocks[token] = block_of(*number, padder->block_count);
    if (padder->blocks[token] == 0)
        return;
    const uint32_t block = padder->blocks[token] - 1;
    const uint64_t row = padder->padding->row_bytes[block], pad = padder->padding->pad_bytes[block];
    if (row == 0)
        return;
    *number += pad * (is_step ? nearest_rows((int64_t)*number, row)
                              : (*number - FT_PLACE_BLOCKS) % FT_PLACE_STEP / row);
}

/* All numbers of elements; returns those behind. */
static uint64_t *pad_span(const struct padder *padder, size_t at, size_t end, uint64_t *numbers,
                          bool is_step)
{
    while (at < end) {
        const struct ft_nest_element element = ft_nest_element(padder->tokens + at);
        const size_t body = at + element.head;
        if (element.kind == FT_NEST_ACCESS)
            pad_number(padder, at, numbers++, is_step);
        numbers += element.counts;
        const size_t rows = element.counts ? element.rows : 1;
        for (size_t row = 0; row < rows; row++) {
            uint64_t *first = numbers;
            if (element.kind == FT_NEST_GEOMETRIC && row == FT_NEST_EXPONENTS)
                numbers += element.body; /* of powers of two, no bytes */
            else
                numbers = pad_span(padder, body, body + element.length, first, is_step || row > 0);
        }
        at = body + element.length;
    }
    return numbers;
}

static int pad_nest(const struct ft_padding *padding, uint32_t block_count, struct ft_nest *nest,
                    struct ft_diag *diag)
{
    const struct padder padder = {padding, block_count, nest->tokens,
                                  calloc(nest->token_count + 1, sizeof(uint32_t))};
    if (!padder.blocks)
        return ft_fail_memory(diag, "a loop nest");
    pad_span(&padder, 0, nest->token_count, nest->numbers, false);
    free(padder.blocks);
    return FT_OK;
}

/* Where the allocator puts blocks that are longer by their rows' padding. */
static int place_blocks(const struct ft_sized_skeleton *sized, double size,
                        const struct ft_padding *padding, struct ft_synthesis *padded,
                        struct ft_diag *diag)
{
    struct ft_block_laws laws = sized->blocks;
    laws.events = malloc((laws.event_count + 1) * sizeof *laws.events);
    if (!laws.events)
        return ft_fail_memory(diag, "the heap of a program");
    for (size_t i = 0; i < laws.event_count; i++) {
        const uint32_t block = sized->blocks.events[i].block;
        laws.events[i] = sized->blocks.events[i];
        if (block >= sized->largest.blocks.block_count || padding->row_bytes[block] == 0)
            continue;
        const uint64_t row = padding->row_bytes[block];
        const uint64_t rows = (padded->blocks[block].bytes + row - 1) / row;
        laws.events[i].bytes.powers[0] += (double)(padding->pad_bytes[block] * rows);
    }
    free(padded->blocks);
    padded->blocks = NULL;
    int status =
        ft_block_laws_at(&laws, &sized->largest, size, &padded->blocks, &padded->block_count, diag);
    free(laws.events);
    return status;
}

int ft_padded_synthesis_make(const struct ft_synthesis *synthesis, double size,
                             const struct ft_padding *padding, struct ft_synthesis *ret_padded,
                             struct ft_diag *diag)
{
    const uint32_t block_count = synthesis->sized->largest.blocks.block_count;
    struct ft_synthesis padded;
    FT_TRY(ft_synthesis_init(synthesis->sized, size, &padded, diag));
    padded.accesses_max = synthesis->accesses_max;
    padded.simulated_max = synthesis->simulated_max;
    int status = place_blocks(synthesis->sized, size, padding, &padded, diag);
    if (!status)
        status = pad_nest(padding, block_count, &padded.nest, diag);
    for (uint32_t i = 0; !status && i < block_count; i++)
        if (padding->row_bytes[i] == 0)
            padded.blocks[i].address += padding->pad_bytes[i];
    if (status) {
        ft_synthesis_fini(&padded);
        return status;
    }
    *ret_padded = padded;
    return FT_OK;
}

uint64_t ft_padding_for(uint64_t row_bytes, uint64_t line_bytes)
{
    const uint64_t to_line = (line_bytes - row_bytes % line_bytes) % line_bytes;
    const bool is_odd = (row_bytes + to_line) / line_bytes % 2 == 1;
    return is_odd && to_line > 0 ? to_line : is_odd ? 0 : to_line + line_bytes;
}
