/*
 * A stream that compresses what is written to it, as the name of its file says: .gz, .xz or .zst.
 * One user at a time.
 */
#ifndef FT_FORMATS_TEXT_PACKED_STREAM_H
#define FT_FORMATS_TEXT_PACKED_STREAM_H

#include <stdbool.h>
#include <stdio.h>

#include "formats/base/status.h"

/* Whether the name ends so. */
bool ft_packed_name(const char *path);

/* A stream onto `file`, which stays the caller's; `file` itself where the name has no such ending.
 */
int ft_packed_stream_open(const char *path, FILE *file, FILE **ret_stream, struct ft_diag *diag);
/* Writes what is left, and closes the stream but not the file. A write that failed is left to the
 * caller, who looks at the file. */
int ft_packed_stream_close(FILE *stream, FILE *file, struct ft_diag *diag);

#endif
