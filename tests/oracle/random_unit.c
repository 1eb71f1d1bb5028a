#include "tests/oracle/random_unit.h"

#include <string.h>
#include <sys/mman.h>

#include <Zydis/Zydis.h>

enum meaning {
    MEANS_NATIVE,   /* runs on the processor */
    MEANS_LOAD,     /* number = size_bytes of memory, zero-extended */
    MEANS_LOAD_ADD, /* the same, added */
    MEANS_STORE,
    MEANS_LOAD_STORE,
    MEANS_PUSH,
    MEANS_POP,
    MEANS_LEAVE,
    MEANS_POPF,
    MEANS_RETURN,
    MEANS_CALL,
    MEANS_BIT,    /* memory at the bit in `number` */
    MEANS_STRING, /* number: row of string_cases */
    MEANS_DIRECTION,
    MEANS_VECTOR, /* number: row of vector_cases */
    MEANS_BRANCH, /* changes nothing */
};

/* ---- Randomness ---- */

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

/* ---- Running on the processor ---- */

#define STUB_BYTES 512

/* Registers and code stand on different pages: processors are slow where code writes to its own. */
struct native {
    uint64_t registers[16];
    uint64_t host_rsp;
    uint8_t rest_of_page[4096 - 17 * sizeof(uint64_t)];
    uint8_t stubs[RANDOM_UNIT_MAX][STUB_BYTES];
};

static struct native *native;

bool machine_start(void)
{
    /* Below 2 GiB, so that code reaches it without a base register. */
    void *memory = mmap(NULL, sizeof *native, PROT_READ | PROT_WRITE | PROT_EXEC,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    native = memory == MAP_FAILED ? NULL : memory;
    return native != NULL;
}

static uint8_t *emit(uint8_t *at, const void *bytes, size_t length)
{
    memcpy(at, bytes, length);
    return at + length;
}

/* mov between register `number` and an absolute 32-bit address. */
static uint8_t *emit_move(uint8_t *at, uint8_t opcode, unsigned number, const void *address)
{
    uint32_t absolute = (uint32_t)(uintptr_t)address;
    uint8_t bytes[] = {(uint8_t)(0x48 | (number >> 3 << 2)), opcode,
                       (uint8_t)((number & 7) << 3 | 4), 0x25};
    at = emit(at, bytes, sizeof bytes);
    return emit(at, &absolute, sizeof absolute);
}

/* Code that loads the registers, runs one instruction and stores the registers. */
static void make_stub(struct random_instruction *instruction, uint8_t *stub)
{
    static const uint8_t save[] = {0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57};
    static const uint8_t restore[] = {0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d,
                                      0x41, 0x5c, 0x5d, 0x5b, 0xc3};
    uint8_t *at = emit(stub, save, sizeof save);
    at = emit_move(at, 0x89, FT_RSP, &native->host_rsp);
    for (unsigned i = 0; i < 16; i++)
        at = emit_move(at, 0x8b, i, &native->registers[i]);
    at = emit(at, instruction->code, instruction->length);
    for (unsigned i = 0; i < 16; i++)
        at = emit_move(at, 0x89, i, &native->registers[i]);
    at = emit_move(at, 0x8b, FT_RSP, &native->host_rsp);
    at = emit(at, restore, sizeof restore);
    __builtin___clear_cache((char *)stub, (char *)at);
    instruction->stub = stub;
}

static void run_native(struct machine *machine, const struct random_instruction *instruction)
{
    void (*run)(void);
    memcpy(&run, &instruction->stub, sizeof run);
    memcpy(native->registers, machine->registers, sizeof native->registers);
    run();
    memcpy(machine->registers, native->registers, sizeof native->registers);
}

/* ---- Generating ---- */

static const ZydisRegister registers_64[16] = {
    ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RCX, ZYDIS_REGISTER_RDX, ZYDIS_REGISTER_RBX,
    ZYDIS_REGISTER_RSP, ZYDIS_REGISTER_RBP, ZYDIS_REGISTER_RSI, ZYDIS_REGISTER_RDI,
    ZYDIS_REGISTER_R8,  ZYDIS_REGISTER_R9,  ZYDIS_REGISTER_R10, ZYDIS_REGISTER_R11,
    ZYDIS_REGISTER_R12, ZYDIS_REGISTER_R13, ZYDIS_REGISTER_R14, ZYDIS_REGISTER_R15};

static ZydisRegister register_of(unsigned number, unsigned bits)
{
    int whole = registers_64[number];
    switch (bits) {
    case 64:
        return (ZydisRegister)whole;
    case 32:
        return (ZydisRegister)(whole - ZYDIS_REGISTER_RAX + ZYDIS_REGISTER_EAX);
    case 16:
        return (ZydisRegister)(whole - ZYDIS_REGISTER_RAX + ZYDIS_REGISTER_AX);
    default: /* Zydis has al..bl, ah..bh, spl..dil, r8b.. in this order */
        return (ZydisRegister)(ZYDIS_REGISTER_AL + (int)number + (number < 4 ? 0 : 4));
    }
}

/* The registers that a unit draws from: few, so that values meet. */
struct pool {
    uint8_t numbers[6];
};

static unsigned draw(uint64_t *random, const struct pool *pool)
{
    return pool->numbers[random_below(random, 6)];
}

static ZydisEncoderOperand register_operand(unsigned number, unsigned bits)
{
    ZydisEncoderOperand operand = {.type = ZYDIS_OPERAND_TYPE_REGISTER};
    operand.reg.value = register_of(number, bits);
    return operand;
}

static ZydisEncoderOperand immediate_operand(int64_t value)
{
    ZydisEncoderOperand operand = {.type = ZYDIS_OPERAND_TYPE_IMMEDIATE};
    operand.imm.s = value;
    return operand;
}

static ZydisEncoderOperand memory_operand(const struct random_memory *memory, unsigned size_bytes)
{
    unsigned bits = memory->is_32_bit ? 32 : 64;
    ZydisEncoderOperand operand = {.type = ZYDIS_OPERAND_TYPE_MEMORY};
    if (memory->base != FT_NO_REGISTER)
        operand.mem.base = register_of(memory->base, bits);
    if (memory->index != FT_NO_REGISTER) {
        operand.mem.index = register_of(memory->index, bits);
        operand.mem.scale = memory->scale;
    }
    operand.mem.displacement = memory->displacement;
    operand.mem.size = (ZyanU16)size_bytes;
    return operand;
}

static struct random_memory random_memory(uint64_t *random, const struct pool *pool)
{
    struct random_memory memory = {.base = (uint8_t)draw(random, pool),
                                   .index = FT_NO_REGISTER,
                                   .scale = 1,
                                   .is_32_bit = random_below(random, 12) == 0,
                                   .fs = random_below(random, 16) == 0};
    memory.gs = !memory.fs && !memory.is_32_bit && random_below(random, 16) == 0;
    memory.displacement = (int32_t)random_below(random, 256) - 128;
    if (random_below(random, 2)) {
        memory.index = (uint8_t)draw(random, pool);
        memory.scale = (uint8_t)(1U << random_below(random, 4));
        if (memory.index == FT_RSP)
            memory.index = FT_RBP;
    }
    if (random_below(random, 10) == 0)
        memory.base = FT_RSP;
    return memory;
}

static bool encode(struct random_instruction *instruction, ZydisMnemonic mnemonic,
                   const ZydisEncoderOperand *operands, unsigned count)
{
    ZydisEncoderRequest request = {.machine_mode = ZYDIS_MACHINE_MODE_LONG_64,
                                   .mnemonic = mnemonic,
                                   .operand_count = (ZyanU8)count};
    memcpy(request.operands, operands, count * sizeof *operands);
    if (instruction->memory.fs)
        request.prefixes |= ZYDIS_ATTRIB_HAS_SEGMENT_FS;
    if (instruction->memory.gs)
        request.prefixes |= ZYDIS_ATTRIB_HAS_SEGMENT_GS;
    instruction->length = sizeof instruction->code;
    return ZYAN_SUCCESS(
        ZydisEncoderEncodeInstruction(&request, instruction->code, &instruction->length));
}

/* Arithmetic on registers. */
static bool generate_native(uint64_t *random, const struct pool *pool,
                            struct random_instruction *instruction)
{
    static const ZydisMnemonic two_operands[] = {
        ZYDIS_MNEMONIC_MOV,  ZYDIS_MNEMONIC_ADD,   ZYDIS_MNEMONIC_SUB,     ZYDIS_MNEMONIC_AND,
        ZYDIS_MNEMONIC_OR,   ZYDIS_MNEMONIC_XOR,   ZYDIS_MNEMONIC_XCHG,    ZYDIS_MNEMONIC_XADD,
        ZYDIS_MNEMONIC_IMUL, ZYDIS_MNEMONIC_CMOVZ, ZYDIS_MNEMONIC_BSF,     ZYDIS_MNEMONIC_POPCNT,
        ZYDIS_MNEMONIC_CMP,  ZYDIS_MNEMONIC_ADC,   ZYDIS_MNEMONIC_CMPXCHG, ZYDIS_MNEMONIC_TEST};
    static const ZydisMnemonic immediates[] = {ZYDIS_MNEMONIC_MOV, ZYDIS_MNEMONIC_ADD,
                                               ZYDIS_MNEMONIC_SUB, ZYDIS_MNEMONIC_AND,
                                               ZYDIS_MNEMONIC_OR,  ZYDIS_MNEMONIC_XOR};
    static const ZydisMnemonic one_operand[] = {ZYDIS_MNEMONIC_INC,   ZYDIS_MNEMONIC_DEC,
                                                ZYDIS_MNEMONIC_NEG,   ZYDIS_MNEMONIC_NOT,
                                                ZYDIS_MNEMONIC_BSWAP, ZYDIS_MNEMONIC_MUL};
    static const ZydisMnemonic shifts[] = {ZYDIS_MNEMONIC_SHL, ZYDIS_MNEMONIC_SHR,
                                           ZYDIS_MNEMONIC_SAR, ZYDIS_MNEMONIC_ROL};
    static const ZydisMnemonic no_operand[] = {ZYDIS_MNEMONIC_CDQE, ZYDIS_MNEMONIC_CWDE,
                                               ZYDIS_MNEMONIC_CDQ, ZYDIS_MNEMONIC_CQO,
                                               ZYDIS_MNEMONIC_CBW};
    static const ZydisMnemonic extensions[] = {ZYDIS_MNEMONIC_MOVZX, ZYDIS_MNEMONIC_MOVSX};
    unsigned bits = random_below(random, 3) ? 64 : random_below(random, 6) ? 32 : 16;
    unsigned target = draw(random, pool), source = draw(random, pool);
    ZydisEncoderOperand operands[3] = {register_operand(target, bits),
                                       register_operand(source, bits)};
    int64_t immediate = random_below(random, 2) ? (int64_t)random_below(random, 256) - 128
                                                : (int32_t)random_next(random);
    if (bits == 16)
        immediate = (int16_t)immediate;
    instruction->meaning = MEANS_NATIVE;
    switch (random_below(random, 10)) {
    case 0:
    case 1:
        return encode(instruction, two_operands[random_below(random, 16)], operands, 2);
    case 2:
        operands[1] = immediate_operand(immediate);
        return encode(instruction, immediates[random_below(random, 6)], operands, 2);
    case 3:
        return encode(instruction, one_operand[random_below(random, 6)], operands, 1);
    case 4:
        operands[1] = immediate_operand(random_below(random, bits));
        return encode(instruction, shifts[random_below(random, 4)], operands, 2);
    case 5:
        return encode(instruction, no_operand[random_below(random, 5)], operands, 0);
    case 6:
        operands[1] = register_operand(source, random_below(random, 2) ? 8 : 16);
        if (random_below(random, 6) == 0 && target < 4) /* ah, ch, dh, bh */
            operands[1].reg.value =
                (ZydisRegister)(ZYDIS_REGISTER_AH + (int)random_below(random, 4));
        return encode(instruction, extensions[random_below(random, 2)], operands, 2);
    case 7:
        operands[0] = register_operand(target, 64);
        operands[1] = register_operand(source, 32);
        return encode(instruction, ZYDIS_MNEMONIC_MOVSXD, operands, 2);
    case 8:
        operands[2] = immediate_operand((int16_t)immediate);
        return encode(instruction, ZYDIS_MNEMONIC_IMUL, operands, 3);
    default: {
        struct random_memory memory = random_memory(random, pool);
        operands[1] = memory_operand(&memory, bits / 8);
        return encode(instruction, ZYDIS_MNEMONIC_LEA, operands, 2);
    }
    }
}

static bool generate_memory(uint64_t *random, const struct pool *pool,
                            struct random_instruction *instruction)
{
    static const uint8_t sizes[] = {4, 8, 1};
    instruction->memory = random_memory(random, pool);
    instruction->number = (uint8_t)draw(random, pool);
    unsigned kind = random_below(random, 5);
    unsigned size = sizes[random_below(random, kind == 0 ? 3 : 2)];
    ZydisEncoderOperand memory = memory_operand(&instruction->memory, size);
    ZydisEncoderOperand target = register_operand(instruction->number, size == 1 ? 32 : size * 8);
    ZydisEncoderOperand to_register[2] = {target, memory}, to_memory[2] = {memory, target};
    instruction->size_bytes = (uint8_t)size;
    switch (kind) {
    case 0:
        instruction->meaning = MEANS_LOAD;
        return encode(instruction, size == 1 ? ZYDIS_MNEMONIC_MOVZX : ZYDIS_MNEMONIC_MOV,
                      to_register, 2);
    case 1:
        instruction->meaning = MEANS_LOAD_ADD;
        return encode(instruction, ZYDIS_MNEMONIC_ADD, to_register, 2);
    case 2:
        instruction->meaning = MEANS_STORE;
        return encode(instruction, ZYDIS_MNEMONIC_MOV, to_memory, 2);
    case 3:
        instruction->meaning = MEANS_LOAD_STORE;
        return encode(instruction, ZYDIS_MNEMONIC_XOR, to_memory, 2);
    default:
        instruction->meaning = MEANS_BIT;
        return encode(instruction, ZYDIS_MNEMONIC_BTS, to_memory, 2);
    }
}

static bool generate_stack(uint64_t *random, const struct pool *pool,
                           struct random_instruction *instruction)
{
    instruction->number = (uint8_t)draw(random, pool);
    instruction->size_bytes = 8;
    ZydisEncoderOperand operand = register_operand(instruction->number, 64);
    switch (random_below(random, 6)) {
    case 0:
    case 1:
        instruction->meaning = MEANS_PUSH;
        return encode(instruction, ZYDIS_MNEMONIC_PUSH, &operand, 1);
    case 2:
        instruction->meaning = MEANS_PUSH;
        return encode(instruction, ZYDIS_MNEMONIC_PUSHFQ, &operand, 0);
    case 3:
    case 4:
        instruction->meaning = MEANS_POP;
        return encode(instruction, ZYDIS_MNEMONIC_POP, &operand, 1);
    default:
        instruction->meaning = MEANS_LEAVE;
        return encode(instruction, ZYDIS_MNEMONIC_LEAVE, &operand, 0);
    }
}

static void set_bytes(struct random_instruction *instruction, const char *bytes, size_t length)
{
    memcpy(instruction->code, bytes, length);
    instruction->length = length;
}

static const struct {
    uint8_t opcode;
    bool loads_source, stores, loads_destination;
} string_cases[] = {
    {0xa4, true, true, false},  /* movs */
    {0xaa, false, true, false}, /* stos */
    {0xac, true, false, false}, /* lods */
    {0xa6, true, false, true},  /* cmps */
    {0xae, false, false, true}, /* scas */
};

static void generate_string(uint64_t *random, struct random_instruction *instruction)
{
    unsigned row = random_below(random, 5), size_log = random_below(random, 4);
    size_t length = 0;
    instruction->meaning = MEANS_STRING;
    instruction->number = (uint8_t)row;
    instruction->size_bytes = (uint8_t)(1U << size_log);
    instruction->rep = random_below(random, 3) != 0;
    instruction->conditional = instruction->rep && row >= 3;
    if (size_log == 1)
        instruction->code[length++] = 0x66;
    if (instruction->rep)
        instruction->code[length++] = random_below(random, 2) && row >= 3 ? 0xf2 : 0xf3;
    if (size_log == 3)
        instruction->code[length++] = 0x48;
    instruction->code[length++] = (uint8_t)(string_cases[row].opcode + (size_log != 0));
    instruction->length = length;
}

enum vector_shape { SHAPE_PLAIN, SHAPE_MASKED, SHAPE_PACKED, SHAPE_GATHER, SHAPE_ONES, SHAPE_NONE };

/* Masks: k1 is 1, ymm3 is 32 + 3; a mask of 0: none. */
static const struct {
    const char *bytes;
    uint8_t length;
    uint8_t shape, kind;
    uint8_t base, index, scale;
    int8_t displacement;
    uint8_t lanes, size_bytes;
    uint8_t mask;
    uint8_t vector_index, index_bytes;
    uint8_t written; /* vector, or 32 + number of a mask; 0xff: none */
    uint8_t ones;    /* SHAPE_ONES: bits set */
} vector_cases[] = {
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

static void generate_vector(uint64_t *random, struct random_instruction *instruction)
{
    unsigned row = random_below(random, sizeof vector_cases / sizeof *vector_cases);
    instruction->meaning = MEANS_VECTOR;
    instruction->number = (uint8_t)row;
    set_bytes(instruction, vector_cases[row].bytes, vector_cases[row].length);
}

static void generate(uint64_t *random, const struct pool *pool, unsigned flavour,
                     struct random_instruction *instruction)
{
    bool is_done;
    do {
        unsigned kind = random_below(random, 32);
        *instruction = (struct random_instruction){0};
        if (kind < 14) {
            is_done = generate_native(random, pool, instruction);
        } else if (kind < 25) {
            is_done = generate_memory(random, pool, instruction);
        } else if (kind < 28) {
            is_done = flavour != 0 && generate_stack(random, pool, instruction);
        } else if (kind < 29) {
            instruction->meaning = MEANS_DIRECTION;
            instruction->number = (uint8_t)random_below(random, 2);
            set_bytes(instruction, instruction->number ? "\xfd" : "\xfc", 1);
            is_done = flavour == 1;
        } else if (kind < 30) {
            generate_string(random, instruction);
            is_done = flavour == 1;
        } else {
            generate_vector(random, instruction);
            is_done = flavour == 2 || kind == 31;
        }
    } while (!is_done);
}

/* A small count for a rep: known, derived or loaded. */
static void generate_count(uint64_t *random, struct random_instruction *instruction)
{
    *instruction = (struct random_instruction){.meaning = MEANS_NATIVE};
    switch (random_below(random, 3)) {
    case 0:
        set_bytes(instruction, "\x83\xe1\x1f", 3); /* and ecx,31 */
        break;
    case 1:
        set_bytes(instruction, "\xb9\x05\0\0\0", 5); /* mov ecx,5 */
        break;
    default:
        set_bytes(instruction, "\x0f\xb6\x0c\x24", 4); /* movzx ecx,byte ptr [rsp] */
        instruction->meaning = MEANS_LOAD;
        instruction->size_bytes = 1;
        instruction->number = FT_RCX;
        instruction->memory =
            (struct random_memory){.base = FT_RSP, .index = FT_NO_REGISTER, .scale = 1};
        break;
    }
}

/* How a plain unit ends. */
static void generate_end(uint64_t *random, struct random_instruction *instruction)
{
    *instruction = (struct random_instruction){.meaning = MEANS_BRANCH, .size_bytes = 8};
    switch (random_below(random, 5)) {
    case 0:
        instruction->meaning = MEANS_RETURN;
        instruction->amount = 16;
        set_bytes(instruction, "\xc2\x10\x00", 3);
        break;
    case 1:
        instruction->meaning = MEANS_CALL;
        set_bytes(instruction, "\xff\xd0", 2); /* call rax */
        break;
    case 2:
        instruction->meaning = MEANS_POPF;
        set_bytes(instruction, "\x9d", 1);
        break;
    case 3:
        set_bytes(instruction, "\x74\x10", 2);
        break;
    default:
        set_bytes(instruction, "\xff\xe2", 2); /* jmp rdx */
        break;
    }
}

size_t random_unit(uint64_t *random, bool is_loop, unsigned count,
                   struct random_instruction *ret_instructions, uint8_t *ret_code)
{
    struct pool pool;
    struct random_instruction held = {0}; /* a rep that waits for its count */
    size_t length = 0;
    /* Vector instructions name rax, rcx, rbx, rdx, rsi, rdi; string instructions some of them. */
    for (unsigned i = 0; i < 6; i++)
        pool.numbers[i] = (uint8_t)random_below(random, random_below(random, 2) ? 8 : 16);
    if (random_below(random, 4))
        for (unsigned i = 0; i < 6; i++)
            if (pool.numbers[i] == FT_RSP)
                pool.numbers[i] = FT_R12;
    unsigned flavour = is_loop ? 2 * random_below(random, 2) : random_below(random, 4);
    bool has_exits = !is_loop || random_below(random, 2);
    for (unsigned i = 0; i < count; i++) {
        struct random_instruction *instruction = &ret_instructions[i];
        if (i > 0 && i + 1 < count && held.length) {
            *instruction = held;
            held.length = 0;
        } else if (i > 0 && i + 1 < count && has_exits && random_below(random, 8) == 0) {
            *instruction = (struct random_instruction){.meaning = MEANS_BRANCH};
            set_bytes(instruction, "\x0f\x84\x00\x01\0\0", 6); /* je, never taken */
        } else if (i + 1 < count) {
            generate(random, &pool, flavour, instruction);
            if (instruction->rep) {
                held = *instruction;
                generate_count(random, instruction);
            }
        } else if (!is_loop) {
            generate_end(random, instruction);
        } else {
            int32_t back = -(int32_t)(length + 6);
            *instruction = (struct random_instruction){.meaning = MEANS_BRANCH};
            set_bytes(instruction, "\x0f\x85\0\0\0\0", 6);
            memcpy(instruction->code + 2, &back, sizeof back);
        }
        if (instruction->meaning == MEANS_NATIVE)
            make_stub(instruction, native->stubs[i]);
        memcpy(ret_code + length, instruction->code, instruction->length);
        length += instruction->length;
    }
    return length;
}

void random_machine(uint64_t *random, struct machine *ret_machine)
{
    memset(ret_machine, 0, sizeof *ret_machine);
    for (unsigned i = 0; i < FT_REGISTER_COUNT; i++)
        ret_machine->registers[i] = random_value(random);
    for (unsigned i = 0; i < 32; i++)
        for (unsigned j = 0; j < 8; j++)
            ret_machine->vectors[i][j] = random_next(random);
    for (unsigned i = 0; i < 8; i++)
        ret_machine->masks[i] = random_next(random);
    ret_machine->direction_down = random_below(random, 4) == 0;
}

/* ---- Running in C ---- */

static uint64_t segment_base(const struct machine *machine, const struct random_memory *memory)
{
    return memory->fs   ? machine->registers[FT_FS_BASE]
           : memory->gs ? machine->registers[FT_GS_BASE]
                        : 0;
}

static uint64_t address_of(const struct machine *machine, const struct random_memory *memory)
{
    uint64_t address = (uint64_t)(int64_t)memory->displacement;
    if (memory->base != FT_NO_REGISTER)
        address += machine->registers[memory->base];
    if (memory->index != FT_NO_REGISTER)
        address += machine->registers[memory->index] * memory->scale;
    if (memory->is_32_bit)
        address = (uint32_t)address;
    return address + segment_base(machine, memory);
}

void machine_prepare(struct machine *machine, const struct random_instruction *instruction,
                     uint64_t *random)
{
    if (instruction->meaning == MEANS_POPF)
        machine->popped_flags = random_next(random);
}

static void step_string(struct machine *machine, const struct random_instruction *instruction,
                        uint64_t *random, random_visitor *visit, void *context)
{
    unsigned row = instruction->number;
    uint64_t size = instruction->size_bytes, change = machine->direction_down ? -size : size;
    uint64_t *registers = machine->registers;
    bool moves_source = string_cases[row].loads_source;
    bool moves_destination = string_cases[row].stores || string_cases[row].loads_destination;
    uint64_t count = instruction->rep ? registers[FT_RCX] : 1;
    if (instruction->conditional && count)
        count = random_below(random, count < 40 ? (unsigned)count : 40) + 1U;
    for (uint64_t i = 0; i < count; i++) {
        struct random_access access = {.size_bytes = (uint32_t)size, .kind = FT_LOAD};
        if (moves_source) {
            access.address = registers[FT_RSI];
            visit(context, &access);
            registers[FT_RSI] += change;
        }
        if (moves_destination) {
            access.address = registers[FT_RDI];
            access.kind = string_cases[row].stores ? FT_STORE : FT_LOAD;
            visit(context, &access);
            registers[FT_RDI] += change;
        }
    }
    if (instruction->rep)
        registers[FT_RCX] -= count;
    if (string_cases[row].opcode == 0xac && count)
        registers[FT_RAX] = size == 4 ? (uint32_t)random_next(random) : random_next(random);
}

static bool lane_is_active(const struct machine *machine, unsigned row, unsigned lane)
{
    unsigned mask = vector_cases[row].mask;
    unsigned sign_bit = (lane + 1) * vector_cases[row].size_bytes * 8 - 1;
    if (mask == 0)
        return true;
    return mask < 8 ? machine->masks[mask] >> lane & 1
                    : machine->vectors[mask - 32][sign_bit / 64] >> sign_bit % 64 & 1;
}

static void write_vector(struct machine *machine, unsigned row, uint64_t *random)
{
    unsigned written = vector_cases[row].written;
    unsigned ones = vector_cases[row].ones == 255 ? 256 : vector_cases[row].ones;
    if (written == 0xff)
        return;
    if (written >= 32) {
        machine->masks[written - 32] = (1ULL << ones) - 1;
        return;
    }
    for (unsigned j = 0; j < 8; j++)
        machine->vectors[written][j] = vector_cases[row].shape != SHAPE_ONES ? random_next(random)
                                       : 64 * j < ones                       ? UINT64_MAX
                                                                             : 0;
}

static void step_vector(struct machine *machine, unsigned row, uint64_t *random,
                        random_visitor *visit, void *context)
{
    struct random_memory memory = {.base = vector_cases[row].base,
                                   .index = vector_cases[row].index,
                                   .scale = vector_cases[row].scale,
                                   .displacement = vector_cases[row].displacement};
    unsigned packed = 0, size = vector_cases[row].size_bytes, shape = vector_cases[row].shape;
    if (shape != SHAPE_NONE && shape != SHAPE_ONES) {
        uint64_t start = address_of(machine, &memory);
        for (unsigned lane = 0; lane < vector_cases[row].lanes; lane++) {
            struct random_access access = {start + lane * size, size, vector_cases[row].kind};
            if (!lane_is_active(machine, row, lane))
                continue;
            if (shape == SHAPE_PACKED)
                access.address = start + packed++ * size;
            if (shape == SHAPE_GATHER) {
                const uint64_t *vector = machine->vectors[vector_cases[row].vector_index];
                int64_t index = vector_cases[row].index_bytes == 8
                                    ? (int64_t)vector[lane]
                                    : (int32_t)(vector[lane / 2] >> lane % 2 * 32);
                access.address = start + (uint64_t)index * vector_cases[row].scale;
            }
            visit(context, &access);
        }
    }
    if (shape == SHAPE_GATHER) {
        unsigned mask = vector_cases[row].mask;
        if (mask < 8)
            machine->masks[mask] = 0;
        else
            memset(machine->vectors[mask - 32], 0, sizeof machine->vectors[0]);
    }
    write_vector(machine, row, random);
}

static void step_stack(struct machine *machine, const struct random_instruction *instruction,
                       uint64_t *random, random_visitor *visit, void *context)
{
    uint64_t *rsp = &machine->registers[FT_RSP];
    struct random_access access = {.size_bytes = 8, .kind = FT_LOAD};
    if (instruction->meaning == MEANS_PUSH || instruction->meaning == MEANS_CALL) {
        *rsp -= 8;
        access = (struct random_access){*rsp, 8, FT_STORE};
        visit(context, &access);
        return;
    }
    if (instruction->meaning == MEANS_LEAVE)
        *rsp = machine->registers[FT_RBP];
    access.address = *rsp;
    visit(context, &access);
    *rsp += 8 + instruction->amount;
    if (instruction->meaning == MEANS_LEAVE)
        machine->registers[FT_RBP] = random_value(random);
    else if (instruction->meaning == MEANS_POP)
        machine->registers[instruction->number] = random_value(random);
    else if (instruction->meaning == MEANS_POPF)
        machine->direction_down = machine->popped_flags >> 10 & 1;
}

void machine_step(struct machine *machine, const struct random_instruction *instruction,
                  uint64_t *random, random_visitor *visit, void *context)
{
    uint64_t *target = &machine->registers[instruction->number];
    struct random_access access = {address_of(machine, &instruction->memory),
                                   instruction->size_bytes, FT_LOAD};
    switch (instruction->meaning) {
    case MEANS_NATIVE:
        run_native(machine, instruction);
        break;
    case MEANS_LOAD:
    case MEANS_LOAD_ADD: {
        visit(context, &access);
        uint64_t loaded = random_value(random);
        if (instruction->size_bytes < 8)
            loaded &= (1ULL << 8 * instruction->size_bytes) - 1;
        if (instruction->meaning == MEANS_LOAD_ADD)
            loaded += *target;
        *target = instruction->size_bytes == 8 ? loaded : (uint32_t)loaded;
        break;
    }
    case MEANS_STORE:
        access.kind = FT_STORE;
        visit(context, &access);
        break;
    case MEANS_BIT: {
        int64_t bits = instruction->size_bytes == 8 ? (int64_t)*target : (int32_t)*target;
        int64_t word = bits / (8 * instruction->size_bytes);
        if (word * 8 * instruction->size_bytes > bits)
            word--;
        uint64_t moved = (uint64_t)word * instruction->size_bytes;
        struct random_memory memory = instruction->memory;
        memory.fs = memory.gs = false;
        access.address = address_of(machine, &memory) + moved;
        if (memory.is_32_bit)
            access.address = (uint32_t)access.address;
        access.address += segment_base(machine, &instruction->memory);
    } /* fall through */
    case MEANS_LOAD_STORE:
        visit(context, &access);
        access.kind = FT_STORE;
        visit(context, &access);
        break;
    case MEANS_STRING:
        step_string(machine, instruction, random, visit, context);
        break;
    case MEANS_DIRECTION:
        machine->direction_down = instruction->number != 0;
        break;
    case MEANS_VECTOR:
        step_vector(machine, instruction->number, random, visit, context);
        break;
    case MEANS_BRANCH:
        break;
    default:
        step_stack(machine, instruction, random, visit, context);
        break;
    }
}
