/*
 * Formulas of small routines, written in bytes below, one idea of the analysis each.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/routine_of_code.h"
#include "tests/support/tap.h"

struct expectation {
    const char *what;
    const uint8_t *code;
    size_t bytes;
    uint64_t offset;
    unsigned access;
    const char *formula;
};

/* clang-format off */
static const uint8_t spill[] = {
    /* 00 mov [rsp-8],rdi   */ 0x48, 0x89, 0x7c, 0x24, 0xf8,
    /* 05 xor edi,edi       */ 0x31, 0xff,
    /* 07 mov rax,[rsp-8]   */ 0x48, 0x8b, 0x44, 0x24, 0xf8,
    /* 0c mov rcx,[rax+8]   */ 0x48, 0x8b, 0x48, 0x08,
    /* 10 mov rcx,[rcx+rdi] */ 0x48, 0x8b, 0x0c, 0x39,
    /* 14 mov rdx,[rsp+8]   */ 0x48, 0x8b, 0x54, 0x24, 0x08,
    /* 19 mov rdx,[rdx]     */ 0x48, 0x8b, 0x12,
    /* 1c ret               */ 0xc3,
};
static const uint8_t vector_spill[] = {
    /* 00 movq xmm1,rsi     */ 0x66, 0x48, 0x0f, 0x6e, 0xce,
    /* 05 movdqa xmm2,xmm1  */ 0x66, 0x0f, 0x6f, 0xd1,
    /* 09 xor esi,esi       */ 0x31, 0xf6,
    /* 0b movq rax,xmm2     */ 0x66, 0x48, 0x0f, 0x7e, 0xd0,
    /* 10 mov rax,[rax*4+3] */ 0x48, 0x8b, 0x04, 0x85, 0x03, 0x00, 0x00, 0x00,
    /* 18 ret               */ 0xc3,
};
/* A loop whose pointer goes on behind it: what a loop leaves is known where its end is compared. */
static const uint8_t rows[] = {
    /* 00 lea rdx,[rdi+rsi*8] */ 0x48, 0x8d, 0x14, 0xf7,
    /* 04 mov rbx,[rdi]       */ 0x48, 0x8b, 0x1f,
    /* 07 mov rax,[rdi]       */ 0x48, 0x8b, 0x07,
    /* 0a add rdi,8           */ 0x48, 0x83, 0xc7, 0x08,
    /* 0e cmp rdi,rdx         */ 0x48, 0x39, 0xd7,
    /* 11 jne 07              */ 0x75, 0xf4,
    /* 13 lea rdx,[rdx+rsi*8] */ 0x48, 0x8d, 0x14, 0xf2,
    /* 17 dec ecx             */ 0xff, 0xc9,
    /* 19 jne 04              */ 0x75, 0xe9,
    /* 1b mov rax,[rdi]       */ 0x48, 0x8b, 0x07,
    /* 1e ret                 */ 0xc3,
};
static const uint8_t indirect[] = {
    /* 00 xor eax,eax         */ 0x31, 0xc0,
    /* 02 movsxd rdx,[rdi+rax*4] */ 0x48, 0x63, 0x14, 0x87,
    /* 06 mov rdx,[rsi+rdx*8] */ 0x48, 0x8b, 0x14, 0xd6,
    /* 0a inc rax             */ 0x48, 0xff, 0xc0,
    /* 0d cmp rax,rcx         */ 0x48, 0x39, 0xc8,
    /* 10 jne 02              */ 0x75, 0xf0,
    /* 12 mov rdi,[rdi]       */ 0x48, 0x8b, 0x3f,
    /* 15 test rdi,rdi        */ 0x48, 0x85, 0xff,
    /* 18 jne 12              */ 0x75, 0xf8,
    /* 1a ret                 */ 0xc3,
};
/* i += 1 or 2; i * i; i / 2 and i / 4 where i goes by 4. */
static const uint8_t steps[] = {
    /* 00 xor eax,eax         */ 0x31, 0xc0,
    /* 02 xor edx,edx         */ 0x31, 0xd2,
    /* 04 mov r8b,[rsi+rax]   */ 0x44, 0x8a, 0x04, 0x06,
    /* 08 mov rbx,rdx         */ 0x48, 0x89, 0xd3,
    /* 0b shr rbx,2           */ 0x48, 0xc1, 0xeb, 0x02,
    /* 0f mov r8b,[rsi+rbx]   */ 0x44, 0x8a, 0x04, 0x1e,
    /* 13 mov rbx,rdx         */ 0x48, 0x89, 0xd3,
    /* 16 shr rbx,3           */ 0x48, 0xc1, 0xeb, 0x03,
    /* 1a mov r8b,[rsi+rbx]   */ 0x44, 0x8a, 0x04, 0x1e,
    /* 1e mov rbx,rdx         */ 0x48, 0x89, 0xd3,
    /* 21 imul rbx,rbx        */ 0x48, 0x0f, 0xaf, 0xdb,
    /* 25 mov r8b,[rsi+rbx]   */ 0x44, 0x8a, 0x04, 0x1e,
    /* 29 test r8b,r8b        */ 0x45, 0x84, 0xc0,
    /* 2c je 31               */ 0x74, 0x03,
    /* 2e inc rax             */ 0x48, 0xff, 0xc0,
    /* 31 inc rax             */ 0x48, 0xff, 0xc0,
    /* 34 add rdx,4           */ 0x48, 0x83, 0xc2, 0x04,
    /* 38 cmp rdx,rdi         */ 0x48, 0x39, 0xfa,
    /* 3b jne 04              */ 0x75, 0xc7,
    /* 3d shr rdi,1           */ 0x48, 0xd1, 0xef,
    /* 40 mov rax,[rsi+rdi*4] */ 0x48, 0x8b, 0x04, 0xbe,
    /* 44 neg rdi             */ 0x48, 0xf7, 0xdf,
    /* 47 mov rax,[rsi+rdi*4] */ 0x48, 0x8b, 0x04, 0xbe,
    /* 4b ret                 */ 0xc3,
};
/* A spilled counter in memory, with a frame pointer, as -O0 makes it; and a store to a slot whose
 * address got out. */
static const uint8_t frame[] = {
    /* 00 push rbp            */ 0x55,
    /* 01 mov rbp,rsp         */ 0x48, 0x89, 0xe5,
    /* 04 sub rsp,0x20        */ 0x48, 0x83, 0xec, 0x20,
    /* 08 mov qword [rbp-16],0 */ 0x48, 0xc7, 0x45, 0xf0, 0x00, 0x00, 0x00, 0x00,
    /* 10 mov qword [rbp-8],5 */ 0x48, 0xc7, 0x45, 0xf8, 0x05, 0x00, 0x00, 0x00,
    /* 18 lea rax,[rbp-8]     */ 0x48, 0x8d, 0x45, 0xf8,
    /* 1c mov rcx,[rbp-16]    */ 0x48, 0x8b, 0x4d, 0xf0,
    /* 20 mov r8,[rdi+rcx*8]  */ 0x4c, 0x8b, 0x04, 0xcf,
    /* 24 add qword [rbp-16],1 */ 0x48, 0x83, 0x45, 0xf0, 0x01,
    /* 29 mov [rsi],rax       */ 0x48, 0x89, 0x06,
    /* 2c mov rdx,[rbp-8]     */ 0x48, 0x8b, 0x55, 0xf8,
    /* 30 mov r8,[rdi+rdx]    */ 0x4c, 0x8b, 0x04, 0x17,
    /* 34 cmp [rbp-16],rsi    */ 0x48, 0x39, 0x75, 0xf0,
    /* 38 jne 1c              */ 0x75, 0xe2,
    /* 3a leave               */ 0xc9,
    /* 3b ret                 */ 0xc3,
};
/* 32-bit counters, and an address that wraps by its displacement. */
static const uint8_t narrow[] = {
    /* 00 xor eax,eax         */ 0x31, 0xc0,
    /* 02 movsxd rdx,eax      */ 0x48, 0x63, 0xd0,
    /* 05 mov rcx,[rdi+rdx*8-8] */ 0x48, 0x8b, 0x4c, 0xd7, 0xf8,
    /* 0a mov edx,eax         */ 0x89, 0xc2,
    /* 0c imul rdx,rdx,24     */ 0x48, 0x6b, 0xd2, 0x18,
    /* 10 mov rcx,[rdi+rdx]   */ 0x48, 0x8b, 0x0c, 0x17,
    /* 14 movzx edx,al        */ 0x0f, 0xb6, 0xd0,
    /* 17 mov rcx,[rdi+rdx]   */ 0x48, 0x8b, 0x0c, 0x17,
    /* 1b sub eax,-128        */ 0x83, 0xe8, 0x80,
    /* 1e cmp eax,esi         */ 0x39, 0xf0,
    /* 20 jl 02               */ 0x7c, 0xe0,
    /* 22 ret                 */ 0xc3,
};
/* A pointer loaded in each iteration, with and without a system call that may change it; a base that a condition
 * chooses which the loop does not change, and one that it changes. */
static const uint8_t chosen[] = {
    /* 00 xor ebx,ebx         */ 0x31, 0xdb,
    /* 02 mov rax,[rdi]       */ 0x48, 0x8b, 0x07,
    /* 05 mov r8,[rax+rbx*8]  */ 0x4c, 0x8b, 0x04, 0xd8,
    /* 09 mov rax,rsi         */ 0x48, 0x89, 0xf0,
    /* 0c test rdx,rdx        */ 0x48, 0x85, 0xd2,
    /* 0f je 14               */ 0x74, 0x03,
    /* 11 mov rax,rcx         */ 0x48, 0x89, 0xc8,
    /* 14 mov r8,[rax+rbx*8]  */ 0x4c, 0x8b, 0x04, 0xd8,
    /* 18 mov rax,rsi         */ 0x48, 0x89, 0xf0,
    /* 1b cmp rbx,rdx         */ 0x48, 0x39, 0xd3,
    /* 1e je 23               */ 0x74, 0x03,
    /* 20 mov rax,rcx         */ 0x48, 0x89, 0xc8,
    /* 23 mov r8,[rax+rbx*8]  */ 0x4c, 0x8b, 0x04, 0xd8,
    /* 27 inc rbx             */ 0x48, 0xff, 0xc3,
    /* 2a cmp rbx,r9          */ 0x4c, 0x39, 0xcb,
    /* 2d jne 02              */ 0x75, 0xd3,
    /* 2f mov rbp,[r12]       */ 0x49, 0x8b, 0x2c, 0x24,
    /* 33 mov rax,[rbp]       */ 0x48, 0x8b, 0x45, 0x00,
    /* 37 syscall             */ 0x0f, 0x05,
    /* 39 dec rbx             */ 0x48, 0xff, 0xcb,
    /* 3c jne 2f              */ 0x75, 0xf1,
    /* 3e ret                 */ 0xc3,
};
/* clang-format on */

#define CASE(name, code, offset, formula)                                                          \
    {                                                                                              \
        name, code, sizeof code, offset, 0, formula                                                \
    }

static const struct expectation expectations[] = {
    CASE("through a spill", spill, 0x0c, "rdi0 + 8"),
    CASE("a loaded base", spill, 0x10, "[rdi0 + 8]"),
    CASE("an argument on the stack", spill, 0x19, "arg8"),
    CASE("the spill itself", spill, 0x07, "rsp0 - 8"),
    CASE("through a vector register", vector_spill, 0x10, "4*rsi0 + 3"),
    CASE("a row behind the other", rows, 0x07, "8*rsi0*i + 8*j + rdi0"),
    CASE("where a row begins", rows, 0x04, "8*rsi0*i + rdi0"),
    CASE("an index", indirect, 0x02, "4*i + rdi0"),
    CASE("indexed by what was loaded", indirect, 0x06, "indirect(i) + rsi0 + 8*[rdi0]"),
    CASE("a linked list", indirect, 0x12, "indirect(i) + rdi0"),
    CASE("a condition in a step", steps, 0x04, "irregular(i) + rsi0"),
    CASE("a division without a rest", steps, 0x0f, "i + rsi0"),
    CASE("a division with a rest", steps, 0x1a, "irregular(i) + rsi0"),
    CASE("a product", steps, 0x25, "irregular(i) + rsi0 + rbx@1021"),
    CASE("half of an argument", steps, 0x40, "rsi0 + 2*rdi0 (rounded)"),
    CASE("less than nothing of it", steps, 0x47, "rsi0 - 2*rdi0 (rounded)"),
    CASE("a counter in the frame", frame, 0x20, "8*i + rdi0"),
    CASE("what a pointer may have written", frame, 0x30, "unknown(i) + rdi0 + stack-16@1029"),
    CASE("a signed 32-bit index", narrow, 0x05, "1024*i + rdi0 - 8"),
    CASE("an unsigned one, times 24", narrow, 0x10, "3072*i + rdi0"),
    CASE("a base that is loaded again", chosen, 0x05, "8*i + [rdi0]"),
    CASE("one of two bases, always the same", chosen, 0x14, "8*i + rax@1014"),
    CASE("one of two bases", chosen, 0x23, "unknown(i) + rax@1023"),
    CASE("where the kernel may have changed it", chosen, 0x33, "unknown(i) + [r120]"),
    CASE("its low byte", narrow, 0x17, "irregular(i) + rdi0 + rdx@1014"),
};

int main(void)
{
    static struct routine_of_code routine;
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
        const struct expectation *expected = &expectations[i];
        routine_of_code_make(expected->code, expected->bytes, &routine);
        char *text = routine_of_code_formula(&routine, expected->offset, expected->access);
        tap_ok(text && strcmp(text, expected->formula) == 0, "%s: %s", expected->what,
               text ? text : "");
        free(text);
        routine_of_code_fini(&routine);
    }
    return tap_plan_done();
}
