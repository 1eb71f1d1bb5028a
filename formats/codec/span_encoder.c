/*
 * A repetition lasts for as long as it holds, across records. The items up to the next repetition
 * are packed if that takes less room than the predictors' misses would, and left to the caller to
 * code otherwise. Items are searched about a thousand at a time, so that none is searched twice.
 */
#include "formats/codec/span_encoder.h"

#include <stdlib.h>

#include "formats/base/array.h"
#include "formats/codec/packed_values.h"

#define WINDOW_ITEMS      1024U
#define PACKED_ITEMS_MIN  8U
#define PACKED_HEAD_BYTES 6U /* about: count, base, shift, width */
/* Misses are estimated from the first SAMPLE_ITEMS of every SAMPLE_STRIDE items. */
#define SAMPLE_ITEMS  32U
#define SAMPLE_STRIDE 256U

bool ft_span_encoder_init(struct ft_span_encoder *encoder)
{
    *encoder = (struct ft_span_encoder){0};
    return ft_span_finder_init(&encoder->finder);
}

void ft_span_encoder_fini(struct ft_span_encoder *encoder)
{
    ft_span_finder_fini(&encoder->finder);
    ft_bytes_fini(&encoder->spans);
    ft_bytes_fini(&encoder->packed);
}

void ft_span_encoder_reset(struct ft_span_encoder *encoder)
{
    ft_span_finder_reset(&encoder->finder);
    encoder->spans.length = encoder->packed.length = 0;
    encoder->kind = FT_SPAN_CODED;
    encoder->count = 0;
    encoder->written_distance = 0;
}

bool ft_span_encoder_begin(struct ft_span_encoder *encoder, struct ft_span_items *items)
{
    size_t bytes = items->count * items->item_bytes + items->last_iteration_bytes;
    items->at = encoder->finder.history.length;
    return ft_span_finder_append(&encoder->finder, items->raw, bytes);
}

static void put_head(struct ft_span_encoder *encoder, enum ft_span_kind kind, uint64_t count)
{
    ft_put_varint(&encoder->spans, count << FT_SPAN_KIND_BITS | kind);
}

static void close_span(struct ft_span_encoder *encoder)
{
    if (encoder->count == 0)
        return;
    put_head(encoder, encoder->kind, encoder->count);
    if (encoder->kind == FT_SPAN_REPEATED) {
        bool is_same = encoder->distance == encoder->written_distance;
        ft_put_varint(&encoder->spans, is_same ? 0 : encoder->distance);
        encoder->written_distance = encoder->distance;
    }
    encoder->count = 0;
    encoder->kind = FT_SPAN_CODED;
}

/* Appends items to the open span, or opens another. */
static void extend(struct ft_span_encoder *encoder, enum ft_span_kind kind, uint64_t count,
                   size_t distance)
{
    if (encoder->kind != kind || (kind == FT_SPAN_REPEATED && encoder->distance != distance))
        close_span(encoder);
    encoder->kind = kind;
    encoder->count += count;
    encoder->distance = distance;
}

/* Bytes of literals that the predictors' misses of a single word would take, estimated from a
 * sample; values[0] is assumed to be a miss. */
static size_t coded_bytes(const uint64_t *values, size_t count)
{
    size_t bytes = 0, sampled = 0;
    for (size_t start = 0; start < count; start += SAMPLE_STRIDE) {
        size_t end = count - start < SAMPLE_ITEMS ? count : start + SAMPLE_ITEMS;
        uint64_t change = 0;
        sampled += end - start;
        for (size_t i = start + (start == 0); i < end; i++) {
            uint64_t next = values[i] - values[i - 1];
            uint64_t size = next + 128 < 256 ? 1 : next + 32768 < 65536 ? 2 : 4;
            bytes += next == 0 || next == change ? 0 : size;
            change = next;
        }
    }
    return bytes * count / (sampled ? sampled : 1);
}

/* Packs the items if that is shorter. */
static bool pack(struct ft_span_encoder *encoder, const uint64_t *values, size_t count,
                 uint64_t last)
{
    struct ft_packing packing;
    if (count < PACKED_ITEMS_MIN || !ft_packing_choose(values, count, &packing))
        return false;
    struct ft_bytes *packed = &encoder->packed;
    size_t bytes = ft_packed_bytes(count, packing.width);
    if (bytes + PACKED_HEAD_BYTES >= coded_bytes(values, count) ||
        !FT_RESERVE(packed->data, packed->capacity, packed->length + bytes + FT_PACKED_BYTES_SLACK))
        return false;
    close_span(encoder);
    put_head(encoder, FT_SPAN_PACKED, count);
    ft_put_varint(&encoder->spans, ft_zigzag(packing.base - last));
    ft_put_u8(&encoder->spans, (uint8_t)packing.shift);
    ft_put_u8(&encoder->spans, (uint8_t)packing.width);
    ft_pack(&packing, values, count, packed->data + packed->length);
    packed->length += bytes;
    return true;
}

enum ft_span_kind ft_span_encoder_next(struct ft_span_encoder *encoder,
                                       const struct ft_span_items *items, size_t done,
                                       uint64_t last, size_t *ret_count)
{
    struct ft_span_finder *finder = &encoder->finder;
    const size_t item_bytes = items->item_bytes;
    size_t at = items->at + done * item_bytes, end = items->at + items->count * item_bytes;
    if (encoder->kind == FT_SPAN_REPEATED && encoder->count) {
        size_t count = ft_span_finder_repeats(finder, at, end, encoder->distance) / item_bytes;
        if (count) {
            encoder->count += count;
            *ret_count = count;
            return FT_SPAN_REPEATED;
        }
    }
    size_t window = items->count - done < WINDOW_ITEMS ? items->count - done : WINDOW_ITEMS;
    size_t limit = at + window * item_bytes;
    size_t found = ft_span_finder_find(finder, at, limit, end, item_bytes);
    size_t count = (found - at) / item_bytes;
    if (count == 0) {
        count = ft_span_finder_repeats(finder, at, end, finder->distance) / item_bytes;
        extend(encoder, FT_SPAN_REPEATED, count, finder->distance);
        *ret_count = count;
        return FT_SPAN_REPEATED;
    }
    *ret_count = count;
    if (items->word_count == 1 && pack(encoder, items->values + done, count, last))
        return FT_SPAN_PACKED;
    extend(encoder, FT_SPAN_CODED, count, 0);
    return FT_SPAN_CODED;
}

enum ft_span_kind ft_span_encoder_last_iteration(struct ft_span_encoder *encoder,
                                                 const struct ft_span_items *items)
{
    size_t at = items->at + items->count * items->item_bytes;
    bool repeats = encoder->kind == FT_SPAN_REPEATED && encoder->count &&
                   ft_span_finder_repeats(&encoder->finder, at, at + items->last_iteration_bytes,
                                          encoder->distance) == items->last_iteration_bytes;
    extend(encoder, repeats ? FT_SPAN_REPEATED : FT_SPAN_CODED, 1, repeats ? encoder->distance : 0);
    return encoder->kind;
}

void ft_span_encoder_finish(struct ft_span_encoder *encoder)
{
    if (encoder->kind == FT_SPAN_REPEATED)
        close_span(encoder);
}
