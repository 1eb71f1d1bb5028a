/*
 * Whether the files of an archive are those of its SHA256SUMS: what is missing, changed or added.
 */
#ifndef FT_FORMATS_ARCHIVE_ARCHIVE_CHECK_H
#define FT_FORMATS_ARCHIVE_ARCHIVE_CHECK_H

#include "formats/archive/sums.h"
#include "formats/base/progress.h"

enum ft_archive_fault_kind {
    FT_ARCHIVE_MISSING,
    FT_ARCHIVE_CHANGED,
    FT_ARCHIVE_ADDED,
    FT_ARCHIVE_TWICE,   /* in a tar file, of which only the last one is unpacked */
    FT_ARCHIVE_NO_FILE, /* a link or device */
};

struct ft_archive_fault {
    enum ft_archive_fault_kind kind;
    char *name;
};

struct ft_archive_check {
    struct ft_archive_sums sums; /* as they are listed */
    uint64_t bytes;              /* of all files that are there */
    struct ft_archive_fault *faults;
    size_t fault_count, fault_capacity;
};

/* "is missing" ... */
const char *ft_archive_fault_text(enum ft_archive_fault_kind kind);

/* FT_OK even if there are faults. FT_ERROR_DATA: it cannot be read to its end, or has no list.
 * stop_fd: as in archive_input.h. */
int ft_archive_check(const char *path, int stop_fd, struct ft_progress *progress,
                     struct ft_archive_check *ret_check, struct ft_diag *diag);
void ft_archive_check_fini(struct ft_archive_check *check);

#endif
