/*
 * Levels are checked one by one as they are added, then the machine as a whole: capacities may rise
 * or fall from level to level, but latencies must rise, as the difference is the cost of a miss.
 */
#include "machines/machine_build.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machines/yaml_walk.h"

int ft_machine_fail(const struct ft_machine_section *section, const char *key, struct ft_diag *diag,
                    const char *format, ...)
{
    const struct ft_machine_source *source = section->source;
    char what[512], path[256], line[32] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(path, sizeof path, "%s.%s", section->path, key);
    const unsigned number =
        source->yaml ? ft_yaml_line_of(source->yaml, source->yaml_bytes, path) : 0;
    if (number)
        snprintf(line, sizeof line, "line %u: ", number);
    return ft_fail(diag, FT_ERROR_DATA, "%s: %s%s%s%s%s: %s", source->name, line, path,
                   section->name ? " (" : "", section->name ? section->name : "",
                   section->name ? ")" : "", what);
}

int ft_machine_number(const struct ft_machine_section *section, enum ft_machine_number number,
                      const char *text, double *ret_value, struct ft_diag *diag)
{
    struct ft_diag why;
    return ft_number_read(number, text, ret_value, &why) == FT_OK
               ? FT_OK
               : ft_machine_fail(section, ft_number_keys[number].name, diag, "%s", why.message);
}

/* ---- a level ---- */

static int check_level(const struct ft_level_text *text, const struct ft_level *level,
                       struct ft_diag *diag)
{
    const bool cache = text->kind == FT_LEVEL_CACHE;
    if ((text->block_bytes & (text->block_bytes - 1)) != 0)
        return ft_machine_fail(&text->section, cache ? "line" : "page", diag,
                               "expected a power of two");
    if (level->blocks == 0 || text->capacity_bytes % text->block_bytes != 0)
        return ft_machine_fail(&text->section, cache ? "capacity" : "entries", diag,
                               "expected a multiple of the %s size", cache ? "line" : "page");
    if (level->ways > level->blocks || level->blocks % level->ways != 0)
        return ft_machine_fail(&text->section, "ways", diag, "do not divide the number of %s",
                               cache ? "lines" : "entries");
    return FT_OK;
}

/* What a level cannot be by itself; what it cannot be beside others: ft_machine_check. */
static int check_behaviour(const struct ft_level_text *text, const struct ft_level *level,
                           struct ft_diag *diag)
{
    const struct ft_behaviour *behaviour = &text->behaviour;
    const struct ft_machine_section *section = &text->section;
    if (behaviour->replacement == FT_REPLACE_PLRU &&
        (level->ways > FT_PLRU_WAYS_MAX || (level->ways & (level->ways - 1)) != 0))
        return ft_machine_fail(section, "replacement", diag,
                               "plru requires 1, 2, 4, 8, 16, 32 or 64 ways");
    if (behaviour->prefetch == FT_PREFETCH_NONE && behaviour->prefetch_blocks != 0)
        return ft_machine_fail(section, "prefetch_lines", diag,
                               "requires a prefetcher: set prefetch too");
    if (text->kind == FT_LEVEL_TLB &&
        (behaviour->inclusion || behaviour->write || behaviour->write_miss || behaviour->prefetch))
        return ft_machine_fail(section, "behaviour", diag,
                               "TLBs allow only replacement and unified");
    if (text->instruction && (behaviour->unified || behaviour->write || behaviour->write_miss))
        return ft_machine_fail(section, "behaviour", diag,
                               "instruction levels cannot be unified or written to");
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
    const uint64_t blocks = text->capacity_bytes / text->block_bytes;
    struct ft_level level = {
        .kind = (uint8_t)text->kind,
        .block_bytes = text->block_bytes,
        .blocks = blocks,
        .ways = text->ways ? text->ways : blocks,
        .latency_cycles = text->latency_cycles,
        .exposed_share = text->exposed_share,
        .shared = text->shared,
        .shared_by = text->shared_by ? text->shared_by : 1,
        .behaviour = text->behaviour,
        .speed = text->speed,
    };
    int status = check_level(text, &level, diag);
    if (status == FT_OK)
        status = check_behaviour(text, &level, diag);
    if (status != FT_OK)
        return status;
    const char *name = text->section.name;
    if (has_level(machine->levels, machine->level_count, name) ||
        has_level(machine->instruction_levels, machine->instruction_level_count, name))
        return ft_machine_fail(&text->section, "name", diag, "another level has this name");
    level.name = strdup(name);
    if (!level.name)
        return ft_fail_memory(diag, text->section.source->name);
    bool added =
        text->instruction
            ? insert_level(&machine->instruction_levels, &machine->instruction_level_count,
                           &machine->instruction_cache_count, &level)
            : insert_level(&machine->levels, &machine->level_count, &machine->cache_count, &level);
    if (added)
        return FT_OK;
    free(level.name);
    return ft_fail_memory(diag, text->section.source->name);
}

/* ---- levels beside others ---- */

/* A chain of caches, for messages. */
struct chain {
    const struct ft_machine_source *source;
    const char *key;
    const struct ft_level *levels;
    size_t count;
};

static int fail_inclusion(const struct chain *chain, size_t index, const char *wrong,
                          struct ft_diag *diag)
{
    char path[48];
    snprintf(path, sizeof path, "%s[%zu]", chain->key, index + 1);
    const struct ft_machine_section section = {chain->source, path, chain->levels[index].name};
    return ft_machine_fail(&section, "inclusion", diag, "%s", wrong);
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

static int check_chains(const struct ft_machine_source *source, const struct ft_machine *machine,
                        struct ft_diag *diag)
{
    const struct chain data = {source, "caches", machine->levels, machine->cache_count};
    const struct chain instructions = {source, "instruction_caches", machine->instruction_levels,
                                       machine->instruction_cache_count};
    FT_TRY(check_inclusion(&data, diag));
    FT_TRY(check_inclusion(&instructions, diag));
    return check_junction(&data, &instructions, diag);
}

/* Latencies rise from cache to cache and to memory. */
static int check_latencies(const struct ft_machine_source *source, const struct ft_machine *machine,
                           struct ft_diag *diag)
{
    const struct ft_machine_section memory = {source, "memory", NULL};
    double latency = 0;
    for (size_t i = 0; i < machine->cache_count; i++) {
        const struct ft_level *level = &machine->levels[i];
        char path[48];
        snprintf(path, sizeof path, "caches[%zu]", i + 1);
        const struct ft_machine_section section = {source, path, level->name};
        if (level->latency_cycles <= latency)
            return ft_machine_fail(&section, "latency_cycles", diag,
                                   "%g is not above the %g cycles of the previous level",
                                   level->latency_cycles, latency);
        latency = level->latency_cycles;
    }
    if (machine->memory_latency_cycles <= latency)
        return ft_machine_fail(&memory, "latency_cycles", diag,
                               "%g is not above the %g cycles of the last cache",
                               machine->memory_latency_cycles, latency);
    if (machine->dirty_memory_latency_cycles != 0 &&
        machine->dirty_memory_latency_cycles < machine->memory_latency_cycles)
        return ft_machine_fail(&memory, "dirty_latency_cycles", diag, "%g is below latency_cycles",
                               machine->dirty_memory_latency_cycles);
    return FT_OK;
}

int ft_machine_check(const struct ft_machine_source *source, const struct ft_machine *machine,
                     struct ft_diag *diag)
{
    FT_TRY(check_latencies(source, machine, diag));
    return check_chains(source, machine, diag);
}
