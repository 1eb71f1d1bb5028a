/*
 * One pass over all files, with their sums; the list may come last. Then both are compared, faults
 * in the order of the list, and what is in no list behind them.
 */
#include "formats/archive/archive_check.h"

#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

#include "formats/archive/archive_input.h"
#include "formats/base/array.h"

#define BUFFER_BYTES   ((size_t)1 << 18)
#define LIST_BYTES_MAX ((size_t)64 << 20)

struct pass {
    const char *path;
    struct ft_archive_input *input;
    struct ft_progress *progress;
    struct ft_archive_check *check;
    struct ft_archive_sums found;
    char *list; /* the text of SHA256SUMS */
    size_t list_bytes, list_capacity;
    uint8_t *buffer;
};

const char *ft_archive_fault_text(enum ft_archive_fault_kind kind)
{
    static const char *const texts[] = {
        [FT_ARCHIVE_MISSING] = "is missing", [FT_ARCHIVE_CHANGED] = "has changed",
        [FT_ARCHIVE_ADDED] = "was added",    [FT_ARCHIVE_TWICE] = "is there twice",
        [FT_ARCHIVE_NO_FILE] = "is no file",
    };
    return texts[kind];
}

static int add_fault(struct ft_archive_check *check, enum ft_archive_fault_kind kind,
                     const char *name, struct ft_diag *diag)
{
    char *copy = strdup(name);
    if (!copy || !FT_RESERVE(check->faults, check->fault_capacity, check->fault_count + 1)) {
        free(copy);
        return ft_fail_memory(diag, "an archive");
    }
    check->faults[check->fault_count++] = (struct ft_archive_fault){kind, copy};
    return FT_OK;
}

static int keep_list(struct pass *pass, size_t bytes, struct ft_diag *diag)
{
    if (pass->list_bytes + bytes > LIST_BYTES_MAX)
        return ft_fail(diag, FT_ERROR_DATA, "%s: " FT_ARCHIVE_SUMS " is too long", pass->path);
    if (!FT_RESERVE(pass->list, pass->list_capacity, pass->list_bytes + bytes + 1))
        return ft_fail_memory(diag, "an archive");
    memcpy(pass->list + pass->list_bytes, pass->buffer, bytes);
    pass->list_bytes += bytes;
    pass->list[pass->list_bytes] = 0;
    return FT_OK;
}

static int hash_file(struct pass *pass, struct ft_archive_sum *sum, bool is_list,
                     struct ft_diag *diag)
{
    struct sha256_ctx hash;
    size_t got = 1;
    sha256_init(&hash);
    if (is_list)
        FT_TRY(keep_list(pass, 0, diag)); /* an empty one is there, too */
    while (got > 0) {
        FT_TRY(ft_archive_input_read(pass->input, pass->buffer, BUFFER_BYTES, &got, diag));
        sha256_update(&hash, got, pass->buffer);
        if (is_list)
            FT_TRY(keep_list(pass, got, diag));
        sum->bytes += got;
        pass->check->bytes += got;
        ft_progress_update(pass->progress, pass->check->bytes, 0, "bytes");
    }
    sha256_digest(&hash, sizeof sum->sha256, sum->sha256);
    return FT_OK;
}

static int take_file(struct pass *pass, const struct ft_archive_entry *entry, struct ft_diag *diag)
{
    struct ft_archive_sum sum = {.name = (char *)entry->name};
    const bool is_list = strcmp(entry->name, FT_ARCHIVE_SUMS) == 0;
    if (!entry->is_file)
        return add_fault(pass->check, FT_ARCHIVE_NO_FILE, entry->name, diag);
    if (ft_archive_sums_find(&pass->found, entry->name))
        return add_fault(pass->check, FT_ARCHIVE_TWICE, entry->name, diag);
    FT_TRY(hash_file(pass, &sum, is_list, diag));
    return ft_archive_sums_add(&pass->found, &sum, diag);
}

static bool has_fault(const struct ft_archive_check *check, const char *name)
{
    for (size_t i = 0; i < check->fault_count; i++)
        if (strcmp(check->faults[i].name, name) == 0)
            return true;
    return false;
}

static int compare(const struct pass *pass, struct ft_diag *diag)
{
    struct ft_archive_check *check = pass->check;
    for (size_t i = 0; i < check->sums.count; i++) {
        const struct ft_archive_sum *listed = &check->sums.items[i];
        const struct ft_archive_sum *found = ft_archive_sums_find(&pass->found, listed->name);
        if (!found && !has_fault(check, listed->name))
            FT_TRY(add_fault(check, FT_ARCHIVE_MISSING, listed->name, diag));
        if (found && memcmp(found->sha256, listed->sha256, sizeof found->sha256) != 0)
            FT_TRY(add_fault(check, FT_ARCHIVE_CHANGED, listed->name, diag));
    }
    for (size_t i = 0; i < pass->found.count; i++) {
        const char *name = pass->found.items[i].name;
        if (strcmp(name, FT_ARCHIVE_SUMS) != 0 && !ft_archive_sums_find(&check->sums, name))
            FT_TRY(add_fault(check, FT_ARCHIVE_ADDED, name, diag));
    }
    return FT_OK;
}

static int check_all(struct pass *pass, struct ft_diag *diag)
{
    struct ft_archive_entry entry;
    FT_TRY(ft_archive_input_next(pass->input, &entry, diag));
    while (entry.name) {
        FT_TRY(take_file(pass, &entry, diag));
        FT_TRY(ft_archive_input_next(pass->input, &entry, diag));
    }
    if (!pass->list)
        return ft_fail(diag, FT_ERROR_DATA,
                       "%s: has no " FT_ARCHIVE_SUMS ": it is no archive of foretrace, or that "
                       "is missing",
                       pass->path);
    if (strlen(pass->list) < pass->list_bytes)
        return ft_fail(diag, FT_ERROR_DATA, "%s: " FT_ARCHIVE_SUMS " is damaged", pass->path);
    FT_TRY(ft_archive_sums_parse(pass->list, pass->path, &pass->check->sums, diag));
    return compare(pass, diag);
}

int ft_archive_check(const char *path, int stop_fd, struct ft_progress *progress,
                     struct ft_archive_check *ret_check, struct ft_diag *diag)
{
    struct ft_archive_check check = {0};
    struct pass pass = {.path = path, .progress = progress, .check = &check};
    FT_TRY(ft_archive_input_open(path, stop_fd, &pass.input, diag));
    pass.buffer = malloc(BUFFER_BYTES);
    const int status = pass.buffer ? check_all(&pass, diag) : ft_fail_memory(diag, path);
    ft_archive_input_close(pass.input);
    ft_archive_sums_fini(&pass.found);
    free(pass.list);
    free(pass.buffer);
    if (status == FT_OK)
        *ret_check = check;
    else
        ft_archive_check_fini(&check);
    return status;
}

void ft_archive_check_fini(struct ft_archive_check *check)
{
    for (size_t i = 0; i < check->fault_count; i++)
        free(check->faults[i].name);
    free(check->faults);
    ft_archive_sums_fini(&check->sums);
    *check = (struct ft_archive_check){0};
}
