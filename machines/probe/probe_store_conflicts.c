/*
 * Stores to lines of one set: more of them are under way than the set has ways, so that a line that
 * has come for a store is gone again before it can commit. The same lines over and over, which the
 * second cache holds, one element of each after the other, as where columns are written.
 */
#include <stdlib.h>

#include "machines/probe/probe_run.h"

#define LINES        64
#define STRIDE_BYTES 16384 /* of at most 256 sets of 64 bytes, which no first cache exceeds */
#define ELEMENTS     8     /* of a line */

static void store_columns(void *context, uint64_t count)
{
    volatile double *memory = context;
    for (uint64_t column = 0; count >= LINES; count -= LINES, column = (column + 1) % ELEMENTS)
        for (size_t line = 0; line < LINES; line++)
            memory[line * STRIDE_BYTES / sizeof *memory + column] = 1;
}

int ft_probe_store_conflicts(struct ft_probing *probing, struct ft_diag *diag)
{
    const struct ft_probe_point point = {
        .curve = FT_CURVE_STORE_CONFLICTS, .stride_bytes = STRIDE_BYTES, .count = LINES};
    double *memory = aligned_alloc(STRIDE_BYTES, (size_t)LINES * STRIDE_BYTES);
    if (!memory)
        return ft_fail_memory(diag, "stores to measure");
    const int status = ft_probing_measure(probing, store_columns, memory, LINES, point, diag);
    free(memory);
    return status;
}
