#include "formats/commands/verify_archive.h"

#include <stdio.h>

#include "formats/archive/archive_check.h"
#include "formats/base/number_text.h"
#include "formats/cli/progress_line.h"

/* All faults on stdout; the message has the first one. */
static int print_faults(const char *path, const struct ft_archive_check *check,
                        struct ft_diag *diag)
{
    const struct ft_archive_fault *first = &check->faults[0];
    for (size_t i = 0; i < check->fault_count; i++)
        printf("%s: %s %s\n", path, check->faults[i].name,
               ft_archive_fault_text(check->faults[i].kind));
    return check->fault_count == 1
               ? ft_fail(diag, FT_ERROR_DATA, "%s: %.300s %s", path, first->name,
                         ft_archive_fault_text(first->kind))
               : ft_fail(diag, FT_ERROR_DATA, "%s: %zu files are not as archived; %.300s %s", path,
                         check->fault_count, first->name, ft_archive_fault_text(first->kind));
}

int ft_verify_archive(const char *path, struct ft_diag *diag)
{
    struct ft_archive_check check;
    struct ft_progress_line progress;
    char bytes[FT_NUMBER_TEXT];
    ft_progress_line_init(&progress, "verify");
    int status = ft_archive_check(path, -1, &progress.base, &check, diag);
    ft_progress_line_fini(&progress);
    if (status != FT_OK)
        return status;
    if (check.fault_count > 0)
        status = print_faults(path, &check, diag);
    else
        printf("%s: archive of %zu files, %s; all are as archived\n", path, check.sums.count,
               ft_text_bytes(bytes, (double)check.bytes));
    ft_archive_check_fini(&check);
    return status;
}
