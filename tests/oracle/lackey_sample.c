/*
 * A program without libraries, so that Valgrind (which changes what glibc does) and the processor
 * run the same instructions at the same addresses: it starts by moving to a stack of its own. The
 * instructions cover what compilers and libraries use, short of AVX-512, which Valgrind lacks.
 * What is loaded is used, for Valgrind leaves out loads of dead values.
 */
#include <stddef.h>

#include "tests/support/freestanding.h"

#define COUNT 64

static uint64_t words[COUNT], copies[COUNT];
static uint32_t keys[COUNT];
static double a[COUNT], b[COUNT], c[COUNT];
static char text[256], text_copy[256];
static struct node {
    struct node *next;
    uint64_t value;
} nodes[COUNT];

SAMPLE uint64_t sum_list(const struct node *node)
{
    uint64_t sum = 0;
    for (; node; node = node->next)
        sum += node->value;
    return sum;
}

SAMPLE void sort(uint32_t *first, uint32_t *last)
{
    if (last - first < 2)
        return;
    uint32_t pivot = first[(last - first) / 2], *low = first, *high = last - 1;
    while (low <= high) {
        while (*low < pivot)
            low++;
        while (*high > pivot)
            high--;
        if (low <= high) {
            uint32_t swapped = *low;
            *low++ = *high;
            *high-- = swapped;
        }
    }
    sort(first, high + 1);
    sort(low, last);
}

SAMPLE void triad(double scale)
{
    for (size_t i = 0; i < COUNT; i++)
        a[i] = b[i] + scale * c[i];
}

__attribute__((target("avx2,fma"))) SAMPLE void triad_wide(double scale)
{
    for (size_t i = 0; i < COUNT; i++)
        a[i] += b[i] * scale + c[i];
}

/* Without cmps, whose two loads have no order of their own; and below without bit offsets in
 * registers, where Valgrind loads one byte. */
SAMPLE void strings(void)
{
    const void *from = text;
    void *to = text_copy;
    size_t count = 100;

    __asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(count) : : "memory");
    count = 9;
    __asm__ volatile("rep stosq" : "+D"(to), "+c"(count) : "a"(0x2020202020202020) : "memory");
    to = text;
    count = 200;
    __asm__ volatile("repne scasb" : "+D"(to), "+c"(count) : "a"('z') : "memory", "cc");
    from = text + 40;
    to = text_copy + 40;
    count = 5;
    __asm__ volatile("std; rep movsq; cld" : "+S"(from), "+D"(to), "+c"(count) : : "memory", "cc");
    count = 0;
    __asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(count) : : "memory");
    __asm__ volatile("movsl; lodsb" : "+S"(from), "+D"(to) : : "rax", "memory");
}

SAMPLE void stack_and_bits(uint64_t *data)
{
    __asm__ volatile("pushq 8(%0)\n\t"
                     "popq 16(%0)\n\t"
                     "pushq $5\n\t"
                     "pushw $5\n\t"
                     "popw %%cx\n\t"
                     "popq %%rdx\n\t"
                     "add %%rdx, %%rcx\n\t"
                     "pushq %%rcx\n\t"
                     "pushq %%rcx\n\t"
                     "popq (%%rsp)\n\t" /* below the pop */
                     "popq 24(%0)\n\t"
                     "enter $32, $0\n\t"
                     "leave"
                     :
                     : "r"(data)
                     : "rcx", "rdx", "memory", "cc");
    __asm__ volatile("btl $5, (%0); setc 32(%0); btsw $9, (%0); setc 34(%0)"
                     :
                     : "r"(data + 10)
                     : "cc", "memory");
    __asm__ volatile("cmovzq (%0), %%rax; cmovnzq 8(%0), %%rax; mov %%rax, (%0)"
                     :
                     : "r"(data)
                     : "rax", "memory");
    __asm__ volatile("addr32 movl 4(%k0), %%eax; mov %%eax, 4(%0)" : : "r"(data) : "rax", "memory");
    __asm__ volatile("mulq (%0); setz 8(%0); incq 16(%0); negl 24(%0)"
                     :
                     : "r"(data)
                     : "rax", "rdx", "memory", "cc");
    __asm__ volatile("nopw 8(%0); clflush (%0); lea 8(%0), %%rax" : : "r"(data) : "rax");
}

SAMPLE void floats(void)
{
    static float singles[4];
    static uint32_t control;

    __asm__ volatile("fldl (%0); faddl 8(%0); fstpl 16(%0)" : : "r"(a) : "memory");
    __asm__ volatile("filds (%0); fistpl 4(%0)" : : "r"(keys) : "memory");
    __asm__ volatile("stmxcsr %0; ldmxcsr %0" : "+m"(control));
    __asm__ volatile("movups (%0), %%xmm0; addps 16(%0), %%xmm0; movhps %%xmm0, (%1);"
                     "movlps 8(%0), %%xmm0; movss %%xmm0, 8(%1); cvtss2sd 4(%1), %%xmm1;"
                     "pinsrw $1, (%0), %%xmm1; movd %%xmm1, 12(%1)"
                     :
                     : "r"(a), "r"(singles)
                     : "xmm0", "xmm1", "memory");
}

__attribute__((target("avx2"))) SAMPLE void vectors(void)
{
    static const int64_t lanes[4] = {3, 0, 17, 5};
    static const int64_t mask[4] = {-1, 0, -1, -1};

    __asm__ volatile("vmovdqu (%0), %%ymm1\n\t"
                     "vpcmpeqd %%ymm2, %%ymm2, %%ymm2\n\t"
                     "vpgatherqq %%ymm2, (%2,%%ymm1,8), %%ymm3\n\t"
                     "vmovdqu %%ymm3, (%3)\n\t"
                     "vbroadcastsd 8(%2), %%ymm0\n\t"
                     "vextracti128 $1, %%ymm3, 40(%3)\n\t"
                     "vmovdqu %%ymm0, 64(%3)\n\t"
                     "vpmovzxbd 4(%2), %%ymm0\n\t"
                     "vmovdqu %%xmm0, 96(%3)\n\t"
                     "vmovdqu (%1), %%ymm1\n\t"
                     "vmaskmovpd 32(%2), %%ymm1, %%ymm0\n\t"
                     "vpmaskmovq %%ymm0, %%ymm1, 128(%3)\n\t"
                     "vzeroupper"
                     :
                     : "r"(lanes), "r"(mask), "r"(words), "r"(copies)
                     : "xmm0", "xmm1", "xmm2", "xmm3", "memory");
}

static void run(void)
{
    uint64_t random = 1;

    for (size_t i = 0; i < COUNT; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        keys[i] = (uint32_t)(random >> 40);
        words[i] = random;
        b[i] = c[i] = (double)i;
        nodes[i].next = i + 1 < COUNT ? &nodes[(i * 37 + 37) % COUNT] : NULL;
        nodes[i].value = i;
    }
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i % 25);
    text[150] = 'z';
    sort(keys, keys + COUNT);
    triad((double)sum_list(&nodes[5]));
    strings();
    stack_and_bits(copies);
    floats();
    if (sample_has(0)) {
        triad_wide(0.5);
        vectors();
    }
    sample_exit(words[3] == 0);
}

SAMPLE_START(run)
