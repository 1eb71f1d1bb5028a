/*
 * Between the files of the core simulation: its state. Operations are numbered in program order;
 * number n is in place n & (ring - 1) of the ring from its fetch to its retirement.
 */
#ifndef FT_ENGINE_SIMULATE_CORE_CORE_STATE_H
#define FT_ENGINE_SIMULATE_CORE_CORE_STATE_H

#include "engine/schedule/fetch_cycles.h"
#include "engine/simulate/core/core_memory.h"
#include "formats/x86/value_flow.h"

#define FT_NEVER        INT64_MAX
#define FT_NO_NUMBER_64 UINT64_MAX
#define FT_NO_LINK      UINT32_MAX
#define FT_FROM_STORE   0xff
#define FT_WHEEL_CYCLES 1024U

/* An operation in the queue or in the window. */
struct ft_op {
    const struct ft_core_operation *code;
    int64_t fetched, dispatched; /* FT_NEVER: not yet */
    int64_t start;               /* FT_NEVER: not yet */
    int64_t done;                /* FT_NEVER: not known */
    int64_t ready; /* not before, by what is known of its operands; started loads: when the caches
                      give the data */
    int64_t tlb_cycle;
    int64_t forwarded; /* loads: what a store gives; FT_NEVER: it will; 0: nothing is */
    uint64_t store;    /* stores: number of the store; loads: that forwards; or none */
    uint32_t first_access, access_count;
    uint32_t dependents;                   /* list of links */
    uint32_t next_in_wheel, next_of_store; /* lists by place */
    uint32_t waits_for; /* operands of which it isn't known when they are there */
    uint32_t account;
    uint16_t class;
    uint8_t source; /* loads: where the data come from; FT_FROM_STORE: a store */
    uint8_t supply; /* enum ft_core_reason that held it up before dispatch; 0: none */
    uint8_t ports[FT_OPERATION_USES_MAX]; /* chosen; FT_UNBOUND_PORT: at start */
    bool measured, mispredicted, waits_for_drain;
};

struct ft_link {
    uint32_t op, next;
};

/* A store in the store buffer. */
struct ft_buffered_store {
    uint32_t first_access, access_count;
    int64_t start;   /* FT_NEVER: not yet */
    int64_t arrival; /* of its lines */
    bool is_retired, is_direct;
    uint32_t waiting; /* list of loads that get its data, or wait until it is drained */
};

/* A place in the input. */
struct ft_fetch_place {
    uint64_t number;
    bool is_at_end; /* of a branch, where that lies in a window of its own */
};

struct ft_core_simulation {
    const struct ft_core_model *model;
    int64_t cycle;
    double *accounts;
    double slot_cycles; /* a slot's share of a cycle */

    /* what is executed next: instructions, in a ring */
    struct ft_executed *input;
    uint32_t input_capacity; /* powers of two, as all rings */
    uint64_t input_first, input_end;
    struct ft_executed_access *accesses;
    uint32_t access_capacity;
    uint64_t access_end;

    /* operations */
    struct ft_op *ops;
    uint32_t ring;
    uint64_t retired, dispatched, fetched; /* numbers: the next to do so */
    uint32_t slots_in_window, slots_in_queue, loads_in_window;
    int64_t owed_milli;                   /* of dispatch: at most 0 */
    uint64_t writers[FT_PLACE_REGISTERS]; /* numbers; FT_NO_NUMBER_64: none */

    /* fetch */
    bool waits_for_branch;
    bool is_behind_branch; /* the next operation is the first behind a mispredicted branch */
    bool has_waited;       /* for the bytes of the next instruction */
    int64_t fetch_cycle;   /* not before */
    /* from an op cache: runs ahead that are known, of which `brought` instructions of the first
     * have been fetched; where the last of them ends, and whether it falls through there */
    struct ft_fetch_run runs[FT_FETCH_RUNS];
    uint32_t run_count, brought;
    struct ft_fetch_place fetch_place, run_end;
    bool falls_through;
    bool is_store_bound;  /* dispatch ended for want of a place in the store buffer */
    bool was_store_bound; /* in the cycle before */

    /* wake-up */
    uint64_t *ready, *candidates; /* bits per place */
    uint64_t *of_class;           /* [class * words + word]: of ready */
    uint32_t words;
    uint32_t class_count, class_capacity;
    uint16_t *classes; /* [shape * 256 + choices of ports]: + 1; 0: none yet */
    uint32_t shape_capacity;
    uint32_t ready_count;
    uint32_t wheel[FT_WHEEL_CYCLES];
    uint64_t wheel_bits[FT_WHEEL_CYCLES / 64];
    struct ft_link *links;
    uint32_t link_capacity, free_link;
    bool out_of_memory;

    /* ports */
    double port_free[FT_CORE_PORTS_MAX];
    double queued[FT_CORE_PORTS_MAX];   /* cycles of operations that wait */
    double pressure[FT_CORE_PORTS_MAX]; /* of all in the window, whole FT_PRESSURE_UNITS */

    /* memory */
    struct ft_core_memory memory;
    struct ft_buffered_store *stores; /* ring */
    uint32_t store_ring;
    uint64_t drained, stored;   /* numbers of stores */
    uint32_t store_lines[1024]; /* stores in the buffer, by hash of the lines they touch */

    double credit; /* of retirement: what went beyond a cycle's */
    bool is_busy;  /* something happened in this cycle */
};

static inline struct ft_op *ft_op_at(struct ft_core_simulation *simulation, uint64_t number)
{
    return &simulation->ops[number & (simulation->ring - 1)];
}

static inline struct ft_executed *ft_core_input_at(const struct ft_core_simulation *simulation,
                                                   uint64_t number)
{
    return &simulation->input[number & (simulation->input_capacity - 1)];
}

static inline const struct ft_executed_access *
ft_core_access(const struct ft_core_simulation *simulation, uint32_t number)
{
    return &simulation->accesses[number & (simulation->access_capacity - 1)];
}

/* ---- core_fetch.c ---- */

/* What the cycle brings, into the queue. */
void ft_core_fetch(struct ft_core_simulation *simulation);

/* ---- core_wakeup.c ---- */

/* The operations of an instruction, numbers first to fetched, have been fetched: their operands are
 * looked for. */
void ft_core_rename(struct ft_core_simulation *simulation, uint64_t first,
                    const struct ft_core_instruction *code);
void ft_core_enter_window(struct ft_core_simulation *simulation, uint64_t number);
/* Starts what can start, oldest first. */
void ft_core_start_operations(struct ft_core_simulation *simulation);
/* It is known what a store gives to a load, or when. */
void ft_core_forward(struct ft_core_simulation *simulation, uint32_t place, int64_t cycle);
/* The next cycle behind this one in which an operation becomes ready; FT_NEVER. */
int64_t ft_core_next_ready(const struct ft_core_simulation *simulation);

/* ---- core_ports.c ---- */

void ft_core_choose_ports(struct ft_core_simulation *simulation, struct ft_op *op);
void ft_core_forget_ports(struct ft_core_simulation *simulation, const struct ft_op *op);
bool ft_core_take_ports(struct ft_core_simulation *simulation, const struct ft_op *op);
/* The class of an operation whose ports are chosen: all of a class find the same ports free. */
uint16_t ft_core_class_of(struct ft_core_simulation *simulation, const struct ft_op *op);

/* ---- core_stores.c ---- */

/* A load enters the window: the youngest store in the buffer that it meets, if any. */
void ft_core_find_store(struct ft_core_simulation *simulation, uint32_t place);
void ft_core_add_store(struct ft_core_simulation *simulation, struct ft_op *op);
void ft_core_store_started(struct ft_core_simulation *simulation, const struct ft_op *op);
void ft_core_drain_stores(struct ft_core_simulation *simulation);

/* ---- core_accounts.c ---- */

/* `cycles` cycles from this one on, in which so many slots retired in the first. */
void ft_core_account(struct ft_core_simulation *simulation, int64_t cycles, uint32_t slots);
/* The slots of an operation retired. */
void ft_core_account_retired(struct ft_core_simulation *simulation, const struct ft_op *op);

#endif
