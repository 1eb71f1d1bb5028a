/*
 * The machine that `simulate --core` runs: an out-of-order core (machines/cores/) before the caches
 * and TLBs of a machine, in integer cycles (docs/core.md has its rules). Plain numbers, made
 * once; constant afterwards.
 */
#ifndef FT_ENGINE_SIMULATE_CORE_CORE_MODEL_H
#define FT_ENGINE_SIMULATE_CORE_CORE_MODEL_H

#include "machines/cores/core.h"

/* Where data come from: caches from the nearest on, then memory. */
#define FT_CORE_SOURCES_MAX 8
#define FT_CORE_QUEUE_SLOTS 64 /* operations between fetch and dispatch */
#define FT_CORE_STORES      2  /* that go from the store buffer to the first cache in a cycle */

struct ft_core_source {
    int64_t more_cycles;     /* of latency than the first cache has */
    double load_line_cycles; /* between lines that loads get from there; 0: no limit known */
    double store_line_cycles;
};

struct ft_core_model {
    int64_t dispatch_milli; /* thousandths of operations a cycle */
    uint32_t fetch, taken_branches, retire;
    struct ft_op_cache op_cache;
    uint32_t window, load_buffer, store_buffer;
    uint32_t miss_buffers, page_walks;
    int64_t mispredict_cycles;
    bool commits_lines; /* in a cycle stores to one line alone go from the store buffer */
    uint32_t port_count;
    struct ft_core_source sources[FT_CORE_SOURCES_MAX];
    uint32_t source_count; /* caches and memory */
};

/* FT_ERROR_UNSUPPORTED: the core is of generic classes, or there are too many caches. */
int ft_core_model_make(const struct ft_core *core, const struct ft_machine *machine,
                       struct ft_core_model *ret_model, struct ft_diag *diag);

/* ---- what cycles go to ---- */

enum ft_core_reason {
    FT_REASON_BASE,      /* operations retire, `dispatch` a cycle */
    FT_REASON_FRONT_END, /* fetch brings too few: taken branches, instruction caches */
    FT_REASON_BRANCH,    /* fetch begins again behind a mispredicted branch */
    FT_REASON_EXECUTION, /* dependences, latencies of what is computed, and ports */
    FT_REASON_STORES,    /* the store buffer is full */
    FT_REASON_TLB,
    FT_REASON_SOURCES, /* loads: from the first cache, the second, ..., memory */
    FT_CORE_REASONS = FT_REASON_SOURCES + FT_CORE_SOURCES_MAX
};

#endif
