/*
 * Machine files of hosts: from cpuid registers that were noted down, from tables made up for what
 * is awkward, and from this host, whose caches cpuid and the kernel must tell alike.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machines/cores/core.h"
#include "machines/host/host_hardware.h"
#include "machines/machine_build.h"
#include "machines/machine_detect.h"
#include "machines/nearest_machine.h"
#include "tests/support/recorded_cpuid.h"
#include "tests/support/tap.h"

/* An EPYC of Zen 3 (family 25, model 1) in a virtual machine, 2026-11-26. */
static const struct cpuid_leaf zen3[] = {
    {0, 0, {0xd, 0x68747541, 0x444d4163, 0x69746e65}},
    {0x80000000, 0, {0x80000021, 0x68747541, 0x444d4163, 0x69746e65}},
    {0x80000005, 0, {0xff40ff40, 0xff40ff40, 0x20080140, 0x20080140}},
    {0x80000006, 0, {0x48002200, 0x68004200, 0x02006140, 0x08009140}},
    {0x8000001d, 0, {0x00000121, 0x01c0003f, 0x3f, 0}},
    {0x8000001d, 1, {0x00000122, 0x01c0003f, 0x3f, 0}},
    {0x8000001d, 2, {0x00000143, 0x01c0003f, 0x3ff, 2}},
    {0x8000001d, 3, {0x00004163, 0x03c0003f, 0x7fff, 1}},
};
/* An EPYC of Zen 5 (family 26, model 2) in a virtual machine that leaves 0x8000001d empty,
 * 2026-11-29. The L3 of 0x80000006, 508 MiB, is that of all cores. */
static const struct cpuid_leaf zen5[] = {
    {0, 0, {0x10, 0x68747541, 0x444d4163, 0x69746e65}},
    {1, 0, {0x00b00f21, 0x40fe0800, 0xfed83203, 0x178bfbff}},
    {0x80000000, 0, {0x80000021, 0x68747541, 0x444d4163, 0x69746e65}},
    {0x80000005, 0, {0xff60ff40, 0xff60ff40, 0x300c0140, 0x20080140}},
    {0x80000006, 0, {0x40802040, 0x60804040, 0x04006140, 0x0fe09140}},
    {0x80000021, 0, {0x411d8c47, 0, 0, 0}},
};
/* Made after Intel's description: 48 KB of 12 ways, 32 KB, 2 MB, 105 MB of 15; 3.8 GHz at most. */
static const struct cpuid_leaf intel[] = {
    {0, 0, {0x20, 0x756e6547, 0x6c65746e, 0x49656e69}},
    {4, 0, {0x121, 11U << 22 | 63, 63, 0}},
    {4, 1, {0x122, 7U << 22 | 63, 63, 0}},
    {4, 2, {0x143, 15U << 22 | 63, 2047, 0}},
    {4, 3, {0x163, 14U << 22 | 63, 114687, 0}},
    {0x16, 0, {2000, 3800, 100, 0}},
    {0x18, 0, {1, 0, 0, 0}},
    {0x18, 1, {0, 6U << 16 | 1, 16, 1 << 5 | 1}},
};

static void see(const struct cpuid_leaf *rows, size_t count, const char *vendor, uint64_t family,
                uint64_t model, struct ft_capture_host *host)
{
    recorded_cpuid_use(rows, count);
    tap_ok(ft_capture_host_fact(host, "cpu_vendor", vendor, 0) &&
               ft_capture_host_fact(host, "cpu_family", NULL, family) &&
               ft_capture_host_fact(host, "cpu_model", NULL, model) &&
               ft_caches_describe(recorded_cpuid, host) && ft_tlbs_describe(recorded_cpuid, host) &&
               ft_clock_describe(recorded_cpuid, host),
           "%s %llu %llu: looked at", vendor, (unsigned long long)family,
           (unsigned long long)model);
}

/* The machine of a host; false where there is none. */
static bool detect(const struct ft_capture_host *host, struct ft_yaml_machine **ret_yaml,
                   struct ft_machine *ret_machine)
{
    const struct ft_detection detection = {.host = host, .processor = "a host", .source = "noted"};
    const struct ft_machine_source source = {"detected", NULL, 0};
    struct ft_diag diag = {0};
    if (!tap_ok(ft_machine_detect(&detection, ret_yaml, &diag) == FT_OK, "detected %s",
                diag.message))
        return false;
    if (tap_ok(ft_machine_build(&source, "detected", *ret_yaml, ret_machine, &diag) == FT_OK,
               "is a machine %s", diag.message))
        return true;
    ft_yaml_machine_free(*ret_yaml);
    return false;
}

static bool has_source(const struct ft_yaml_sources *sources, enum ft_machine_number key,
                       enum ft_source_kind kind, const char *text)
{
    const struct ft_yaml_source *source = ft_yaml_source_of(sources, key);
    return source && source->kind == (int)kind && strcmp(source->text, text) == 0;
}

static void check_zen3(void)
{
    struct ft_capture_host host = {0};
    struct ft_yaml_machine *yaml = NULL;
    struct ft_machine machine;
    see(zen3, sizeof zen3 / sizeof *zen3, "AuthenticAMD", 25, 1, &host);
    if (detect(&host, &yaml, &machine)) {
        const struct ft_level *levels = machine.levels;
        tap_ok(machine.cache_count == 3 && levels[0].blocks == 512 && levels[0].ways == 8 &&
                   levels[1].blocks == 8192 && levels[1].ways == 8 && levels[2].blocks == 524288 &&
                   levels[2].ways == 16,
               "caches of 32 KiB, 512 KiB, 32 MiB");
        tap_ok(strcmp(levels[0].name, "L1D") == 0 && strcmp(levels[1].name, "L2") == 0 &&
                   levels[1].behaviour.unified && !levels[0].behaviour.unified,
               "their names; L2 is unified");
        tap_ok(machine.level_count == 5 && levels[3].blocks == 64 && levels[3].ways == 64 &&
                   levels[4].blocks == 2048 && levels[4].ways == 8,
               "TLBs of 64 and 2048 entries");
        tap_ok(levels[0].latency_cycles == 4 && levels[1].latency_cycles == 12 &&
                   has_source(&yaml->caches[1].sources, FT_NUMBER_latency_cycles, FT_SOURCE_NEAREST,
                              "amd-zen3") &&
                   has_source(&yaml->caches[1].sources, FT_NUMBER_ways, FT_SOURCE_VENDOR, "noted"),
               "latencies are Zen 3's, and say so; ways are seen");
        tap_ok(yaml->cpuid_count == 1 && strcmp(yaml->cpuid[0], "AuthenticAMD 25 1") == 0,
               "the processor is noted");
        ft_machine_fini(&machine);
        ft_yaml_machine_free(yaml);
    }
    ft_capture_host_fini(&host);
}

/* What is left where 0x8000001d is empty. */
static void check_zen5(void)
{
    struct ft_capture_host host = {0};
    struct ft_yaml_machine *yaml = NULL;
    struct ft_machine machine;
    see(zen5, sizeof zen5 / sizeof *zen5, "AuthenticAMD", 26, 2, &host);
    const struct ft_host_cache *code = ft_host_cache_at(&host, 1, true),
                               *last = ft_host_cache_at(&host, 3, false);
    tap_ok(code && code->size_bytes == 32768 && code->ways == 8 && code->sets == 64,
           "instructions: 32 KiB, 8 ways");
    tap_ok(last && last->size_bytes == 0, "an L3 of unknown size");
    if (detect(&host, &yaml, &machine)) {
        const struct ft_level *levels = machine.levels;
        tap_ok(machine.cache_count == 3 && levels[0].blocks == 768 && levels[0].ways == 12 &&
                   levels[1].blocks == 16384 && levels[1].ways == 8,
               "caches of 48 KiB, 1 MiB");
        tap_ok(
            levels[4].blocks == 4096 && levels[4].ways == 8 && yaml->core_file == NULL,
            "an L2 DTLB of 4096 entries, though the hypervisor hides how they are coded; a core");
        tap_ok(levels[2].blocks == 524288 && strcmp(levels[2].name, "L3") == 0 &&
                   has_source(&yaml->caches[2].sources, FT_NUMBER_capacity, FT_SOURCE_NEAREST,
                              "amd-zen5"),
               "L3 is the nearest machine's, and says so");
        ft_machine_fini(&machine);
        ft_yaml_machine_free(yaml);
    }
    ft_capture_host_fini(&host);
}

/* Processors that no machine names: of one family, the one with the most similar caches. */
static void check_nearest(void)
{
    static const struct {
        const char *vendor;
        uint64_t family, model, l2_kib, l3_kib;
        const char *nearest;
    } cases[] = {
        {"AuthenticAMD", 25, 999, 512, 32768, "amd-zen3"},
        {"AuthenticAMD", 25, 999, 1024, 32768, "amd-zen4"},
        {"AuthenticAMD", 23, 999, 512, 16384, "amd-zen2"},
        {"AuthenticAMD", 26, 999, 1024, 32768, "amd-zen5"},
        {"GenuineIntel", 6, 85, 2048, 107520, "intel-skylake-sp"},
        {"GenuineIntel", 6, 106, 2048, 107520, "intel-ice-lake-sp"},
        {"GenuineIntel", 6, 999, 2048, 107520, "intel-sapphire-rapids"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ft_capture_host host = {0};
        struct ft_yaml_machine *yaml = NULL;
        struct ft_diag diag = {0};
        char *name = NULL;
        const struct ft_host_cache caches[] = {
            {1, FT_CACHE_DATA, 32768, 64, 8, 64, "0"},
            {2, FT_CACHE_UNIFIED, cases[i].l2_kib << 10, 64, 8, 0, "0"},
            {3, FT_CACHE_UNIFIED, cases[i].l3_kib << 10, 64, 16, 0, "0-7"},
        };
        bool told = ft_capture_host_fact(&host, "cpu_vendor", cases[i].vendor, 0) &&
                    ft_capture_host_fact(&host, "cpu_family", NULL, cases[i].family) &&
                    ft_capture_host_fact(&host, "cpu_model", NULL, cases[i].model);
        for (size_t c = 0; told && c < sizeof caches / sizeof *caches; c++)
            told = ft_capture_host_cache(&host, &caches[c]);
        tap_ok(told && ft_nearest_machine(&host, &name, &yaml, &diag) == FT_OK &&
                   strcmp(name, cases[i].nearest) == 0,
               "%s %llu %llu is nearest to %s %s%s", cases[i].vendor,
               (unsigned long long)cases[i].family, (unsigned long long)cases[i].model,
               cases[i].nearest, name ? name : "", diag.message);
        if (name)
            ft_yaml_machine_free(yaml);
        free(name);
        ft_capture_host_fini(&host);
    }
}

/* A processor has the core of its model, or its family, or names the nearest machine's, as a guess;
 * one of another vendor has none. */
static void check_core(const char *vendor, uint64_t family, uint64_t model, const char *named,
                       const char *found)
{
    struct ft_capture_host host = {0};
    struct ft_yaml_machine *yaml = NULL;
    struct ft_machine machine;
    struct ft_core core;
    struct ft_diag diag = {0};
    see(intel, sizeof intel / sizeof *intel, vendor, family, model, &host);
    if (detect(&host, &yaml, &machine)) {
        tap_ok(
            named ? machine.core_file && strcmp(machine.core_file, named) == 0 : !machine.core_file,
            "%s %d %d: names %s", vendor, (int)family, (int)model, named ? named : "no core file");
        if (tap_ok(ft_core_of_machine(&machine, &core, &diag) == FT_OK, "a core %s",
                   diag.message)) {
            tap_ok(found ? strcmp(core.name, found) == 0 : core.form_count == 0, "it is %s",
                   core.name);
            ft_core_fini(&core);
        }
        ft_machine_fini(&machine);
        ft_yaml_machine_free(yaml);
    }
    ft_capture_host_fini(&host);
}

static void check_cores(void)
{
    check_core("GenuineIntel", 6, 143, NULL, "intel-sapphire-rapids");
    check_core("AuthenticAMD", 26, 2, NULL, "amd-zen5");
    check_core("AuthenticAMD", 26, 999, NULL, "amd-zen5");
    check_core("GenuineIntel", 6, 999, "intel-sapphire-rapids", "intel-sapphire-rapids");
    check_core("AuthenticAMD", 23, 999, "amd-zen2", "amd-zen2");
    check_core("CentaurHauls", 7, 91, NULL, NULL);
}

static void check_intel(void)
{
    struct ft_capture_host host = {0};
    struct ft_yaml_machine *yaml = NULL;
    struct ft_machine machine;
    see(intel, sizeof intel / sizeof *intel, "GenuineIntel", 6, 143, &host);
    if (detect(&host, &yaml, &machine)) {
        tap_ok(machine.clock_ghz == 3.8 &&
                   has_source(&yaml->core.sources, FT_NUMBER_clock_ghz, FT_SOURCE_VENDOR,
                              "the highest clock that the host tells"),
               "3.8 GHz");
        tap_ok(machine.cache_count == 3 && ft_level_capacity_bytes(&machine.levels[2]) == 105 << 20,
               "105 MiB");
        tap_ok(machine.level_count == 4 && machine.levels[3].blocks == 96, "one TLB, as told");
        tap_ok(has_source(&yaml->memory.sources, FT_NUMBER_latency_cycles, FT_SOURCE_NEAREST,
                          "intel-sapphire-rapids"),
               "memory is Sapphire Rapids'");
        ft_machine_fini(&machine);
        ft_yaml_machine_free(yaml);
    }
    ft_capture_host_fini(&host);
}

/* A host of one level, with ways unknown and shared by both of its cores, at another clock. */
static void check_awkward(void)
{
    struct ft_capture_host host = {0};
    struct ft_yaml_machine *yaml = NULL;
    struct ft_machine machine;
    static const struct ft_host_cache caches[] = {{1, FT_CACHE_DATA, 24 << 10, 64, 7, 0, "0"},
                                                  {1, FT_CACHE_DATA, 24 << 10, 64, 7, 0, "1"},
                                                  {2, FT_CACHE_UNIFIED, 1000000, 0, 0, 0, "0-1"},
                                                  {3, FT_CACHE_UNIFIED, 32 << 20, 64, 16, 0, "0-1"},
                                                  {4, FT_CACHE_UNIFIED, 1 << 30, 64, 16, 0, "0-1"}};
    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++)
        ft_capture_host_cache(&host, &caches[i]);
    ft_capture_host_fact(&host, "cpu_clock_khz", NULL, 2050000);
    if (detect(&host, &yaml, &machine)) {
        tap_ok(machine.cache_count == 4 &&
                   machine.levels[3].latency_cycles > machine.levels[2].latency_cycles,
               "a fourth level, farther than the third");
        tap_ok(has_source(&yaml->caches[3].sources, FT_NUMBER_latency_cycles, FT_SOURCE_ESTIMATE,
                          "no machine to take it from has this level"),
               "whose latency is an estimate");
        tap_ok(machine.levels[0].blocks % machine.levels[0].ways == 0 &&
                   machine.levels[0].ways == 6 && machine.levels[1].blocks == 15625,
               "ways that divide the lines, capacity in lines");
        tap_ok(machine.levels[1].shared_by == 2 && machine.levels[0].shared_by == 1,
               "two cores share L2");
        tap_ok(machine.clock_ghz == 2.05 &&
                   machine.memory_latency_cycles > machine.levels[3].latency_cycles,
               "memory is behind the last cache");
        ft_machine_fini(&machine);
        ft_yaml_machine_free(yaml);
    }
    ft_capture_host_fini(&host);
    const struct ft_detection nothing = {.host = &host, .source = "nothing"};
    struct ft_diag diag = {0};
    tap_ok(ft_machine_detect(&nothing, &yaml, &diag) == FT_ERROR_UNSUPPORTED, "%s", diag.message);
}

/* Of each cache that the kernel tells of, cpuid tells the same; where there is a kernel that does.
 */
static void check_this_host(void)
{
    struct ft_capture_host host = {0}, by_cpuid = {0};
    tap_ok(ft_host_hardware_describe(&host) &&
               ft_caches_describe(ft_cpuid_of_this_processor, &by_cpuid),
           "this host: %zu and %zu caches", host.cache_count, by_cpuid.cache_count);
    for (unsigned level = 1; level <= 3; level++)
        for (int code = 0; code < 2; code++) {
            const struct ft_host_cache *a = ft_host_cache_at(&host, level, code);
            const struct ft_host_cache *b = ft_host_cache_at(&by_cpuid, level, code);
            if (a && b && a->ways && a->line_bytes)
                tap_ok(a->size_bytes == b->size_bytes && a->ways == b->ways &&
                           a->line_bytes == b->line_bytes && a->content == b->content,
                       "level %u: the kernel and cpuid agree", level);
        }
    struct ft_yaml_machine *yaml = NULL;
    struct ft_machine machine;
    if (host.cache_count > 0 && detect(&host, &yaml, &machine)) {
        const struct ft_host_cache *first = ft_host_cache_at(&host, 1, false);
        tap_ok(first && ft_level_capacity_bytes(&machine.levels[0]) == first->size_bytes,
               "its first cache");
        ft_machine_fini(&machine);
        ft_yaml_machine_free(yaml);
    }
    ft_capture_host_fini(&host);
    ft_capture_host_fini(&by_cpuid);
}

int main(void)
{
    check_zen3();
    check_cores();
    check_zen5();
    check_nearest();
    check_intel();
    check_awkward();
    check_this_host();
    return tap_plan_done();
}
