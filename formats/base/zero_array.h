/*
 * Arrays of zeros in reserved address space: items take memory only once they are touched, and
 * growing moves page tables, not data. For tables as large as a program's footprint. Growing may
 * change the address of the items; not thread safe.
 */
#ifndef FT_FORMATS_BASE_ZERO_ARRAY_H
#define FT_FORMATS_BASE_ZERO_ARRAY_H

#include <stddef.h>

#include "formats/base/status.h"

struct ft_zero_array {
    void *items;
    size_t bytes; /* mapped */
};

/* Makes room for `bytes` bytes in all, at least doubling. */
int ft_zero_array_reserve(struct ft_zero_array *array, size_t bytes, struct ft_diag *diag);
void ft_zero_array_fini(struct ft_zero_array *array);

#endif
