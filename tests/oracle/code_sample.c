/*
 * Code that changes: written while it may not run and run while it may not be written, again and
 * again at the same address; unmapped and mapped again; moved; written through one mapping and run
 * through another; written while it may run, by others, by itself, and by the kernel. Without the C
 * library; compared access by access with single stepping.
 */
#include <stddef.h>
#include <sys/mman.h>

#include "tests/support/freestanding.h"

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
    for (uint8_t i = 0; i < 5; i++) {
        write_code(writable, i, 2);
        sample_system_call(39, 0, 0, 0,
                           0); /* getpid: single stepping looks again after each call */
        call(runnable);
        call(runnable);
    }
    sample_system_call(3, file, 0, 0, 0); /* close */
}

static uint8_t *map_open(void)
{
    return map(NULL, PROT_READ | PROT_WRITE | PROT_EXEC, 0, -1);
}

static void put(uint8_t *code, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((volatile uint8_t *)code)[i] = bytes[i];
}

/* More versions than are kept, and back and forth between two of them. */
SAMPLE void rewritten(void)
{
    uint8_t *code = map_open();
    for (unsigned i = 0; i < 60; i++) {
        write_code(code, i % 3 == 0 ? 1 : (uint8_t)(i / 3 % 12), 2);
        call(code);
        call(code);
    }
}

/* A counter in the page that counts the iterations of a loop in it. */
SAMPLE void data_beside(void)
{
    static const uint8_t bytes[] = {
        0xb9, 200,  0,    0,    0,          /* mov $200, %ecx */
        0x48, 0xff, 0x05, 0xf4, 0x03, 0, 0, /* 1: incq 1024(%rip from 0) */
        0xff, 0xc9,                         /* dec %ecx */
        0x75, 0xf5,                         /* jnz 1b */
        0x48, 0x8b, 0x05, 0xe9, 0x03, 0, 0, /* mov 1024, %rax */
        0xc3};
    uint8_t *code = map_open();
    put(code, bytes, sizeof bytes);
    for (unsigned i = 0; i < 10; i++)
        call(code);
}

/* Adds to the number that an instruction behind it, and then one in front of it, loads. */
SAMPLE void changes_itself(void)
{
    static const uint8_t bytes[] = {0xb9, 30,   0,    0,    0,             /* mov $30, %ecx */
                                    0xb8, 1,    0,    0,    0,             /* 1: mov $1, %eax */
                                    0x01, 0x0d, 0xf6, 0xff, 0xff, 0xff,    /* add %ecx, the 1 */
                                    0x83, 0x05, 0x03, 0,    0,    0,    8, /* addl $8, the 16 */
                                    0x48, 0x8b, 0x97, 16,   0,    0,    0, /* mov 16(%rdi), %rdx */
                                    0x81, 0xe2, 0xff, 0xff, 0xff, 0xff,    /* and $-1, %edx */
                                    0x48, 0x01, 0x07,                      /* add %rax, (%rdi) */
                                    0xff, 0xc9,                            /* dec %ecx */
                                    0x75, 0xda,                            /* jnz 1b */
                                    0xc3};
    uint8_t *code = map_open();
    put(code, bytes, sizeof bytes);
    call(code);
    call(code);
}

/* What the translator meets ahead and what runs there later are not the same. */
SAMPLE void trap_ahead(void)
{
    static const uint8_t bytes[] = {0x48, 0x83, 0x3f, 0, /* cmpq $0, (%rdi) */
                                    0x74, 2,             /* je 1f */
                                    0xcc, 0xcc,          /* int3 */
                                    0x48, 0x8b, 0x47, 8, /* 1: mov 8(%rdi), %rax */
                                    0xc3};
    static const uint8_t nop[] = {0x90, 0x90};
    uint8_t *code = map_open();
    put(code, bytes, sizeof bytes);
    data[0] = 0;
    call(code);
    put(code + 6, nop, sizeof nop);
    data[0] = 1;
    call(code);
    call(code);
}

/* read() into code, whole and in part. */
SAMPLE void kernel_writes(void)
{
    int ends[2];
    uint8_t bytes[64];
    uint8_t *code = map_open();
    sample_system_call(22, (long)ends, 0, 0, 0); /* pipe */
    for (uint8_t i = 0; i < 6; i++) {
        write_code(bytes, i, 2);
        sample_system_call(1, ends[1], (long)bytes, sizeof bytes, 0);
        sample_system_call(0, ends[0], (long)code, i == 3 ? 4 : sizeof bytes, 0);
        call(code);
        if (i == 3)
            sample_system_call(0, ends[0], (long)bytes, sizeof bytes - 4, 0);
    }
}

/* Two functions in a page, one calls the other; only the other is written again. */
SAMPLE void one_of_two(void)
{
    static const uint8_t caller[] = {0xff, 0x07,              /* incl (%rdi) */
                                     0xe8, 0xf9, 0,    0,  0, /* call 256 */
                                     0x48, 0x01, 0x47, 16,    /* add %rax, 16(%rdi) */
                                     0xc3};
    uint8_t *code = map(NULL, PROT_READ | PROT_WRITE, 0, -1);
    put(code, caller, sizeof caller);
    for (uint8_t i = 0; i < 8; i++) {
        protect(code, PROT_READ | PROT_WRITE);
        write_code(code + 256, i / 2, 3);
        protect(code, PROT_READ | PROT_EXEC);
        call(code);
        call(code);
    }
    protect(code, PROT_READ | PROT_WRITE | PROT_EXEC);
    for (uint8_t i = 0; i < 4; i++) {
        write_code(code + 256, i, 1);
        call(code);
    }
    protect(code, PROT_READ | PROT_EXEC);
    call(code);
}

/* Loops that write themselves, to be copied to where they may: first in every iteration, ahead of
 * the store, behind it and in both directions in turn. */
#define LOOP(name, text)                                                                           \
    extern const uint8_t name[], name##_end[];                                                     \
    __asm__(".section .rodata\n" #name ": " text "\n" #name "_end: .text\n")

LOOP(counts_itself, "xor %eax, %eax\n"
                    "movl $40, 512+counts_itself(%rip)\n"
                    "1: add $1, %rax\n"
                    "incb 2f-1(%rip)\n"
                    "add $1, %rax\n"
                    "2: addb $3, 1b+3(%rip)\n"
                    "add %rax, (%rdi)\n"
                    "decl 512+counts_itself(%rip)\n"
                    "jnz 1b\n"
                    "ret");
LOOP(toggles_itself, "xor %eax, %eax\n"
                     "mov $50, %ecx\n"
                     "1: xorb $3, 2f-1(%rip)\n"
                     "add $1, %rax\n"
                     "2: add %rax, (%rdi)\n"
                     "dec %ecx\n"
                     "jnz 1b\n"
                     "ret");
/* Bytes to rdi, from rsi, rdx of them; rcx is the distance of either to the next. */
LOOP(copies, "xor %eax, %eax\n"
             "1: add $0x11, %rax\n"
             "movzbl (%rsi), %r8d\n"
             "mov %r8b, (%rdi)\n"
             "add $0x11, %rax\n"
             "add %rcx, %rsi\n"
             "add %rcx, %rdi\n"
             "dec %rdx\n"
             "jnz 1b\n"
             "ret");
/* The same with all registers that a log pointer could be in but two. */
LOOP(copies_with_all, "push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\n"
                      "xor %eax, %eax\n"
                      "1: add $0x11, %rax\n"
                      "mov %rdi, %r9\n"
                      "movzbl (%rsi), %r8d\n"
                      "mov %r9, %r10\n"
                      "mov %r10, %r11\n"
                      "mov %r8b, (%r11)\n"
                      "lea (%rax), %rbx\n"
                      "lea (%rbx), %rbp\n"
                      "lea (%rbp), %r12\n"
                      "lea 1(%r12), %r13\n"
                      "mov %r13, %rax\n"
                      "add %rcx, %rsi\n"
                      "add %rcx, %rdi\n"
                      "dec %rdx\n"
                      "jnz 1b\n"
                      "pop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\n"
                      "ret");
/* Along a list from rdi, rsi nodes: what is at 64 behind a node becomes 9. */
LOOP(follows, "xor %eax, %eax\n"
              "1: mov (%rdi), %rdi\n"
              "movb $9, 64(%rdi)\n"
              "add $1, %rax\n"
              "2: dec %rsi\n"
              "jnz 1b\n"
              "ret");
#define FOLLOWED 12
/* A loop that stores nothing, whose page is written between its iterations only. */
LOOP(sums, "xor %eax, %eax\n"
           "1: add $1, %rax\n"
           "add (%rdi), %rax\n"
           "add $8, %rdi\n"
           "dec %rsi\n"
           "jnz 1b\n"
           "ret");

typedef uint64_t copier(uint8_t *to, const uint8_t *from, uint64_t count, int64_t step);

SAMPLE void writes_itself_each_turn(void)
{
    uint8_t *code = map_open();
    for (unsigned i = 0; i < 4; i++) {
        put(code, counts_itself, (size_t)(counts_itself_end - counts_itself));
        call(code);
        call(code);
    }
    code = map_open();
    put(code, toggles_itself, (size_t)(toggles_itself_end - toggles_itself));
    for (unsigned i = 0; i < 4; i++)
        call(code);
}

/* A loop copies itself over itself, with `from` in the place of each byte that is `of`: what runs
 * changes behind many iterations that changed nothing. */
static void copy_over(const uint8_t *loop, const uint8_t *end, uint8_t of, uint8_t from,
                      int64_t step)
{
    uint8_t *code = map_open(), *source = map_open();
    size_t bytes = (size_t)(end - loop);
    put(code + 128, loop, bytes);
    for (size_t i = 0; i < bytes; i++)
        ((volatile uint8_t *)source)[128 + i] = loop[i] == of ? from : loop[i];
    size_t first = step > 0 ? 64 : 128 + bytes + 63;
    copier *copy = (copier *)(uintptr_t)(code + 128);
    for (unsigned i = 0; i < 3; i++)
        data[60] += copy(code + first, source + first, 128 + bytes, step);
}

SAMPLE void copies_over_itself(void)
{
    for (int64_t step = -1; step <= 1; step += 2) {
        copy_over(copies, copies_end, 0x11, 0x12, step); /* what is added */
        copy_over(copies, copies_end, 0x75, 0x74, step); /* jnz, jz */
        copy_over(copies_with_all, copies_with_all_end, 0x11, 0x15, step);
        copy_over(copies_with_all, copies_with_all_end, 0x75, 0x74, step);
    }
}

SAMPLE void follows_into_itself(void)
{
    typedef uint64_t follower(uint8_t * node, uint64_t count);
    uint8_t *code = map_open(), *elsewhere = map_open(), *loop = code + 256;
    uint8_t *node = elsewhere;
    for (unsigned i = 1; i < 30; i++) {
        uint8_t *next = i == 20 ? loop + FOLLOWED - 64 : elsewhere + (size_t)128 * (i * 7 % 30);
        *(uint8_t *volatile *)(void *)node = next;
        node = next;
    }
    *(uint8_t *volatile *)(void *)node = elsewhere;
    put(loop, follows, (size_t)(follows_end - follows));
    for (unsigned i = 0; i < 3; i++)
        data[60] += ((follower *)(uintptr_t)loop)(elsewhere, 200);
}

SAMPLE void written_between_turns(void)
{
    typedef uint64_t summer(uint64_t * from, uint64_t count);
    uint8_t *code = map_open();
    put(code, sums, (size_t)(sums_end - sums));
    for (uint8_t i = 0; i < 5; i++) {
        data[60] += ((summer *)(uintptr_t)code)(data, 1 + 9U * i);
        put(code + 5, &i, 1);
        data[60] += ((summer *)(uintptr_t)code)(data, 20);
    }
}

static void run(void)
{
    rewritten_when_writable();
    mapped_again();
    shared();
    rewritten();
    data_beside();
    changes_itself();
    trap_ahead();
    kernel_writes();
    one_of_two();
    writes_itself_each_turn();
    copies_over_itself();
    follows_into_itself();
    written_between_turns();
    sample_exit((int)(data[60] & 63));
}
SAMPLE_START(run)
