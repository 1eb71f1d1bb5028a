/*
 * Hot code that goes through branches, calls, returns and indirect jumps, now and then another way
 * than most times: a capture makes paths of it, and must leave them everywhere (path_joints.c).
 * Code that runs once in between gives it the occasions to look. No library, so that few steps are
 * spent elsewhere; compared access by access with single stepping (test_capture).
 */
#include <stddef.h>
#include <stdint.h>

#include "tests/support/freestanding.h"

#define PHASES 12U
#define ROUNDS 110U

static uint64_t words[64];
static uint8_t text[64];

SAMPLE uint64_t twice(uint64_t x)
{
    return 2 * x + words[x & 7]++;
}

SAMPLE uint64_t half(uint64_t x)
{
    words[8 + (x & 7)] ^= x;
    return x / 2;
}

SAMPLE uint64_t rare(uint64_t x)
{
    return words[x & 31] + 1;
}

static uint64_t (*const operations[4])(uint64_t) = {twice, half, twice, rare};

/* A call through memory and one through r11, and a return that pops an argument. */
SAMPLE uint64_t calls(uint64_t n)
{
    uint64_t result = operations[n & 1](n);
    if (n % 13 == 7)
        result += operations[3](result);
    __asm__ volatile("push %1; lea 1f(%%rip), %%r11; call *%%r11; jmp 2f;"
                     "1: mov 8(%%rsp), %0; add (%2), %0; ret $8; 2:"
                     : "=&r"(result)
                     : "r"(result), "r"(words + 5)
                     : "r11", "cc", "memory");
    return result;
}

/* A jump through a table that r11 is loaded from; r11 as base, index, value and target. */
SAMPLE uint64_t jumps(uint64_t n)
{
    static uint64_t cell;
    uint64_t result = n % 11 == 3, other = (uint64_t)&cell;
    __asm__ volatile("lea 3f(%%rip), %%r11; test %0, %0; jz 1f; lea 4f(%%rip), %%r11;"
                     "1: mov %%r11, (%1); mov (%1), %%r11; cmpq $0, (%%r11); jmp *(%1);"
                     "3: mov %1, %%r11; incq (%%r11); mov (%%r11), %%r11d; and $7, %%r11d;"
                     "   addl $1, words(,%%r11,8); jmp 5f;"
                     "4: decq (%1); sub $1, %0; mov $9, %%r11d;"
                     "5: movzbl text(%%r11), %k0"
                     : "+&r"(result)
                     : "r"(other)
                     : "r11", "cc", "memory");
    return result;
}

/* Rounds of an inner loop of several blocks; all registers but one are in use around it. */
SAMPLE uint64_t rounds(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < 5 + n % 3; i++)
        if ((i + n) & 1)
            sum += words[i];
        else
            words[16 + i] = sum;
    __asm__ volatile(
        "xor %%r8d, %%r8d; mov $3, %%r9d; mov %%r9, %%r10; mov %%r10, %%r11; mov %%r11, %%r12;"
        "mov %%r12, %%r13; mov %%r13, %%r14; mov %%r14, %%r15; mov (%0), %%rax;"
        "1: add (%0,%%r8,8), %%rax; mov %%rax, 8(%0,%%r15,8); inc %%r8; cmp %%r11, %%r8;"
        "jb 1b; movb %%al, text(%%r14); mov %%r11, 24(%0)"
        :
        : "r"(words + 32)
        : "rax", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc", "memory");
    return sum;
}

/* String instructions, the direction flag, and flags that live across a return. */
SAMPLE uint64_t strings(uint64_t n)
{
    uint64_t count = 3 + n % 2, equal;
    const uint8_t *from = text;
    uint8_t *to = text + 32;
    __asm__ volatile("rep movsb" : "+c"(count), "+S"(from), "+D"(to) : : "memory");
    __asm__ volatile("std; mov $2, %%ecx; rep stosb; cld" : "+D"(to) : "a"(n) : "ecx", "memory");
    count = 6;
    from = text;
    to = text + 33;
    __asm__ volatile("repe cmpsb" : "+c"(count), "+S"(from), "+D"(to) : : "cc", "memory");
    __asm__ volatile("cmp $5, %1; call 1f; setc %b0; movzbl %b0, %k0; jmp 2f;"
                     "1: lea words(%%rip), %0; mov 8(%0), %0; ret; 2:"
                     : "=&q"(equal)
                     : "r"(n % 10)
                     : "cc", "memory");
    return count + equal;
}

/* Each runs once. */
#define COLD(number)                                                                               \
    SAMPLE void cold_##number(void)                                                                \
    {                                                                                              \
        words[40 + (number)] += (number);                                                          \
    }
/* clang-format off */
COLD(0) COLD(1) COLD(2) COLD(3) COLD(4) COLD(5) COLD(6) COLD(7) COLD(8) COLD(9) COLD(10) COLD(11)
    /* clang-format on */

    static void (*const cold[PHASES])(void) = {cold_0, cold_1, cold_2, cold_3, cold_4,  cold_5,
                                               cold_6, cold_7, cold_8, cold_9, cold_10, cold_11};

static void run(void)
{
    uint64_t sum = 0;
    for (uint64_t phase = 0; phase < PHASES; phase++) {
        for (uint64_t i = 0; i < ROUNDS; i++)
            sum += calls(i + phase) + jumps(i) + rounds(i) + strings(sum);
        cold[phase]();
    }
    sample_exit((int)(sum & 63));
}

SAMPLE_START(run)
