/*
 * An archive being written: a folder, or a tar file compressed with zstd where the name ends with
 * .tar.zst; there all files are in one folder, which is called as the archive is. Under
 * NAME.partial until all is written and synced.
 *
 * Files are hashed as they are written; SHA256SUMS is the last one. In a tar file they belong to
 * nobody (user 0), so that nothing is said of who made it.
 */
#ifndef FT_FORMATS_ARCHIVE_ARCHIVE_OUTPUT_H
#define FT_FORMATS_ARCHIVE_ARCHIVE_OUTPUT_H

#include "formats/archive/sums.h"

struct ft_archive_output;

/* Whether the name is that of a tar file. */
bool ft_archive_is_tar_name(const char *path);

/* stop_fd: writing fails as soon as it is readable (held signals); -1: never. Nothing is replaced:
 * FT_ERROR_USAGE where there is something already. */
int ft_archive_output_create(const char *path, int stop_fd, struct ft_archive_output **ret_output,
                             struct ft_diag *diag);
/* Copies a file, with the time of its last change. */
int ft_archive_output_file(struct ft_archive_output *output, const char *name, const char *source,
                           struct ft_diag *diag);
int ft_archive_output_text(struct ft_archive_output *output, const char *name, const char *text,
                           struct ft_diag *diag);
/* Of the files written so far, in their order. */
const struct ft_archive_sums *ft_archive_output_sums(const struct ft_archive_output *output);
/* Writes SHA256SUMS, syncs, and gives the archive its name. ret_bytes: of the files; of the tar
 * file where it is one. */
int ft_archive_output_finish(struct ft_archive_output *output, uint64_t *ret_bytes,
                             struct ft_diag *diag);
/* Removes what was not finished. */
void ft_archive_output_destroy(struct ft_archive_output *output);

#endif
