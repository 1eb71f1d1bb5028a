/*
 * Latency and rate of classes of instructions, by blocks of them without loops inside: each operand
 * is the result before (latency), or one of twelve independent ones is (rate). Rates of two classes
 * together tell whether they share units.
 */
#include <stdio.h>
#include <string.h>

#include "machines/probe/probe_run.h"

/* A loop of `count` operations, a multiple of 96. setup: before it. */
#define BLOCK               96
#define REPEAT(text, times) ".rept " #times "\n" text ".endr\n"
#define OPERATIONS(name, setup, text, times)                                                       \
    static void name(void *context, uint64_t count)                                                \
    {                                                                                              \
        uint64_t blocks = count / BLOCK;                                                           \
        __asm__ volatile(setup "1:\n" REPEAT(text, times) "dec %0\n"                               \
                                                          "jnz 1b\n"                               \
                         : "+r"(blocks)                                                            \
                         : "r"(context)                                                            \
                         : "cc", "memory", "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12",   \
                           "r13", "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5",    \
                           "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm15");             \
    }

#define TWELVE(op, a, z)                                                                           \
    op " " a "xmm0" z "\n" op " " a "xmm1" z "\n" op " " a "xmm2" z "\n" op " " a "xmm3" z "\n" op \
       " " a "xmm4" z "\n" op " " a "xmm5" z "\n" op " " a "xmm6" z "\n" op " " a "xmm7" z "\n" op \
       " " a "xmm8" z "\n" op " " a "xmm9" z "\n" op " " a "xmm10" z "\n" op " " a "xmm11" z "\n"
#define VECTORS(op) TWELVE(op, "%%xmm15, %%", "")
#define FMAS(op)    TWELVE(op, "%%xmm15, %%xmm15, %%", "")

#define EIGHT(op, a)                                                                               \
    op " " a "%%r8\n" op " " a "%%r9\n" op " " a "%%r10\n" op " " a "%%r11\n" op " " a             \
       "%%r12\n" op " " a "%%r13\n" op " " a "%%r14\n" op " " a "%%r15\n"

/* Numbers near 1, so that nothing becomes zero, infinite or denormal. */
#define ONES                                                                                       \
    "mov $0x3ff0000000000000, %%rax\n"                                                             \
    "movq %%rax, %%xmm15\n" TWELVE("movq", "%%rax, %%", "")
#define DIVIDEND                                                                                   \
    "mov $7, %%rcx\n"                                                                              \
    "xor %%edx, %%edx\n"                                                                           \
    "mov $1000, %%eax\n"
#define ADDRESS "mov %1, %%rcx\n"
/* To add a register: Golden Cove adds small numbers where it renames registers, six a cycle even of
 * a chain. */
#define ONE "mov $1, %%rax\n"

/* clang-format off */
OPERATIONS(add_chain, ONE, "add %%rax, %%r8\n", 96)
OPERATIONS(add_rate, ONE, EIGHT("add", "%%rax, "), 12)
OPERATIONS(multiply_chain, "mov $3, %%r8\n", "imul %%r8, %%r8\n", 96)
OPERATIONS(multiply_rate, "mov $3, %%rax\n", EIGHT("imul", "%%rax, "), 12)
/* 32 bits, the quotient of which is the next dividend's lower half; each operand as compilers make
 * it, with edx set to zero. */
OPERATIONS(divide_chain, DIVIDEND, "mov $1000, %%r8d\nand $0, %%eax\nor %%r8d, %%eax\nxor %%edx, %%edx\ndiv %%ecx\n", 96)
OPERATIONS(divide_chain_control, DIVIDEND, "mov $1000, %%r8d\nand $0, %%eax\nor %%r8d, %%eax\nxor %%edx, %%edx\n", 96)
OPERATIONS(divide_rate, DIVIDEND, "mov $1000, %%eax\nxor %%edx, %%edx\ndiv %%ecx\n", 96)
OPERATIONS(load_rate, ADDRESS, "mov (%%rcx), %%r8\nmov 8(%%rcx), %%r9\nmov 16(%%rcx), %%r10\nmov 24(%%rcx), %%r11\n", 24)
OPERATIONS(store_rate, ADDRESS, "mov %%r8, (%%rcx)\nmov %%r8, 8(%%rcx)\nmov %%r8, 16(%%rcx)\nmov %%r8, 24(%%rcx)\n", 24)
OPERATIONS(branch_rate, "", "jo 2f\n2:\n", 96)
OPERATIONS(move_rate, "", EIGHT("mov", "%%rax, "), 12)
OPERATIONS(nop_rate, "", "nop\n", 96)
OPERATIONS(fp_add_chain, ONES, "addsd %%xmm15, %%xmm0\n", 96)
OPERATIONS(fp_add_rate, ONES, VECTORS("addsd"), 8)
OPERATIONS(fp_multiply_chain, ONES, "mulsd %%xmm15, %%xmm0\n", 96)
OPERATIONS(fp_multiply_rate, ONES, VECTORS("mulsd"), 8)
OPERATIONS(fp_divide_chain, ONES, "divsd %%xmm15, %%xmm0\n", 96)
OPERATIONS(fp_divide_rate, ONES, VECTORS("divsd"), 8)
OPERATIONS(fp_fma_chain, ONES, "vfmadd213sd %%xmm15, %%xmm15, %%xmm0\n", 96)
OPERATIONS(fp_fma_rate, ONES, FMAS("vfmadd213sd"), 8)
OPERATIONS(vector_integer_chain, ONES, "paddd %%xmm15, %%xmm0\n", 96)
OPERATIONS(vector_integer_rate, ONES, VECTORS("paddd"), 8)
/* Several classes in one block, whose results nothing waits for, or, of sums of integers, only an
 * instruction that comes twelve or more behind. */
#define SUMS_AND_BRANCH(a, b, c)                                                                   \
    "add %%rax, %%" a "\nadd %%rax, %%" b "\njo 2f\n2:\nadd %%rax, %%" c "\n"
#define SUMS_AND_PRODUCT(a, b, c)                                                                  \
    "add %%rax, %%" a "\nimul $3, %%rax, %%r9\nadd %%rax, %%" b "\nadd %%rax, %%" c "\n"
#define SUMS_AND_OTHERS(a, b, c, d)                                                                \
    "add %%rax, %%" a "\nmov (%%rcx), %%r9\nvaddsd %%xmm15, %%xmm15, %%xmm0\n"                      \
    "add %%rax, %%" b "\nmov 8(%%rcx), %%r9\nvmulsd %%xmm15, %%xmm15, %%xmm1\n"                     \
    "add %%rax, %%" c "\nadd %%rax, %%" d "\n"
#define SUM_AND_FP(a, x) "add %%rax, %%" a "\nvaddsd %%xmm15, %%xmm15, %%" x "\n"
OPERATIONS(load_store_rate, ADDRESS, "mov (%%rcx), %%r8\nmov %%rax, 64(%%rcx)\nmov 8(%%rcx), %%r9\nmov %%rax, 72(%%rcx)\n", 24)
OPERATIONS(add_branch_rate, ONE, SUMS_AND_BRANCH("r8", "r9", "r10") SUMS_AND_BRANCH("r11", "r12", "r13") SUMS_AND_BRANCH("r14", "r15", "rcx"), 8)
OPERATIONS(add_multiply_rate, ONE, SUMS_AND_PRODUCT("r8", "r10", "r11") SUMS_AND_PRODUCT("r12", "r13", "r14") SUMS_AND_PRODUCT("r15", "rcx", "rdx"), 8)
OPERATIONS(fp_add_multiply_rate, ONES, "vaddsd %%xmm15, %%xmm15, %%xmm0\nvmulsd %%xmm15, %%xmm15, %%xmm1\n", 48)
OPERATIONS(fp_add_vector_rate, ONES, "vaddsd %%xmm15, %%xmm15, %%xmm0\nvpaddd %%xmm15, %%xmm15, %%xmm1\n", 48)
OPERATIONS(integer_fp_rate, ONES, SUM_AND_FP("r8", "xmm0") SUM_AND_FP("r9", "xmm1") SUM_AND_FP("r10", "xmm2") SUM_AND_FP("r11", "xmm3") SUM_AND_FP("r12", "xmm4") SUM_AND_FP("r13", "xmm5") SUM_AND_FP("r14", "xmm6") SUM_AND_FP("r15", "xmm7"), 6)
OPERATIONS(mix_rate, ADDRESS ONES ADDRESS, SUMS_AND_OTHERS("r8", "r10", "r11", "r12") SUMS_AND_OTHERS("r13", "r14", "r15", "rdx"), 6)
OPERATIONS(forward, ADDRESS, "mov %%r8, (%%rcx)\nmov (%%rcx), %%r8\n", 96)
/* clang-format on */

enum feature { ALWAYS, AVX, FMA };

static const struct {
    const char *curve;
    ft_work *work;
    enum feature feature;
} rows[] = {
    {FT_CURVE_LATENCY_OF "integer", add_chain, ALWAYS},
    {FT_CURVE_RATE_OF "integer", add_rate, ALWAYS},
    {FT_CURVE_LATENCY_OF "integer_multiply", multiply_chain, ALWAYS},
    {FT_CURVE_RATE_OF "integer_multiply", multiply_rate, ALWAYS},
    {FT_CURVE_LATENCY_OF "integer_divide", divide_chain, ALWAYS},
    {FT_CURVE_LATENCY_OF "integer_divide control", divide_chain_control, ALWAYS},
    {FT_CURVE_RATE_OF "integer_divide", divide_rate, ALWAYS},
    {FT_CURVE_RATE_OF "load", load_rate, ALWAYS},
    {FT_CURVE_RATE_OF "store", store_rate, ALWAYS},
    {FT_CURVE_RATE_OF "branch", branch_rate, ALWAYS},
    {FT_CURVE_RATE_OF "move", move_rate, ALWAYS},
    {FT_CURVE_RATE_OF "other", nop_rate, ALWAYS},
    {FT_CURVE_LATENCY_OF "fp_add", fp_add_chain, ALWAYS},
    {FT_CURVE_RATE_OF "fp_add", fp_add_rate, ALWAYS},
    {FT_CURVE_LATENCY_OF "fp_multiply", fp_multiply_chain, ALWAYS},
    {FT_CURVE_RATE_OF "fp_multiply", fp_multiply_rate, ALWAYS},
    {FT_CURVE_LATENCY_OF "fp_divide", fp_divide_chain, ALWAYS},
    {FT_CURVE_RATE_OF "fp_divide", fp_divide_rate, ALWAYS},
    {FT_CURVE_LATENCY_OF "fp_fma", fp_fma_chain, FMA},
    {FT_CURVE_RATE_OF "fp_fma", fp_fma_rate, FMA},
    {FT_CURVE_LATENCY_OF "vector_integer", vector_integer_chain, ALWAYS},
    {FT_CURVE_RATE_OF "vector_integer", vector_integer_rate, ALWAYS},
    {FT_CURVE_RATE_OF "load + store", load_store_rate, ALWAYS},
    {FT_CURVE_RATE_OF "integer + branch", add_branch_rate, ALWAYS},
    {FT_CURVE_RATE_OF "integer + integer_multiply", add_multiply_rate, ALWAYS},
    {FT_CURVE_RATE_OF "fp_add + fp_multiply", fp_add_multiply_rate, AVX},
    {FT_CURVE_RATE_OF "fp_add + vector_integer", fp_add_vector_rate, AVX},
    {FT_CURVE_RATE_OF "integer + fp_add", integer_fp_rate, AVX},
    {FT_CURVE_RATE_OF "mix", mix_rate, AVX},
    {FT_CURVE_FORWARD, forward, ALWAYS},
};

int ft_probe_operations(struct ft_probing *probing, struct ft_diag *diag)
{
    static _Alignas(64) uint64_t memory[64];
    const struct ft_probe_point cycle = {.curve = FT_CURVE_CYCLE};
    FT_TRY(ft_probing_measure(probing, add_chain, memory, BLOCK, cycle, diag));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ft_probe_point point = {0};
        if ((rows[i].feature == FMA && !__builtin_cpu_supports("fma")) ||
            (rows[i].feature == AVX && !__builtin_cpu_supports("avx")))
            continue;
        snprintf(point.curve, sizeof point.curve, "%s", rows[i].curve);
        FT_TRY(ft_probing_measure(probing, rows[i].work, memory, BLOCK, point, diag));
    }
    /* Again, as clocks change within seconds. */
    return ft_probing_measure(probing, add_chain, memory, BLOCK, cycle, diag);
}
