/*
 * The files of an archive with their SHA-256 sums, as in the SHA256SUMS that sha256sum(1) makes and
 * checks (GNU coreutils): 64 hex digits, two blanks, the name.
 *
 * Names are relative, with / between components. Owned.
 */
#ifndef FT_FORMATS_ARCHIVE_SUMS_H
#define FT_FORMATS_ARCHIVE_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "formats/base/sha256.h"

#define FT_ARCHIVE_SUMS "SHA256SUMS" /* the file's name in an archive */

struct ft_archive_sum {
    char *name;
    uint64_t bytes; /* 0 in a list that was read: it does not say it */
    uint8_t sha256[FT_SHA256_BYTES];
};

struct ft_archive_sums {
    struct ft_archive_sum *items;
    size_t count, capacity;
};

/* Whether files may have that name in an archive: relative, without empty, "." and ".." components,
 * line breaks, backslashes and other control characters. */
bool ft_archive_name_is_safe(const char *name);

int ft_archive_sums_add(struct ft_archive_sums *sums, const struct ft_archive_sum *sum,
                        struct ft_diag *diag);
const struct ft_archive_sum *ft_archive_sums_find(const struct ft_archive_sums *sums,
                                                  const char *name);
void ft_archive_sums_print(const struct ft_archive_sums *sums, FILE *stream);
/* text: 0-terminated; path: for messages. FT_ERROR_DATA names the line. */
int ft_archive_sums_parse(const char *text, const char *path, struct ft_archive_sums *ret_sums,
                          struct ft_diag *diag);
void ft_archive_sums_fini(struct ft_archive_sums *sums);

#endif
