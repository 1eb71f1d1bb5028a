/*
 * Zones lie below a module if there is room (the heap grows above), within 2 GiB so that
 * RIP-relative operands still reach. Code grows from a zone's start, constants from its end.
 */
#include "trace-capture/translate/code_zones.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "formats/base/array.h"
#include "trace-capture/target/memory_map.h"
#include "trace-capture/target/region.h"
#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/emit_x86_64.h"
#include "trace-capture/translate/translation.h"

#define ZONE_BYTES (UINT64_C(128) << 20)
#define REACH      ((UINT64_C(1) << 31) - (UINT64_C(1) << 26)) /* with room for a module's extent */
#define UNIT_ROOM  (UINT64_C(64) << 10) /* more than any translated unit takes */
#define PAGE       4096U

static bool is_free(const struct ft_memory_map *map, uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < map->count; i++)
        if (map->mappings[i].start < end && start < map->mappings[i].end)
            return false;
    return start >= (UINT64_C(1) << 16) && end <= (UINT64_C(1) << 47) - PAGE;
}

/* A free address for a zone within reach of pc: as far below as possible, else as far above; 0:
 * none. */
static uint64_t find_zone_address(const struct ft_memory_map *map, uint64_t pc)
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

static int add_zone(struct ft_code_cache *cache, uint64_t pc, struct ft_zone **ret_zone,
                    struct ft_diag *diag)
{
    struct ft_memory_map map;
    int status = ft_memory_map_read(cache->target, &map, diag);
    if (status < 0)
        return status;
    uint64_t address = find_zone_address(&map, pc);
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
    status = ft_memory_share(cache->target, address, zone->bytes, PROT_READ | PROT_EXEC,
                             &zone->address, &zone->host, diag);
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

uint64_t ft_code_cache_region(const struct ft_code_cache *cache, const struct ft_zone *zone,
                              size_t bytes)
{
    struct ft_memory_map map;
    struct ft_diag ignored;
    const uint64_t address = zone->address - ((bytes + 0xffffU) & ~UINT64_C(0xffff));
    if (zone->address < bytes || ft_memory_map_read(cache->target, &map, &ignored) < 0)
        return 0;
    bool has_room = is_free(&map, address, address + bytes);
    ft_memory_map_fini(&map);
    return has_room ? address : 0;
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

uint8_t *ft_code_cache_host(const struct ft_code_cache *cache, uint64_t address)
{
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
