/*
 * The metadata's description of the capture's host: TLBs from what processors say of themselves
 * (registers of cpuid, noted down), the variables that are kept, and the way through the file.
 */
#include "trace-capture/host/host_description.h"

#include <string.h>

#include "machines/host/host_hardware.h"
#include "tests/support/recorded_cpuid.h"
#include "tests/support/tap.h"

/* An EPYC 9755 (Zen 5) as this project's virtual machine shows it, which hides leaf 0x21's bit 14;
 * set, it makes the second level's numbers 32 times as large. */
static const struct cpuid_leaf zen5[] = {
    {0, 0, {0x1c, 0x68747541, 0x444d4163, 0x69746e65}},
    {0x80000000, 0, {0x80000021, 0x68747541, 0x444d4163, 0x69746e65}},
    {0x80000005, 0, {0xff60ff40, 0xff60ff40, 0x300c0140, 0x20080140}},
    {0x80000006, 0, {0x40802040, 0x60804040, 0x04008140, 0x0c009140}},
    {0x80000021, 0, {0x00004204, 0, 0x86, 0}}};
/* Made after Intel's description: a data TLB of 4 KiB, 16 sets of 6 ways; one for code, fully
 * associative; a unified second level for two sizes of pages. */
static const struct cpuid_leaf intel[] = {{0, 0, {0x20, 0x756e6547, 0x6c65746e, 0x49656e69}},
                                          {0x18, 0, {3, 0, 0, 0}},
                                          {0x18, 1, {0, 6U << 16 | 1, 16, 1 << 5 | 1}},
                                          {0x18, 2, {0, 32U << 16 | 1, 1, 1 << 8 | 1 << 5 | 2}},
                                          {0x18, 3, {0, 8U << 16 | 3, 128, 2 << 5 | 3}}};

static bool has_tlb(const struct ft_capture_host *host, struct ft_host_tlb tlb)
{
    for (size_t i = 0; i < host->tlb_count; i++)
        if (host->tlbs[i].level == tlb.level && host->tlbs[i].content == tlb.content &&
            host->tlbs[i].page_bytes == tlb.page_bytes && host->tlbs[i].entries == tlb.entries &&
            host->tlbs[i].ways == tlb.ways)
            return true;
    return false;
}

static void test_tlbs(void)
{
    struct ft_capture_host host = {0};
    recorded_cpuid_use(zen5, sizeof zen5 / sizeof *zen5);
    tap_ok(ft_tlbs_describe(recorded_cpuid, &host) && host.tlb_count == 8, "Zen 5: eight TLBs");
    tap_ok(has_tlb(&host, (struct ft_host_tlb){1, FT_CACHE_DATA, 4096, 96, 96}),
           "the first for data: 96 entries, fully associative");
    tap_ok(has_tlb(&host, (struct ft_host_tlb){2, FT_CACHE_DATA, 4096, 4096, 8}),
           "the second for data: 4096 entries, 8 ways");
    tap_ok(has_tlb(&host, (struct ft_host_tlb){2, FT_CACHE_INSTRUCTIONS, 4096, 2048, 4}),
           "the second for code: 2048 entries, 4 ways");
    ft_capture_host_fini(&host);
    recorded_cpuid_use(intel, sizeof intel / sizeof *intel);
    tap_ok(ft_tlbs_describe(recorded_cpuid, &host) && host.tlb_count == 4, "Intel: four TLBs");
    tap_ok(has_tlb(&host, (struct ft_host_tlb){1, FT_CACHE_DATA, 4096, 96, 6}),
           "one for data: 16 sets of 6 ways");
    tap_ok(has_tlb(&host, (struct ft_host_tlb){1, FT_CACHE_INSTRUCTIONS, 4096, 32, 32}),
           "one for code, fully associative");
    tap_ok(has_tlb(&host, (struct ft_host_tlb){2, FT_CACHE_UNIFIED, 2 << 20, 1024, 8}),
           "one for both, of pages of 2 MiB as well");
    ft_capture_host_fini(&host);
    recorded_cpuid_use(NULL, 0);
    tap_ok(ft_tlbs_describe(recorded_cpuid, &host) && host.tlb_count == 0,
           "a processor that tells nothing has none");
}

static void test_environment(void)
{
    static const char environment[] =
        "OMP_NUM_THREADS=4\0HOME=/root\0PATH=/bin\0PATHOLOGY=1\0SLURM_JWT=x\0SLURM_JOB_ID=7\0"
        "OMPI_AUTH_TOKEN=s\0LD_PRELOAD=\0broken\0MALLOC_ARENA_MAX=1\0PMI_SECRET=1\0LC_ALL=C=D";
    static const char *const kept[][2] = {{"OMP_NUM_THREADS", "4"},  {"PATH", "/bin"},
                                          {"SLURM_JOB_ID", "7"},     {"LD_PRELOAD", ""},
                                          {"MALLOC_ARENA_MAX", "1"}, {"LC_ALL", "C=D"}};
    struct ft_capture_host host = {0};
    bool same = ft_environment_describe(environment, sizeof environment, &host) &&
                host.variable_count == sizeof kept / sizeof *kept;
    for (size_t i = 0; same && i < host.variable_count; i++)
        same = strcmp(host.variables[i].name, kept[i][0]) == 0 &&
               strcmp(host.variables[i].value, kept[i][1]) == 0;
    tap_ok(same, "variables that matter are kept, secrets and others are not");
    ft_capture_host_fini(&host);
}

/* Two descriptions are equal where their bytes are. */
static void test_round_trip(void)
{
    struct ft_capture_host host = {0}, copy = {0};
    struct ft_bytes bytes = {0}, again = {0};
    ft_capture_host_fact(&host, "system", "a system", 0);
    ft_capture_host_fact(&host, "memory_bytes", NULL, UINT64_C(1) << 40);
    ft_capture_host_cache(&host, &(struct ft_host_cache){1, FT_CACHE_DATA, 49152, 64, 12, 64, "0"});
    ft_capture_host_tlb(&host, &(struct ft_host_tlb){2, FT_CACHE_UNIFIED, 4096, 1536, 6});
    ft_capture_host_limit(&host, &(struct ft_host_limit){"STACK", 8 << 20, UINT64_MAX});
    ft_capture_host_auxiliary(&host, 6, 4096);
    ft_capture_host_variable(&host, "LANG", "C");
    ft_capture_host_write(&host, &bytes);
    ft_put_varint(&bytes, 1000); /* a kind of a later version */
    ft_put_varint(&bytes, 3);
    ft_put(&bytes, "abc", 3);
    struct ft_cursor cursor = {.data = bytes.data, .length = bytes.length};
    ft_capture_host_read(&cursor, &copy);
    ft_capture_host_write(&copy, &again);
    tap_ok(!cursor.failed && again.length + 6 == bytes.length &&
               memcmp(again.data, bytes.data, again.length) == 0,
           "a description comes back as it was written; what is unknown is skipped");
    ft_capture_host_fini(&copy);
    unsigned whole = 0;
    for (size_t length = 0; length < bytes.length; length++) {
        struct ft_cursor part = {.data = bytes.data, .length = length};
        ft_capture_host_read(&part, &copy);
        whole += !part.failed;
        ft_capture_host_fini(&copy);
    }
    tap_ok(whole == 8, "cut off, it is refused but where an item ends: %u places", whole);
    ft_bytes_fini(&bytes);
    ft_bytes_fini(&again);
    ft_capture_host_fini(&host);
}

int main(void)
{
    test_tlbs();
    test_environment();
    test_round_trip();
    return tap_plan_done();
}
