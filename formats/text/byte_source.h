/*
 * The bytes of a file, or of standard input, in order and in bounded memory; of a file compressed
 * by gzip, xz or zstd, known by its first bytes, those that were compressed. Adds up the SHA-256 of
 * the file as it is. Failures name the file and where in it. One user at a time.
 */
#ifndef FT_FORMATS_TEXT_BYTE_SOURCE_H
#define FT_FORMATS_TEXT_BYTE_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/sha256.h"

struct ft_byte_source;

/* "-" is standard input. path must outlive the source. */
int ft_byte_source_open(const char *path, struct ft_byte_source **ret_source, struct ft_diag *diag);
void ft_byte_source_close(struct ft_byte_source *source);

/* 1 to `capacity` bytes; *ret_bytes is 0 at the end alone. FT_ERROR_DATA where compressed data are
 * damaged or end too early. */
int ft_byte_source_read(struct ft_byte_source *source, void *buffer, size_t capacity,
                        size_t *ret_bytes, struct ft_diag *diag);

const char *ft_byte_source_name(const struct ft_byte_source *source); /* for messages */
/* Bytes of the file read so far, as they are in it, and in all: 0 if unknown (pipes). */
uint64_t ft_byte_source_bytes(const struct ft_byte_source *source);
uint64_t ft_byte_source_total_bytes(const struct ft_byte_source *source);
/* Of all bytes that were read, once, at the end. */
void ft_byte_source_sha256(struct ft_byte_source *source, char ret_text[FT_SHA256_TEXT]);

#endif
