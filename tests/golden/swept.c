/*
 * swept N: two threads read the same N numbers, the first one twice as often. Without a C library,
 * so that a model of it is small: version-12.model is `fit --name swept` of `replay -b 64 --share
 * all
 * --private` of its captures --private with N = 512, 1024, 2048 and 4096.
 */
#include <stddef.h>
#include <stdint.h>

#define N_MAX       4096U
#define STACK_BYTES 4096U
#define FLAGS       0x350f00 /* a thread of this process, whose number is cleared when it ends */

enum { FUTEX = 202, CLONE = 56, EXIT_GROUP = 231 };

uint64_t numbers[N_MAX];
_Alignas(64) char stack_of_other[STACK_BYTES];
volatile uint32_t other;

__attribute__((noinline, noipa)) void sweep(size_t n);
void sweep(size_t n)
{
    for (size_t i = 0; i < n; i++)
        (void)*(volatile uint64_t *)&numbers[i];
}

static long call(long number, const volatile void *a, long b, long c)
{
    long result;
    register long d __asm__("r10") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(d)
                     : "rcx", "r11", "memory");
    return result;
}

/* Another thread, which sweeps and ends. */
static void start(size_t n)
{
    register volatile uint32_t *cleared __asm__("r10") = &other;
    long result = CLONE;
    __asm__ volatile("syscall\n"
                     " test %%eax, %%eax\n"
                     " jnz 1f\n"
                     " mov %[n], %%rdi\n"
                     " call sweep\n"
                     " mov $60, %%eax\n"
                     " xor %%edi, %%edi\n"
                     " syscall\n"
                     "1:"
                     : "+a"(result)
                     : "D"((long)FLAGS), "S"(stack_of_other + STACK_BYTES), "d"(&other),
                       "r"(cleared), [n] "b"(n)
                     : "rcx", "r8", "r11", "memory", "cc");
}

static size_t number(const char *text)
{
    size_t value = 0;
    for (; *text; text++)
        value = 10 * value + (size_t)(*text - '0');
    return value;
}

/* The stack as the kernel leaves it: the count of arguments, then these. */
__attribute__((noreturn, used)) static void begin(char **stack)
{
    const size_t n = number(stack[2]);
    start(n);
    sweep(n);
    sweep(n);
    for (uint32_t id = other; id; id = other)
        call(FUTEX, &other, 0, id);
    call(EXIT_GROUP, NULL, 0, 0);
    __builtin_unreachable();
}

__asm__(".globl _start\n"
        "_start: mov %rsp, %rdi\n"
        " and $-16, %rsp\n"
        " call begin\n");
