/*
 * ChampSim's input_instr: records of 64 bytes, little-endian, one an executed instruction: u64 pc,
 * u8 1 of branches, u8 1 where it was taken, 2 x u8 registers written, 4 x u8 registers read, 2 x
 * u64 addresses of stores, 4 x u64 addresses of loads; 0 where there is none (ChampSim,
 * inc/trace_instruction.h). An instruction with more accesses goes on in further records.
 *
 * ChampSim tells kinds of branches by the registers that it has names for: 6 the stack pointer, 25
 * the flags, 26 the pc. These are Pin's numbers, which its tracer writes; so are those of the
 * general registers here. Others matter to it only as being the same or not: vector registers have
 * numbers from 64 on.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/text/text_format.h"

#define RECORD_BYTES    64
#define IS_BRANCH_AT    8
#define TAKEN_AT        9
#define WRITTEN_AT      10
#define WRITTEN_MAX     2U
#define READ_AT         12
#define READ_MAX        4U
#define STORES_AT       16
#define STORES_MAX      2U
#define LOADS_AT        32
#define LOADS_MAX       4U
#define SIZE_UNKNOWN    1 /* bytes: what is known to be touched */
#define STACK_POINTER   6
#define FLAGS           25
#define PROGRAM_COUNTER 26
#define ANY_REGISTER    56 /* in the place of one in memory: an indirect branch reads something */
#define FIRST_VECTOR    64
#define FIRST_MASK      96
#define FIRST_X87       104

/* ---- reading ---- */

static int read_record(struct ft_text_state *state, const uint8_t *record,
                       struct ft_text_item *ret_items, unsigned *ret_count, struct ft_diag *diag)
{
    const uint64_t pc = ft_text_get_u64(record);
    const uint64_t size_bytes =
        state->options.access_bytes ? state->options.access_bytes : SIZE_UNKNOWN;
    unsigned count = 0;
    if (record[IS_BRANCH_AT] > 1 || record[TAKEN_AT] > 1)
        return ft_fail(diag, FT_ERROR_DATA,
                       "is_branch %u and branch_taken %u are not 0 or 1: not a file of ChampSim's "
                       "input_instr, or a damaged one",
                       record[IS_BRANCH_AT], record[TAKEN_AT]);
    ret_items[count++] =
        (struct ft_text_item){.pc = pc, .address = pc, .kind = FT_TEXT_INSTRUCTION};
    for (unsigned i = 0; i < LOADS_MAX + STORES_MAX; i++) {
        const bool is_load = i < LOADS_MAX;
        const uint64_t address = ft_text_get_u64(
            record + (is_load ? LOADS_AT + 8 * i : STORES_AT + 8 * (i - LOADS_MAX)));
        if (address)
            ret_items[count++] =
                (struct ft_text_item){.pc = pc,
                                      .address = address,
                                      .size_bytes = size_bytes,
                                      .kind = is_load ? FT_TEXT_LOAD : FT_TEXT_STORE};
    }
    *ret_count = count;
    return FT_OK;
}

/* ---- registers ---- */

struct registers {
    uint8_t written[WRITTEN_MAX], read[READ_MAX];
};

static void add_register(uint8_t *list, unsigned capacity, uint8_t number)
{
    for (unsigned i = 0; i < capacity; i++) {
        if (list[i] == 0)
            list[i] = number;
        if (list[i] == number)
            return;
    }
}

/* 0 for registers that hold nothing that a program computes, and for the pc (set_branch). */
static uint8_t register_number(ZydisRegister name)
{
    static const uint8_t general[] = {10, 9, 8, 7, 6, 5, 4, 3, 11, 12, 13, 14, 15, 16, 17, 18};
    const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
    const ZydisRegister largest = whole == ZYDIS_REGISTER_NONE ? name : whole;
    const ZyanI8 id = ZydisRegisterGetId(largest);
    if (largest == ZYDIS_REGISTER_RFLAGS)
        return FLAGS;
    if (id < 0)
        return 0;
    switch (ZydisRegisterGetClass(largest)) {
    case ZYDIS_REGCLASS_GPR64:
        return id < (ZyanI8)sizeof general ? general[id] : 0;
    case ZYDIS_REGCLASS_ZMM:
        return (uint8_t)(FIRST_VECTOR + id);
    case ZYDIS_REGCLASS_MASK:
        return (uint8_t)(FIRST_MASK + id);
    case ZYDIS_REGCLASS_X87:
    case ZYDIS_REGCLASS_MMX:
        return (uint8_t)(FIRST_X87 + id);
    default:
        return 0;
    }
}

static void add_operand(struct registers *registers, const ZydisDecodedOperand *operand)
{
    if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
        const uint8_t base = register_number(operand->mem.base);
        const uint8_t index = register_number(operand->mem.index);
        if (base)
            add_register(registers->read, READ_MAX, base);
        if (index)
            add_register(registers->read, READ_MAX, index);
        return;
    }
    const uint8_t number =
        operand->type == ZYDIS_OPERAND_TYPE_REGISTER ? register_number(operand->reg.value) : 0;
    if (number && operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
        add_register(registers->read, READ_MAX, number);
    if (number && operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
        add_register(registers->written, WRITTEN_MAX, number);
}

/* Those by which ChampSim knows a branch; its other ones are left out. */
static void set_branch(const struct ft_instruction *instruction, struct registers *registers)
{
    const struct registers all = *registers;
    const bool is_call =
        instruction->flow == FT_FLOW_CALL || instruction->flow == FT_FLOW_CALL_INDIRECT;
    const bool is_indirect =
        instruction->flow == FT_FLOW_JUMP_INDIRECT || instruction->flow == FT_FLOW_CALL_INDIRECT;
    *registers = (struct registers){.written = {PROGRAM_COUNTER}};
    if (is_call || instruction->flow == FT_FLOW_RETURN) {
        add_register(registers->written, WRITTEN_MAX, STACK_POINTER);
        add_register(registers->read, READ_MAX, STACK_POINTER);
    }
    if (is_call || instruction->flow == FT_FLOW_BRANCH)
        add_register(registers->read, READ_MAX, PROGRAM_COUNTER);
    if (instruction->flow == FT_FLOW_BRANCH)
        add_register(registers->read, READ_MAX, FLAGS);
    if (!is_indirect)
        return;
    uint8_t target = ANY_REGISTER;
    for (unsigned i = 0; i < READ_MAX; i++)
        if (all.read[i] && all.read[i] != STACK_POINTER && all.read[i] != FLAGS)
            target = all.read[i];
    add_register(registers->read, READ_MAX, target);
}

static bool is_branch(const struct ft_instruction *instruction)
{
    return instruction->flow >= FT_FLOW_BRANCH && instruction->flow <= FT_FLOW_RETURN;
}

static int registers_of(const uint8_t *code, const struct ft_instruction *instruction,
                        struct registers *ret_registers, struct ft_diag *diag)
{
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    struct ft_instruction again;
    struct registers registers = {0};
    FT_TRY(ft_instruction_decode_full(code, instruction->length, instruction->pc, &again, &decoded,
                                      operands, diag));
    for (unsigned i = 0; i < decoded.operand_count; i++)
        add_operand(&registers, &operands[i]);
    if (decoded.cpu_flags && decoded.cpu_flags->tested)
        add_register(registers.read, READ_MAX, FLAGS);
    if (decoded.cpu_flags && (decoded.cpu_flags->modified | decoded.cpu_flags->set_0 |
                              decoded.cpu_flags->set_1 | decoded.cpu_flags->undefined))
        add_register(registers.written, WRITTEN_MAX, FLAGS);
    if (is_branch(instruction))
        set_branch(instruction, &registers);
    *ret_registers = registers;
    return FT_OK;
}

/* ---- writing ---- */

struct writer {
    FILE *stream;
    struct registers **units; /* [id]: of its instructions, owned; NULL: not met yet */
    size_t unit_capacity, unit_count;
    bool has_record;
    bool is_executed; /* the record was begun by an instruction, not by an access */
    bool may_fall;    /* a conditional branch: taken where the next one is not behind it */
    uint64_t behind;  /* the pc behind its instruction */
    unsigned loads, stores;
    uint8_t record[RECORD_BYTES];
};

/* The registers of a unit's instructions; *ret_registers is NULL where its code is not known. */
static int unit_registers(struct writer *writer, const struct ft_unit *unit,
                          const struct registers **ret_registers, struct ft_diag *diag)
{
    *ret_registers = NULL;
    if (unit->kind == FT_UNIT_REFERENCES)
        return FT_OK;
    if (!FT_RESERVE(writer->units, writer->unit_capacity, unit->id + 1U))
        return ft_fail_memory(diag, "the registers of units");
    while (writer->unit_count <= unit->id)
        writer->units[writer->unit_count++] = NULL;
    struct registers *registers = writer->units[unit->id];
    if (!registers) {
        registers = calloc(unit->instruction_count, sizeof *registers);
        if (!registers)
            return ft_fail_memory(diag, "the registers of a unit");
        writer->units[unit->id] = registers;
        const uint8_t *code = unit->code; /* pieces of paths stand one behind the other */
        for (unsigned i = 0; i < unit->instruction_count; i++) {
            FT_TRY(registers_of(code, &unit->instructions[i], &registers[i], diag));
            code += unit->instructions[i].length;
        }
    }
    *ret_registers = registers;
    return FT_OK;
}

/* next_pc: of the instruction that follows. */
static void write_record(struct writer *writer, uint64_t next_pc)
{
    if (!writer->has_record)
        return;
    if (writer->may_fall)
        writer->record[TAKEN_AT] = next_pc != writer->behind;
    (void)fwrite(writer->record, RECORD_BYTES, 1, writer->stream); /* the stream keeps its error */
    writer->has_record = false;
}

static int begin_record(struct writer *writer, const struct ft_written_item *written,
                        struct ft_diag *diag)
{
    const struct ft_instruction *instruction = &written->unit->instructions[written->instruction];
    const struct registers *registers;
    write_record(writer, written->item.pc);
    FT_TRY(unit_registers(writer, written->unit, &registers, diag));
    memset(writer->record, 0, sizeof writer->record);
    ft_text_set_u64(writer->record, written->item.pc);
    if (registers) {
        registers += written->instruction;
        memcpy(writer->record + WRITTEN_AT, registers->written, sizeof registers->written);
        memcpy(writer->record + READ_AT, registers->read, sizeof registers->read);
        writer->record[IS_BRANCH_AT] = writer->record[TAKEN_AT] = is_branch(instruction);
    }
    writer->may_fall = registers && instruction->flow == FT_FLOW_BRANCH;
    writer->behind = instruction->pc + instruction->length;
    writer->is_executed = written->item.kind == FT_TEXT_INSTRUCTION;
    writer->loads = writer->stores = 0;
    writer->has_record = true;
    return FT_OK;
}

static int add_access(struct writer *writer, const struct ft_written_item *written, bool is_load,
                      struct ft_diag *diag)
{
    const unsigned max = is_load ? LOADS_MAX : STORES_MAX;
    unsigned *count = is_load ? &writer->loads : &writer->stores;
    const bool is_same = writer->has_record && ft_text_get_u64(writer->record) == written->item.pc;
    const bool is_executed = is_same && writer->is_executed;
    /* Without instructions it is not known which accesses are of one: a load and a store may be. */
    const bool is_other = !is_executed && (*count > 0 || (is_load && writer->stores > 0));
    if (!is_same || *count == max || is_other) {
        FT_TRY(begin_record(writer, written, diag));
        writer->is_executed = is_executed;
    }
    ft_text_set_u64(writer->record + (is_load ? LOADS_AT : STORES_AT) + (size_t)8 * *count,
                    written->item.address);
    ++*count;
    return FT_OK;
}

static int create(FILE *stream, const struct ft_text_options *options, void **ret_writer,
                  struct ft_diag *diag)
{
    (void)options;
    struct writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return ft_fail_memory(diag, "writing records");
    writer->stream = stream;
    *ret_writer = writer;
    return FT_OK;
}

static int add(void *context, const struct ft_written_item *written, struct ft_diag *diag)
{
    struct writer *writer = context;
    switch (written->item.kind) {
    case FT_TEXT_INSTRUCTION:
        return begin_record(writer, written, diag);
    case FT_TEXT_LOAD:
        return add_access(writer, written, true, diag);
    case FT_TEXT_STORE:
    case FT_TEXT_STORE_NONTEMPORAL:
        return add_access(writer, written, false, diag);
    case FT_TEXT_MODIFY:
        FT_TRY(add_access(writer, written, true, diag));
        return add_access(writer, written, false, diag);
    default:
        return FT_OK;
    }
}

static int finish(void *context, struct ft_diag *diag)
{
    (void)diag;
    struct writer *writer = context;
    write_record(writer, writer->behind);
    return FT_OK;
}

static void destroy(void *context)
{
    struct writer *writer = context;
    if (!writer)
        return;
    for (size_t i = 0; i < writer->unit_count; i++)
        free(writer->units[i]);
    free(writer->units);
    free(writer);
}

static const struct ft_text_writer writer_functions = {
    .create = create,
    .add = add,
    .finish = finish,
    .destroy = destroy,
    .needs_instructions = true,
};

const struct ft_text_format ft_text_champsim = {
    .name = "champsim",
    .title = "ChampSim's records of 64 bytes",
    .lacks = "sizes of accesses (1 byte unless --access-size says otherwise), lengths of "
             "instructions; registers and branches are not kept",
    .read_record = read_record,
    .record_bytes = RECORD_BYTES,
    .writer = &writer_functions,
    .takes_access_bytes = true,
};
