/*
 * TLBs by cpuid: AMD's leaves 0x80000005, 6, 0x19 and 0x21 (APM volume 3, appendix E), Intel's leaf
 * 0x18 (SDM volume 2, CPUID). Intel processors that have only leaf 2 are left out. Caches: leaf 4
 * of Intel and 0x8000001d of AMD, which have the same layout; where a virtual machine leaves the
 * latter empty, AMD's leaves 0x80000005 and 6. Clocks: leaf 0x16 of Intel.
 */
#include <cpuid.h>

#include "machines/host/host_hardware.h"

#define KIB 1024U
#define MIB (1024U * KIB)
#define GIB (1024U * MIB)

#define HYGON_EBX 0x6f677948U /* "Hygo" */

void ft_cpuid_of_this_processor(uint32_t leaf, uint32_t subleaf, uint32_t ret_registers[4])
{
    __cpuid_count(leaf, subleaf, ret_registers[0], ret_registers[1], ret_registers[2],
                  ret_registers[3]);
}

static bool add(struct ft_capture_host *host, unsigned level, unsigned content, uint64_t page_bytes,
                uint32_t entries, uint32_t ways)
{
    if (entries == 0)
        return true;
    return ft_capture_host_tlb(host, &(struct ft_host_tlb){.level = (uint8_t)level,
                                                           .content = (uint8_t)content,
                                                           .page_bytes = page_bytes,
                                                           .entries = entries,
                                                           .ways = ways});
}

/* Leaf 0x80000005: u8 entries and u8 ways (0xff: all) for instructions, then for data. */
static bool add_first(struct ft_capture_host *host, uint32_t word, uint64_t page_bytes)
{
    uint32_t code = word & 0xff, data = word >> 16 & 0xff;
    uint32_t code_ways = word >> 8 & 0xff, data_ways = word >> 24;
    return add(host, 1, FT_CACHE_DATA, page_bytes, data, data_ways == 0xff ? data : data_ways) &&
           add(host, 1, FT_CACHE_INSTRUCTIONS, page_bytes, code,
               code_ways == 0xff ? code : code_ways);
}

static uint32_t coded_ways(unsigned code, uint32_t entries)
{
    static const uint8_t ways[16] = {0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, 0};
    return code == 15 ? entries : ways[code];
}

/* Leaves 0x80000006 and 0x80000019: 12 bits of entries and 4 of coded ways, in the same order;
 * without a data half the TLB is unified. */
static bool add_coded(struct ft_capture_host *host, unsigned level, uint32_t word,
                      uint64_t page_bytes, uint32_t factor)
{
    uint32_t code = factor * (word & 0xfff), data = factor * (word >> 16 & 0xfff);
    uint32_t code_ways = coded_ways(word >> 12 & 15, code),
             data_ways = coded_ways(word >> 28, data);
    if (word >> 16 == 0)
        return add(host, level, FT_CACHE_UNIFIED, page_bytes, code, code_ways);
    return add(host, level, FT_CACHE_DATA, page_bytes, data, data_ways) &&
           add(host, level, FT_CACHE_INSTRUCTIONS, page_bytes, code, code_ways);
}

/* From family 26 on sizes of second TLBs are coded as multiples of 32, as their 4096 entries do not
 * fit otherwise; hypervisors may hide the bit that says so (L2TlbSizeX32). */
static uint32_t second_tlb_factor(ft_cpuid *cpuid, const uint32_t extended[4])
{
    uint32_t processor[4];
    cpuid(1, 0, processor);
    const uint32_t family = (processor[0] >> 8 & 15) + (processor[0] >> 20 & 255);
    return extended[0] >> 14 & 1 || family >= 26 ? 32 : 1;
}

static bool describe_amd(ft_cpuid *cpuid, struct ft_capture_host *host)
{
    uint32_t max_leaf[4], first[4], second[4], giant[4] = {0}, extended[4] = {0};
    cpuid(0x80000000, 0, max_leaf);
    if (max_leaf[0] < 0x80000006)
        return true;
    cpuid(0x80000005, 0, first);
    cpuid(0x80000006, 0, second);
    if (max_leaf[0] >= 0x80000019)
        cpuid(0x80000019, 0, giant);
    if (max_leaf[0] >= 0x80000021)
        cpuid(0x80000021, 0, extended);
    const uint32_t factor = second_tlb_factor(cpuid, extended);
    return add_first(host, first[1], 4 * KIB) && add_first(host, first[0], 2 * MIB) &&
           add_coded(host, 1, giant[0], GIB, 1) && add_coded(host, 2, second[1], 4 * KIB, factor) &&
           add_coded(host, 2, second[0], 2 * MIB, factor) &&
           add_coded(host, 2, giant[1], GIB, factor);
}

static bool describe_intel(ft_cpuid *cpuid, struct ft_capture_host *host)
{
    static const uint64_t pages[] = {4 * KIB, 2 * MIB, 4 * MIB, GIB};
    uint32_t registers[4], last;
    cpuid(0, 0, registers);
    if (registers[0] < 0x18)
        return true;
    cpuid(0x18, 0, registers);
    last = registers[0];
    for (uint32_t i = 0; i <= last; i++) {
        cpuid(0x18, i, registers);
        unsigned type = registers[3] & 31, level = registers[3] >> 5 & 7;
        unsigned content = type == 2   ? FT_CACHE_INSTRUCTIONS
                           : type == 3 ? FT_CACHE_UNIFIED
                                       : FT_CACHE_DATA; /* 4 and 5: of loads, of stores */
        uint32_t ways = registers[1] >> 16, entries = ways * registers[2];
        for (unsigned k = 0; type && k < sizeof pages / sizeof *pages; k++)
            if (registers[1] >> k & 1 && !add(host, level, content, pages[k], entries,
                                              registers[3] >> 8 & 1 ? entries : ways))
                return false;
    }
    return true;
}

static bool is_amd(ft_cpuid *cpuid)
{
    uint32_t registers[4];
    cpuid(0, 0, registers);
    return registers[1] == signature_AMD_ebx || registers[1] == HYGON_EBX;
}

static bool is_intel(ft_cpuid *cpuid)
{
    uint32_t registers[4];
    cpuid(0, 0, registers);
    return registers[1] == signature_INTEL_ebx;
}

bool ft_tlbs_describe(ft_cpuid *cpuid, struct ft_capture_host *host)
{
    return is_amd(cpuid) ? describe_amd(cpuid, host)
                         : !is_intel(cpuid) || describe_intel(cpuid, host);
}

static bool add_cache(struct ft_capture_host *host, unsigned level, unsigned content,
                      uint64_t size_bytes, uint32_t line_bytes, uint32_t ways)
{
    const uint64_t lines = line_bytes ? size_bytes / line_bytes : 0;
    return ft_capture_host_cache(
        host, &(struct ft_host_cache){.level = (uint8_t)level,
                                      .content = (uint8_t)content,
                                      .size_bytes = size_bytes,
                                      .line_bytes = line_bytes,
                                      .ways = ways,
                                      .sets = ways ? (uint32_t)(lines / ways) : 0,
                                      .processors = ""});
}

/* Leaf 0x80000005: u8 KiB, ways (0xff: all), lines per tag, bytes of a line, for data in ecx, for
 * instructions in edx. */
static bool add_first_cache(struct ft_capture_host *host, unsigned content, uint32_t word)
{
    const uint32_t size_bytes = (word >> 24) * KIB, line_bytes = word & 0xff;
    const uint32_t ways = word >> 16 & 0xff;
    return size_bytes == 0 || line_bytes == 0 ||
           add_cache(host, 1, content, size_bytes, line_bytes,
                     ways == 0xff ? size_bytes / line_bytes : ways);
}

/* Leaf 0x80000006 has L2 in ecx: 16 bits of KiB, 4 of coded ways. Its edx has the L3 of all cores
 * together; how much of it one core has is not told. */
static bool describe_amd_caches(ft_cpuid *cpuid, struct ft_capture_host *host)
{
    uint32_t first[4], second[4];
    cpuid(0x80000005, 0, first);
    cpuid(0x80000006, 0, second);
    const uint32_t l2_bytes = (second[2] >> 16) * KIB, l2_line = second[2] & 0xff,
                   l3_line = second[3] & 0xff;
    return add_first_cache(host, FT_CACHE_DATA, first[2]) &&
           add_first_cache(host, FT_CACHE_INSTRUCTIONS, first[3]) &&
           (l2_bytes == 0 || l2_line == 0 ||
            add_cache(host, 2, FT_CACHE_UNIFIED, l2_bytes, l2_line,
                      coded_ways(second[2] >> 12 & 15, l2_bytes / l2_line))) &&
           (second[3] >> 18 == 0 || add_cache(host, 3, FT_CACHE_UNIFIED, 0, l3_line, 0));
}

bool ft_caches_describe(ft_cpuid *cpuid, struct ft_capture_host *host)
{
    static const uint8_t contents[4] = {0, FT_CACHE_DATA, FT_CACHE_INSTRUCTIONS, FT_CACHE_UNIFIED};
    const size_t before = host->cache_count;
    uint32_t registers[4], leaf;
    if (is_amd(cpuid)) {
        cpuid(0x80000000, 0, registers);
        leaf = registers[0] >= 0x8000001d ? 0x8000001d : 0;
    } else {
        cpuid(0, 0, registers);
        leaf = is_intel(cpuid) && registers[0] >= 4 ? 4 : 0;
    }
    for (uint32_t i = 0; leaf && i < 16; i++) {
        cpuid(leaf, i, registers);
        const uint32_t type = registers[0] & 31;
        if (type == 0 || type > 3)
            break;
        const uint32_t line = (registers[1] & 0xfff) + 1,
                       partitions = (registers[1] >> 12 & 0x3ff) + 1;
        const uint32_t ways = (registers[1] >> 22) + 1, sets = registers[2] + 1;
        if (!add_cache(host, registers[0] >> 5 & 7, contents[type],
                       (uint64_t)line * partitions * ways * sets, line, ways))
            return false;
    }
    if (host->cache_count > before || !is_amd(cpuid))
        return true;
    cpuid(0x80000000, 0, registers);
    return registers[0] < 0x80000006 || describe_amd_caches(cpuid, host);
}

bool ft_clock_describe(ft_cpuid *cpuid, struct ft_capture_host *host)
{
    uint32_t registers[4];
    cpuid(0, 0, registers);
    if (!is_intel(cpuid) || registers[0] < 0x16)
        return true;
    cpuid(0x16, 0, registers);
    const uint64_t max_mhz = registers[1] & 0xffff;
    return max_mhz == 0 || ft_capture_host_fact(host, "cpu_clock_max_khz", NULL, 1000 * max_mhz);
}
