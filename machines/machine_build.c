/*
 * Levels are checked one by one as they are added, then the machine as a whole: capacities may rise
 * or fall from level to level, but latencies must rise, as the difference is the cost of a miss.
 */
#include "machines/machine_build.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/parse.h"

static bool is_positive(double value)
{
    return value > 0 && isfinite(value);
}

/* Ways as a number; blocks for "full"; 0 where the text is neither. */
static uint64_t parse_ways(const char *text, uint64_t blocks)
{
    if (strcmp(text, "full") == 0)
        return blocks;
    uint64_t ways;
    return ft_parse_u64(text, &ways) ? ways : 0;
}

static int fail_level(const struct ft_level_text *text, const char *key, const char *wrong,
                      struct ft_diag *diag)
{
    return ft_fail(diag, FT_ERROR_DATA, "%s: %s.%s (%s): %s", text->where, text->section, key,
                   text->name, wrong);
}

static int check_level(const struct ft_level_text *text, const struct ft_level *level,
                       struct ft_diag *diag)
{
    bool cache = text->kind == FT_LEVEL_CACHE;
    const char *key = NULL, *wrong = NULL;
    if (text->block_bytes < 2 || (text->block_bytes & (text->block_bytes - 1)) != 0) {
        key = cache ? "line" : "page";
        wrong = "expected a power of two above 1";
    } else if (level->blocks == 0 || text->capacity_bytes % text->block_bytes != 0) {
        key = cache ? "capacity" : "entries";
        wrong = cache ? "expected a multiple of the line size" : "expected at least 1";
    } else if (level->ways == 0) {
        key = "ways";
        wrong = "expected an integer of at least 1, or 'full'";
    } else if (level->ways > level->blocks || level->blocks % level->ways != 0) {
        key = "ways";
        wrong = cache ? "do not divide the number of lines" : "do not divide the number of entries";
    } else if (!text->instruction && !is_positive(level->latency_cycles)) {
        key = cache ? "latency_cycles" : "miss_cycles";
        wrong = "expected a number above 0";
    } else if (!(level->exposed_share >= 0 && level->exposed_share <= 1)) {
        key = "exposed_share";
        wrong = "expected a share from 0 to 1";
    }
    if (!key)
        return FT_OK;
    return fail_level(text, key, wrong, diag);
}

/* What a level cannot be by itself; what it cannot be beside others: ft_machine_check. */
static int check_behaviour(const struct ft_level_text *text, const struct ft_level *level,
                           struct ft_diag *diag)
{
    const struct ft_behaviour *behaviour = &text->behaviour;
    if (behaviour->replacement == FT_REPLACE_PLRU &&
        (level->ways > FT_PLRU_WAYS_MAX || (level->ways & (level->ways - 1)) != 0))
        return fail_level(text, "replacement", "plru requires 1, 2, 4, 8, 16, 32 or 64 ways", diag);
    if (behaviour->prefetch == FT_PREFETCH_NONE && behaviour->prefetch_blocks != 0)
        return fail_level(text, "prefetch_lines", "requires a prefetcher: set prefetch too", diag);
    if (behaviour->prefetch != FT_PREFETCH_NONE &&
        (behaviour->prefetch_blocks == 0 || behaviour->prefetch_blocks > FT_PREFETCH_BLOCKS_MAX))
        return fail_level(text, "prefetch_lines", "expected an integer from 1 to 64", diag);
    if (text->kind == FT_LEVEL_TLB &&
        (behaviour->inclusion || behaviour->write || behaviour->write_miss || behaviour->prefetch))
        return fail_level(text, "behaviour", "TLBs allow only replacement and unified", diag);
    if (text->instruction && (behaviour->unified || behaviour->write || behaviour->write_miss))
        return fail_level(text, "behaviour", "instruction levels cannot be unified or written to",
                          diag);
    return FT_OK;
}

static bool has_level(const struct ft_level *levels, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(levels[i].name, name) == 0)
            return true;
    return false;
}

/* Caches stand before TLBs, in whatever order they come. False: out of memory. */
static bool insert_level(struct ft_level **levels, size_t *level_count, size_t *cache_count,
                         const struct ft_level *level)
{
    struct ft_level *grown = realloc(*levels, (*level_count + 1) * sizeof **levels);
    if (!grown)
        return false;
    *levels = grown;
    size_t position = level->kind == FT_LEVEL_CACHE ? (*cache_count)++ : *level_count;
    memmove(&grown[position + 1], &grown[position], (*level_count - position) * sizeof *grown);
    grown[position] = *level;
    ++*level_count;
    return true;
}

int ft_machine_add_level(struct ft_machine *machine, const struct ft_level_text *text,
                         struct ft_diag *diag)
{
    uint64_t blocks = text->block_bytes ? text->capacity_bytes / text->block_bytes : 0;
    struct ft_level level = {
        .kind = (uint8_t)text->kind,
        .block_bytes = text->block_bytes,
        .blocks = blocks,
        .ways = parse_ways(text->ways, blocks),
        .latency_cycles = text->latency_cycles,
        .exposed_share = text->exposed_share,
        .shared = text->shared,
        .shared_by = text->shared_by ? text->shared_by : 1,
        .behaviour = text->behaviour,
    };
    int status = check_level(text, &level, diag);
    if (status == FT_OK)
        status = check_behaviour(text, &level, diag);
    if (status != FT_OK)
        return status;
    if (has_level(machine->levels, machine->level_count, text->name) ||
        has_level(machine->instruction_levels, machine->instruction_level_count, text->name))
        return ft_fail(diag, FT_ERROR_DATA, "%s: %s.name: duplicate level name '%s'", text->where,
                       text->section, text->name);
    level.name = strdup(text->name);
    if (!level.name)
        return ft_fail_memory(diag, text->where);
    bool added =
        text->instruction
            ? insert_level(&machine->instruction_levels, &machine->instruction_level_count,
                           &machine->instruction_cache_count, &level)
            : insert_level(&machine->levels, &machine->level_count, &machine->cache_count, &level);
    if (added)
        return FT_OK;
    free(level.name);
    return ft_fail_memory(diag, text->where);
}

/* A chain of caches, for messages. */
struct chain {
    const char *where, *section;
    const struct ft_level *levels;
    size_t count;
};

static int fail_inclusion(const struct chain *chain, size_t index, const char *wrong,
                          struct ft_diag *diag)
{
    return ft_fail(diag, FT_ERROR_DATA, "%s: %s[%zu].inclusion (%s): %s", chain->where,
                   chain->section, index + 1, chain->levels[index].name, wrong);
}

/* What an exclusive level cannot be because of one that misses into it; NULL: nothing. */
static const char *wrong_before_exclusive(const struct ft_level *before,
                                          const struct ft_level *level)
{
    if (level->behaviour.prefetch != FT_PREFETCH_NONE)
        return "exclusive levels hold only victims: put the prefetcher in the previous level";
    if (level->block_bytes != before->block_bytes)
        return "exclusive requires the line size of the previous level";
    if (before->behaviour.write_miss == FT_WRITE_AROUND)
        return "exclusive requires a previous level that allocates on writes";
    if (before->behaviour.write == FT_WRITE_THROUGH)
        return "exclusive requires a previous level that writes back";
    return NULL;
}

/* What a level cannot be because of the one before. */
static int check_inclusion(const struct chain *chain, struct ft_diag *diag)
{
    for (size_t i = 0; i < chain->count; i++) {
        uint8_t inclusion = chain->levels[i].behaviour.inclusion;
        const char *wrong = NULL;
        if (inclusion != FT_INCLUSION_NONE && i == 0)
            wrong = "requires a previous level";
        else if (inclusion == FT_EXCLUSIVE)
            wrong = wrong_before_exclusive(&chain->levels[i - 1], &chain->levels[i]);
        if (wrong)
            return fail_inclusion(chain, i, wrong, diag);
    }
    return FT_OK;
}

/* The unified cache that the last instruction cache misses into. */
static int check_junction(const struct chain *data, const struct chain *instructions,
                          struct ft_diag *diag)
{
    size_t i = 0;
    while (i < data->count && !data->levels[i].behaviour.unified)
        i++;
    if (i == data->count || instructions->count == 0 ||
        data->levels[i].behaviour.inclusion != FT_EXCLUSIVE)
        return FT_OK;
    const struct ft_level *last = &instructions->levels[instructions->count - 1];
    const char *wrong = wrong_before_exclusive(last, &data->levels[i]);
    return wrong ? fail_inclusion(data, i, wrong, diag) : FT_OK;
}

static int check_chains(const char *where, const struct ft_machine *machine, struct ft_diag *diag)
{
    const struct chain data = {where, "caches", machine->levels, machine->cache_count};
    const struct chain instructions = {where, "instruction_caches", machine->instruction_levels,
                                       machine->instruction_cache_count};
    int status = check_inclusion(&data, diag);
    if (status == FT_OK)
        status = check_inclusion(&instructions, diag);
    return status == FT_OK ? check_junction(&data, &instructions, diag) : status;
}

int ft_machine_check(const char *where, const struct ft_machine *machine, struct ft_diag *diag)
{
    if (!is_positive(machine->clock_ghz))
        return ft_fail(diag, FT_ERROR_DATA, "%s: core.clock_ghz: expected a number above 0", where);
    if (!is_positive(machine->issue_width))
        return ft_fail(diag, FT_ERROR_DATA, "%s: core.issue_width: expected a number above 0",
                       where);
    double latency = 0;
    for (size_t i = 0; i < machine->cache_count; i++) {
        if (machine->levels[i].latency_cycles <= latency)
            return ft_fail(diag, FT_ERROR_DATA,
                           "%s: caches[%zu].latency_cycles (%s): %g is not above the %g cycles of "
                           "the previous level",
                           where, i + 1, machine->levels[i].name, machine->levels[i].latency_cycles,
                           latency);
        latency = machine->levels[i].latency_cycles;
    }
    if (!(machine->memory_latency_cycles > latency && isfinite(machine->memory_latency_cycles)))
        return ft_fail(diag, FT_ERROR_DATA,
                       "%s: memory.latency_cycles: %g is not above the %g cycles of the last cache",
                       where, machine->memory_latency_cycles, latency);
    if (machine->dirty_memory_latency_cycles != 0 &&
        !(machine->dirty_memory_latency_cycles >= machine->memory_latency_cycles &&
          isfinite(machine->dirty_memory_latency_cycles)))
        return ft_fail(diag, FT_ERROR_DATA,
                       "%s: memory.dirty_latency_cycles: %g is below latency_cycles", where,
                       machine->dirty_memory_latency_cycles);
    return check_chains(where, machine, diag);
}
