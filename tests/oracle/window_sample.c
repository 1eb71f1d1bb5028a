/*
 * Windows in all positions: functions that are called directly, by pointer, recursively and by a
 * jump, that begin with a loop, that pop their arguments; markers in straight code, in loops and
 * twice in a row; windows that begin and end within a loop. Without the C library; compared access
 * by access with single stepping.
 */
#include <stddef.h>

#include "tests/support/freestanding.h"
#include "trace-capture/markers/foretrace.h"

static uint64_t data[512];
static volatile uint64_t rounds = 3;

#define ENTRY __attribute__((noinline, noclone, used)) static

/* Its first instruction is the head of its loop. */
__attribute__((naked, used)) static void loop_first(void)
{
    __asm__("1: add (%rdi), %rax\n\t"
            "add $8, %rdi\n\t"
            "dec %rsi\n\t"
            "jnz 1b\n\t"
            "ret");
}

/* Takes one argument off the stack. */
__attribute__((naked, used)) static void pops(void)
{
    __asm__("mov 8(%rsp), %rax\n\t"
            "add %rax, data+64(%rip)\n\t"
            "ret $8");
}

/* Goes on in another one, which returns for it. */
__attribute__((naked, used)) static void tail(void)
{
    __asm__("incq data+72(%rip)\n\t"
            "lea data(%rip), %rdi\n\t"
            "mov $20, %esi\n\t"
            "jmp loop_first");
}

ENTRY uint64_t recursive(uint64_t depth)
{
    data[depth & 511]++;
    return depth == 0 ? data[1] : recursive(depth - 1) + data[depth & 7];
}

ENTRY uint64_t middle(uint64_t *from, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += from[(i * 7) & 255];
    return sum + recursive(5);
}

ENTRY void other(void)
{
    for (size_t i = 0; i < 40; i++)
        data[i] ^= data[i + 1];
}

/* r11 is where the log pointer lives. */
ENTRY uint64_t uses_r11(uint64_t n)
{
    __asm__ volatile("mov %0, %%r11\n\t"
                     "1: mov data(,%%r11,8), %%r10\n\t"
                     "add %%r10, %0\n\t"
                     "dec %%r11\n\t"
                     "jnz 1b\n\t"
                     "add %%r11, %0"
                     : "+r"(n)
                     :
                     : "r10", "r11", "memory");
    return n;
}

static uint64_t (*volatile by_pointer)(uint64_t *, size_t) = middle;

ENTRY void marked(void)
{
    FORETRACE_STOP();
    data[9] = 1;
    FORETRACE_START();
    data[10] = 2;
    FORETRACE_START();
    other();
    FORETRACE_STOP();
    FORETRACE_STOP();
    for (size_t i = 0; i < 6; i++) {
        data[i]++;
        if (i & 1)
            FORETRACE_START();
        data[i + 100] += data[i];
        data[200] += uses_r11(5);
        FORETRACE_STOP();
    }
}

static void call_assembly(void)
{
    uint64_t *pointer = data;
    uint64_t count = 30;
    __asm__ volatile("call loop_first" : "+D"(pointer), "+S"(count) : : "rax", "memory", "cc");
    __asm__ volatile("push %1\n\t"
                     "call pops"
                     : "+m"(data)
                     : "r"(rounds)
                     : "rax", "memory", "cc");
    __asm__ volatile("call tail" : : : "rax", "rdi", "rsi", "memory", "cc");
}

static void run(void)
{
    for (uint64_t round = 0; round < rounds; round++) {
        other();
        data[20] += middle(data, 50 + round);
        data[21] += by_pointer(data + 8, 20);
        call_assembly();
        data[22] += uses_r11(30);
        marked();
        __asm__ volatile("rep stosq" : : "D"(data + 256), "c"(100), "a"(round) : "memory");
        other();
    }
    sample_exit(0);
}

SAMPLE_START(run)
