/*
 * What a repeated string instruction accesses in units that count it by granules: an access for
 * each aligned FT_STRING_GRANULE_BYTES that an operand touches (docs/trace-format.md, "String
 * instructions"), as runs. Both operands of movs and cmps take turns. Pure functions, thread safe.
 */
#ifndef FT_FORMATS_EXPAND_STRING_GRANULES_H
#define FT_FORMATS_EXPAND_STRING_GRANULES_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/x86/unit.h"

#define FT_STRING_OPERANDS_MAX 2

/* One execution. */
struct ft_string {
    uint64_t addresses[FT_STRING_OPERANDS_MAX]; /* of the first element, which is the highest one
                                                   where is_down */
    unsigned operand_count;
    uint32_t element_bytes;
    bool is_down;
    uint64_t repeats;
};

/* `iterations` times an access of each operand, by the granule; a granule that is touched only in
 * part is one access of an element. */
struct ft_string_run {
    uint64_t iterations;
    uint64_t addresses[FT_STRING_OPERANDS_MAX];
    bool is_whole[FT_STRING_OPERANDS_MAX];
};
#define FT_STRING_RUNS_MAX 5

/* Bytes from one iteration of a run to the next. */
static inline int64_t ft_string_stride(const struct ft_string *string)
{
    return string->is_down ? -FT_STRING_GRANULE_BYTES : FT_STRING_GRANULE_BYTES;
}

/* The runs in order; how many there are. */
unsigned ft_string_runs(const struct ft_string *string,
                        struct ft_string_run ret_runs[FT_STRING_RUNS_MAX]);

/* Iterations of all runs. */
uint64_t ft_string_iterations(const struct ft_string *string);

#endif
