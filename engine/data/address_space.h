/*
 * Which data is at an address, while a trace is gone through: blocks of the heap before modules,
 * modules before mappings and stacks. Each thread's events are applied when so many accesses of its
 * log have gone by; so what stands at an address that is used again is what was there then. Threads
 * are in the order of their timestamps; what is given again counts before what is given back late.
 *
 * Stacks: a thread's goes from where its log begins down to the mapping's start; the main thread's
 * as far as its limit allowed, and up to the end of arguments and environment.
 */
#ifndef FT_ENGINE_DATA_ADDRESS_SPACE_H
#define FT_ENGINE_DATA_ADDRESS_SPACE_H

#include "engine/data/call_stack.h"
#include "engine/data/data_objects.h"
#include "engine/data/interval_map.h"
#include "engine/data/memory_events.h"
#include "engine/data/overdue.h"

struct ft_thread_space {
    struct ft_call_stack calls;
    uint64_t accesses;   /* that have gone by */
    uint64_t next_place; /* of its next event; UINT64_MAX: none */
    size_t next_event;
    uint64_t stack_low, stack_top; /* its stack and what is above; both 0: unknown */
    uint64_t first_rsp;            /* what is above is no frame */
    uint64_t pc;                   /* of the last access */
    uint32_t asked;                /* object + 1 of what a call that waits will give; 0: none */
    bool has_begun, is_guessed;    /* guessed: how far its stack goes */
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
    uint64_t version; /* changes whenever an address may mean something else */
};

int ft_address_space_init(struct ft_address_space *space, const struct ft_trace *trace,
                          const struct ft_memory_events *events, struct ft_data_objects *objects,
                          struct ft_diag *diag);
void ft_address_space_fini(struct ft_address_space *space);

/* Before anything of a thread is asked. */
int ft_address_space_begin(struct ft_address_space *space, uint32_t thread, struct ft_diag *diag);
/* The thread's events up to where it is. */
int ft_address_space_catch_up(struct ft_address_space *space, uint32_t thread,
                              struct ft_diag *diag);

struct ft_place_of_data {
    uint32_t object;
    uint64_t start, end; /* the object goes so far around the address, at least */
    bool lasts;          /* as long as the version stays; else until the next call or return */
};
/* What a thread, with an instruction at pc, finds at an address. */
int ft_address_space_find(struct ft_address_space *space, uint32_t thread, uint64_t pc,
                          uint64_t address, struct ft_place_of_data *ret_place,
                          struct ft_diag *diag);

/* Whether an address is in the frame that the thread runs in; its object follows from the pc. */
static inline bool ft_is_in_own_frame(const struct ft_thread_space *thread, uint64_t address)
{
    uint64_t end = thread->calls.count ? thread->calls.entries[thread->calls.count - 1].address
                                       : thread->first_rsp;
    return address >= thread->stack_low && address < end && address < thread->first_rsp;
}

#endif
