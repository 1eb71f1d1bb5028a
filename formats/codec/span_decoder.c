/*
 * Spans other than packed ones may cross records. Every count, distance and width is checked
 * against the data at hand, as a damaged chunk may contain anything.
 */
#include "formats/codec/span_decoder.h"

#include "formats/base/array.h"

void ft_span_decoder_fini(struct ft_span_decoder *decoder)
{
    ft_bytes_fini(&decoder->history);
}

void ft_span_decoder_start(struct ft_span_decoder *decoder, struct ft_cursor spans,
                           struct ft_cursor packed)
{
    decoder->has_spans = spans.data;
    decoder->spans = spans;
    decoder->packed = packed;
    decoder->history.length = 0;
    decoder->left = 0;
    decoder->distance = 0;
}

size_t ft_span_decoder_room(const struct ft_span_decoder *decoder)
{
    return (FT_SPAN_HISTORY_BYTES_MAX - decoder->history.length) / 4;
}

/* Reads the head of the next span; after the last one all items are CODED. */
static bool next_span(struct ft_span_decoder *decoder)
{
    struct ft_cursor *spans = &decoder->spans;
    decoder->kind = FT_SPAN_CODED;
    decoder->left = UINT64_MAX;
    if (!decoder->has_spans || spans->position == spans->length)
        return true;
    uint64_t head = ft_get_varint(spans);
    uint64_t kind = head & ((1U << FT_SPAN_KIND_BITS) - 1);
    if (kind >= FT_SPAN_KIND_COUNT)
        return false;
    decoder->kind = (enum ft_span_kind)kind;
    decoder->left = head >> FT_SPAN_KIND_BITS;
    if (kind == FT_SPAN_REPEATED) {
        uint64_t distance = ft_get_varint(spans);
        if (distance > FT_SPAN_HISTORY_BYTES_MAX)
            return false;
        decoder->distance = distance ? distance : decoder->distance;
    } else if (kind == FT_SPAN_PACKED) {
        decoder->base_change = ft_unzigzag(ft_get_varint(spans));
        decoder->packing.shift = ft_get_u8(spans);
        decoder->packing.width = ft_get_u8(spans);
    }
    return !spans->failed && decoder->left > 0;
}

bool ft_span_decoder_next(struct ft_span_decoder *decoder, size_t items,
                          enum ft_span_kind *ret_kind, size_t *ret_count)
{
    if (decoder->left == 0 && !next_span(decoder))
        return false;
    if (decoder->kind == FT_SPAN_PACKED && decoder->left > items)
        return false;
    size_t count = decoder->left < items ? decoder->left : items;
    decoder->left -= count;
    *ret_kind = decoder->kind;
    *ret_count = count;
    return true;
}

/* Makes room at the end of the history. */
static bool reserve(struct ft_span_decoder *decoder, size_t bytes)
{
    struct ft_bytes *history = &decoder->history;
    return bytes <= FT_SPAN_HISTORY_BYTES_MAX - history->length &&
           FT_RESERVE(history->data, history->capacity, history->length + bytes);
}

bool ft_span_decoder_note(struct ft_span_decoder *decoder, const struct ft_log_word *words,
                          size_t word_count, size_t items, const uint64_t *values)
{
    if (!decoder->has_spans)
        return true;
    if (!reserve(decoder, items * ft_words_bytes(words, word_count)))
        return false;
    uint8_t *to = decoder->history.data + decoder->history.length;
    for (size_t item = 0; item < items; item++)
        for (size_t i = 0; i < word_count; i++) {
            memcpy(to, values++, words[i].size_bytes);
            to += words[i].size_bytes;
        }
    decoder->history.length = (size_t)(to - decoder->history.data);
    return true;
}

/* Appends a copy of earlier bytes of the history; source and copy may overlap, as in LZ77. */
static bool repeat(struct ft_span_decoder *decoder, size_t bytes)
{
    struct ft_bytes *history = &decoder->history;
    size_t distance = decoder->distance;
    if (distance == 0 || distance > history->length || !reserve(decoder, bytes))
        return false;
    uint8_t *to = history->data + history->length;
    history->length += bytes;
    for (size_t part; bytes; bytes -= part, to += part) {
        part = bytes < distance ? bytes : distance;
        memcpy(to, to - distance, part);
    }
    return true;
}

bool ft_span_decoder_take(struct ft_span_decoder *decoder, struct ft_log_word *words,
                          size_t word_count, size_t items, uint64_t *latest, uint64_t *ret_values)
{
    if (decoder->kind == FT_SPAN_REPEATED) {
        size_t at = decoder->history.length;
        if (!repeat(decoder, items * ft_words_bytes(words, word_count)))
            return false;
        ft_items_widen(words, word_count, items, decoder->history.data + at, ret_values);
    } else {
        struct ft_packing *packing = &decoder->packing;
        if (word_count != 1 || packing->width > FT_PACKED_WIDTH_MAX || packing->shift > 63)
            return false;
        const uint8_t *packed = ft_get(&decoder->packed, ft_packed_bytes(items, packing->width));
        if (!packed)
            return false;
        packing->base = words->last + decoder->base_change;
        ft_unpack(packing, packed, items, ret_values);
        if (!ft_span_decoder_note(decoder, words, 1, items, ret_values))
            return false;
    }
    ft_words_learn_span(words, word_count, items, ret_values, latest);
    return true;
}
