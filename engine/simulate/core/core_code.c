/*
 * Units are walked as the reference table walks them (formats/trace/reference_table.h), which gives
 * each instruction the number of its fetch. What an instruction's operations are, and what they
 * wait for, is the schedule's (engine/schedule/): a body of one instruction, or of a fused pair.
 */
#include "engine/simulate/core/core_code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/schedule/body_building.h"
#include "formats/base/array.h"
#include "formats/trace/reference_table.h"

/* ---- shapes ---- */

static bool same_uses(const struct ft_core_port_use *left, const struct ft_core_port_use *right,
                      unsigned count)
{
    for (unsigned u = 0; u < count; u++)
        if (left[u].ports != right[u].ports || left[u].cycles != right[u].cycles)
            return false;
    return true;
}

/* The number of a list of uses; UINT32_MAX without memory. */
static uint32_t find_shape(struct ft_core_code *table, const struct ft_core_port_use *uses,
                           uint8_t count)
{
    for (uint32_t s = 0; s < table->shape_count; s++)
        if (table->shape_uses[s] == count && same_uses(table->shapes[s], uses, count))
            return s;
    size_t capacity = table->shape_capacity, counts = table->shape_capacity;
    if (!FT_RESERVE(table->shapes, capacity, table->shape_count + (size_t)1) ||
        !FT_RESERVE(table->shape_uses, counts, table->shape_count + (size_t)1))
        return UINT32_MAX;
    table->shape_capacity = (uint32_t)(capacity < counts ? capacity : counts);
    struct ft_core_port_use *copy = calloc(count + 1U, sizeof *copy);
    if (!copy)
        return UINT32_MAX;
    memcpy(copy, uses, count * sizeof *copy);
    table->shapes[table->shape_count] = copy;
    table->shape_uses[table->shape_count] = count;
    return table->shape_count++;
}

static bool set_uses(struct ft_core_code *table, const struct ft_core *core,
                     const struct ft_operation *from, struct ft_core_operation *to)
{
    struct ft_core_port_use uses[FT_OPERATION_USES_MAX] = {0};
    to->use_count = 0;
    for (uint32_t u = 0; u < from->use_count; u++) {
        if (from->uses[u].group == core->commit_group) /* stores commit from their buffer */
            continue;
        const uint64_t ports = core->groups[from->uses[u].group].ports;
        const double share = from->uses[u].cycles / __builtin_popcountll(ports);
        uses[to->use_count++] =
            (struct ft_core_port_use){.ports = ports,
                                      .cycles = from->uses[u].cycles,
                                      .pressure = (uint64_t)llround(share * FT_PRESSURE_UNITS)};
    }
    const uint32_t shape = find_shape(table, uses, to->use_count);
    if (shape >= UINT16_MAX)
        return false;
    to->shape = (uint16_t)shape;
    to->uses = table->shapes[shape];
    return true;
}

/* ---- instructions ---- */

/* What an operation of an instruction waits for, as in the schedule. */
static uint64_t reads_of(const struct ft_body_instruction *instruction, uint8_t part)
{
    const bool computes = instruction->compute != FT_NO_OPERATION;
    switch (part) {
    case FT_PART_LOAD:
        return instruction->address_read;
    case FT_PART_COMPUTE:
        return instruction->data_read;
    default:
        return instruction->address_read | (computes ? 0 : instruction->data_read);
    }
}

static bool convert(const struct ft_body_builder *builder, struct ft_core_code *table,
                    struct ft_core_instruction *ret)
{
    const struct ft_body *body = builder->body;
    const struct ft_body_instruction *instruction = &builder->instructions[0];
    *ret = (struct ft_core_instruction){0};
    for (uint32_t o = 0; o < body->operation_count; o++) {
        const struct ft_operation *from = &body->operations[o];
        struct ft_core_operation *to = &ret->operations[ret->operation_count++];
        to->part = from->part;
        to->slots = (uint16_t)fmin(lround(from->slots), UINT16_MAX);
        to->latency_cycles = (int32_t)lround(from->latency_cycles);
        to->chained_cycles = (int32_t)lround(from->chained_cycles);
        to->is_direct = body->core->renames_memory && ft_body_is_direct(instruction);
        to->forward_cycles = (int32_t)lround(ft_body_forward_cycles(body->core, instruction));
        to->reads = reads_of(instruction, from->part);
        if (from->part != FT_PART_STORE)
            ret->result = (uint8_t)o;
        if (!set_uses(table, body->core, from, to))
            return false;
    }
    /* What only stores gives no value that another instruction waits for. */
    if (instruction->compute != FT_NO_OPERATION || instruction->load != FT_NO_OPERATION)
        ret->written = instruction->written;
    return true;
}

int ft_core_instruction_make(const struct ft_core *core, const struct ft_body_code *code,
                             uint32_t count, struct ft_core_code *table,
                             struct ft_core_instruction *ret_instruction, bool *ret_unknown,
                             struct ft_diag *diag)
{
    struct ft_operation operations[3];
    struct ft_body_instruction instructions[2];
    struct ft_body body = {.core = core, .instruction_count = count, .operations = operations};
    const struct ft_body_path path = {.code = code, .count = count};
    struct ft_body_builder builder = {.body = &body, .path = &path, .instructions = instructions};
    for (uint32_t i = 0; i < count; i++)
        FT_TRY(ft_body_instruction_read(core, &code[i], &instructions[i], diag));
    ft_body_add_operations(&builder, 0, count > 1 ? &instructions[1] : NULL);
    if (body.unknown_count > 0 && table->unknown_form[0] == 0)
        memcpy(table->unknown_form, body.unknown_form, sizeof table->unknown_form);
    *ret_unknown = body.unknown_count > 0;
    return convert(&builder, table, ret_instruction) ? FT_OK
                                                     : ft_fail_memory(diag, "the code of a trace");
}

int ft_core_code_fuses(const struct ft_core *core, const struct ft_body_code code[2],
                       bool *ret_fuses, struct ft_diag *diag)
{
    struct ft_body_instruction first, second;
    FT_TRY(ft_body_instruction_read(core, &code[0], &first, diag));
    *ret_fuses = false;
    if (!first.fuses || first.stores)
        return FT_OK;
    FT_TRY(ft_body_instruction_read(core, &code[1], &second, diag));
    *ret_fuses = second.instruction.flow == FT_FLOW_BRANCH && !second.flow.effect.is_counted_branch;
    return FT_OK;
}

/* ---- a trace's ---- */

static struct ft_body_code code_at(const struct ft_unit *unit, unsigned index)
{
    const struct ft_instruction *instruction = &unit->instructions[index];
    return (struct ft_body_code){.code = ft_unit_code(unit, instruction),
                                 .length = instruction->length,
                                 .pc = instruction->pc};
}

/* The pair of an instruction and the branch behind it in the unit, if it fuses. */
static int make_fused(const struct ft_core *core, const struct ft_unit *unit, unsigned index,
                      struct ft_core_code *table, struct ft_core_code_entry *entry,
                      struct ft_diag *diag)
{
    bool fuses, unknown;
    if (entry->fused || index + 1 >= unit->instruction_count ||
        unit->instructions[index + 1].pc != entry->next)
        return FT_OK;
    const struct ft_body_code pair[2] = {code_at(unit, index), code_at(unit, index + 1)};
    FT_TRY(ft_core_code_fuses(core, pair, &fuses, diag));
    if (!fuses)
        return FT_OK;
    entry->fused = calloc(1, sizeof *entry->fused);
    if (!entry->fused)
        return ft_fail_memory(diag, "the code of a trace");
    return ft_core_instruction_make(core, pair, 2, table, entry->fused, &unknown, diag);
}

static int make_entry(const struct ft_core *core, const struct ft_unit *unit, unsigned index,
                      struct ft_core_code *table, struct ft_core_code_entry *entry,
                      struct ft_diag *diag)
{
    const struct ft_instruction *instruction = &unit->instructions[index];
    if (!entry->is_known) {
        const struct ft_body_code code = code_at(unit, index);
        FT_TRY(ft_core_instruction_make(core, &code, 1, table, &entry->code, &entry->is_unknown,
                                        diag));
        entry->pc = instruction->pc;
        entry->next = instruction->pc + instruction->length;
        entry->flow = instruction->flow;
        entry->is_known = true;
        entry->is_repeated = instruction->rep;
    }
    return make_fused(core, unit, index, table, entry, diag);
}

static int make_unit(const struct ft_core *core, const struct ft_unit *unit,
                     const uint32_t *numbers, struct ft_core_code *table, struct ft_diag *diag)
{
    if (unit->kind == FT_UNIT_REFERENCES)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "the trace has addresses without code (it was imported): --core needs the "
                       "instructions");
    for (unsigned i = 0; i < unit->instruction_count; i++) {
        const struct ft_instruction *instruction = &unit->instructions[i];
        FT_TRY(make_entry(core, unit, i, table,
                          &table->entries[*numbers++ - table->first_reference], diag));
        for (unsigned a = 0; a < instruction->access_count; a++)
            numbers += ft_unit_access_references(unit, instruction, &instruction->accesses[a]);
    }
    return FT_OK;
}

/* movups xmm0, [rsi]; movups [rdi], xmm0: without registers, as those of a string are known. */
static int make_granules(const struct ft_core *core, struct ft_core_code *table,
                         struct ft_diag *diag)
{
    static const uint8_t load[] = {0x0f, 0x10, 0x06}, store[] = {0x0f, 0x11, 0x07};
    const struct ft_body_code codes[2] = {{.code = load, .length = sizeof load},
                                          {.code = store, .length = sizeof store}};
    struct ft_core_instruction *const made[2] = {&table->granule_load, &table->granule_store};
    bool unknown;
    for (unsigned i = 0; i < 2; i++) {
        FT_TRY(ft_core_instruction_make(core, &codes[i], 1, table, made[i], &unknown, diag));
        for (unsigned o = 0; o < made[i]->operation_count; o++)
            made[i]->operations[o].reads = 0;
        made[i]->written = 0;
    }
    return FT_OK;
}

static int make(const struct ft_core *core, const struct ft_trace *trace,
                const struct ft_reference_table *numbers, struct ft_core_code *table,
                struct ft_diag *diag)
{
    table->entries = calloc(table->count + (size_t)1, sizeof *table->entries);
    if (!table->entries)
        return ft_fail_memory(diag, "the code of a trace");
    FT_TRY(make_granules(core, table, diag));
    for (uint32_t id = 1; id <= ft_trace_unit_count(trace); id++) {
        const struct ft_unit *unit = ft_trace_unit(trace, id);
        if (unit)
            FT_TRY(make_unit(core, unit, numbers->numbers + numbers->first[id], table, diag));
    }
    return FT_OK;
}

int ft_core_code_make(const struct ft_core *core, const struct ft_trace *trace,
                      const struct ft_reference *references, uint32_t reference_count,
                      struct ft_core_code *ret_code, struct ft_diag *diag)
{
    struct ft_core_code table = {.first_reference = reference_count};
    struct ft_reference_table numbers = {0};
    while (table.first_reference > 0 && references[table.first_reference - 1].kind == FT_FETCH)
        table.first_reference--;
    table.count = reference_count - table.first_reference;
    int status = ft_reference_table_init(&numbers, trace, FT_RUN_ACCESSES | FT_RUN_FETCHES, diag);
    if (status == FT_OK)
        status = make(core, trace, &numbers, &table, diag);
    ft_reference_table_fini(&numbers);
    if (status == FT_OK)
        *ret_code = table;
    else
        ft_core_code_fini(&table);
    return status;
}

void ft_core_code_fini(struct ft_core_code *code)
{
    for (uint32_t i = 0; code->entries && i < code->count; i++)
        free(code->entries[i].fused);
    for (uint32_t s = 0; s < code->shape_count; s++)
        free(code->shapes[s]);
    free(code->entries);
    free((void *)code->shapes);
    free(code->shape_uses);
    *code = (struct ft_core_code){0};
}
