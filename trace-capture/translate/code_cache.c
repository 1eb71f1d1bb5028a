/*
 * The tables of translations and stops, and how a translation is retired.
 *
 * Forgetting: the first byte of a translation's entry becomes an int3, which catches whatever leads
 * there: indirect targets, exits of others, or a preceding translation that falls through. The
 * first instruction is at least as long as a jump, so that what is overwritten later contains no
 * boundary at which a thread may be. The jump is written when a thread has reached the stop, not
 * together with it: another thread about to run the instruction could fetch its first bytes before
 * both changes and the others after them. Of the versions of a pc only the first is ever entered,
 * so forgetting that one forgets all.
 *
 * In order: start and end; versions and pages; finding translations; closing, forgetting, replacing
 * them; stops.
 */
#include "trace-capture/translate/code_cache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "formats/base/array.h"
#include "trace-capture/counts/edge_counts.h"
#include "trace-capture/target/context.h"
#include "trace-capture/target/region.h"
#include "trace-capture/target/target.h"
#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/checked_code.h"
#include "trace-capture/translate/code_zones.h"
#include "trace-capture/translate/emit_x86_64.h"
#include "trace-capture/translate/translation.h"
#include "trace-capture/translate/translation_table.h"

#define PAGE             4096U
#define HASH_BUCKETS     (1U << 16)
#define VERSIONS_MAX     256 /* a later one replaces the last */
#define VERSIONS_CHAINED 8   /* so many jump to the next one */
#define STOP             0xcc

int ft_code_cache_init(struct ft_code_cache *cache, struct ft_target *target,
                       struct ft_region *ret_region, struct ft_diag *diag)
{
    *cache = (struct ft_code_cache){.target = target, .counts = cache->counts};
    size_t region_bytes = FT_REGION_BYTES + (cache->counts ? FT_COUNTERS_BYTES : 0);
    struct user_regs_struct registers;
    struct ft_zone *zone;
    int status = ft_target_registers(target, &registers, diag);
    if (status < 0)
        return status;
    cache->bucket_count = HASH_BUCKETS;
    cache->by_page = calloc(cache->bucket_count, sizeof(struct ft_translation *));
    if (!cache->by_page)
        return ft_fail_memory(diag, "the code cache");
    status = ft_code_cache_zone(cache, registers.rip, &zone, diag);
    if (status < 0)
        return status;
    /* the first bytes of the first zone: a system call for the host, then the miss stop; behind a
     * stop's int3 nothing else starts */
    struct ft_emitter emitter = ft_zone_emitter(zone);
    static const uint8_t gadget[] = {0x0f, 0x05, 0xcc, 0xcc};
    static const uint8_t stop[] = {0xcc, 0xcc};
    target->syscall_gadget = emitter.address;
    ft_emit_bytes(&emitter, gadget, sizeof gadget);
    cache->miss_stub = emitter.address;
    ft_emit_bytes(&emitter, stop, sizeof stop);
    ft_zone_commit(zone, &emitter);
    status = ft_code_cache_add_stop(
        cache, &(struct ft_stop){.address = cache->miss_stub, .kind = FT_STOP_MISS}, diag);
    /* the region has no need to be near; next to the zone it leaves the program's layout alone */
    if (status == FT_OK)
        status = ft_region_create(target, ft_code_cache_region(cache, zone, region_bytes),
                                  region_bytes, NULL, ret_region, diag);
    if (status < 0)
        return status;
    cache->tables = *ret_region;
    return FT_OK;
}

void ft_code_cache_fini(struct ft_code_cache *cache)
{
    for (size_t i = 0; i < cache->zone_count; i++) {
        struct ft_zone *zone = cache->zones[i];
        for (size_t j = 0; j < zone->translation_count; j++) {
            ft_translation_destroy(zone->translations[j]);
        }
        free(zone->translations);
        munmap(zone->host, zone->bytes);
        free(zone);
    }
    free(cache->zones);
    for (unsigned mode = 0; mode < FT_MODES; mode++)
        ft_translation_table_fini(&cache->by_pc[mode]);
    free(cache->by_page);
    free(cache->stops);
    ft_hash_table_fini(&cache->stop_indices);
    *cache = (struct ft_code_cache){0};
}

static struct ft_translation **page_bucket(const struct ft_code_cache *cache, uint64_t address)
{
    uint64_t hash = address / PAGE * UINT64_C(0x9e3779b97f4a7c15) >> 40;
    return &cache->by_page[hash & (cache->bucket_count - 1)];
}

/* Appends a version, or replaces the last one. */
static void add_version(struct ft_translation *first, struct ft_translation *translation)
{
    for (unsigned number = 2; first->newer && number < VERSIONS_MAX; number++)
        first = first->newer;
    first->newer = translation;
}

void ft_code_cache_open_version(const struct ft_code_cache *cache, struct ft_translation *first)
{
    unsigned number = 2;
    if (cache->counts) /* the host counts who goes to another version */
        return;
    for (; first->newer && first->newer->newer; number++)
        first = first->newer;
    if (first->newer && number <= VERSIONS_CHAINED &&
        first->newer->changed) /* else it raises a signal, and a stop leads to it */
        ft_checked_redirect(ft_code_cache_host(cache, first->changed),
                            first->newer->start + FT_CHECKED_SPILL_BYTES);
}

static void note_code(struct ft_code_cache *cache, uint64_t pc)
{
    cache->tables.host[FT_CODE_GRANULES + (pc >> FT_CODE_GRANULE_SHIFT & 0xffff)] = 1;
}

static bool index_translation(struct ft_code_cache *cache, struct ft_translation *translation)
{
    if (!ft_translation_table_add(&cache->by_pc[translation->mode], translation))
        return false;
    note_code(cache, translation->unit.pc);
    if (!ft_unit_is_path(&translation->unit))
        note_code(cache, translation->unit.pc + translation->unit.code_bytes - 1);
    struct ft_translation **bucket = page_bucket(cache, translation->unit.pc);
    translation->next_in_page = *bucket;
    *bucket = translation;
    return true;
}

int ft_code_cache_add(struct ft_code_cache *cache, struct ft_translation *translation,
                      struct ft_translation *first, struct ft_diag *diag)
{
    struct ft_zone *zone = translation->zone;
    if (!FT_RESERVE(zone->translations, zone->translation_capacity, zone->translation_count + 1))
        return ft_fail_memory(diag, "the code cache");
    if (first)
        add_version(first, translation);
    else if (!index_translation(cache, translation))
        return ft_fail_memory(diag, "the code cache");
    zone->translations[zone->translation_count++] = translation;
    return FT_OK;
}

void ft_code_cache_drop(struct ft_code_cache *cache, const struct ft_translation *translation)
{
    if (!ft_translation_table_remove(&cache->by_pc[translation->mode], translation)) {
        struct ft_translation *before = /* the first version */
            ft_code_cache_find(cache, translation->mode, translation->unit.pc);
        while (before && before->newer && before->newer != translation)
            before = before->newer;
        if (before)
            before->newer = NULL;
    }
    struct ft_translation **link = page_bucket(cache, translation->unit.pc);
    while (*link && *link != translation)
        link = &(*link)->next_in_page;
    if (*link)
        *link = translation->next_in_page;
}

struct ft_translation *ft_code_cache_find(const struct ft_code_cache *cache, enum ft_mode mode,
                                          uint64_t pc)
{
    return ft_translation_table_find(&cache->by_pc[mode], pc);
}

struct ft_translation *ft_code_cache_at(const struct ft_code_cache *cache, uint64_t address)
{
    for (size_t i = 0; i < cache->zone_count; i++) {
        const struct ft_zone *zone = cache->zones[i];
        if (address - zone->address >= zone->bytes)
            continue;
        size_t low = 0, high = zone->translation_count;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (zone->translations[middle]->end <= address)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < zone->translation_count && zone->translations[low]->entry <= address)
            return zone->translations[low];
    }
    return NULL;
}

static void set_entry(const struct ft_code_cache *cache, const struct ft_translation *translation,
                      uint8_t byte)
{
    __atomic_store_n(ft_code_cache_host(cache, translation->entry), byte, __ATOMIC_RELEASE);
}

/* A translation that raises a signal is a stop already. */
static int close_entry(struct ft_code_cache *cache, struct ft_translation *translation,
                       struct ft_diag *diag)
{
    if (translation->is_closed || ft_translation_is_trap(&translation->unit.instructions[0]))
        return FT_OK;
    if (translation->start != translation->entry) { /* a stop of windows is there */
        translation->is_closed = true;
        return FT_OK;
    }
    int status = ft_code_cache_add_stop(cache,
                                        &(struct ft_stop){.address = translation->entry,
                                                          .kind = FT_STOP_CLOSED,
                                                          .translation = translation},
                                        diag);
    if (status < 0)
        return status;
    translation->is_closed = true;
    translation->open_entry = *ft_code_cache_host(cache, translation->entry);
    set_entry(cache, translation, STOP);
    return FT_OK;
}

static int forget(struct ft_code_cache *cache, struct ft_translation *translation,
                  struct ft_diag *diag)
{
    translation->forgotten = true;
    ft_code_cache_drop(cache, translation);
    for (struct ft_translation *led = translation->redirected_here; led; led = led->next_redirected)
        set_entry(cache, led, STOP);
    translation->redirected_here = NULL;
    return close_entry(cache, translation, diag);
}

static int revise_bucket(struct ft_code_cache *cache, struct ft_translation *in_page,
                         uint64_t start, uint64_t end, ft_translation_judge *fate_of, void *context,
                         size_t *forgotten, struct ft_diag *diag)
{
    int status = FT_OK;
    while (in_page && status == FT_OK) {
        struct ft_translation *translation = in_page;
        const struct ft_unit *unit = &translation->unit;
        in_page = translation->next_in_page;
        if (ft_unit_is_path(unit) || unit->pc >= end || start >= unit->pc + unit->code_bytes)
            continue;
        switch (fate_of(context, translation)) {
        case FT_TRANSLATION_KEEP:
            if (translation->is_closed && translation->start == translation->entry)
                set_entry(cache, translation, translation->open_entry);
            translation->is_closed = false;
            break;
        case FT_TRANSLATION_CLOSE:
            status = close_entry(cache, translation, diag);
            break;
        default:
            status = forget(cache, translation, diag);
            (*forgotten)++;
            break;
        }
    }
    return status;
}

/* Whether code of a path lies in [start, end). */
static bool touches(const struct ft_unit *path, uint64_t start, uint64_t end)
{
    for (unsigned i = 0; i < path->instruction_count; i++) {
        const struct ft_instruction *at = &path->instructions[i];
        if (at->pc < end && start < at->pc + at->length)
            return true;
    }
    return false;
}

int ft_code_cache_revise(struct ft_code_cache *cache, uint64_t start, uint64_t end,
                         ft_translation_judge *fate_of, void *context, size_t *ret_forgotten,
                         struct ft_diag *diag)
{
    size_t forgotten = 0;
    int status = FT_OK;
    uint64_t first =
        start / PAGE > 0 ? start / PAGE - 1 : 0; /* whose last unit may reach into the range */
    bool all = end / PAGE - first >= cache->bucket_count;
    for (size_t i = 0; all && i < cache->bucket_count && status == FT_OK; i++)
        status =
            revise_bucket(cache, cache->by_page[i], start, end, fate_of, context, &forgotten, diag);
    for (uint64_t page = first; !all && page * PAGE < end && status == FT_OK; page++)
        status = revise_bucket(cache, *page_bucket(cache, page * PAGE), start, end, fate_of,
                               context, &forgotten, diag);
    for (struct ft_translation *path = cache->paths; path && status == FT_OK;
         path = path->next_path)
        if (!path->forgotten && touches(&path->unit, start, end) &&
            fate_of(context, path) != FT_TRANSLATION_KEEP) {
            status = forget(cache, path, diag);
            forgotten++;
        }
    *ret_forgotten = forgotten;
    return status;
}

int ft_code_cache_supersede(struct ft_code_cache *cache, struct ft_translation *old,
                            struct ft_translation *path, struct ft_diag *diag)
{
    ft_code_cache_drop(cache, old);
    old->forgotten = true;
    path->next_path = cache->paths;
    cache->paths = path;
    return close_entry(cache, old, diag);
}

/* Whether the first instruction at the entry is at least as long as a jump: in unlogged code the
 * one that counts, or the copy; loops begin with padding. */
static bool starts_long(const struct ft_translation *translation)
{
    bool is_long = translation->offsets[1] >= FT_JUMP_BYTES;
    if (translation->changed || translation->mode == FT_MODE_LOGGED)
        return translation->changed || is_long;
    return is_long && (translation->offsets[0] == 0 ||
                       (translation->counts_in_pointer && translation->unit.kind == FT_UNIT_PLAIN));
}

void ft_code_cache_replace(struct ft_code_cache *cache, struct ft_translation *forgotten,
                           struct ft_translation *by)
{
    uint8_t *entry = ft_code_cache_host(cache, forgotten->entry);
    uint64_t next = forgotten->entry + FT_JUMP_BYTES;
    bool is_covered = forgotten->end >= next && starts_long(forgotten) &&
                      ft_is_in_one_line(forgotten->entry, FT_JUMP_BYTES);
    if (*entry != STOP || !is_covered || !ft_reaches(next, by->entry) || cache->counts)
        return;
    uint32_t displacement = (uint32_t)(by->entry - next);
    memcpy(entry + 1, &displacement, sizeof displacement);
    __atomic_store_n(entry, 0xe9, __ATOMIC_RELEASE);
    forgotten->next_redirected = by->redirected_here;
    by->redirected_here = forgotten;
}

static struct ft_stop *find_stop(const struct ft_code_cache *cache, uint64_t address)
{
    const uint64_t hash = ft_hash_mix(address);
    uint32_t i;
    for (size_t probe = hash; ft_hash_next(&cache->stop_indices, hash, &probe, &i);)
        if (cache->stops[i].address == address)
            return &cache->stops[i];
    return NULL;
}

int ft_code_cache_add_stop(struct ft_code_cache *cache, const struct ft_stop *stop,
                           struct ft_diag *diag)
{
    struct ft_stop *known = find_stop(cache, stop->address);
    if (known) {
        *known = *stop;
        return FT_OK;
    }
    if (!FT_RESERVE(cache->stops, cache->stop_capacity, cache->stop_count + 1) ||
        !ft_hash_table_add(&cache->stop_indices, ft_hash_mix(stop->address),
                           (uint32_t)cache->stop_count))
        return ft_fail_memory(diag, "the code cache");
    cache->stops[cache->stop_count++] = *stop;
    return FT_OK;
}

const struct ft_stop *ft_code_cache_stop(const struct ft_code_cache *cache, uint64_t address)
{
    return find_stop(cache, address);
}
