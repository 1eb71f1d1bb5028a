/*
 * Loops of several blocks that are left everywhere: behind their last iteration, by branches before
 * and behind where the counting register moves on, in front of a return that leads elsewhere, and
 * by a fault that a handler mends. A capture makes loop paths of them (loop_exits.c). Code that
 * runs once in between gives it the occasions to look. No library, so that few steps are spent
 * elsewhere; compared access by access with single stepping (test_capture).
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "tests/support/freestanding.h"

#define PHASES 9U
#define ROUNDS 9U
#define LENGTH 48U

static uint64_t words[2 * LENGTH];
static struct node {
    struct node *next;
    uint64_t value;
} nodes[LENGTH];
static uint8_t pages[2 * 4096] __attribute__((aligned(4096)));
static uint64_t cell, fault_resume;

/* Left in front of the step, behind it, and where the count is used up. */
SAMPLE uint64_t search(uint64_t key, uint64_t end, uint64_t limit)
{
    uint64_t i = 0, value;
    __asm__ volatile("1: mov (%[words],%[i],8), %[value]; cmp %[key], %[value]; je 2f;"
                     "   add $1, %[i]; cmp %[end], %[i]; je 2f;"
                     "   incq 384(%[words],%[i],8); dec %[limit]; jnz 1b; 2:"
                     : [i] "+r"(i), [value] "=&r"(value), [limit] "+r"(limit)
                     : [words] "r"(words), [key] "r"(key), [end] "r"(end)
                     : "cc", "memory");
    return i + value;
}

/* A branch that is taken in nearly all iterations; the turn ends with a jump, the stack moves, 32
 * bits count. */
SAMPLE uint64_t taken(uint64_t count, uint64_t odd)
{
    uint64_t left = count;
    __asm__ volatile(
        "1: push %[left]; cmp %k[odd], %k[left]; jne 2f; incq 8(%[words]); pop %[left];"
        "   sub $2, %k[left]; jbe 4f; push %[left];"
        "2: addl $1, 16(%[words],%[left],4); pop %[left]; sub $1, %k[left]; jz 4f;"
        "   testb $1, 400(%[words]); jnz 4f; jmp 1b; 4:"
        : [left] "+r"(left)
        : [words] "r"(words), [odd] "r"(odd)
        : "cc", "memory");
    return left;
}

/* No register counts. */
SAMPLE void spin(uint64_t iterations, uint64_t flag)
{
    cell = iterations;
    __asm__ volatile("1: decq (%[cell]); jz 2f; pause; cmp %[flag], (%[cell]); je 2f; jmp 1b; 2:"
                     :
                     : [cell] "r"(&cell), [flag] "r"(flag)
                     : "cc", "memory");
}

/* What is loaded is an address: logged in each iteration. r11 is a base, another register comes
 * from it.
 */
SAMPLE uint64_t chase(uint64_t key, uint64_t iterations)
{
    uint64_t sum = 0;
    struct node *node = nodes;
    __asm__ volatile("lea words(%%rip), %%r11;"
                     "1: mov 8(%[node]), %%rax; cmp %[key], %%rax; je 2f; mov (%[node]), %[node];"
                     "   add (%%r11,%%rax,8), %[sum]; cmpq $77, 8(%[node]); je 2f;"
                     "   incq 8(%%r11); dec %[iterations]; jnz 1b; 2:"
                     : [node] "+r"(node), [sum] "+r"(sum), [iterations] "+r"(iterations)
                     : [key] "r"(key)
                     : "rax", "r11", "cc", "memory");
    return sum;
}

/* r11 itself is loaded in each iteration; all registers but one are in use. */
SAMPLE void all_registers(uint64_t iterations, uint64_t stop)
{
    __asm__ volatile(
        "xor %%r8d, %%r8d; mov $5, %%r9d; mov %%r9, %%r10; mov %%r9, %%r12;"
        "mov %%r9, %%r13; mov %%r9, %%r14; mov %%r9, %%r15;"
        "1: mov (%[words],%%r8,8), %%r11; and $7, %%r11d; mov (%[words],%%r11,8), %%rax;"
        "   cmp %[stop], %%r8; je 2f; mov %%rax, 384(%[words],%%r14,8);"
        "   incq (%[words],%%r12,8); add $1, %%r8; cmp %%r8, %[iterations]; ja 1b; 2:"
        :
        : [words] "r"(words), [iterations] "r"(iterations), [stop] "r"(stop)
        : "rax", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc", "memory");
}

/* A call in each iteration, whose return now and then goes elsewhere. */
SAMPLE uint64_t calls(uint64_t iterations, uint64_t elsewhere)
{
    uint64_t i = 0;
    __asm__ volatile("1: call 3f; incq (%[words],%[i],8); jmp 2f; nop;"
                     "5: decq 8(%[words]); jmp 4f;"
                     "3: add $1, %[i]; cmp %[elsewhere], %[i]; jne 6f; lea 5b(%%rip), %%rax;"
                     "   mov %%rax, (%%rsp); 6: ret;"
                     "2: cmp %[iterations], %[i]; jb 1b; 4:"
                     : [i] "+r"(i)
                     : [words] "r"(words), [iterations] "r"(iterations), [elsewhere] "r"(elsewhere)
                     : "rax", "cc", "memory");
    return i;
}

/* Runs into a page that may not be read; two pointers change places in each iteration, and neither
 * they nor the 32-bit count can be worked back from where they are. */
SAMPLE uint64_t into_fault(uint64_t before, uint64_t stop)
{
    const uint8_t *one = pages + 4096 - before, *other = pages;
    uint64_t count = 0xfffffff0;
    __asm__ volatile(
        "lea 2f(%%rip), %%rax; mov %%rax, %[resume];"
        "1: cmp %[stop], %[count]; je 2f; add $1, %k[count]; movzbl (%[other]), %%eax;"
        "   xchg %[one], %[other]; test %%al, %%al; jnz 2f; add (%[other]), %%al;"
        "   mov %%al, -1(%[one]); add $3, %[one]; add $1, %[other];"
        "   cmp %[one], %[other]; jne 1b; 2:"
        : [one] "+r"(one), [other] "+r"(other), [count] "+r"(count), [resume] "=m"(fault_resume)
        : [stop] "r"(stop)
        : "rax", "cc", "memory");
    return count;
}

__attribute__((used)) static void mend(int signal, void *info, uint64_t *context)
{
    (void)signal;
    (void)info;
    context[5 + 16] = fault_resume; /* uc_mcontext.gregs[REG_RIP] */
}

__attribute__((naked)) static void restore(void)
{
    __asm__("mov $15, %eax; syscall"); /* rt_sigreturn */
}

static void expect_faults(void)
{
    struct {
        void (*handler)(int, void *, uint64_t *);
        uint64_t flags;
        void (*restorer)(void);
        uint64_t mask;
    } action = {mend, 0x04000004, restore, 0}; /* SA_RESTORER, SA_SIGINFO */
    sample_system_call(SYS_rt_sigaction, 11, (long)&action, 0, 8);
    sample_system_call(SYS_mprotect, (long)(pages + 4096), 4096, 0, 0);
}

/* Each runs once. */
#define COLD(number)                                                                               \
    SAMPLE void cold_##number(void)                                                                \
    {                                                                                              \
        words[(number)] += 2 * (number);                                                           \
    }
/* clang-format off */
COLD(1) COLD(2) COLD(3) COLD(4) COLD(5) COLD(6) COLD(7) COLD(8) COLD(9)
    /* clang-format on */

    static void (*const cold[PHASES])(void) = {cold_1, cold_2, cold_3, cold_4, cold_5,
                                               cold_6, cold_7, cold_8, cold_9};

static uint64_t round_of(uint64_t i)
{
    const uint64_t none = UINT64_MAX;
    uint64_t sum = search(none, i % 3 == 1 ? 20 : 90, i % 3 == 2 ? 40 : 30);
    words[22] = 4711;
    sum += search(i % 4 ? none : 4711, 90, 25) + taken(35, i % 5 ? none : 9);
    words[22] = 0;
    words[50] = i % 7 == 3;
    sum += taken(20 + i, none);
    words[50] = 0;
    spin(30 + i, i % 2 ? 5 : none);
    sum += chase(i % 3 ? none : 12 + i, 40) + chase(i % 5 == 2 ? 8 : none, 9);
    all_registers(25 + i, i % 4 == 1 ? 11 : none);
    sum += calls(28, i % 3 == 2 ? 13 : none);
    return sum + into_fault(40 + i, none) + into_fault(99, i % 2 ? none : 0xfffffff7) +
           into_fault(80 + i, i);
}

static void run(void)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < LENGTH; i++)
        nodes[i] = (struct node){&nodes[(i * 7 + 5) % LENGTH], i == 33 ? 77 : i % 20};
    expect_faults();
    for (uint64_t phase = 0; phase < PHASES; phase++) {
        for (uint64_t i = 0; i < ROUNDS; i++)
            sum += round_of(i + phase);
        cold[phase]();
    }
    sample_exit((int)(sum & 63));
}

SAMPLE_START(run)
