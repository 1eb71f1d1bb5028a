/*
 * Blocks in the order of definitions, so that a value's operands have their sums before it; only
 * what comes round a loop does not, and is an atom. A register that is known to point into the
 * stack frame is the frame's base and an offset wherever it is met, so that addresses on the stack
 * compare equal.
 */
#include "engine/program/values/value_sums.h"

#include <stdlib.h>
#include <string.h>

#include "engine/program/values/leaving_loops.h"
#include "engine/program/values/operation_sums.h"
#include "engine/program/values/strides.h"
#include "formats/base/array.h"

struct ft_sum ft_unpack_sum(const struct ft_value_sums *sums, const struct ft_packed_sum *packed)
{
    struct ft_sum sum = {.count = packed->count};
    if (packed->count)
        memcpy(sum.terms, sums->terms + packed->first, packed->count * sizeof *sum.terms);
    return sum;
}

struct ft_packed_sum ft_pack_sum(struct ft_value_sums *sums, const struct ft_sum *sum,
                                 uint8_t flags)
{
    if (!FT_RESERVE(sums->terms, sums->term_capacity, sums->term_count + sum->count + 1)) {
        sums->out_of_memory = true;
        return (struct ft_packed_sum){0};
    }
    struct ft_packed_sum packed = {(uint32_t)sums->term_count, (uint8_t)sum->count, flags};
    memcpy(sums->terms + sums->term_count, sum->terms, sum->count * sizeof *sum->terms);
    sums->term_count += sum->count;
    return packed;
}

/* ---- atoms ---- */

uint32_t ft_new_atom(struct ft_value_sums *sums, const struct ft_atom *atom)
{
    uint32_t depth = atom->loop == FT_NO_LOOP ? 0 : sums->code->order->depth[atom->loop];
    if (!FT_RESERVE(sums->atoms, sums->atom_capacity, sums->atom_count + 1) ||
        !FT_RESERVE(sums->motions, sums->motion_capacity, sums->motion_count + depth + 1)) {
        sums->out_of_memory = true;
        return FT_ONE;
    }
    sums->atoms[sums->atom_count] = *atom;
    sums->atoms[sums->atom_count].first_motion = (uint32_t)sums->motion_count;
    memset(sums->motions + sums->motion_count, 0, depth * sizeof *sums->motions);
    sums->motion_count += depth;
    return (uint32_t)sums->atom_count++;
}

struct ft_sum ft_atom_sum(struct ft_value_sums *sums, uint32_t value, uint8_t kind)
{
    const struct ft_value *v = &sums->def_use->values[value];
    if (!sums->atom_of_value[value]) {
        struct ft_atom atom = {.kind = kind,
                               .value = value,
                               .block = v->block,
                               .loop = ft_code_loop(sums->code, v->block),
                               .instruction = v->instruction};
        uint32_t headed = ft_code_headed_loop(sums->code, v->block);
        if (kind == FT_ATOM_ENTRY && headed != FT_NO_LOOP) /* before its first iteration */
            atom.loop = sums->code->loops->items[headed].parent;
        atom.fits_32_bits = kind == FT_ATOM_OTHER && v->kind == FT_VALUE_RESULT &&
                            v->place <= FT_R15 &&
                            sums->code->flows[v->instruction].effect.upper_zero >> v->place & 1;
        sums->atom_of_value[value] = ft_new_atom(sums, &atom);
    }
    return ft_sum_unknown(sums->atom_of_value[value]);
}

/* ---- values ---- */

static struct ft_sum result_sum(struct ft_value_sums *sums, uint32_t value, uint8_t *flags)
{
    const struct ft_value *v = &sums->def_use->values[value];
    const struct ft_value_flow *flow = &sums->code->flows[v->instruction];
    const struct ft_move *move = &flow->move;
    struct ft_sum sum;
    uint8_t sum_flags = 0;
    bool moved =
        v->place >= FT_PLACE_REGISTERS
            ? move->kind == FT_MOVE_STORE
            : move->kind != FT_MOVE_NONE && move->kind != FT_MOVE_STORE && move->target == v->place;
    bool found = moved && ft_move_sum(sums, v->instruction, move, value, &sum, &sum_flags);
    for (unsigned i = 0; !moved && !found && i < flow->effect.assignment_count; i++)
        if (flow->effect.assignments[i].target == v->place)
            found = ft_assignment_sum(sums, v->instruction, &flow->effect.assignments[i], value,
                                      &sum, &sum_flags);
    if (!found)
        return ft_atom_sum(sums, value, FT_ATOM_OTHER);
    *flags |= sum_flags;
    return sum;
}

/* An address on the stack. */
static bool stack_sum(struct ft_value_sums *sums, struct ft_stack_address address,
                      struct ft_sum *ret_sum)
{
    const struct ft_def_use *def_use = sums->def_use;
    uint32_t block_count = sums->code->block_count;
    uint32_t value;
    if (!address.base)
        return false;
    if (address.base <= block_count)
        value = def_use->entries[address.base - 1] == FT_NO_VALUE
                    ? FT_NO_VALUE
                    : def_use->entries[address.base - 1] + FT_RSP;
    else
        value = ft_value_defined(def_use, address.base - 1 - block_count, FT_RSP);
    if (value == FT_NO_VALUE || sums->of_value[value].first == FT_NO_VALUE)
        return false;
    *ret_sum = ft_unpack_sum(sums, &sums->of_value[value]);
    return ft_sum_add_constant(ret_sum, address.offset);
}

/* The sum that all ways into a block agree on, of those before it in the order where `forward`. */
static bool agreed_sum(struct ft_value_sums *sums, uint32_t block, size_t place, bool forward,
                       struct ft_sum *ret_sum, uint8_t *flags)
{
    const struct ft_routine_code *code = sums->code;
    const struct ft_def_use *def_use = sums->def_use;
    uint32_t graph_block = ft_code_graph_block(code, block);
    bool first = true;
    if (def_use->entries[block] != FT_NO_VALUE) {
        *ret_sum = ft_unpack_sum(sums, &sums->of_value[def_use->entries[block] + place]);
        first = false;
    }
    for (uint32_t p = code->order->first_predecessor[graph_block];
         p < code->order->first_predecessor[graph_block + 1]; p++) {
        uint32_t from = ft_code_local_block(code, code->order->predecessors[p]);
        struct ft_sum sum;
        if (forward && from >= block)
            continue;
        if (!ft_value_sum_at(sums, def_use->at_end[(size_t)from * def_use->place_count + place],
                             block, &sum, flags) ||
            (!first && !ft_sum_equal(&sum, ret_sum)))
            return false;
        *ret_sum = sum;
        first = false;
    }
    return !first;
}

static struct ft_sum merge_sum(struct ft_value_sums *sums, uint32_t value, uint8_t *flags)
{
    const struct ft_value *v = &sums->def_use->values[value];
    struct ft_sum sum;
    uint8_t sum_flags = 0;
    if (v->place <= FT_R15 &&
        stack_sum(sums, sums->frame->at_start[v->block].registers[v->place], &sum))
        return sum;
    if (ft_code_headed_loop(sums->code, v->block) != FT_NO_LOOP)
        return ft_atom_sum(sums, value, FT_ATOM_INDUCTION);
    if (!agreed_sum(sums, v->block, v->place, false, &sum, &sum_flags))
        return ft_atom_sum(sums, value, FT_ATOM_MERGE);
    *flags |= sum_flags;
    return sum;
}

static void find_value(struct ft_value_sums *sums, uint32_t value)
{
    struct ft_sum sum;
    uint8_t flags = 0;
    switch (sums->def_use->values[value].kind) {
    case FT_VALUE_ENTRY:
        sum = ft_atom_sum(sums, value, FT_ATOM_ENTRY);
        break;
    case FT_VALUE_MERGE:
        sum = merge_sum(sums, value, &flags);
        break;
    case FT_VALUE_RESULT:
        sum = result_sum(sums, value, &flags);
        break;
    default:
        sum = ft_atom_sum(sums, value, FT_ATOM_OTHER);
        break;
    }
    sums->of_value[value] = ft_pack_sum(sums, &sum, flags);
}

/* A value behind the loops inside `around` that it has left. */
static struct ft_sum left_atom(struct ft_value_sums *sums, uint32_t value, uint32_t block,
                               uint32_t around)
{
    uint32_t *left = &sums->left_of_value[value];
    if (!*left || sums->atoms[*left].loop != around) {
        struct ft_atom atom = {.kind = FT_ATOM_LEFT,
                               .value = value,
                               .block = block,
                               .loop = around,
                               .instruction = FT_NO_VALUE};
        *left = ft_new_atom(sums, &atom);
    }
    return ft_sum_unknown(*left);
}

bool ft_value_sum_at(struct ft_value_sums *sums, uint32_t value, uint32_t block,
                     struct ft_sum *ret_sum, uint8_t *flags)
{
    if (sums->of_value[value].first == FT_NO_VALUE)
        return false;
    struct ft_sum sum = ft_unpack_sum(sums, &sums->of_value[value]);
    uint8_t sum_flags = sums->of_value[value].flags;
    const struct ft_value *v = &sums->def_use->values[value];
    const struct ft_routine_code *code = sums->code;
    uint32_t loop = ft_code_loop(code, v->block);
    if (!ft_loop_holds(code->loops, loop, ft_code_loop(code, block)) &&
        !ft_leave_loops(sums, &sum, &sum_flags, block)) {
        uint32_t around = loop;
        while (!ft_loop_holds(code->loops, around, ft_code_loop(code, block)))
            around = code->loops->items[around].parent;
        sum = left_atom(sums, value, block, around);
        sum_flags = 0;
    }
    *ret_sum = sum;
    *flags |= sum_flags;
    return true;
}

bool ft_induction_start(struct ft_value_sums *sums, const struct ft_atom *atom,
                        struct ft_sum *ret_sum, uint8_t *flags)
{
    uint8_t sum_flags = 0;
    if (!agreed_sum(sums, atom->block, sums->def_use->values[atom->value].place, true, ret_sum,
                    &sum_flags))
        return false;
    *flags |= sum_flags;
    return true;
}

/* ---- the routine ---- */

static bool find_addresses(struct ft_value_sums *sums, uint32_t instruction)
{
    const struct ft_instruction *code = ft_code_instruction(sums->code, instruction);
    uint32_t block = sums->code->block_of[instruction];
    sums->first_access[instruction] = (uint32_t)sums->address_count;
    if (!FT_RESERVE(sums->addresses, sums->address_capacity,
                    sums->address_count + code->access_count + 1))
        return false;
    for (unsigned a = 0; a < code->access_count; a++) {
        const struct ft_access *access = &code->accesses[a];
        uint8_t flags = 0;
        struct ft_sum sum;
        if (!ft_address_sum(sums, instruction, access, &sum, &flags)) {
            struct ft_atom atom = {.kind = FT_ATOM_ADDRESS,
                                   .value = FT_NO_VALUE,
                                   .block = block,
                                   .loop = ft_code_loop(sums->code, block),
                                   .instruction = instruction};
            sum = ft_sum_unknown(ft_new_atom(sums, &atom));
            flags = 0;
        }
        struct ft_packed_sum packed = ft_pack_sum(sums, &sum, flags);
        sums->addresses[sums->address_count++] = packed;
        if (access->kind != FT_STORE && access->kind != FT_STORE_NONTEMPORAL)
            continue;
        if (!FT_RESERVE(sums->stores, sums->store_capacity, sums->store_count + 1))
            return false;
        sums->stores[sums->store_count++] = (struct ft_stored){
            block, instruction, access->size_bytes * access->elements, ft_sum_hash(&sum), packed};
    }
    return true;
}

static bool allocate(struct ft_value_sums *sums)
{
    size_t value_count = (size_t)sums->def_use->value_count + 1;
    if (!FT_RESERVE(sums->of_value, sums->value_capacity, value_count) ||
        !FT_RESERVE(sums->atom_of_value, sums->atom_of_value_capacity, value_count) ||
        !FT_RESERVE(sums->left_of_value, sums->left_of_value_capacity, value_count) ||
        !FT_RESERVE(sums->first_access, sums->first_access_capacity,
                    (size_t)sums->code->instruction_count + 1) ||
        !FT_RESERVE(sums->atoms, sums->atom_capacity, 1))
        return false;
    for (size_t v = 0; v < value_count; v++)
        sums->of_value[v] = (struct ft_packed_sum){.first = FT_NO_VALUE};
    memset(sums->atom_of_value, 0, value_count * sizeof *sums->atom_of_value);
    memset(sums->left_of_value, 0, value_count * sizeof *sums->left_of_value);
    memset(&sums->atoms[0], 0, sizeof sums->atoms[0]);
    sums->atoms[0].loop = FT_NO_LOOP;
    sums->atom_count = 1;
    sums->term_count = sums->address_count = sums->store_count = sums->motion_count = 0;
    sums->recursion = 0;
    return ft_find_exits(sums);
}

int ft_value_sums_make(struct ft_value_sums *sums, const struct ft_routine_code *code,
                       const struct ft_stack_frame *frame, const struct ft_def_use *def_use,
                       struct ft_diag *diag)
{
    sums->code = code;
    sums->frame = frame;
    sums->def_use = def_use;
    bool complete = allocate(sums);
    uint32_t value = 0;
    for (uint32_t i = 0; complete && i < code->instruction_count; i++) {
        for (; value < def_use->first_definition[i]; value++)
            find_value(sums, value);
        complete = find_addresses(sums, i) && !sums->out_of_memory;
    }
    for (; complete && value < def_use->value_count; value++)
        find_value(sums, value);
    if (!complete || sums->out_of_memory)
        return ft_fail_memory(diag, "the formulas of a routine");
    sums->first_access[code->instruction_count] = (uint32_t)sums->address_count;
    return 0;
}

void ft_value_sums_fini(struct ft_value_sums *sums)
{
    free(sums->terms);
    free(sums->of_value);
    free(sums->atom_of_value);
    free(sums->left_of_value);
    free(sums->atoms);
    free(sums->first_access);
    free(sums->addresses);
    free(sums->stores);
    free(sums->motions);
    free(sums->exit_block);
    free(sums->exit_target);
    free(sums->calls);
    *sums = (struct ft_value_sums){0};
}
