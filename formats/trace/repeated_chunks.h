/*
 * A chunk that stands for log chunks of its thread that come again, in order, so many times. It
 * takes its place among them by its sequence.
 */
#ifndef FT_FORMATS_TRACE_REPEATED_CHUNKS_H
#define FT_FORMATS_TRACE_REPEATED_CHUNKS_H

#include <stdint.h>

#include "formats/base/bytes.h"
#include "formats/base/status.h"

struct ft_repeated_chunks {
    uint64_t first, count; /* sequences of logs that stand before it */
    uint64_t times;
};

/* Limit of each of a chunk's numbers: docs/trace-format.md. */
#define FT_REPEATED_TIMES_MAX (UINT64_C(1) << 20)

void ft_repeated_chunks_write(const struct ft_repeated_chunks *repeated, struct ft_bytes *bytes);
/* Checks it against its own sequence. */
int ft_repeated_chunks_read(struct ft_cursor *cursor, uint64_t sequence,
                            struct ft_repeated_chunks *ret_repeated, struct ft_diag *diag);

#endif
