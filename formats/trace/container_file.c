#include "formats/trace/container_file.h"

#include <stdlib.h>
#include <string.h>

#define TOTAL(name)                                                                                \
    {                                                                                              \
#name, offsetof(struct ft_chunk_description, totals.name), FT_FIELD_U64, 0                 \
    }
static const struct ft_field row_fields[] = {
    FT_FIELD(ft_chunk_description, kind, FT_FIELD_U16),
    FT_FIELD(ft_chunk_description, thread, FT_FIELD_U32),
    FT_FIELD(ft_chunk_description, sequence, FT_FIELD_U64),
    FT_FIELD(ft_chunk_description, payload_bytes, FT_FIELD_U32),
    FT_FIELD(ft_chunk_description, frame_bytes, FT_FIELD_U64),
    FT_FIELD(ft_chunk_description, checksum, FT_FIELD_U64),
    TOTAL(records),
    TOTAL(instructions),
    TOTAL(accesses),
    TOTAL(prefetches),
};
const struct ft_record_type ft_container_row_type =
    FT_RECORD_TYPE(ft_chunk_description, row_fields);

void ft_container_quiet(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void ft_container_free(struct ft_container *container)
{
    ft_carved_frames_fini(&container->carved);
    free(container->index);
    free(container->path);
    free(container);
}

struct ft_container *ft_container_new(const char *path)
{
    struct ft_container *container = calloc(1, sizeof *container);
    if (!container)
        return NULL;
    container->file = container->chunks = -1;
    container->carved.descriptor = -1;
    container->path = strdup(path);
    if (!container->path) {
        ft_container_free(container);
        return NULL;
    }
    return container;
}

void ft_container_close_chunks(struct ft_container *container)
{
    if (container->chunks >= 0)
        H5Dclose(container->chunks);
    container->chunks = -1;
}
