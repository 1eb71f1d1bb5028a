#include "formats/archive/sums.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

bool ft_archive_name_is_safe(const char *name)
{
    for (const char *at = name;; at++) {
        const size_t length = strcspn(at, "/");
        const bool is_dots = strncmp(at, "..", length) == 0 && length <= 2;
        if (length == 0 || is_dots)
            return false;
        for (size_t i = 0; i < length; i++)
            if ((unsigned char)at[i] < 0x20 || at[i] == 0x7f || at[i] == '\\')
                return false;
        at += length;
        if (!*at)
            return true;
    }
}

int ft_archive_sums_add(struct ft_archive_sums *sums, const struct ft_archive_sum *sum,
                        struct ft_diag *diag)
{
    char *name = strdup(sum->name);
    if (!name || !FT_RESERVE(sums->items, sums->capacity, sums->count + 1)) {
        free(name);
        return ft_fail_memory(diag, "the files of an archive");
    }
    sums->items[sums->count] = *sum;
    sums->items[sums->count++].name = name;
    return FT_OK;
}

const struct ft_archive_sum *ft_archive_sums_find(const struct ft_archive_sums *sums,
                                                  const char *name)
{
    for (size_t i = 0; i < sums->count; i++)
        if (strcmp(sums->items[i].name, name) == 0)
            return &sums->items[i];
    return NULL;
}

void ft_archive_sums_print(const struct ft_archive_sums *sums, FILE *stream)
{
    for (size_t i = 0; i < sums->count; i++) {
        char digits[FT_SHA256_TEXT];
        ft_sha256_text(sums->items[i].sha256, digits);
        fprintf(stream, "%s  %s\n", digits, sums->items[i].name);
    }
}

/* -1: none. */
static int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool parse_digits(const char *text, uint8_t ret_sha256[FT_SHA256_BYTES])
{
    for (size_t i = 0; i < FT_SHA256_BYTES; i++) {
        const int high = digit_of(text[2 * i]);
        const int low = high < 0 ? -1 : digit_of(text[2 * i + 1]);
        if (low < 0)
            return false;
        ret_sha256[i] = (uint8_t)(16 * high + low);
    }
    return true;
}

/* line: a copy that may be changed. Behind the digits stands a blank, and another or a star. */
static int parse_line(char *line, const char *path, size_t number, struct ft_archive_sums *sums,
                      struct ft_diag *diag)
{
    struct ft_archive_sum sum = {.name = NULL};
    if (parse_digits(line, sum.sha256) && line[FT_SHA256_TEXT - 1] == ' ' &&
        (line[FT_SHA256_TEXT] == ' ' || line[FT_SHA256_TEXT] == '*'))
        sum.name = line + FT_SHA256_TEXT + 1;
    if (!sum.name || !ft_archive_name_is_safe(sum.name) || ft_archive_sums_find(sums, sum.name))
        return ft_fail(diag, FT_ERROR_DATA, "%s: line %zu of " FT_ARCHIVE_SUMS " is invalid", path,
                       number);
    return ft_archive_sums_add(sums, &sum, diag);
}

int ft_archive_sums_parse(const char *text, const char *path, struct ft_archive_sums *ret_sums,
                          struct ft_diag *diag)
{
    struct ft_archive_sums sums = {0};
    int status = FT_OK;
    for (size_t number = 1; *text && status == FT_OK; number++) {
        const size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);
        status = line ? parse_line(line, path, number, &sums, diag)
                      : ft_fail_memory(diag, "the files of an archive");
        free(line);
        text += length + (text[length] == '\n');
    }
    if (status == FT_OK)
        *ret_sums = sums;
    else
        ft_archive_sums_fini(&sums);
    return status;
}

void ft_archive_sums_fini(struct ft_archive_sums *sums)
{
    for (size_t i = 0; i < sums->count; i++)
        free(sums->items[i].name);
    free(sums->items);
    *sums = (struct ft_archive_sums){0};
}
