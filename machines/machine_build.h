/*
 * Shared by machine files and machines in one line: levels from their texts, and the checks of a
 * whole machine. Private to machines/.
 */
#ifndef FT_MACHINES_MACHINE_BUILD_H
#define FT_MACHINES_MACHINE_BUILD_H

#include "machines/machine.h"

struct ft_level_text {
    const char *where;   /* of errors: the file */
    const char *section; /* of errors: "caches[1]" */
    const char *name;
    enum ft_level_kind kind;
    bool instruction; /* for instructions alone */
    uint64_t capacity_bytes;
    uint64_t block_bytes;
    const char *ways;                     /* a number or "full" */
    double latency_cycles, exposed_share; /* not of instruction levels */
    bool shared;
    uint32_t shared_by; /* 0: unknown */
    struct ft_behaviour behaviour;
};

/* Checks the level and appends it; caches come before TLBs. */
int ft_machine_add_level(struct ft_machine *machine, const struct ft_level_text *text,
                         struct ft_diag *diag);

/* What concerns more than one level: the clock, ascending latencies, memory. */
int ft_machine_check(const char *where, const struct ft_machine *machine, struct ft_diag *diag);

/* Reads a machine file; `name` becomes the machine's. */
int ft_machine_read(const char *path, const char *name, struct ft_machine *ret_machine,
                    struct ft_diag *diag);

#endif
