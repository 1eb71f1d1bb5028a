/*
 * From files of the kernel, /proc/cpuinfo and /sys/devices/system/cpu, and from cpuid what they do
 * not tell: TLBs, the highest clock, and caches where /sys shows none (as in some virtual
 * machines).
 */
#include "machines/host/host_hardware.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machines/host/system_files.h"

#define CPU_FOLDER "/sys/devices/system/cpu"

static bool add_processor(struct ft_capture_host *host)
{
    static const struct {
        const char *key, *name;
        bool is_number;
    } rows[] = {{"vendor_id", "cpu_vendor", false}, {"cpu family", "cpu_family", true},
                {"model", "cpu_model", true},       {"stepping", "cpu_stepping", true},
                {"microcode", "microcode", false},  {"flags", "cpu_flags", false}};
    size_t bytes;
    char value[8192], *text = ft_system_file_read("/proc/cpuinfo", &bytes);
    bool added = true;
    for (size_t i = 0; text && added && i < sizeof rows / sizeof *rows; i++)
        if (ft_find_value(text, rows[i].key, value, sizeof value))
            added = rows[i].is_number
                        ? ft_capture_host_fact(host, rows[i].name, NULL, strtoull(value, NULL, 10))
                        : ft_capture_host_fact(host, rows[i].name, value, 0);
    free(text);
    return added;
}

/* In kHz: the highest, as cpufreq or the processor itself tells it, and the one right now. */
static bool add_clocks(struct ft_capture_host *host)
{
    char line[64], *text;
    size_t bytes;
    bool added = true;
    if (ft_system_file_line(CPU_FOLDER "/cpu0/cpufreq/cpuinfo_max_freq", line, sizeof line))
        added = ft_capture_host_fact(host, "cpu_clock_max_khz", NULL, strtoull(line, NULL, 10));
    else
        added = ft_clock_describe(ft_cpuid_of_this_processor, host);
    text = ft_system_file_read("/proc/cpuinfo", &bytes);
    if (added && text && ft_find_value(text, "cpu MHz", line, sizeof line))
        added = ft_capture_host_fact(host, "cpu_clock_khz", NULL,
                                     (uint64_t)(1000 * strtod(line, NULL) + 0.5));
    free(text);
    return added;
}

/* ---- caches ---- */

static bool cache_line(unsigned processor, unsigned index, const char *name, char *ret_line,
                       size_t size)
{
    char path[128];
    snprintf(path, sizeof path, CPU_FOLDER "/cpu%u/cache/index%u/%s", processor, index, name);
    return ft_system_file_line(path, ret_line, size);
}

static uint64_t cache_number(unsigned processor, unsigned index, const char *name)
{
    char line[64], *end;
    if (!cache_line(processor, index, name, line, sizeof line))
        return 0;
    uint64_t number = strtoull(line, &end, 10);
    return *end == 'K' ? number << 10 : *end == 'M' ? number << 20 : number;
}

static bool is_known(const struct ft_capture_host *host, const struct ft_host_cache *cache)
{
    for (size_t i = 0; i < host->cache_count; i++)
        if (host->caches[i].level == cache->level && host->caches[i].content == cache->content &&
            strcmp(host->caches[i].processors, cache->processors) == 0)
            return true;
    return false;
}

/* Each cache once, identified by the processors that share it. */
static bool add_caches(struct ft_capture_host *host)
{
    long count = sysconf(_SC_NPROCESSORS_CONF);
    for (unsigned processor = 0; (long)processor < count; processor++) {
        char type[32], shared[4096];
        for (unsigned i = 0; cache_line(processor, i, "type", type, sizeof type); i++) {
            if (!cache_line(processor, i, "shared_cpu_list", shared, sizeof shared))
                snprintf(shared, sizeof shared, "%u", processor);
            struct ft_host_cache cache = {
                .level = (uint8_t)cache_number(processor, i, "level"),
                .content = type[0] == 'D'   ? FT_CACHE_DATA
                           : type[0] == 'I' ? FT_CACHE_INSTRUCTIONS
                                            : FT_CACHE_UNIFIED,
                .size_bytes = cache_number(processor, i, "size"),
                .line_bytes = (uint32_t)cache_number(processor, i, "coherency_line_size"),
                .ways = (uint32_t)cache_number(processor, i, "ways_of_associativity"),
                .sets = (uint32_t)cache_number(processor, i, "number_of_sets"),
                .processors = shared};
            if (!is_known(host, &cache) && !ft_capture_host_cache(host, &cache))
                return false;
        }
    }
    return true;
}

char *ft_host_processor_name(void)
{
    size_t bytes;
    char name[512] = "", *text = ft_system_file_read("/proc/cpuinfo", &bytes);
    if (text)
        ft_find_value(text, "model name", name, sizeof name);
    free(text);
    return strdup(name);
}

bool ft_host_hardware_describe(struct ft_capture_host *host)
{
    char online[1024];
    if (ft_system_file_line(CPU_FOLDER "/online", online, sizeof online) &&
        !ft_capture_host_fact(host, "processors_online", online, 0))
        return false;
    if (!add_processor(host) || !add_clocks(host) || !add_caches(host))
        return false;
    if (host->cache_count == 0 && !ft_caches_describe(ft_cpuid_of_this_processor, host))
        return false;
    return ft_tlbs_describe(ft_cpuid_of_this_processor, host);
}
