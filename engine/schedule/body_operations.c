/*
 * The units that a form takes are told apart by those of a plain load and a plain store: what a
 * plain load takes goes to the load, other units that a plain store takes to the store, the rest to
 * what is computed.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/schedule/body_building.h"

/* ---- reading an instruction ---- */

static bool is_stack_operation(ZydisMnemonic mnemonic)
{
    return mnemonic == ZYDIS_MNEMONIC_PUSH || mnemonic == ZYDIS_MNEMONIC_POP ||
           mnemonic == ZYDIS_MNEMONIC_CALL || mnemonic == ZYDIS_MNEMONIC_RET;
}

static void find_reads(const ZydisDecodedInstruction *decoded, const ZydisDecodedOperand *operands,
                       struct ft_body_instruction *ret)
{
    uint32_t general = 0;
    for (unsigned i = 0; i < decoded->operand_count; i++) {
        if (operands[i].type != ZYDIS_OPERAND_TYPE_REGISTER)
            continue;
        const ZydisRegister wide =
            ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operands[i].reg.value);
        if (ZydisRegisterGetClass(wide) != ZYDIS_REGCLASS_GPR64)
            continue;
        /* A write of 8 or 16 bits keeps the rest of the register. */
        if ((operands[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ) || operands[i].size < 32 ||
            !(operands[i].actions & ZYDIS_OPERAND_ACTION_WRITE))
            general |= UINT32_C(1) << ZydisRegisterGetId(wide);
    }
    const uint64_t registers = (UINT64_C(1) << FT_REGISTER_COUNT) - 1;
    const uint64_t flags = UINT64_C(1) << FT_PLACE_FLAGS;
    ret->data_read = (ret->flow.read & ~registers) | (ret->flow.read & general);
    ret->data_read &= ~flags;
    if (decoded->cpu_flags && decoded->cpu_flags->tested)
        ret->data_read |= flags;
    ret->address_read = 0;
    for (unsigned a = 0; a < ret->instruction.access_count; a++) {
        const struct ft_access *access = &ret->instruction.accesses[a];
        if (access->base < FT_REGISTER_COUNT)
            ret->address_read |= UINT64_C(1) << access->base;
        if (access->index < FT_REGISTER_COUNT)
            ret->address_read |= UINT64_C(1) << access->index;
    }
    if (ret->instruction.access_count == 0) /* lea, nop: what it reads is data */
        ret->data_read |= ret->flow.read & registers;
    if (ret->flow.zeroes)
        ret->data_read = 0;
}

static void find_accesses(struct ft_body_instruction *ret)
{
    for (unsigned a = 0; a < ret->instruction.access_count; a++) {
        const uint8_t kind = ret->instruction.accesses[a].kind;
        ret->loads |= kind == FT_LOAD || kind == FT_PREFETCH;
        ret->stores |= kind == FT_STORE || kind == FT_STORE_NONTEMPORAL;
    }
}

int ft_body_instruction_read(const struct ft_core *core, const struct ft_body_code *code,
                             struct ft_body_instruction *ret_instruction, struct ft_diag *diag)
{
    struct ft_body_instruction ret = {0};
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    FT_TRY(ft_instruction_decode_full(code->code, code->length, code->pc, &ret.instruction,
                                      &decoded, operands, diag));
    FT_TRY(ft_value_flow_decode(code->code, code->length, code->pc, &ret.flow, diag));
    ft_instruction_form(&decoded, operands, ret.form);
    ret.mnemonic = ZydisMnemonicGetString(decoded.mnemonic);
    ret.fuses = ft_core_fuses(core, ret.mnemonic);
    for (unsigned i = 0; i < decoded.operand_count_visible; i++)
        ret.has_vectors |=
            operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER && operands[i].size >= 128;
    find_accesses(&ret);
    ret.is_atomic = (decoded.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 ||
                    (decoded.mnemonic == ZYDIS_MNEMONIC_XCHG && ret.stores);
    find_reads(&decoded, operands, &ret);
    ret.written = ret.flow.written;
    if (is_stack_operation(decoded.mnemonic))
        ret.written &= ~(UINT64_C(1) << FT_RSP);
    ret.load = ret.compute = ret.store = FT_NO_OPERATION;
    *ret_instruction = ret;
    return FT_OK;
}

/* ---- which units which part takes ---- */

static const struct ft_core_kind *plain_load(const struct ft_core *core, bool vectors)
{
    return core->form_count == 0
               ? core->of_class[FT_MIX_LOAD]
               : ft_core_find(core, vectors ? "movups xmm, m128" : "mov r64, m64");
}

static const struct ft_core_kind *plain_store(const struct ft_core *core, bool vectors)
{
    return core->form_count == 0
               ? core->of_class[FT_MIX_STORE]
               : ft_core_find(core, vectors ? "movups m128, xmm" : "mov m64, r64");
}

static double cycles_of(const struct ft_core_kind *kind, uint32_t group)
{
    for (uint32_t u = 0; kind && u < kind->use_count; u++)
        if (kind->uses[u].group == group)
            return kind->uses[u].cycles;
    return 0;
}

static void add_use(struct ft_operation *operation, uint32_t group, double cycles)
{
    if (cycles > 0 && operation->use_count < FT_OPERATION_USES_MAX)
        operation->uses[operation->use_count++] =
            (struct ft_core_use){.group = group, .cycles = cycles};
}

/* What a kind takes, in three parts. */
static void split_uses(const struct ft_core *core, const struct ft_body_instruction *instruction,
                       const struct ft_core_kind *kind, struct ft_operation parts[3])
{
    const struct ft_core_kind *load = plain_load(core, instruction->has_vectors);
    const struct ft_core_kind *store = plain_store(core, instruction->has_vectors);
    for (uint32_t u = 0; u < kind->use_count; u++) {
        const uint32_t group = kind->uses[u].group;
        double cycles = kind->uses[u].cycles;
        if (instruction->loads) {
            const double part = fmin(cycles, cycles_of(load, group));
            add_use(&parts[FT_PART_LOAD], group, part);
            cycles -= part;
        }
        const bool stores = instruction->stores && cycles_of(store, group) > 0;
        add_use(&parts[stores ? FT_PART_STORE : FT_PART_COMPUTE], group, cycles);
    }
}

/* Generic classes know nothing of forms: accesses beside the class of what is computed. */
static void uses_of_class(const struct ft_core *core, const struct ft_body_instruction *instruction,
                          struct ft_operation parts[3])
{
    const bool computes = instruction->instruction.mix_class != FT_MIX_MOVE ||
                          !(instruction->loads || instruction->stores);
    const int classes[3] = {FT_MIX_LOAD, instruction->instruction.mix_class, FT_MIX_STORE};
    const bool has[3] = {instruction->loads, computes, instruction->stores};
    for (int part = 0; part < 3; part++) {
        const struct ft_core_kind *kind = core->of_class[classes[part]];
        for (uint32_t u = 0; has[part] && kind && u < kind->use_count; u++)
            add_use(&parts[part], kind->uses[u].group, kind->uses[u].cycles);
    }
    if (computes && core->of_class[classes[1]])
        parts[FT_PART_COMPUTE].latency_cycles = core->of_class[classes[1]]->latency_cycles;
}

static bool has_complex_address(const struct ft_body_instruction *instruction)
{
    for (unsigned a = 0; a < instruction->instruction.access_count; a++) {
        const struct ft_access *access = &instruction->instruction.accesses[a];
        if (access->kind == FT_LOAD && access->index < FT_REGISTER_COUNT &&
            (access->scale > 1 || (access->base < FT_REGISTER_COUNT && access->displacement != 0)))
            return true;
    }
    return false;
}

static double load_cycles(const struct ft_core *core, const struct ft_body_instruction *instruction)
{
    return (instruction->has_vectors ? core->vector_load_cycles : core->load_cycles) +
           (has_complex_address(instruction) ? core->complex_load_cycles : 0);
}

/* The form with a register in the place of memory; false: it has none. */
static bool register_form(const char *form, char ret_form[FT_FORM_BYTES])
{
    const char *memory = strstr(form, " m");
    while (memory && !(memory[2] >= '0' && memory[2] <= '9'))
        memory = strstr(memory + 1, " m");
    if (!memory)
        return false;
    const size_t before = (size_t)(memory - form) + 1, digits = strspn(memory + 2, "0123456789");
    const char *kind = strstr(form, "zmm")   ? "zmm"
                       : strstr(form, "ymm") ? "ymm"
                       : strstr(form, "xmm") ? "xmm"
                                             : "r";
    snprintf(ret_form, FT_FORM_BYTES, "%.*s%s%.*s%s", (int)before, form, kind,
             kind[0] == 'r' ? (int)digits : 0, memory + 2, memory + 2 + digits);
    return true;
}

/* LLVM's latency of a form includes that of its load, and for stores is no latency of a result;
 * where there is a form with registers alone, that one's is what is computed. */
static void set_latencies(const struct ft_core *core, const struct ft_body_instruction *instruction,
                          const struct ft_core_kind *kind, struct ft_operation parts[3])
{
    char form[FT_FORM_BYTES];
    double compute = kind->latency_cycles;
    const bool computes = parts[FT_PART_COMPUTE].use_count > 0 || !instruction->loads;
    const bool accesses = instruction->loads || instruction->stores;
    const struct ft_core_kind *of_registers =
        accesses && computes && register_form(instruction->form, form) ? ft_core_find(core, form)
                                                                       : NULL;
    if (of_registers)
        compute = of_registers->latency_cycles;
    else if (instruction->stores)
        compute = 1;
    else if (instruction->loads)
        compute -= plain_load(core, instruction->has_vectors)->latency_cycles;
    compute = fmax(compute, 0);
    if (computes)
        parts[FT_PART_COMPUTE].chained_cycles =
            (of_registers ? of_registers : kind)->chained_cycles;
    parts[FT_PART_LOAD].latency_cycles += computes ? 0 : compute;
    parts[FT_PART_COMPUTE].latency_cycles = computes ? compute : 0;
}

/* ---- operations ---- */

static void note_unknown(struct ft_body *body, const struct ft_body_instruction *instruction)
{
    if (body->unknown_count++ == 0)
        memcpy(body->unknown_form, instruction->form, sizeof body->unknown_form);
}

static double slots_of(const struct ft_core *core, const struct ft_body_instruction *instruction,
                       const struct ft_core_kind *kind, bool computes)
{
    double slots = kind ? kind->operations : 1;
    if (core->fuses_accesses)
        slots -= (instruction->loads && computes) + (instruction->stores ? 1 : 0);
    return fmax(slots, 1);
}

static uint32_t append(struct ft_body *body, const struct ft_operation *operation)
{
    body->operations[body->operation_count] = *operation;
    return body->operation_count++;
}

static const struct ft_core_kind *find_parts(struct ft_body *body,
                                             const struct ft_body_instruction *instruction,
                                             struct ft_operation parts[3])
{
    const struct ft_core *core = body->core;
    const struct ft_core_kind *kind = ft_core_find(core, instruction->form);
    parts[FT_PART_LOAD].latency_cycles = load_cycles(core, instruction);
    if (core->form_count == 0) {
        uses_of_class(core, instruction, parts);
        return core->of_class[instruction->instruction.mix_class];
    }
    if (!kind) {
        if (!instruction->is_atomic) /* what those take is known (schedule.c) */
            note_unknown(body, instruction);
        kind = ft_core_find(core, instruction->has_vectors ? "addps xmm, xmm" : "add r64, r64");
        if (!kind)
            return NULL;
        for (uint32_t u = 0; u < kind->use_count; u++)
            add_use(&parts[FT_PART_COMPUTE], kind->uses[u].group, kind->uses[u].cycles);
        parts[FT_PART_COMPUTE].latency_cycles = kind->latency_cycles;
        const struct ft_core_kind *load = plain_load(core, instruction->has_vectors);
        for (uint32_t u = 0; instruction->loads && load && u < load->use_count; u++)
            add_use(&parts[FT_PART_LOAD], load->uses[u].group, load->uses[u].cycles);
        return kind;
    }
    split_uses(core, instruction, kind, parts);
    set_latencies(core, instruction, kind, parts);
    return kind;
}

/* A pair takes what its branch takes. */
static void take_branch(struct ft_body *body, const struct ft_body_instruction *branch,
                        struct ft_operation *compute)
{
    const struct ft_core_kind *kind = body->core->form_count == 0
                                          ? body->core->of_class[FT_MIX_BRANCH]
                                          : ft_core_find(body->core, branch->form);
    compute->use_count = 0;
    for (uint32_t u = 0; kind && u < kind->use_count; u++)
        add_use(compute, kind->uses[u].group, kind->uses[u].cycles);
}

void ft_body_add_operations(struct ft_body_builder *builder, uint32_t index,
                            const struct ft_body_instruction *branch)
{
    struct ft_body *body = builder->body;
    struct ft_body_instruction *instruction = &builder->instructions[index];
    struct ft_operation parts[3] = {0};
    body->atomic_count += instruction->is_atomic;
    const struct ft_core_kind *kind = find_parts(body, instruction, parts);
    struct ft_operation *compute = &parts[FT_PART_COMPUTE];
    if (instruction->flow.zeroes) {
        compute->use_count = 0;
        compute->latency_cycles = 0;
    }
    if (branch)
        take_branch(body, branch, compute);
    const bool computes = compute->use_count > 0 || compute->latency_cycles > 0 ||
                          !(instruction->loads || instruction->stores);
    double slots = slots_of(body->core, instruction, kind, computes);
    uint32_t *const numbers[3] = {&instruction->load, &instruction->compute, &instruction->store};
    const bool has[3] = {instruction->loads, computes, instruction->stores};
    for (uint8_t part = 0; part < 3; part++)
        if (has[part]) {
            parts[part].instruction = index;
            parts[part].part = part;
            parts[part].slots = slots;
            slots = 0;
            *numbers[part] = append(body, &parts[part]);
        }
}
