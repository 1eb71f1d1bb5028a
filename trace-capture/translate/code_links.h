/*
 * Links the direct exits of translations to what they lead to.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_CODE_LINKS_H
#define FT_TRACE_CAPTURE_TRANSLATE_CODE_LINKS_H

#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/emit_x86_64.h"

/* Emits what a side exit with its prefix logs before it leaves. */
void ft_emit_side_exit(struct ft_emitter *emitter, const struct ft_link *link);
/* Makes an exit go to code at an address. */
void ft_code_cache_redirect(struct ft_code_cache *cache, struct ft_link *link, uint64_t address);
/* Makes an exit go straight to a translation; a side exit must have its prefix. */
void ft_code_cache_link(struct ft_code_cache *cache, struct ft_link *link,
                        const struct ft_translation *to);
/* The same if it is linked already, and its edge gained or lost its counter. No thread runs. */
void ft_code_cache_relink(struct ft_code_cache *cache, struct ft_link *link,
                          const struct ft_translation *to);

#endif
