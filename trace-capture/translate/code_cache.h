/*
 * The code cache of a process: the zones of translated code within reach of the program's modules,
 * and the tables to find a translation by program counter or by cache address, and a stop by its
 * address.
 *
 * Cache memory is never reused, because the program may still run in it: a forgotten translation's
 * code remains, and threads that are in it leave it at its end. Its entry becomes a stop, so that
 * no thread enters it by any route, and later a jump to its replacement. While code may not run,
 * its translations are closed: their entries are stops.
 *
 * Code that may change unseen (checked_code.h) may have several translations, each of different
 * bytes: versions. The first one is found by the program counter; each one goes to the next if the
 * bytes differ from its own. For the tracing thread.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_CODE_CACHE_H
#define FT_TRACE_CAPTURE_TRANSLATE_CODE_CACHE_H

#include "trace-capture/translate/cache_state.h"

/* Maps the first zone and region into the target, which must stand at its first instruction.
 * ft_indirect_targets_reset comes next. */
int ft_code_cache_init(struct ft_code_cache *cache, struct ft_target *target,
                       struct ft_region *ret_region, struct ft_diag *diag);
void ft_code_cache_fini(struct ft_code_cache *cache);

/* first: the first version if the translation is a later one, which is entered only once it is
 * opened; else NULL. */
int ft_code_cache_add(struct ft_code_cache *cache, struct ft_translation *translation,
                      struct ft_translation *first, struct ft_diag *diag);
/* No longer finds it by its pc, or as a version. */
void ft_code_cache_drop(struct ft_code_cache *cache, const struct ft_translation *translation);
/* Makes the last but one version go to the last one. */
void ft_code_cache_open_version(const struct ft_code_cache *cache, struct ft_translation *first);
struct ft_translation *ft_code_cache_find(const struct ft_code_cache *cache, enum ft_mode mode,
                                          uint64_t pc);
struct ft_translation *ft_code_cache_at(const struct ft_code_cache *cache, uint64_t address);
/* Applies the fate that the function chooses to each translation of code in [start, end);
 * *ret_forgotten: how many were forgotten. */
enum ft_translation_fate { FT_TRANSLATION_KEEP, FT_TRANSLATION_CLOSE, FT_TRANSLATION_FORGET };
typedef enum ft_translation_fate ft_translation_judge(void *context,
                                                      const struct ft_translation *translation);
int ft_code_cache_revise(struct ft_code_cache *cache, uint64_t start, uint64_t end,
                         ft_translation_judge *fate_of, void *context, size_t *ret_forgotten,
                         struct ft_diag *diag);
/* Makes the entry of a forgotten translation a jump to its replacement, if in reach. */
void ft_code_cache_replace(struct ft_code_cache *cache, struct ft_translation *forgotten,
                           struct ft_translation *by);
/* Replaces a translation by a path from the same pc, which was added before. */
int ft_code_cache_supersede(struct ft_code_cache *cache, struct ft_translation *old,
                            struct ft_translation *path, struct ft_diag *diag);

int ft_code_cache_add_stop(struct ft_code_cache *cache, const struct ft_stop *stop,
                           struct ft_diag *diag);
const struct ft_stop *ft_code_cache_stop(const struct ft_code_cache *cache, uint64_t address);

#endif
