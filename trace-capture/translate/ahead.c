/*
 * Breadth first: the exits of the given units, then those of what was translated for them, up to a
 * depth and a number of units. Direct exits are followed, and the return addresses of calls, which
 * get their indirect targets. As with the exits that the program takes first, the code that leads
 * into a unit is put right before it (ft_origin).
 *
 * Exits of code that may change are not followed, nor exits into such code, nor any while functions
 * are watched whose returns are known only when they are translated.
 */
#include "trace-capture/translate/ahead.h"

#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/code_cache.h"
#include "trace-capture/translate/code_links.h"
#include "trace-capture/translate/indirect_targets.h"
#include "trace-capture/translate/translate.h"
#include "trace-capture/translate/translation.h"
#include "trace-capture/translate/translator.h"
#include "trace-capture/translate/unit_exits.h"
#include "trace-capture/translate/watched_functions.h"

#define DEPTH_MAX 3U
#define UNITS_MAX 192U

struct frontier {
    struct ft_translation *units[UNITS_MAX + 2 * FT_CHAIN_MAX]; /* in order of translation */
    size_t count;
};

static void append(struct frontier *frontier, const struct ft_chain *chain)
{
    for (size_t i = 0; i < chain->count; i++)
        frontier->units[frontier->count++] = chain->units[i];
}

static bool may_follow(const struct ft_translator *translator, uint64_t pc)
{
    size_t available;
    bool may_change;
    return translator->read_code(translator->read_context, pc, &available, &may_change) &&
           !may_change;
}

/* Translates the code at pc, for an exit that is not linked yet. */
static struct ft_translation *translate(struct ft_translator *translator, enum ft_mode mode,
                                        uint64_t pc, const struct ft_origin *origin,
                                        struct frontier *frontier)
{
    struct ft_chain chain;
    if (frontier->count >= UNITS_MAX || !may_follow(translator, pc) ||
        ft_translate_chain(translator, mode, pc, origin, &chain, NULL) < 0)
        return NULL;
    append(frontier, &chain);
    return chain.units[0];
}

static void follow_link(struct ft_translator *translator, const struct ft_translation *from,
                        struct ft_link *link, struct frontier *frontier)
{
    struct ft_code_cache *cache = translator->cache;
    struct ft_translation *to = ft_code_cache_find(cache, from->mode, link->target_pc);
    if (link->linked || (!to && frontier->count >= UNITS_MAX) ||
        (link->instructions && ft_translate_prefix(translator, from, link, NULL) < 0))
        return;
    struct ft_origin origin = {.side_exit = link};
    if (!to)
        to = translate(translator, from->mode, link->target_pc, link->instructions ? &origin : NULL,
                       frontier);
    if (to && !link->linked)
        ft_code_cache_link(cache, link, to);
}

/* Translates the code that a call returns to. */
static void follow_return(struct ft_translator *translator, enum ft_mode mode, uint64_t pc,
                          struct frontier *frontier)
{
    struct ft_origin origin = {.is_indirect = true};
    struct ft_translation *to = ft_code_cache_find(translator->cache, mode, pc);
    if (translator->cache->counts) /* each indirect target has one source, which is not known yet */
        return;
    if (!to)
        translate(translator, mode, pc, &origin, frontier);
    else if (!to->has_indirect_target)
        ft_indirect_target_add(translator->cache, to, NULL);
}

static void follow_exits(struct ft_translator *translator, struct ft_translation *from,
                         struct frontier *frontier)
{
    const struct ft_instruction *last = &from->unit.instructions[from->unit.instruction_count - 1U];
    if (from->changed)
        return;
    if (last->flow == FT_FLOW_CALL || last->flow == FT_FLOW_CALL_INDIRECT)
        follow_return(translator, from->mode, last->pc + last->length, frontier);
    for (unsigned i = 0; i < from->link_count; i++)
        follow_link(translator, from, &from->links[i], frontier);
}

static void translate_ahead(struct ft_translator *translator, const struct ft_chain *chain)
{
    struct frontier frontier;
    size_t at = 0;
    frontier.count = 0;
    if (!ft_watched_returns_known(translator->watched))
        return;
    append(&frontier, chain);
    for (unsigned depth = 0; depth < DEPTH_MAX; depth++)
        for (size_t end = frontier.count; at < end; at++)
            follow_exits(translator, frontier.units[at], &frontier);
}

int ft_translate(struct ft_translator *translator, enum ft_mode mode, uint64_t pc,
                 const struct ft_origin *origin, struct ft_translation **ret_first,
                 struct ft_diag *diag)
{
    struct ft_chain chain = {0};
    int status = ft_translate_chain(translator, mode, pc, origin, &chain, diag);
    if (status < 0)
        return status;
    *ret_first = chain.units[0];
    translate_ahead(translator, &chain);
    return FT_OK;
}
