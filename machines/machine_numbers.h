/*
 * The numbers of machine files: one table says for each key its unit, its plausible range, and
 * whether it must be given and must name a source. A number is a whole text: a decimal number, and
 * behind it a unit of its quantity or none, which is the key's; it is converted to that. What a
 * mistake of the unit or of a digit makes is out of range, and refused.
 *
 * Pure; private to machines/.
 */
#ifndef FT_MACHINES_MACHINE_NUMBERS_H
#define FT_MACHINES_MACHINE_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/status.h"

enum ft_quantity {
    FT_GIGAHERTZ,
    FT_BYTES,
    FT_CYCLES,
    FT_SHARE,
    FT_AMOUNT, /* any number */
    FT_COUNT,  /* an integer */
    FT_WAYS,   /* an integer, or "full" */
};

#define FT_KIB 1024.0
#define FT_GIB (FT_KIB * FT_KIB * FT_KIB)

/* clang-format off */
/*         key                   quantity      min    max              required  names a source */
#define FT_MACHINE_NUMBERS(NUMBER)                                                                 \
    NUMBER(clock_ghz,            FT_GIGAHERTZ, 0.1,   10,              true,     true)             \
    NUMBER(issue_width,          FT_AMOUNT,    1,     64,              true,     true)             \
    NUMBER(capacity,             FT_BYTES,     64,    4096 * FT_GIB,   true,     true)             \
    NUMBER(line,                 FT_BYTES,     8,     64 * FT_KIB,     true,     true)             \
    NUMBER(entries,              FT_COUNT,     1,     1000000,         true,     true)             \
    NUMBER(page,                 FT_BYTES,     512,   16 * FT_GIB,     true,     true)             \
    NUMBER(ways,                 FT_WAYS,      1,     1024,            true,     true)             \
    NUMBER(latency_cycles,       FT_CYCLES,    0.5,   100000,          true,     true)             \
    NUMBER(dirty_latency_cycles, FT_CYCLES,    0.5,   100000,          false,    true)             \
    NUMBER(miss_cycles,          FT_CYCLES,    0.5,   100000,          true,     true)             \
    NUMBER(exposed_share,        FT_SHARE,     0,     1,               true,     true)             \
    NUMBER(shared_by,            FT_COUNT,     1,     65536,           false,    false)            \
    NUMBER(prefetch_lines,       FT_COUNT,     1,     64,              false,    true)             \
    NUMBER(count,                FT_AMOUNT,    0.1,   256,             true,     true)             \
    NUMBER(repeat_cycles,        FT_CYCLES,    0.1,   1000,            false,    true)
/* clang-format on */

/* FT_NUMBER_clock_ghz ...: where the number of a key stands in arrays of all numbers. */
#define FT_NUMBER_ID(key, quantity, min, max, required, sourced) FT_NUMBER_##key,
enum ft_machine_number { FT_MACHINE_NUMBERS(FT_NUMBER_ID) FT_MACHINE_NUMBER_COUNT };
#undef FT_NUMBER_ID

struct ft_number_key {
    const char *name;
    enum ft_quantity quantity;
    double min, max;
    bool required; /* where its section has it */
    bool sourced;
};
extern const struct ft_number_key ft_number_keys[FT_MACHINE_NUMBER_COUNT];

/* The row of a key; NULL for one that is none of a number. */
const struct ft_number_key *ft_number_key_find(const char *name);

/* What a quantity may be written as: "expected ...". */
const char *ft_number_expected(enum ft_quantity quantity);

/* In the key's unit; INFINITY for "full". FT_ERROR_DATA says what was read, and what may be. */
int ft_number_read(enum ft_machine_number number, const char *text, double *ret_value,
                   struct ft_diag *diag);

#endif
