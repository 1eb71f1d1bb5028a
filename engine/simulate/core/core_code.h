/*
 * The instructions of a trace as a core executes them, by the number of their fetch: decoded once,
 * into the operations of engine/schedule/. Immutable once made, thread safe; owns its memory, but
 * for the core.
 */
#ifndef FT_ENGINE_SIMULATE_CORE_CORE_CODE_H
#define FT_ENGINE_SIMULATE_CORE_CORE_CODE_H

#include "engine/simulate/core/executed.h"
#include "formats/trace/trace.h"

struct ft_core_code_entry {
    struct ft_core_instruction code;
    struct ft_core_instruction *fused; /* with the branch behind it; NULL: it doesn't fuse */
    uint64_t pc, next;                 /* next: of the instruction behind it */
    uint8_t flow;                      /* enum ft_flow */
    bool is_known;                     /* by the trace; else nothing above is */
    bool is_repeated;                  /* a string instruction, whose accesses are many */
    bool is_unknown;                   /* by the core */
};

struct ft_core_code {
    struct ft_core_code_entry *entries; /* [reference - first_reference] */
    uint32_t first_reference, count;
    struct ft_core_instruction granule_load, granule_store; /* for each access of a repeated one */
    char unknown_form[FT_FORM_BYTES];                       /* the first; "": none */
    struct ft_core_port_use **shapes;                       /* uses that operations share */
    uint8_t *shape_uses;                                    /* [shape]: how many */
    uint32_t shape_count, shape_capacity;
};

/* references: of the trace's source of accesses and fetches. FT_ERROR_UNSUPPORTED: the trace has no
 * code. */
int ft_core_code_make(const struct ft_core *core, const struct ft_trace *trace,
                      const struct ft_reference *references, uint32_t reference_count,
                      struct ft_core_code *ret_code, struct ft_diag *diag);
void ft_core_code_fini(struct ft_core_code *code);

/* One instruction, or a pair of which the second is a branch; code: `count` of them, 1 or 2. Shapes
 * go into `table`. */
int ft_core_instruction_make(const struct ft_core *core, const struct ft_body_code *code,
                             uint32_t count, struct ft_core_code *table,
                             struct ft_core_instruction *ret_instruction, bool *ret_unknown,
                             struct ft_diag *diag);
/* Whether a core makes one operation of two instructions. */
int ft_core_code_fuses(const struct ft_core *core, const struct ft_body_code code[2],
                       bool *ret_fuses, struct ft_diag *diag);

#endif
