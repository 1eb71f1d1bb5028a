/*
 * The formulas of Figure 1 of Marin & Mellor-Crummey 2005: a product of matrices, k unrolled by two
 * and its first iteration peeled off. This is an x86-64 build of it (gcc 12.2, -O2, n as a long),
 * with spilled registers; the paper's %i0 .. %i3 (n, a, b, c) are rdi, rsi, rdx, rcx:
 *
 *     for (long i = 0; i < n; i++)
 *         for (long j = 0; j < n; j++) {
 *             c[i * n + j] = a[i * n] * b[j] + a[i * n + 1] * b[n + j];
 *             for (long k = 2; k < n; k += 2)
 *                 c[i * n + j] +=
 *                     a[i * n + k] * b[k * n + j] + a[i * n + k + 1] * b[(k + 1) * n + j];
 *         }
 *
 * Its groups are those that the paper names: the two references to A in an iteration of k, and the
 * two to B. The peeled turn's are of the loop over j.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/program/values/reference_groups.h"
#include "tests/support/routine_of_code.h"
#include "tests/support/tap.h"

/* clang-format off */
static const uint8_t matrix_multiply[] = {
    /* 000 test rdi,rdi                     */ 0x48, 0x85, 0xff,
    /* 003 jle 122                          */ 0x0f, 0x8e, 0x19, 0x01, 0x00, 0x00,
    /* 009 push r15                         */ 0x41, 0x57,
    /* 00b mov r8,rdi                       */ 0x49, 0x89, 0xf8,
    /* 00e lea r15,[rsi+0x20]               */ 0x4c, 0x8d, 0x7e, 0x20,
    /* 012 lea r10,[rsi+0x10]               */ 0x4c, 0x8d, 0x56, 0x10,
    /* 016 push r14                         */ 0x41, 0x56,
    /* 018 shl r8,0x4                       */ 0x49, 0xc1, 0xe0, 0x04,
    /* 01c lea r14,[rdi*8+0x0]              */ 0x4c, 0x8d, 0x34, 0xfd, 0x00, 0x00, 0x00, 0x00,
    /* 024 push r13                         */ 0x41, 0x55,
    /* 026 xor r13d,r13d                    */ 0x45, 0x31, 0xed,
    /* 029 push r12                         */ 0x41, 0x54,
    /* 02b xor r12d,r12d                    */ 0x45, 0x31, 0xe4,
    /* 02e push rbp                         */ 0x55,
    /* 02f mov rbp,r14                      */ 0x4c, 0x89, 0xf5,
    /* 032 push rbx                         */ 0x53,
    /* 033 mov rbx,rdx                      */ 0x48, 0x89, 0xd3,
    /* 036 mov rdx,rcx                      */ 0x48, 0x89, 0xca,
    /* 039 neg rbp                          */ 0x48, 0xf7, 0xdd,
    /* 03c lea rcx,[rbx+r8*1]               */ 0x4a, 0x8d, 0x0c, 0x03,
    /* 040 mov [rsp-0x10],rcx               */ 0x48, 0x89, 0x4c, 0x24, 0xf0,
    /* 045 lea rcx,[rdi-0x3]                */ 0x48, 0x8d, 0x4f, 0xfd,
    /* 049 mov rax,rcx                      */ 0x48, 0x89, 0xc8,
    /* 04c mov rcx,r15                      */ 0x4c, 0x89, 0xf9,
    /* 04f and rax,0xfffffffffffffffe       */ 0x48, 0x83, 0xe0, 0xfe,
    /* 053 mov [rsp-0x8],rax                */ 0x48, 0x89, 0x44, 0x24, 0xf8,
    /* 058 nop [rax+rax*1+0x0]              */ 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00,
    /* 060 mov rax,[rsp-0x8]                */ 0x48, 0x8b, 0x44, 0x24, 0xf8,
    /* 065 mov [rsp-0x18],r13               */ 0x4c, 0x89, 0x6c, 0x24, 0xe8,
    /* 06a mov rsi,rdx                      */ 0x48, 0x89, 0xd6,
    /* 06d xor r15d,r15d                    */ 0x45, 0x31, 0xff,
    /* 070 mov r11,[rsp-0x10]               */ 0x4c, 0x8b, 0x5c, 0x24, 0xf0,
    /* 075 add rax,r12                      */ 0x4c, 0x01, 0xe0,
    /* 078 lea r9,[rcx+rax*8]               */ 0x4c, 0x8d, 0x0c, 0xc1,
    /* 07c nop [rax+0x0]                    */ 0x0f, 0x1f, 0x40, 0x00,
    /* 080 movsd xmm2,[r10-0x10]            */ 0xf2, 0x41, 0x0f, 0x10, 0x52, 0xf0,
    /* 086 movsd xmm0,[r10-0x8]             */ 0xf2, 0x41, 0x0f, 0x10, 0x42, 0xf8,
    /* 08c mov r13,r11                      */ 0x4d, 0x89, 0xdd,
    /* 08f mov rax,r10                      */ 0x4c, 0x89, 0xd0,
    /* 092 mulsd xmm2,[rbx+r15*8]           */ 0xf2, 0x42, 0x0f, 0x59, 0x14, 0xfb,
    /* 098 mulsd xmm0,[r11+rbp*1]           */ 0xf2, 0x41, 0x0f, 0x59, 0x04, 0x2b,
    /* 09e addsd xmm2,xmm0                  */ 0xf2, 0x0f, 0x58, 0xd0,
    /* 0a2 movsd [rsi],xmm2                 */ 0xf2, 0x0f, 0x11, 0x16,
    /* 0a6 cmp rdi,0x2                      */ 0x48, 0x83, 0xff, 0x02,
    /* 0aa jle de                           */ 0x7e, 0x32,
    /* 0ac nop [rax+0x0]                    */ 0x0f, 0x1f, 0x40, 0x00,
    /* 0b0 movsd xmm0,[rax]                 */ 0xf2, 0x0f, 0x10, 0x00,
    /* 0b4 movsd xmm1,[rax+0x8]             */ 0xf2, 0x0f, 0x10, 0x48, 0x08,
    /* 0b9 add rax,0x10                     */ 0x48, 0x83, 0xc0, 0x10,
    /* 0bd mulsd xmm0,[r13+0x0]             */ 0xf2, 0x41, 0x0f, 0x59, 0x45, 0x00,
    /* 0c3 mulsd xmm1,[r13+rdi*8+0x0]       */ 0xf2, 0x41, 0x0f, 0x59, 0x4c, 0xfd, 0x00,
    /* 0ca add r13,r8                       */ 0x4d, 0x01, 0xc5,
    /* 0cd addsd xmm0,xmm1                  */ 0xf2, 0x0f, 0x58, 0xc1,
    /* 0d1 addsd xmm2,xmm0                  */ 0xf2, 0x0f, 0x58, 0xd0,
    /* 0d5 movsd [rsi],xmm2                 */ 0xf2, 0x0f, 0x11, 0x16,
    /* 0d9 cmp r9,rax                       */ 0x49, 0x39, 0xc1,
    /* 0dc jne b0                           */ 0x75, 0xd2,
    /* 0de lea rax,[r15+0x1]                */ 0x49, 0x8d, 0x47, 0x01,
    /* 0e2 add rsi,0x8                      */ 0x48, 0x83, 0xc6, 0x08,
    /* 0e6 add r11,0x8                      */ 0x49, 0x83, 0xc3, 0x08,
    /* 0ea cmp rdi,rax                      */ 0x48, 0x39, 0xc7,
    /* 0ed je f8                            */ 0x74, 0x09,
    /* 0ef mov r15,rax                      */ 0x49, 0x89, 0xc7,
    /* 0f2 jmp 80                           */ 0xeb, 0x8c,
    /* 0f4 nop [rax+0x0]                    */ 0x0f, 0x1f, 0x40, 0x00,
    /* 0f8 mov r13,[rsp-0x18]               */ 0x4c, 0x8b, 0x6c, 0x24, 0xe8,
    /* 0fd add r10,r14                      */ 0x4d, 0x01, 0xf2,
    /* 100 add r12,rdi                      */ 0x49, 0x01, 0xfc,
    /* 103 add rdx,r14                      */ 0x4c, 0x01, 0xf2,
    /* 106 lea rax,[r13+0x1]                */ 0x49, 0x8d, 0x45, 0x01,
    /* 10a cmp r13,r15                      */ 0x4d, 0x39, 0xfd,
    /* 10d je 117                           */ 0x74, 0x08,
    /* 10f mov r13,rax                      */ 0x49, 0x89, 0xc5,
    /* 112 jmp 60                           */ 0xe9, 0x49, 0xff, 0xff, 0xff,
    /* 117 pop rbx                          */ 0x5b,
    /* 118 pop rbp                          */ 0x5d,
    /* 119 pop r12                          */ 0x41, 0x5c,
    /* 11b pop r13                          */ 0x41, 0x5d,
    /* 11d pop r14                          */ 0x41, 0x5e,
    /* 11f pop r15                          */ 0x41, 0x5f,
    /* 121 ret                              */ 0xc3,
    /* 122 ret                              */ 0xc3,
};
/* clang-format on */

/* First location, and strides of k, j and i, as the paper has them; and of the peeled turn. */
static const struct {
    const char *what;
    uint64_t offset;
    const char *formula;
} expected[] = {
    {"A[i,k]", 0xb0, "8*rdi0*i + 16*k + rsi0 + 16"},
    {"B[k,j]", 0xbd, "8*j + 16*rdi0*k + 16*rdi0 + rdx0"},
    {"A[i,k+1]", 0xb4, "8*rdi0*i + 16*k + rsi0 + 24"},
    {"B[k+1,j]", 0xc3, "8*j + 16*rdi0*k + 24*rdi0 + rdx0"},
    {"C[i,j]", 0xd5, "8*rdi0*i + 8*j + rcx0"},
    {"A[i,0]", 0x80, "8*rdi0*i + rsi0"},
    {"B[0,j]", 0x92, "8*j + rdx0"},
    {"A[i,1]", 0x86, "8*rdi0*i + rsi0 + 8"},
    {"B[1,j]", 0x98, "8*j + 8*rdi0 + rdx0"},
    {"C[i,j] before k", 0xa2, "8*rdi0*i + 8*j + rcx0"},
};

/* Accesses of one group have one letter. */
static const struct {
    const char *what;
    uint64_t offset;
    char group;
} grouped[] = {
    {"A[i,k]", 0xb0, 'A'},          {"A[i,k+1]", 0xb4, 'A'}, {"B[k,j]", 0xbd, 'B'},
    {"B[k+1,j]", 0xc3, 'B'},        {"C[i,j]", 0xd5, 'C'},   {"A[i,0]", 0x80, 'a'},
    {"A[i,1]", 0x86, 'a'},          {"B[0,j]", 0x92, 'b'},   {"B[1,j]", 0x98, 'b'},
    {"C[i,j] before k", 0xa2, 'c'},
};

static uint32_t group_at(const struct routine_of_code *routine,
                         const struct ft_reference_groups *groups, uint64_t offset)
{
    return groups->of_access[ft_formulas_access_at(&routine->formulas, &routine->graph,
                                                   ROUTINE_OF_CODE_PC + offset, 0)];
}

static void check_groups(const struct routine_of_code *routine)
{
    struct ft_reference_groups groups;
    struct ft_diag diag;
    if (!tap_ok(ft_reference_groups_find(&routine->graph, &routine->routines, &routine->loops,
                                         &routine->formulas, &groups, &diag) == 0,
                "groups"))
        return;
    for (size_t i = 0; i < sizeof grouped / sizeof *grouped; i++) {
        const uint32_t group = group_at(routine, &groups, grouped[i].offset);
        uint32_t own = 0, others = 0;
        for (size_t j = 0; j < sizeof grouped / sizeof *grouped; j++) {
            bool together = group_at(routine, &groups, grouped[j].offset) == group;
            own += together && grouped[j].group == grouped[i].group;
            others += together && grouped[j].group != grouped[i].group;
        }
        tap_ok(groups.items[group].member_count == own && others == 0 &&
                   groups.items[group].storage == FT_STORAGE_DATA,
               "%s is of group %c", grouped[i].what, grouped[i].group);
    }
    ft_reference_groups_fini(&groups);
}

int main(void)
{
    static struct routine_of_code routine;
    routine_of_code_make(matrix_multiply, sizeof matrix_multiply, &routine);
    tap_ok(routine.routines.count == 1 && routine.loops.count == 3, "a routine with three loops");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char *text = routine_of_code_formula(&routine, expected[i].offset, 0);
        tap_ok(text && strcmp(text, expected[i].formula) == 0, "%s: %s", expected[i].what,
               text ? text : "");
        free(text);
    }
    check_groups(&routine);
    routine_of_code_fini(&routine);
    return tap_plan_done();
}
