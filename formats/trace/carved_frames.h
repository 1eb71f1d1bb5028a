/*
 * Frames of chunks in a file that HDF5 refuses, found in its raw bytes: zstd's magic number, the
 * content size of a chunk, a complete frame, our description in it. Reading found frames is thread
 * safe.
 */
#ifndef FT_FORMATS_TRACE_CARVED_FRAMES_H
#define FT_FORMATS_TRACE_CARVED_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/bytes.h"
#include "formats/base/status.h"

struct ft_carved_frame {
    uint64_t offset, bytes;
};

struct ft_carved_frames {
    const char *path; /* for errors; not owned */
    int descriptor;   /* owned; -1: none */
    struct ft_carved_frame *frames;
    size_t count, capacity;
};

/* Finds all frames of a file of so many bytes. */
int ft_carved_frames_find(struct ft_carved_frames *carved, uint64_t file_bytes,
                          struct ft_diag *diag);
/* Reads one (*frame is reused, and owned by the caller). */
int ft_carved_frames_read(const struct ft_carved_frames *carved, size_t index,
                          struct ft_bytes *frame, struct ft_diag *diag);
void ft_carved_frames_fini(struct ft_carved_frames *carved);

#endif
