/*
 * A thread's call stack, reconstructed from its accesses: a call stores its return address, a
 * return loads it. An entry is one return address on the stack; between two entries lies the frame
 * of one routine. Frames left by longjmp or an exception are dropped at the next call or return
 * above them.
 */
#ifndef FT_ENGINE_DATA_CALL_STACK_H
#define FT_ENGINE_DATA_CALL_STACK_H

#include "formats/trace/trace.h"

/* How a reference changes the call stack. */
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
    uint64_t address;   /* where the return address is stored */
    uint64_t return_pc; /* of the caller */
};
struct ft_call_stack {
    struct ft_stack_entry *entries; /* outermost first: addresses descend */
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

/* How many entries are above an address, which is in the frame of the last of these entries'
 * callee. A return address belongs to the caller's frame. */
size_t ft_call_stack_above(const struct ft_call_stack *stack, uint64_t address);

#endif
