/*
 * Landings: an indirect jump spills rax and rcx, puts its destination into rcx and jumps through
 * the landing table, indexed by the low 16 bits. A landing verifies the whole address without
 * touching the flags (lea, jrcxz) and passes on to the next one of its bucket, the last of which is
 * a stop.
 */
#include "trace-capture/translate/indirect_targets.h"

#include <string.h>

#include "trace-capture/counts/edge_counts.h"
#include "trace-capture/target/context.h"
#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/code_cache.h"
#include "trace-capture/translate/code_zones.h"
#include "trace-capture/translate/counted_code.h"
#include "trace-capture/translate/emit_x86_64.h"
#include "trace-capture/translate/translation.h"

void ft_code_cache_reset_landings(struct ft_code_cache *cache)
{
    for (size_t i = 0; i < (size_t)FT_MODES * FT_LANDING_ENTRIES; i++)
        memcpy(cache->tables.host + FT_LANDING_TABLE + 8 * i, &cache->miss_stub,
               sizeof cache->miss_stub);
}

static uint8_t *bucket_of_landings(const struct ft_code_cache *cache, enum ft_mode mode,
                                   uint64_t key)
{
    return cache->tables.host + FT_LANDING_TABLE + mode * FT_LANDING_BYTES +
           8 * (key & (FT_LANDING_ENTRIES - 1));
}

void ft_emit_landing(struct ft_code_cache *cache, struct ft_emitter *emitter, enum ft_mode mode,
                     uint64_t key)
{
    static const uint8_t add_rax_to_rcx[] = {0x48, 0x8d, 0x0c, 0x01}; /* lea rcx, [rcx+rax] */
    static const uint8_t jump_if_equal[] = {0xe3, 14 + FT_FAR_JUMP_BYTES};
    uint64_t next_landing;
    memcpy(&next_landing, bucket_of_landings(cache, mode, key), sizeof next_landing);
    ft_emit_mov_imm64(emitter, FT_RAX, -key);
    ft_emit_bytes(emitter, add_rax_to_rcx, sizeof add_rax_to_rcx);
    ft_emit_bytes(emitter, jump_if_equal, sizeof jump_if_equal);
    ft_emit_mov_imm64(emitter, FT_RAX, key);
    ft_emit_bytes(emitter, add_rax_to_rcx, sizeof add_rax_to_rcx);
    ft_emit_far_jump(emitter, next_landing);
}

void ft_emit_landed(struct ft_emitter *emitter)
{
    ft_emit_load_gs(emitter, FT_RAX, FT_CONTEXT(spill_rax));
    ft_emit_load_gs(emitter, FT_RCX, FT_CONTEXT(spill_rcx));
}

void ft_code_cache_set_landing(struct ft_code_cache *cache, struct ft_translation *translation,
                               uint32_t source, uint64_t landing)
{
    uint64_t key = translation->unit.pc + ft_counts_key(source);
    uint64_t *bucket = (uint64_t *)(void *)bucket_of_landings(cache, translation->mode, key);
    __atomic_store_n(bucket, landing, __ATOMIC_RELEASE);
    translation->has_landing = true;
}

static void emit_jump_to(struct ft_emitter *emitter, const struct ft_translation *translation)
{
    if (ft_reaches(emitter->address + 5, translation->entry))
        ft_emit_jump(emitter, translation->entry);
    else
        ft_emit_far_jump(emitter, translation->entry);
}

static int land(struct ft_code_cache *cache, struct ft_translation *translation, bool at_stop,
                struct ft_diag *diag)
{
    static const uint8_t stop[] = {0xcc, 0xcc}; /* behind a stop's int3 nothing else starts */
    struct ft_zone *zone;
    int status = ft_code_cache_zone(cache, translation->entry, &zone, diag);
    if (status < 0)
        return status;
    struct ft_emitter emitter = ft_zone_emitter(zone);
    uint64_t landing = emitter.address;
    ft_emit_landing(cache, &emitter, translation->mode, translation->unit.pc);
    ft_emit_landed(&emitter);
    if (at_stop) {
        status = ft_code_cache_add_stop(cache,
                                        &(struct ft_stop){.address = emitter.address,
                                                          .kind = FT_STOP_RETURN,
                                                          .translation = translation},
                                        diag);
        ft_emit_bytes(&emitter, stop, sizeof stop);
    } else {
        emit_jump_to(&emitter, translation);
    }
    if (status < 0)
        return status;
    ft_zone_commit(zone, &emitter);
    ft_code_cache_set_landing(cache, translation, FT_OUTSIDE, landing);
    return FT_OK;
}

int ft_code_cache_land(struct ft_code_cache *cache, struct ft_translation *translation,
                       struct ft_diag *diag)
{
    return land(cache, translation, false, diag);
}

int ft_code_cache_land_at_stop(struct ft_code_cache *cache, struct ft_translation *translation,
                               struct ft_diag *diag)
{
    return land(cache, translation, true, diag);
}

int ft_code_cache_land_counted(struct ft_code_cache *cache, struct ft_translation *translation,
                               uint32_t edge_number, struct ft_diag *diag)
{
    struct ft_zone *zone;
    struct ft_counts_edge *edge = &cache->counts->edges[edge_number];
    int status = ft_code_cache_zone(cache, translation->entry, &zone, diag);
    if (status < 0)
        return status;
    struct ft_emitter emitter = ft_zone_emitter(zone);
    edge->landing = emitter.address;
    ft_emit_landing(cache, &emitter, translation->mode,
                    translation->unit.pc + ft_counts_key(edge->from));
    edge->counted_at = !edge->counter            ? emitter.address
                       : translation->flags_free ? ft_counted_emit(&emitter, edge->counter, true)
                                                 : ft_counted_emit_in_rax(&emitter, edge->counter);
    ft_emit_landed(&emitter);
    emit_jump_to(&emitter, translation);
    edge->landing_end = emitter.address;
    edge->lands_counted = edge->counter != FT_NO_COUNTER;
    ft_zone_commit(zone, &emitter);
    ft_code_cache_set_landing(cache, translation, edge->from, edge->landing);
    return FT_OK;
}

int ft_code_cache_land_in_front(struct ft_code_cache *cache, struct ft_translation *translation,
                                uint32_t source, uint64_t landing, struct ft_diag *diag)
{
    uint32_t number;
    if (source != FT_OUTSIDE) {
        int status = ft_edge_counts_edge(cache->counts, source, FT_LEFT_WHOLE, translation->node,
                                         &number, diag);
        if (status < 0)
            return status;
        struct ft_counts_edge *edge = &cache->counts->edges[number];
        edge->landing = landing;
        edge->is_fixed = false; /* another landing may come before it */
        edge->counted_at = edge->landing_end = translation->entry;
    }
    ft_code_cache_set_landing(cache, translation, source, landing);
    return FT_OK;
}
