/*
 * In which order the chunks of a file belong together: of each kind by their sequence; logs, and
 * repetitions among them, by thread.
 */
#ifndef FT_FORMATS_TRACE_CHUNK_ORDER_H
#define FT_FORMATS_TRACE_CHUNK_ORDER_H

#include "formats/trace/chunk.h"

struct ft_chunk_order {
    uint32_t group; /* kind; of logs the thread */
    uint64_t sequence;
    size_t chunk;
};

/* The chunks that are logs, or those that are not; ret_order is to be freed. */
int ft_chunks_sort(const struct ft_chunk_description *chunks, size_t chunk_count, bool logs,
                   struct ft_chunk_order **ret_order, size_t *ret_count, struct ft_diag *diag);

#endif
