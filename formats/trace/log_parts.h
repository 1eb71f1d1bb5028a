/*
 * Where the logs of a thread stand: most in a chunk of their own, others in chunks before, which a
 * repetition names. Readers see them as one row of logs.
 */
#ifndef FT_FORMATS_TRACE_LOG_PARTS_H
#define FT_FORMATS_TRACE_LOG_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"
#include "formats/trace/chunk.h"
#include "formats/trace/repeated_chunks.h"

/* A chunk of a thread's log: a log, or a repetition of some. */
struct ft_log_part {
    size_t chunk;      /* among all of the trace */
    size_t first;      /* the number of its first log in the thread */
    size_t log_count;  /* logs that it stands for */
    size_t base;       /* of a repetition: the part that it repeats from, of the thread's */
    size_t base_count; /* and how many; 0: it is a log itself */
};

/* More than 2^28 chunks' worth of raw log no capture writes. */
#define FT_LOGS_MAX ((size_t)1 << 28)

/* Appends a log to a thread's parts. There is room. */
void ft_log_parts_add(struct ft_log_part *parts, size_t *count, size_t chunk);
/* Appends a repetition, whose part of the log must be what the parts before it have. */
int ft_log_parts_repeat(struct ft_log_part *parts, size_t *count, size_t chunk,
                        const struct ft_repeated_chunks *repeated,
                        const struct ft_chunk_description *chunks, struct ft_diag *diag);
/* How many logs they are. */
size_t ft_log_parts_logs(const struct ft_log_part *parts, size_t count);
/* The part that has a log. */
const struct ft_log_part *ft_log_parts_find(const struct ft_log_part *parts, size_t count,
                                            size_t log);
/* The chunk that has a log. */
size_t ft_log_parts_chunk(const struct ft_log_part *parts, size_t count, size_t log);

#endif
