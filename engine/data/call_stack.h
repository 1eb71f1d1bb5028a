/*
 * The calls that a thread is in, from the accesses that it makes: a call stores its return address,
 * a return loads it. An entry is one return address on the stack; what lies between two of them is
 * the frame of the routine in between. Frames that were left otherwise (longjmp, exceptions) go
 * with the next call or return above them.
 */
#ifndef FT_ENGINE_DATA_CALL_STACK_H
#define FT_ENGINE_DATA_CALL_STACK_H

#include "formats/trace/trace.h"

/* What a reference does to the stack of calls. */
enum ft_stack_role { FT_NO_STACK_ROLE, FT_STACK_CALL, FT_STACK_RETURN };
struct ft_stack_roles {
    uint8_t *roles;      /* [reference]: enum ft_stack_role */
    uint64_t *return_pc; /* [reference]: of calls */
};
int ft_stack_roles_find(const struct ft_trace *trace, const struct ft_reference *references,
                        uint32_t reference_count, struct ft_stack_roles *ret_roles,
                        struct ft_diag *diag);
void ft_stack_roles_fini(struct ft_stack_roles *roles);

struct ft_stack_entry {
    uint64_t address;   /* where the return address stands */
    uint64_t return_pc; /* of the caller */
};
struct ft_call_stack {
    struct ft_stack_entry *entries; /* outermost first: addresses fall */
    size_t count, capacity;
};
void ft_call_stack_fini(struct ft_call_stack *stack);

static inline void ft_call_stack_drop(struct ft_call_stack *stack, uint64_t address)
{
    while (stack->count && stack->entries[stack->count - 1].address <= address)
        stack->count--;
}
int ft_call_stack_push(struct ft_call_stack *stack, uint64_t address, uint64_t return_pc,
                       struct ft_diag *diag);

/* How many entries stand above an address: the frame there is that of the last one's callee. The
 * word of a return address is of the caller's frame. */
size_t ft_call_stack_above(const struct ft_call_stack *stack, uint64_t address);

#endif
