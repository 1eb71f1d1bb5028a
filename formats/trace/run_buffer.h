/*
 * Appending to a run buffer (expand.h), for the expanders: make room, write addresses, references
 * and strides from entry_count on, then add them as a run.
 */
#ifndef FT_FORMATS_TRACE_RUN_BUFFER_H
#define FT_FORMATS_TRACE_RUN_BUFFER_H

#include "formats/base/array.h"
#include "formats/trace/expand.h"

bool ft_run_buffer_grow(struct ft_run_buffer *buffer, size_t more);

/* Room for `count` more entries and two more runs. */
static inline bool ft_run_buffer_make_room(struct ft_run_buffer *buffer, size_t count)
{
    return (buffer->entry_count + count <= buffer->entry_capacity ||
            ft_run_buffer_grow(buffer, count)) &&
           FT_RESERVE(buffer->runs, buffer->run_capacity, buffer->run_count + 2);
}

/* Puts the next `count` entries, which the caller has written, into a run. */
static inline void ft_run_buffer_add(struct ft_run_buffer *buffer, uint32_t count,
                                     uint64_t iterations)
{
    if (count == 0)
        return;
    if (iterations == 1 && buffer->run_count &&
        buffer->runs[buffer->run_count - 1].iteration_count == 1) {
        buffer->runs[buffer->run_count - 1].reference_count += count;
    } else {
        buffer->runs[buffer->run_count++] = (struct ft_run){
            .first = buffer->entry_count, .reference_count = count, .iteration_count = iterations};
    }
    buffer->entry_count += count;
}

#endif
