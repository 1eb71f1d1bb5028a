/*
 * How a core executes instructions: what a cycle dispatches, the reorder window, and for each form
 * of instruction its micro-operations, their latency and how long they take which ports
 * (docs/schedule.md). From a core file (machines/cores/NAME.yaml, made from LLVM's scheduling
 * models), or of generic classes from a machine description (Marin & Mellor-Crummey 2004,
 * section 2.4).
 *
 * Everything is owned by the core. A loaded core is constant: any number of threads may read it.
 */
#ifndef FT_MACHINES_CORES_CORE_H
#define FT_MACHINES_CORES_CORE_H

#include "formats/x86/instruction.h"
#include "machines/machine.h"

#define FT_CORE_PORTS_MAX 64
#define FT_NO_GROUP       UINT32_MAX

/* Ports of which each use takes one. */
struct ft_core_group {
    char *name;
    uint64_t ports; /* bit per port */
};

struct ft_core_use {
    uint32_t group;
    double cycles; /* that a port of the group is taken */
};

/* Forms that execute alike. */
struct ft_core_kind {
    uint32_t operations; /* micro-operations dispatched */
    double latency_cycles;
    double chained_cycles; /* latency to another operation that has one; 0: as to any */
    struct ft_core_use *uses;
    uint32_t use_count;
};

struct ft_core_form {
    const char *text; /* as ft_instruction_form writes it */
    uint32_t kind;
};

/* Where decoded instructions are fetched from, window by window of the code; window_bytes 0: what
 * is fetched does not depend on where code lies. */
struct ft_op_cache {
    uint32_t window_bytes;       /* aligned, a power of two */
    uint32_t entry_instructions; /* of a window in one entry */
    uint32_t entries;            /* that are read in a cycle: 1 or 2 */
    uint32_t decode_cycles; /* of a window of more than two entries, where a taken branch leads to
                               it; 0: it is in the op cache like others */
};

struct ft_core {
    char *name;
    char *description;
    double dispatch; /* micro-operations a cycle that enter the window */
    double fetch;    /* of them a cycle before dispatch; a taken branch ends a fetch */
    struct ft_op_cache op_cache;
    uint32_t window;                        /* of micro-operations, from dispatch to retirement */
    double load_cycles, vector_load_cycles; /* hits in the first cache, to either register file */
    /* More, where the address has a scaled index, or base, index and displacement. */
    double complex_load_cycles;
    /* From the data of a store to the result of a load of the same bytes, to either register file.
     */
    double forward_cycles, vector_forward_cycles;
    /* A load by a base register and a displacement, into a general register, is renamed to what a
     * store by such an address stored: it has it at once. */
    bool renames_memory;
    /* A store takes it to commit to the first cache, but not where it follows a store to the same
     * line, which did; FT_NO_GROUP: stores commit freely. */
    uint32_t commit_group;
    double taken_branches; /* a cycle */
    /* What only the simulation asks for (engine/simulate/core/); 0 in cores of generic classes. */
    uint32_t retire;                    /* micro-operations a cycle that leave the window */
    uint32_t load_buffer, store_buffer; /* loads in the window; stores until the cache has them */
    uint32_t miss_buffers;              /* lines that the first cache waits for */
    uint32_t page_walks;                /* at a time */
    double mispredict_cycles; /* from a branch's result until dispatch of what it leads to */
    char **fuses; /* mnemonics that become one micro-operation with a branch behind them */
    uint32_t fuse_count;
    bool fuses_accesses; /* loads and stores are dispatched together with what computes on them */
    char *port_names[FT_CORE_PORTS_MAX];
    uint32_t port_count;
    struct ft_core_group *groups;
    uint32_t group_count;
    struct ft_core_kind *kinds;
    uint32_t kind_count;
    struct ft_core_form *forms; /* by text; none: of generic classes */
    uint32_t form_count;
    char **form_texts;                           /* owns what `forms` points to */
    struct ft_core_kind *of_class[FT_MIX_COUNT]; /* of generic classes: into kinds; else NULL */
};

/* A core file by its name in the folder "cores" of the machines folder. */
int ft_core_load(const char *name, struct ft_core *ret_core, struct ft_diag *diag);
/* The core of a machine: that of the core file that it names, or of the one for its processor,
 * where there is one, or one of generic classes, whose ports are its units. */
int ft_core_of_machine(const struct ft_machine *machine, struct ft_core *ret_core,
                       struct ft_diag *diag);
void ft_core_fini(struct ft_core *core);

/* How a form executes; NULL: the core doesn't know it. */
const struct ft_core_kind *ft_core_find(const struct ft_core *core, const char *form);
/* Whether an instruction of this mnemonic and a conditional branch behind it become one. */
bool ft_core_fuses(const struct ft_core *core, const char *mnemonic);

#endif
