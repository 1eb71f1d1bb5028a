/*
 * Reads the spans of a chunk's loops for the log's decoder (log_spans.h). A chunk without spans is
 * read as one endless span of CODED items.
 *
 * For the items of each record, call ft_span_decoder_next until all are taken. The caller decodes
 * CODED items and notes them; the others are given to it. False means that the spans are damaged or
 * memory is short; the history is bounded by FT_SPAN_HISTORY_BYTES_MAX.
 */
#ifndef FT_FORMATS_CODEC_SPAN_DECODER_H
#define FT_FORMATS_CODEC_SPAN_DECODER_H

#include "formats/codec/log_spans.h"
#include "formats/codec/packed_values.h"

struct ft_span_decoder {
    bool has_spans;
    struct ft_cursor spans, packed;
    struct ft_bytes history; /* raw bytes of the chunk's items */
    enum ft_span_kind kind;  /* of the current span */
    uint64_t left;           /* items of it still to come */
    size_t distance;
    uint64_t base_change; /* PACKED: base - the word's last value */
    struct ft_packing packing;
};

void ft_span_decoder_fini(struct ft_span_decoder *decoder);
/* Starts a chunk; both streams are NULL if it has no spans. */
void ft_span_decoder_start(struct ft_span_decoder *decoder, struct ft_cursor spans,
                           struct ft_cursor packed);
/* An upper bound on the items of at least 4 bytes that may follow. */
size_t ft_span_decoder_room(const struct ft_span_decoder *decoder);
/* Gives the kind of the next items and how many there are, at most `items`. */
bool ft_span_decoder_next(struct ft_span_decoder *decoder, size_t items,
                          enum ft_span_kind *ret_kind, size_t *ret_count);
/* Adds items that were CODED to the history. */
bool ft_span_decoder_note(struct ft_span_decoder *decoder, const struct ft_log_word *words,
                          size_t word_count, size_t items, const uint64_t *values);
/* Gives the values of items that are not CODED; the words learn them. */
bool ft_span_decoder_take(struct ft_span_decoder *decoder, struct ft_log_word *words,
                          size_t word_count, size_t items, uint64_t *latest, uint64_t *ret_values);

#endif
