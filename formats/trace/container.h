/*
 * The HDF5 file around the chunks: one extensible dataset /chunks whose HDF5 chunks are zstd frames
 * made elsewhere, their index /index, and attributes of the root that stock tools can read.
 *
 * A container being written is used by one thread, several containers by several; reading frames
 * is thread safe. Containers that
 * were cut off are read without HDF5, by looking for frames in the raw bytes.
 */
#ifndef FT_FORMATS_TRACE_CONTAINER_H
#define FT_FORMATS_TRACE_CONTAINER_H

#include "formats/trace/chunk.h"

struct ft_container;

/* Writes to PATH.partial, which stays where the container is closed before it is finished. */
int ft_container_create(const char *path, struct ft_container **ret_container,
                        struct ft_diag *diag);
int ft_container_append(struct ft_container *container, const uint8_t *frame, size_t frame_bytes,
                        struct ft_diag *diag);
int ft_container_flush(struct ft_container *container, struct ft_diag *diag);
/* Attributes; setting one again replaces its value. */
int ft_container_put_text(struct ft_container *container, const char *name, const char *text,
                          struct ft_diag *diag);
int ft_container_put_number(struct ft_container *container, const char *name, uint64_t number,
                            struct ft_diag *diag);
int ft_container_put_index(struct ft_container *container, const struct ft_chunk_description *rows,
                           size_t count, struct ft_diag *diag);
/* Ends writing: PATH.partial becomes PATH once it is synced. */
int ft_container_finish(struct ft_container *container, struct ft_diag *diag);

/* allow_incomplete: frames are looked for in the raw bytes where HDF5 refuses the file; only_carve:
 * HDF5 is not asked at all. */
int ft_container_open(const char *path, bool allow_incomplete, bool only_carve,
                      struct ft_container **ret_container, struct ft_diag *diag);
void ft_container_close(struct ft_container *container);
/* False where the frames were found in the raw bytes of a file that was cut off. */
bool ft_container_is_complete(const struct ft_container *container);
uint64_t ft_container_chunk_count(const struct ft_container *container);
uint64_t ft_container_file_bytes(const struct ft_container *container);
/* Reads a frame (*frame is reused, and owned by the caller). */
int ft_container_read(struct ft_container *container, uint64_t index, struct ft_bytes *frame,
                      struct ft_diag *diag);
/* Rows of /index, one for each chunk, owned by the container; NULL in incomplete ones. */
const struct ft_chunk_description *ft_container_index(const struct ft_container *container);
/* The content hash that the writer noted, or "". */
const char *ft_container_noted_hash(const struct ft_container *container);

#endif
