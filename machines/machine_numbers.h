/*
 * The numbers of machine files: one table says for each key its unit, its plausible range, and
 * whether it must be given and must name a source. A number is a whole text: a decimal number, and
 * behind it a unit of its quantity or none, which is the key's; it is converted to that. What a
 * mistake of the unit or of a digit makes is out of range, and refused.
 *
 * Pure.
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

/* Sections of a machine file; of lists those of one entry. */
enum ft_section_kind {
    FT_SECTION_CORE,
    FT_SECTION_CACHE,
    FT_SECTION_MEMORY,
    FT_SECTION_TLB,
    FT_SECTION_INSTRUCTION_CACHE,
    FT_SECTION_INSTRUCTION_TLB,
    FT_SECTION_UNITS,
    FT_SECTION_OPERATION,
};
#define FT_IN_CORE      (1U << FT_SECTION_CORE)
#define FT_IN_CACHE     (1U << FT_SECTION_CACHE)
#define FT_IN_MEMORY    (1U << FT_SECTION_MEMORY)
#define FT_IN_TLB       (1U << FT_SECTION_TLB)
#define FT_IN_CACHES    (FT_IN_CACHE | 1U << FT_SECTION_INSTRUCTION_CACHE)
#define FT_IN_TLBS      (FT_IN_TLB | 1U << FT_SECTION_INSTRUCTION_TLB)
#define FT_IN_UNITS     (1U << FT_SECTION_UNITS)
#define FT_IN_OPERATION (1U << FT_SECTION_OPERATION)
#define FT_IN_DATA      (FT_IN_CACHE | FT_IN_MEMORY)

/* clang-format off */
/*         key                   quantity      min    max              required  sourced  sections */
#define FT_MACHINE_NUMBERS(NUMBER)                                                                 \
    NUMBER(clock_ghz,            FT_GIGAHERTZ, 0.1,   10,              true,     true,    FT_IN_CORE) \
    NUMBER(issue_width,          FT_AMOUNT,    1,     64,              true,     true,    FT_IN_CORE) \
    NUMBER(capacity,             FT_BYTES,     64,    4096 * FT_GIB,   true,     true,    FT_IN_CACHES) \
    NUMBER(line,                 FT_BYTES,     8,     64 * FT_KIB,     true,     true,    FT_IN_CACHES) \
    NUMBER(entries,              FT_COUNT,     1,     1000000,         true,     true,    FT_IN_TLBS) \
    NUMBER(page,                 FT_BYTES,     512,   16 * FT_GIB,     true,     true,    FT_IN_TLBS) \
    NUMBER(ways,                 FT_WAYS,      1,     1024,            true,     true,    FT_IN_CACHES | FT_IN_TLBS) \
    NUMBER(latency_cycles,       FT_CYCLES,    0.5,   100000,          true,     true,    FT_IN_DATA | FT_IN_OPERATION) \
    NUMBER(dirty_latency_cycles, FT_CYCLES,    0.5,   100000,          false,    true,    FT_IN_MEMORY) \
    NUMBER(miss_cycles,          FT_CYCLES,    0.5,   100000,          true,     true,    FT_IN_TLB) \
    NUMBER(exposed_share,        FT_SHARE,     0,     1,               true,     true,    FT_IN_CACHE | FT_IN_TLB) \
    NUMBER(shared_by,            FT_COUNT,     1,     65536,           false,    false,   FT_IN_CACHES | FT_IN_TLBS) \
    NUMBER(prefetch_lines,       FT_COUNT,     1,     64,              false,    true,    FT_IN_CACHES) \
    NUMBER(count,                FT_AMOUNT,    0.1,   256,             true,     true,    FT_IN_UNITS) \
    NUMBER(repeat_cycles,        FT_CYCLES,    0.1,   1000,            false,    true,    FT_IN_UNITS) \
    NUMBER(store_forward_cycles, FT_CYCLES,    0.1,   1000,            false,    true,    FT_IN_CORE) \
    NUMBER(store_conflict_cycles, FT_CYCLES,   0.1,   100000,          false,    true,    FT_IN_CORE) \
    NUMBER(load_bytes_per_cycle, FT_AMOUNT,    0.001, 4096,            false,    true,    FT_IN_DATA) \
    NUMBER(vector_bytes_per_cycle, FT_AMOUNT,  0.001, 4096,            false,    true,    FT_IN_DATA) \
    NUMBER(store_bytes_per_cycle, FT_AMOUNT,   0.001, 4096,            false,    true,    FT_IN_DATA) \
    NUMBER(copy_bytes_per_cycle, FT_AMOUNT,    0.001, 4096,            false,    true,    FT_IN_DATA) \
    NUMBER(gather_bytes_per_cycle, FT_AMOUNT,  0.001, 4096,            false,    true,    FT_IN_DATA) \
    NUMBER(load_line_cycles,     FT_CYCLES,    0.1,   100000,          false,    true,    FT_IN_DATA) \
    NUMBER(store_line_cycles,    FT_CYCLES,    0.1,   100000,          false,    true,    FT_IN_DATA) \
    NUMBER(outstanding_misses,   FT_AMOUNT,    1,     1024,            false,    true,    FT_IN_DATA) \
    NUMBER(all_cores_bytes_per_cycle, FT_AMOUNT, 0.001, 100000,        false,    true,    FT_IN_MEMORY) \
    NUMBER(followed_stride,      FT_BYTES,     8,     FT_GIB,          false,    true,    FT_IN_MEMORY) \
    NUMBER(ahead_lines,          FT_COUNT,     1,     1024,            false,    true,    FT_IN_MEMORY) \
    NUMBER(page_fault_cycles,    FT_CYCLES,    1,     10000000,        false,    true,    FT_IN_MEMORY)
/* clang-format on */

/* FT_NUMBER_clock_ghz ...: where the number of a key stands in arrays of all numbers. */
#define FT_NUMBER_ID(key, quantity, min, max, required, sourced, sections) FT_NUMBER_##key,
enum ft_machine_number { FT_MACHINE_NUMBERS(FT_NUMBER_ID) FT_MACHINE_NUMBER_COUNT };
#undef FT_NUMBER_ID

struct ft_number_key {
    const char *name;
    enum ft_quantity quantity;
    double min, max;
    bool required; /* where its section has it */
    bool sourced;
    unsigned sections; /* that may have it: FT_IN_... */
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
