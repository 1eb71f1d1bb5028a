/*
 * If the next unit writes all arithmetic flags before it reads any, or can be left, an increment in
 * memory counts; otherwise rax is spilled, and lea adds.
 *
 * Loops have the counter of their iterations in a register that they do not use. If another
 * register changes by the same amount in each iteration, the loop itself needs no extra code: the
 * counter minus that register's first value plus its last one has changed by a multiple of it. One
 * more instruction would halve the speed of short loops, and one before the branch would separate
 * it from its comparison (macro-fusion).
 */
#include "trace-capture/translate/counted_code.h"

#include "trace-capture/counts/edge_counts.h"
#include "trace-capture/target/context.h"
#include "trace-capture/translate/emission.h"
#include "trace-capture/translate/emit_x86_64.h"

/* The flags that an increment changes: not the carry. */
#define FLAGS_CHANGED                                                                              \
    (ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_AF | ZYDIS_CPUFLAG_ZF | ZYDIS_CPUFLAG_SF | ZYDIS_CPUFLAG_OF)

bool ft_counted_flags_free(const ZydisDecodedInstruction *instructions, unsigned count)
{
    uint32_t open = FLAGS_CHANGED;
    for (unsigned i = 0; i < count && open; i++) {
        const ZydisDecodedInstruction *instruction = &instructions[i];
        const ZydisAccessedFlags *flags = instruction->cpu_flags;
        bool is_next = instruction->meta.branch_type == ZYDIS_BRANCH_TYPE_NONE &&
                       instruction->meta.category != ZYDIS_CATEGORY_SYSCALL &&
                       !(instruction->attributes & ZYDIS_ATTRIB_HAS_REP) &&
                       !(instruction->attributes & ZYDIS_ATTRIB_HAS_REPE) &&
                       !(instruction->attributes & ZYDIS_ATTRIB_HAS_REPNE);
        if (!is_next || (flags && flags->tested & open))
            return false;
        if (instruction->meta.category == ZYDIS_CATEGORY_SHIFT ||
            instruction->meta.category == ZYDIS_CATEGORY_ROTATE)
            continue; /* a shift by 0 leaves the flags unchanged */
        if (flags)
            open &= ~(flags->modified | flags->set_0 | flags->set_1 |
                      (flags->undefined & ZYDIS_CPUFLAG_AF)); /* which logic clears */
    }
    return open == 0;
}

uint64_t ft_counted_emit(struct ft_emitter *emitter, uint32_t counter, bool flags_free)
{
    static const uint8_t increment[] = {0x65, 0x48, 0xff, 0x04, 0x25}; /* inc qword gs:[...] */
    if (flags_free) {
        ft_emit_bytes(emitter, increment, sizeof increment);
        ft_emit_u32(emitter, ft_counter_offset(counter));
        return emitter->address;
    }
    ft_emit_store_gs(emitter, FT_CONTEXT(spill_rax), FT_RAX);
    uint64_t counted = ft_counted_emit_in_rax(emitter, counter);
    ft_emit_load_gs(emitter, FT_RAX, FT_CONTEXT(spill_rax));
    return counted;
}

uint64_t ft_counted_emit_in_rax(struct ft_emitter *emitter, uint32_t counter)
{
    ft_emit_load_gs(emitter, FT_RAX, ft_counter_offset(counter));
    ft_emit_lea(emitter, FT_RAX, FT_RAX, 1);
    ft_emit_store_gs(emitter, ft_counter_offset(counter), FT_RAX);
    return emitter->address;
}

static const struct ft_counts_node *node_of(const struct ft_emission *emission)
{
    return &emission->translator->cache->counts->nodes[emission->translation->node];
}

static void invert(struct ft_emitter *emitter, unsigned number)
{
    ft_emit_u8(emitter, number >= 8 ? 0x49 : 0x48); /* not */
    ft_emit_u8(emitter, 0xf7);
    ft_emit_u8(emitter, (uint8_t)(0xd0 | (number & 7)));
}

void ft_counted_enter_loop(struct ft_emission *emission)
{
    unsigned counter = emission->translation->iteration_register;
    struct ft_emitter *emitter = &emission->emitter;
    if (counter == FT_NO_REGISTER)
        return;
    const struct ft_counts_node *node = node_of(emission);
    ft_emit_store_gs(emitter, FT_CONTEXT(spill_pointer), counter);
    ft_emit_load_gs(emitter, counter, ft_counter_offset(node->iterations));
    if (node->induction == FT_NO_REGISTER)
        return;
    invert(emitter, counter); /* minus the register, without changing flags */
    ft_emit_lea_sum(emitter, counter, counter, node->induction, 1, 0);
    invert(emitter, counter);
}

void ft_counted_iteration(struct ft_emission *emission)
{
    unsigned counter = emission->translation->iteration_register;
    if (counter != FT_NO_REGISTER && node_of(emission)->induction == FT_NO_REGISTER)
        ft_emit_lea(&emission->emitter, counter, counter, 1);
}

void ft_counted_leave_loop(struct ft_emission *emission)
{
    unsigned counter = emission->translation->iteration_register;
    struct ft_emitter *emitter = &emission->emitter;
    if (counter == FT_NO_REGISTER)
        return;
    const struct ft_counts_node *node = node_of(emission);
    if (node->induction != FT_NO_REGISTER)
        ft_emit_lea_sum(emitter, counter, counter, node->induction, 1, 0);
    ft_emit_store_gs(emitter, ft_counter_offset(node->iterations), counter);
    ft_emit_load_gs(emitter, counter, FT_CONTEXT(spill_pointer));
}
