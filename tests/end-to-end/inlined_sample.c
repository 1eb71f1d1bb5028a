/*
 * Loops of a routine that is inlined into one that is inlined: the calls are known by the debugging
 * information alone. It works on 8 numbers for each of its arguments, its name among them; without
 * libraries, so that few references touch little data. tests/golden/version-4-inlined.histograms is
 * of it.
 */
#define NUMBERS_MAX 512

static long table[NUMBERS_MAX];
long results[8];

static inline __attribute__((always_inline)) long sum(const long *values, long count)
{
    long all = 0;
    for (long i = 0; i < count; i++) // sum
        all += values[i];
    return all;
}

static inline __attribute__((always_inline)) long twice(const long *values, long count)
{
    long first = sum(values, count);       // called first
    return first + sum(values, count / 2); // called second
}

__attribute__((used)) static void work(long arguments)
{
    long count = 8 * arguments;
    for (long i = 0; i < count && i < NUMBERS_MAX; i++) // own
        ((volatile long *)table)[i] = i;
    results[3] = twice(table, count); // called twice
    __asm__ volatile("syscall" : : "a"(231), "D"(0) : "rcx", "r11", "memory");
}

__asm__(".globl _start\n"
        "_start:\n"
        "    mov (%rsp), %rdi\n"
        "    call work\n");
