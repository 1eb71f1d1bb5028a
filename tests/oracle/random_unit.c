/*
 * A unit draws its instructions by chance from those that compute (encoded by Zydis), those that
 * access memory and the stack, and the string and vector instructions of the tables
 * (random_instruction.h); its last instruction leaves it, or branches back to the first.
 */
#include "tests/oracle/random_unit.h"

#include <string.h>

#include <Zydis/Zydis.h>

#include "tests/oracle/random_machine.h"

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

static void generate_string(uint64_t *random, struct random_instruction *instruction)
{
    unsigned row = random_below(random, STRING_CASES), size_log = random_below(random, 4);
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

static void generate_vector(uint64_t *random, struct random_instruction *instruction)
{
    unsigned row = random_below(random, vector_case_count);
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
            machine_make_stub(instruction, i);
        memcpy(ret_code + length, instruction->code, instruction->length);
        length += instruction->length;
    }
    return length;
}
