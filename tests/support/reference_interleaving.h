/*
 * The order of threads by its definition (docs/trace.md, "Order of threads"): every access of
 * every thread with the time at which its slice begins, sorted. The reference for
 * engine/streams/interleaving.h. Test code: aborts when out of memory.
 */
#ifndef FT_TESTS_SUPPORT_REFERENCE_INTERLEAVING_H
#define FT_TESTS_SUPPORT_REFERENCE_INTERLEAVING_H

#include "engine/streams/interleaving.h"

struct interleaved_access {
    uint64_t time, address;
    size_t index; /* of the thread's accesses */
    uint32_t thread, reference;
};

struct interleaved_accesses {
    struct interleaved_access *items; /* the caller frees them */
    size_t count, capacity;
};

/* Appends the accesses of a batch as they come. */
void interleaved_add(struct interleaved_accesses *accesses, uint32_t thread,
                     const struct ft_run_batch *batch);
/* All accesses of all sources, one for each thread of the order, taken to their ends. */
void interleaved_make(struct interleaved_accesses *accesses, struct ft_run_source *const *sources,
                      const struct ft_thread_order *order);

#endif
