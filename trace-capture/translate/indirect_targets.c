/*
 * An indirect jump spills rax and rcx, puts its target pc into rcx and jumps through the table of
 * indirect targets, indexed by the low 16 bits. An indirect target compares the whole pc without
 * changing the flags (lea, jrcxz); on a mismatch it jumps to the next one of its bucket, the last
 * of which is a stop.
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

void ft_indirect_targets_prepare(struct ft_code_cache *cache, enum ft_mode mode)
{
    uint8_t *table =
        cache->tables.host + FT_INDIRECT_TARGET_TABLE + mode * FT_INDIRECT_TARGET_BYTES;
    if (cache->has_indirect_targets[mode])
        return;
    cache->has_indirect_targets[mode] = true;
    for (size_t i = 0; i < FT_INDIRECT_TARGET_ENTRIES; i++)
        memcpy(table + 8 * i, &cache->miss_stub, sizeof cache->miss_stub);
}

static uint8_t *bucket_of(const struct ft_code_cache *cache, enum ft_mode mode, uint64_t key)
{
    return cache->tables.host + FT_INDIRECT_TARGET_TABLE + mode * FT_INDIRECT_TARGET_BYTES +
           8 * (key & (FT_INDIRECT_TARGET_ENTRIES - 1));
}

void ft_emit_indirect_target(struct ft_code_cache *cache, struct ft_emitter *emitter,
                             enum ft_mode mode, uint64_t key)
{
    static const uint8_t add_rax_to_rcx[] = {0x48, 0x8d, 0x0c, 0x01}; /* lea rcx, [rcx+rax] */
    static const uint8_t jump_if_equal[] = {0xe3, 14 + FT_FAR_JUMP_BYTES};
    uint64_t next_target;
    memcpy(&next_target, bucket_of(cache, mode, key), sizeof next_target);
    ft_emit_mov_imm64(emitter, FT_RAX, -key);
    ft_emit_bytes(emitter, add_rax_to_rcx, sizeof add_rax_to_rcx);
    ft_emit_bytes(emitter, jump_if_equal, sizeof jump_if_equal);
    ft_emit_mov_imm64(emitter, FT_RAX, key);
    ft_emit_bytes(emitter, add_rax_to_rcx, sizeof add_rax_to_rcx);
    ft_emit_far_jump(emitter, next_target);
}

void ft_emit_indirect_target_end(struct ft_emitter *emitter)
{
    ft_emit_load_gs(emitter, FT_RAX, FT_CONTEXT(spill_rax));
    ft_emit_load_gs(emitter, FT_RCX, FT_CONTEXT(spill_rcx));
}

void ft_indirect_target_set(struct ft_code_cache *cache, struct ft_translation *translation,
                            uint32_t source, uint64_t indirect_target)
{
    uint64_t key = translation->unit.pc + ft_counts_key(source);
    uint64_t *bucket = (uint64_t *)(void *)bucket_of(cache, translation->mode, key);
    __atomic_store_n(bucket, indirect_target, __ATOMIC_RELEASE);
    translation->has_indirect_target = true;
}

static void emit_jump_to(struct ft_emitter *emitter, const struct ft_translation *translation)
{
    if (ft_reaches(emitter->address + 5, translation->entry))
        ft_emit_jump(emitter, translation->entry);
    else
        ft_emit_far_jump(emitter, translation->entry);
}

static int add_target(struct ft_code_cache *cache, struct ft_translation *translation, bool at_stop,
                      struct ft_diag *diag)
{
    static const uint8_t stop[] = {0xcc, 0xcc}; /* behind a stop's int3 nothing else starts */
    struct ft_zone *zone;
    int status = ft_code_cache_zone(cache, translation->entry, &zone, diag);
    if (status < 0)
        return status;
    struct ft_emitter emitter = ft_zone_emitter(zone);
    uint64_t indirect_target = emitter.address;
    ft_emit_indirect_target(cache, &emitter, translation->mode, translation->unit.pc);
    ft_emit_indirect_target_end(&emitter);
    if (at_stop) {
        status = ft_code_cache_add_stop(cache,
                                        &(struct ft_stop){.address = emitter.address,
                                                          .kind = FT_STOP_RETURN,
                                                          .translation = translation},
                                        diag);
        ft_emit_bytes(&emitter, stop, sizeof stop);
        translation->has_return_stop = true;
    } else {
        emit_jump_to(&emitter, translation);
    }
    if (status < 0)
        return status;
    ft_zone_commit(zone, &emitter);
    ft_indirect_target_set(cache, translation, FT_OUTSIDE, indirect_target);
    return FT_OK;
}

int ft_indirect_target_add(struct ft_code_cache *cache, struct ft_translation *translation,
                           struct ft_diag *diag)
{
    return add_target(cache, translation, false, diag);
}

int ft_indirect_target_add_stop(struct ft_code_cache *cache, struct ft_translation *translation,
                                struct ft_diag *diag)
{
    return add_target(cache, translation, true, diag);
}

int ft_indirect_target_add_counted(struct ft_code_cache *cache, struct ft_translation *translation,
                                   uint32_t edge_number, struct ft_diag *diag)
{
    struct ft_zone *zone;
    struct ft_counts_edge *edge = &cache->counts->edges[edge_number];
    int status = ft_code_cache_zone(cache, translation->entry, &zone, diag);
    if (status < 0)
        return status;
    struct ft_emitter emitter = ft_zone_emitter(zone);
    edge->indirect_target = emitter.address;
    ft_emit_indirect_target(cache, &emitter, translation->mode,
                            translation->unit.pc + ft_counts_key(edge->from));
    edge->counted_at = !edge->counter            ? emitter.address
                       : translation->flags_free ? ft_counted_emit(&emitter, edge->counter, true)
                                                 : ft_counted_emit_in_rax(&emitter, edge->counter);
    ft_emit_indirect_target_end(&emitter);
    emit_jump_to(&emitter, translation);
    edge->indirect_target_end = emitter.address;
    edge->is_target_counted = edge->counter != FT_NO_COUNTER;
    ft_zone_commit(zone, &emitter);
    ft_indirect_target_set(cache, translation, edge->from, edge->indirect_target);
    return FT_OK;
}

int ft_indirect_target_add_in_front(struct ft_code_cache *cache, struct ft_translation *translation,
                                    uint32_t source, uint64_t indirect_target, struct ft_diag *diag)
{
    uint32_t number;
    if (source != FT_OUTSIDE) {
        int status = ft_edge_counts_edge(cache->counts, source, FT_LEFT_WHOLE, translation->node,
                                         &number, diag);
        if (status < 0)
            return status;
        struct ft_counts_edge *edge = &cache->counts->edges[number];
        edge->indirect_target = indirect_target;
        edge->is_fixed = false; /* another indirect target may precede it */
        edge->counted_at = edge->indirect_target_end = translation->entry;
    }
    ft_indirect_target_set(cache, translation, source, indirect_target);
    return FT_OK;
}
