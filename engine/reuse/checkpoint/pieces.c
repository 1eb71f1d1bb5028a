/*
 * In the file a piece is its numbers, then its arrays, whose lengths the numbers give. Everything
 * read is checked: an index must be in range.
 */
#include "engine/reuse/checkpoint/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "engine/reuse/checkpoint/counts.h"
#include "formats/base/array.h"

#define CHUNK_WORDS (FT_TALLY_CHUNKS * sizeof(uint32_t) / sizeof(uint64_t)) /* per reference */

void ft_checkpoint_piece_fini(struct ft_checkpoint_piece *piece)
{
    ft_segment_fini(&piece->segment);
    ft_execution_counts_fini(&piece->counts);
    free(piece->motions);
    piece->motions = NULL;
}

void ft_checkpoint_pieces_fini(struct ft_checkpoint_pieces *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        ft_checkpoint_piece_fini(&kept->pieces[i]);
    free(kept->pieces);
    ft_checkpoint_readings_fini(&kept->readings);
    *kept = (struct ft_checkpoint_pieces){0};
}

int ft_checkpoint_pieces_put(struct ft_checkpoint_pieces *kept, struct ft_checkpoint_piece *piece,
                             struct ft_diag *diag)
{
    bool done = false;
#pragma omp critical(ft_checkpoint_pieces)
    if (FT_RESERVE(kept->pieces, kept->capacity, kept->count + 1)) {
        kept->pieces[kept->count++] = *piece;
        done = true;
    }
    if (!done) {
        ft_checkpoint_piece_fini(piece);
        return ft_fail_memory(diag, "what was replayed so far");
    }
    return FT_OK;
}

static int by_position(const void *left, const void *right)
{
    const struct ft_log_place *a = &((const struct ft_checkpoint_piece *)left)->from;
    const struct ft_log_place *b = &((const struct ft_checkpoint_piece *)right)->from;
    if (a->chunk != b->chunk)
        return a->chunk < b->chunk ? -1 : 1;
    return (a->accesses > b->accesses) - (a->accesses < b->accesses);
}

int ft_checkpoint_pieces_take(struct ft_checkpoint_pieces *kept, const struct ft_piece_key *key,
                              struct ft_checkpoint_piece **ret_pieces, size_t *ret_count,
                              struct ft_diag *diag)
{
    struct ft_checkpoint_piece *taken = NULL;
    size_t count = 0;
#pragma omp critical(ft_checkpoint_pieces)
    {
        size_t left = 0;
        taken = malloc((kept->count + 1) * sizeof *taken);
        for (size_t i = 0; taken && i < kept->count; i++) {
            if (ft_piece_keys_agree(&kept->pieces[i].key, key))
                taken[count++] = kept->pieces[i];
            else
                kept->pieces[left++] = kept->pieces[i];
        }
        if (taken)
            kept->count = left;
    }
    if (!taken)
        return ft_fail_memory(diag, "what was replayed so far");
    qsort(taken, count, sizeof *taken, by_position);
    *ret_pieces = taken;
    *ret_count = count;
    return FT_OK;
}

bool ft_checkpoint_pieces_find(struct ft_checkpoint_pieces *kept, uint32_t trace,
                               uint32_t first_size, uint32_t size_count,
                               struct ft_piece_key *ret_key)
{
    bool found = false;
#pragma omp critical(ft_checkpoint_pieces)
    for (size_t i = 0; !found && i < kept->count; i++) {
        const struct ft_piece_key *key = &kept->pieces[i].key;
        found = ft_piece_key_is_of(key, trace, first_size, size_count);
        if (found)
            *ret_key = *key;
    }
    return found;
}

void ft_checkpoint_pieces_drop(struct ft_checkpoint_pieces *kept, uint32_t trace,
                               uint32_t first_size, uint32_t size_count)
{
#pragma omp critical(ft_checkpoint_pieces)
    {
        size_t left = 0;
        for (size_t i = 0; i < kept->count; i++) {
            if (ft_piece_key_is_of(&kept->pieces[i].key, trace, first_size, size_count))
                ft_checkpoint_piece_fini(&kept->pieces[i]);
            else
                kept->pieces[left++] = kept->pieces[i];
        }
        kept->count = left;
    }
    ft_checkpoint_readings_drop(&kept->readings, trace, first_size, size_count);
}

/* ---- to a file ---- */

/* An array with an item for each reference: most are 0, because most references have few distances,
 * or were not executed. Runs of zeros and of other words alternate, each with its length. */
static void put_sparse(struct ft_sealed_output *output, const void *items, uint64_t word_count)
{
    const uint64_t *words = items;
    for (uint64_t at = 0; at < word_count;) {
        uint64_t first = at;
        while (first < word_count && words[first] == 0)
            first++;
        uint64_t end = first;
        while (end < word_count && words[end] != 0)
            end++;
        ft_sealed_put_u64(output, first - at);
        ft_sealed_put_u64(output, end - first);
        ft_sealed_put(output, words + first, (end - first) * sizeof *words);
        at = end;
    }
}

static void put_tally(struct ft_sealed_output *output, const struct ft_tally *tally,
                      uint32_t reference_count)
{
    ft_sealed_put_u64(output, tally->chunk_count);
    put_sparse(output, tally->chunk_of.items, reference_count * CHUNK_WORDS);
    put_sparse(output, tally->cold.items, reference_count);
    if (tally->chunk_count)
        ft_sealed_put(output, tally->chunks.items, ft_tally_bytes(tally));
}

static void put_stack(struct ft_sealed_output *output, const struct ft_segment_stack *stack,
                      bool has_ended, uint32_t reference_count)
{
    ft_sealed_put_u64(output, stack->spans);
    ft_sealed_put_u64(output, stack->first_touch_count);
    ft_sealed_put(output, stack->first_touches.items,
                  stack->first_touch_count * sizeof(struct ft_first_touch));
    ft_sealed_put_u64(output, stack->block_count);
    if (!has_ended)
        ft_sealed_put(output, stack->order, stack->block_count * sizeof *stack->order);
    ft_sealed_put_u64(output, stack->large_count);
    ft_sealed_put(output, stack->large, stack->large_count * sizeof *stack->large);
    put_tally(output, &stack->tally, reference_count);
}

static void put_segment(struct ft_sealed_output *output, const struct ft_segment *segment)
{
    ft_sealed_put_u64(output, segment->is_beginning);
    ft_sealed_put_u64(output, segment->has_ended);
    ft_sealed_put_u64(output, segment->size_count);
    ft_sealed_put_u64(output, segment->region_shift);
    ft_sealed_put_u64(output, segment->access_count);
    ft_sealed_put_u64(output, segment->region_count);
    ft_sealed_put(output, segment->regions, segment->region_count * sizeof *segment->regions);
    ft_sealed_put_u64(output, segment->reference_count);
    ft_sealed_put(output, segment->references,
                  segment->reference_count * sizeof *segment->references);
    put_sparse(output, segment->counts.items,
               ft_front_counter(segment->reference_count, 0, 0, segment->size_count));
    for (unsigned s = 0; s < segment->size_count; s++)
        put_stack(output, &segment->stacks[s], segment->has_ended, segment->reference_count);
}

void ft_checkpoint_pieces_write(const struct ft_checkpoint_pieces *kept,
                                struct ft_sealed_output *output)
{
    ft_sealed_put_u64(output, kept->count);
    for (size_t i = 0; i < kept->count; i++) {
        const struct ft_checkpoint_piece *piece = &kept->pieces[i];
        const uint64_t positions[] = {piece->from.chunk, piece->from.accesses, piece->to.chunk,
                                      piece->to.accesses};
        ft_sealed_put(output, &piece->key, sizeof piece->key);
        ft_sealed_put(output, positions, sizeof positions);
        ft_sealed_put_u64(output, piece->motion_count);
        ft_sealed_put(output, piece->motions, piece->motion_count * sizeof *piece->motions);
        ft_checkpoint_counts_put(output, &piece->counts, piece->unit_count);
        put_segment(output, &piece->segment);
    }
    ft_checkpoint_readings_write(&kept->readings, output);
}

/* ---- from a file ---- */

static int get_zero_array(struct ft_sealed_input *input, struct ft_zero_array *array,
                          uint64_t count, size_t item_bytes, struct ft_diag *diag)
{
    void *items = ft_sealed_get_array(input, count, item_bytes); /* bounds it by the file */
    int status = items ? ft_zero_array_reserve(array, count * item_bytes + 1, diag)
                       : ft_fail(diag, FT_ERROR_DATA, "an array is truncated");
    if (!status)
        memcpy(array->items, items, count * item_bytes);
    free(items);
    return status;
}

/* What put_sparse wrote. The array is mapped lazily, so zeros take no memory. */
static int get_sparse(struct ft_sealed_input *input, struct ft_zero_array *array,
                      uint64_t word_count, struct ft_diag *diag)
{
    FT_TRY(ft_zero_array_reserve(array, word_count * sizeof(uint64_t) + 1, diag));
    uint64_t *words = array->items;
    for (uint64_t at = 0; at < word_count;) {
        const uint64_t zeros = ft_sealed_get_u64(input), others = ft_sealed_get_u64(input);
        if (zeros > word_count - at || others > word_count - at - zeros || zeros + others == 0)
            return ft_fail(diag, FT_ERROR_DATA, "an array is inconsistent");
        ft_sealed_get(input, words + at + zeros, others * sizeof *words);
        at += zeros + others;
    }
    return FT_OK;
}

static int get_tally(struct ft_sealed_input *input, struct ft_tally *tally,
                     uint32_t reference_count, struct ft_diag *diag)
{
    uint64_t chunks = ft_sealed_get_u64(input);
    if (chunks >= UINT32_MAX)
        return ft_fail(diag, FT_ERROR_DATA, "a histogram is inconsistent");
    FT_TRY(get_sparse(input, &tally->chunk_of, reference_count * CHUNK_WORDS, diag));
    FT_TRY(get_sparse(input, &tally->cold, reference_count, diag));
    if (chunks)
        FT_TRY(get_zero_array(input, &tally->chunks, (chunks + 1) * FT_TALLY_CHUNK_BINS,
                              sizeof(struct ft_tally_bin), diag));
    tally->chunk_count = (uint32_t)chunks;
    const uint32_t *chunk_of = tally->chunk_of.items;
    for (size_t i = 0; i < (size_t)reference_count * FT_TALLY_CHUNKS; i++)
        if (chunk_of[i] > chunks)
            return ft_fail(diag, FT_ERROR_DATA, "a histogram is inconsistent");
    return FT_OK;
}

/* Blocks have numbers below `numbers`, references below reference_count. */
static int check_stack(const struct ft_segment_stack *stack, uint64_t numbers,
                       uint32_t reference_count, struct ft_diag *diag)
{
    const struct ft_first_touch *touches = stack->first_touches.items;
    bool good = true;
    for (uint64_t i = 0; i < stack->first_touch_count; i++)
        good = good && touches[i].block < numbers && touches[i].reference < reference_count;
    for (uint64_t i = 0; stack->order && i < stack->block_count; i++)
        good = good && stack->order[i] < numbers;
    return good ? FT_OK : ft_fail(diag, FT_ERROR_DATA, "an LRU stack is inconsistent");
}

static int get_stack(struct ft_sealed_input *input, const struct ft_segment *segment,
                     struct ft_segment_stack *stack, unsigned shift, struct ft_diag *diag)
{
    stack->spans = ft_sealed_get_u64(input);
    stack->first_touch_count = ft_sealed_get_u64(input);
    int status = get_zero_array(input, &stack->first_touches, stack->first_touch_count,
                                sizeof(struct ft_first_touch), diag);
    if (status)
        return status;
    stack->block_count = ft_sealed_get_u64(input);
    if (!segment->has_ended)
        stack->order = ft_sealed_get_array(input, stack->block_count, sizeof *stack->order);
    uint64_t large = ft_sealed_get_u64(input);
    stack->large = ft_sealed_get_array(input, large, sizeof *stack->large);
    if (!stack->order != segment->has_ended || !stack->large || large > UINT32_MAX)
        return ft_fail(diag, FT_ERROR_DATA, "an LRU stack is truncated");
    stack->large_count = (uint32_t)large;
    uint64_t numbers = shift > segment->region_shift
                           ? large
                           : (uint64_t)segment->region_count << (segment->region_shift - shift);
    status = check_stack(stack, numbers, segment->reference_count, diag);
    return status ? status : get_tally(input, &stack->tally, segment->reference_count, diag);
}

static int get_segment(struct ft_sealed_input *input, const struct ft_piece_key *key,
                       const struct ft_block_sizes *all, struct ft_segment *segment,
                       struct ft_diag *diag)
{
    segment->is_beginning = ft_sealed_get_u64(input) != 0;
    segment->has_ended = ft_sealed_get_u64(input) != 0;
    uint64_t sizes = ft_sealed_get_u64(input), shift = ft_sealed_get_u64(input);
    segment->access_count = ft_sealed_get_u64(input);
    uint64_t regions = ft_sealed_get_u64(input);
    segment->regions = ft_sealed_get_array(input, regions, sizeof *segment->regions);
    uint64_t references = ft_sealed_get_u64(input);
    segment->references = ft_sealed_get_array(input, references, sizeof *segment->references);
    if (!segment->regions || !segment->references || sizes != key->size_count ||
        shift != key->region_shift || shift >= 64 || regions > UINT32_MAX ||
        references > UINT32_MAX || key->first_size > all->count ||
        sizes > all->count - key->first_size)
        return ft_fail(diag, FT_ERROR_DATA, "a segment is inconsistent");
    segment->region_shift = (unsigned)shift;
    segment->region_count = (uint32_t)regions;
    segment->reference_count = (uint32_t)references;
    int status = get_sparse(input, &segment->counts,
                            ft_front_counter((uint32_t)references, 0, 0, (unsigned)sizes), diag);
    for (unsigned s = 0; !status && s < sizes; s++) {
        segment->size_count = s + 1;
        status = get_stack(input, segment, &segment->stacks[s],
                           (unsigned)__builtin_ctzll(all->bytes[key->first_size + s]), diag);
    }
    return status;
}

static int get_piece(struct ft_sealed_input *input, const struct ft_block_sizes *sizes,
                     struct ft_checkpoint_piece *piece, struct ft_diag *diag)
{
    uint64_t positions[4];
    ft_sealed_get(input, &piece->key, sizeof piece->key);
    ft_sealed_get(input, positions, sizeof positions);
    piece->from = (struct ft_log_place){positions[0], positions[1]};
    piece->to = (struct ft_log_place){positions[2], positions[3]};
    uint64_t motions = ft_sealed_get_u64(input);
    piece->motions = ft_sealed_get_array(input, motions, sizeof *piece->motions);
    if (!piece->motions || motions > UINT32_MAX)
        return ft_fail(diag, FT_ERROR_DATA, "the strides are truncated");
    piece->motion_count = (uint32_t)motions;
    int status = ft_checkpoint_counts_get(input, &piece->counts, &piece->unit_count, diag);
    return status ? status : get_segment(input, &piece->key, sizes, &piece->segment, diag);
}

int ft_checkpoint_pieces_read(struct ft_checkpoint_pieces *kept, const struct ft_block_sizes *sizes,
                              struct ft_sealed_input *input, struct ft_diag *diag)
{
    uint64_t count = ft_sealed_get_u64(input);
    int status = FT_OK;
    for (uint64_t i = 0; !status && i < count; i++) {
        struct ft_checkpoint_piece piece = {0};
        status = get_piece(input, sizes, &piece, diag);
        if (!status && ft_sealed_failed(input))
            status = ft_fail(diag, FT_ERROR_DATA, "it is truncated");
        if (status)
            ft_checkpoint_piece_fini(&piece);
        else
            status = ft_checkpoint_pieces_put(kept, &piece, diag);
    }
    return status ? status : ft_checkpoint_readings_read(&kept->readings, input, diag);
}
