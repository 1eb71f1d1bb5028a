/*
 * 1. What each instruction defines: its registers, the registers that a call clobbers, and slots:
 *    one that a known expression is stored to as a whole is a result, others that a store or a call
 *    may change are clobbered.
 * 2. The places that each loop defines.
 * 3. Renaming, block by block in the order of definitions. The header of a reducible loop merges
 *    the places that the loop defines; a block that merges everything, all places; any other, those
 *    on whose value its predecessors disagree.
 */
#include "engine/program/values/def_use.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

/* Limit of values at block ends; a routine with more slots is analysed without them. */
#define AT_END_MAX (UINT64_C(1) << 24)

struct maker {
    struct ft_def_use *result;
    const struct ft_routine_code *code;
    const struct ft_stack_frame *frame;
    size_t slot_count, words;
    uint64_t *defined;  /* bits of places that the instruction at hand defines */
    size_t result_slot; /* the slot that it stores to, or slot_count */
    uint32_t *current;  /* per place */
    uint64_t *merged;   /* bits of places */
};

static void set_bit(uint64_t *bits, size_t index)
{
    bits[index / 64] |= UINT64_C(1) << index % 64;
}

static bool has_bit(const uint64_t *bits, size_t index)
{
    return bits[index / 64] >> index % 64 & 1;
}

/* ---- 1. what an instruction defines ---- */

static void clobber_slots(struct maker *maker, struct ft_stack_address address, uint64_t size_bytes)
{
    int64_t end;
    if (__builtin_add_overflow(address.offset, (int64_t)size_bytes, &end))
        end = INT64_MAX;
    for (size_t s = 0; s < maker->slot_count; s++) {
        const struct ft_stack_slot *slot = &maker->frame->slots[s];
        if (slot->address.base == address.base && slot->address.offset < end &&
            slot->address.offset + (int64_t)slot->size_bytes > address.offset)
            set_bit(maker->defined, FT_PLACE_REGISTERS + s);
    }
}

static void clobber_reached(struct maker *maker)
{
    for (size_t s = 0; s < maker->slot_count; s++)
        if (ft_stack_is_reached(maker->frame, &maker->frame->slots[s]))
            set_bit(maker->defined, FT_PLACE_REGISTERS + s);
}

/* Below the stack pointer is the callee's. */
static void clobber_by_call(struct maker *maker, const struct ft_stack_state *state)
{
    struct ft_stack_address top = state->registers[FT_RSP];
    clobber_reached(maker);
    for (size_t s = 0; s < maker->slot_count; s++) {
        const struct ft_stack_slot *slot = &maker->frame->slots[s];
        if (!top.base || (slot->address.base == top.base && slot->address.offset < top.offset))
            set_bit(maker->defined, FT_PLACE_REGISTERS + s);
    }
}

static void define_by_stores(struct maker *maker, uint32_t i, const struct ft_stack_state *state)
{
    const struct ft_instruction *instruction = ft_code_instruction(maker->code, i);
    bool stores_sum = maker->code->flows[i].move.kind == FT_MOVE_STORE;
    for (unsigned a = 0; a < instruction->access_count; a++) {
        const struct ft_access *access = &instruction->accesses[a];
        bool exact = false;
        if (access->kind != FT_STORE && access->kind != FT_STORE_NONTEMPORAL)
            continue;
        struct ft_stack_address address = ft_stack_access(state, access, &exact);
        if (!address.base) {
            clobber_reached(maker);
            continue;
        }
        clobber_slots(maker, address, exact ? access->size_bytes : INT64_MAX);
        if (exact && stores_sum)
            maker->result_slot = ft_stack_slot_at(maker->frame, address, access->size_bytes);
    }
}

static void find_definitions(struct maker *maker, uint32_t i, const struct ft_stack_state *state)
{
    uint8_t flow = ft_code_instruction(maker->code, i)->flow;
    memset(maker->defined, 0, maker->words * sizeof *maker->defined);
    maker->result_slot = SIZE_MAX;
    if (ft_code_is_call(maker->code, i)) {
        maker->defined[0] = (UINT64_C(1) << FT_PLACE_REGISTERS) - 1;
        maker->defined[0] &= ~FT_CALL_KEEPS;
        clobber_by_call(maker, state);
        return;
    }
    maker->defined[0] = maker->code->flows[i].written;
    if (flow == FT_FLOW_SYSCALL)
        clobber_reached(maker);
    if (maker->slot_count)
        define_by_stores(maker, i, state);
}

/* ---- 2. loops ---- */

static uint64_t *loop_places(const struct maker *maker, uint32_t loop)
{
    return maker->result->loop_places + (loop - maker->result->first_loop) * maker->words;
}

static bool find_loop_places(struct maker *maker)
{
    const struct ft_routine_code *code = maker->code;
    const struct ft_program_loops *loops = code->loops;
    struct ft_def_use *result = maker->result;
    result->first_loop = UINT32_MAX;
    result->loop_end = 0;
    for (uint32_t b = 0; b < code->block_count; b++)
        for (uint32_t l = ft_code_loop(code, b); l != FT_NO_LOOP; l = loops->items[l].parent) {
            result->first_loop = l < result->first_loop ? l : result->first_loop;
            result->loop_end = l + 1 > result->loop_end ? l + 1 : result->loop_end;
        }
    if (result->first_loop == UINT32_MAX)
        return true;
    size_t need = (result->loop_end - result->first_loop) * maker->words;
    if (!FT_RESERVE(result->loop_places, result->loop_places_capacity, need))
        return false;
    memset(result->loop_places, 0, need * sizeof *result->loop_places);
    for (uint32_t b = 0; b < code->block_count; b++) {
        uint32_t loop = ft_code_loop(code, b);
        struct ft_stack_state state = maker->frame->at_start[b];
        for (uint32_t i = code->first_instruction[b];
             loop != FT_NO_LOOP && i < code->first_instruction[b + 1]; i++) {
            find_definitions(maker, i, &state);
            ft_stack_step(code, i, &state);
            for (size_t w = 0; w < maker->words; w++)
                loop_places(maker, loop)[w] |= maker->defined[w];
        }
    }
    for (uint32_t l = result->loop_end; l-- > result->first_loop;)
        if (loops->items[l].parent != FT_NO_LOOP)
            for (size_t w = 0; w < maker->words; w++)
                loop_places(maker, loops->items[l].parent)[w] |= loop_places(maker, l)[w];
    return true;
}

/* ---- 3. renaming ---- */

static bool add_value(struct maker *maker, uint8_t kind, size_t place, uint32_t block,
                      uint32_t instruction)
{
    struct ft_def_use *result = maker->result;
    if (!FT_RESERVE(result->values, result->value_capacity, (size_t)result->value_count + 1))
        return false;
    result->values[result->value_count++] =
        (struct ft_value){kind, (uint16_t)place, block, instruction};
    return true;
}

static bool add_entry(struct maker *maker, uint32_t block)
{
    maker->result->entries[block] = maker->result->value_count;
    for (size_t p = 0; p < maker->result->place_count; p++)
        if (!add_value(maker, FT_VALUE_ENTRY, p, block, FT_NO_VALUE))
            return false;
    return true;
}

/* The values at the end of the predecessors that come before the block; places on which they
 * disagree are merged. */
static void take_predecessors(struct maker *maker, uint32_t block)
{
    const struct ft_routine_code *code = maker->code;
    const struct ft_definition_order *order = code->order;
    size_t places = maker->result->place_count;
    uint32_t graph_block = ft_code_graph_block(code, block);
    bool first = true;
    for (uint32_t p = order->first_predecessor[graph_block];
         p < order->first_predecessor[graph_block + 1]; p++) {
        uint32_t from = ft_code_local_block(code, order->predecessors[p]);
        const uint32_t *at_end = maker->result->at_end + from * places;
        if (from >= block)
            continue;
        for (size_t place = 0; place < places; place++)
            if (first)
                maker->current[place] = at_end[place];
            else if (maker->current[place] != at_end[place])
                set_bit(maker->merged, place);
        first = false;
    }
}

static bool start_block(struct maker *maker, uint32_t block)
{
    const struct ft_routine_code *code = maker->code;
    struct ft_def_use *result = maker->result;
    uint32_t graph_block = ft_code_graph_block(code, block);
    result->entries[block] = FT_NO_VALUE;
    memset(maker->merged, 0, maker->words * sizeof *maker->merged);
    if (code->order->entered[graph_block]) {
        if (!add_entry(maker, block))
            return false;
        for (size_t place = 0; place < result->place_count; place++)
            maker->current[place] = result->entries[block] + (uint32_t)place;
    }
    if (code->order->meets_all[graph_block]) {
        memset(maker->merged, 0xff, maker->words * sizeof *maker->merged);
    } else if (!code->order->entered[graph_block]) {
        uint32_t loop = ft_code_headed_loop(code, block);
        take_predecessors(maker, block);
        if (loop != FT_NO_LOOP)
            for (size_t w = 0; w < maker->words; w++)
                maker->merged[w] |= loop_places(maker, loop)[w];
    }
    for (size_t place = 0; place < result->place_count; place++)
        if (has_bit(maker->merged, place)) {
            maker->current[place] = result->value_count;
            if (!add_value(maker, FT_VALUE_MERGE, place, block, FT_NO_VALUE))
                return false;
        }
    return true;
}

static bool add_use(struct maker *maker, size_t place)
{
    struct ft_def_use *result = maker->result;
    if (!FT_RESERVE(result->uses, result->use_capacity, result->use_count + 1))
        return false;
    result->uses[result->use_count++] = (struct ft_use){(uint16_t)place, maker->current[place]};
    return true;
}

static bool add_uses(struct maker *maker, uint32_t i, const struct ft_stack_state *state)
{
    const struct ft_value_flow *flow = &maker->code->flows[i];
    const struct ft_instruction *instruction = ft_code_instruction(maker->code, i);
    for (unsigned place = 0; place < FT_PLACE_REGISTERS; place++)
        if (flow->read >> place & 1 && !add_use(maker, place))
            return false;
    bool exact = false;
    if ((!flow->move.memory_factor && !flow->comparison.memory_factor) ||
        instruction->access_count == 0)
        return true;
    struct ft_stack_address address = ft_stack_access(state, &instruction->accesses[0], &exact);
    if (!address.base || !exact)
        return true;
    size_t slot = ft_stack_slot_at(maker->frame, address, instruction->accesses[0].size_bytes);
    return slot >= maker->slot_count || add_use(maker, FT_PLACE_REGISTERS + slot);
}

static bool add_definitions(struct maker *maker, uint32_t block, uint32_t i)
{
    bool calls = ft_code_is_call(maker->code, i);
    for (size_t w = 0; w < maker->words; w++)
        for (uint64_t bits = maker->defined[w]; bits; bits &= bits - 1) {
            size_t place = w * 64 + (size_t)__builtin_ctzll(bits);
            bool result = !calls && (place < FT_PLACE_REGISTERS ||
                                     place - FT_PLACE_REGISTERS == maker->result_slot);
            maker->current[place] = maker->result->value_count;
            if (!add_value(maker, result ? FT_VALUE_RESULT : FT_VALUE_CLOBBERED, place, block, i))
                return false;
        }
    return true;
}

static bool rename_block(struct maker *maker, uint32_t block)
{
    const struct ft_routine_code *code = maker->code;
    struct ft_def_use *result = maker->result;
    struct ft_stack_state state = maker->frame->at_start[block];
    if (!start_block(maker, block))
        return false;
    for (uint32_t i = code->first_instruction[block]; i < code->first_instruction[block + 1]; i++) {
        result->first_use[i] = (uint32_t)result->use_count;
        if (!add_uses(maker, i, &state))
            return false;
        find_definitions(maker, i, &state);
        result->first_definition[i] = result->value_count;
        if (!add_definitions(maker, block, i))
            return false;
        ft_stack_step(code, i, &state);
    }
    memcpy(result->at_end + (size_t)block * result->place_count, maker->current,
           result->place_count * sizeof *maker->current);
    return true;
}

static bool allocate(struct maker *maker)
{
    struct ft_def_use *result = maker->result;
    const struct ft_routine_code *code = maker->code;
    maker->slot_count = maker->frame->slot_count;
    if ((FT_PLACE_REGISTERS + maker->slot_count) * code->block_count > AT_END_MAX ||
        maker->slot_count > UINT16_MAX / 2)
        maker->slot_count = 0;
    result->place_count = (uint32_t)(FT_PLACE_REGISTERS + maker->slot_count);
    maker->words = (result->place_count + 63) / 64;
    maker->defined = calloc(maker->words, sizeof *maker->defined);
    maker->merged = calloc(maker->words, sizeof *maker->merged);
    maker->current = calloc(result->place_count, sizeof *maker->current);
    result->value_count = 0;
    result->use_count = 0;
    return maker->defined && maker->merged && maker->current &&
           FT_RESERVE(result->at_end, result->at_end_capacity,
                      (size_t)result->place_count * code->block_count) &&
           FT_RESERVE(result->entries, result->entry_capacity, code->block_count) &&
           FT_RESERVE(result->first_use, result->first_use_capacity,
                      (size_t)code->instruction_count + 1) &&
           FT_RESERVE(result->first_definition, result->first_definition_capacity,
                      (size_t)code->instruction_count + 1);
}

int ft_def_use_make(struct ft_def_use *def_use, const struct ft_routine_code *code,
                    const struct ft_stack_frame *frame, struct ft_diag *diag)
{
    struct maker maker = {.result = def_use, .code = code, .frame = frame};
    bool complete = allocate(&maker) && find_loop_places(&maker);
    for (uint32_t b = 0; complete && b < code->block_count; b++)
        complete = rename_block(&maker, b);
    free(maker.defined);
    free(maker.merged);
    free(maker.current);
    if (!complete)
        return ft_fail_memory(diag, "the definitions of a routine");
    def_use->first_use[code->instruction_count] = (uint32_t)def_use->use_count;
    def_use->first_definition[code->instruction_count] = def_use->value_count;
    return 0;
}

uint32_t ft_value_used(const struct ft_def_use *def_use, uint32_t instruction, unsigned place)
{
    for (uint32_t u = def_use->first_use[instruction]; u < def_use->first_use[instruction + 1]; u++)
        if (def_use->uses[u].place == place)
            return def_use->uses[u].value;
    return FT_NO_VALUE;
}

uint32_t ft_value_defined(const struct ft_def_use *def_use, uint32_t instruction, unsigned place)
{
    for (uint32_t v = def_use->first_definition[instruction];
         v < def_use->value_count && def_use->values[v].instruction == instruction; v++)
        if (def_use->values[v].place == place)
            return v;
    return FT_NO_VALUE;
}

void ft_def_use_fini(struct ft_def_use *def_use)
{
    free(def_use->values);
    free(def_use->at_end);
    free(def_use->entries);
    free(def_use->first_use);
    free(def_use->uses);
    free(def_use->first_definition);
    free(def_use->loop_places);
    *def_use = (struct ft_def_use){0};
}
