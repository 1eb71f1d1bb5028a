/*
 * Source files of a program as they were when it was captured (capture --source): traces keep them,
 * histograms and models those that their routines and loops name. Paths are those that the lines
 * have, ascending, each once. Owned.
 */
#ifndef FT_FORMATS_BASE_SOURCE_FILES_H
#define FT_FORMATS_BASE_SOURCE_FILES_H

#include "formats/base/bytes.h"
#include "formats/base/status.h"

/* No larger file is kept, nor more of all together: what a hostile file may ask for, too. */
#define FT_SOURCE_FILE_BYTES_MAX  ((size_t)4 << 20)
#define FT_SOURCE_FILES_BYTES_MAX ((size_t)32 << 20)
#define FT_SOURCE_FILES_MAX       4096U

struct ft_source_file {
    char *path;
    uint64_t bytes; /* at least 1 */
    size_t at;      /* in the text of all files */
};

struct ft_source_files {
    struct ft_source_file *items;
    size_t count, capacity;
    uint8_t *text; /* of all files, one behind the other; any bytes */
    size_t text_bytes, text_capacity;
};

void ft_source_files_fini(struct ft_source_files *files);
/* Copies a file behind the others, which its path must follow. */
int ft_source_files_add(struct ft_source_files *files, const char *path, const uint8_t *text,
                        size_t bytes, struct ft_diag *diag);
/* Whether one more of this size keeps to the limits. */
bool ft_source_files_fit(const struct ft_source_files *files, size_t bytes);
/* Copies those that are chosen, [file], behind the others. */
int ft_source_files_copy(const struct ft_source_files *from, const bool *chosen,
                         struct ft_source_files *files, struct ft_diag *diag);
/* NULL: there is none of this path. */
const struct ft_source_file *ft_source_files_find(const struct ft_source_files *files,
                                                  const char *path);
static inline const uint8_t *ft_source_files_text(const struct ft_source_files *files,
                                                  const struct ft_source_file *file)
{
    return files->text + file->at;
}
/* Finds the places of texts from their sizes. Refuses what no writer makes: wrong order, sizes that
 * do not add up, more than the limits. */
int ft_source_files_place(struct ft_source_files *files, struct ft_diag *diag);

/* For chunks of traces: for each file the text path, varint bytes, and these. */
void ft_source_files_write(const struct ft_source_files *files, struct ft_bytes *bytes);
/* All that is left of the cursor. */
int ft_source_files_read(struct ft_cursor *cursor, struct ft_source_files *ret_files,
                         struct ft_diag *diag);

#endif
