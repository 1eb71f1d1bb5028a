/*
 * Where the expanders put runs: make room, write addresses, references and strides from entry_count
 * on, then add them as a run.
 */
#ifndef FT_FORMATS_EXPAND_RUN_BUFFER_H
#define FT_FORMATS_EXPAND_RUN_BUFFER_H

#include "formats/base/array.h"
#include "formats/expand/runs.h"
#include "formats/x86/instruction.h"

/* Growing arrays that runs are appended to. Accesses outside strided runs that follow each other
 * share one run of one iteration. */
struct ft_run_buffer {
    struct ft_run *runs;
    size_t run_count, run_capacity;
    uint32_t *references;
    uint64_t *addresses;
    int64_t *strides;
    size_t entry_count, entry_capacity; /* capacity of each of the three arrays */
    uint64_t entry_limit;     /* for partial records, which are stepped through: more are invalid */
    uint64_t iterations_done; /* of a record that has been expanded in part, or 0 */
    uint64_t heads[FT_REGISTER_COUNT + 3]; /* its head variables there */
};
/* Expanding a loop iteration by iteration pauses when the buffer holds this many entries. */
#define FT_RUN_BUFFER_ENTRIES (1U << 15)

void ft_run_buffer_fini(struct ft_run_buffer *buffer);
/* Removes all runs; a record that was expanded in part can still be continued. */
void ft_run_buffer_clear(struct ft_run_buffer *buffer);

bool ft_run_buffer_grow(struct ft_run_buffer *buffer, size_t more);

/* Room for `count` more entries and five more runs. */
static inline bool ft_run_buffer_make_room(struct ft_run_buffer *buffer, size_t count)
{
    return (buffer->entry_count + count <= buffer->entry_capacity ||
            ft_run_buffer_grow(buffer, count)) &&
           FT_RESERVE(buffer->runs, buffer->run_capacity, buffer->run_count + 5);
}

/* Makes a run of the next `count` entries, which the caller has written. */
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

/* All of them, for a source to give. */
static inline struct ft_run_batch ft_run_buffer_batch(const struct ft_run_buffer *buffer)
{
    return (struct ft_run_batch){.runs = buffer->runs,
                                 .run_count = buffer->run_count,
                                 .references = buffer->references,
                                 .addresses = buffer->addresses,
                                 .strides = buffer->strides,
                                 .entry_count = buffer->entry_count};
}

#endif
