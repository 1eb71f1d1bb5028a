/*
 * What a core has to do for a body of code, a path through a loop or straight-line code: its
 * instructions split into operations (load, compute, store), each with the ports it takes and its
 * latency, and the edges by which they wait for each other (docs/schedule.md). All accesses hit in
 * the first cache. Immutable, owns its memory.
 */
#ifndef FT_ENGINE_SCHEDULE_BODY_H
#define FT_ENGINE_SCHEDULE_BODY_H

#include "formats/x86/instruction_form.h"
#include "formats/x86/value_flow.h"
#include "machines/cores/core.h"

struct ft_body_code {
    const uint8_t *code;
    size_t length;
    uint64_t pc;
    bool taken; /* a branch that leads away from the instruction behind it */
};

/* A path through a loop, or straight-line code. */
struct ft_body_path {
    const struct ft_body_code *code;
    uint32_t count;
    bool repeats; /* a loop's, whose end leads to its start */
    /* Of one that repeats, what ran before it began, as far as that is known: where its accesses
     * lie to each other. */
    const struct ft_body_code *entry;
    uint32_t entry_count;
};

enum ft_operation_part { FT_PART_LOAD, FT_PART_COMPUTE, FT_PART_STORE };

#define FT_OPERATION_USES_MAX 8

struct ft_operation {
    uint32_t instruction; /* of the body */
    uint8_t part;         /* enum ft_operation_part */
    bool taken;           /* a taken branch */
    double slots;         /* of dispatch */
    double latency_cycles;
    double chained_cycles; /* to another operation that has one; 0: as to any */
    struct ft_core_use uses[FT_OPERATION_USES_MAX];
    uint32_t use_count;
};

/* `to` starts at least `cycles` after `from` of `distance` iterations before. */
struct ft_operation_edge {
    uint32_t from, to;
    uint32_t distance; /* 0 or 1 through registers */
    double cycles;
    uint8_t place; /* enum ft_place; FT_NO_PLACE: memory, or within an instruction */
};

struct ft_body {
    const struct ft_core *core; /* the caller's */
    uint32_t instruction_count;
    struct ft_operation *operations; /* in program order */
    uint32_t operation_count;
    struct ft_operation_edge *edges;
    size_t edge_count;
    double fetch_cycles;              /* from the core's op cache, if it has one */
    uint32_t atomic_count;            /* instructions that read, change and write memory as one */
    uint32_t unknown_count;           /* instructions that the core doesn't know */
    char unknown_form[FT_FORM_BYTES]; /* the first of them; "": none */
};

void ft_body_fini(struct ft_body *body);

#endif
