/*
 * Two ways to run an instruction: on the processor, as a stub that loads the registers, executes it
 * and stores the registers; and in C, where its meaning says what it loads, stores and changes.
 */
#include "tests/oracle/random_machine.h"

#include <string.h>
#include <sys/mman.h>

#include "tests/oracle/string_reference.h"

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

void machine_make_stub(struct random_instruction *instruction, unsigned position)
{
    uint8_t *stub = native->stubs[position];
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

/* ---- Running in C ---- */

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

/* Accesses of a repeated string instruction, on their way to the visitor. */
struct granules {
    const enum ft_access_kind *kinds;
    random_visitor *visit;
    void *context;
};

static void visit_granule(void *context, unsigned operand, uint64_t address, uint32_t size_bytes)
{
    const struct granules *granules = context;
    struct random_access access = {
        .address = address, .size_bytes = size_bytes, .kind = granules->kinds[operand]};
    granules->visit(granules->context, &access);
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
    struct string_reference string = {
        .size_bytes = (uint32_t)size, .is_down = machine->direction_down, .count = count};
    enum ft_access_kind kinds[2];
    if (moves_source) {
        string.addresses[string.operand_count] = registers[FT_RSI];
        kinds[string.operand_count++] = FT_LOAD;
        registers[FT_RSI] += count * change;
    }
    if (moves_destination) {
        string.addresses[string.operand_count] = registers[FT_RDI];
        kinds[string.operand_count++] = string_cases[row].stores ? FT_STORE : FT_LOAD;
        registers[FT_RDI] += count * change;
    }
    struct granules granules = {kinds, visit, context};
    if (instruction->rep)
        string_reference_run(&string, visit_granule, &granules);
    for (unsigned i = 0; !instruction->rep && i < string.operand_count; i++)
        visit_granule(&granules, i, string.addresses[i], string.size_bytes);
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
