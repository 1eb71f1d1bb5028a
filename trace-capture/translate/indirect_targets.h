/*
 * The table by which indirect jumps, calls and returns find the translation of their target.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_INDIRECT_TARGETS_H
#define FT_TRACE_CAPTURE_TRANSLATE_INDIRECT_TARGETS_H

#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/emit_x86_64.h"

/* Makes all indirect jumps stop. */
void ft_indirect_targets_reset(struct ft_code_cache *cache);
/* An indirect target for those whose rcx is `key`, that goes on behind itself, rax and rcx still in
 * the context; it lands once it is set. */
void ft_emit_indirect_target(struct ft_code_cache *cache, struct ft_emitter *emitter,
                             enum ft_mode mode, uint64_t key);
void ft_emit_indirect_target_end(struct ft_emitter *emitter);
void ft_indirect_target_set(struct ft_code_cache *cache, struct ft_translation *translation,
                            uint32_t source, uint64_t indirect_target);
/* The same for what was put right in front of a translation that is new. */
int ft_indirect_target_add_in_front(struct ft_code_cache *cache, struct ft_translation *translation,
                                    uint32_t source, uint64_t indirect_target,
                                    struct ft_diag *diag);
/* Makes indirect jumps to a translation's pc arrive at it. */
int ft_indirect_target_add(struct ft_code_cache *cache, struct ft_translation *translation,
                           struct ft_diag *diag);
/* Makes those from the node of `edge` arrive at it, counted. */
int ft_indirect_target_add_counted(struct ft_code_cache *cache, struct ft_translation *translation,
                                   uint32_t edge, struct ft_diag *diag);
/* Makes them stop (FT_STOP_RETURN) instead, from where the host sends them on. */
int ft_indirect_target_add_stop(struct ft_code_cache *cache, struct ft_translation *translation,
                                struct ft_diag *diag);

#endif
