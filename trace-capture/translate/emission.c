/*
 * The parts of all translated code: the stores of slots, the copied instructions, and the moves of
 * the log pointer between r11, where it is between units, and the register that holds it inside a
 * unit. None of them changes the program's flags, or any register that the program can see.
 */
#include "trace-capture/translate/emission.h"

#include <inttypes.h>
#include <string.h>

#include "trace-capture/target/context.h"
#include "trace-capture/translate/emit_x86_64.h"
#include "trace-capture/translate/instruction_count.h"
#include "trace-capture/translate/moved_operand.h"
#include "trace-capture/translate/translation.h"

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

/* Stores a slot of a register whose program value is in the context: r11 if it holds the log
 * pointer, or the GS base. */
static void emit_context_slot(struct ft_emission *emission, const struct ft_slot *slot,
                              uint32_t field, int32_t offset)
{
    struct ft_emitter *emitter = &emission->emitter;
    unsigned pointer = emission->translation->pointer;
    unsigned scratch = pointer == FT_RAX ? FT_RCX : FT_RAX;
    ft_emit_store_gs(emitter, FT_CONTEXT(spill_scratch), scratch);
    ft_emit_load_gs(emitter, scratch, field);
    ft_emit_store(emitter, pointer, offset, scratch, slot->size_bytes);
    ft_emit_load_gs(emitter, scratch, FT_CONTEXT(spill_scratch));
}

void ft_emission_slot(struct ft_emission *emission, const struct ft_slot *slot, int32_t offset)
{
    struct ft_emitter *emitter = &emission->emitter;
    unsigned pointer = emission->translation->pointer;
    switch (slot->kind) {
    case FT_SLOT_REGISTER:
        if (slot->source == FT_GS_BASE)
            emit_context_slot(emission, slot, FT_CONTEXT(program_gs), offset);
        else if (slot->source == pointer)
            emit_context_slot(emission, slot, FT_CONTEXT(program_r11), offset);
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

/* Copies an instruction whose operand the copy cannot address directly. */
static int copy_moved_operand(struct ft_emission *emission, unsigned index, const uint8_t *code,
                              struct ft_diag *diag)
{
    struct ft_translation *translation = emission->translation;
    const struct ft_instruction *instruction = &translation->unit.instructions[index];
    unsigned scratch = ft_moved_scratch(instruction, translation->pointer);
    if (scratch == FT_NO_REGISTER)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "the instruction at 0x%" PRIx64 " leaves no register for its address",
                       instruction->pc);
    translation->moved_bytes[index] = (uint8_t)ft_moved_emit(
        &emission->emitter, instruction, &emission->decoded[index], code, scratch);
    return FT_OK;
}

/* rdgsbase, wrgsbase: the program's GS base is in the context. False for other instructions. */
static bool copy_gs_base(struct ft_emission *emission, const ZydisDecodedInstruction *decoded)
{
    unsigned number = (unsigned)decoded->raw.modrm.rm | (unsigned)decoded->raw.rex.B << 3;
    bool is_wide = decoded->operand_width == 64;
    switch (decoded->mnemonic) {
    case ZYDIS_MNEMONIC_RDGSBASE:
        (is_wide ? ft_emit_load_gs : ft_emit_load_gs32)(&emission->emitter, number,
                                                        FT_CONTEXT(program_gs));
        return true;
    case ZYDIS_MNEMONIC_WRGSBASE:
        (is_wide ? ft_emit_store_gs : ft_emit_store_gs32)(&emission->emitter,
                                                          FT_CONTEXT(program_gs), number);
        return true;
    default:
        return false;
    }
}

static int copy_unmoved(struct ft_emission *emission, unsigned index, struct ft_diag *diag)
{
    const struct ft_unit *unit = &emission->translation->unit;
    const struct ft_instruction *instruction = &unit->instructions[index];
    const uint8_t *code = ft_unit_code(unit, instruction);
    const ZydisDecodedInstruction *decoded = &emission->decoded[index];
    struct ft_emitter *emitter = &emission->emitter;
    bool relative = (decoded->attributes & ZYDIS_ATTRIB_IS_RELATIVE) != 0;
    if (ft_moved_is_gs(instruction))
        return copy_moved_operand(emission, index, code, diag);
    if (copy_gs_base(emission, decoded))
        return FT_OK;
    if (!relative) {
        ft_emit_bytes(emitter, code, instruction->length);
        return FT_OK;
    }
    uint64_t operand = instruction->pc + instruction->length + (uint64_t)decoded->raw.disp.value;
    if (!ft_reaches(emitter->address + instruction->length, operand))
        return copy_moved_operand(emission, index, code, diag);
    uint8_t bytes[ZYDIS_MAX_INSTRUCTION_LENGTH];
    memcpy(bytes, code, instruction->length);
    uint32_t displacement = (uint32_t)(operand - (emitter->address + instruction->length));
    memcpy(bytes + decoded->raw.disp.offset, &displacement, sizeof displacement);
    ft_emit_bytes(emitter, bytes, instruction->length);
    return FT_OK;
}

void ft_emission_count(struct ft_emission *emission, unsigned scratch)
{
    struct ft_translation *translation = emission->translation;
    translation->count_register = (uint8_t)scratch;
    translation->count_at =
        ft_emit_count(&emission->emitter, scratch, translation->unit.instruction_count);
}

void ft_emission_count_in(struct ft_emission *emission, unsigned pointer)
{
    /* mov [r11+0], r11b, no shorter than a jump that may replace it (code_cache.c) */
    static const uint8_t at_entry[] = {0x45, 0x88, 0x9b, 0, 0, 0, 0};
    struct ft_translation *translation = emission->translation;
    translation->count_register = (uint8_t)pointer;
    translation->counts_in_pointer = true;
    translation->count_at = emission->emitter.address;
    if (translation->unit.kind == FT_UNIT_LOOP)
        ft_emit_store(&emission->emitter, pointer, 0, pointer, 1);
    else
        ft_emit_bytes(&emission->emitter, at_entry, sizeof at_entry);
}

int ft_emission_copy(struct ft_emission *emission, unsigned index, struct ft_diag *diag)
{
    const struct ft_unit *unit = &emission->translation->unit;
    bool uses_r11 = ft_unit_is_path(unit) && ft_translation_uses_r11(unit, index);
    if (uses_r11)
        ft_emission_show_r11(emission);
    int status = copy_unmoved(emission, index, diag);
    if (uses_r11)
        ft_emission_hide_r11(emission);
    return status;
}

void ft_emission_enter(struct ft_emission *emission)
{
    unsigned pointer = emission->translation->pointer;
    if (pointer == FT_R11 || pointer == FT_NO_REGISTER)
        return;
    ft_emit_store_gs(&emission->emitter, FT_CONTEXT(spill_pointer), pointer);
    ft_emit_mov(&emission->emitter, pointer, FT_R11);
    ft_emit_load_gs(&emission->emitter, FT_R11, FT_CONTEXT(program_r11));
}

void ft_emission_leave(struct ft_emission *emission, int32_t bytes)
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
