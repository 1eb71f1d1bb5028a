/*
 * A string is cut into steps where its first operand leaves a granule. At the last byte of each
 * step every operand accesses the granule that it is in then. As a step moves all operands by at
 * most a granule, none is left out, but where the second operand leaves its first granule within
 * the first step: then a step at the first byte comes before.
 *
 * So the operands are first touched, and last touched, in the order in which the elements touch
 * them, and LRU stacks of blocks of a granule or more hold the same as if each element were an
 * access. All steps but the first and the last two access whole granules: they are one run.
 */
#include "formats/expand/string_granules.h"

#define GRANULE ((uint64_t)FT_STRING_GRANULE_BYTES)

/* More than any string has, and far from wrapping: damaged records may claim it. */
#define LENGTH_MAX (UINT64_C(1) << 62)

static uint64_t length_of(const struct ft_string *string)
{
    uint64_t length;
    if (__builtin_mul_overflow(string->repeats, string->element_bytes, &length) ||
        length > LENGTH_MAX)
        return LENGTH_MAX;
    return length;
}

/* The granule that an operand is in at the offset-th byte that it touches. */
static uint64_t granule_at(const struct ft_string *string, unsigned operand, uint64_t offset)
{
    const uint64_t address = string->addresses[operand];
    return (string->is_down ? address + string->element_bytes - 1 - offset : address + offset) /
           GRANULE;
}

/* Bytes until an operand leaves its first granule. */
static uint64_t first_step(const struct ft_string *string)
{
    const uint64_t address = string->addresses[0];
    return string->is_down ? (address + string->element_bytes - 1) % GRANULE + 1
                           : GRANULE - address % GRANULE;
}

/* The access of the granule in which an operand is at an offset. Counts from the lowest byte: a
 * string may go past the last address. */
static void set_access(const struct ft_string *string, unsigned operand, uint64_t offset,
                       struct ft_string_run *run)
{
    const uint64_t length = length_of(string), address = string->addresses[operand];
    const uint64_t low = string->is_down ? address + string->element_bytes - length : address;
    const int64_t granule = (int64_t)(granule_at(string, operand, offset) * GRANULE - low);
    const int64_t last = (int64_t)(length - string->element_bytes);
    const int64_t from = granule > 0 ? granule : 0;
    run->is_whole[operand] = granule >= 0 && (int64_t)length - granule >= FT_STRING_GRANULE_BYTES;
    run->addresses[operand] = low + (uint64_t)(run->is_whole[operand] || from < last ? from : last);
}

static bool continues(const struct ft_string *string, const struct ft_string_run *run,
                      const struct ft_string_run *next)
{
    const uint64_t moved = run->iterations * (uint64_t)ft_string_stride(string);
    for (unsigned i = 0; i < string->operand_count; i++)
        if (run->is_whole[i] != next->is_whole[i] ||
            run->addresses[i] + moved != next->addresses[i])
            return false;
    return true;
}

/* Appends steps, the first of which ends with the byte at an offset. */
static void add_steps(const struct ft_string *string, uint64_t offset, uint64_t steps,
                      struct ft_string_run *runs, unsigned *count)
{
    struct ft_string_run *run = &runs[*count];
    *run = (struct ft_string_run){.iterations = steps};
    for (unsigned i = 0; i < string->operand_count; i++)
        set_access(string, i, offset, run);
    if (*count > 0 && continues(string, run - 1, run))
        run[-1].iterations += steps;
    else
        ++*count;
}

/* Whether the second operand leaves its first granule before the first one does. */
static bool starts_apart(const struct ft_string *string, uint64_t first)
{
    return string->operand_count > 1 &&
           granule_at(string, 1, first - 1) != granule_at(string, 1, 0);
}

unsigned ft_string_runs(const struct ft_string *string,
                        struct ft_string_run ret_runs[FT_STRING_RUNS_MAX])
{
    const uint64_t length = length_of(string);
    unsigned count = 0;
    if (length == 0)
        return 0;
    uint64_t first = first_step(string);
    first = first < length ? first : length;
    const uint64_t further = (length - first + GRANULE - 1) / GRANULE;
    if (starts_apart(string, first))
        add_steps(string, 0, 1, ret_runs, &count);
    add_steps(string, first - 1, 1, ret_runs, &count);
    if (further > 2)
        add_steps(string, first - 1 + GRANULE, further - 2, ret_runs, &count);
    if (further > 1)
        add_steps(string, first - 1 + (further - 1) * GRANULE, 1, ret_runs, &count);
    if (further > 0)
        add_steps(string, length - 1, 1, ret_runs, &count);
    return count;
}

uint64_t ft_string_iterations(const struct ft_string *string)
{
    const uint64_t length = length_of(string);
    if (length == 0)
        return 0;
    uint64_t first = first_step(string);
    first = first < length ? first : length;
    return 1 + (length - first + GRANULE - 1) / GRANULE + starts_apart(string, first);
}
