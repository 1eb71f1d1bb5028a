/*
 * Sharing: the target is made to create a memfd, which the host opens through /proc/PID/fd, so
 * that no descriptor is inherited and none stays. Zones lie below a module if there is room (the
 * heap grows above), within 2 GiB so that RIP-relative operands still reach.
 *
 * Landings: an indirect jump spills rax and rcx, puts its destination into rcx and jumps through
 * the landing table, indexed by the low 16 bits. A landing verifies the whole address without
 * touching the flags (lea, jrcxz) and passes on to the next one of its bucket, the last of which is
 * a stop.
 */
#include "trace-capture/code_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "trace-capture/memory_map.h"

#define ZONE_BYTES   (UINT64_C(128) << 20)
#define REACH        ((UINT64_C(1) << 31) - (UINT64_C(1) << 26)) /* with room for a module's extent */
#define UNIT_ROOM    (UINT64_C(64) << 10) /* more than any translated unit takes */
#define PAGE         4096U
#define HASH_BUCKETS (1U << 16)

static bool is_free(const struct ft_memory_map *map, uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < map->count; i++)
        if (map->mappings[i].start < end && start < map->mappings[i].end)
            return false;
    return start >= (UINT64_C(1) << 16) && end <= (UINT64_C(1) << 47) - PAGE;
}

/* A free place for a zone within reach of pc: as far below as possible, else as far above. */
static uint64_t place_zone(const struct ft_memory_map *map, uint64_t pc)
{
    const uint64_t step = UINT64_C(1) << 24;
    for (uint64_t distance = REACH - ZONE_BYTES; distance >= ZONE_BYTES; distance -= step) {
        uint64_t below = (pc - distance - ZONE_BYTES) & ~(step - 1);
        if (pc > distance + ZONE_BYTES && is_free(map, below, below + ZONE_BYTES))
            return below;
    }
    for (uint64_t distance = REACH - ZONE_BYTES; distance >= step; distance -= step) {
        uint64_t above = (pc + distance) & ~(step - 1);
        if (is_free(map, above, above + ZONE_BYTES))
            return above;
    }
    return 0;
}

/* Makes `bytes` of memory shared between host and target, in the target at `address` (0: the
 * kernel chooses). */
static int share(struct ft_target *target, uint64_t address, size_t bytes, int protection,
                 uint64_t *ret_address, uint8_t **ret_host, struct ft_diag *diag)
{
    static const char name[] = "foretrace";
    struct user_regs_struct registers;
    int status = ft_target_registers(target, &registers, diag);
    if (status < 0)
        return status;
    uint64_t at = registers.rip, text = (registers.rsp - 512) & ~UINT64_C(15);
    if (!ft_target_write(target, text, name, sizeof name))
        return ft_fail(diag, FT_ERROR_FAILURE, "the program's stack cannot be written");
    int64_t fd, mapped, ignored;
    status = ft_target_syscall(target, at, SYS_memfd_create, (uint64_t[6]){text, MFD_CLOEXEC}, &fd,
                               diag);
    if (status < 0)
        return status;
    if (fd < 0)
        return ft_fail(diag, FT_ERROR_FAILURE, "memfd_create in the program: %s",
                       strerror((int)-fd));
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)target->pid, (int)fd);
    int own = open(path, O_RDWR | O_CLOEXEC);
    if (own < 0 || ftruncate(own, (off_t)bytes) != 0) {
        int reason = errno;
        if (own >= 0)
            close(own);
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(reason));
    }
    uint8_t *host = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, own, 0);
    int reason = errno;
    close(own);
    if (host == MAP_FAILED)
        return ft_fail(diag, FT_ERROR_MEMORY, "sharing memory with the program: %s",
                       strerror(reason));
    int flags = MAP_SHARED | (address ? MAP_FIXED_NOREPLACE : 0);
    status = ft_target_syscall(
        target, at, SYS_mmap,
        (uint64_t[6]){address, bytes, (uint64_t)protection, (uint64_t)flags, (uint64_t)fd, 0},
        &mapped, diag);
    if (status == FT_OK)
        status =
            ft_target_syscall(target, at, SYS_close, (uint64_t[6]){(uint64_t)fd}, &ignored, diag);
    if (status == FT_OK && (mapped < 0 || (address && (uint64_t)mapped != address)))
        status = ft_fail(diag, FT_ERROR_FAILURE,
                         "the program's address space has no room for the code cache");
    if (status < 0) {
        munmap(host, bytes);
        return status;
    }
    *ret_address = (uint64_t)mapped;
    *ret_host = host;
    return FT_OK;
}

static int add_zone(struct ft_code_cache *cache, uint64_t pc, struct ft_zone **ret_zone,
                    struct ft_diag *diag)
{
    struct ft_memory_map map;
    int status = ft_memory_map_read(cache->target, &map, diag);
    if (status < 0)
        return status;
    uint64_t address = place_zone(&map, pc);
    ft_memory_map_fini(&map);
    if (!address)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "no free memory within 2 GiB of the code at 0x%" PRIx64, pc);
    struct ft_zone *zone = calloc(1, sizeof *zone);
    if (!zone || !FT_RESERVE(cache->zones, cache->zone_capacity, cache->zone_count + 1)) {
        free(zone);
        return ft_fail_memory(diag, "a code zone");
    }
    zone->bytes = ZONE_BYTES;
    status = share(cache->target, address, zone->bytes, PROT_READ | PROT_EXEC, &zone->address,
                   &zone->host, diag);
    if (status < 0) {
        free(zone);
        return status;
    }
    cache->zones[cache->zone_count++] = zone;
    *ret_zone = zone;
    return FT_OK;
}

int ft_code_cache_zone(struct ft_code_cache *cache, uint64_t pc, struct ft_zone **ret_zone,
                       struct ft_diag *diag)
{
    for (size_t i = 0; i < cache->zone_count; i++) {
        struct ft_zone *zone = cache->zones[i];
        uint64_t low = pc < zone->address ? pc : zone->address;
        uint64_t high = zone->address + zone->bytes;
        if (pc > high)
            high = pc;
        if (high - low < REACH + ZONE_BYTES / 2 &&
            zone->code_bytes + zone->constant_bytes + UNIT_ROOM < zone->bytes) {
            *ret_zone = zone;
            return FT_OK;
        }
    }
    return add_zone(cache, pc, ret_zone, diag);
}

struct ft_emitter ft_zone_emitter(const struct ft_zone *zone)
{
    return (struct ft_emitter){.at = zone->host + zone->code_bytes,
                               .address = zone->address + zone->code_bytes,
                               .end = zone->host + zone->bytes - zone->constant_bytes};
}

void ft_zone_commit(struct ft_zone *zone, const struct ft_emitter *emitter)
{
    zone->code_bytes = (size_t)(emitter->at - zone->host);
}

uint64_t ft_zone_constant(struct ft_zone *zone, uint64_t value)
{
    if (zone->code_bytes + zone->constant_bytes + 2 * UNIT_ROOM / 8 > zone->bytes)
        return 0;
    zone->constant_bytes += sizeof value;
    size_t offset = zone->bytes - zone->constant_bytes;
    memcpy(zone->host + offset, &value, sizeof value);
    return zone->address + offset;
}

static void set_u64(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

static void reset_landings(struct ft_code_cache *cache)
{
    for (size_t i = 0; i < FT_LANDING_ENTRIES; i++)
        set_u64(cache->context_host + FT_LANDING_TABLE + 8 * i, cache->miss_stub);
}

/* Behind the log buffer the target faults. */
static int guard_buffer(struct ft_code_cache *cache, uint64_t at, struct ft_diag *diag)
{
    uint64_t guard = cache->context_address + FT_LOG_BUFFER + FT_LOG_BUFFER_BYTES;
    int64_t result;
    int status =
        ft_target_syscall(cache->target, at, SYS_mprotect,
                          (uint64_t[6]){guard, FT_LOG_GUARD_BYTES, PROT_NONE}, &result, diag);
    if (status == FT_OK && result < 0)
        status =
            ft_fail(diag, FT_ERROR_FAILURE, "guarding the log buffer: %s", strerror((int)-result));
    return status;
}

int ft_code_cache_init(struct ft_code_cache *cache, struct ft_target *target, struct ft_diag *diag)
{
    *cache = (struct ft_code_cache){.target = target};
    struct user_regs_struct registers;
    struct ft_zone *zone;
    int status = ft_target_registers(target, &registers, diag);
    if (status < 0)
        return status;
    cache->bucket_count = HASH_BUCKETS;
    cache->by_pc = calloc(cache->bucket_count, sizeof *cache->by_pc);
    if (!cache->by_pc)
        return ft_fail_memory(diag, "the code cache");
    status = add_zone(cache, registers.rip, &zone, diag);
    if (status < 0)
        return status;
    /* the first bytes of the first zone: a system call for the host, then the miss stop */
    struct ft_emitter emitter = ft_zone_emitter(zone);
    static const uint8_t gadget[] = {0x0f, 0x05, 0xcc, 0xcc};
    target->syscall_gadget = emitter.address;
    ft_emit_bytes(&emitter, gadget, sizeof gadget);
    cache->miss_stub = emitter.address;
    ft_emit_u8(&emitter, 0xcc);
    ft_zone_commit(zone, &emitter);
    status = ft_code_cache_add_stop(
        cache, &(struct ft_stop){.address = cache->miss_stub, .kind = FT_STOP_MISS}, diag);
    /* the context has no need to be near; next to the zone it leaves the program's layout alone */
    if (status == FT_OK)
        status = share(target, zone->address - ((FT_CONTEXT_BYTES + 0xffffU) & ~0xffffU),
                       FT_CONTEXT_BYTES, PROT_READ | PROT_WRITE, &cache->context_address,
                       &cache->context_host, diag);
    if (status == FT_OK)
        status = guard_buffer(cache, registers.rip, diag);
    if (status == FT_OK)
        reset_landings(cache);
    return status;
}

void ft_code_cache_fini(struct ft_code_cache *cache)
{
    for (size_t i = 0; i < cache->zone_count; i++) {
        struct ft_zone *zone = cache->zones[i];
        for (size_t j = 0; j < zone->translation_count; j++) {
            if (zone->translations[j]->unit.id == 0) /* a trap: no one took the unit over */
                ft_unit_fini(&zone->translations[j]->unit);
            free(zone->translations[j]);
        }
        free(zone->translations);
        munmap(zone->host, zone->bytes);
        free(zone);
    }
    if (cache->context_host)
        munmap(cache->context_host, FT_CONTEXT_BYTES);
    free(cache->zones);
    free(cache->by_pc);
    free(cache->stops);
    *cache = (struct ft_code_cache){0};
}

struct ft_context *ft_code_cache_context(const struct ft_code_cache *cache)
{
    return (struct ft_context *)(void *)cache->context_host;
}

uint8_t *ft_code_cache_host(const struct ft_code_cache *cache, uint64_t address)
{
    if (address - cache->context_address < FT_CONTEXT_BYTES)
        return cache->context_host + (address - cache->context_address);
    for (size_t i = 0; i < cache->zone_count; i++)
        if (address - cache->zones[i]->address < cache->zones[i]->bytes)
            return cache->zones[i]->host + (address - cache->zones[i]->address);
    return NULL;
}

bool ft_code_cache_contains(const struct ft_code_cache *cache, uint64_t address)
{
    for (size_t i = 0; i < cache->zone_count; i++)
        if (address - cache->zones[i]->address < cache->zones[i]->bytes)
            return true;
    return false;
}

static size_t bucket_of(const struct ft_code_cache *cache, uint64_t pc)
{
    return (size_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (cache->bucket_count - 1);
}

int ft_code_cache_add(struct ft_code_cache *cache, struct ft_translation *translation,
                      struct ft_diag *diag)
{
    struct ft_zone *zone = translation->zone;
    if (!FT_RESERVE(zone->translations, zone->translation_capacity, zone->translation_count + 1))
        return ft_fail_memory(diag, "the code cache");
    zone->translations[zone->translation_count++] = translation;
    size_t bucket = bucket_of(cache, translation->unit.pc);
    translation->next = cache->by_pc[bucket];
    cache->by_pc[bucket] = translation;
    return FT_OK;
}

struct ft_translation *ft_code_cache_find(const struct ft_code_cache *cache, uint64_t pc)
{
    struct ft_translation *translation = cache->by_pc[bucket_of(cache, pc)];
    while (translation && translation->unit.pc != pc)
        translation = translation->next;
    return translation;
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

void ft_code_cache_forget(struct ft_code_cache *cache)
{
    memset(cache->by_pc, 0, cache->bucket_count * sizeof *cache->by_pc);
    reset_landings(cache);
}

static size_t stop_slot(const struct ft_code_cache *cache, uint64_t address)
{
    size_t slot = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (cache->stop_slots - 1);
    while (cache->stops[slot].address && cache->stops[slot].address != address)
        slot = (slot + 1) & (cache->stop_slots - 1);
    return slot;
}

int ft_code_cache_add_stop(struct ft_code_cache *cache, const struct ft_stop *stop,
                           struct ft_diag *diag)
{
    if (2 * (cache->stop_count + 1) > cache->stop_slots) {
        struct ft_stop *old = cache->stops;
        size_t old_slots = cache->stop_slots, slots = old_slots ? 2 * old_slots : 1024;
        struct ft_stop *stops = calloc(slots, sizeof *stops);
        if (!stops)
            return ft_fail_memory(diag, "the code cache");
        cache->stops = stops;
        cache->stop_slots = slots;
        for (size_t i = 0; i < old_slots; i++)
            if (old[i].address)
                cache->stops[stop_slot(cache, old[i].address)] = old[i];
        free(old);
    }
    cache->stops[stop_slot(cache, stop->address)] = *stop;
    cache->stop_count++;
    return FT_OK;
}

const struct ft_stop *ft_code_cache_stop(const struct ft_code_cache *cache, uint64_t address)
{
    const struct ft_stop *stop = &cache->stops[stop_slot(cache, address)];
    return stop->address ? stop : NULL;
}

void ft_emit_side_exit(struct ft_emitter *emitter, const struct ft_link *link)
{
    ft_emit_store_imm32(emitter, FT_R11, 0, link->prefix);
    ft_emit_lea(emitter, FT_R11, FT_R11, link->record_bytes);
}

void ft_code_cache_lead(struct ft_code_cache *cache, struct ft_link *link, uint64_t address)
{
    uint32_t displacement = (uint32_t)(address - (link->field + 4));
    memcpy(ft_code_cache_host(cache, link->field), &displacement, sizeof displacement);
    link->linked = true;
}

void ft_code_cache_link(struct ft_code_cache *cache, struct ft_link *link,
                        const struct ft_translation *to)
{
    uint64_t destination = to->entry;
    if (link->instructions) {
        struct ft_emitter emitter = {.at = ft_code_cache_host(cache, link->stub),
                                     .address = link->stub};
        emitter.end = emitter.at + FT_STUB_BYTES;
        ft_emit_side_exit(&emitter, link);
        link->field = ft_emit_jump(&emitter, emitter.address);
        link->stub = emitter.address;
    }
    if (!ft_reaches(link->field + 4, destination)) {
        struct ft_emitter emitter = {.at = ft_code_cache_host(cache, link->stub),
                                     .address = link->stub};
        emitter.end = emitter.at + FT_FAR_JUMP_BYTES;
        ft_emit_far_jump(&emitter, destination);
        destination = link->stub;
    }
    ft_code_cache_lead(cache, link, destination);
}

static uint8_t *bucket_of_landings(const struct ft_code_cache *cache, uint64_t pc)
{
    return cache->context_host + FT_LANDING_TABLE + 8 * (pc & (FT_LANDING_ENTRIES - 1));
}

void ft_emit_landing(struct ft_code_cache *cache, struct ft_emitter *emitter, uint64_t pc)
{
    static const uint8_t add_rax_to_rcx[] = {0x48, 0x8d, 0x0c, 0x01}; /* lea rcx, [rcx+rax] */
    static const uint8_t jump_if_equal[] = {0xe3, 14 + FT_FAR_JUMP_BYTES};
    uint64_t next_landing;
    memcpy(&next_landing, bucket_of_landings(cache, pc), sizeof next_landing);
    ft_emit_mov_imm64(emitter, FT_RAX, -pc);
    ft_emit_bytes(emitter, add_rax_to_rcx, sizeof add_rax_to_rcx);
    ft_emit_bytes(emitter, jump_if_equal, sizeof jump_if_equal);
    ft_emit_mov_imm64(emitter, FT_RAX, pc);
    ft_emit_bytes(emitter, add_rax_to_rcx, sizeof add_rax_to_rcx);
    ft_emit_far_jump(emitter, next_landing);
    ft_emit_load_gs(emitter, FT_RAX, FT_CONTEXT(spill_rax));
    ft_emit_load_gs(emitter, FT_RCX, FT_CONTEXT(spill_rcx));
}

void ft_code_cache_set_landing(struct ft_code_cache *cache, struct ft_translation *translation,
                               uint64_t landing)
{
    set_u64(bucket_of_landings(cache, translation->unit.pc), landing);
    translation->has_landing = true;
}

int ft_code_cache_land(struct ft_code_cache *cache, struct ft_translation *translation,
                       struct ft_diag *diag)
{
    struct ft_zone *zone;
    int status = ft_code_cache_zone(cache, translation->entry, &zone, diag);
    if (status < 0)
        return status;
    struct ft_emitter emitter = ft_zone_emitter(zone);
    uint64_t landing = emitter.address;
    ft_emit_landing(cache, &emitter, translation->unit.pc);
    if (ft_reaches(emitter.address + 5, translation->entry))
        ft_emit_jump(&emitter, translation->entry);
    else
        ft_emit_far_jump(&emitter, translation->entry);
    ft_zone_commit(zone, &emitter);
    ft_code_cache_set_landing(cache, translation, landing);
    return FT_OK;
}
