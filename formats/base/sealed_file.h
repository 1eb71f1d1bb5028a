/*
 * Files of bytes that are valid as a whole or not at all: a kind, a version, a length, a
 * checksum (XXH3-64), then the contents, little-endian as the machine has them. Written to
 * PATH.partial, synced, then renamed. For checkpoints, resumed on this machine or
 * one like it; results are HDF5 (result_file.h).
 *
 * Writing: after a failure puts do nothing, and _finish returns it. Reading: opening verifies the
 * checksum; reading past the end gives zeros and sets `failed`.
 *
 * The same bytes can be written to and read from memory, to send them to another process.
 */
#ifndef FT_FORMATS_BASE_SEALED_FILE_H
#define FT_FORMATS_BASE_SEALED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

struct ft_sealed_output;
/* kind: a word of up to 15 characters. */
int ft_sealed_output_create(const char *path, const char *kind, uint32_t version,
                            struct ft_sealed_output **ret_output, struct ft_diag *diag);
void ft_sealed_put(struct ft_sealed_output *output, const void *data, size_t bytes);
void ft_sealed_put_u64(struct ft_sealed_output *output, uint64_t value);
void ft_sealed_put_text(struct ft_sealed_output *output, const char *text);
int ft_sealed_output_finish(struct ft_sealed_output *output, struct ft_diag *diag);
/* In memory: *bytes and *size, which must outlive the output, are set by _finish; to be freed. */
int ft_sealed_output_create_memory(const char *kind, uint32_t version, char **bytes, size_t *size,
                                   struct ft_sealed_output **ret_output, struct ft_diag *diag);
/* Removes what was not finished. */
void ft_sealed_output_destroy(struct ft_sealed_output *output);

struct ft_sealed_input;
/* FT_ERROR_DATA: another kind or version, or damaged. */
int ft_sealed_input_open(const char *path, const char *kind, uint32_t version,
                         struct ft_sealed_input **ret_input, struct ft_diag *diag);
/* Of any version from oldest to newest. */
int ft_sealed_input_open_any(const char *path, const char *kind, uint32_t oldest, uint32_t newest,
                             struct ft_sealed_input **ret_input, uint32_t *ret_version,
                             struct ft_diag *diag);
/* name: for failures. The bytes must outlive the input. */
int ft_sealed_input_open_memory(const void *bytes, size_t size, const char *name, const char *kind,
                                uint32_t version, struct ft_sealed_input **ret_input,
                                struct ft_diag *diag);
void ft_sealed_get(struct ft_sealed_input *input, void *data, size_t bytes);
uint64_t ft_sealed_get_u64(struct ft_sealed_input *input);
/* malloc'ed; NULL and failed past the end or when out of memory. */
char *ft_sealed_get_text(struct ft_sealed_input *input);
void *ft_sealed_get_array(struct ft_sealed_input *input, uint64_t count, size_t item_bytes);
bool ft_sealed_failed(const struct ft_sealed_input *input);
void ft_sealed_input_close(struct ft_sealed_input *input);

#endif
