/*
 * Code that changes: written while it may not run and run while it may not be written, again and
 * again at the same address; unmapped and mapped anew; moved; written through one mapping and run
 * through another. Without the C library; compared access by access with single stepping.
 */
#include <stddef.h>
#include <sys/mman.h>

#include "tests/oracle/freestanding.h"

#define PAGE 4096

static uint64_t data[64];

typedef uint64_t function(uint64_t *data);

static void *map(void *address, long protection, long flags, long descriptor)
{
    register long fourth __asm__("r10") = MAP_PRIVATE | MAP_ANONYMOUS | flags;
    register long fifth __asm__("r8") = descriptor;
    register long sixth __asm__("r9") = 0;
    long number = 9; /* mmap */
    if (flags & MAP_SHARED)
        fourth = MAP_SHARED;
    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(address), "S"((long)PAGE), "d"(protection), "r"(fourth), "r"(fifth),
                       "r"(sixth)
                     : "rcx", "r11", "memory");
    return (void *)number;
}

static void protect(void *address, long protection)
{
    sample_system_call(10, (long)address, PAGE, protection, 0);
}

static void unmap(void *address)
{
    sample_system_call(11, (long)address, PAGE, 0, 0);
}

/* rax = data[slot]; data[slot + 1] += rax; a loop over count words; return. */
static void write_code(uint8_t *code, uint8_t slot, uint8_t count)
{
    const uint8_t bytes[] = {0x48,
                             0x8b,
                             0x47,
                             (uint8_t)(slot * 8), /* mov slot(%rdi), %rax */
                             0x48,
                             0x01,
                             0x47,
                             (uint8_t)(slot * 8 + 8), /* add %rax, slot+1(%rdi) */
                             0xb9,
                             count,
                             0,
                             0,
                             0, /* mov $count, %ecx */
                             0x48,
                             0xff,
                             0x44,
                             0xcf,
                             (uint8_t)(slot * 8), /* 1: incq slot(%rdi,%rcx,8) */
                             0xff,
                             0xc9, /* dec %ecx */
                             0x75,
                             0xf7, /* jnz 1b */
                             0xc3};
    for (size_t i = 0; i < sizeof bytes; i++)
        ((volatile uint8_t *)code)[i] = bytes[i];
}

static void call(void *code)
{
    data[60] += ((function *)(uintptr_t)code)(data);
}

SAMPLE void rewritten_when_writable(void)
{
    uint8_t *code = map(NULL, PROT_READ | PROT_WRITE, 0, -1);
    for (uint8_t i = 0; i < 6; i++) {
        protect(code, PROT_READ | PROT_WRITE);
        write_code(code, i, 3);
        protect(code, PROT_READ | PROT_EXEC);
        call(code);
        call(code);
    }
    unmap(code);
}

SAMPLE void mapped_again(void)
{
    uint8_t *code = map(NULL, PROT_READ | PROT_WRITE, 0, -1);
    for (uint8_t i = 0; i < 4; i++) {
        write_code(code, i, 2);
        protect(code, PROT_READ | PROT_EXEC);
        call(code);
        unmap(code);
        uint8_t *again = map(code, PROT_READ | PROT_WRITE, MAP_FIXED, -1);
        write_code(again, i + 1, 4);
        protect(again, PROT_READ | PROT_EXEC);
        call(again);
        long moved = sample_system_call(25, (long)again, PAGE, PAGE, 1); /* mremap */
        call((void *)moved);
        code = map((void *)moved, PROT_READ | PROT_WRITE, MAP_FIXED, -1);
    }
}

/* Written through one mapping, run through another. */
SAMPLE void shared(void)
{
    long file = sample_system_call(319, (long)"code", 0, 0, 0); /* memfd_create */
    sample_system_call(77, file, PAGE, 0, 0);                   /* ftruncate */
    uint8_t *writable = map(NULL, PROT_READ | PROT_WRITE, MAP_SHARED, file);
    uint8_t *runnable = map(NULL, PROT_READ | PROT_EXEC, MAP_SHARED, file);
    write_code(writable, 1, 2);
    call(runnable);
    call(runnable);
    sample_system_call(3, file, 0, 0, 0); /* close */
}

static void run(void)
{
    rewritten_when_writable();
    mapped_again();
    shared();
    sample_exit((int)(data[60] & 63));
}
SAMPLE_START(run)
