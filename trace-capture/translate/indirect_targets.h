/*
 * The table by which indirect jumps, calls and returns find the translation of their target.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_INDIRECT_TARGETS_H
#define FT_TRACE_CAPTURE_TRANSLATE_INDIRECT_TARGETS_H

#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/emit_x86_64.h"

/* Before the first translation in a mode: makes all its indirect jumps stop. Most programs are
 * captured in one mode; the table of each is half a megabyte. */
void ft_indirect_targets_prepare(struct ft_code_cache *cache, enum ft_mode mode);
/* An indirect target for jumps whose rcx is `key`. It continues after itself, with rax and rcx
 * still in the context, and takes effect once it is set. */
void ft_emit_indirect_target(struct ft_code_cache *cache, struct ft_emitter *emitter,
                             enum ft_mode mode, uint64_t key);
void ft_emit_indirect_target_end(struct ft_emitter *emitter);
void ft_indirect_target_set(struct ft_code_cache *cache, struct ft_translation *translation,
                            uint32_t source, uint64_t indirect_target);
/* The same for one that was emitted right before a new translation. */
int ft_indirect_target_add_in_front(struct ft_code_cache *cache, struct ft_translation *translation,
                                    uint32_t source, uint64_t indirect_target,
                                    struct ft_diag *diag);
/* Makes indirect jumps to a translation's pc reach it. */
int ft_indirect_target_add(struct ft_code_cache *cache, struct ft_translation *translation,
                           struct ft_diag *diag);
/* Makes those from the node of `edge` reach it, counted. */
int ft_indirect_target_add_counted(struct ft_code_cache *cache, struct ft_translation *translation,
                                   uint32_t edge, struct ft_diag *diag);
/* Makes them stop (FT_STOP_RETURN) instead; the host resumes them. */
int ft_indirect_target_add_stop(struct ft_code_cache *cache, struct ft_translation *translation,
                                struct ft_diag *diag);

#endif
