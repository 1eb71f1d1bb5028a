/*
 * The log: what a thread executed, as a sequence of records. This codec converts raw buffers
 * (unit.h) to compact chunks and back.
 *
 * The encoder remembers the last value and the last difference of each slot, and the successor of
 * each unit. A predicted record costs a bit or two; any other a code and a literal as wide as it
 * has to be (docs/trace-format.md, "log chunks"). Each chunk starts from an empty memory and so can
 * be decoded alone. The container compresses chunks with zstd.
 */
#ifndef FT_FORMATS_CODEC_LOG_H
#define FT_FORMATS_CODEC_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/bytes.h"
#include "formats/base/status.h"
#include "formats/expand/record.h"

/* Size of every chunk, description and padding included. */
#define FT_CHUNK_BYTES             (4U << 20)
#define FT_CHUNK_PAYLOAD_BYTES_MAX (FT_CHUNK_BYTES - 64)

struct ft_log_encoder;
int ft_log_encoder_create(struct ft_log_encoder **ret_encoder, struct ft_diag *diag);
void ft_log_encoder_destroy(struct ft_log_encoder *encoder);
/* Starts a chunk. */
void ft_log_encoder_start(struct ft_log_encoder *encoder, const struct ft_log_state *state);
/* Appends whole raw records. */
int ft_log_encoder_append(struct ft_log_encoder *encoder, const struct ft_unit_table *units,
                          const uint8_t *records, size_t bytes, struct ft_diag *diag);
/* Whether raw_bytes more are certain to fit into this chunk; if not, finish it and start the next
 * one before appending. An empty chunk takes FT_LOG_APPEND_BYTES_MAX. */
bool ft_log_encoder_fits(const struct ft_log_encoder *encoder, size_t raw_bytes);
#define FT_LOG_APPEND_BYTES_MAX (1U << 20)
/* Ends the chunk and gives its payload, its totals and the state that the next chunk starts from.
 * *ret_payload is the caller's, emptied first, and may be passed again. */
int ft_log_encoder_finish(struct ft_log_encoder *encoder, struct ft_bytes *ret_payload,
                          struct ft_log_totals *ret_totals, struct ft_log_state *ret_next);

/* The ids of the units that records have named for the first time since the last call, and their
 * number; valid until the encoder is used again. A beginning of a path comes with its path. */
size_t ft_log_encoder_met(struct ft_log_encoder *encoder, const uint32_t **ret_units);

struct ft_log_decoder;
int ft_log_decoder_create(const struct ft_unit_table *units, struct ft_log_decoder **ret_decoder,
                          struct ft_diag *diag);
void ft_log_decoder_destroy(struct ft_log_decoder *decoder);
/* Starts a chunk, whose payload must stay until it is decoded. Loops that ran more instructions
 * than the chunk counts are invalid: a few bytes can encode 2^60 iterations. */
int ft_log_decoder_start(struct ft_log_decoder *decoder, const uint8_t *payload, size_t bytes,
                         uint64_t instructions, struct ft_log_state *ret_state,
                         struct ft_diag *diag);
/* Gives the next records, at most `limit`; *ret_count is 0 at the end of the chunk. */
int ft_log_decoder_next(struct ft_log_decoder *decoder, struct ft_record *ret_records, size_t limit,
                        size_t *ret_count, struct ft_diag *diag);

#endif
