/*
 * A translated unit, in order:
 *
 *     entry:     [code that may change: look whether it has, checked_code.h]
 *     body:      [r11 in use: swap in another register as log pointer P]
 *                mov dword [P], id           the record's head; loops: entry slots too
 *     head:      copied instructions, each after the stores of its slots; RIP-relative operands
 *                get a new displacement; branches inside lead to stubs, out of line:
 *                    mov dword [P], id of the unit's beginning; lea P, [P + its record]; jmp
 *     exit:      lea P, [P + record bytes]   loops: close the record first
 *                the final branch: direct ones through links, indirect ones through the landings
 *
 * Units that follow directly are translated in the same go, each right behind the one that falls
 * through to it, so that hot paths lie in order and every jump to the next unit disappears.
 */
#include "trace-capture/translate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "formats/code/known_registers.h"
#include "formats/code/plan.h"
#include "trace-capture/checked_code.h"
#include "trace-capture/context.h"
#include "trace-capture/emission.h"
#include "trace-capture/far_operand.h"
#include "trace-capture/instruction_count.h"

#define AHEAD_MAX      48 /* units translated in one go */
#define LOOP_ENTRY     12 /* bytes of a loop record before its entry slots */
#define LOOP_END_WORD  4  /* offset of its end word */
#define PREFETCH_AHEAD 512
#define MOV_BYTES_MAX  10 /* of mov rcx, r/m64 with prefixes */
#define CACHE_LINE     64

static unsigned first_free_register(uint32_t used)
{
    /* rax and rcx last: indirect branches need them */
    static const uint8_t order[] = {FT_R11, FT_R10, FT_R9,  FT_R8,  FT_RDI, FT_RSI, FT_RDX, FT_RBX,
                                    FT_R12, FT_R13, FT_R14, FT_R15, FT_RBP, FT_RAX, FT_RCX};
    for (size_t i = 0; i < sizeof order; i++)
        if (!(used & 1U << order[i]))
            return order[i];
    return FT_NO_REGISTER;
}

bool ft_emission_uses_r11(const struct ft_unit *unit, unsigned index)
{
    const struct ft_instruction *instruction = &unit->instructions[index];
    return (instruction->registers_read | instruction->registers_written) >> FT_R11 & 1;
}

void ft_emission_show_r11(struct ft_emission *emission)
{
    ft_emit_store_gs(&emission->emitter, FT_CONTEXT(log_pointer), FT_R11);
    ft_emit_load_gs(&emission->emitter, FT_R11, FT_CONTEXT(program_r11));
}

void ft_emission_hide_r11(struct ft_emission *emission)
{
    ft_emit_store_gs(&emission->emitter, FT_CONTEXT(program_r11), FT_R11);
    ft_emit_load_gs(&emission->emitter, FT_R11, FT_CONTEXT(log_pointer));
}

/* The program's r11 where the log pointer is in r11. */
static void emit_r11_slot(struct ft_emission *emission, const struct ft_slot *slot, int32_t offset)
{
    struct ft_emitter *emitter = &emission->emitter;
    ft_emit_store_gs(emitter, FT_CONTEXT(spill_scratch), FT_RAX);
    ft_emit_load_gs(emitter, FT_RAX, FT_CONTEXT(program_r11));
    ft_emit_store(emitter, FT_R11, offset, FT_RAX, slot->size_bytes);
    ft_emit_load_gs(emitter, FT_RAX, FT_CONTEXT(spill_scratch));
}

static void emit_slot(struct ft_emission *emission, const struct ft_slot *slot, int32_t offset)
{
    struct ft_emitter *emitter = &emission->emitter;
    unsigned pointer = emission->translation->pointer;
    switch (slot->kind) {
    case FT_SLOT_REGISTER:
        if (slot->source == pointer)
            emit_r11_slot(emission, slot, offset);
        else
            ft_emit_store(emitter, pointer, offset, slot->source, slot->size_bytes);
        break;
    case FT_SLOT_VECTOR:
        ft_emit_store_vector(emitter, pointer, offset, slot->source, slot->size_bytes);
        break;
    case FT_SLOT_MASK:
        ft_emit_store_mask(emitter, pointer, offset, slot->source);
        break;
    default: { /* the flags that popf is about to load */
        unsigned scratch = pointer == FT_RAX ? FT_RCX : FT_RAX;
        ft_emit_store_gs(emitter, FT_CONTEXT(spill_scratch), scratch);
        ft_emit_load(emitter, scratch, FT_RSP, 0);
        ft_emit_store(emitter, pointer, offset, scratch, 8);
        ft_emit_load_gs(emitter, scratch, FT_CONTEXT(spill_scratch));
        break;
    }
    }
}

/* Copies an instruction whose RIP-relative operand is out of reach. */
static int copy_far_operand(struct ft_emission *emission, unsigned index, const uint8_t *code,
                            struct ft_diag *diag)
{
    struct ft_translation *translation = emission->translation;
    const struct ft_instruction *instruction = &translation->unit.instructions[index];
    unsigned scratch = ft_far_scratch(instruction, translation->pointer);
    if (scratch == FT_NO_REGISTER)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "the instruction at 0x%" PRIx64 " cannot be moved out of reach of its data",
                       instruction->pc);
    translation->far_operands[index] = true;
    ft_far_emit(&emission->emitter, instruction, &emission->decoded[index], code, scratch);
    return FT_OK;
}

static int copy_unmoved(struct ft_emission *emission, unsigned index, struct ft_diag *diag)
{
    const struct ft_unit *unit = &emission->translation->unit;
    const struct ft_instruction *instruction = &unit->instructions[index];
    const uint8_t *code = ft_unit_code(unit, instruction);
    const ZydisDecodedInstruction *decoded = &emission->decoded[index];
    struct ft_emitter *emitter = &emission->emitter;
    bool relative = (decoded->attributes & ZYDIS_ATTRIB_IS_RELATIVE) != 0;
    if (!relative) {
        ft_emit_bytes(emitter, code, instruction->length);
        return FT_OK;
    }
    uint64_t operand = instruction->pc + instruction->length + (uint64_t)decoded->raw.disp.value;
    if (!ft_reaches(emitter->address + instruction->length, operand))
        return copy_far_operand(emission, index, code, diag);
    uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
    memcpy(bytes, code, instruction->length);
    uint32_t displacement = (uint32_t)(operand - (emitter->address + instruction->length));
    memcpy(bytes + decoded->raw.disp.offset, &displacement, sizeof displacement);
    ft_emit_bytes(emitter, bytes, instruction->length);
    return FT_OK;
}

static bool is_logged(const struct ft_emission *emission)
{
    return emission->translation->mode == FT_MODE_LOGGED;
}

static bool counts(const struct ft_emission *emission)
{
    return emission->translator->counts[emission->translation->mode];
}

/* Counts the unit, or the iteration, that begins here. */
static void emit_count(struct ft_emission *emission, unsigned scratch)
{
    struct ft_translation *translation = emission->translation;
    translation->count_register = (uint8_t)scratch;
    translation->count_at =
        ft_emit_count(&emission->emitter, scratch, translation->unit.instruction_count);
}

/* Copies an instruction that is no branch. */
static int copy_instruction(struct ft_emission *emission, unsigned index, struct ft_diag *diag)
{
    const struct ft_unit *unit = &emission->translation->unit;
    bool uses_r11 = unit->kind == FT_UNIT_PATH && ft_emission_uses_r11(unit, index);
    if (uses_r11)
        ft_emission_show_r11(emission);
    int status = copy_unmoved(emission, index, diag);
    if (uses_r11)
        ft_emission_hide_r11(emission);
    return status;
}

/* P from r11 to the unit's own pointer register, and the program's r11 in place. */
static void enter_pointer(struct ft_emission *emission)
{
    unsigned pointer = emission->translation->pointer;
    if (pointer == FT_R11 || pointer == FT_NO_REGISTER)
        return;
    ft_emit_store_gs(&emission->emitter, FT_CONTEXT(spill_pointer), pointer);
    ft_emit_mov(&emission->emitter, pointer, FT_R11);
    ft_emit_load_gs(&emission->emitter, FT_R11, FT_CONTEXT(program_r11));
}

/* The same back, moving P by `bytes`. */
static void leave_pointer(struct ft_emission *emission, int32_t bytes)
{
    struct ft_emitter *emitter = &emission->emitter;
    unsigned pointer = emission->translation->pointer;
    if (pointer == FT_NO_REGISTER)
        return;
    if (pointer != FT_R11)
        ft_emit_store_gs(emitter, FT_CONTEXT(program_r11), FT_R11);
    if (bytes || pointer != FT_R11)
        ft_emit_lea(emitter, FT_R11, pointer, bytes);
    if (pointer != FT_R11)
        ft_emit_load_gs(emitter, pointer, FT_CONTEXT(spill_pointer));
}

struct ft_link *ft_emission_link(struct ft_emission *emission, uint64_t target_pc, uint64_t field)
{
    struct ft_translation *translation = emission->translation;
    struct ft_link *link = &translation->links[translation->link_count++];
    *link = (struct ft_link){.target_pc = target_pc, .field = field};
    return link;
}

static void exit_to_next(struct ft_emission *emission, uint64_t next_pc)
{
    if (ft_code_cache_find(emission->translator->cache, emission->translation->mode, next_pc)) {
        ft_emission_link(emission, next_pc,
                         ft_emit_jump(&emission->emitter, emission->emitter.address));
        return;
    }
    emission->fall_through = next_pc;
}

static void spill_dispatch_registers(struct ft_emission *emission)
{
    emission->translation->dispatch = emission->emitter.address;
    ft_emit_store_gs(&emission->emitter, FT_CONTEXT(spill_rcx), FT_RCX);
    ft_emit_store_gs(&emission->emitter, FT_CONTEXT(spill_rax), FT_RAX);
}

/* Goes to the program counter in rcx through the landing table. */
static void dispatch(struct ft_emission *emission)
{
    static const uint8_t index[] = {0x0f, 0xb7, 0xc1};      /* movzx eax, cx */
    static const uint8_t jump[] = {0x65, 0xff, 0x24, 0xc5}; /* jmp gs:[rax*8+...] */
    ft_emit_bytes(&emission->emitter, index, sizeof index);
    ft_emit_bytes(&emission->emitter, jump, sizeof jump);
    ft_emit_u32(&emission->emitter,
                FT_LANDING_TABLE + emission->translation->mode * FT_LANDING_BYTES);
}

/* jmp or call r/m64 (FF /4, /2) as mov rcx, r/m64 (8B /1), the operand kept. */
static void load_target(struct ft_emission *emission, unsigned index)
{
    const struct ft_unit *unit = &emission->translation->unit;
    const struct ft_instruction *instruction = &unit->instructions[index];
    const ZydisDecodedInstruction *decoded = &emission->decoded[index];
    const uint8_t *code = ft_unit_code(unit, instruction);
    struct ft_emitter *emitter = &emission->emitter;
    bool relative = (decoded->attributes & ZYDIS_ATTRIB_IS_RELATIVE) != 0;
    uint8_t modrm = code[decoded->raw.modrm.offset];
    unsigned rest = instruction->length - decoded->raw.modrm.offset - 1U;
    uint64_t operand = instruction->pc + instruction->length + (uint64_t)decoded->raw.disp.value;
    bool is_far = relative && !(ft_reaches(emitter->address, operand) &&
                                ft_reaches(emitter->address + MOV_BYTES_MAX, operand));
    if (is_far) {
        ft_emit_mov_imm64(emitter, FT_RCX, operand);
        modrm = FT_RCX;
    }
    for (unsigned i = 0; i < decoded->raw.prefix_count; i++) /* only FS changes the address */
        if (decoded->raw.prefixes[i].value == 0x64 || decoded->raw.prefixes[i].value == 0x67)
            ft_emit_u8(emitter, decoded->raw.prefixes[i].value);
    ft_emit_u8(emitter,
               (uint8_t)(0x48 | (is_far ? 0 : decoded->raw.rex.X << 1 | decoded->raw.rex.B)));
    ft_emit_u8(emitter, 0x8b);
    ft_emit_u8(emitter, (uint8_t)((modrm & 0xc7) | FT_RCX << 3));
    if (!relative)
        ft_emit_bytes(emitter, code + decoded->raw.modrm.offset + 1, rest);
    else if (!is_far)
        ft_emit_u32(emitter, (uint32_t)(operand - (emitter->address + 4)));
}

void ft_emission_load_target(struct ft_emission *emission, unsigned index)
{
    const struct ft_unit *unit = &emission->translation->unit;
    bool uses_r11 = unit->kind == FT_UNIT_PATH && ft_emission_uses_r11(unit, index);
    if (uses_r11)
        ft_emission_show_r11(emission);
    load_target(emission, index);
    if (uses_r11)
        ft_emission_hide_r11(emission);
}

void ft_emission_push_return(struct ft_emission *emission, uint64_t address)
{
    uint64_t constant = ft_zone_constant(emission->translation->zone, address);
    if (!constant) {
        emission->out_of_reach = true;
        return;
    }
    ft_emit_push_from(&emission->emitter, constant);
}

static void emit_syscall(struct ft_emission *emission, uint64_t next_pc)
{
    static const uint8_t number[] = {0x0f, 0xb7, 0xc8};      /* movzx ecx, ax */
    static const uint8_t class[] = {0x65, 0x0f, 0xb6, 0x89}; /* movzx ecx, gs:[rcx+] */
    static const uint8_t if_native[] = {0xe3, 0};            /* jrcxz */
    static const uint8_t route[] = {0x65, 0xff, 0x24, 0xcd}; /* jmp gs:[rcx*8+...] */
    static const uint8_t syscall_code[] = {0x0f, 0x05};
    struct ft_emitter *emitter = &emission->emitter;
    if (is_logged(emission))
        ft_emit_store_gs(emitter, FT_CONTEXT(log_pointer), FT_R11);
    ft_emit_bytes(emitter, number, sizeof number);
    ft_emit_bytes(emitter, class, sizeof class);
    ft_emit_u32(emitter, FT_SYSCALL_CLASSES);
    ft_emit_bytes(emitter, if_native, sizeof if_native);
    uint8_t *skip = emitter->at - 1;
    /* lea r11, [rip + after]: 7 + 9 + 8 bytes to the native call */
    uint64_t native = emitter->address + 7 + 9 + 8;
    ft_emit_lea_address(emitter, FT_R11, native + 2);
    ft_emit_store_gs(emitter, FT_CONTEXT(syscall_return), FT_R11);
    ft_emit_bytes(emitter, route, sizeof route);
    ft_emit_u32(emitter, FT_SYSCALL_ROUTES);
    if (!emitter->overflow)
        *skip = (uint8_t)(emitter->at - (skip + 1));
    emission->translation->syscall_at = emitter->address;
    ft_emit_bytes(emitter, syscall_code, sizeof syscall_code);
    if (is_logged(emission)) {
        ft_emit_store_gs(emitter, FT_CONTEXT(program_r11), FT_R11);
        ft_emit_load_gs(emitter, FT_R11, FT_CONTEXT(log_pointer));
    }
    ft_emit_mov_imm64(emitter, FT_RCX, next_pc);
    exit_to_next(emission, next_pc);
}

/* loop, loope, loopne, jrcxz, jecxz have short displacements only: over a jump to a jump. */
static void emit_short_branch(struct ft_emission *emission,
                              const struct ft_instruction *instruction, const uint8_t *code)
{
    struct ft_emitter *emitter = &emission->emitter;
    ft_emit_bytes(emitter, code, instruction->length - 1U);
    ft_emit_u8(emitter, 2);
    ft_emit_u8(emitter, 0xeb);
    ft_emit_u8(emitter, 5);
    ft_emission_link(emission, instruction->target, ft_emit_jump(emitter, emitter->address));
    exit_to_next(emission, instruction->pc + instruction->length);
}

static unsigned branch_condition(const uint8_t *code, const ZydisDecodedInstruction *decoded,
                                 bool *ret_is_short_only)
{
    (void)code;
    *ret_is_short_only = decoded->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
                         decoded->opcode >= 0xe0 && decoded->opcode <= 0xe3;
    return decoded->opcode & 0xf;
}

/* Behind a return of a watched function: RAX is its result still. */
static void emit_return_log(struct ft_emission *emission)
{
    struct ft_translation *translation = emission->translation;
    if (!is_logged(emission) || !ft_watched_returns(emission->translator->watched,
                                                    translation->unit.pc, translation->unit.module))
        return;
    translation->return_log = emission->emitter.address;
    ft_watched_emit_return(&emission->emitter);
    translation->return_log_end = emission->emitter.address;
}

uint16_t ft_emission_popped(const struct ft_emission *emission, unsigned index)
{
    const struct ZydisDecodedInstructionRaw_ *raw = &emission->decoded[index].raw;
    return raw->imm[0].size ? (uint16_t)raw->imm[0].value.u : 0;
}

/* The final instruction of a unit that is no loop, after its slots; `bytes` is the record's length.
 */
static void emit_exit(struct ft_emission *emission, int32_t bytes)
{
    struct ft_translation *translation = emission->translation;
    struct ft_emitter *emitter = &emission->emitter;
    const struct ft_unit *unit = &translation->unit;
    unsigned last = unit->instruction_count - 1U;
    const struct ft_instruction *instruction = &unit->instructions[last];
    const uint8_t *code = ft_unit_code(unit, instruction);
    uint64_t next_pc = instruction->pc + instruction->length;
    switch (instruction->flow) {
    case FT_FLOW_BRANCH: {
        bool is_short_only;
        unsigned condition = branch_condition(code, &emission->decoded[last], &is_short_only);
        leave_pointer(emission, bytes);
        if (is_short_only) {
            emit_short_branch(emission, instruction, code);
            break;
        }
        ft_emission_link(emission, instruction->target,
                         ft_emit_branch(emitter, condition, emitter->address));
        exit_to_next(emission, next_pc);
        break;
    }
    case FT_FLOW_JUMP:
        leave_pointer(emission, bytes);
        exit_to_next(emission, instruction->target);
        break;
    case FT_FLOW_CALL:
        ft_emission_push_return(emission, next_pc);
        leave_pointer(emission, bytes);
        exit_to_next(emission, instruction->target);
        break;
    case FT_FLOW_JUMP_INDIRECT:
    case FT_FLOW_CALL_INDIRECT:
        spill_dispatch_registers(emission);
        ft_emission_load_target(emission, last);
        if (instruction->flow == FT_FLOW_CALL_INDIRECT)
            ft_emission_push_return(emission, next_pc);
        leave_pointer(emission, bytes);
        dispatch(emission);
        break;
    case FT_FLOW_RETURN:
        spill_dispatch_registers(emission);
        ft_emit_load(emitter, FT_RCX, FT_RSP, 0);
        ft_emit_lea(emitter, FT_RSP, FT_RSP, 8 + ft_emission_popped(emission, last));
        leave_pointer(emission, bytes);
        emit_return_log(emission);
        dispatch(emission);
        break;
    case FT_FLOW_SYSCALL:
        leave_pointer(emission, bytes);
        emit_syscall(emission, next_pc);
        break;
    default:
        leave_pointer(emission, bytes);
        exit_to_next(emission, next_pc);
        break;
    }
}

/* A branch inside the unit; `bytes` is the length of the record up to here. */
static void emit_side_exit(struct ft_emission *emission, unsigned index, int32_t bytes)
{
    const struct ft_instruction *branch = &emission->translation->unit.instructions[index];
    struct ft_emitter *emitter = &emission->emitter;
    struct ft_link *link = ft_emission_link(
        emission, branch->target,
        ft_emit_branch(emitter, emission->decoded[index].opcode & 0xf, emitter->address));
    if (counts(emission))
        link->uncounted = (uint8_t)(emission->translation->unit.instruction_count - (index + 1));
    if (is_logged(emission) || counts(emission))
        link->instructions = (uint8_t)(index + 1);
    link->slots = (uint16_t)ft_unit_slots_before(&emission->translation->unit, index + 1);
    link->record_bytes = (uint16_t)bytes;
}

/* The instructions of a body with their slots, from `slot` on at `offset` in the record; that of
 * the last branch is left to the exit. Gives the offset behind the last slot. */
static int emit_body(struct ft_emission *emission, unsigned slot, int32_t *offset,
                     struct ft_diag *diag)
{
    struct ft_translation *translation = emission->translation;
    const struct ft_unit *unit = &translation->unit;
    for (unsigned i = 0; i <= unit->instruction_count; i++) {
        translation->offsets[i] = (uint16_t)(emission->emitter.address - translation->entry);
        for (; is_logged(emission) && slot < unit->slot_count && unit->slots[slot].instruction == i;
             slot++) {
            emit_slot(emission, &unit->slots[slot], *offset);
            *offset += unit->slots[slot].size_bytes;
        }
        if (i == unit->instruction_count)
            break;
        bool is_last = i + 1U == unit->instruction_count;
        int status = FT_OK;
        if (unit->instructions[i].flow == FT_FLOW_NEXT)
            status = copy_instruction(emission, i, diag);
        else if (!is_last && unit->kind == FT_UNIT_PATH)
            status = ft_emission_joint(emission, i, *offset, diag);
        else if (!is_last)
            emit_side_exit(emission, i, *offset);
        if (status < 0)
            return status;
    }
    return FT_OK;
}

/* Where a watched function begins, its call is logged before anything else. */
static void emit_call_log(struct ft_emission *emission)
{
    struct ft_translation *translation = emission->translation;
    const struct ft_watched_function *function = ft_watched_find(
        emission->translator->watched, translation->unit.pc, translation->unit.module);
    if (!function || !is_logged(emission))
        return;
    translation->call_log = emission->emitter.address;
    ft_watched_emit_call(&emission->emitter, function);
    translation->call_log_end = emission->emitter.address;
}

static int emit_plain(struct ft_emission *emission, struct ft_diag *diag)
{
    struct ft_translation *translation = emission->translation;
    int32_t bytes = 4;
    if (counts(emission))
        emit_count(emission, FT_RAX);
    emit_call_log(emission);
    enter_pointer(emission);
    if (is_logged(emission)) {
        int32_t record_bytes = bytes;
        for (unsigned i = 0; i < translation->unit.slot_count; i++)
            record_bytes += translation->unit.slots[i].size_bytes;
        ft_emit_store_imm32(&emission->emitter, translation->pointer, 0, translation->unit.id);
        for (int32_t ahead = 0; ahead < record_bytes; ahead += CACHE_LINE)
            ft_emit_prefetch_write(&emission->emitter, translation->pointer,
                                   PREFETCH_AHEAD + ahead);
    }
    int status = emit_body(emission, 0, &bytes, diag);
    if (status == FT_OK)
        emit_exit(emission, bytes);
    return status;
}

/* Closes a loop's record at its exit: the end word, and P behind the record. */
static void emit_loop_end(struct ft_emission *emission, int32_t entry_bytes)
{
    const struct ft_unit *unit = &emission->translation->unit;
    struct ft_emitter *emitter = &emission->emitter;
    unsigned pointer = emission->translation->pointer;
    unsigned scratch = pointer == FT_RAX ? FT_RCX : FT_RAX;
    switch (unit->count_source) {
    case FT_COUNT_INDUCTION:
        ft_emit_store(emitter, pointer, LOOP_END_WORD, unit->induction_register, 8);
        leave_pointer(emission, entry_bytes);
        break;
    case FT_COUNT_COUNTER: /* r11 has the count; P comes from the context */
        ft_emit_store_gs(emitter, FT_CONTEXT(spill_scratch), FT_RAX);
        ft_emit_load_gs(emitter, FT_RAX, FT_CONTEXT(loop_record));
        ft_emit_store(emitter, FT_RAX, LOOP_END_WORD, FT_R11, 8);
        ft_emit_lea(emitter, FT_R11, FT_RAX, entry_bytes);
        ft_emit_load_gs(emitter, FT_RAX, FT_CONTEXT(spill_scratch));
        break;
    default:
        ft_emit_store_gs(emitter, FT_CONTEXT(spill_scratch), scratch);
        ft_emit_load_gs(emitter, scratch, FT_CONTEXT(loop_record));
        ft_emit_store(emitter, scratch, LOOP_END_WORD, pointer, 8);
        ft_emit_load_gs(emitter, scratch, FT_CONTEXT(spill_scratch));
        leave_pointer(emission, 0);
        break;
    }
}

static int emit_loop(struct ft_emission *emission, struct ft_diag *diag)
{
    struct ft_translation *translation = emission->translation;
    struct ft_emitter *emitter = &emission->emitter;
    const struct ft_unit *unit = &translation->unit;
    const struct ft_instruction *branch = &unit->instructions[unit->instruction_count - 1U];
    int32_t entry_bytes = LOOP_ENTRY;

    emit_call_log(emission);
    enter_pointer(emission);
    ft_emit_store_imm32(emitter, translation->pointer, 0, unit->id);
    for (unsigned i = 0; i < unit->entry_slot_count; i++) {
        emit_slot(emission, &unit->slots[i], entry_bytes);
        entry_bytes += unit->slots[i].size_bytes;
    }
    /* the last byte of the fixed part: whoever faults here faults before the loop has begun */
    if (unit->entry_slot_count == 0)
        ft_emit_store(emitter, translation->pointer, LOOP_END_WORD, FT_RSP, 8);
    if (unit->count_source != FT_COUNT_INDUCTION)
        ft_emit_store_gs(emitter, FT_CONTEXT(loop_record), translation->pointer);
    if (unit->count_source == FT_COUNT_COUNTER)
        ft_emit_mov_imm32(emitter, FT_R11, 0);
    else if (unit->count_source == FT_COUNT_VALUES)
        ft_emit_lea(emitter, translation->pointer, translation->pointer, entry_bytes);
    ft_emit_align(emitter, 32);
    translation->head = emitter->address;
    if (counts(emission))
        emit_count(emission, translation->pointer == FT_RAX ? FT_RCX : FT_RAX);

    int32_t iteration_bytes = 0;
    for (unsigned i = unit->entry_slot_count; i < unit->slot_count; i++)
        iteration_bytes += unit->slots[i].size_bytes;
    const struct ft_slot *first = &unit->slots[unit->entry_slot_count];
    bool one_at_head = unit->slot_count == unit->entry_slot_count + 1U && first->instruction == 0;
    if (iteration_bytes && !one_at_head) /* a full buffer faults here, at the head, or not at all */
        ft_emit_store(emitter, translation->pointer, iteration_bytes - 1, FT_RSP, 1);
    int32_t offset = 0;
    int status = emit_body(emission, unit->entry_slot_count, &offset, diag);
    if (status < 0)
        return status;
    if (unit->count_source == FT_COUNT_COUNTER)
        ft_emit_lea(emitter, FT_R11, FT_R11, 1);
    else if (unit->count_source == FT_COUNT_VALUES)
        ft_emit_lea(emitter, translation->pointer, translation->pointer, iteration_bytes);
    bool is_short_only;
    unsigned condition = branch_condition(
        unit->code, &emission->decoded[unit->instruction_count - 1U], &is_short_only);
    ft_emit_branch(emitter, condition, translation->head);
    translation->loop_exit = emitter->address;
    emit_loop_end(emission, entry_bytes);
    translation->after_exit = emitter->address;
    exit_to_next(emission, branch->pc + branch->length);
    return FT_OK;
}

/* A loop that is not logged: the copy alone, or with the count in a register that it leaves alone.
 */
static int emit_unlogged_loop(struct ft_emission *emission, struct ft_diag *diag)
{
    struct ft_translation *translation = emission->translation;
    struct ft_emitter *emitter = &emission->emitter;
    const struct ft_unit *unit = &translation->unit;
    unsigned last = unit->instruction_count - 1U;
    const struct ft_instruction *branch = &unit->instructions[last];
    unsigned pointer = translation->pointer;
    int32_t bytes = 0;
    bool is_short_only;
    if (counts(emission)) {
        ft_emit_store_gs(emitter, FT_CONTEXT(spill_pointer), pointer);
        ft_emit_load_gs(emitter, pointer, FT_CONTEXT(count_pointer));
        translation->counts_in_pointer = true;
        translation->count_register = (uint8_t)pointer;
    }
    ft_emit_align(emitter, 32);
    translation->head = emitter->address;
    if (counts(emission)) {
        translation->count_at = emitter->address;
        ft_emit_store(emitter, pointer, 0, pointer, 1);
    }
    int status = emit_body(emission, 0, &bytes, diag);
    if (status < 0)
        return status;
    if (counts(emission))
        ft_emit_lea(emitter, pointer, pointer, (int32_t)unit->instruction_count);
    ft_emit_branch(emitter, branch_condition(unit->code, &emission->decoded[last], &is_short_only),
                   translation->head);
    translation->loop_exit = emitter->address;
    if (counts(emission)) {
        ft_emit_store_gs(emitter, FT_CONTEXT(count_pointer), pointer);
        ft_emit_load_gs(emitter, pointer, FT_CONTEXT(spill_pointer));
    }
    translation->after_exit = emitter->address;
    exit_to_next(emission, branch->pc + branch->length);
    return FT_OK;
}

unsigned ft_translation_instruction(const struct ft_translation *translation, uint64_t address)
{
    uint64_t offset = address - translation->entry;
    unsigned index = 0;
    while (index < translation->unit.instruction_count && translation->offsets[index + 1] <= offset)
        index++;
    return index;
}

uint64_t ft_translation_copy(const struct ft_translation *translation, unsigned index)
{
    const struct ft_unit *unit = &translation->unit;
    bool hides_r11 = unit->kind == FT_UNIT_PATH && ft_emission_uses_r11(unit, index);
    unsigned behind = translation->far_operands[index] ? FT_FAR_RESTORE_BYTES : 0;
    if (hides_r11)
        behind += FT_HIDE_R11_BYTES;
    return translation->entry + translation->offsets[index + 1] - unit->instructions[index].length -
           behind;
}

/* RSP before each instruction, relative to the start, where that does not depend on what it was
 * there (as it does behind `and $-16, %rsp`): two values that share no bit tell. Unknown too behind
 * std, cld and wrfsbase, where the direction flag or the FS base cannot be worked back. */
static int note_stack(struct ft_translation *translation, struct ft_diag *diag)
{
    static const uint64_t starts[2] = {0x5555555555555555, 0xaaaaaaaaaaaaaaaa};
    const struct ft_unit *unit = &translation->unit;
    struct ft_registers registers[2] = {0};
    const uint8_t *code = unit->code;
    bool same_state = true;
    for (unsigned k = 0; k < 2; k++)
        ft_registers_set(&registers[k], FT_RSP, starts[k]);
    for (unsigned i = 0; i <= unit->instruction_count; i++) {
        int64_t delta = (int64_t)(registers[0].value[FT_RSP] - starts[0]);
        int64_t other = (int64_t)(registers[1].value[FT_RSP] - starts[1]);
        bool known = same_state && (registers[0].known & 1U << FT_RSP) != 0 && delta == other &&
                     delta > INT32_MIN / 2 && delta < INT32_MAX / 2;
        translation->stack_delta[i] = known ? (int32_t)delta : FT_STACK_UNKNOWN;
        if (i == unit->instruction_count)
            break;
        struct ft_instruction instruction;
        struct ft_effect effect;
        const struct ft_instruction *next = &unit->instructions[i];
        int status = ft_effect_decode(code, next->length, next->pc, &instruction, &effect, diag);
        if (status < 0)
            return status;
        code += next->length;
        same_state &= effect.direction == FT_DIRECTION_KEPT &&
                      !(instruction.registers_written >> FT_FS_BASE & 1);
        for (unsigned k = 0; k < 2; k++)
            ft_registers_step(&registers[k], &effect, false);
    }
    return FT_OK;
}

/* The number of the first instruction from `from` on before which the program must stop, because a
 * window may open or close there; instruction_count where there is none. */
static unsigned first_window_stop(const struct ft_translator *translator, enum ft_mode mode,
                                  const struct ft_unit *unit, unsigned from)
{
    unsigned index = translator->is_window_stop ? from : unit->instruction_count;
    while (index < unit->instruction_count) {
        uint64_t pc = unit->instructions[index].pc;
        if (translator->is_window_stop(translator->window_context, mode, pc,
                                       unit->code + (pc - unit->pc),
                                       unit->code_bytes - (pc - unit->pc)))
            break;
        index++;
    }
    return index;
}

static int plan_unit(struct ft_translator *translator, enum ft_mode mode, uint64_t pc,
                     bool is_checked, struct ft_unit *ret_unit, bool *ret_is_checked,
                     struct ft_diag *diag)
{
    size_t available;
    bool may_change;
    const uint8_t *code =
        translator->read_code(translator->read_context, pc, &available, &may_change);
    if (!code)
        return ft_fail(diag, FT_ERROR_DATA, "the program has no code at 0x%" PRIx64, pc);
    is_checked |= may_change;
    *ret_is_checked = is_checked;
    struct ft_plan_limits limits = {.instructions_max = FT_UNIT_INSTRUCTIONS_MAX,
                                    .no_loops = is_checked};
    for (;;) {
        int status = ft_unit_plan(code, available, pc, &limits, ret_unit, diag);
        if (status < 0)
            return status;
        unsigned count = ret_unit->instruction_count;
        unsigned stop = first_window_stop(translator, mode, ret_unit, 1);
        bool stops_in_loop =
            ret_unit->kind == FT_UNIT_LOOP && first_window_stop(translator, mode, ret_unit, 0) == 0;
        if (stop < count || stops_in_loop) {
            ft_unit_fini(ret_unit);
            limits.instructions_max = stop;
            limits.no_loops = true;
            continue;
        }
        const struct ft_instruction *last = &ret_unit->instructions[count - 1];
        uint32_t used = 0;
        for (unsigned i = 0; i < count; i++)
            used |= ret_unit->instructions[i].registers_read |
                    ret_unit->instructions[i].registers_written;
        unsigned pointer = first_free_register(used);
        bool is_indirect = last->flow == FT_FLOW_JUMP_INDIRECT ||
                           last->flow == FT_FLOW_CALL_INDIRECT || last->flow == FT_FLOW_RETURN;
        bool pointer_in_the_way = is_indirect && (pointer == FT_RAX || pointer == FT_RCX);
        unsigned checked = is_checked ? ft_checked_instructions(ret_unit) : count;
        bool last_apart = count > 1 && (last->flow == FT_FLOW_TRAP || pointer_in_the_way);
        if (checked == count && !last_apart)
            return FT_OK;
        ft_unit_fini(ret_unit); /* what follows becomes a unit of its own */
        limits.instructions_max = checked < count ? checked : count - 1;
        limits.no_loops = true;
    }
}

static int decode_unit(struct ft_emission *emission, struct ft_diag *diag)
{
    const struct ft_unit *unit = &emission->translation->unit;
    const uint8_t *code = unit->code;
    for (unsigned i = 0; i < unit->instruction_count; i++) {
        struct ft_instruction instruction;
        ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
        const struct ft_instruction *next = &unit->instructions[i];
        int status = ft_instruction_decode_full(code, next->length, next->pc, &instruction,
                                                &emission->decoded[i], operands, diag);
        if (status < 0)
            return status;
        code += next->length;
    }
    return FT_OK;
}

int ft_translate_prefix(struct ft_translator *translator, const struct ft_translation *translation,
                        struct ft_link *link, struct ft_diag *diag)
{
    struct ft_unit prefix;
    if (link->prefix || translation->mode != FT_MODE_LOGGED)
        return FT_OK;
    int status = ft_unit_prefix(&translation->unit, link->instructions, link->slots, &prefix, diag);
    if (status < 0)
        return status;
    status = translator->unit_added(translator->unit_context, translation->mode, &prefix, diag);
    if (status < 0) {
        ft_unit_fini(&prefix);
        return status;
    }
    link->prefix = prefix.id;
    return FT_OK;
}

/* Stubs for the exits that lead nowhere yet; exits whose destination exists are linked. */
static int finish_links(struct ft_emission *emission, struct ft_diag *diag)
{
    struct ft_code_cache *cache = emission->translator->cache;
    struct ft_translation *translation = emission->translation;
    struct ft_emitter emitter = ft_zone_emitter(translation->zone);
    for (unsigned i = 0; i < translation->link_count; i++) {
        struct ft_link *link = &translation->links[i];
        static const uint8_t stub[FT_STUB_BYTES] = {0xcc};
        link->stub = emitter.address;
        ft_emit_bytes(&emitter, stub, sizeof stub);
        uint32_t displacement = (uint32_t)(link->stub - (link->field + 4));
        memcpy(ft_code_cache_host(cache, link->field), &displacement, sizeof displacement);
        int status = ft_code_cache_add_stop(
            cache,
            &(struct ft_stop){
                .address = link->stub, .kind = FT_STOP_LINK, .translation = translation, .link = i},
            diag);
        if (status < 0)
            return status;
        struct ft_translation *to = ft_code_cache_find(cache, translation->mode, link->target_pc);
        if (to && link->instructions)
            status = ft_translate_prefix(emission->translator, translation, link, diag);
        if (status < 0)
            return status;
        if (to)
            ft_code_cache_link(cache, link, to);
    }
    ft_zone_commit(translation->zone, &emitter);
    return FT_OK;
}

static int emit_trap(struct ft_emission *emission, struct ft_diag *diag)
{
    struct ft_translation *translation = emission->translation;
    struct ft_stop stop = {
        .address = emission->emitter.address, .kind = FT_STOP_TRAP, .translation = translation};
    ft_emit_u8(&emission->emitter, 0xcc);
    ft_emit_u8(&emission->emitter, 0xcc); /* behind a stop's int3 nothing else starts */
    return ft_code_cache_add_stop(emission->translator->cache, &stop, diag);
}

/* The code of a decoded unit. */
static int emit_unit(struct ft_emission *emission, bool is_checked, struct ft_diag *diag)
{
    static const uint8_t stop[] = {0xcc, 0xcc}; /* behind a stop's int3 nothing else starts */
    struct ft_translation *translation = emission->translation;
    const struct ft_unit *unit = &translation->unit;
    if (first_window_stop(emission->translator, translation->mode, unit, 0) == 0)
        ft_emit_bytes(&emission->emitter, stop, sizeof stop);
    translation->start = translation->body = emission->emitter.address;
    if (unit->instructions[0].flow == FT_FLOW_TRAP)
        return emit_trap(emission, diag);
    if (is_checked)
        emission->out_of_reach = !ft_checked_emit(&emission->emitter, translation);
    if (unit->kind != FT_UNIT_LOOP)
        return emit_plain(emission, diag);
    return is_logged(emission) ? emit_loop(emission, diag) : emit_unlogged_loop(emission, diag);
}

/* Those that the translation has by itself; those of its exits come with them. */
static int add_own_stops(struct ft_code_cache *cache, struct ft_translation *translation,
                         struct ft_diag *diag)
{
    struct ft_stop window = {
        .address = translation->entry, .kind = FT_STOP_WINDOW, .translation = translation};
    struct ft_stop changed = {
        .address = translation->changed, .kind = FT_STOP_CHANGED, .translation = translation};
    int status = FT_OK;
    if (translation->start != translation->entry)
        status = ft_code_cache_add_stop(cache, &window, diag);
    if (status == FT_OK && translation->changed)
        status = ft_code_cache_add_stop(cache, &changed, diag);
    return status;
}

/* What the translation knows of each of its instructions, in one piece of memory. */
static bool make_tables(struct ft_translation *translation)
{
    size_t count = translation->unit.instruction_count + 1U, links = 2;
    for (size_t i = 0; i + 1 < count; i++)
        links += translation->unit.instructions[i].flow != FT_FLOW_NEXT;
    translation->links =
        calloc(1, links * sizeof *translation->links + count * sizeof *translation->stack_delta +
                      count * (sizeof *translation->offsets + sizeof *translation->far_operands));
    translation->stack_delta = (int32_t *)(void *)(translation->links + links);
    translation->offsets = (uint16_t *)(void *)(translation->stack_delta + count);
    translation->far_operands = (bool *)(translation->offsets + count);
    return translation->links != NULL;
}

static int emit(struct ft_emission *emission, bool is_checked, struct ft_diag *diag)
{
    struct ft_translation *translation = emission->translation;
    const struct ft_unit *unit = &translation->unit;
    bool counts_loop = counts(emission) && unit->kind == FT_UNIT_LOOP;
    uint32_t used = 0;
    for (unsigned i = 0; i < unit->instruction_count; i++)
        used |= unit->instructions[i].registers_read | unit->instructions[i].registers_written;
    translation->pointer = unit->kind == FT_UNIT_PATH           ? FT_R11
                           : is_logged(emission) || counts_loop ? (uint8_t)first_free_register(used)
                                                                : FT_NO_REGISTER;
    translation->entry = emission->emitter.address;
    if (!make_tables(translation))
        return ft_fail_memory(diag, "a translation");
    int status = is_logged(emission) ? note_stack(translation, diag) : FT_OK;
    if (status == FT_OK)
        status = decode_unit(emission, diag);
    if (status == FT_OK)
        status = emit_unit(emission, is_checked, diag);
    if (status == FT_OK && (emission->emitter.overflow || emission->out_of_reach))
        status = ft_fail(diag, FT_ERROR_FAILURE, "the code cache is full");
    return status;
}

/* Translates a unit, which it takes over, at the end of the zone; *ret_fall_through is the pc whose
 * unit must follow right behind, or 0. */
static int translate_unit(struct ft_translator *translator, struct ft_zone *zone, enum ft_mode mode,
                          struct ft_unit *unit, bool is_checked,
                          struct ft_translation *first_version,
                          struct ft_translation **ret_translation, uint64_t *ret_fall_through,
                          struct ft_diag *diag)
{
    ZydisDecodedInstruction decoded[FT_PATH_INSTRUCTIONS_MAX];
    struct ft_translation *translation = calloc(1, sizeof *translation);
    if (!translation) {
        ft_unit_fini(unit);
        return ft_fail_memory(diag, "a translation");
    }
    struct ft_emission emission = {.translator = translator,
                                   .translation = translation,
                                   .emitter = ft_zone_emitter(zone),
                                   .decoded = decoded};
    translation->zone = zone;
    translation->mode = mode;
    translation->unit = *unit;
    int status = FT_OK;
    if (unit->instructions[0].flow != FT_FLOW_TRAP)
        status = translator->unit_added(translator->unit_context, mode, &translation->unit, diag);
    if (status == FT_OK)
        status = emit(&emission, is_checked, diag);
    if (status == FT_OK) {
        ft_zone_commit(zone, &emission.emitter);
        translation->end = emission.emitter.address;
    }
    if (status == FT_OK)
        status = add_own_stops(translator->cache, translation, diag);
    if (status == FT_OK)
        status = ft_code_cache_add(translator->cache, translation, first_version, diag);
    if (status < 0) {
        ft_translation_destroy(translation);
        return status;
    }
    *ret_translation = translation;
    *ret_fall_through = emission.fall_through;
    return FT_OK;
}

struct queue {
    struct ft_translation *chain[AHEAD_MAX + 2]; /* in order of translation; links not finished */
    size_t count;
    size_t budget;
    uint64_t way_in; /* address of the code in front of the first, 0: none */
};

/* A path that goes on in code that is elsewhere, or not there yet, ends with a jump. */
static void end_path(struct ft_zone *zone, struct ft_translation *last, uint64_t next_pc)
{
    struct ft_emitter emitter = ft_zone_emitter(zone);
    uint64_t field = ft_emit_jump(&emitter, emitter.address);
    last->links[last->link_count++] = (struct ft_link){.target_pc = next_pc, .field = field};
    ft_zone_commit(zone, &emitter);
    last->end = emitter.address;
}

/* Gives the address of what was put in front, 0 where that is nothing. */
static uint64_t emit_way_in(struct ft_code_cache *cache, struct ft_zone *zone, enum ft_mode mode,
                            uint64_t pc, const struct ft_way_in *way_in)
{
    struct ft_emitter emitter = ft_zone_emitter(zone);
    uint64_t start = emitter.address;
    if (way_in && way_in->is_indirect)
        ft_emit_landing(cache, &emitter, mode, pc);
    else if (way_in && way_in->side_exit &&
             ft_reaches(way_in->side_exit->field + 4, zone->address) &&
             ft_reaches(way_in->side_exit->field + 4, zone->address + zone->bytes))
        ft_emit_side_exit(&emitter, way_in->side_exit);
    ft_zone_commit(zone, &emitter);
    return emitter.address == start ? 0 : start;
}

/* Translates pc and what it runs into, until a path ends, meets code that is there, or the budget
 * is used up; then the last one gets a link to its successor. */
static int translate_path(struct ft_translator *translator, enum ft_mode mode, uint64_t pc,
                          const struct ft_way_in *way_in, struct queue *queue, struct ft_diag *diag)
{
    struct ft_zone *zone;
    size_t available;
    bool may_change;
    if (!translator->read_code(translator->read_context, pc, &available, &may_change))
        return ft_fail(diag, FT_ERROR_DATA, "the program has no code at 0x%" PRIx64, pc);
    int status = ft_code_cache_zone(translator->cache, pc, &zone, diag);
    if (status < 0)
        return status;
    struct ft_translation *last = NULL;
    uint64_t next = pc;
    queue->way_in = emit_way_in(translator->cache, zone, mode, pc, way_in);
    struct ft_diag ahead; /* what lies ahead may never run: its errors wait until it does */
    do {
        uint64_t fall_through = 0;
        struct ft_translation *existing = ft_code_cache_find(translator->cache, mode, next);
        bool more = !last || (!existing && queue->count < queue->budget &&
                              zone->code_bytes + zone->constant_bytes + (1U << 14) < zone->bytes);
        struct ft_translation *translation = NULL;
        if (more) {
            struct ft_unit unit;
            struct ft_translation *first_version = !last && way_in ? way_in->first_version : NULL;
            struct ft_diag *told = last ? &ahead : diag;
            bool is_checked = false;
            status =
                plan_unit(translator, mode, next, first_version != NULL, &unit, &is_checked, told);
            if (status == FT_OK)
                status = translate_unit(translator, zone, mode, &unit, is_checked, first_version,
                                        &translation, &fall_through, told);
            if (status < 0 && !last)
                return status;
        }
        if (!translation) {
            if (last)
                end_path(zone, last, next);
            break;
        }
        queue->chain[queue->count++] = translation;
        last = translation;
        next = fall_through;
    } while (next);
    return FT_OK;
}

int ft_translate(struct ft_translator *translator, enum ft_mode mode, uint64_t pc,
                 const struct ft_way_in *way_in, struct ft_translation **ret_first,
                 struct ft_diag *diag)
{
    struct queue queue = {.budget = 8};
    int status = translate_path(translator, mode, pc, way_in, &queue, diag);
    if (status < 0)
        return status;
    for (size_t i = 0; i < queue.count && status == FT_OK; i++)
        status = finish_links(
            &(struct ft_emission){.translator = translator, .translation = queue.chain[i]}, diag);
    for (size_t i = 0; i < queue.count && status < 0; i++) /* their exits lead nowhere */
        ft_code_cache_drop(translator->cache, queue.chain[i]);
    if (status == FT_OK && way_in && way_in->first_version)
        ft_code_cache_open_version(translator->cache, way_in->first_version);
    else if (status == FT_OK && queue.way_in && way_in->is_indirect)
        ft_code_cache_set_landing(translator->cache, queue.chain[0], queue.way_in);
    else if (status == FT_OK && queue.way_in)
        ft_code_cache_lead(translator->cache, way_in->side_exit, queue.way_in);
    *ret_first = queue.chain[0];
    return status;
}

int ft_translate_path(struct ft_translator *translator, struct ft_unit *path,
                      struct ft_translation **ret_translation, struct ft_diag *diag)
{
    struct ft_zone *zone;
    struct ft_translation *translation;
    uint64_t fall_through;
    int status = ft_code_cache_zone(translator->cache, path->pc, &zone, diag);
    if (status < 0) {
        ft_unit_fini(path);
        return status;
    }
    status = translate_unit(translator, zone, FT_MODE_LOGGED, path, false, NULL, &translation,
                            &fall_through, diag);
    if (status < 0)
        return status;
    if (fall_through)
        end_path(zone, translation, fall_through);
    status = finish_links(
        &(struct ft_emission){.translator = translator, .translation = translation}, diag);
    if (status < 0)
        ft_code_cache_drop(translator->cache, translation);
    else
        *ret_translation = translation;
    return status;
}
