/*
 * Which data is at an address at each moment of a trace: heap blocks take precedence over modules,
 * modules over mappings and stacks. A thread's memory events are applied once the accesses before
 * them in its log have been read, so memory that is reused resolves to what it held at the time.
 * Threads follow the order of their timestamps; an allocation wins over a free of the same memory
 * that comes late.
 *
 * A thread's stack extends from the stack pointer at the start of its log down to the start of the
 * mapping; the main thread's extends down to its limit, and up to the end of the arguments and
 * environment.
 */
#ifndef FT_ENGINE_DATA_ADDRESS_SPACE_H
#define FT_ENGINE_DATA_ADDRESS_SPACE_H

#include "engine/data/call_stack.h"
#include "engine/data/data_objects.h"
#include "engine/data/interval_map.h"
#include "engine/data/memory_events.h"

/* What was allocated again before it was seen to be freed: threads are ordered only between their
 * timestamps, so one thread's free of a block may go by after another's allocation of the same
 * memory. The free that comes late must not take the new block away. It is never of the thread that
 * the new block was given to, whose log is in order. */
/* At most so many are kept; beyond that the oldest are dropped. */
#define FT_OVERDUE_MAX 64U

struct ft_overdue {
    struct {
        uint64_t start, end;
        uint32_t to; /* the thread that it was allocated to again */
    } items[FT_OVERDUE_MAX];
    size_t count;
};

struct ft_thread_space {
    struct ft_call_stack calls;
    uint64_t accesses;      /* read so far */
    uint64_t next_position; /* of its next event; UINT64_MAX: none */
    size_t next_event;
    uint64_t stack_low, stack_top; /* the stack's bounds; both 0: unknown */
    uint64_t first_rsp;            /* above it there are no frames */
    uint64_t pc;                   /* of the last access */
    uint32_t awaited;           /* object + 1 that a pending allocation call will return; 0: none */
    bool has_begun, is_guessed; /* is_guessed: the extent of its stack */
};

struct ft_address_space {
    const struct ft_trace *trace;          /* the caller's */
    const struct ft_memory_events *events; /* the caller's */
    struct ft_data_objects *objects;       /* the caller's */
    struct ft_interval_map blocks, modules, regions;
    struct ft_thread_space *threads;
    uint32_t thread_count;
    bool *module_waits;              /* [module]: mapped later */
    uint64_t *module_code;           /* [module]: where its code was mapped */
    struct ft_overdue frees, unmaps; /* of traces of several threads */
    uint64_t break_start, break_end;
    uint64_t version; /* changes whenever an address may resolve differently */
};

int ft_address_space_init(struct ft_address_space *space, const struct ft_trace *trace,
                          const struct ft_memory_events *events, struct ft_data_objects *objects,
                          struct ft_diag *diag);
void ft_address_space_fini(struct ft_address_space *space);

/* Call before any other query about a thread. */
int ft_address_space_begin(struct ft_address_space *space, uint32_t thread, struct ft_diag *diag);
/* Applies the thread's events up to its current position. */
int ft_address_space_catch_up(struct ft_address_space *space, uint32_t thread,
                              struct ft_diag *diag);

struct ft_data_location {
    uint32_t object;
    uint64_t start, end; /* the object extends at least this far around the address */
    bool lasts; /* valid while the version is unchanged; else until the next call or return */
};
/* Resolves an address that a thread accesses with the instruction at pc. */
int ft_address_space_find(struct ft_address_space *space, uint32_t thread, uint64_t pc,
                          uint64_t address, struct ft_data_location *ret_location,
                          struct ft_diag *diag);

/* Whether an address is in the thread's innermost frame; its object then follows from the pc. */
static inline bool ft_is_in_own_frame(const struct ft_thread_space *thread, uint64_t address)
{
    uint64_t end = thread->calls.count ? thread->calls.entries[thread->calls.count - 1].address
                                       : thread->first_rsp;
    return address >= thread->stack_low && address < end && address < thread->first_rsp;
}

#endif
