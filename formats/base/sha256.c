#include "formats/base/sha256.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool hash_stream(FILE *file, uint8_t ret_sha256[FT_SHA256_BYTES])
{
    struct sha256_ctx hash;
    uint8_t buffer[1 << 15];
    size_t got;
    sha256_init(&hash);
    while ((got = fread(buffer, 1, sizeof buffer, file)) > 0)
        sha256_update(&hash, got, buffer);
    sha256_digest(&hash, FT_SHA256_BYTES, ret_sha256);
    return !ferror(file);
}

int ft_sha256_of_file(const char *path, uint8_t ret_sha256[FT_SHA256_BYTES], struct ft_diag *diag)
{
    FILE *file = fopen(path, "re");
    const bool is_read = file && hash_stream(file, ret_sha256);
    const int error = errno;
    if (file)
        (void)fclose(file); /* it was only read */
    return is_read ? FT_OK : ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(error));
}

void ft_sha256_text(const uint8_t sha256[FT_SHA256_BYTES], char ret_text[FT_SHA256_TEXT])
{
    for (size_t i = 0; i < FT_SHA256_BYTES; i++)
        snprintf(ret_text + 2 * i, 3, "%02x", sha256[i]);
}
