/*
 * The table by which indirect jumps, calls and returns find the translation of their target.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_INDIRECT_TARGETS_H
#define FT_TRACE_CAPTURE_TRANSLATE_INDIRECT_TARGETS_H

#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/emit_x86_64.h"

/* Makes all indirect jumps stop. */
void ft_code_cache_reset_landings(struct ft_code_cache *cache);
/* A landing for those whose rcx is `key`, that goes on behind itself, rax and rcx still in the
 * context; it lands once it is set. */
void ft_emit_landing(struct ft_code_cache *cache, struct ft_emitter *emitter, enum ft_mode mode,
                     uint64_t key);
void ft_emit_landed(struct ft_emitter *emitter);
void ft_code_cache_set_landing(struct ft_code_cache *cache, struct ft_translation *translation,
                               uint32_t source, uint64_t landing);
/* The same for what was put right in front of a translation that is new. */
int ft_code_cache_land_in_front(struct ft_code_cache *cache, struct ft_translation *translation,
                                uint32_t source, uint64_t landing, struct ft_diag *diag);
/* Makes indirect jumps to a translation's pc arrive at it. */
int ft_code_cache_land(struct ft_code_cache *cache, struct ft_translation *translation,
                       struct ft_diag *diag);
/* Makes those from the node of `edge` arrive at it, counted. */
int ft_code_cache_land_counted(struct ft_code_cache *cache, struct ft_translation *translation,
                               uint32_t edge, struct ft_diag *diag);
/* Makes them stop (FT_STOP_RETURN) instead, from where the host sends them on. */
int ft_code_cache_land_at_stop(struct ft_code_cache *cache, struct ft_translation *translation,
                               struct ft_diag *diag);

#endif
