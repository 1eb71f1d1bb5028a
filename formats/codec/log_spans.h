/*
 * The items of a chunk's loops are cut into spans: items coded one by one, items that repeat
 * earlier ones, and single words that are packed (docs/trace-format.md, "spans"). What encoder and
 * decoder share.
 */
#ifndef FT_FORMATS_CODEC_LOG_SPANS_H
#define FT_FORMATS_CODEC_LOG_SPANS_H

#include "formats/codec/log_codec.h"

enum ft_span_kind {
    FT_SPAN_CODED,    /* item by item */
    FT_SPAN_REPEATED, /* varint: distance back in the history in bytes, 0: the same as last time */
    FT_SPAN_PACKED,   /* varint: base - the word's last value, zigzag; a byte each: shift, width */
    FT_SPAN_KIND_COUNT
};

/* A span begins with a varint: count of items << FT_SPAN_KIND_BITS | kind. */
#define FT_SPAN_KIND_BITS 2U
/* Raw bytes of all items of a chunk with spans. */
#define FT_SPAN_HISTORY_BYTES_MAX (32U << 20)
/* Set beside the direction flag in the payload of a chunk with spans, whose two streams follow the
 * others. */
#define FT_LOG_HAS_SPANS 2U

static inline size_t ft_words_bytes(const struct ft_log_word *words, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += words[i].size_bytes;
    return bytes;
}

/* Raw words as they are logged, 4 or 8 bytes each, to 64 bits. */
static inline void ft_words_widen(const struct ft_log_word *words, size_t count, const uint8_t *raw,
                                  uint64_t *ret_values)
{
    for (size_t i = 0; i < count; i++) {
        if (words[i].size_bytes == 4) {
            uint32_t value;
            memcpy(&value, raw, 4);
            ret_values[i] = value;
        } else {
            memcpy(&ret_values[i], raw, 8);
        }
        raw += words[i].size_bytes;
    }
}

/* The same for `items` consecutive items of the same words. */
static inline void ft_items_widen(const struct ft_log_word *words, size_t count, size_t items,
                                  const uint8_t *raw, uint64_t *ret_values)
{
    if (count == 1 && words->size_bytes == 4) {
        for (size_t i = 0; i < items; i++) {
            uint32_t value;
            memcpy(&value, raw + 4 * i, 4);
            ret_values[i] = value;
        }
    } else if (count == 1) {
        memcpy(ret_values, raw, 8 * items);
    } else {
        const size_t bytes = ft_words_bytes(words, count);
        for (size_t i = 0; i < items; i++)
            ft_words_widen(words, count, raw + i * bytes, ret_values + i * count);
    }
}

/* Words learn all items of a span; the last two are enough, as every item has every word. */
static inline void ft_words_learn_span(struct ft_log_word *words, size_t count, size_t items,
                                       const uint64_t *values, uint64_t *latest)
{
    for (size_t item = items > 2 ? items - 2 : 0; item < items; item++)
        for (size_t i = 0; i < count; i++)
            ft_log_learn(&words[i], &latest[words[i].source], values[item * count + i]);
}

#endif
