/*
 * Code whose data lie one and a half GiB behind it, so that they are out of reach of its
 * translation, which lies before it: operands of all encodings, branches through them, and what
 * code at another end of the address space calls. Without the C library; compared access by access
 * with single stepping.
 */
#include <stddef.h>
#include <sys/mman.h>

#include "tests/support/freestanding.h"

#define DISTANCE 0x60000000

static uint64_t words[8];

static void *map(uint64_t address, long protection)
{
    register long fourth __asm__("r10") = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    register long fifth __asm__("r8") = -1;
    register long sixth __asm__("r9") = 0;
    long number = 9; /* mmap */
    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(address), "S"(4096L), "d"(protection), "r"(fourth), "r"(fifth),
                       "r"(sixth)
                     : "rcx", "r11", "memory");
    return (void *)number;
}

#define FAR "far_code+0x60000000" /* DISTANCE */

/* Copied to where its data are FAR. */
__asm__(".text\n"
        "far_code:\n\t"
        "push %rbx; push %rbp; push %r12; push %r15\n\t"
        "mov " FAR "(%rip), %rax; mov %rax, " FAR "+8(%rip)\n\t"
        "add $5, %rax; add %rax, " FAR "+16(%rip); addl $7, " FAR "+24(%rip)\n\t"
        "cmpq $0x12345, " FAR "+16(%rip); cmovne " FAR "+8(%rip), %r12\n\t"
        "movzwl " FAR "+2(%rip), %r15d; imul $1000, " FAR "+4(%rip), %r9d\n\t"
        "lea " FAR "+32(%rip), %r8; add %r8, (%rdi)\n\t"
        "push " FAR "+40(%rip); pop " FAR "+48(%rip)\n\t"
        "mov $1, %ecx; lock xadd %rcx, " FAR "+56(%rip); xchg %r15, " FAR "+64(%rip)\n\t"
        "lock cmpxchg %rbx, " FAR "+72(%rip); btl $3, " FAR "+80(%rip); setc " FAR "+88(%rip)\n\t"
        "movups " FAR "+96(%rip), %xmm3; addpd " FAR "+96(%rip), %xmm3\n\t"
        "movsd %xmm3, " FAR "+112(%rip); pinsrw $2, " FAR "+6(%rip), %xmm3\n\t"
        "fldl " FAR "+120(%rip); fstpt " FAR "+128(%rip)\n\t"
        "mov %rdi, %r10; mov %rsi, %r11; add " FAR "(%rip), %r11\n\t"
        "test %esi, %esi; jz 1f\n\t"
        "vmovups " FAR "+160(%rip), %ymm9; vaddps " FAR "+160(%rip), %ymm9, %ymm10\n\t"
        "vmovups %ymm10, " FAR "+192(%rip); vpermq $27, " FAR "+160(%rip), %ymm2\n\t"
        "vzeroupper\n\t"
        "cmp $1, %esi; je 1f\n\t"
        "vmovups " FAR "+256(%rip), %zmm17; vaddps " FAR "+4(%rip){1to16}, %zmm17, %zmm18\n\t"
        "mov $0x55, %edx; kmovq %rdx, %k2; vmovups %zmm18, " FAR "+320(%rip){%k2}\n\t"
        "vzeroupper\n"
        "1: call *" FAR "+384(%rip); add %rax, (%rdi)\n\t"
        "jmp *" FAR "+392(%rip)\n"
        "2: hlt\n"
        "far_end: pop %r15; pop %r12; pop %rbp; pop %rbx; ret\n"
        "far_called: mov " FAR "+16(%rip), %rax; ret\n"
        "far_code_end:\n");
extern const uint8_t far_code[], far_end[], far_called[], far_code_end[];

typedef void function(uint64_t *result, long level);

SAMPLE void run_far(uint64_t at)
{
    volatile uint8_t *code = map(at, PROT_READ | PROT_WRITE);
    volatile uint64_t *data = map(at + DISTANCE, PROT_READ | PROT_WRITE);
    size_t count = (size_t)(far_code_end - far_code);
    for (size_t i = 0; i < count; i++)
        code[i] = far_code[i];
    for (size_t i = 0; i < 48; i++)
        data[i] = i * 0x01020304;
    data[48] = at + (uint64_t)(far_called - far_code);
    data[49] = at + (uint64_t)(far_end - far_code);
    sample_system_call(10, (long)at, 4096, PROT_READ | PROT_EXEC, 0);
    for (unsigned i = 0; i < 5; i++)
        ((function *)(uintptr_t)at)(words, sample_has(1) ? 2 : sample_has(0));
}

static void run(void)
{
    run_far(UINT64_C(0x200000000000));
    run_far(UINT64_C(0x100000000));
    run_far(UINT64_C(0x7ff000000000));
    sample_exit((int)(words[0] % 61));
}
SAMPLE_START(run)
