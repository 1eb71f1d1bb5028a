/*
 * Loops of every shape that a capture may summarise or must not: induction up and down, strides in
 * registers, wrapping indices, chases, gathers, stack and string instructions inside, exits on
 * data, no register to spare. No library, so that few steps are spent elsewhere; compared access
 * by access with single stepping (test_capture).
 */
#include <stddef.h>
#include <stdint.h>

#include "tests/support/freestanding.h"

#define COUNT 48

static uint64_t words[4 * COUNT];
static uint32_t picks[COUNT];
static char text[128];

/* Each runs for 1, 2 and COUNT iterations. */
SAMPLE void up(uint64_t n)
{
    uint64_t i = 0, sum;
    __asm__ volatile("1: mov (%2,%0,8), %1; add $1, %0; cmp %3, %0; jne 1b"
                     : "+&r"(i), "=&r"(sum)
                     : "r"(words), "r"(n)
                     : "cc", "memory");
    i = 0;
    __asm__ volatile("1: incq 8(%2,%0); lea 24(%0), %0; cmp %3, %0; jb 1b"
                     : "+&r"(i), "=&r"(sum)
                     : "r"(words), "r"(n * 24)
                     : "cc", "memory");
}

SAMPLE void down(uint64_t n)
{
    uint64_t i = n;
    __asm__ volatile("1: movl $7, -8(%1,%0,8); dec %0; jnz 1b"
                     : "+&r"(i)
                     : "r"(words)
                     : "cc", "memory");
    i = n;
    __asm__ volatile("1: sub $1, %0; addl $3, (%1,%0,4); test %0, %0; jg 1b"
                     : "+&r"(i)
                     : "r"(picks + 0)
                     : "cc", "memory");
    for (size_t k = 0; k < COUNT; k++)
        picks[k] = (uint32_t)(k * 29 % COUNT);
}

SAMPLE void strides(uint64_t n)
{
    const uint64_t *p = words, *q = words + 3 * COUNT;
    uint64_t i = n, sum = 0;
    __asm__ volatile("1: add (%0), %2; add %4, %0; add (%1), %2; sub %5, %1; dec %3; jnz 1b"
                     : "+&r"(p), "+&r"(q), "+&r"(sum), "+&r"(i)
                     : "r"((uint64_t)24), "r"((uint64_t)16)
                     : "cc", "memory");
    i = n; /* the stride is loaded in each iteration */
    p = words;
    __asm__ volatile("1: mov (%0), %1; movzwl (%3), %k1; lea (%0,%1,8), %0; and %4, %0; or %5, %0;"
                     "dec %2; jnz 1b"
                     : "+&r"(p), "+&r"(sum), "+&r"(i)
                     : "r"(picks + 1), "r"((uint64_t)0xf8), "r"(words)
                     : "cc", "memory");
}

/* A 32-bit index that wraps, and one of 8 bits. */
SAMPLE void narrow(uint64_t n)
{
    uint64_t i = 0xfffffff8, left = n, sum;
    __asm__ volatile("1: and $63, %k0; mov (%3,%0,8), %1; add $13, %k0; dec %2; jnz 1b"
                     : "+&r"(i), "=&r"(sum), "+&r"(left)
                     : "r"(words)
                     : "cc", "memory");
    i = 0xfa;
    left = n;
    __asm__ volatile("1: movzbl %b0, %k1; movb (%3,%1), %b1; incb %b0; andb $63, %b0; dec %2;"
                     "jnz 1b"
                     : "+&q"(i), "=&q"(sum), "+&r"(left)
                     : "r"(words)
                     : "cc", "memory");
    i = 0xfffffff0; /* the index wraps to 0 in 32 bits */
    left = n;
    __asm__ volatile(
        "1: lea 16(%k0), %k0; mov %k0, %k1; shr $28, %k1; incb (%3,%1); add $0x10000000, %k0;"
        "dec %2; jnz 1b"
        : "+&q"(i), "=&q"(sum), "+&r"(left)
        : "r"(words)
        : "cc", "memory");
}

SAMPLE void chase(uint64_t n)
{
    uint64_t *p = words;
    for (size_t k = 0; k < COUNT; k++)
        words[k] = (uint64_t)(uintptr_t)&words[(k * 5 + 7) % COUNT];
    __asm__ volatile("1: mov (%0), %0; dec %1; jnz 1b" : "+&r"(p), "+&r"(n) : : "cc", "memory");
}

SAMPLE void indexed(uint64_t n)
{
    uint64_t i = 0, index, sum = 0;
    __asm__ volatile("1: mov (%3,%0,4), %k1; add (%4,%1,8), %2; mov %2, 8(%4,%1,8); inc %0;"
                     "cmp %5, %0; jb 1b"
                     : "+&r"(i), "=&r"(index), "+&r"(sum)
                     : "r"(picks), "r"(words), "r"(n)
                     : "cc", "memory");
}

/* Ends where the data say so: no induction register tells the count. */
SAMPLE uint64_t until_zero(uint64_t n)
{
    uint64_t i = (uint64_t)-1;
    text[n - 1] = 0;
    __asm__ volatile("1: inc %0; cmpb $0, (%1,%0); jne 1b" : "+&r"(i) : "r"(text) : "cc", "memory");
    const char *p = text;
    __asm__ volatile("1: lodsb; test %%al, %%al; jnz 1b" : "+&S"(p) : : "rax", "cc", "memory");
    text[n - 1] = 'x';
    return i;
}

SAMPLE void stack_inside(uint64_t n)
{
    uint64_t i = n;
    __asm__ volatile("1: push %0; pop %%rax; dec %0; jnz 1b" : "+&r"(i) : : "rax", "cc", "memory");
    i = n;
    __asm__ volatile("mov %%rsp, %%rax; 1: push %0; dec %0; jnz 1b; mov %%rax, %%rsp"
                     : "+&r"(i)
                     :
                     : "rax", "cc", "memory");
    i = n;
    __asm__ volatile("mov %%rsp, %%rax; 1: sub $16, %%rsp; movl $1, 4(%%rsp); dec %0; jnz 1b;"
                     "mov %%rax, %%rsp"
                     : "+&r"(i)
                     :
                     : "rax", "cc", "memory");
}

SAMPLE void loop_instruction(uint64_t n)
{
    const uint64_t *p = words;
    uint64_t i = n;
    __asm__ volatile("1: mov (%0), %%rax; add $8, %0; loop 1b"
                     : "+&r"(p), "+&c"(i)
                     :
                     : "rax", "cc", "memory");
    i = n;
    __asm__ volatile("1: mov -8(%1,%0,8), %%rax; dec %0; jrcxz 2f; jmp 1b; 2:"
                     : "+&c"(i)
                     : "r"(words)
                     : "rax", "cc", "memory");
}

/* All registers are in use, also those that a translator might reserve. */
SAMPLE void no_register_left(uint64_t n)
{
    __asm__ volatile(
        "push %%rbp; push %%rbx; mov %0, %%rcx; mov %1, %%rbx;"
        "lea 8(%%rbx), %%rbp; lea 16(%%rbx), %%rsi; lea 24(%%rbx), %%rdi; lea 32(%%rbx), %%r8;"
        "lea 40(%%rbx), %%r9; lea 48(%%rbx), %%r10; lea 56(%%rbx), %%r11; lea 64(%%rbx), %%r12;"
        "lea 72(%%rbx), %%r13; lea 80(%%rbx), %%r14; lea 88(%%rbx), %%r15; mov $1, %%eax;"
        "mov $2, %%edx;"
        "1: add %%rax, (%%rbx); add %%rdx, (%%rbp); mov (%%rsi), %%al; mov %%al, (%%rdi);"
        "incq (%%r8); incq (%%r9); decq (%%r10); incq (%%r11); incq (%%r12); incq (%%r13);"
        "incq (%%r14); incq (%%r15); add $8, %%r11; sub $8, %%r15; dec %%rcx; jnz 1b;"
        "pop %%rbx; pop %%rbp"
        :
        : "r"(n), "r"(words + COUNT)
        : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
          "cc", "memory");
}

SAMPLE void strings_inside(uint64_t n)
{
    __asm__ volatile("mov %0, %%rdx; 1: mov %1, %%rsi; mov %2, %%rdi; mov %%rdx, %%rcx; rep movsb;"
                     "mov $3, %%ecx; rep stosw; dec %%rdx; jnz 1b"
                     :
                     : "r"(n), "r"(text), "r"(words)
                     : "rcx", "rdx", "rsi", "rdi", "cc", "memory");
}

/* A pointer chosen by data, two that swap, and a loop of several blocks. */
SAMPLE void choices(uint64_t n)
{
    uint64_t i = n, *p = words, *q = words + COUNT;
    __asm__ volatile("1: lea 8(%0), %%rax; lea 32(%0), %%rdx; testl $1, (%2,%1,4);"
                     "cmovz %%rax, %%rdx; mov %%rdx, %0; and $0xff, %%edx; incq (%3,%%rdx);"
                     "dec %1; jnz 1b"
                     : "+&r"(p), "+&r"(i)
                     : "r"(picks), "r"(words)
                     : "rax", "rdx", "cc", "memory");
    i = n;
    p = words;
    __asm__ volatile("1: movq $1, (%0); xchg %0, %1; add $8, %0; dec %2; jnz 1b"
                     : "+&r"(p), "+&r"(q), "+&r"(i)
                     :
                     : "cc", "memory");
    i = n;
    __asm__ volatile("1: testb $2, (%1,%0); jz 2f; incb (%2,%0); jmp 3f; 2: decb 1(%2,%0);"
                     "3: dec %0; jnz 1b"
                     : "+&r"(i)
                     : "r"(text), "r"(words)
                     : "cc", "memory");
}

/* What no simulation of simple moves follows: multiplication, exchange with memory, bit scans. */
SAMPLE void arithmetic(uint64_t n)
{
    uint64_t i = n, x = 12345, at;
    __asm__ volatile("1: imul $1103515245, %0, %0; add $12345, %0; mov %0, %1; shr $20, %1;"
                     "and $127, %1; lock incb (%3,%1); dec %2; jnz 1b"
                     : "+&r"(x), "=&r"(at), "+&r"(i)
                     : "r"(words)
                     : "cc", "memory");
    i = n;
    __asm__ volatile("1: mov %1, %0; bsf %0, %0; xadd %0, (%2); neg %0; not %0; and $15, %0;"
                     "mov (%2,%0,8), %0; dec %1; jnz 1b"
                     : "=&r"(at), "+&r"(i)
                     : "r"(words)
                     : "cc", "memory");
}

SAMPLE void without_accesses(uint64_t n)
{
    __asm__ volatile("1: pause; dec %0; jnz 1b; nop" : "+&r"(n) : : "cc", "memory");
}

/* Entered in the middle, and one that is left from the middle. */
SAMPLE void entered_late(uint64_t n)
{
    uint64_t i = 0;
    __asm__ volatile("jmp 2f; 1: incb (%1,%0); 2: inc %0; cmp %2, %0; jbe 1b"
                     : "+&r"(i)
                     : "r"(words), "r"(n)
                     : "cc", "memory");
    i = 0;
    __asm__ volatile("1: incb (%1,%0); inc %0; cmp %2, %0; jae 2f; incb 64(%1,%0); jmp 1b; 2:"
                     : "+&r"(i)
                     : "r"(words), "r"(n)
                     : "cc", "memory");
}

SAMPLE uint64_t nested(uint64_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i % 4; j++)
            sum += words[i + j] += picks[j];
    return sum;
}

static void run(void)
{
    const uint64_t sizes[] = {1, 2, 5, COUNT};

    for (size_t i = 0; i < COUNT; i++) {
        picks[i] = (uint32_t)(i * 29 % COUNT);
        words[i] = i * i;
    }
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i * 7 % 25);
    for (size_t repetition = 0; repetition < 2; repetition++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            uint64_t n = sizes[i];
            up(n);
            down(n);
            strides(n);
            narrow(n);
            chase(n);
            indexed(n);
            until_zero(n);
            stack_inside(n);
            loop_instruction(n);
            no_register_left(n);
            strings_inside(n);
            choices(n);
            arithmetic(n);
            without_accesses(n);
            entered_late(n);
            nested(n);
        }
    sample_exit(0);
}
SAMPLE_START(run)
