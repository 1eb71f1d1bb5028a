#include "formats/commands/verify_archive.h"

#include <stdio.h>

#include "formats/archive/archive_check.h"
#include "formats/base/number_text.h"
#include "formats/cli/json.h"
#include "formats/cli/progress_line.h"

static void print_text(const char *path, const struct ft_archive_check *check)
{
    char bytes[FT_NUMBER_TEXT];
    for (size_t i = 0; i < check->fault_count; i++)
        printf("%s: %s %s\n", path, check->faults[i].name,
               ft_archive_fault_text(check->faults[i].kind));
    if (check->fault_count == 0)
        printf("%s: archive of %zu files, %s; all are as archived\n", path, check->sums.count,
               ft_text_bytes(bytes, (double)check->bytes));
}

static int print_json(const char *path, const struct ft_archive_check *check, struct ft_diag *diag)
{
    json_t *faults = json_array();
    for (size_t i = 0; i < check->fault_count; i++)
        ft_json_append(&faults, json_pack("{s:o, s:s}", "path", ft_json_text(check->faults[i].name),
                                          "fault", ft_archive_fault_text(check->faults[i].kind)));
    return ft_json_write(json_pack("{s:s, s:o, s:I, s:I, s:o}", "kind", "archive", "path",
                                   ft_json_text(path), "files", (json_int_t)check->sums.count,
                                   "bytes", (json_int_t)check->bytes, "faults", faults),
                         stdout, diag);
}

/* The message has the first fault. */
static int fail(const char *path, const struct ft_archive_check *check, struct ft_diag *diag)
{
    const struct ft_archive_fault *first = &check->faults[0];
    return check->fault_count == 1
               ? ft_fail(diag, FT_ERROR_DATA, "%s: %.300s %s", path, first->name,
                         ft_archive_fault_text(first->kind))
               : ft_fail(diag, FT_ERROR_DATA, "%s: %zu files are not as archived; %.300s %s", path,
                         check->fault_count, first->name, ft_archive_fault_text(first->kind));
}

int ft_verify_archive(const char *path, bool as_json, struct ft_diag *diag)
{
    struct ft_archive_check check;
    struct ft_progress_line progress;
    ft_progress_line_init(&progress, "verify");
    int status = ft_archive_check(path, -1, &progress.base, &check, diag);
    ft_progress_line_fini(&progress);
    if (status != FT_OK)
        return status;
    if (as_json)
        status = print_json(path, &check, diag);
    else
        print_text(path, &check);
    if (status == FT_OK && check.fault_count > 0)
        status = fail(path, &check, diag);
    ft_archive_check_fini(&check);
    return status;
}
