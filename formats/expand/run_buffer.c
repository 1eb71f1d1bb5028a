/*
 * The arrays of a run buffer grow together, and never shrink.
 */
#include "formats/expand/run_buffer.h"

#include <stdlib.h>

void ft_run_buffer_fini(struct ft_run_buffer *buffer)
{
    free(buffer->runs);
    free(buffer->references);
    free(buffer->addresses);
    free(buffer->strides);
    *buffer = (struct ft_run_buffer){0};
}

void ft_run_buffer_clear(struct ft_run_buffer *buffer)
{
    buffer->run_count = 0;
    buffer->entry_count = 0;
}

bool ft_run_buffer_grow(struct ft_run_buffer *buffer, size_t more)
{
    size_t references = buffer->entry_capacity, addresses = references, strides = references;
    size_t need = buffer->entry_count + more;
    if (need < FT_RUN_BUFFER_ENTRIES)
        need = FT_RUN_BUFFER_ENTRIES;
    if (!FT_RESERVE(buffer->references, references, need) ||
        !FT_RESERVE(buffer->addresses, addresses, need) ||
        !FT_RESERVE(buffer->strides, strides, need))
        return false;
    buffer->entry_capacity = references;
    return true;
}
