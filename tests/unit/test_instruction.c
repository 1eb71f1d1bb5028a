/*
 * Decoded instructions against answers written by hand from the processors' manuals: what they
 * access, which general registers they read and write, where they go and what class they are.
 *
 * Accesses are spelled "kind size [address] mode": `load 8 [rbx+rcx*4+0x10]`, a mask as
 * `masked 16/16 k1` (lanes/elements and the mask), a gather as `gather 4 v2.8/16` (lanes, index
 * vector, bytes of an index / of the vector), then its mask.
 */
#include "formats/x86/instruction.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/x86/decoding.h"
#include "tests/support/code_text.h"
#include "tests/support/tap.h"

#define PC UINT64_C(0x1000)

/* clang-format off: a line of code and a line of answer each */
static const struct {
    const char *bytes;
    const char *assembly;
    const char *expected; /* flow class flops | accesses | registers read > written */
} cases[] = {
    {"48 8b 44 8b 10", "mov rax,[rbx+rcx*4+0x10]",
     "next move 0 | load 8 [rbx+rcx*4+0x10] | rcx rbx > rax"},
    {"89 4d f8", "mov [rbp-8],ecx", "next move 0 | store 4 [rbp-0x8] | rcx rbp >"},
    {"01 08", "add dword ptr [rax],ecx",
     "next integer 0 | load 4 [rax+0], store 4 [rax+0] | rax rcx >"},
    {"88 d8", "mov al,bl", "next move 0 | | rax rbx > rax"},
    {"66 89 d8", "mov ax,bx", "next move 0 | | rax rbx > rax"},
    {"89 d8", "mov eax,ebx", "next move 0 | | rbx > rax"},
    {"48 8b 05 10 00 00 00", "mov rax,[rip+0x10]", "next move 0 | load 8 [+0x1017] | > rax"},
    {"67 8b 46 04", "mov eax,[esi+4]", "next move 0 | load 4 [32:rsi+0x4] | rsi > rax"},
    {"64 8b 04 25 28 00 00 00", "mov eax,fs:[0x28]", "next move 0 | load 4 [fs:+0x28] | fs > rax"},
    {"65 48 8b 04 25 08 00 00 00", "mov rax,gs:[8]", "next move 0 | load 8 [gs:+0x8] | gs > rax"},
    {"a0 88 77 66 55 44 33 22 11", "movabs al,[0x1122334455667788]",
     "next move 0 | load 1 [+0x1122334455667788] | rax > rax"},
    {"48 8d 04 0b", "lea rax,[rbx+rcx]", "next integer 0 | | rcx rbx > rax"},
    {"50", "push rax", "next move 0 | store 8 [rsp-0x8] | rax rsp > rsp"},
    {"66 6a 05", "pushw 5", "next move 0 | store 2 [rsp-0x2] | rsp > rsp"},
    {"ff 74 24 08", "push qword ptr [rsp+8]",
     "next move 0 | load 8 [rsp+0x8], store 8 [rsp-0x8] | rsp > rsp"},
    {"59", "pop rcx", "next move 0 | load 8 [rsp+0] | rsp > rcx rsp"},
    {"8f 44 24 08", "pop qword ptr [rsp+8]",
     "next move 0 | load 8 [rsp+0], store 8 [rsp+0x10] | rsp > rsp"},
    {"8f 00", "pop qword ptr [rax]",
     "next move 0 | load 8 [rsp+0], store 8 [rax+0] | rax rsp > rsp"},
    {"ff 50 08", "call [rax+8]",
     "call_indirect branch 0 | load 8 [rax+0x8], store 8 [rsp-0x8] | rax rsp > rsp"},
    {"ff d0", "call rax", "call_indirect branch 0 | store 8 [rsp-0x8] | rax rsp > rsp"},
    {"c3", "ret", "return branch 0 | load 8 [rsp+0] | rsp > rsp"},
    {"c2 08 00", "ret 8", "return branch 0 | load 8 [rsp+0] | rsp > rsp"},
    {"c9", "leave", "next other 0 | load 8 [rbp+0] | rsp rbp > rsp rbp"},
    {"c8 10 00 00", "enter 16,0", "next other 0 | store 8 [rsp-0x8] | rsp rbp > rsp rbp"},
    {"c8 10 00 02", "enter 16,2", "next other 0 unsupported | | rsp rbp > rsp rbp"},
    {"ff e0", "jmp rax", "jump_indirect branch 0 | | rax >"},
    {"ff 20", "jmp [rax]", "jump_indirect branch 0 | load 8 [rax+0] | rax >"},
    {"0f 05", "syscall", "syscall other 0 | | rax > rax rcx r11"},
    {"cd 80", "int 0x80", "syscall other 0 unsupported | | >"},
    {"cc", "int3", "trap other 0 | | >"},
    {"0f 0b", "ud2", "trap other 0 | | >"},
    {"f4", "hlt", "trap other 0 | | >"},
    {"d7", "xlat", "next other 0 | load 1 [rbx+rax*1+0] table | rax rbx > rax"},
    {"48 0f ab 14 48", "bts [rax+rcx*2],rdx",
     "next integer 0 | load 8 [rax+rcx*2+0] bit rdx, store 8 [rax+rcx*2+0] bit rdx | rax rcx rdx "
     ">"},
    {"66 0f a3 10", "bt word ptr [rax],dx", "next integer 0 | load 2 [rax+0] bit rdx | rax rdx >"},
    {"0f ba 20 05", "bt dword ptr [rax],5", "next integer 0 | load 4 [rax+0] | rax >"},
    {"0f b1 0b", "cmpxchg [rbx],ecx",
     "next integer 0 | load 4 [rbx+0], store 4 [rbx+0] | rax rcx rbx > rax"},
    {"f0 48 0f c7 0e", "lock cmpxchg16b [rsi]",
     "next integer 0 | load 16 [rsi+0], store 16 [rsi+0] | rax rcx rdx rbx rsi > rax rdx"},
    {"0f c7 0e", "cmpxchg8b [rsi]",
     "next integer 0 | load 8 [rsi+0], store 8 [rsi+0] | rax rcx rdx rbx rsi > rax rdx"},
    {"87 0b", "xchg [rbx],ecx", "next move 0 | load 4 [rbx+0], store 4 [rbx+0] | rcx rbx > rcx"},
    {"0f c1 0b", "xadd [rbx],ecx",
     "next integer 0 | load 4 [rbx+0], store 4 [rbx+0] | rcx rbx > rcx"},
    {"0f 44 03", "cmovz eax,[rbx]", "next move 0 | load 4 [rbx+0] | rax rbx > rax"},
    {"0f 94 00", "setz byte ptr [rax]", "next integer 0 | store 1 [rax+0] | rax >"},
    {"a4", "movsb",
     "next move 0 | load 1 [rsi+0] string, store 1 [rdi+0] string | rsi rdi > rsi rdi"},
    {"f3 48 a5", "rep movsq",
     "next move 0 rep | load 8 [rsi+0] string, store 8 [rdi+0] string | rcx rsi rdi > rcx rsi rdi"},
    {"f3 ab", "rep stosd", "next move 0 rep | store 4 [rdi+0] string | rax rcx rdi > rcx rdi"},
    {"f3 a6", "repe cmpsb",
     "next move 0 rep conditional | load 1 [rsi+0] string, load 1 [rdi+0] string | rcx rsi rdi > "
     "rcx rsi rdi"},
    {"f2 ae", "repne scasb",
     "next move 0 rep conditional | load 1 [rdi+0] string | rax rcx rdi > rcx rdi"},
    {"ad", "lodsd", "next move 0 | load 4 [rsi+0] string | rsi > rax rsi"},
    {"67 f3 a4", "addr32 rep movsb",
     "next move 0 rep | load 1 [32:rsi+0] string, store 1 [32:rdi+0] string | rcx rsi rdi > rcx "
     "rsi rdi"},
    {"66 0f f7 ca", "maskmovdqu xmm1,xmm2",
     "next move 0 | store_nt 1 [rdi+0] masked 16/16 v2.16 | rdi >"},
    {"c4 e2 6d 2c 08", "vmaskmovps ymm1,ymm2,[rax]",
     "next move 0 | load 4 [rax+0] masked 8/8 v2.32 | rax >"},
    {"c4 e2 e9 8e 18", "vpmaskmovq [rax],xmm2,xmm3",
     "next move 0 | store 8 [rax+0] masked 2/2 v2.16 | rax >"},
    {"c4 e2 65 93 0c 90", "vgatherqps xmm1,[rax+ymm2*4],xmm3",
     "next move 0 | load 4 [rax+v2*4+0] gather 4 v2.8/32 v3.16 | rax >"},
    {"c4 e2 61 93 0c 90", "vgatherqps xmm1,[rax+xmm2*4],xmm3",
     "next move 0 | load 4 [rax+v2*4+0] gather 2 v2.8/16 v3.16 | rax >"},
    {"c4 e2 e5 90 0c 90", "vpgatherdq ymm1,[rax+xmm2*4],ymm3",
     "next move 0 | load 8 [rax+v2*4+0] gather 4 v2.4/16 v3.32 | rax >"},
    {"62 f2 7d 49 91 0c 90", "vpgatherqd ymm1{k1},[rax+zmm2*4]",
     "next move 0 | load 4 [rax+v2*4+0] gather 8 v2.8/64 k1.8 | rax >"},
    {"62 f2 fd 43 92 4c e0 08", "vgatherdpd zmm1{k3},[rax+ymm20*8+0x40]",
     "next move 0 | load 8 [rax+v20*8+0x40] gather 8 v20.4/32 k3.8 | rax >"},
    {"62 b2 7d 41 a0 0c b8", "vpscatterdd [rax+zmm31*4]{k1},zmm1",
     "next move 0 | store 4 [rax+v31*4+0] gather 16 v31.4/64 k1.8 | rax >"},
    {"62 f1 6c 48 58 08", "vaddps zmm1,zmm2,[rax]", "next fp_add 16 | load 64 [rax+0] | rax >"},
    {"62 f1 6c 49 58 48 01", "vaddps zmm1{k1},zmm2,[rax+64]",
     "next fp_add 16 | load 4 [rax+0x40] masked 16/16 k1.8 | rax >"},
    {"62 f1 6c 59 58 08", "vaddps zmm1{k1},zmm2,dword ptr [rax]{1to16}",
     "next fp_add 16 | load 4 [rax+0] masked 16/1 k1.8 | rax >"},
    {"62 f1 ed 18 58 08", "vaddpd xmm1,xmm2,qword ptr [rax]{1to2}",
     "next fp_add 2 | load 8 [rax+0] | rax >"},
    {"62 f1 fd 09 5a 08", "vcvtpd2ps xmm1{k1},xmmword ptr [rax]",
     "next fp_add 0 | load 8 [rax+0] masked 2/2 k1.8 | rax >"},
    {"62 f2 6d 49 50 08", "vpdpbusd zmm1{k1},zmm2,[rax]",
     "next vector_integer 0 | load 4 [rax+0] masked 16/16 k1.8 | rax >"},
    {"62 f1 6c 4a c2 08 03", "vcmpps k1{k2},zmm2,[rax],3",
     "next fp_add 0 | load 4 [rax+0] masked 16/16 k2.8 | rax >"},
    {"62 f2 7d 49 8b 08", "vpcompressd [rax]{k1},zmm1",
     "next vector_integer 0 | store 4 [rax+0] packed 16/16 k1.8 | rax >"},
    {"62 f2 7d 49 62 08", "vpexpandb zmm1{k1},[rax]",
     "next vector_integer 0 | load 1 [rax+0] packed 64/64 k1.8 | rax >"},
    {"62 f2 7d 49 1a 08", "vbroadcastf32x4 zmm1{k1},[rax]",
     "next move 0 | load 4 [rax+0] masked 16/4 k1.8 | rax >"},
    {"62 f2 7d 49 18 08", "vbroadcastss zmm1{k1},[rax]",
     "next move 0 | load 4 [rax+0] masked 16/1 k1.8 | rax >"},
    {"62 f2 7e 09 35 08", "vpmovqd [rax]{k1},xmm1",
     "next vector_integer 0 | store 4 [rax+0] masked 2/2 k1.8 | rax >"},
    {"62 f3 7d 49 19 08 02", "vextractf32x4 [rax]{k1},zmm1,2",
     "next vector_integer 0 | store 16 [rax+0] | rax >"},
    {"62 f1 7e 09 10 08", "vmovss xmm1{k1},[rax]",
     "next move 0 | load 4 [rax+0] masked 1/1 k1.8 | rax >"},
    {"62 f1 ff 09 11 08", "vmovsd [rax]{k1},xmm1",
     "next move 0 | store 8 [rax+0] masked 1/1 k1.8 | rax >"},
    {"62 f2 6d 49 64 08", "vpblendmd zmm1{k1},zmm2,[rax]",
     "next vector_integer 0 | load 4 [rax+0] masked 16/16 k1.8 | rax >"},
    {"62 f1 7f c9 6f 08", "vmovdqu8 zmm1{k1}{z},[rax]",
     "next move 0 | load 1 [rax+0] masked 64/64 k1.8 | rax >"},
    {"62 f1 ff 29 7f 08", "vmovdqu16 [rax]{k1},ymm1",
     "next move 0 | store 2 [rax+0] masked 16/16 k1.8 | rax >"},
    {"62 f2 7d 49 31 08", "vpmovzxbd zmm1{k1},[rax]",
     "next vector_integer 0 | load 1 [rax+0] masked 16/16 k1.8 | rax >"},
    {"62 f1 6d 49 f2 08", "vpslld zmm1{k1},zmm2,xmmword ptr [rax]",
     "next vector_integer 0 | load 16 [rax+0] | rax >"},
    {"62 f6 6e 49 56 08", "vfmaddcph zmm1{k1},zmm2,[rax]",
     "next fp_fma 128 | load 4 [rax+0] masked 16/16 k1.8 | rax >"},
    {"62 f6 6e 59 56 08", "vfmaddcph zmm1{k1},zmm2,[rax]{1to16}",
     "next fp_fma 128 | load 4 [rax+0] masked 16/1 k1.8 | rax >"},
    {"62 f2 6d 49 36 08", "vpermd zmm1{k1},zmm2,[rax]",
     "next vector_integer 0 | load 64 [rax+0] | rax >"},
    {"0f c7 64 24 40", "xsavec [rsp+64]", "next other 0 | store 2440 [rsp+0x40] | rax rdx rsp >"},
    {"48 0f ae 20", "xsave64 [rax]", "next other 0 | store 2696 [rax+0] | rax rdx >"},
    {"0f ae 6c 24 40", "xrstor [rsp+64]", "next other 0 | load 2440 [rsp+0x40] | rax rdx rsp >"},
    {"0f ae 00", "fxsave [rax]", "next other 0 | store 512 [rax+0] | rax >"},
    {"dd 30", "fnsave [rax]", "next other 0 | store 108 [rax+0] | rax >"},
    {"d9 30", "fnstenv [rax]", "next other 0 | store 28 [rax+0] | rax >"},
    {"db 28", "fld tbyte ptr [rax]", "next move 0 | load 10 [rax+0] | rax >"},
    {"dc 00", "fadd qword ptr [rax]", "next fp_add 1 | load 8 [rax+0] | rax >"},
    {"0f 18 08", "prefetcht0 [rax]", "next other 0 | prefetch 1 [rax+0] | rax >"},
    {"0f 0d 48 08", "prefetchw [rax+8]", "next other 0 | prefetch 1 [rax+0x8] | rax >"},
    {"66 0f 1f 04 00", "nopw [rax+rax]", "next other 0 | | rax >"},
    {"0f ae 38", "clflush [rax]", "next other 0 | | rax >"},
    {"66 0f ae 30", "clwb [rax]", "next other 0 | | rax >"},
    {"66 0f 38 f8 03", "movdir64b rax,[rbx]",
     "next move 0 | load 64 [rbx+0], store_nt 64 [rax+0] | rax rbx >"},
    {"0f c3 08", "movnti [rax],ecx", "next move 0 | store_nt 4 [rax+0] | rax rcx >"},
    {"66 0f 38 2a 08", "movntdqa xmm1,[rax]", "next move 0 | load 16 [rax+0] | rax >"},
    {"62 f1 7c 48 2b 08", "vmovntps [rax],zmm1", "next move 0 | store_nt 64 [rax+0] | rax >"},
    {"66 0f e7 08", "movntdq [rax],xmm1", "next move 0 | store_nt 16 [rax+0] | rax >"},
    {"0f ae 14 24", "ldmxcsr [rsp]", "next other 0 | load 4 [rsp+0] | rsp >"},
    {"0f a2", "cpuid", "next other 0 | | rax rcx > rax rcx rdx rbx"},
    {"48 f7 e1", "mul rcx", "next integer_multiply 0 | | rax rcx > rax rdx"},
    {"f7 f1", "div ecx", "next integer_divide 0 | | rax rcx rdx > rax rdx"},
    {"c4 e2 e3 f6 01", "mulx rax,rbx,[rcx]",
     "next integer_multiply 0 | load 8 [rcx+0] | rcx rdx > rax rbx"},
    {"0f bc c3", "bsf eax,ebx", "next integer 0 | | rax rbx > rax"},
    {"0f 31", "rdtsc", "next other 0 | | > rax rdx"},
    {"f3 48 0f 1e c8", "rdsspq rax", "next other 0 | | rax > rax"},
    {"e2 fe", "loop .", "branch=0x1000 branch 0 | | rcx > rcx"},
    {"e3 fe", "jrcxz .", "branch=0x1000 branch 0 | | rcx >"},
    {"f3 48 0f ae d1", "wrfsbase rcx", "next other 0 | | rcx > fs"},
    {"f3 48 0f ae c1", "rdfsbase rcx", "next other 0 | | fs > rcx"},
    {"8e e0", "mov fs,eax", "next move 0 unsupported | | rax >"},
    {"c7 f8 fa ff ff ff", "xbegin .", "branch=0x1000 branch 0 unsupported | | rax > rax"},
    {"48 cf", "iretq", "interrupt_return branch 0 | load 40 [rsp+0] | rsp > rsp"},
    {"66 0f 3a 61 08 03", "pcmpestri xmm1,[rax],3",
     "next vector_integer 0 | load 16 [rax+0] | rax rdx > rcx"},
    {"48 d3 e0", "shl rax,cl", "next integer 0 | | rax rcx > rax"},
    {"f2 0f 7c c1", "haddps xmm0,xmm1", "next fp_add 4 | | >"},
    {"62 f2 ed 48 b8 cb", "vfmadd231pd zmm1,zmm2,zmm3", "next fp_fma 16 | | >"},
    {"c4 e2 e9 b9 cb", "vfmadd231sd xmm1,xmm2,xmm3", "next fp_fma 2 | | >"},
    {"f2 0f 59 ca", "mulsd xmm1,xmm2", "next fp_multiply 1 | | >"},
    {"66 0f 51 ca", "sqrtpd xmm1,xmm2", "next fp_divide 2 | | >"},
    {"66 0f fe ca", "paddd xmm1,xmm2", "next vector_integer 0 | | >"},
    {"c5 ed fe 08", "vpaddd ymm1,ymm2,[rax]", "next vector_integer 0 | load 32 [rax+0] | rax >"},
    {"0f 28 ca", "movaps xmm1,xmm2", "next move 0 | | >"},
    {"0f af c3", "imul eax,ebx", "next integer_multiply 0 | | rax rbx > rax"},
};
/* clang-format on */

static const char *const register_names[FT_REGISTER_COUNT] = {
    "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8",
    "r9",  "r10", "r11", "r12", "r13", "r14", "r15", "fs",  "gs"};
static const char *const flow_names[] = {
    "next",          "branch", "jump",    "jump_indirect",    "call",
    "call_indirect", "return", "syscall", "interrupt_return", "trap"};
static const char *const kind_names[] = {"load", "store", "store_nt", "prefetch"};
static const char *const mode_names[] = {"",        " masked", " packed", " gather",
                                         " string", " bit",    " table"};

static void print_address(FILE *out, const struct ft_access *access)
{
    fprintf(out, "[%s%s",
            access->fs   ? "fs:"
            : access->gs ? "gs:"
                         : "",
            access->address_is_32_bit ? "32:" : "");
    if (access->base != FT_NO_REGISTER)
        fprintf(out, "%s", register_names[access->base]);
    if (access->index != FT_NO_REGISTER)
        fprintf(out, "+%s*%u", register_names[access->index], access->scale);
    if (access->mode == FT_ACCESS_GATHER)
        fprintf(out, "+v%u*%u", access->vector_index, access->scale);
    fprintf(out, "%s%#lx]", access->displacement < 0 ? "-" : "+",
            (unsigned long)labs(access->displacement));
}

static void print_access(FILE *out, const struct ft_access *access)
{
    fprintf(out, "%s %u ", kind_names[access->kind], access->size_bytes);
    print_address(out, access);
    fputs(mode_names[access->mode], out);
    if (access->mode == FT_ACCESS_BIT)
        fprintf(out, " %s", register_names[access->bit_offset]);
    if (access->mode == FT_ACCESS_GATHER)
        fprintf(out, " %u v%u.%u/%u", access->lanes, access->vector_index, access->index_bytes,
                access->vector_bytes);
    if (access->mode == FT_ACCESS_MASKED || access->mode == FT_ACCESS_PACKED)
        fprintf(out, " %u/%u", access->lanes, access->elements);
    if (access->mask_register != 0xff)
        fprintf(out, " %s%u.%u", access->mask_is_k ? "k" : "v", access->mask_register,
                access->mask_bytes);
}

static void print_registers(FILE *out, uint32_t mask)
{
    for (unsigned i = 0; i < FT_REGISTER_COUNT; i++)
        if (mask >> i & 1)
            fprintf(out, " %s", register_names[i]);
}

static void print_instruction(FILE *out, const struct ft_instruction *instruction)
{
    fprintf(out, "%s", flow_names[instruction->flow]);
    if (instruction->target)
        fprintf(out, "=%#lx", (unsigned long)instruction->target);
    fprintf(out, " %s %u%s%s%s |", ft_mix_class_names[instruction->mix_class],
            ft_instruction_flops(instruction), instruction->rep ? " rep" : "",
            instruction->rep_conditional ? " conditional" : "",
            instruction->unsupported ? " unsupported" : "");
    for (unsigned i = 0; i < instruction->access_count; i++) {
        fprintf(out, "%s ", i ? "," : "");
        print_access(out, &instruction->accesses[i]);
    }
    fputs(" |", out);
    print_registers(out, instruction->registers_read);
    fputs(" >", out);
    print_registers(out, instruction->registers_written);
}

static void check_case(const char *text, const char *assembly, const char *expected)
{
    uint8_t bytes[16];
    size_t length = code_of_text(text, bytes);
    struct ft_instruction instruction;
    char got[1024];
    FILE *out = fmemopen(got, sizeof got, "w");

    if (ft_instruction_decode(bytes, length, PC, &instruction, NULL) == FT_OK)
        print_instruction(out, &instruction);
    fclose(out);
    if (!tap_ok(strcmp(got, expected) == 0 && instruction.length == length, "%s", assembly))
        printf("# bytes    %s\n# got      %s\n# expected %s\n", text, got, expected);
}

static void check_addresses(void)
{
    uint64_t registers[FT_REGISTER_COUNT] = {0};
    struct ft_access access = {.base = FT_RAX, .index = FT_RCX, .scale = 8, .displacement = -16};

    registers[FT_RAX] = 0x7fff00001000;
    registers[FT_RCX] = 3;
    registers[FT_FS_BASE] = 0x10000000000;
    tap_ok(ft_access_address(&access, registers) == 0x7fff00001008, "base, index, displacement");
    access.address_is_32_bit = true;
    tap_ok(ft_access_address(&access, registers) == 0x1008, "truncated to 32 bits");
    access.fs = true;
    tap_ok(ft_access_address(&access, registers) == 0x10000001008, "the FS base comes after that");

    struct ft_access bit = {.mode = FT_ACCESS_BIT,
                            .base = FT_RAX,
                            .index = FT_NO_REGISTER,
                            .bit_offset = FT_RDX,
                            .size_bytes = 4};
    registers[FT_RDX] = 0xdeadbeef00000041; /* only the low 32 bits count */
    tap_ok(ft_access_address(&bit, registers) == 0x7fff00001008,
           "bit 65 is in the third doubleword");
    registers[FT_RDX] = 0xffffffff; /* -1 */
    tap_ok(ft_access_address(&bit, registers) == 0x7fff00000ffc, "bit -1 is in the one before");
    registers[FT_RDX] = (uint32_t)-32;
    tap_ok(ft_access_address(&bit, registers) == 0x7fff00000ffc, "so is bit -32");

    struct ft_access table = {.mode = FT_ACCESS_TABLE, .base = FT_RBX, .index = FT_RAX, .scale = 1};
    registers[FT_RBX] = 0x500;
    registers[FT_RAX] = 0x1234;
    tap_ok(ft_access_address(&table, registers) == 0x534, "xlat adds AL");
}

/* Every register that Zydis knows, against what it says of it. */
static void check_registers(void)
{
    unsigned wrong = 0, general = 0;
    for (ZydisRegister reg = ZYDIS_REGISTER_NONE; reg <= ZYDIS_REGISTER_MAX_VALUE; reg++) {
        const ZydisRegister wide =
            ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
        const bool is_general = ZydisRegisterGetClass(wide) == ZYDIS_REGCLASS_GPR64;
        general += is_general;
        wrong += ft_decoded_register(reg) !=
                 (is_general ? (uint8_t)ZydisRegisterGetId(wide) : FT_NO_REGISTER);
    }
    tap_ok(wrong == 0 && general == 16 * 4 + 4, "%u general registers and parts of them", general);
}

static void check_errors(void)
{
    const uint8_t cut[] = {0x48, 0x8b};
    const uint8_t invalid[] = {0x06, 0x00, 0x00};
    struct ft_instruction instruction;
    struct ft_diag diag;

    tap_ok(ft_instruction_decode(cut, sizeof cut, PC, &instruction, &diag) == FT_ERROR_DATA,
           "code that ends within an instruction: %s", diag.message);
    tap_ok(ft_instruction_decode(invalid, sizeof invalid, PC, &instruction, &diag) ==
               FT_ERROR_UNSUPPORTED,
           "no instruction: %s", diag.message);
}

int main(void)
{
    ft_xsave_sizes = (struct ft_xsave_sizes){.standard_bytes = 2696, .compact_bytes = 2440};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(cases[i].bytes, cases[i].assembly, cases[i].expected);
    check_addresses();
    check_registers();
    check_errors();
    return tap_plan_done();
}
