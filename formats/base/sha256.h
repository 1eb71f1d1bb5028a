/*
 * SHA-256 of bytes and files (FIPS 180-4; Nettle), and as text. Thread safe.
 */
#ifndef FT_FORMATS_BASE_SHA256_H
#define FT_FORMATS_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

#define FT_SHA256_BYTES 32
#define FT_SHA256_TEXT  (2 * FT_SHA256_BYTES + 1) /* hexadecimal, and the 0 */

void ft_sha256_of_bytes(const void *bytes, size_t count, uint8_t ret_sha256[FT_SHA256_BYTES]);
/* path: for failures. The whole file, wherever its position is; that stays. */
int ft_sha256_of_descriptor(int fd, const char *path, uint8_t ret_sha256[FT_SHA256_BYTES],
                            struct ft_diag *diag);
int ft_sha256_of_file(const char *path, uint8_t ret_sha256[FT_SHA256_BYTES], struct ft_diag *diag);
void ft_sha256_text(const uint8_t sha256[FT_SHA256_BYTES], char ret_text[FT_SHA256_TEXT]);

#endif
