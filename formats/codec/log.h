/*
 * The log: what a thread executed, as records in order. This codec converts raw buffers (unit.h)
 * to compact chunks and back.
 *
 * Encoding remembers, per unit and slot, the last value and the last difference, and per unit its
 * last successor; a record that was predicted costs a bit or two, another a code and a literal of
 * as many bytes as needed (docs/trace-format.md, "log chunks"). The memory starts empty in every
 * chunk, so that each chunk can be decoded alone. zstd comes after it (container).
 */
#ifndef FT_FORMATS_CODEC_LOG_H
#define FT_FORMATS_CODEC_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/bytes.h"
#include "formats/base/status.h"
#include "formats/expand/record.h"

/* Logical size of every chunk, its description and padding included. */
#define FT_CHUNK_BYTES             (4U << 20)
#define FT_CHUNK_PAYLOAD_BYTES_MAX (FT_CHUNK_BYTES - 64)

struct ft_log_encoder;
int ft_log_encoder_create(struct ft_log_encoder **ret_encoder, struct ft_diag *diag);
void ft_log_encoder_destroy(struct ft_log_encoder *encoder);
/* Starts a chunk. */
void ft_log_encoder_start(struct ft_log_encoder *encoder, const struct ft_log_state *state);
/* Appends whole raw records from a buffer whose first byte has address buffer_address in the
 * captured program. */
int ft_log_encoder_append(struct ft_log_encoder *encoder, const struct ft_unit_table *units,
                          const uint8_t *records, size_t bytes, uint64_t buffer_address,
                          struct ft_diag *diag);
/* Whether raw_bytes more raw bytes are sure to fit into this chunk; where not, finish it and start
 * the next before appending. An empty chunk takes FT_LOG_APPEND_BYTES_MAX. */
bool ft_log_encoder_fits(const struct ft_log_encoder *encoder, size_t raw_bytes);
#define FT_LOG_APPEND_BYTES_MAX (1U << 20)
/* Ends the chunk: its payload (*ret_payload is emptied first and owned by the caller, who may pass
 * the same one again), what it counts, and the state that the next chunk starts from. */
int ft_log_encoder_finish(struct ft_log_encoder *encoder, struct ft_bytes *ret_payload,
                          struct ft_log_totals *ret_totals, struct ft_log_state *ret_next);

/* The units that records named for the first time since this was asked last (ids, and how many);
 * the encoder's until it is used again. Beginnings of paths come with their path. */
size_t ft_log_encoder_met(struct ft_log_encoder *encoder, const uint32_t **ret_units);

struct ft_log_decoder;
int ft_log_decoder_create(const struct ft_unit_table *units, struct ft_log_decoder **ret_decoder,
                          struct ft_diag *diag);
void ft_log_decoder_destroy(struct ft_log_decoder *decoder);
/* Starts on a chunk's payload, which must outlive the decoding of the chunk. Loops that ran more
 * instructions than the chunk counts are invalid: a few bytes can stand for 2^60 iterations. */
int ft_log_decoder_start(struct ft_log_decoder *decoder, const uint8_t *payload, size_t bytes,
                         uint64_t instructions, struct ft_log_state *ret_state,
                         struct ft_diag *diag);
/* Gives the next up to `limit` records; *ret_count 0 at the end of the chunk. */
int ft_log_decoder_next(struct ft_log_decoder *decoder, struct ft_record *ret_records, size_t limit,
                        size_t *ret_count, struct ft_diag *diag);

#endif
