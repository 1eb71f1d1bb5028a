/*
 * The system calls whose buffers a trace records, and what the kernel touched in one. A log has the
 * call's number, the address and length that the program passed, and the result (FT_ESCAPE_KERNEL,
 * unit.h); the number says the rest.
 */
#ifndef FT_FORMATS_EXPAND_KERNEL_CALLS_H
#define FT_FORMATS_EXPAND_KERNEL_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ft_kernel_direction {
    FT_KERNEL_READS = 1,  /* the program's memory, as write() does */
    FT_KERNEL_WRITES = 2, /* as read() does */
};

/* How many bytes that is if the call succeeded. */
enum ft_kernel_extent {
    FT_KERNEL_RESULT,  /* result * unit, at most length * unit */
    FT_KERNEL_LENGTH,  /* length * unit */
    FT_KERNEL_FIXED,   /* unit */
    FT_KERNEL_NOTHING, /* it changes the address space: mmap, brk */
};

struct ft_kernel_call {
    uint16_t number;
    const char *name;
    uint8_t address, length; /* which arguments, from 1; 0: none. A vector: both 0 */
    uint8_t direction;       /* enum ft_kernel_direction, or both */
    uint8_t extent;          /* enum ft_kernel_extent */
    uint16_t unit;
};

size_t ft_kernel_call_count(void);
const struct ft_kernel_call *ft_kernel_call_at(size_t index);
/* The call of this number (its low 32 bits count, as to the kernel), or NULL. */
const struct ft_kernel_call *ft_kernel_call_find(uint64_t number);

/* Bytes at its address that the kernel read, wrote, or both (direction). */
uint64_t ft_kernel_call_bytes(const struct ft_kernel_call *call, uint64_t length, uint64_t result);

#endif
