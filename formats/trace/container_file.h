/*
 * An open container, shared by writing and reading. Internal to container.c and container_writer.c.
 */
#ifndef FT_FORMATS_TRACE_CONTAINER_FILE_H
#define FT_FORMATS_TRACE_CONTAINER_FILE_H

#include <hdf5.h>

#include "formats/base/hdf5_output.h"
#include "formats/base/records.h"
#include "formats/trace/carved_frames.h"
#include "formats/trace/chunk.h"

#define FT_TRACE_FORMAT_NAME "foretrace trace"

struct ft_container {
    char *path;
    struct ft_hdf5_output *output; /* while it is written; else NULL */
    hid_t file, chunks;            /* -1 where not open */
    uint64_t count;
    uint64_t file_bytes;
    bool complete;
    char noted_hash[20];
    struct ft_chunk_description *index;
    struct ft_carved_frames carved; /* of cut-off files */
};

/* A row of /index. */
extern const struct ft_record_type ft_container_row_type;

/* One that is not open yet; NULL without memory. */
struct ft_container *ft_container_new(const char *path);
/* Frees the memory; what is open must have been closed. */
void ft_container_free(struct ft_container *container);
void ft_container_close_chunks(struct ft_container *container);
/* Keeps HDF5 from printing errors: they go through ft_diag. */
void ft_container_quiet(void);

#endif
