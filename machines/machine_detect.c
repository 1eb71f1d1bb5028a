/*
 * The nearest shipped machine is taken as a whole, and all of its values are marked as such. Then
 * what the host tells is put in its place, level by level: levels that the host has not go, those
 * that only it has get estimates. A level of which the host tells no size stays as the nearest
 * machine has it.
 *
 * In order: values and marks; lists of levels; caches; TLBs; core and memory; the whole.
 */
#include "machines/machine_detect.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machines/core_file_name.h"
#include "machines/machine.h"
#include "machines/nearest_machine.h"
#include "machines/yaml_sections.h"

#define LEVELS_MAX 8

struct detecting {
    const struct ft_detection *detection;
    const struct ft_capture_host *host;
    struct ft_yaml_machine *yaml;
    char *nearest; /* its name */
    double nearest_clock_ghz;
};

/* ---- values and marks ---- */

static uint64_t fact_of(const struct ft_capture_host *host, const char *name)
{
    const struct ft_host_fact *fact = ft_capture_host_find_fact(host, name);
    return fact && !fact->text ? fact->number : 0;
}

/* Every value of the section is the nearest machine's. */
static int mark_section(const struct detecting *detecting, const struct ft_yaml_section *section,
                        struct ft_diag *diag)
{
    for (size_t k = 0; k < FT_MACHINE_NUMBER_COUNT; k++) {
        char *text = section->numbers->texts[k] ? strdup(section->numbers->texts[k]) : NULL;
        if (!section->numbers->texts[k])
            continue;
        int status =
            text ? ft_yaml_set(section->numbers, section->sources, (enum ft_machine_number)k, text,
                               FT_SOURCE_NEAREST, detecting->nearest, diag)
                 : ft_fail_memory(diag, "a value");
        free(text);
        FT_TRY(status);
    }
    return FT_OK;
}

static int mark_all(const struct detecting *detecting, struct ft_diag *diag)
{
    struct ft_yaml_section_list *list = malloc(sizeof *list);
    int status = list ? FT_OK : ft_fail_memory(diag, "sections");
    if (list)
        ft_yaml_sections(detecting->yaml, list);
    for (size_t i = 0; status == FT_OK && i < list->count; i++)
        status = mark_section(detecting, &list->items[i], diag);
    free(list);
    return status;
}

__attribute__((format(printf, 5, 6))) static int set(struct ft_yaml_level *level,
                                                     enum ft_machine_number key,
                                                     enum ft_source_kind kind, const char *source,
                                                     const char *format, ...)
{
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return ft_yaml_set(&level->numbers, &level->sources, key, text, kind, source, NULL);
}

/* What a level that no nearest machine has must say, too. */
static int set_missing(struct ft_yaml_level *level, enum ft_section_kind kind, double latency)
{
    static const char source[] = "no machine to take it from has this level";
    const enum ft_machine_number cost =
        kind == FT_SECTION_CACHE ? FT_NUMBER_latency_cycles : FT_NUMBER_miss_cycles;
    if (kind != FT_SECTION_CACHE && kind != FT_SECTION_TLB)
        return FT_OK;
    if (!level->numbers.texts[cost])
        FT_TRY(set(level, cost, FT_SOURCE_ESTIMATE, source, "%g", latency));
    if (!level->numbers.texts[FT_NUMBER_exposed_share])
        FT_TRY(set(level, FT_NUMBER_exposed_share, FT_SOURCE_ESTIMATE, source, "1"));
    return FT_OK;
}

/* ---- lists of levels ---- */

static void free_level(struct ft_yaml_level *level)
{
    free(level->name);
    ft_yaml_numbers_fini(&level->numbers);
    ft_yaml_sources_fini(&level->sources);
}

static int resize(struct ft_yaml_level **levels, unsigned *count, unsigned wanted)
{
    while (*count > wanted)
        free_level(&(*levels)[--*count]);
    if (*count == wanted)
        return FT_OK;
    struct ft_yaml_level *grown = realloc(*levels, wanted * sizeof *grown);
    if (!grown)
        return FT_ERROR_MEMORY;
    memset(&grown[*count], 0, (wanted - *count) * sizeof *grown);
    *levels = grown;
    *count = wanted;
    return FT_OK;
}

static int rename_level(struct ft_yaml_level *level, const char *name)
{
    char *copy = strdup(name);
    free(level->name);
    level->name = copy;
    return copy ? FT_OK : FT_ERROR_MEMORY;
}

/* ---- caches ---- */

/* A list of processors as bits: "0-3,8". */
static bool has_processor(const char *list, unsigned long processor)
{
    while (*list) {
        char *end;
        const unsigned long first = strtoul(list, &end, 10);
        const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        if (end == list)
            return false;
        if (processor >= first && processor <= last)
            return true;
        list = end + (*end == ',');
    }
    return false;
}

/* Cores, known by their own L1 caches, that share a cache; 0: unknown. */
static unsigned cores_of(const struct ft_capture_host *host, const struct ft_host_cache *shared)
{
    unsigned cores = 0;
    for (size_t i = 0; i < host->cache_count; i++) {
        const struct ft_host_cache *cache = &host->caches[i];
        if (cache->level == 1 && cache->content != FT_CACHE_INSTRUCTIONS && cache->processors[0] &&
            has_processor(shared->processors, strtoul(cache->processors, NULL, 10)))
            cores++;
    }
    return cores;
}

/* As many as there are, or the next fewer that divide the lines. */
static uint64_t fitting_ways(uint64_t blocks, uint64_t ways)
{
    if (ways == 0 || ways > blocks)
        ways = blocks < 8 ? blocks : 8;
    while (blocks % ways != 0)
        ways--;
    return ways;
}

/* "32K", "1M": what it divides by. */
static int set_capacity(struct ft_yaml_level *level, uint64_t bytes, const char *source)
{
    const unsigned shift = bytes % (1U << 20) == 0 ? 20 : bytes % 1024 == 0 ? 10 : 0;
    return set(level, FT_NUMBER_capacity, FT_SOURCE_VENDOR, source, "%" PRIu64 "%s", bytes >> shift,
               shift == 20 ? "M"
               : shift     ? "K"
                           : "");
}

static int set_cache(const struct detecting *detecting, const struct ft_host_cache *cache,
                     struct ft_yaml_level *level)
{
    const char *source = detecting->detection->source;
    const uint64_t line = cache->line_bytes ? cache->line_bytes : 64;
    const uint64_t blocks = cache->size_bytes / line;
    const uint64_t ways = fitting_ways(blocks, cache->ways);
    const unsigned cores = cores_of(detecting->host, cache);
    const bool is_full = cache->ways == 0 ? false : ways == blocks;
    FT_TRY(set_capacity(level, blocks * line, source));
    FT_TRY(set(level, FT_NUMBER_line, cache->line_bytes ? FT_SOURCE_VENDOR : FT_SOURCE_ESTIMATE,
               cache->line_bytes ? source : "the host does not tell it", "%" PRIu64, line));
    if (is_full)
        FT_TRY(set(level, FT_NUMBER_ways, FT_SOURCE_VENDOR, source, "full"));
    else
        FT_TRY(set(level, FT_NUMBER_ways,
                   ways == cache->ways ? FT_SOURCE_VENDOR : FT_SOURCE_ESTIMATE,
                   ways == cache->ways ? source : "the host tells none that divide its lines",
                   "%" PRIu64, ways));
    free(level->numbers.texts[FT_NUMBER_shared_by]);
    level->numbers.texts[FT_NUMBER_shared_by] = NULL;
    level->shared = cores > 1;
    if (cores > 1)
        FT_TRY(set(level, FT_NUMBER_shared_by, FT_SOURCE_VENDOR, source, "%u", cores));
    level->unified = cache->content == FT_CACHE_UNIFIED;
    return FT_OK;
}

/* What the nearest machine's behaviour demands and the detected geometry has not is left out. */
static void drop_behaviour(struct ft_yaml_level *level, const struct ft_yaml_level *before)
{
    const double ways = ft_yaml_number(&level->numbers, FT_NUMBER_ways);
    const bool is_power = ways > 0 && ways <= 64 && ((unsigned)ways & ((unsigned)ways - 1)) == 0;
    if (level->replacement == FT_REPLACE_PLRU && !is_power)
        level->replacement = FT_REPLACE_LRU;
    if (level->inclusion != FT_INCLUSION_NONE &&
        (!before || ft_yaml_number(&before->numbers, FT_NUMBER_line) !=
                        ft_yaml_number(&level->numbers, FT_NUMBER_line)))
        level->inclusion = FT_INCLUSION_NONE;
}

/* The levels of a kind that the host has, in order; their count. Those of unknown size are listed
 * up to the level that the nearest machine has, too. */
static unsigned list_caches(const struct ft_capture_host *host, bool instructions,
                            unsigned nearest_levels,
                            const struct ft_host_cache *ret_caches[LEVELS_MAX])
{
    unsigned count = 0;
    for (unsigned level = 1; level <= LEVELS_MAX; level++) {
        const struct ft_host_cache *cache = ft_host_cache_at(host, level, instructions);
        const bool is_whole =
            cache && cache->size_bytes >= (cache->line_bytes ? cache->line_bytes : 64);
        if (is_whole || (cache && cache->size_bytes == 0 && count < nearest_levels))
            ret_caches[count++] = cache;
    }
    return count;
}

/* A host that tells of no instruction caches keeps those of the nearest machine. */
static int set_caches(const struct detecting *detecting, bool instructions, struct ft_diag *diag)
{
    const struct ft_host_cache *caches[LEVELS_MAX];
    struct ft_yaml_machine *yaml = detecting->yaml;
    const unsigned count =
        list_caches(detecting->host, instructions,
                    instructions ? yaml->instruction_caches_count : yaml->caches_count, caches);
    struct ft_yaml_level **levels = instructions ? &yaml->instruction_caches : &yaml->caches;
    const enum ft_section_kind kind =
        instructions ? FT_SECTION_INSTRUCTION_CACHE : FT_SECTION_CACHE;
    double latency = 2;
    int status =
        resize(levels, instructions ? &yaml->instruction_caches_count : &yaml->caches_count, count);
    for (unsigned i = 0; status == FT_OK && i < count; i++) {
        struct ft_yaml_level *level = &(*levels)[i];
        char name[16];
        if (caches[i]->size_bytes == 0) {
            latency = ft_yaml_number(&level->numbers, FT_NUMBER_latency_cycles);
            continue;
        }
        snprintf(name, sizeof name, "L%u%s", caches[i]->level,
                 caches[i]->content == FT_CACHE_DATA      ? "D"
                 : caches[i]->content == FT_CACHE_UNIFIED ? ""
                                                          : "I");
        status = rename_level(level, name);
        if (status == FT_OK)
            status = set_cache(detecting, caches[i], level);
        if (status == FT_OK)
            status = set_missing(level, kind, 2 * latency);
        drop_behaviour(level, i ? level - 1 : NULL);
        latency = ft_yaml_number(&level->numbers, FT_NUMBER_latency_cycles);
    }
    return status == FT_OK ? FT_OK : ft_fail_memory(diag, "caches");
}

/* ---- TLBs ---- */

/* The first of a level for pages of this size. */
static const struct ft_host_tlb *tlb_at(const struct ft_capture_host *host, unsigned level,
                                        uint64_t page_bytes, bool instructions)
{
    for (size_t i = 0; i < host->tlb_count; i++) {
        const struct ft_host_tlb *tlb = &host->tlbs[i];
        if (tlb->level == level && tlb->page_bytes == page_bytes && tlb->entries > 0 &&
            (tlb->content == FT_CACHE_INSTRUCTIONS) == instructions)
            return tlb;
    }
    return NULL;
}

static int set_tlb(const struct detecting *detecting, const struct ft_host_tlb *tlb,
                   struct ft_yaml_level *level)
{
    const char *source = detecting->detection->source;
    char name[24];
    snprintf(name, sizeof name, "L%u %sTLB", tlb->level,
             tlb->content == FT_CACHE_DATA      ? "D"
             : tlb->content == FT_CACHE_UNIFIED ? ""
                                                : "I");
    FT_TRY(rename_level(level, name));
    FT_TRY(set(level, FT_NUMBER_entries, FT_SOURCE_VENDOR, source, "%" PRIu32, tlb->entries));
    FT_TRY(set(level, FT_NUMBER_page, FT_SOURCE_VENDOR, source, "%" PRIu64 "K",
               tlb->page_bytes / 1024));
    level->unified = tlb->content == FT_CACHE_UNIFIED;
    const uint64_t ways = fitting_ways(tlb->entries, tlb->ways);
    if (tlb->ways == tlb->entries)
        return set(level, FT_NUMBER_ways, FT_SOURCE_VENDOR, source, "full");
    return set(level, FT_NUMBER_ways, ways == tlb->ways ? FT_SOURCE_VENDOR : FT_SOURCE_ESTIMATE,
               ways == tlb->ways ? source : "the host tells none that divide its entries",
               "%" PRIu64, ways);
}

/* A host that tells of no TLBs keeps those of the nearest machine. */
static int set_tlbs(const struct detecting *detecting, bool instructions, struct ft_diag *diag)
{
    const struct ft_host_tlb *tlbs[LEVELS_MAX];
    struct ft_yaml_machine *yaml = detecting->yaml;
    struct ft_yaml_level **levels = instructions ? &yaml->instruction_tlbs : &yaml->tlbs;
    const uint64_t page = fact_of(detecting->host, "page_bytes");
    unsigned count = 0;
    for (unsigned level = 1; level <= LEVELS_MAX; level++) {
        tlbs[count] = tlb_at(detecting->host, level, page ? page : 4096, instructions);
        count += tlbs[count] != NULL;
        if (count == LEVELS_MAX)
            break;
    }
    if (count == 0)
        return FT_OK;
    int status =
        resize(levels, instructions ? &yaml->instruction_tlbs_count : &yaml->tlbs_count, count);
    for (unsigned i = 0; status == FT_OK && i < count; i++) {
        status = set_tlb(detecting, tlbs[i], &(*levels)[i]);
        if (status == FT_OK)
            status = set_missing(&(*levels)[i],
                                 instructions ? FT_SECTION_INSTRUCTION_TLB : FT_SECTION_TLB, 30);
        drop_behaviour(&(*levels)[i], NULL);
    }
    return status == FT_OK ? FT_OK : ft_fail_memory(diag, "TLBs");
}

/* ---- core and memory ---- */

static int set_clock(const struct detecting *detecting, struct ft_diag *diag)
{
    struct ft_yaml_core *core = &detecting->yaml->core;
    const uint64_t max_khz = fact_of(detecting->host, "cpu_clock_max_khz"),
                   now_khz = fact_of(detecting->host, "cpu_clock_khz");
    const uint64_t khz = max_khz ? max_khz : now_khz;
    char text[32];
    if (khz < 100000 || khz > 10000000) /* the range of the key */
        return FT_OK;
    snprintf(text, sizeof text, "%.6g", (double)khz / 1e6);
    return max_khz ? ft_yaml_set(&core->numbers, &core->sources, FT_NUMBER_clock_ghz, text,
                                 FT_SOURCE_VENDOR, "the highest clock that the host tells", diag)
                   : ft_yaml_set(&core->numbers, &core->sources, FT_NUMBER_clock_ghz, text,
                                 FT_SOURCE_ESTIMATE,
                                 "the clock that the kernel shows; the core may run faster", diag);
}

/* Memory is as many nanoseconds away as the nearest machine's, but behind the last cache. */
static int set_memory(const struct detecting *detecting, struct ft_diag *diag)
{
    static const enum ft_machine_number keys[] = {FT_NUMBER_latency_cycles,
                                                  FT_NUMBER_dirty_latency_cycles};
    const struct ft_yaml_machine *yaml = detecting->yaml;
    struct ft_yaml_memory *memory = &detecting->yaml->memory;
    const double clock = ft_yaml_number(&yaml->core.numbers, FT_NUMBER_clock_ghz);
    const double last =
        ft_yaml_number(&yaml->caches[yaml->caches_count - 1].numbers, FT_NUMBER_latency_cycles);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const double cycles = ft_yaml_number(&memory->numbers, keys[i]);
        double scaled = cycles * clock / detecting->nearest_clock_ghz;
        char text[32];
        if (cycles == 0)
            continue;
        scaled = scaled > 1.5 * last ? scaled : 1.5 * last;
        snprintf(text, sizeof text, "%.0f", scaled);
        FT_TRY(ft_yaml_set(&memory->numbers, &memory->sources, keys[i], text, FT_SOURCE_NEAREST,
                           detecting->nearest, diag));
    }
    return FT_OK;
}

static int describe(const struct detecting *detecting, struct ft_diag *diag)
{
    const char *processor = detecting->detection->processor;
    struct ft_yaml_machine *yaml = detecting->yaml;
    char *description = NULL;
    if (asprintf(&description, "%s, one core, detected; what cannot be seen is as in %s",
                 processor && processor[0] ? processor : "a host", detecting->nearest) < 0)
        return ft_fail_memory(diag, "a description");
    for (char *c = description; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    free(yaml->description);
    yaml->description = description;
    return FT_OK;
}

/* The nearest machine's core file, malloc'ed, where the processor has none of its own and is of the
 * same vendor; else NULL. */
static char *borrowed_core_file(const struct ft_yaml_machine *nearest, const char *vendor,
                                char *cpuid)
{
    char *own = ft_core_file_name_of(&cpuid, 1);
    bool is_of_vendor = false;
    for (unsigned i = 0; i < nearest->cpuid_count; i++)
        is_of_vendor |= strncmp(nearest->cpuid[i], vendor, strlen(vendor)) == 0;
    const bool borrows = !own && is_of_vendor;
    free(own);
    return borrows ? ft_core_file_name_of(nearest->cpuid, nearest->cpuid_count) : NULL;
}

/* Instead of the nearest machine's processors, the host's. */
static int set_processor(const struct detecting *detecting, struct ft_diag *diag)
{
    const struct ft_capture_host *host = detecting->host;
    const struct ft_host_fact *vendor = ft_capture_host_find_fact(host, "cpu_vendor");
    struct ft_yaml_machine *yaml = detecting->yaml;
    char *cpuid = NULL;
    if (vendor && vendor->text) {
        if (asprintf(&cpuid, "%s %" PRIu64 " %" PRIu64, vendor->text, fact_of(host, "cpu_family"),
                     fact_of(host, "cpu_model")) < 0)
            return ft_fail_memory(diag, "a processor");
        yaml->core_file = borrowed_core_file(yaml, vendor->text, cpuid);
    }
    for (unsigned i = 0; i < yaml->cpuid_count; i++)
        free(yaml->cpuid[i]);
    yaml->cpuid_count = 0;
    if (!cpuid)
        return FT_OK;
    char **list = realloc((void *)yaml->cpuid, sizeof *list);
    if (!list) {
        free(cpuid);
        return ft_fail_memory(diag, "a processor");
    }
    yaml->cpuid = list;
    yaml->cpuid[yaml->cpuid_count++] = cpuid;
    return FT_OK;
}

/* ---- the whole ---- */

static int detect(const struct detecting *detecting, struct ft_diag *diag)
{
    FT_TRY(mark_all(detecting, diag));
    FT_TRY(set_clock(detecting, diag));
    FT_TRY(set_caches(detecting, false, diag));
    FT_TRY(set_caches(detecting, true, diag));
    FT_TRY(set_tlbs(detecting, false, diag));
    FT_TRY(set_tlbs(detecting, true, diag));
    FT_TRY(set_memory(detecting, diag));
    FT_TRY(set_processor(detecting, diag));
    return describe(detecting, diag);
}

int ft_machine_detect(const struct ft_detection *detection, struct ft_yaml_machine **ret_yaml,
                      struct ft_diag *diag)
{
    const struct ft_host_cache *caches[LEVELS_MAX];
    struct detecting detecting = {.detection = detection, .host = detection->host};
    if (list_caches(detection->host, false, 0, caches) == 0)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "no caches are known of this host: write a machine file by hand "
                       "(docs/machines.md), or take the most similar of 'foretrace machine list'");
    FT_TRY(ft_nearest_machine(detection->host, &detecting.nearest, &detecting.yaml, diag));
    detecting.nearest_clock_ghz =
        ft_yaml_number(&detecting.yaml->core.numbers, FT_NUMBER_clock_ghz);
    int status = detect(&detecting, diag);
    free(detecting.nearest);
    if (status == FT_OK)
        *ret_yaml = detecting.yaml;
    else
        ft_yaml_machine_free(detecting.yaml);
    return status;
}
