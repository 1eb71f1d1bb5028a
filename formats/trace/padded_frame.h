/*
 * zstd frames whose content ends with many zeros, made without compressing the zeros (RFC 8878);
 * any zstd can read them. Thread safe.
 */
#ifndef FT_FORMATS_TRACE_PADDED_FRAME_H
#define FT_FORMATS_TRACE_PADDED_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/bytes.h"
#include "formats/base/status.h"

/* Bytes of a frame's header, by its descriptor (the byte after the magic number). */
size_t ft_frame_header_bytes(uint8_t descriptor);

/* Bytes of the largest frame for a content of this size. */
size_t ft_padded_frame_bytes_max(size_t content_bytes);

/* A frame of content_bytes (at least 1, below 2^32): head, body, zeros; with content size and
 * checksum. The caller owns ret_frame->data (ft_bytes_fini). */
int ft_padded_frame(const struct ft_bytes *head, const uint8_t *body, size_t body_bytes,
                    size_t content_bytes, int level, struct ft_bytes *ret_frame,
                    struct ft_diag *diag);

#endif
