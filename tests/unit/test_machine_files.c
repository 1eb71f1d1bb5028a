/*
 * Machines that are shipped make sense: levels grow and slow down from the nearest to the farthest,
 * a cache is sets x ways x lines, a TLB maps more than the one before, speeds and latencies are of
 * hardware, and each core file is that of a machine. Edited machines show that each of these would
 * be noticed.
 */
#include <glob.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/file_name.h"
#include "machines/cores/core.h"
#include "machines/machine_folder.h"
#include "tests/support/tap.h"

#define TEXT_BYTES 160

/* What is wrong of a machine; the first thing that is found. */
struct finding {
    char text[TEXT_BYTES];
};

static bool holds(bool condition, struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool holds(bool condition, struct finding *finding, const char *format, ...)
{
    va_list list;
    if (condition || finding->text[0])
        return condition;
    va_start(list, format);
    vsnprintf(finding->text, sizeof finding->text, format, list);
    va_end(list);
    return false;
}

static double nanoseconds(const struct ft_machine *machine, double cycles)
{
    return cycles / machine->clock_ghz;
}

static void look_at_geometry(const struct ft_level *level, struct finding *finding)
{
    const double capacity =
        (double)ft_level_sets(level) * (double)level->ways * (double)level->block_bytes;
    holds(capacity == (double)ft_level_capacity_bytes(level), finding, "%s: %.0f bytes in its sets",
          level->name, capacity);
    holds((level->block_bytes & (level->block_bytes - 1)) == 0, finding, "%s: blocks of %llu bytes",
          level->name, (unsigned long long)level->block_bytes);
}

/* Farther caches are larger and slower, have no shorter lines and no fewer users. */
static void look_at_caches(const struct ft_machine *machine, struct finding *finding)
{
    for (size_t i = 0; i + 1 < machine->cache_count; i++) {
        const struct ft_level *near = &machine->levels[i], *far = near + 1;
        holds(ft_level_capacity_bytes(far) > ft_level_capacity_bytes(near), finding,
              "%s: capacity is not above that of %s", far->name, near->name);
        holds(far->block_bytes >= near->block_bytes, finding, "%s: lines are shorter than of %s",
              far->name, near->name);
        holds(far->latency_cycles > near->latency_cycles, finding,
              "%s: latency is not above that of %s", far->name, near->name);
        holds(far->shared_by >= near->shared_by, finding, "%s: fewer cores share it than %s",
              far->name, near->name);
        holds(far->speed.load_line_cycles == 0 ||
                  far->speed.load_line_cycles >= near->speed.load_line_cycles,
              finding, "%s: lines come faster than from %s", far->name, near->name);
        holds(near->speed.vector_bytes_per_cycle == 0 ||
                  far->speed.vector_bytes_per_cycle <= near->speed.vector_bytes_per_cycle,
              finding, "%s: vectors come faster than from %s", far->name, near->name);
    }
}

/* Farther TLBs map more memory, and missing them costs more. */
static void look_at_tlbs(const struct ft_machine *machine, struct finding *finding)
{
    for (size_t i = machine->cache_count; i < machine->level_count; i++) {
        const struct ft_level *tlb = &machine->levels[i];
        const bool is_last = i + 1 == machine->level_count;
        holds(is_last || ft_level_capacity_bytes(tlb + 1) > ft_level_capacity_bytes(tlb), finding,
              "%s: does not reach farther than %s", is_last ? "" : (tlb + 1)->name, tlb->name);
        holds(is_last || (tlb + 1)->latency_cycles > tlb->latency_cycles, finding,
              "%s: costs no more than %s", is_last ? "" : (tlb + 1)->name, tlb->name);
        holds(!is_last || ft_level_capacity_bytes(tlb) >= ft_level_capacity_bytes(machine->levels),
              finding, "%s: does not reach as far as %s", tlb->name, machine->levels[0].name);
        holds(tlb->latency_cycles < machine->memory_latency_cycles, finding,
              "%s: costs more than memory", tlb->name);
    }
}

/* In ns, as processors since 1998 have them. */
static void look_at_times(const struct ft_machine *machine, struct finding *finding)
{
    const double first = nanoseconds(machine, machine->levels[0].latency_cycles);
    const double memory = nanoseconds(machine, machine->memory_latency_cycles);
    const struct ft_level *last = &machine->levels[machine->cache_count - 1];
    holds(first >= 0.5 && first <= 10, finding, "first cache: %g ns", first);
    holds(memory >= 50 && memory <= 400, finding, "memory: %g ns", memory);
    holds(memory > nanoseconds(machine, last->latency_cycles) + 30, finding,
          "memory: %g ns, hardly more than %s", memory, last->name);
    holds(machine->all_cores_bytes_per_cycle == 0 ||
              machine->all_cores_bytes_per_cycle >= machine->memory_speed.vector_bytes_per_cycle,
          finding, "memory: slower for all cores than for one");
}

/* Whether a class of operations has units, and how many it can start a cycle. */
static double rate_of(const struct ft_machine *machine, enum ft_mix_class class)
{
    double rate = INFINITY;
    for (size_t i = 0; i < machine->unit_count; i++)
        if (machine->units[i].classes[class])
            rate = fmin(rate, machine->units[i].rate);
    return rate;
}

/* Units may be faster than instructions issue: the Xeon of 2004 has adders of double speed. */
static void look_at_core(const struct ft_machine *machine, struct finding *finding)
{
    static const enum ft_mix_class classes[] = {
        FT_MIX_INTEGER, FT_MIX_LOAD,        FT_MIX_STORE,           FT_MIX_BRANCH,
        FT_MIX_FP_ADD,  FT_MIX_FP_MULTIPLY, FT_MIX_INTEGER_MULTIPLY};
    const double *cycles = machine->operation_cycles;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        holds(rate_of(machine, classes[i]) <= 2 * machine->issue_width, finding,
              "%s: no units, or too many", ft_mix_class_names[classes[i]]);
    holds(rate_of(machine, FT_MIX_LOAD) * 8 >= machine->levels[0].speed.load_bytes_per_cycle,
          finding, "loads: %s gives more than units ask for", machine->levels[0].name);
    holds(cycles[FT_MIX_FP_DIVIDE] == 0 || cycles[FT_MIX_FP_DIVIDE] > cycles[FT_MIX_FP_MULTIPLY],
          finding, "divisions: no slower than products");
    holds(cycles[FT_MIX_FP_FMA] == 0 || cycles[FT_MIX_FP_FMA] >= cycles[FT_MIX_FP_ADD], finding,
          "fused products: faster than sums");
}

static void look_at(const struct ft_machine *machine, struct finding *finding)
{
    for (size_t i = 0; i < machine->level_count; i++)
        look_at_geometry(&machine->levels[i], finding);
    for (size_t i = 0; i < machine->instruction_level_count; i++)
        look_at_geometry(&machine->instruction_levels[i], finding);
    look_at_caches(machine, finding);
    look_at_tlbs(machine, finding);
    look_at_times(machine, finding);
    look_at_core(machine, finding);
}

/* ---- all of them ---- */

static bool load(const char *name, struct ft_machine *machine)
{
    struct ft_diag diag = {0};
    return tap_ok(ft_machine_load(name, machine, &diag) == FT_OK, "%s %s", name, diag.message);
}

/* A processor that two machines claim to be would be the first one's. */
static void check_processors(const struct ft_machine *machines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < machines[i].processor_count; p++) {
            size_t claims = 0;
            for (size_t k = 0; k < count; k++)
                for (size_t q = 0; q < machines[k].processor_count; q++)
                    claims += strcmp(machines[i].processors[p], machines[k].processors[q]) == 0;
            tap_ok(claims == 1, "%s is %s alone", machines[i].processors[p], machines[i].name);
        }
}

/* The core of a machine, and that it loads from the first cache as fast as the machine says. */
static void check_core(const struct ft_machine *machine, char *found, size_t size)
{
    struct ft_core core;
    struct ft_diag diag = {0};
    if (!tap_ok(ft_core_of_machine(machine, &core, &diag) == FT_OK, "%s: a core %s", machine->name,
                diag.message))
        return;
    if (core.form_count > 0) {
        tap_ok(strcmp(core.name, machine->name) == 0 &&
                   core.load_cycles == machine->levels[0].latency_cycles,
               "%s: its core is %s, loads take %g cycles", machine->name, core.name,
               core.load_cycles);
        snprintf(found + strlen(found), size - strlen(found), " %s", core.name);
    }
    ft_core_fini(&core);
}

static void check_cores(const struct ft_machine *machines, size_t count)
{
    char folder[PATH_MAX], pattern[PATH_MAX + 16], found[1024] = "";
    glob_t files = {0};
    for (size_t i = 0; i < count; i++)
        check_core(&machines[i], found, sizeof found);
    ft_machine_folder(folder);
    snprintf(pattern, sizeof pattern, "%s/cores/*.yaml", folder);
    tap_ok(glob(pattern, 0, NULL, &files) == 0, "core files");
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char name[NAME_MAX + 2] = " ";
        snprintf(name + 1, sizeof name - 1, "%.*s",
                 (int)(strlen(ft_file_name(files.gl_pathv[i])) - strlen(".yaml")),
                 ft_file_name(files.gl_pathv[i]));
        tap_ok(strstr(found, name) != NULL, "core%s is that of a machine", name);
    }
    globfree(&files);
}

static void check_shipped(void)
{
    struct ft_machine_names names;
    struct ft_diag diag = {0};
    if (!tap_ok(ft_machine_names_list(&names, &diag) == FT_OK && names.count >= 16, "machines %s",
                diag.message))
        return;
    struct ft_machine *machines = calloc(names.count + 1, sizeof *machines);
    size_t count = 0;
    for (size_t i = 0; i < names.count && machines; i++) {
        struct finding finding = {""};
        if (!load(names.items[i], &machines[count]))
            continue;
        look_at(&machines[count], &finding);
        tap_ok(!finding.text[0], "%s makes sense%s%s", names.items[i], finding.text[0] ? ": " : "",
               finding.text);
        count++;
    }
    if (machines) {
        check_processors(machines, count);
        check_cores(machines, count);
    }
    for (size_t i = 0; i < count; i++)
        ft_machine_fini(&machines[i]);
    free(machines);
    ft_machine_names_fini(&names);
}

/* ---- what would be noticed ---- */

static void check_edits(void)
{
    static const struct {
        const char *machine, *finding;
    } cases[] = {
        {"amd-zen5,L2=48K,L2.ways=12", "L2: capacity is not above that of L1D"},
        {"kraken-p655,L3.line=64,L3.ways=8", "L3: lines are shorter than of L2"},
        {"amd-zen5,L3.shared_by=1,L2.shared_by=8", "L3: fewer cores share it than L2"},
        {"amd-zen2,L3.load_line=1", "L3: lines come faster than from L2"},
        {"arm-neoverse-v2,L3.vector=40", "L3: vectors come faster than from L2"},
        {"amd-zen5,L2 DTLB=96", "L2 DTLB: does not reach farther than L1 DTLB"},
        {"amd-zen5,L2 DTLB.miss=7", "L2 DTLB: costs no more than L1 DTLB"},
        {"jvn-xeon,DTLB=2", "DTLB: does not reach as far as L1D"},
        {"jvn-xeon,DTLB.miss=600", "DTLB: costs more than memory"},
        {"amd-zen5,clock=0.3,memory=533", "first cache: 13.3333 ns"},
        {"amd-zen5,memory=110", "memory: 26.8293 ns"},
        {"amd-zen5,memory=4100", "memory: 1000 ns"},
        {"amd-zen5,L3.latency=500", "memory: 130 ns, hardly more than L3"},
        {"arm-neoverse-v2,memory.all_cores=10", "memory: slower for all cores than for one"},
        {"amd-zen5,width=2", "integer: no units, or too many"},
        {"amd-zen3,L1D.load_bytes=64", "loads: L1D gives more than units ask for"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ft_machine machine;
        struct finding finding = {""};
        if (!load(cases[i].machine, &machine))
            continue;
        look_at(&machine, &finding);
        tap_ok(strcmp(finding.text, cases[i].finding) == 0, "%s: %s", cases[i].machine,
               finding.text);
        ft_machine_fini(&machine);
    }
}

int main(void)
{
    check_shipped();
    check_edits();
    return tap_plan_done();
}
