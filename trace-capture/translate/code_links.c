/*
 * A direct exit is linked by its displacement if that can be changed atomically and reaches, else
 * by its stub.
 */
#include "trace-capture/translate/code_links.h"

#include <string.h>

#include "trace-capture/counts/edge_counts.h"
#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/code_zones.h"
#include "trace-capture/translate/counted_code.h"
#include "trace-capture/translate/emit_x86_64.h"
#include "trace-capture/translate/instruction_count.h"
#include "trace-capture/translate/translation.h"

void ft_emit_side_exit(struct ft_emitter *emitter, const struct ft_link *link)
{
    if (link->uncounted)
        ft_emit_count_undo(emitter, link->uncounted);
    if (link->prefix)
        ft_emit_store_imm32(emitter, FT_R11, 0, link->prefix);
    ft_emit_lea(emitter, FT_R11, FT_R11, link->record_bytes);
}

/* Threads may be running the code that is changed here. Four bytes within a cache line change
 * atomically; a stub is written from its second byte on, and then its first byte, which is an int3
 * until then. */
static void change_u32(uint8_t *at, uint32_t value)
{
    __asm__ volatile("movl %1, (%0)" : : "r"(at), "r"(value) : "memory");
}

static void open_stub(uint8_t *stub, const uint8_t *code, size_t bytes)
{
    memcpy(stub + 1, code + 1, bytes - 1);
    __atomic_store_n(stub, code[0], __ATOMIC_RELEASE);
}

void ft_code_cache_redirect(struct ft_code_cache *cache, struct ft_link *link, uint64_t address)
{
    uint8_t code[FT_STUB_BYTES];
    struct ft_emitter emitter = {.at = code, .address = link->stub, .end = code + sizeof code};
    link->linked = true;
    if (ft_reaches(link->field + 4, address) && ft_is_in_one_line(link->field, sizeof(uint32_t))) {
        change_u32(ft_code_cache_host(cache, link->field), (uint32_t)(address - (link->field + 4)));
        return;
    }
    if (ft_reaches(link->stub + 5, address))
        ft_emit_jump(&emitter, address);
    else
        ft_emit_far_jump(&emitter, address);
    open_stub(ft_code_cache_host(cache, link->stub), code, (size_t)(emitter.at - code));
}

/* If the exit is an edge with a counter, its stub counts. False if the edge could not be added. */
static bool emit_counter(struct ft_code_cache *cache, struct ft_link *link,
                         const struct ft_translation *to, struct ft_emitter *emitter)
{
    if (!cache->counts)
        return true;
    if (ft_edge_counts_edge(cache->counts, link->node, link->left, to->node, &link->edge, NULL) < 0)
        return false;
    uint32_t counter = cache->counts->edges[link->edge].counter;
    if (counter)
        link->counted_bytes =
            (uint8_t)(ft_counted_emit(emitter, counter, to->flags_free) - link->stub);
    return true;
}

void ft_code_cache_link(struct ft_code_cache *cache, struct ft_link *link,
                        const struct ft_translation *to)
{
    uint8_t code[FT_STUB_BYTES];
    struct ft_emitter emitter = {.at = code, .address = link->stub, .end = code + sizeof code};
    if (!emit_counter(cache, link, to, &emitter))
        return;
    if (!link->instructions && !link->counted_bytes) {
        ft_code_cache_redirect(cache, link, to->entry);
        return;
    }
    if (link->instructions)
        ft_emit_side_exit(&emitter, link);
    if (ft_reaches(emitter.address + 5, to->entry))
        ft_emit_jump(&emitter, to->entry);
    else
        ft_emit_far_jump(&emitter, to->entry);
    open_stub(ft_code_cache_host(cache, link->stub), code, (size_t)(emitter.at - code));
    link->linked = true;
}

void ft_code_cache_relink(struct ft_code_cache *cache, struct ft_link *link,
                          const struct ft_translation *to)
{
    link->counted_bytes = 0;
    change_u32(ft_code_cache_host(cache, link->field), (uint32_t)(link->stub - (link->field + 4)));
    ft_code_cache_link(cache, link, to);
}
