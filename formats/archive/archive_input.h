/*
 * The files of an archive, one after the other, from a folder or a tar file (archive_output.h).
 * Nothing that stands there is trusted: names that lead elsewhere are refused, and what is neither
 * file nor folder is given as such. Names in a tar file are without its own folder.
 */
#ifndef FT_FORMATS_ARCHIVE_ARCHIVE_INPUT_H
#define FT_FORMATS_ARCHIVE_ARCHIVE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

struct ft_archive_input;

struct ft_archive_entry {
    const char *name; /* until the next one is asked for; NULL: there are no more */
    uint64_t bytes;
    bool is_file; /* else a link, device ... */
};

/* Whether it is one: a folder with a SHA256SUMS, or a file that zstd made. */
bool ft_archive_is(const char *path);

/* stop_fd: reading fails as soon as it is readable (stop.h); -1: never. */
int ft_archive_input_open(const char *path, int stop_fd, struct ft_archive_input **ret_input,
                          struct ft_diag *diag);
/* FT_ERROR_DATA: damaged, or a name that is not safe. */
int ft_archive_input_next(struct ft_archive_input *input, struct ft_archive_entry *ret_entry,
                          struct ft_diag *diag);
/* Of the file's contents; ret_bytes 0 at its end. */
int ft_archive_input_read(struct ft_archive_input *input, void *data, size_t bytes,
                          size_t *ret_bytes, struct ft_diag *diag);
void ft_archive_input_close(struct ft_archive_input *input);

/* One file as a text, 0-terminated, to be freed. FT_ERROR_DATA: it is not there, or not a text of
 * reasonable size. */
int ft_archive_read_text(const char *path, const char *name, int stop_fd, char **ret_text,
                         struct ft_diag *diag);

#endif
