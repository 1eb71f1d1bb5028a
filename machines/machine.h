/*
 * A machine description: caches, TLBs, memory, issue and latencies, read from YAML with a schema
 * (machines/SCHEMA in docs/machines.md). Every figure names its source in the file.
 */
#ifndef FT_MACHINES_MACHINE_H
#define FT_MACHINES_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"
#include "formats/code/instruction.h"

enum ft_level_kind { FT_LEVEL_CACHE, FT_LEVEL_TLB };

struct ft_level {
    char *name;               /* "L1D", "L2", "DTLB" */
    uint8_t kind;
    uint64_t capacity_bytes;  /* caches; TLBs: entries x page */
    uint64_t block_bytes;     /* line or page */
    uint64_t blocks;          /* capacity in lines or entries */
    uint32_t ways;            /* = blocks: fully associative */
    double latency_cycles;    /* caches: of a hit; TLBs: of a miss */
    bool shared;
};

struct ft_unit_class {        /* functional units for one class of work */
    char *name;
    double units;             /* how many start an operation each cycle, at most */
    bool classes[FT_MIX_COUNT];
};

struct ft_machine {
    char *name;
    char *description;
    double clock_ghz;
    struct ft_level *levels;  /* caches from the nearest to the farthest, then TLBs alike */
    size_t level_count;
    double memory_latency_cycles;
    double exposed_share;     /* of a miss latency that is not hidden (A.23: 0.5 on the R12000) */
    double issue_width;       /* instructions a cycle */
    struct ft_unit_class *units;
    size_t unit_count;
};

/* `name` is a path, or the name of a file in the machines folder without ".yaml". */
int ft_machine_load(const char *name, struct ft_machine *ret_machine, struct ft_diag *diag);
void ft_machine_fini(struct ft_machine *machine);

#endif
