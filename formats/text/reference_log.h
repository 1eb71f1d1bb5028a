/*
 * Turns items, of another tool's text or of a synthesis, into the log of a trace, and ends its
 * file: items become units without code (formats/x86/reference_unit.h), one for each instruction
 * and its kinds of accesses, and their records go through the log encoder into the file. Memory
 * grows with the number of different instructions, not with the length of the text.
 *
 * An access whose kind and size its instruction has already had (elements of a string or gather)
 * goes on in a unit of its own, so that it is the same reference each time.
 */
#ifndef FT_FORMATS_TEXT_REFERENCE_LOG_H
#define FT_FORMATS_TEXT_REFERENCE_LOG_H

#include "formats/base/sha256.h"
#include "formats/text/text_format.h"
#include "formats/trace/trace_writer.h"

struct ft_reference_log;

int ft_reference_log_create(struct ft_trace_writer *writer, struct ft_reference_log **ret_log,
                            struct ft_diag *diag);
void ft_reference_log_destroy(struct ft_reference_log *log);

/* FT_ERROR_DATA, with a message for file and line to be put before, where an item cannot be. */
int ft_reference_log_add(struct ft_reference_log *log, const struct ft_text_item *item,
                         struct ft_diag *diag);
/* A file that a trace was made from, and how: an event FT_EVENT_IMPORTED. */
struct ft_reference_origin {
    const char *format; /* a word */
    uint64_t bytes;
    char sha256[FT_SHA256_TEXT];
    const char *name; /* its path */
};
/* At any time; a trace that is cut off says it if it was told before the accesses. */
int ft_reference_log_origin(struct ft_reference_log *log, const struct ft_reference_origin *origin,
                            struct ft_diag *diag);
/* Writes what is left, and finishes the file. metadata gets its totals and end_reason, a copy of
 * `reason`, the CPU time of this process as the host's. */
int ft_reference_log_finish(struct ft_reference_log *log, const char *reason,
                            struct ft_metadata *metadata, struct ft_diag *diag);

#endif
