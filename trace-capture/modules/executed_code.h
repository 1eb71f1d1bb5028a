/*
 * Which code of each module was executed.
 */
#ifndef FT_TRACE_CAPTURE_MODULES_EXECUTED_CODE_H
#define FT_TRACE_CAPTURE_MODULES_EXECUTED_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/x86/unit.h"

struct ft_code_range {
    uint64_t module;     /* its number */
    uint64_t start, end; /* pcs */
};

struct ft_executed_code {
    struct ft_code_range *items;
    size_t count, capacity;
};

/* The part of one module, which belongs to the whole. */
struct ft_module_code {
    const struct ft_code_range *items; /* sorted, none overlap */
    size_t count;
    uint64_t load_bias;
};

/* Of the units 1 to `last` that are chosen, [unit]: sorted, and what overlaps or touches joined. To
 * be given to ft_executed_code_fini, after a failure too. */
int ft_executed_code_make(struct ft_unit *const *units, const bool *chosen, uint32_t last,
                          struct ft_executed_code *ret_code, struct ft_diag *diag);
struct ft_module_code ft_executed_code_of(const struct ft_executed_code *code, uint32_t module,
                                          uint64_t load_bias);
/* Whether anything at the offsets [start, end) was executed. */
bool ft_module_code_meets(const struct ft_module_code *code, uint64_t start, uint64_t end);
void ft_executed_code_fini(struct ft_executed_code *code);

#endif
