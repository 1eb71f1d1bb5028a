/*
 * Cuts the items of loops into spans for the log's encoder, and writes the stream of spans. One
 * belongs to one encoder.
 *
 * For each record, call ft_span_encoder_begin with its items, then ft_span_encoder_next until all
 * are taken. The caller codes the CODED items; the others are done.
 */
#ifndef FT_FORMATS_CODEC_SPAN_ENCODER_H
#define FT_FORMATS_CODEC_SPAN_ENCODER_H

#include "formats/codec/log_spans.h"
#include "formats/codec/span_finder.h"

struct ft_span_encoder {
    struct ft_span_finder finder;
    struct ft_bytes spans, packed;
    enum ft_span_kind kind; /* of the span that is open: CODED or REPEATED */
    uint64_t count;         /* its items so far */
    size_t distance, written_distance;
};

/* The items of a record's iterations, followed by that of the last iteration. */
struct ft_span_items {
    const uint8_t *raw;
    const uint64_t *values;
    size_t count, word_count;
    size_t item_bytes, last_iteration_bytes;
    size_t at; /* in the history: set by begin */
};

bool ft_span_encoder_init(struct ft_span_encoder *encoder);
void ft_span_encoder_fini(struct ft_span_encoder *encoder);
void ft_span_encoder_reset(struct ft_span_encoder *encoder);

/* False when out of memory. */
bool ft_span_encoder_begin(struct ft_span_encoder *encoder, struct ft_span_items *items);
/* Gives the kind and number of the items from the `done`-th on; `last` is the last value of their
 * first word. */
enum ft_span_kind ft_span_encoder_next(struct ft_span_encoder *encoder,
                                       const struct ft_span_items *items, size_t done,
                                       uint64_t last, size_t *ret_count);
/* The kind of the item of the last iteration, after those of the complete ones. */
enum ft_span_kind ft_span_encoder_last_iteration(struct ft_span_encoder *encoder,
                                                 const struct ft_span_items *items);
/* Ends the chunk's last span. If all items are CODED, both streams are empty. */
void ft_span_encoder_finish(struct ft_span_encoder *encoder);

#endif
