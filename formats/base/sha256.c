#include "formats/base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/bytes.h"

void ft_sha256_of_bytes(const void *bytes, size_t count, uint8_t ret_sha256[FT_SHA256_BYTES])
{
    struct sha256_ctx hash;
    sha256_init(&hash);
    sha256_update(&hash, count, bytes);
    sha256_digest(&hash, FT_SHA256_BYTES, ret_sha256);
}

int ft_sha256_of_descriptor(int fd, const char *path, uint8_t ret_sha256[FT_SHA256_BYTES],
                            struct ft_diag *diag)
{
    struct sha256_ctx hash;
    uint8_t buffer[1 << 16];
    ssize_t got;
    sha256_init(&hash);
    for (off_t at = 0; (got = pread(fd, buffer, sizeof buffer, at)) > 0; at += got)
        sha256_update(&hash, (size_t)got, buffer);
    if (got < 0)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
    sha256_digest(&hash, FT_SHA256_BYTES, ret_sha256);
    return FT_OK;
}

int ft_sha256_of_file(const char *path, uint8_t ret_sha256[FT_SHA256_BYTES], struct ft_diag *diag)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
    const int status = ft_sha256_of_descriptor(fd, path, ret_sha256, diag);
    close(fd);
    return status;
}

void ft_sha256_text(const uint8_t sha256[FT_SHA256_BYTES], char ret_text[FT_SHA256_TEXT])
{
    ft_hex_text(sha256, FT_SHA256_BYTES, ret_text);
}
