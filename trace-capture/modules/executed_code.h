/*
 * Which code of each module was executed: sorted ranges of offsets that do not overlap.
 */
#ifndef FT_TRACE_CAPTURE_MODULES_EXECUTED_CODE_H
#define FT_TRACE_CAPTURE_MODULES_EXECUTED_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/x86/unit.h"

struct ft_code_range {
    uint64_t module; /* its number */
    uint64_t start, end;
};

struct ft_executed_code {
    struct ft_code_range *items;
    size_t count, capacity;
};

/* Appends the code of a unit, at its pcs; fails when out of memory. */
int ft_executed_code_add(struct ft_executed_code *code, const struct ft_unit *unit,
                         struct ft_diag *diag);
/* Sorts what was added, and joins what overlaps or touches. */
void ft_executed_code_sort(struct ft_executed_code *code);
/* The part of a module, as offsets that belong to the whole. Once for each module. */
struct ft_executed_code ft_executed_code_of(struct ft_executed_code *code, uint32_t module,
                                            uint64_t load_bias);
/* Whether anything in [start, end) was executed; of the part of one module. */
bool ft_executed_code_meets(const struct ft_executed_code *code, uint64_t start, uint64_t end);
void ft_executed_code_fini(struct ft_executed_code *code);

#endif
