/*
 * Executed instructions as the core model takes them: what an instruction's operations are
 * (constant, made by core_code.h), and for each execution its accesses with what the caches said
 * of them, whether a branch was taken, and whether it was predicted.
 */
#ifndef FT_ENGINE_SIMULATE_CORE_EXECUTED_H
#define FT_ENGINE_SIMULATE_CORE_EXECUTED_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/schedule/body.h"

struct ft_core_port_use {
    uint64_t ports;    /* of which it takes one; two or fewer: chosen at dispatch */
    double cycles;     /* that it is taken */
    uint64_t pressure; /* its share of each of the ports, in FT_PRESSURE_UNITS of a cycle */
};
#define FT_PRESSURE_UNITS 720720.0

struct ft_core_operation {
    uint8_t part; /* enum ft_operation_part */
    uint8_t use_count;
    uint16_t slots; /* of fetch, dispatch and the window */
    uint16_t shape; /* of its uses: the same uses in the same order have the same number */
    int32_t latency_cycles;
    int32_t chained_cycles;              /* to another operation that has one; 0: as to any */
    int32_t forward_cycles;              /* a load: from the data of a store */
    bool is_direct;                      /* a load or store that may be renamed (struct ft_core) */
    uint64_t reads;                      /* bit per enum ft_place */
    const struct ft_core_port_use *uses; /* use_count; whoever made it owns them */
};

/* Operations in the order load, compute, store: each waits for the one before. */
struct ft_core_instruction {
    struct ft_core_operation operations[3];
    uint8_t operation_count; /* 0: executed as a part of the instruction before */
    uint8_t result;          /* the operation that gives what is written, and decides a branch */
    uint64_t written;        /* bit per enum ft_place */
};

#define FT_EXECUTED_ACCESSES_MAX 16

struct ft_executed_access {
    uint64_t address;
    uint64_t line; /* number of the line that came from the farthest: address / line bytes */
    uint32_t size_bytes;
    uint8_t source; /* 0: the first cache, ..., memory */
    bool stores;
    bool walks;      /* misses in all TLBs */
    bool prefetches; /* a line that nobody waits for: only `line` and `source` count */
    uint16_t tlb_cycles;
};

struct ft_executed {
    const struct ft_core_instruction *code; /* must outlive the simulation */
    uint64_t first_byte;                    /* where its code begins */
    uint64_t last_byte;                     /* and a branch's ends; of others as first_byte */
    const struct ft_executed_access *accesses;
    uint32_t access_count;
    uint32_t account;      /* whose cycles these are */
    uint32_t fetch_cycles; /* that fetch waits for its bytes */
    bool measured;         /* its cycles count */
    bool taken, mispredicted;
};

#endif
