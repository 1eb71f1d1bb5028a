/*
 * Machine files: every one loads and its text is complete, the R12000 has the figures of the paper,
 * and what is wrong with a bad file is told with its name, line and key.
 */
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machines/machine.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

static void check_all(void)
{
    const char *folder = getenv("FORETRACE_MACHINES");
    char pattern[4096];
    glob_t found = {0};
    snprintf(pattern, sizeof pattern, "%s/*.yaml", folder ? folder : "");
    glob(pattern, 0, NULL, &found);
    tap_ok(found.gl_pathc >= 4, "%zu machine files", found.gl_pathc);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct ft_machine machine = {0};
        struct ft_diag diag = {0};
        int status = ft_machine_load(found.gl_pathv[i], &machine, &diag);
        tap_ok(status == FT_OK, "%s %s", found.gl_pathv[i], diag.message);
        ft_machine_fini(&machine);
    }
    globfree(&found);
}

static void check_r12000(void)
{
    struct ft_machine machine = {0};
    struct ft_diag diag = {0};
    if (!tap_ok(ft_machine_load("origin2000-r12000", &machine, &diag) == FT_OK, "by name %s",
                diag.message))
        return;
    const struct ft_level *l1 = &machine.levels[0], *l2 = &machine.levels[1],
                          *tlb = &machine.levels[2];
    tap_ok(strcmp(machine.name, "origin2000-r12000") == 0, "name %s", machine.name);
    tap_ok(machine.level_count == 3 && machine.cache_count == 2, "two caches, one TLB");
    tap_ok(l1->blocks == 1024 && l1->ways == 2 && l1->block_bytes == 32, "L1D 1024 / 2 / 32");
    tap_ok(l2->blocks == 65536 && l2->ways == 2 && l2->block_bytes == 128, "L2 65536 / 2 / 128");
    tap_ok(l1->shared_by == 1 && !l1->shared && l2->shared_by == 2 && l2->shared,
           "a pair of processors shares L2");
    tap_ok(tlb->kind == FT_LEVEL_TLB && tlb->blocks == 64 && tlb->ways == 64 &&
               tlb->block_bytes == 32768,
           "TLB 64 / full / 32K");
    tap_ok(ft_machine_miss_cycles(&machine, 0, false) == 8 && l1->exposed_share == 0.5,
           "an L1 miss costs half of 8 cycles");
    tap_ok(ft_machine_miss_cycles(&machine, 1, false) == 81 && l2->exposed_share == 1,
           "an L2 miss costs 81 cycles");
    tap_ok(ft_machine_miss_cycles(&machine, 1, true) == 124, "124 with dirty lines");
    tap_ok(ft_machine_miss_cycles(&machine, 2, true) == 78, "a TLB miss costs 78 cycles");
    tap_ok(fabs(machine.units[3].rate - 1.0 / 35) < 1e-15 &&
               machine.units[3].classes[FT_MIX_INTEGER_DIVIDE] &&
               !machine.units[3].classes[FT_MIX_INTEGER],
           "a division every 35 cycles");
    ft_machine_fini(&machine);
}

/* Whether a machine in one line loads; the caller ends it. */
static bool loads(const char *line, const char *what, struct ft_machine *ret_machine)
{
    struct ft_diag diag = {0};
    return tap_ok(ft_machine_load(line, ret_machine, &diag) == FT_OK, "%s in one line %s", what,
                  diag.message);
}

static void check_levels_in_one_line(void)
{
    struct ft_machine machine = {0};
    if (!loads("caches=L1:32K:64:8@4,TLB:256K:4K:full@30,L2:1M:64:16@14,memory@200", "a machine",
               &machine))
        return;
    tap_ok(strcmp(machine.levels[1].name, "L2") == 0 && machine.levels[1].blocks == 16384 &&
               machine.levels[1].ways == 16,
           "caches stand before TLBs");
    tap_ok(machine.levels[2].kind == FT_LEVEL_TLB && machine.levels[2].blocks == 64 &&
               machine.levels[2].ways == 64,
           "64 entries, fully associative");
    tap_ok(machine.memory_latency_cycles == 200, "memory");
    ft_machine_fini(&machine);
}

static void check_behaviour_in_one_line(void)
{
    struct ft_machine machine = {0};
    if (!loads("caches=A:2K:64:4:plru:stride=3@4,B:8K:64:4:exclusive@9,memory@90", "behaviour",
               &machine))
        return;
    tap_ok(machine.levels[0].behaviour.replacement == FT_REPLACE_PLRU &&
               machine.levels[0].behaviour.prefetch == FT_PREFETCH_STRIDE &&
               machine.levels[0].behaviour.prefetch_blocks == 3 &&
               machine.levels[1].behaviour.inclusion == FT_EXCLUSIVE,
           "plru, three lines by stride, exclusive");
    ft_machine_fini(&machine);
}

static void check_instruction_levels_in_one_line(void)
{
    struct ft_machine machine = {0};
    if (!loads("caches=A:2K:64:4@4,B:8K:64:4:unified:shared_by=4@9,memory@90,"
               "ITLB:64K:4K:4:instruction,I:1K:64:2:instruction:next_line",
               "instruction levels", &machine))
        return;
    tap_ok(machine.level_count == 2 && !machine.levels[0].behaviour.unified &&
               machine.levels[1].behaviour.unified && machine.levels[1].shared_by == 4 &&
               machine.levels[1].shared,
           "the second cache is unified, four cores share it");
    tap_ok(machine.instruction_level_count == 2 && machine.instruction_cache_count == 1 &&
               strcmp(machine.instruction_levels[0].name, "I") == 0 &&
               machine.instruction_levels[0].behaviour.prefetch_blocks == 1,
           "an instruction cache and TLB, apart from the others");
    ft_machine_fini(&machine);
}

static void check_bad_lines(void)
{
    struct ft_machine machine = {0};
    struct ft_diag diag = {0};
    static const char *const bad[] = {
        "caches=A:2K:64:4@4,I:1K:64:2:instruction@3,memory@90",
        "caches=A:2K:64:4@4,I:1K:64:2,memory@90",
        "caches=A:2K:64:4@4,I:1K:64:2:instruction:unified,memory@90",
        "caches=A:2K:64:4@4,I:1K:64:2:instruction:through,memory@90",
        "caches=A:2K:64:4@4,A:1K:64:2:instruction,memory@90",
        "caches=A:2K:64:4@4,I:1K:64:2:instruction:inclusive,memory@90",
        "caches=A:2K:64:4@4,B:8K:64:4:exclusive:unified@9,I:1K:32:2:instruction,memory@90",
        "caches=I:1K:64:2:instruction,memory@90",
        "caches=A:2K:64:4:shared_by=0@4,memory@90",
        "caches=A:2K:64:4:shared_by@4,memory@90",
        "caches=A:2K:64:4:fifo@4,memory@90",
        "caches=A:2K:64:4:stride=x@4,memory@90",
        "caches=A:2K:64:4:stride=65@4,memory@90",
        "caches=A:2K:64:4:plru=2@4,memory@90",
        "caches=A:2K:64:4:@4,memory@90",
        "caches=A:3K:64:3:plru@4,memory@90",
        "caches=A:2K:64:4:inclusive@4,memory@90",
        "caches=A:2K:64:4@4,B:8K:128:4:exclusive@9,memory@90",
        "caches=A:2K:64:4:through@4,B:8K:64:4:exclusive@9,memory@90",
        "caches=A:2K:64:4:around@4,B:8K:64:4:exclusive@9,memory@90",
        "caches=A:2K:64:4@4,B:8K:64:4:exclusive:next_line@9,memory@90",
        "caches=A:2K:64:4@4,memory@90,TLB:64K:4K:4:through@9",
        "caches=",
        "caches=L1:32K:64:8",
        "caches=L1:32K:64:7@4,memory@200",
        "caches=L1:32K:48:8@4,memory@200",
        "caches=L1:32K:64:8@4,L2:1M:64:16@3,memory@200",
        "caches=L1:32K:64:8@4,L1:1M:64:16@14,memory@200",
        "caches=L1:32K:64:8@4",
        "caches=L1:32K:64:8@-4,memory@200",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        tap_ok(ft_machine_load(bad[i], &machine, &diag) == FT_ERROR_USAGE, "%s: %s", bad[i],
               diag.message);
}

static const char good[] = "description: test\n"
                           "core:\n"
                           "  clock_ghz: 1\n"
                           "  issue_width: 2\n"
                           "  sources:\n"
                           "    - {figures: [clock_ghz, issue_width], kind: vendor, text: t}\n"
                           "caches:\n"
                           "  - name: L1\n"
                           "    capacity: 1K\n"
                           "    line: 64\n"
                           "    ways: 4\n"
                           "    latency_cycles: 3\n"
                           "    exposed_share: 0.5\n"
                           "    sources:\n"
                           "      - {figures: [capacity, line, ways], kind: vendor, text: t}\n"
                           "      - {figures: [latency_cycles, exposed_share], kind: estimate, "
                           "text: t}\n"
                           "memory:\n"
                           "  latency_cycles: 100\n"
                           "  sources:\n"
                           "    - {figures: [latency_cycles], kind: measured, text: t}\n"
                           "tlbs: []\n"
                           "units:\n"
                           "  - name: all\n"
                           "    count: 2\n"
                           "    classes: [integer, fp_add]\n"
                           "    sources:\n"
                           "      - {figures: [count], kind: published, text: t}\n";

static void check_edit(const char *path, const char *from, const char *to, int expected,
                       const char *part);

/* The loader's table of classes of work is that of the decoder. */
static void check_classes(const char *path)
{
    for (int i = 0; i < FT_MIX_COUNT; i++) {
        char to[64];
        snprintf(to, sizeof to, "classes: [%s]", ft_mix_class_names[i]);
        check_edit(path, "classes: [integer, fp_add]", to, FT_OK, "");
        struct ft_machine machine = {0};
        if (ft_machine_load(path, &machine, NULL) == FT_OK)
            tap_ok(machine.units[0].classes[i], "%s", to);
        ft_machine_fini(&machine);
    }
}

/* The good file with `from` replaced by `to`: loads as `expected`, and the message holds `part`. */
static void check_edit(const char *path, const char *from, const char *to, int expected,
                       const char *part)
{
    const char *place = strstr(good, from);
    FILE *file = fopen(path, "w");
    fprintf(file, "%.*s%s%s", (int)(place - good), good, to, place + strlen(from));
    fclose(file);
    struct ft_machine machine = {0};
    struct ft_diag diag = {0};
    int status = ft_machine_load(path, &machine, &diag);
    bool as_expected = status == expected && strstr(diag.message, part) &&
                       (status == FT_OK || strncmp(diag.message, path, strlen(path)) == 0);
    tap_ok(as_expected, "'%.20s': %s", strcmp(from, good) == 0 ? "nothing" : part, diag.message);
    if (status == FT_OK)
        ft_machine_fini(&machine);
}

/* Behaviour in a file: what is said, what it means to say nothing, and what cannot be. */
static void check_behaviour(const char *path)
{
    static const char level[] =
        "    ways: 4\n    replacement: plru\n    write: through\n    write_miss: around\n"
        "    prefetch: stride\n";
    const int data = FT_ERROR_DATA;
    struct ft_machine machine = {0};
    check_edit(path, "    ways: 4\n", level, FT_OK, "");
    if (tap_ok(ft_machine_load(path, &machine, NULL) == FT_OK, "behaviour in a file")) {
        const struct ft_behaviour *behaviour = &machine.levels[0].behaviour;
        tap_ok(behaviour->replacement == FT_REPLACE_PLRU && behaviour->write == FT_WRITE_THROUGH &&
                   behaviour->write_miss == FT_WRITE_AROUND &&
                   behaviour->prefetch == FT_PREFETCH_STRIDE && behaviour->prefetch_blocks == 1 &&
                   behaviour->inclusion == FT_INCLUSION_NONE,
               "plru, through, around, a stride prefetcher of one line");
        ft_machine_fini(&machine);
    }
    check_edit(path, "", "", FT_OK, "");
    if (tap_ok(ft_machine_load(path, &machine, NULL) == FT_OK, "a file that says nothing")) {
        const struct ft_behaviour *behaviour = &machine.levels[0].behaviour;
        tap_ok(!behaviour->replacement && !behaviour->inclusion && !behaviour->write &&
                   !behaviour->write_miss && !behaviour->prefetch && !behaviour->prefetch_blocks,
               "LRU, write-back, write-allocate, no prefetcher");
        ft_machine_fini(&machine);
    }
    check_edit(path, "tlbs: []\n",
               "tlbs: []\ninstruction_caches:\n  - name: L1I\n    capacity: 1K\n    line: 64\n"
               "    ways: 2\n    sources:\n"
               "      - {figures: [capacity, line, ways], kind: vendor, text: t}\n",
               FT_OK, "");
    if (tap_ok(ft_machine_load(path, &machine, NULL) == FT_OK, "instruction levels in a file")) {
        tap_ok(machine.level_count == 1 && machine.instruction_level_count == 1 &&
                   machine.instruction_cache_count == 1 &&
                   machine.instruction_levels[0].blocks == 16,
               "a cache of 16 lines");
        ft_machine_fini(&machine);
    }
    check_edit(path, "tlbs: []\n",
               "tlbs: []\ninstruction_tlbs:\n  - name: ITLB\n    entries: 64\n    page: 4K\n"
               "    ways: full\n    sources:\n"
               "      - {figures: [entries, ways], kind: vendor, text: t}\n",
               FT_OK, "");
    check_edit(path, "ways: 4", "ways: 4\n    replacement: fifo", data,
               "caches[1].replacement: Invalid ENUM value: fifo");
    check_edit(path, "ways: 4", "ways: 4\n    unified: yess", data,
               "caches[1].unified: Invalid ENUM value: yess");
    check_edit(path, "ways: 4", "ways: 4\n    inclusion: inclusive", data,
               "caches[1].inclusion (L1): requires a previous level");
    check_edit(path, "ways: 4", "ways: 4\n    prefetch: stride\n    prefetch_lines: 2", FT_OK, "");
    check_edit(path, "capacity: 1K\n    line: 64\n    ways: 4",
               "capacity: 6K\n    line: 64\n    ways: 96\n    replacement: plru", data,
               "caches[1].replacement (L1): plru requires");
}

static void check_bad_files(void)
{
    char path[TEMPORARY_PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/machine.yaml", temporary_folder());
    const int data = FT_ERROR_DATA;
    check_classes(path);
    check_edit(path, "", "", FT_OK, "");
    check_edit(path, "ways: 4", "wayz: 4", data, "caches[1]: Unexpected key: wayz");
    check_edit(path, "    ways: 4\n", "", data, "caches[1]: Missing required mapping field: ways");
    check_edit(path, "latency_cycles: 3", "latency_cycles: three", data,
               "line 12: caches[1].latency_cycles (L1): 'three': expected a number");
    check_edit(path, "kind: measured", "kind: guess", data,
               "memory.sources[1].kind: Invalid ENUM value: guess");
    check_edit(path, "[integer, fp_add]", "[integer, fp_ad]", data,
               "line 25: units[1].classes[2]: Invalid ENUM value: fp_ad");
    check_edit(path, "ways: 4", "ways: 5", data, "caches[1].ways (L1): do not divide");
    check_edit(path, "ways: 4", "ways: -4", data,
               "line 11: caches[1].ways (L1): '-4' is out of range");
    check_edit(path, "ways: 4", "ways: full", FT_OK, "");
    check_edit(path, "line: 64", "line: 60", data, "caches[1].line (L1): expected a power of two");
    check_edit(path, "capacity: 1K", "capacity: 1X", data, "line 9: caches[1].capacity (L1): '1X'");
    check_edit(path, "capacity: 1K", "capacity: 1000", data,
               "caches[1].capacity (L1): expected a multiple");
    check_edit(path, "latency_cycles: 3", "latency_cycles: -3", data, "caches[1].latency_cycles");
    check_edit(path, "exposed_share: 0.5", "exposed_share: 1.5", data, "caches[1].exposed_share");
    check_edit(path, "latency_cycles: 100", "latency_cycles: 3", data, "memory.latency_cycles: 3");
    check_edit(path, "latency_cycles: 100", "latency_cycles: 100\n  dirty_latency_cycles: 120",
               FT_OK, "");
    check_edit(path, "[capacity, line, ways]", "[capacity, line]", FT_OK, "");
    check_edit(path, "figures: [count]", "figures: [county]", data,
               "units[1].sources[1].figures (all): 'county'");
    check_edit(path, "count: 2", "count: 0", data,
               "line 24: units[1].count (all): '0' is out of range");
    check_edit(path, "count: 2", "count: 2\n    repeat_cycles: 4", FT_OK, "");
    check_edit(path, "    sources:\n      - {figures: [count], kind: published, text: t}\n", "",
               FT_OK, "");
    check_edit(path, "clock_ghz: 1\n", "clock_ghz: nan\n", data, "core.clock_ghz");
    check_edit(path, "latency_cycles: 3", "latency_cycles: 3\n    load_bytes_per_cycle: 24", FT_OK,
               "");
    check_edit(path, "latency_cycles: 3", "latency_cycles: 3\n    outstanding_misses: 0.5", data,
               "caches[1].outstanding_misses (L1): '0.5' is out of range: 1 to 1024");
    check_edit(path, "ways: 4", "ways: 4\n    followed_stride: 4K", data,
               "caches[1]: Unexpected key: followed_stride");
    check_edit(path, "tlbs: []\n",
               "tlbs: []\noperations:\n  - {class: fp_add, latency_cycles: 3}\n"
               "  - {class: fp_add, latency_cycles: 4}\n",
               data, "operations[2].class (fp_add): another entry has this class");
    check_edit(path, "tlbs: []\n", "tlbs: []\noperations:\n  - {class: fp, latency_cycles: 3}\n",
               data, "operations[1].class: Invalid ENUM value: fp");
    check_behaviour(path);
    check_edit(path, "tlbs: []\n", "", data, "Missing required mapping field: tlbs");
    check_edit(path, "caches:\n", "caches: [\n", data, "line ");
    check_edit(path, good, "", data, "the file is empty");
    unlink(path);
    struct ft_machine machine;
    struct ft_diag diag;
    tap_ok(ft_machine_load(path, &machine, &diag) == FT_ERROR_IO, "%s", diag.message);
    tap_ok(ft_machine_load("pdp11", &machine, &diag) == FT_ERROR_USAGE &&
               strstr(diag.message, "amd-zen5, "),
           "%s", diag.message);
}

int main(void)
{
    check_all();
    check_r12000();
    check_levels_in_one_line();
    check_behaviour_in_one_line();
    check_instruction_levels_in_one_line();
    check_bad_lines();
    check_bad_files();
    return tap_plan_done();
}
