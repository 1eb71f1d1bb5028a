/*
 * The zones of the code cache: memory shared by host and target, in which code is emitted.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_CODE_ZONES_H
#define FT_TRACE_CAPTURE_TRANSLATE_CODE_ZONES_H

#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/emit_x86_64.h"

/* The host's view of an address in the zones; NULL for any other. */
uint8_t *ft_code_cache_host(const struct ft_code_cache *cache, uint64_t address);
bool ft_code_cache_contains(const struct ft_code_cache *cache, uint64_t address);

/* A zone with room within reach of pc, made if need be. */
int ft_code_cache_zone(struct ft_code_cache *cache, uint64_t pc, struct ft_zone **ret_zone,
                       struct ft_diag *diag);
/* Where a region of so many bytes goes: below the zone, or 0, where the kernel chooses. */
uint64_t ft_code_cache_region(const struct ft_code_cache *cache, const struct ft_zone *zone,
                              size_t bytes);
/* Emits at the zone's end of code; commit keeps what was emitted. */
struct ft_emitter ft_zone_emitter(const struct ft_zone *zone);
void ft_zone_commit(struct ft_zone *zone, const struct ft_emitter *emitter);
/* The address of eight bytes with this value inside the zone; 0 when the zone is full. */
uint64_t ft_zone_constant(struct ft_zone *zone, uint64_t value);

#endif
