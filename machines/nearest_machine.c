/*
 * Processors are compared first, by what the files' `cpuid` says; among machines as near by that,
 * caches level by level: how many doublings lie between capacities, lines and ways.
 */
#include "machines/nearest_machine.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machines/machine_folder.h"

#define MISSING_LEVEL 8.0 /* doublings that a level more or less counts */

const struct ft_host_cache *ft_host_cache_at(const struct ft_capture_host *host, unsigned level,
                                             bool instructions)
{
    for (size_t i = 0; i < host->cache_count; i++) {
        const struct ft_host_cache *cache = &host->caches[i];
        if (cache->level == level && (cache->content == FT_CACHE_INSTRUCTIONS) == instructions)
            return cache;
    }
    return NULL;
}

/* ---- processors ---- */

static const char *text_of(const struct ft_capture_host *host, const char *name)
{
    const struct ft_host_fact *fact = ft_capture_host_find_fact(host, name);
    return fact && fact->text ? fact->text : "";
}

static long number_of(const struct ft_capture_host *host, const char *name)
{
    const struct ft_host_fact *fact = ft_capture_host_find_fact(host, name);
    return fact && !fact->text ? (long)fact->number : -1;
}

/* 3: the model, 2: the family, 1: the vendor is the same; 0: nothing is. */
static int match_processor(const struct ft_capture_host *host, const struct ft_yaml_machine *yaml)
{
    int best = 0;
    for (unsigned i = 0; i < yaml->cpuid_count; i++) {
        char vendor[32] = "", *end;
        const size_t length = strcspn(yaml->cpuid[i], " ");
        snprintf(vendor, sizeof vendor, "%.*s", (int)length, yaml->cpuid[i]);
        int match = 0;
        if (vendor[0] && strcmp(vendor, text_of(host, "cpu_vendor")) == 0) {
            const long family = strtol(yaml->cpuid[i] + length, &end, 10);
            const long model = *end ? strtol(end, NULL, 10) : -1;
            match = 1;
            if (family == number_of(host, "cpu_family"))
                match = model >= 0 && model == number_of(host, "cpu_model") ? 3 : 2;
        }
        best = match > best ? match : best;
    }
    return best;
}

/* ---- caches ---- */

static double doublings(double a, const struct ft_yaml_level *level, enum ft_machine_number key)
{
    const double b = ft_yaml_number(&level->numbers, key);
    return a > 0 && b > 0 && isfinite(b) ? fabs(log2(a / b)) : 1;
}

static double cache_distance(const struct ft_capture_host *host, const struct ft_yaml_machine *yaml)
{
    double distance = 0;
    for (unsigned level = 1; level <= 8; level++) {
        const struct ft_host_cache *cache = ft_host_cache_at(host, level, false);
        const struct ft_yaml_level *other =
            level <= yaml->caches_count ? &yaml->caches[level - 1] : NULL;
        if (cache && other)
            distance += doublings((double)cache->size_bytes, other, FT_NUMBER_capacity) +
                        doublings(cache->line_bytes, other, FT_NUMBER_line) +
                        doublings(cache->ways, other, FT_NUMBER_ways) / 2;
        else if (cache || other)
            distance += MISSING_LEVEL;
    }
    return distance;
}

/* ---- the folder ---- */

static struct ft_yaml_machine *read_named(const char *name)
{
    char path[FT_MACHINE_PATH];
    struct ft_yaml_file file;
    struct ft_yaml_machine *yaml = NULL;
    ft_machine_path(name, path);
    if (ft_yaml_file_read(path, &file, NULL) != FT_OK)
        return NULL;
    if (ft_yaml_machine_read(&file, &yaml, NULL) != FT_OK)
        yaml = NULL;
    free(file.text);
    return yaml;
}

int ft_nearest_machine(const struct ft_capture_host *host, char **ret_name,
                       struct ft_yaml_machine **ret_yaml, struct ft_diag *diag)
{
    struct ft_machine_names names;
    struct ft_yaml_machine *best = NULL;
    size_t best_index = 0;
    int best_match = -1;
    double best_distance = INFINITY;
    FT_TRY(ft_machine_names_list(&names, diag));
    for (size_t i = 0; i < names.count; i++) {
        struct ft_yaml_machine *yaml = read_named(names.items[i]);
        if (!yaml)
            continue;
        const int match = match_processor(host, yaml);
        const double distance = cache_distance(host, yaml);
        const bool is_nearer =
            match > best_match || (match == best_match && distance < best_distance);
        if (is_nearer && best)
            ft_yaml_machine_free(best);
        if (is_nearer) {
            best = yaml;
            best_index = i;
            best_match = match;
            best_distance = distance;
        } else {
            ft_yaml_machine_free(yaml);
        }
    }
    char *name = best ? strdup(names.items[best_index]) : NULL;
    ft_machine_names_fini(&names);
    if (!best)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "no machine files to take latencies and units from (set "
                       "FORETRACE_MACHINES to their folder)");
    if (!name) {
        ft_yaml_machine_free(best);
        return ft_fail_memory(diag, "a machine");
    }
    *ret_name = name;
    *ret_yaml = best;
    return FT_OK;
}
