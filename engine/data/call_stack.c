/*
 * Calls and returns are found by the program counters of the units' instructions; of several that
 * were executed at one place the first counts.
 */
#include "engine/data/call_stack.h"

#include <stdlib.h>

#include "formats/base/array.h"

struct jump { /* a call or a return */
    uint64_t pc;
    uint64_t next; /* behind it */
    uint8_t role;
};

struct jumps {
    struct jump *items;
    size_t count, capacity;
};

static int compare_jumps(const void *left, const void *right)
{
    const struct jump *a = left, *b = right;
    return (a->pc > b->pc) - (a->pc < b->pc);
}

static uint8_t role_of(const struct ft_instruction *instruction)
{
    switch (instruction->flow) {
    case FT_FLOW_CALL:
    case FT_FLOW_CALL_INDIRECT:
        return FT_STACK_CALL;
    case FT_FLOW_RETURN:
        return FT_STACK_RETURN;
    default:
        return FT_NO_STACK_ROLE;
    }
}

static bool collect_jumps(const struct ft_trace *trace, struct jumps *jumps)
{
    for (size_t id = 1; id <= ft_trace_unit_count(trace); id++) {
        const struct ft_unit *unit = ft_trace_unit(trace, (uint32_t)id);
        if (!unit || unit->shares_memory)
            continue;
        for (unsigned i = 0; i < unit->instruction_count; i++) {
            const struct ft_instruction *instruction = &unit->instructions[i];
            uint8_t role = role_of(instruction);
            if (role == FT_NO_STACK_ROLE)
                continue;
            if (!FT_RESERVE(jumps->items, jumps->capacity, jumps->count + 1))
                return false;
            jumps->items[jumps->count++] =
                (struct jump){instruction->pc, instruction->pc + instruction->length, role};
        }
    }
    if (jumps->count)
        qsort(jumps->items, jumps->count, sizeof *jumps->items, compare_jumps);
    return true;
}

static void set_role(const struct jumps *jumps, const struct ft_reference *reference, uint8_t *role,
                     uint64_t *return_pc)
{
    size_t at = FT_COUNT_BELOW(jumps->items, jumps->count, pc, reference->pc);
    if (!jumps->items || at == jumps->count || jumps->items[at].pc != reference->pc)
        return;
    uint8_t wanted = jumps->items[at].role == FT_STACK_CALL ? FT_STORE : FT_LOAD;
    if (reference->kind != wanted)
        return;
    *role = jumps->items[at].role;
    *return_pc = jumps->items[at].next;
}

int ft_stack_roles_find(const struct ft_trace *trace, const struct ft_reference *references,
                        uint32_t reference_count, struct ft_stack_roles *ret_roles,
                        struct ft_diag *diag)
{
    struct jumps jumps = {0};
    struct ft_stack_roles roles = {
        .roles = calloc(reference_count + (size_t)1, sizeof *roles.roles),
        .return_pc = calloc(reference_count + (size_t)1, sizeof *roles.return_pc),
    };
    bool complete = roles.roles && roles.return_pc && collect_jumps(trace, &jumps);
    for (uint32_t r = 0; complete && r < reference_count; r++)
        set_role(&jumps, &references[r], &roles.roles[r], &roles.return_pc[r]);
    free(jumps.items);
    if (!complete) {
        ft_stack_roles_fini(&roles);
        return ft_fail_memory(diag, "the calls of a trace");
    }
    *ret_roles = roles;
    return FT_OK;
}

void ft_stack_roles_fini(struct ft_stack_roles *roles)
{
    free(roles->roles);
    free(roles->return_pc);
    *roles = (struct ft_stack_roles){0};
}

void ft_call_stack_fini(struct ft_call_stack *stack)
{
    free(stack->entries);
    *stack = (struct ft_call_stack){0};
}

int ft_call_stack_push(struct ft_call_stack *stack, uint64_t address, uint64_t return_pc,
                       struct ft_diag *diag)
{
    ft_call_stack_drop(stack, address);
    if (!FT_RESERVE(stack->entries, stack->capacity, stack->count + 1))
        return ft_fail_memory(diag, "the calls of a thread");
    stack->entries[stack->count++] = (struct ft_stack_entry){address, return_pc};
    return FT_OK;
}

size_t ft_call_stack_above(const struct ft_call_stack *stack, uint64_t address)
{
    size_t low = 0, count = stack->count;
    while (count > 0) {
        size_t half = count / 2;
        if (stack->entries[low + half].address > address) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}
