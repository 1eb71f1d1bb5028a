/*
 * Instructions of every sort that touches memory, as programs use them, AVX-512 included; calls,
 * jumps and stacks in unusual ways. No library; compared access by access with single stepping
 * (test_capture). What each instruction accesses alone is test_processor's affair.
 */
#include <stddef.h>

#include "tests/support/freestanding.h"

static uint64_t words[256];
static uint32_t picks[64];
static uint8_t bytes[512];
static uint64_t other_stack[512];

SAMPLE void stack(void)
{
    __asm__ volatile(
        "pushq 8(%0); popq 16(%0); pushq $5; pushw $5; popw 24(%0); popq %%rdx;"
        "push %%rdx; push %%rdx; popq (%%rsp); popq 8(%0);"
        "pushfq; popq %%rdx; enter $32, $0; leave; push %%rsp; pop %%rdx;"
        "push %%rdx; pop %%rsp; pushq 0(%%rsp); lea 16(%%rsp), %%rsp;"
        "sub $8, %%rsp; mov %%rsp, %%rdx; mov %1, %%rsp; push %%rdx; push $1;"
        "add $8, %%rsp; pop %%rsp; xchg %%rsp, %%rdx; and $-16, %%rdx; mov (%%rdx), %%rdx"
        :
        : "r"(words), "r"(other_stack + 500)
        : "rdx", "memory", "cc");
}

SAMPLE void strings(void)
{
    __asm__ volatile(
        "lea 256(%0), %%rsi; lea (%1), %%rdi; mov $20, %%ecx; rep movsb;"
        "mov $3, %%ecx; rep movsq; mov $0, %%ecx; rep movsl; movsb; movsw; lodsq; stosl;"
        "mov $7, %%ecx; mov $0x2020, %%eax; rep stosw;"
        "std; mov $4, %%ecx; rep movsq; movsl; lodsb; mov $3, %%ecx; rep stosb; cld;"
        "lea (%0), %%rsi; lea 32(%0), %%rdi; mov $40, %%ecx; repe cmpsb;"
        "mov $40, %%ecx; repne cmpsw; xor %%ecx, %%ecx; repe cmpsb; mov $9, %%ecx; repe cmpsq;"
        "lea (%0), %%rdi; mov $100, %%ecx; mov $7, %%al; repne scasb; mov $5, %%ecx; repe scasl;"
        "cmpsb; scasb; mov $2, %%ecx; rep lodsw"
        :
        : "r"(bytes), "r"(words)
        : "rax", "rcx", "rsi", "rdi", "memory", "cc");
}

SAMPLE void bits(void)
{
    int64_t bit = -70;
    __asm__ volatile(
        "btq %1, (%0); btsq %1, (%0); btr %k1, 8(%0); btcw %w1, (%0,%2,8);"
        "mov $1000, %%eax; bts %%rax, (%0); lock btr %%eax, (%0); btl $77, 4(%0);"
        "mov $0xff07, %%eax; mov %0, %%rbx; xlatb; movbe (%0), %%eax; movbe %%ax, 6(%0);"
        "cmovz (%0), %%rax; setc 3(%0); lea 4(%0), %%rax; crc32b (%0), %%rax"
        :
        : "r"(words + 64), "r"(bit), "r"((uint64_t)3)
        : "rax", "rbx", "memory", "cc");
}

SAMPLE void exchanges(void)
{
    __asm__ volatile(
        "xchg %%rax, (%0); xadd %%ecx, 8(%0); lock xadd %%cl, 9(%0); cmpxchg %%rcx, (%0);"
        "lock cmpxchg8b 16(%0); lock cmpxchg16b 32(%0); lock incq (%0); notb 3(%0);"
        "negw 4(%0); shll %%cl, 8(%0); shld $3, %%rax, 16(%0); rcrb 1(%0); adcq $1, (%0);"
        "sbb %%rax, 8(%0); mulq (%0); mov $1, %%ecx; movq $3, 40(%0); xor %%edx, %%edx;"
        "divq 40(%0); imul $5, 8(%0), %%rax; test %%rax, (%0); cmpw $3, 2(%0)"
        :
        : "r"(words + 32)
        : "rax", "rbx", "rcx", "rdx", "memory", "cc");
}

SAMPLE void floats(void)
{
    __asm__ volatile(
        "fldl (%0); faddl 8(%0); fstpl 16(%0); filds (%0); fistpll 24(%0); fldt 32(%0);"
        "fstpt 48(%0); fnstcw 64(%0); fldcw 64(%0); fnstenv 128(%0); fldenv 128(%0);"
        "fnsave 256(%0); frstor 256(%0); fbld 32(%0); fbstp 80(%0); fisttpl 96(%0);"
        "stmxcsr 100(%0); ldmxcsr 100(%0); fxsave 1024(%0); fxrstor 1024(%0); emms"
        :
        : "r"(words)
        : "memory", "cc");
    __asm__ volatile(
        "movups (%0), %%xmm0; movhps %%xmm0, 32(%0); movlpd 8(%0), %%xmm0;"
        "movss %%xmm0, 8(%0); cvtss2sd 4(%0), %%xmm1; pinsrw $1, (%0), %%xmm1;"
        "pextrb $3, %%xmm1, 77(%0); movd %%xmm1, 12(%0); movntps %%xmm0, 64(%0);"
        "movnti %%rax, 80(%0); movntdqa 64(%0), %%xmm2; pcmpistri $3, (%0), %%xmm1;"
        "movq (%0), %%mm0; paddb 8(%0), %%mm0; movntq %%mm0, 16(%0); emms;"
        "prefetcht0 (%0); prefetchnta 9(%0); prefetchw 64(%0); clflush (%0); nopl 8(%0);"
        "mov %0, %%rdi; pcmpeqd %%xmm1, %%xmm1; psrldq $5, %%xmm1; maskmovdqu %%xmm1, %%xmm0"
        :
        : "r"(words)
        : "rcx", "rdi", "xmm0", "xmm1", "xmm2", "memory", "cc");
}

SAMPLE void segments(void)
{
    sample_system_call(158, 0x1002, (long)(words + 100), 0, 0); /* arch_prctl(ARCH_SET_FS) */
    __asm__ volatile(
        "mov %%fs:8, %%rax; incl %%fs:16(,%0,8); mov %%fs:(%0), %%al; push %%fs:0;"
        "popq %%fs:24; mov %%eax, %%fs:-8; xor %%eax, %%eax; addr32 mov %%fs:8(%%eax), %%eax"
        :
        : "r"((uint64_t)3)
        : "rax", "memory", "cc");
}

/* Jumps through tables and memory, returns to what was pushed, calls that never return. */
SAMPLE void flow(void)
{
    static uint64_t table[4];
    __asm__ volatile(
        "lea 1f(%%rip), %%rax; mov %%rax, (%0); lea 2f(%%rip), %%rax; mov %%rax, 8(%0);"
        "lea 3f(%%rip), %%rax; mov %%rax, 16(%0); mov $8, %%ecx;"
        "0: mov %%ecx, %%eax; and $1, %%eax; jmp *(%0,%%rax,8);"
        "1: incl 24(%0); jmp 4f; 2: addl $2, 24(%0);"
        "4: dec %%ecx; jnz 0b;"
        "call 5f; 5: pop %%rax; lea 6f(%%rip), %%rax; push %%rax; ret;"
        "6: call *16(%0); jmp 7f;"
        "3: mov $3, %%r11d; mov (%0,%%r11,8), %%r11; ret;"
        "7: push %%rax; push %%rax; push %%rax; lea 3b(%%rip), %%r11; call 8f; jmp 9f; 8: ret $24;"
        "9: call *%%r11; lea 10f+1(%%rip), %%rax; jmp *%%rax;"
        "10: .byte 0xe9; incq (%0); nop;"
        "xor %%ecx, %%ecx; jrcxz 11f; hlt; 11: mov $3, %%ecx; 12: loop 12b; 13: inc %%ecx; cmp $5, "
        "%%ecx;"
        "loopne 13b; xchg %%rax, %%r11; mov %%r11, (%0); mov %%rax, %%r11; xadd %%r11, (%0)"
        :
        : "r"(table)
        : "rax", "rcx", "r11", "memory", "cc");
}

SAMPLE uint64_t recurse(uint64_t n)
{
    return n < 2 ? words[n] : recurse(n - 1) + recurse(n - 2);
}

SAMPLE void masked_256(void)
{
    __asm__ volatile("vpcmpeqd %%ymm2, %%ymm2, %%ymm2; vmovdqu (%1), %%xmm1; vpgatherdq %%ymm2, "
                     "(%0,%%xmm1,8), %%ymm3;"
                     "vmovdqu 16(%1), %%ymm4; vpslld $30, %%ymm4, %%ymm2; vmovdqa %%ymm2, %%ymm5;"
                     "vpgatherdd %%ymm2, 4(%0,%%ymm4,4), %%ymm3; vpmaskmovd (%0), %%ymm5, %%ymm3;"
                     "vmaskmovps %%ymm3, %%ymm5, 512(%0); vpxor %%xmm5, %%xmm5, %%xmm5;"
                     "vmaskmovpd 1024(%0), %%ymm5, %%ymm3; vbroadcasti128 (%0), %%ymm1; vmovntdq "
                     "%%ymm1, 1024(%0);"
                     "vcvtps2ph $0, %%ymm1, 9(%0); vpmovzxbq 3(%0), %%ymm1; vextracti128 $1, "
                     "%%ymm1, 7(%0); vzeroupper"
                     :
                     : "r"(words), "r"(picks)
                     : "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "memory");
}

SAMPLE void masked_512(uint64_t mask)
{
    __asm__ volatile(
        "kmovq %2, %%k1; kmovq %2, %%k2; vmovdqu32 (%1), %%zmm1; vmovdqu64 64(%1), %%zmm16;"
        "vpmovzxdq (%1), %%zmm2;"
        "vmovdqu8 (%0), %%zmm3%{%%k1%}%{z%}; vmovdqu16 %%zmm3, 100(%0)%{%%k1%}; vmovupd %%ymm3, "
        "(%0)%{%%k1%};"
        "vpgatherdd (%0,%%zmm1,4), %%zmm3%{%%k1%}; kmovq %%k2, %%k1;"
        "vgatherqpd 8(%0,%%zmm2,8), %%zmm18%{%%k1%}; kmovq %%k2, %%k1;"
        "vpgatherqd (%0,%%zmm2,2), %%ymm3%{%%k1%}; kmovq %%k2, %%k1;"
        "vpscatterdd %%zmm3, (%0,%%zmm16,4)%{%%k1%}; kmovq %%k2, %%k1;"
        "vscatterqpd %%zmm18, (%0,%%zmm2,8)%{%%k1%}; kmovq %%k2, %%k1;"
        "vpcompressd %%zmm3, 64(%0)%{%%k1%}; vpexpandq 32(%0), %%zmm3%{%%k1%}; vcompresspd %%ymm3, "
        "9(%0)%{%%k1%};"
        "vaddps (%0)%{1to16%}, %%zmm3, %%zmm3%{%%k1%}; vaddpd 64(%0), %%zmm3, %%zmm3%{%%k1%}; "
        "vaddpd (%0)%{1to8%}, %%zmm3, %%zmm3;"
        "vbroadcastf32x4 (%0), %%zmm3%{%%k1%}; vbroadcastss (%0), %%zmm3%{%%k1%}; vpmovqd %%zmm3, "
        "17(%0)%{%%k1%};"
        "vmovss 3(%0), %%xmm3%{%%k1%}; vmovsd %%xmm3, 40(%0)%{%%k1%}; vpcmpub $1, (%0), %%zmm3, "
        "%%k3%{%%k1%};"
        "vpermd (%0), %%zmm1, %%zmm3%{%%k1%}; vmovntdq %%zmm1, 192(%3); kmovq %%k1, 8(%0); kmovw "
        "8(%0), %%k4;"
        "vpternlogd $3, (%0), %%zmm1, %%zmm3; vzeroupper"
        :
        : "r"(words), "r"(picks), "r"(mask), "r"((uintptr_t)words & ~UINT64_C(63))
        : "xmm1", "xmm2", "xmm3", "memory");
}

static void run(void)
{
    for (unsigned i = 0; i < 64; i++)
        picks[i] = i * 37 % 64;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i % 11);
    for (unsigned repetition = 0; repetition < 3; repetition++) {
        stack();
        strings();
        bits();
        exchanges();
        flow();
        words[0] = recurse(7);
        if (sample_has(0))
            masked_256();
        for (unsigned i = 0; i < 20 && sample_has(1); i++)
            masked_512(i ? UINT64_C(0x9e3779b97f4a7c15) * i : 0);
        for (unsigned i = 0; i < 256; i++)
            words[i] = i;
        floats();
        for (unsigned i = 0; i < 256; i++)
            words[i] = i;
        segments();
    }
    sample_exit(0);
}
SAMPLE_START(run)
