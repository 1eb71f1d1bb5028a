/*
 * How many lanes instructions under a mask work on, told by accesses under the same mask, in a
 * block written in bytes below; and what a mix has of it.
 */
#include <stdlib.h>

#include "engine/program/mix/masked_lanes.h"
#include "engine/program/mix/mix.h"
#include "tests/support/routine_of_code.h"
#include "tests/support/tap.h"

/* clang-format off */
static const uint8_t code[] = {
    /* 00 kmovw k1,eax                     */ 0xc5, 0xf8, 0x92, 0xc8,
    /* 04 vaddpd zmm2{k1}{z},zmm1,zmm1     */ 0x62, 0xf1, 0xf5, 0xc9, 0x58, 0xd1,
    /* 0a vmovupd zmm1{k1}{z},[rsi]        */ 0x62, 0xf1, 0xfd, 0xc9, 0x10, 0x0e,
    /* 10 vfmadd231pd zmm1{k1},zmm2,zmm1   */ 0x62, 0xf2, 0xed, 0x49, 0xb8, 0xc9,
    /* 16 vmulps zmm3{k1},zmm1,zmm1        */ 0x62, 0xf1, 0x74, 0x49, 0x59, 0xd9,
    /* 1c vpaddq zmm4{k1},zmm1,zmm1        */ 0x62, 0xf1, 0xf5, 0x49, 0xd4, 0xe1,
    /* 22 vaddpd zmm6{k2},zmm1,zmm1        */ 0x62, 0xf1, 0xf5, 0x4a, 0x58, 0xf1,
    /* 28 vaddpd zmm6,zmm1,zmm1            */ 0x62, 0xf1, 0xf5, 0x48, 0x58, 0xf1,
    /* 2e knotw k1,k1                      */ 0xc5, 0xf8, 0x44, 0xc9,
    /* 32 vsubpd zmm5{k1},zmm1,zmm1        */ 0x62, 0xf1, 0xf5, 0x49, 0x5c, 0xe9,
    /* 38 vaddpd zmm2{k1}{z},zmm1,[rdi]{1to8} */ 0x62, 0xf1, 0xf5, 0xd9, 0x58, 0x17,
    /* 3e vaddpd ymm2{k2}{z},ymm1,[rdi]    */ 0x62, 0xf1, 0xf5, 0xaa, 0x58, 0x17,
    /* 44 kxnorw k3,k3,k3                  */ 0xc5, 0xe4, 0x46, 0xdb,
    /* 48 vgatherdpd zmm7{k3},[rdi+ymm1*8] */ 0x62, 0xf2, 0xfd, 0x4b, 0x92, 0x3c, 0xcf,
    /* 4f vaddpd zmm5{k3},zmm1,zmm1        */ 0x62, 0xf1, 0xf5, 0x4b, 0x58, 0xe9,
    /* 55 vaddsd xmm5{k4},xmm1,xmm1        */ 0x62, 0xf1, 0xf7, 0x0c, 0x58, 0xe9,
    /* 5b vmovsd xmm5{k4},[rdi]            */ 0x62, 0xf1, 0xff, 0x0c, 0x10, 0x2f,
    /* 61 ret                              */ 0xc3,
};
/* clang-format on */

#define UNKNOWN FT_LANES_UNKNOWN

/* Accesses of the block's one execution, and what follows. */
static const struct {
    uint64_t offset, accessed, lanes;
    const char *text;
} cases[] = {
    {0x04, UNKNOWN, 5, "before the load under the same mask"},
    {0x0a, 5, UNKNOWN, "a load makes no operations"},
    {0x10, UNKNOWN, 5, "behind it, two operations a lane"},
    {0x16, UNKNOWN, UNKNOWN, "a vector of more lanes"},
    {0x1c, UNKNOWN, 5, "integers"},
    {0x22, UNKNOWN, UNKNOWN, "an access under its mask has fewer lanes"},
    {0x28, UNKNOWN, UNKNOWN, "no mask"},
    {0x32, UNKNOWN, UNKNOWN, "the mask was written since"},
    {0x38, 1, UNKNOWN, "a broadcast loads once, however many lanes"},
    {0x3e, 3, 3, "its own load"},
    {0x48, 6, UNKNOWN, "a gather makes no operations"},
    {0x4f, UNKNOWN, UNKNOWN, "a gather leaves another mask behind"},
    {0x55, UNKNOWN, 1, "a scalar"},
    {0x5b, 1, UNKNOWN, "its load"},
};

static void check_lanes(const struct routine_of_code *routine, uint64_t *accessed, uint64_t *lanes)
{
    const size_t count = sizeof cases / sizeof *cases;
    uint32_t found[sizeof cases / sizeof *cases];
    for (size_t i = 0; i < routine->graph.instruction_count; i++)
        accessed[i] = UNKNOWN;
    for (size_t c = 0; c < count; c++) {
        found[c] =
            ft_flow_graph_instruction_at(&routine->graph, ROUTINE_OF_CODE_PC + cases[c].offset, 0);
        accessed[found[c]] = cases[c].accessed;
    }
    if (!tap_ok(ft_masked_lanes_find(&routine->graph, accessed, lanes, NULL) == FT_OK, "found"))
        return;
    for (size_t c = 0; c < count; c++)
        tap_ok(lanes[found[c]] == cases[c].lanes, "%02x %s: %lld lanes", (unsigned)cases[c].offset,
               cases[c].text, (long long)lanes[found[c]]);
}

/* The block once: 5 additions, 10 of the fused one, 3 and 1; whole: 16 of f32, 8, 8, 8, 8. */
static void check_mix(const struct routine_of_code *routine, const uint64_t *lanes)
{
    struct ft_mix mix;
    uint64_t flops = 0;
    ft_mix_of_code(&routine->graph, 0, &mix);
    tap_ok(mix.flops == 8 + 16 + 16 + 8 + 8 + 8 + 8 + 4 + 8 + 1 &&
               mix.masked_flops == mix.flops - 8,
           "all lanes: %llu, %llu under masks", (unsigned long long)mix.flops,
           (unsigned long long)mix.masked_flops);
    for (size_t i = 0; i < routine->graph.instruction_count; i++)
        if (lanes[i] != UNKNOWN)
            ft_mix_leave_out(&mix, routine->graph.instructions[i], 1, lanes[i]);
    for (unsigned width = 0; width < FT_OPERATION_WIDTHS; width++)
        flops += mix.operations[FT_F64][width] + mix.operations[FT_F32][width];
    tap_ok(mix.flops == 5 + 10 + 16 + 8 + 8 + 8 + 8 + 3 + 8 + 1 && mix.flops == flops &&
               mix.masked_flops == 16 + 8 + 8 + 8 + 8,
           "without what masks leave out: %llu, %llu under masks that are not known",
           (unsigned long long)mix.flops, (unsigned long long)mix.masked_flops);
    tap_ok(mix.operations[FT_I64][FT_WIDTH_512] == 5 && mix.masked_integer_operations == 0,
           "integers: %llu", (unsigned long long)mix.operations[FT_I64][FT_WIDTH_512]);
    const struct ft_mix before = mix;
    ft_mix_leave_out(&mix, routine->graph.instructions[1], 1, 9);
    tap_ok(mix.flops == before.flops, "more lanes than there are tell nothing");
}

int main(void)
{
    struct routine_of_code routine;
    routine_of_code_make(code, sizeof code, &routine);
    uint64_t *accessed = calloc(routine.graph.instruction_count, sizeof *accessed);
    uint64_t *lanes = calloc(routine.graph.instruction_count, sizeof *lanes);
    if (tap_ok(accessed && lanes && routine.graph.block_count == 1, "one block")) {
        check_lanes(&routine, accessed, lanes);
        check_mix(&routine, lanes);
    }
    free(accessed);
    free(lanes);
    routine_of_code_fini(&routine);
    return tap_plan_done();
}
