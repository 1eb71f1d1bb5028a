/*
 * 1. States: a forward data-flow analysis to a fixed point; a register that points to different
 *    addresses on two paths is unknown after them.
 * 2. A walk through all instructions collects what is loaded from the frame, and addresses of the
 *    frame that escape to where they may be used as pointers.
 */
#include "engine/program/values/stack_frame.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

#define NOWHERE ((struct ft_stack_address){0})

static struct ft_stack_address at(const struct ft_stack_state *state, uint8_t place)
{
    return place <= FT_R15 ? state->registers[place] : NOWHERE;
}

/* The address that an assignment computes: another one moved, or a new base where the stack pointer
 * is aligned. */
static struct ft_stack_address assigned(const struct ft_routine_code *code, uint32_t instruction,
                                        const struct ft_stack_state *state,
                                        const struct ft_assignment *assignment)
{
    struct ft_stack_address from = at(state, assignment->a);
    if (!from.base || assignment->a_factor != 1 || assignment->b != FT_NO_REGISTER ||
        assignment->follows_direction)
        return NOWHERE;
    if (ft_narrowing_is_none(&assignment->narrowing)) {
        from.offset += (int64_t)assignment->constant;
        return from;
    }
    if (assignment->target == FT_RSP && assignment->narrowing.left == 0 &&
        assignment->narrowing.right == 0 && assignment->narrowing.mask >= UINT64_MAX - 0xffff)
        return (struct ft_stack_address){1 + code->block_count + instruction, 0};
    return NOWHERE;
}

void ft_stack_step(const struct ft_routine_code *code, uint32_t instruction,
                   struct ft_stack_state *state)
{
    const struct ft_value_flow *flow = &code->flows[instruction];
    if (ft_code_is_call(code, instruction)) {
        for (unsigned r = 0; r <= FT_R15; r++)
            if (!(FT_CALL_KEEPS >> r & 1))
                state->registers[r] = NOWHERE;
        return;
    }
    struct ft_stack_state old = *state;
    for (unsigned r = 0; r <= FT_R15; r++)
        if (flow->effect.forgotten >> r & 1)
            state->registers[r] = NOWHERE;
    for (unsigned i = 0; i < flow->effect.assignment_count; i++) {
        const struct ft_assignment *assignment = &flow->effect.assignments[i];
        if (assignment->target <= FT_R15)
            state->registers[assignment->target] = assigned(code, instruction, &old, assignment);
    }
}

struct ft_stack_address ft_stack_access(const struct ft_stack_state *state,
                                        const struct ft_access *access, bool *ret_exact)
{
    struct ft_stack_address address = at(state, access->base);
    bool indexed = access->index != FT_NO_REGISTER || access->mode != FT_ACCESS_PLAIN;
    if (!address.base && access->scale == 1) {
        address = at(state, access->index);
        indexed = true;
    }
    if (!address.base || access->fs || access->gs || access->address_is_32_bit)
        return NOWHERE;
    address.offset += access->displacement;
    *ret_exact = !indexed;
    return address;
}

/* ---- 1. states ---- */

/* Merges an edge into a block; false if that changes nothing. */
static bool join(struct ft_stack_frame *frame, uint32_t block, const struct ft_stack_state *state)
{
    struct ft_stack_state *start = &frame->at_start[block];
    if (!frame->known[block]) {
        frame->known[block] = true;
        *start = *state;
        return true;
    }
    bool changed = false;
    for (unsigned r = 0; r <= FT_R15; r++)
        if (start->registers[r].base &&
            (start->registers[r].base != state->registers[r].base ||
             start->registers[r].offset != state->registers[r].offset)) {
            start->registers[r] = NOWHERE;
            changed = true;
        }
    return changed;
}

static bool pass_on(struct ft_stack_frame *frame, const struct ft_routine_code *code,
                    uint32_t block)
{
    uint32_t graph_block = ft_code_graph_block(code, block);
    const struct ft_flow_graph *graph = code->graph;
    struct ft_stack_state state = frame->at_start[block];
    bool changed = false;
    for (uint32_t i = code->first_instruction[block]; i < code->first_instruction[block + 1]; i++)
        ft_stack_step(code, i, &state);
    for (uint32_t s = graph->first_successor[graph_block];
         s < graph->first_successor[graph_block + 1]; s++) {
        uint32_t to = ft_code_local_block(code, graph->successors[s]);
        if (to < code->block_count)
            changed |= join(frame, to, &state);
    }
    return changed;
}

static void find_states(struct ft_stack_frame *frame, const struct ft_routine_code *code)
{
    memset(frame->known, 0, code->block_count * sizeof *frame->known);
    for (uint32_t b = 0; b < code->block_count; b++) {
        struct ft_stack_state state = {0};
        state.registers[FT_RSP].base = 1 + b;
        if (code->order->entered[ft_code_graph_block(code, b)])
            join(frame, b, &state);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < code->block_count; b++)
            if (frame->known[b])
                changed |= pass_on(frame, code, b);
    }
    for (uint32_t b = 0; b < code->block_count; b++)
        if (!frame->known[b])
            frame->at_start[b] = (struct ft_stack_state){0};
}

/* ---- 2. slots, and what is reached ---- */

static bool add_slot(struct ft_stack_frame *frame, struct ft_stack_address address,
                     uint32_t size_bytes)
{
    if (!FT_RESERVE(frame->slots, frame->slot_capacity, frame->slot_count + 1))
        return false;
    frame->slots[frame->slot_count++] = (struct ft_stack_slot){address, size_bytes};
    return true;
}

static bool reach(struct ft_stack_frame *frame, struct ft_stack_address address)
{
    if (!address.base)
        return true;
    for (size_t i = 0; i < frame->reached_count; i++)
        if (frame->reached[i].base == address.base) {
            if (address.offset < frame->reached[i].offset)
                frame->reached[i].offset = address.offset;
            return true;
        }
    if (!FT_RESERVE(frame->reached, frame->reached_capacity, frame->reached_count + 1))
        return false;
    frame->reached[frame->reached_count++] = address;
    return true;
}

/* An address in `place`, moved by a constant, may be used as a pointer. */
static bool reach_from(struct ft_stack_frame *frame, const struct ft_stack_state *state,
                       uint8_t place, int64_t constant)
{
    struct ft_stack_address address = at(state, place);
    address.offset += constant;
    return reach(frame, address);
}

static bool is_in_address(const struct ft_instruction *instruction, unsigned number)
{
    for (unsigned i = 0; i < instruction->access_count; i++)
        if (instruction->accesses[i].base == number || instruction->accesses[i].index == number)
            return true;
    return false;
}

static bool find_reached(struct ft_stack_frame *frame, const struct ft_routine_code *code,
                         uint32_t i, const struct ft_stack_state *state)
{
    const struct ft_value_flow *flow = &code->flows[i];
    const struct ft_instruction *instruction = ft_code_instruction(code, i);
    bool complete = true;
    for (unsigned j = 0; j < flow->effect.assignment_count; j++) {
        const struct ft_assignment *assignment = &flow->effect.assignments[j];
        struct ft_stack_address result = assigned(code, i, state, assignment);
        if (result.base && (assignment->target == FT_RSP || assignment->target == FT_RBP))
            continue;
        if (result.base)
            complete &= reach(frame, result);
        else
            complete &= reach_from(frame, state, assignment->a, (int64_t)assignment->constant) &&
                        reach_from(frame, state, assignment->b, (int64_t)assignment->constant);
    }
    if (flow->move.kind != FT_MOVE_NONE)
        return complete && reach_from(frame, state, flow->move.a, 0) &&
               reach_from(frame, state, flow->move.b, 0);
    for (unsigned r = 0; r <= FT_R15 && flow->effect.forgotten; r++)
        if (r != FT_RSP && flow->read >> r & 1 && !is_in_address(instruction, r))
            complete &= reach_from(frame, state, (uint8_t)r, 0);
    return complete;
}

static bool find_slots(struct ft_stack_frame *frame, const struct ft_routine_code *code, uint32_t i,
                       const struct ft_stack_state *state)
{
    const struct ft_value_flow *flow = &code->flows[i];
    const struct ft_instruction *instruction = ft_code_instruction(code, i);
    bool loads = (flow->move.kind != FT_MOVE_NONE && flow->move.memory_factor) ||
                 (flow->comparison.kind != FT_MOVE_NONE && flow->comparison.memory_factor);
    bool exact = false;
    if (!loads || instruction->access_count == 0)
        return true;
    const struct ft_access *access = &instruction->accesses[0];
    struct ft_stack_address address = ft_stack_access(state, access, &exact);
    return !address.base || !exact || add_slot(frame, address, access->size_bytes);
}

static int compare_slots(const void *left, const void *right)
{
    const struct ft_stack_slot *a = left, *b = right;
    if (a->address.base != b->address.base)
        return a->address.base < b->address.base ? -1 : 1;
    if (a->address.offset != b->address.offset)
        return a->address.offset < b->address.offset ? -1 : 1;
    return (a->size_bytes > b->size_bytes) - (a->size_bytes < b->size_bytes);
}

static void unite_slots(struct ft_stack_frame *frame)
{
    size_t kept = 0;
    if (frame->slot_count)
        qsort(frame->slots, frame->slot_count, sizeof *frame->slots, compare_slots);
    for (size_t i = 0; i < frame->slot_count; i++)
        if (kept == 0 || compare_slots(&frame->slots[kept - 1], &frame->slots[i]) != 0)
            frame->slots[kept++] = frame->slots[i];
    frame->slot_count = kept;
}

int ft_stack_frame_make(struct ft_stack_frame *frame, const struct ft_routine_code *code,
                        struct ft_diag *diag)
{
    frame->slot_count = frame->reached_count = 0;
    bool complete = FT_RESERVE(frame->at_start, frame->state_capacity, code->block_count) &&
                    FT_RESERVE(frame->known, frame->known_capacity, code->block_count);
    if (complete)
        find_states(frame, code);
    for (uint32_t b = 0; complete && b < code->block_count; b++) {
        struct ft_stack_state state = frame->at_start[b];
        for (uint32_t i = code->first_instruction[b];
             complete && i < code->first_instruction[b + 1]; i++) {
            complete = find_reached(frame, code, i, &state) && find_slots(frame, code, i, &state);
            ft_stack_step(code, i, &state);
        }
    }
    if (!complete)
        return ft_fail_memory(diag, "the stack frame of a routine");
    unite_slots(frame);
    return 0;
}

size_t ft_stack_slot_at(const struct ft_stack_frame *frame, struct ft_stack_address address,
                        uint32_t size_bytes)
{
    struct ft_stack_slot wanted = {address, size_bytes};
    const struct ft_stack_slot *found =
        frame->slot_count == 0
            ? NULL
            : bsearch(&wanted, frame->slots, frame->slot_count, sizeof wanted, compare_slots);
    return found ? (size_t)(found - frame->slots) : frame->slot_count;
}

bool ft_stack_is_reached(const struct ft_stack_frame *frame, const struct ft_stack_slot *slot)
{
    for (size_t i = 0; i < frame->reached_count; i++)
        if (frame->reached[i].base == slot->address.base &&
            slot->address.offset + (int64_t)slot->size_bytes > frame->reached[i].offset)
            return true;
    return false;
}

void ft_stack_frame_fini(struct ft_stack_frame *frame)
{
    free(frame->at_start);
    free(frame->slots);
    free(frame->reached);
    free(frame->known);
    *frame = (struct ft_stack_frame){0};
}
