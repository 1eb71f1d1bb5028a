/*
 * Shared by machine files and machines in one line: errors with their place, levels,
 * and the checks of a whole machine. Private to machines/.
 */
#ifndef FT_MACHINES_MACHINE_BUILD_H
#define FT_MACHINES_MACHINE_BUILD_H

#include "machines/machine.h"
#include "machines/machine_numbers.h"
#include "machines/yaml_machine.h"

/* Where a value was read: a file, or a machine in one line. */
struct ft_machine_source {
    const char *name; /* of errors: the file, or "machine" */
    const char *yaml; /* where lines are looked up; NULL: a machine in one line */
    size_t yaml_bytes;
};

struct ft_machine_section {
    const struct ft_machine_source *source;
    const char *path; /* "caches[1]"; entries count from 1 */
    const char *name; /* of the level; NULL: none */
};

/* FT_ERROR_DATA as "FILE: line 12: caches[1].ways (L1): ...". */
__attribute__((format(printf, 4, 5))) int ft_machine_fail(const struct ft_machine_section *section,
                                                          const char *key, struct ft_diag *diag,
                                                          const char *format, ...);

/* In the key's unit, and in its range; INFINITY for "full". */
int ft_machine_number(const struct ft_machine_section *section, enum ft_machine_number number,
                      const char *text, double *ret_value, struct ft_diag *diag);

struct ft_level_text {
    struct ft_machine_section section;
    enum ft_level_kind kind;
    bool instruction; /* for instructions alone */
    uint64_t capacity_bytes;
    uint64_t block_bytes;
    uint64_t ways;                        /* 0: full */
    double latency_cycles, exposed_share; /* not of instruction levels */
    bool shared;
    uint32_t shared_by; /* 0: unknown */
    struct ft_behaviour behaviour;
    struct ft_speed speed;
};

/* Checks the level and appends it; caches come before TLBs. */
int ft_machine_add_level(struct ft_machine *machine, const struct ft_level_text *text,
                         struct ft_diag *diag);

/* What concerns more than one level: ascending latencies, memory, inclusion. */
int ft_machine_check(const struct ft_machine_source *source, const struct ft_machine *machine,
                     struct ft_diag *diag);

/* The machine of a file; `name` becomes its name. */
int ft_machine_build(const struct ft_machine_source *source, const char *name,
                     const struct ft_yaml_machine *yaml, struct ft_machine *ret_machine,
                     struct ft_diag *diag);

#endif
