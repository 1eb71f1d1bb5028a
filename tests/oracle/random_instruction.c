#include "tests/oracle/random_instruction.h"

uint64_t random_value(uint64_t *random)
{
    uint64_t small = random_below(random, 64);
    switch (random_below(random, 6)) {
    case 0:
        return small;
    case 1:
        return -small;
    case 2:
        return (UINT64_C(1) << 32) - 32 + small;
    case 3:
        return (UINT64_C(1) << 31) - 32 + small;
    case 4:
        return (uint32_t)random_next(random);
    default:
        return random_next(random);
    }
}

const struct string_case string_cases[STRING_CASES] = {
    {0xa4, true, true, false},  /* movs */
    {0xaa, false, true, false}, /* stos */
    {0xac, true, false, false}, /* lods */
    {0xa6, true, false, true},  /* cmps */
    {0xae, false, false, true}, /* scas */
};

const struct vector_case vector_cases[] = {
    /* vgatherdps zmm0{k1},[rax+zmm1*4+64] */
    {"\x62\xf2\x7d\x49\x92\x44\x88\x10", 8, SHAPE_GATHER, FT_LOAD, FT_RAX, 0xff, 4, 64, 16, 4, 1, 1,
     4, 0, 0},
    /* vpgatherqq ymm0{k1},[rbx+ymm2*8] */
    {"\x62\xf2\xfd\x29\x91\x04\xd3", 7, SHAPE_GATHER, FT_LOAD, FT_RBX, 0xff, 8, 0, 4, 8, 1, 2, 8, 0,
     0},
    /* vgatherdpd ymm0,[rax+xmm1*8],ymm3 */
    {"\xc4\xe2\xe5\x92\x04\xc8", 6, SHAPE_GATHER, FT_LOAD, FT_RAX, 0xff, 8, 0, 4, 8, 35, 1, 4, 0,
     0},
    /* vgatherqps xmm0,[rsi+ymm2*4],xmm3 */
    {"\xc4\xe2\x65\x93\x04\x96", 6, SHAPE_GATHER, FT_LOAD, FT_RSI, 0xff, 4, 0, 4, 4, 35, 2, 8, 0,
     0},
    /* vscatterdpd [rcx+xmm2*8-8]{k1},ymm5 */
    {"\x62\xf2\xfd\x29\xa2\x6c\xd1\xff", 8, SHAPE_GATHER, FT_STORE, FT_RCX, 0xff, 8, -8, 4, 8, 1, 2,
     4, 0xff, 0},
    /* vmovups zmm0{k2},[rax] */
    {"\x62\xf1\x7c\x4a\x10\x00", 6, SHAPE_MASKED, FT_LOAD, FT_RAX, 0xff, 1, 0, 16, 4, 2, 0, 0, 0,
     0},
    /* vmovdqu8 [rbx]{k2},xmm0 */
    {"\x62\xf1\x7f\x0a\x7f\x03", 6, SHAPE_MASKED, FT_STORE, FT_RBX, 0xff, 1, 0, 16, 1, 2, 0, 0,
     0xff, 0},
    /* vpcompressd [rdi]{k2},zmm0 */
    {"\x62\xf2\x7d\x4a\x8b\x07", 6, SHAPE_PACKED, FT_STORE, FT_RDI, 0xff, 1, 0, 16, 4, 2, 0, 0,
     0xff, 0},
    /* vpmaskmovd [rbx+rcx*4],ymm3,ymm0 */
    {"\xc4\xe2\x65\x8e\x04\x8b", 6, SHAPE_MASKED, FT_STORE, FT_RBX, FT_RCX, 4, 0, 8, 4, 35, 0, 0,
     0xff, 0},
    /* vmovdqu32 ymm0{k1}{z},[rsi+32] */
    {"\x62\xf1\x7e\xa9\x6f\x46\x01", 7, SHAPE_MASKED, FT_LOAD, FT_RSI, 0xff, 1, 32, 8, 4, 1, 0, 0,
     0, 0},
    {"\xc5\xf4\x46\xc9", 4, SHAPE_ONES, 0, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0, 33, 16}, /* kxnorw k1 */
    {"\xc5\xfd\x46\xd0", 4, SHAPE_ONES, 0, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0, 34, 8},  /* kxnorb k2 */
    {"\xc5\xe5\x76\xdb", 4, SHAPE_ONES, 0, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0, 3, 255}, /* ymm3 */
    {"\xc5\xe1\x76\xdb", 4, SHAPE_ONES, 0, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0, 3, 128}, /* xmm3 */
    /* prefetcht0 [rdi+rax*2] */
    {"\x0f\x18\x0c\x47", 4, SHAPE_PLAIN, FT_PREFETCH, FT_RDI, FT_RAX, 2, 0, 1, 1, 0, 0, 0, 0xff, 0},
    {"\x62\xf1\xf5\x48\x58\xca", 6, SHAPE_NONE, 0, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0, 1,
     0}, /* vaddpd zmm1 */
    /* movups [rdx],xmm0 */
    {"\x0f\x11\x02", 3, SHAPE_PLAIN, FT_STORE, FT_RDX, 0xff, 1, 0, 1, 16, 0, 0, 0, 0xff, 0},
    /* movntdq [rdx+16],xmm0 */
    {"\x66\x0f\xe7\x42\x10", 5, SHAPE_PLAIN, FT_STORE_NONTEMPORAL, FT_RDX, 0xff, 1, 16, 1, 16, 0, 0,
     0, 0xff, 0},
};
const unsigned vector_case_count = sizeof vector_cases / sizeof *vector_cases;
