/*
 * How a translated unit is left, with the program's values in all registers but r11:
 *
 *     direct branches, jumps, calls    by links: to the translation that is there, into the one
 *                                      that follows right behind, or to a stub until there is one
 *     indirect ones, returns           through the table of indirect targets, by a hash of the pc
 *     system calls                     by the route of their number (syscall_routes.h)
 *     branches inside the unit         by side exits, whose stubs stay on the way: they make the
 *                                      record that of the unit's beginning
 *
 * The original return addresses are pushed, so that the program never sees an address of the code
 * cache.
 *
 * In order: links; indirect targets; system calls; branches; returns; the exit of a unit; side
 * exits and their units; stubs.
 */
#include "trace-capture/translate/unit_exits.h"

#include <string.h>

#include "trace-capture/counts/edge_counts.h"
#include "trace-capture/target/context.h"
#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/code_cache.h"
#include "trace-capture/translate/code_links.h"
#include "trace-capture/translate/code_zones.h"
#include "trace-capture/translate/emission.h"
#include "trace-capture/translate/emit_x86_64.h"
#include "trace-capture/translate/timestamps.h"
#include "trace-capture/translate/translation.h"
#include "trace-capture/translate/translator.h"
#include "trace-capture/translate/watched_functions.h"

#define MOV_BYTES_MAX 10 /* of mov rcx, r/m64 with prefixes */

struct ft_link *ft_emission_link(struct ft_emission *emission, uint64_t target_pc, uint64_t field)
{
    struct ft_translation *translation = emission->translation;
    struct ft_link *link = &translation->links[translation->link_count++];
    *link = (struct ft_link){.target_pc = target_pc, .field = field, .node = translation->node};
    return link;
}

void ft_emission_next(struct ft_emission *emission, uint64_t next_pc)
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

/* If edges are counted, rcx also says from which node an indirect jump comes. */
static void add_source(struct ft_emitter *emitter, uint32_t node)
{
    static const uint8_t store[] = {0x65, 0xc7, 0x04, 0x25}; /* mov dword gs:[...], node */
    ft_emit_bytes(emitter, store, sizeof store);
    ft_emit_u32(emitter, FT_CONTEXT(source));
    ft_emit_u32(emitter, node);
    ft_emit_mov_imm64(emitter, FT_RAX, ft_counts_key(node));
    ft_emit_lea_sum(emitter, FT_RCX, FT_RCX, FT_RAX, 1, 0);
}

/* Jumps to the program counter in rcx through the table of indirect targets. */
static void dispatch(struct ft_emission *emission)
{
    static const uint8_t index[] = {0x0f, 0xb7, 0xc1};      /* movzx eax, cx */
    static const uint8_t jump[] = {0x65, 0xff, 0x24, 0xc5}; /* jmp gs:[rax*8+...] */
    if (emission->translator->cache->counts)
        add_source(&emission->emitter, emission->translation->node);
    ft_emit_bytes(&emission->emitter, index, sizeof index);
    ft_emit_bytes(&emission->emitter, jump, sizeof jump);
    ft_emit_u32(&emission->emitter,
                FT_INDIRECT_TARGET_TABLE + emission->translation->mode * FT_INDIRECT_TARGET_BYTES);
}

/* jmp or call r/m64 (FF /4, /2) becomes mov rcx, r/m64 (8B /1), with the same operand. */
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
    bool uses_r11 = ft_unit_is_path(unit) && ft_translation_uses_r11(unit, index);
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
    uint32_t home =
        ft_emission_is_logged(emission) ? FT_CONTEXT(log_pointer) : FT_CONTEXT(count_pointer);
    if (ft_emission_has_pointer(emission))
        ft_emit_store_gs(emitter, home, FT_R11);
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
    if (ft_emission_has_pointer(emission)) {
        ft_emit_store_gs(emitter, FT_CONTEXT(program_r11), FT_R11);
        ft_emit_load_gs(emitter, FT_R11, home);
    }
    ft_emit_mov_imm64(emitter, FT_RCX, next_pc);
    ft_emission_next(emission, next_pc);
}

/* loop, loope, loopne, jrcxz, jecxz only have short displacements: they branch over a short jump to
 * a near jump. */
static void emit_short_branch(struct ft_emission *emission,
                              const struct ft_instruction *instruction, const uint8_t *code)
{
    struct ft_emitter *emitter = &emission->emitter;
    ft_emit_bytes(emitter, code, instruction->length - 1U);
    ft_emit_u8(emitter, 2);
    ft_emit_u8(emitter, 0xeb);
    ft_emit_u8(emitter, 5);
    ft_emission_link(emission, instruction->target, ft_emit_jump(emitter, emitter->address));
    ft_emission_next(emission, instruction->pc + instruction->length);
}

unsigned ft_emission_condition(const ZydisDecodedInstruction *decoded, bool *ret_is_short_only)
{
    *ret_is_short_only = decoded->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
                         decoded->opcode >= 0xe0 && decoded->opcode <= 0xe3;
    return decoded->opcode & 0xf;
}

/* After the return of a watched function: RAX still holds its result. */
static void emit_return_log(struct ft_emission *emission)
{
    struct ft_translation *translation = emission->translation;
    if (!ft_emission_is_logged(emission) ||
        !ft_watched_returns(emission->translator->watched, translation->unit.pc,
                            translation->unit.module))
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

void ft_emission_timestamp(struct ft_emission *emission)
{
    struct ft_translation *translation = emission->translation;
    translation->return_log = emission->emitter.address;
    ft_timestamps_emit(&emission->emitter);
    translation->return_log_end = emission->emitter.address;
}

void ft_emission_exit(struct ft_emission *emission, int32_t bytes)
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
        unsigned condition = ft_emission_condition(&emission->decoded[last], &is_short_only);
        ft_emission_leave(emission, bytes);
        if (is_short_only) {
            emit_short_branch(emission, instruction, code);
            break;
        }
        ft_emission_link(emission, instruction->target,
                         ft_emit_branch(emitter, condition, emitter->address));
        ft_emission_next(emission, next_pc);
        break;
    }
    case FT_FLOW_JUMP:
        ft_emission_leave(emission, bytes);
        ft_emission_next(emission, instruction->target);
        break;
    case FT_FLOW_CALL:
        ft_emission_push_return(emission, next_pc);
        ft_emission_leave(emission, bytes);
        ft_emission_next(emission, instruction->target);
        break;
    case FT_FLOW_JUMP_INDIRECT:
    case FT_FLOW_CALL_INDIRECT:
        spill_dispatch_registers(emission);
        ft_emission_load_target(emission, last);
        if (instruction->flow == FT_FLOW_CALL_INDIRECT)
            ft_emission_push_return(emission, next_pc);
        ft_emission_leave(emission, bytes);
        dispatch(emission);
        break;
    case FT_FLOW_RETURN:
        spill_dispatch_registers(emission);
        ft_emit_load(emitter, FT_RCX, FT_RSP, 0);
        ft_emit_lea(emitter, FT_RSP, FT_RSP, 8 + ft_emission_popped(emission, last));
        ft_emission_leave(emission, bytes);
        emit_return_log(emission);
        dispatch(emission);
        break;
    case FT_FLOW_SYSCALL:
        ft_emission_leave(emission, bytes);
        emit_syscall(emission, next_pc);
        break;
    default:
        ft_emission_leave(emission, bytes);
        if (ft_emission_is_logged(emission) && emission->translator->timestamps &&
            ft_timestamps_atomic(unit) == unit->instruction_count)
            ft_emission_timestamp(emission);
        ft_emission_next(emission, next_pc);
        break;
    }
}

void ft_emission_side_exit(struct ft_emission *emission, unsigned index, int32_t bytes)
{
    const struct ft_instruction *branch = &emission->translation->unit.instructions[index];
    struct ft_emitter *emitter = &emission->emitter;
    struct ft_link *link = ft_emission_link(
        emission, branch->target,
        ft_emit_branch(emitter, emission->decoded[index].opcode & 0xf, emitter->address));
    link->left = (uint8_t)(index + 1);
    if (!ft_emission_has_pointer(emission))
        return;
    link->instructions = (uint8_t)(index + 1);
    link->slots = (uint16_t)ft_unit_slots_before(&emission->translation->unit, index + 1);
    link->record_bytes =
        ft_emission_is_logged(emission) ? (uint16_t)bytes : (uint16_t)link->instructions;
    if (ft_emission_is_logged(emission) && ft_emission_counts(emission))
        link->uncounted = (uint8_t)(emission->translation->unit.instruction_count - (index + 1));
}

int ft_translate_prefix(struct ft_translator *translator, const struct ft_translation *translation,
                        struct ft_link *link, struct ft_diag *diag)
{
    if (link->prefix || translation->mode != FT_MODE_LOGGED)
        return FT_OK;
    struct ft_unit prefix = ft_unit_prefix(&translation->unit, link->instructions, link->slots);
    int status = translator->unit_added(translator->unit_context, translation->mode, &prefix, diag);
    if (status == FT_OK)
        link->prefix = prefix.id;
    return status;
}

int ft_emission_finish_links(struct ft_emission *emission, struct ft_diag *diag)
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
