/*
 * The analysis of a probe, on curves with known answers: knees of drawn latency curves, with noise
 * and without; whole machines from drawn points, and what cannot be told of them; the code that
 * measures, against what it should touch; the file of points.
 */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/splitmix.h"
#include "machines/machine_build.h"
#include "machines/probe/code.h"
#include "machines/probe/knees.h"
#include "machines/probe/probe_memory.h"
#include "machines/probe/probe_results.h"
#include "machines/probe/probe_run.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

#define POINTS_MAX 256

/* ---- knees ---- */

struct drawn_level {
    double bytes, cycles;
};

/* Latency of random loads in so many bytes: each level holds a share of them. */
static double latency_of(const struct drawn_level *levels, size_t count, double bytes,
                         double memory)
{
    double cycles = 0, held = 0;
    for (size_t i = 0; i < count; i++) {
        const double holds = fmax(held, fmin(1, levels[i].bytes / bytes));
        cycles += (holds - held) * levels[i].cycles;
        held = holds;
    }
    return cycles + (1 - held) * memory;
}

static const struct drawn_level three[] = {{32 << 10, 4}, {512 << 10, 12}, {16 << 20, 46}};

/* A curve from 2 KiB to 256 MiB; disturbed: a share of the points takes up to twice as long. */
static size_t draw(double *x, double *y, double disturbed, uint64_t seed)
{
    size_t count = 0;
    for (int step = 0; step <= 85; step++) {
        const double bytes = 2048 * exp2(0.2 * step);
        x[count] = bytes;
        y[count] = latency_of(three, 3, bytes, 320) * (1 + 0.01 * ft_splitmix_uniform(&seed));
        if (ft_splitmix_uniform(&seed) < disturbed)
            y[count] *= 1 + ft_splitmix_uniform(&seed);
        count++;
    }
    return count;
}

/* Knees of a curve that is made rising first. */
static size_t find_knees(const double *x, const double *y, size_t count,
                         struct ft_knee ret_knees[FT_KNEES_MAX])
{
    double rising[POINTS_MAX];
    memcpy(rising, y, count * sizeof *y);
    ft_make_rising(rising, count);
    return ft_find_knees(x, rising, count, ret_knees);
}

static void check_knees(double disturbed)
{
    double x[POINTS_MAX], y[POINTS_MAX];
    const unsigned times = tap_repetitions(100, 20, 5);
    unsigned right = 0;
    for (uint64_t seed = 1; seed <= times; seed++) {
        struct ft_knee knees[FT_KNEES_MAX];
        const size_t count = draw(x, y, disturbed, seed);
        const size_t found = find_knees(x, y, count, knees);
        /* The last points may be disturbed, which no later one shows. */
        bool good = found == 3 || (disturbed > 0 && found == 4);
        for (size_t i = 0; good && i < 3; i++)
            good = knees[i].capacity > 0.6 * three[i].bytes &&
                   knees[i].capacity < 1.6 * three[i].bytes &&
                   fabs(knees[i].below / three[i].cycles - 1) < (disturbed > 0 ? 0.3 : 0.1);
        if (!good)
            for (size_t i = 0; i < found; i++)
                printf("# seed %llu: from %g to %g, %g to %g cycles\n", (unsigned long long)seed,
                       knees[i].capacity / 1024, knees[i].end / 1024, knees[i].below,
                       knees[i].above);
        right += good;
    }
    /* Points disturbed side by side look like a level of their own, now and then. */
    tap_ok(disturbed > 0 ? 100 * right >= 95 * times : right == times,
           "%u of %u curves with %g %% of points disturbed: three levels", right, times,
           100 * disturbed);
}

static void check_curves(void)
{
    struct ft_knee knees[FT_KNEES_MAX];
    const double x[] = {1, 2, 4, 8, 16, 32}, flat[] = {5, 5, 5.2, 5, 5.1, 5};
    const double drifting[] = {5, 5.5, 6, 6.6, 7.2, 8};
    const double step[] = {5, 5, 5, 10, 10, 10};
    double rising[] = {3, 9, 4, 5, 8, 6};
    tap_ok(find_knees(x, flat, 6, knees) == 0, "a flat curve has no knee");
    tap_ok(find_knees(x, drifting, 6, knees) == 0, "a slow drift is none");
    tap_ok(find_knees(x, step, 6, knees) == 1 && knees[0].capacity == 4 && knees[0].below == 5 &&
               knees[0].above == 10 && knees[0].end == 8,
           "a step is one, at the last point before it");
    tap_ok(find_knees(x, step, 0, knees) == 0 && find_knees(x, step, 1, knees) == 0,
           "no points, no knees");
    ft_make_rising(rising, 6);
    const double expected[] = {3, 4, 4, 5, 6, 6};
    bool same = true;
    for (size_t i = 0; i < 6; i++)
        same &= rising[i] == expected[i];
    tap_ok(same, "the largest rising curve below");
    tap_ok(fabs(ft_curve_at(x, step, 6, sqrt(32)) - sqrt(50)) < 1e-12 &&
               ft_curve_at(x, step, 6, 0.5) == 5 && ft_curve_at(x, step, 6, 99) == 10,
           "between points by logarithms, outside as at the ends");
}

/* ---- machines ---- */

static const char detected[] = "description: test, one core, detected; the rest as in x\n"
                               "core: {clock_ghz: 1, issue_width: 4}\n"
                               "caches:\n"
                               "  - {name: L1D, capacity: 32K, line: 64, ways: 8, "
                               "latency_cycles: 5, exposed_share: 0.5}\n"
                               "  - {name: L2, capacity: 512K, line: 64, ways: 8, "
                               "latency_cycles: 15, exposed_share: 1}\n"
                               "  - {name: L3, capacity: 16M, line: 64, ways: 16, "
                               "latency_cycles: 60, exposed_share: 1}\n"
                               "memory: {latency_cycles: 300}\n"
                               "tlbs:\n"
                               "  - {name: L1 DTLB, entries: 64, page: 4K, ways: full, "
                               "miss_cycles: 9, exposed_share: 0.5}\n"
                               "  - {name: L2 DTLB, entries: 2048, page: 4K, ways: 8, "
                               "miss_cycles: 40, exposed_share: 1}\n"
                               "units: []\n";

static void add(struct ft_probe *probe, const char *curve, double bytes, uint64_t stride,
                uint32_t count, double cycles, double spread)
{
    const double ns = cycles * 0.25; /* 4 GHz */
    struct ft_probe_point point = {.size_bytes = (uint64_t)bytes,
                                   .stride_bytes = stride,
                                   .count = count,
                                   .samples = 6,
                                   .passes = 2,
                                   .ns = ns,
                                   .again_ns = ns * (1 + spread)};
    snprintf(point.curve, sizeof point.curve, "%s", curve);
    (void)ft_probe_add(probe, &point);
}

/* A host at 4 GHz with the three levels. */
static void draw_probe(struct ft_probe *probe, double disturbed)
{
    double x[POINTS_MAX], y[POINTS_MAX];
    const size_t count = draw(x, y, disturbed, 7);
    struct ft_probe_point point = {.samples = 6};
    for (size_t i = 0; i < count; i++) {
        point.size_bytes = (uint64_t)x[i];
        point.ns = point.again_ns = y[i] * 0.25;
        snprintf(point.curve, sizeof point.curve, FT_CURVE_LATENCY);
        (void)ft_probe_add(probe, &point);
    }
    for (uint32_t pages = 8; pages <= 16384; pages += pages / 4) {
        const double lines = latency_of(three, 3, pages * 64.0, 320);
        point.count = pages;
        point.size_bytes = pages * UINT64_C(4096);
        point.ns = point.again_ns = 0.25 * (lines + (pages > 64 ? 7 : 0) + (pages > 2048 ? 30 : 0));
        snprintf(point.curve, sizeof point.curve, FT_CURVE_PAGES);
        (void)ft_probe_add(probe, &point);
        point.ns = point.again_ns = 0.25 * lines;
        snprintf(point.curve, sizeof point.curve, FT_CURVE_PAGE_CONTROL);
        (void)ft_probe_add(probe, &point);
    }
    add(probe, FT_CURVE_CYCLE, 0, 0, 0, 1, 0.001);
    add(probe, FT_CURVE_FORWARD, 0, 0, 0, 5, 0.01);
    for (uint64_t bytes = 1024; bytes <= 64 << 20; bytes *= 2)
        add(probe, FT_CURVE_LOAD, (double)bytes, 8, 0, bytes <= 16 << 20 ? 0.5 : 2, 0.01);
    add(probe, FT_CURVE_LOAD, 64 << 20, 64, 0, 16, 0.30);
    add(probe, FT_CURVE_CHAINS, 64 << 20, 0, 1, 320, 0);
    add(probe, FT_CURVE_CHAINS, 64 << 20, 0, 8, 40, 0);
    add(probe, FT_CURVE_CHAINS, 64 << 20, 0, 16, 32, 0);
    add(probe, FT_CURVE_FOLLOWED, 64 << 20, 64, 0, 20, 0);
    add(probe, FT_CURVE_FOLLOWED, 64 << 20, 2048, 0, 30, 0);
    add(probe, FT_CURVE_FOLLOWED, 64 << 20, 8192, 0, 310, 0);
    add(probe, FT_CURVE_AHEAD, 64 << 20, 0, 0, 2000, 0);
    add(probe, FT_CURVE_AHEAD, 64 << 20, 0, 1, 1700, 0);
    add(probe, FT_CURVE_AHEAD, 64 << 20, 0, 2, 1710, 0);
    add(probe, FT_CURVE_AHEAD, 64 << 20, 0, 4, 1990, 0);
    add(probe, FT_CURVE_STORE_CONFLICTS, 0, 16384, 64, 40, 0);
    add(probe, FT_CURVE_PAGE_FAULTS, 16 << 20, 0, 4096, 1200, 0);
    add(probe, FT_CURVE_CORES, 64 << 20, 8, 2, 1, 0);
    add(probe, FT_CURVE_RUNNING, 64 << 20, 8, 2, disturbed > 0 ? 2 : 3.96, 0);
    add(probe, FT_CURVE_RATE_OF "other", 0, 0, 0, 1.0 / 6, 0);
    add(probe, FT_CURVE_RATE_OF "load", 0, 0, 0, 1.0 / 3, 0);
    add(probe, FT_CURVE_RATE_OF "store", 0, 0, 0, 1.0 / 2, 0);
    add(probe, FT_CURVE_RATE_OF "load + store", 0, 0, 0, 1.0 / 3, 0);
    add(probe, FT_CURVE_RATE_OF "integer_divide", 0, 0, 0, 6, 0);
    add(probe, FT_CURVE_LATENCY_OF "integer_divide", 0, 0, 0, 12, 0);
    add(probe, FT_CURVE_LATENCY_OF "integer_divide control", 0, 0, 0, 2, 0);
    add(probe, FT_CURVE_LATENCY_OF "fp_add", 0, 0, 0, 3, 0);
}

static bool is_near(double value, double expected, double share)
{
    return fabs(value - expected) <= share * expected;
}

static void print_notes(const struct ft_probe_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        printf("# %s\n", notes->items[i]);
}

static bool is_noted(const struct ft_probe_notes *notes, const char *part)
{
    for (size_t i = 0; i < notes->count; i++)
        if (strstr(notes->items[i], part))
            return true;
    return false;
}

/* The machine of a probe; the caller ends all three. */
static bool apply(const struct ft_probe *probe, struct ft_yaml_machine **ret_yaml,
                  struct ft_machine *ret_machine, struct ft_probe_notes *ret_notes)
{
    struct ft_diag diag = {0};
    char *text = strdup(detected);
    const struct ft_yaml_file file = {"detected", text, sizeof detected - 1};
    const struct ft_machine_source source = {"detected", NULL, 0};
    const bool good = ft_yaml_machine_read(&file, ret_yaml, &diag) == FT_OK &&
                      ft_probe_apply(probe, *ret_yaml, ret_notes, &diag) == FT_OK &&
                      ft_machine_build(&source, "measured", *ret_yaml, ret_machine, &diag) == FT_OK;
    free(text);
    print_notes(ret_notes);
    return tap_ok(good, "a machine of drawn points %s", diag.message);
}

static void check_levels(const struct ft_machine *machine)
{
    tap_ok(is_near(machine->levels[0].latency_cycles, 4, 0.02) &&
               is_near(machine->levels[1].latency_cycles, 12, 0.12) &&
               is_near(machine->levels[2].latency_cycles, 46, 0.12),
           "latencies %g, %g, %g", machine->levels[0].latency_cycles,
           machine->levels[1].latency_cycles, machine->levels[2].latency_cycles);
    tap_ok(is_near(machine->memory_latency_cycles, 320, 0.03), "memory %g",
           machine->memory_latency_cycles);
    tap_ok(is_near(machine->levels[3].latency_cycles, 7, 0.15) &&
               is_near(machine->levels[4].latency_cycles, 30, 0.1),
           "TLB misses %g, %g", machine->levels[3].latency_cycles,
           machine->levels[4].latency_cycles);
}

static void check_calm(void)
{
    struct ft_probe probe = {0};
    struct ft_yaml_machine *yaml = NULL;
    struct ft_machine machine = {0};
    struct ft_probe_notes notes = {0};
    draw_probe(&probe, 0);
    if (apply(&probe, &yaml, &machine, &notes)) {
        check_levels(&machine);
        tap_ok(machine.clock_ghz == 4 && machine.issue_width == 6 &&
                   machine.store_forward_cycles == 5 && machine.store_conflict_cycles == 40,
               "clock, width, store forwarding, stores to one set");
        tap_ok(machine.levels[0].speed.load_bytes_per_cycle == 16 &&
                   machine.memory_speed.load_bytes_per_cycle == 4 &&
                   machine.memory_speed.load_line_cycles == 16 &&
                   machine.memory_speed.outstanding_misses == 10,
               "bandwidths, lines, misses in flight");
        tap_ok(machine.followed_stride_bytes == 2048 && machine.ahead_lines == 2 &&
                   machine.all_cores_bytes_per_cycle == 8 && machine.page_fault_cycles == 1200,
               "prefetchers, cores, page faults");
        tap_ok(machine.operation_cycles[FT_MIX_INTEGER_DIVIDE] == 10 &&
                   machine.operation_cycles[FT_MIX_FP_ADD] == 3 &&
                   machine.operation_cycles[FT_MIX_LOAD] == 0,
               "latencies of operations, less their control");
        tap_ok(machine.unit_count == 4 && machine.units[3].classes[FT_MIX_LOAD] &&
                   machine.units[3].classes[FT_MIX_STORE] && machine.units[3].rate == 3,
               "loads and stores share units");
        tap_ok(is_noted(&notes, "repeats differ by more than 5 %: memory.load_line_cycles 30 %") &&
                   notes.count == 1,
               "what repeats disagree on is noted, and nothing else: %zu", notes.count);
        const struct ft_yaml_source *source =
            ft_yaml_source_of(&yaml->caches[0].sources, FT_NUMBER_latency_cycles);
        tap_ok(source && source->kind == FT_SOURCE_MEASURED, "%s", source ? source->text : "");
    }
    ft_machine_fini(&machine);
    ft_yaml_machine_free(yaml);
    ft_probe_notes_fini(&notes);
    ft_probe_fini(&probe);
}

static void check_disturbed(void)
{
    struct ft_probe probe = {0};
    struct ft_yaml_machine *yaml = NULL;
    struct ft_machine machine = {0};
    struct ft_probe_notes notes = {0};
    draw_probe(&probe, 0.3);
    if (apply(&probe, &yaml, &machine, &notes)) {
        check_levels(&machine);
        tap_ok(machine.all_cores_bytes_per_cycle == 0 && is_noted(&notes, "ran for 50 %"),
               "threads that did not run together tell nothing");
    }
    ft_machine_fini(&machine);
    ft_yaml_machine_free(yaml);
    ft_probe_notes_fini(&notes);
    ft_probe_fini(&probe);
}

/* A crowded last level, no large sizes, no cycle. */
static void check_unknown(void)
{
    struct ft_probe probe = {0}, none = {0};
    struct ft_yaml_machine *yaml = NULL;
    struct ft_machine machine = {0};
    struct ft_probe_notes notes = {0};
    add(&probe, FT_CURVE_CYCLE, 0, 0, 0, 1, 0);
    for (int step = 0; step <= 24; step++) {
        const double bytes = floor(2048 * exp2(0.5 * step) + 0.5), outside = bytes / (1 << 17);
        add(&probe, FT_CURVE_LATENCY, bytes, 0, 0,
            bytes <= 32768 ? 4
            : outside <= 1 ? 12
                           : 12 * pow(outside, 0.7),
            0);
    }
    if (apply(&probe, &yaml, &machine, &notes)) {
        tap_ok(is_noted(&notes, "L3: its latency cannot be told: the curve rises through") &&
                   is_noted(&notes, "memory: its latency cannot be told") &&
                   is_noted(&notes, "L2: latencies rise from 181 KiB on, not from 512 KiB") &&
                   is_noted(&notes, "TLBs: not measured"),
               "what cannot be told is said");
        tap_ok(machine.levels[2].latency_cycles == 60 && machine.memory_latency_cycles == 300,
               "and stays as it was");
    }
    ft_machine_fini(&machine);
    ft_probe_notes_fini(&notes);
    ft_probe_fini(&probe);
    struct ft_diag diag = {0};
    tap_ok(ft_probe_apply(&none, yaml, &notes, &diag) == FT_ERROR_DATA, "%s", diag.message);
    ft_yaml_machine_free(yaml);
}

/* A last level that others crowd: flat far above what a cache takes. */
static void check_crowded(void)
{
    struct ft_probe probe = {0};
    struct ft_yaml_machine *yaml = NULL;
    struct ft_machine machine = {0};
    struct ft_probe_notes notes = {0};
    add(&probe, FT_CURVE_CYCLE, 0, 0, 0, 1, 0);
    for (int step = 0; step <= 32; step++) {
        const double bytes = floor(2048 * exp2(0.5 * step) + 0.5);
        add(&probe, FT_CURVE_LATENCY, bytes, 0, 0,
            bytes <= 32768     ? 4
            : bytes <= 524288  ? 12
            : bytes <= 1 << 20 ? 120
            : bytes <= 6 << 20 ? 280
                               : 465,
            0);
    }
    if (apply(&probe, &yaml, &machine, &notes))
        tap_ok(
            is_noted(&notes, "L3: its latency cannot be told: where the curve is flat it is 280") &&
                machine.levels[2].latency_cycles == 60 && machine.levels[1].latency_cycles == 12,
            "a crowded last level is not believed");
    ft_machine_fini(&machine);
    ft_yaml_machine_free(yaml);
    ft_probe_notes_fini(&notes);
    ft_probe_fini(&probe);
}

/* ---- passes, files ---- */

static void check_passes(void)
{
    char path[TEMPORARY_PATH_MAX + 16];
    struct ft_probe probe = {.machine = strdup("m"), .disturbed = 0.5, .seconds = 9}, again = {0};
    struct ft_diag diag = {0};
    static const double passes[] = {5, 3, 4, 9};
    for (size_t i = 0; i < 4; i++) {
        struct ft_probe_point point = {
            .curve = "x", .samples = 2, .ns = passes[i], .again_ns = INFINITY};
        (void)ft_probe_add(&probe, &point);
    }
    tap_ok(probe.count == 1 && probe.points[0].ns == 3 && probe.points[0].again_ns == 4 &&
               probe.points[0].samples == 8 &&
               fabs(ft_point_spread(&probe.points[0]) - 1.0 / 3) < 1e-12,
           "of four passes the two fastest are kept");
    snprintf(path, sizeof path, "%s/curves.h5", temporary_folder());
    if (tap_ok(ft_probe_write(path, &probe, &diag) == FT_OK &&
                   ft_probe_read(path, &again, &diag) == FT_OK,
               "written and read %s", diag.message))
        tap_ok(again.count == 1 && again.points[0].again_ns == 4 &&
                   strcmp(again.points[0].curve, "x") == 0 && strcmp(again.machine, "m") == 0 &&
                   again.disturbed == 0.5 && again.seconds == 9,
               "the same");
    probe.points[0].ns = NAN;
    ft_probe_fini(&again);
    tap_ok(ft_probe_write(path, &probe, &diag) == FT_OK &&
               ft_probe_read(path, &again, &diag) == FT_ERROR_DATA,
           "%s", diag.message);
    ft_probe_fini(&probe);
}

/* A point that no calm sample is of may be settled on what a neighbour made of it. */
static void check_settled(void)
{
    struct ft_probe probe = {0};
    const struct ft_probing probing = {.probe = &probe, .pass = 2, .meter.deadline_ns = UINT64_MAX};
    struct ft_probe_point point = {.curve = "x", .samples = 6, .passes = 1, .ns = 3, .again_ns = 3};
    (void)ft_probe_add(&probe, &point);
    (void)ft_probe_add(&probe, &point);
    tap_ok(!ft_probing_is_settled(&probing, &point), "passes agree, but none was calm");
    point.calm = 1;
    (void)ft_probe_add(&probe, &point);
    tap_ok(ft_probing_is_settled(&probing, &point), "settled with a calm one");
    ft_probe_fini(&probe);
}

/* ---- what measures ---- */

static void count_down(void *context, uint64_t count)
{
    for (volatile uint64_t *left = context; count > 0; count--)
        (*left)--;
}

/* The meter moves from processor to processor, but leaves its thread as it was. */
static void check_meter(void)
{
    struct ft_meter meter;
    struct ft_probe_point point = {.curve = "x"};
    uint64_t left = 0;
    cpu_set_t before, behind;
    const bool is_known = sched_getaffinity(0, sizeof before, &before) == 0;
    ft_meter_init(&meter);
    meter.window_ns = 2e4;
    ft_meter_measure(&meter, count_down, &left, 1, &point);
    tap_ok(left != 0 && point.samples >= 6 && point.calm <= point.samples && point.ns > 0,
           "%u samples, %u of them calm", point.samples, point.calm);
    tap_ok(is_known && sched_getaffinity(0, sizeof behind, &behind) == 0 &&
               CPU_EQUAL(&before, &behind),
           "the same processors as before");
}

/* Stores of a made code: which elements they change. */
static void check_code(uint64_t bytes, uint64_t stride)
{
    struct ft_code code;
    struct ft_diag diag = {0};
    const size_t elements = bytes / 8 + 64;
    uint64_t *from = calloc(elements, 8), *to = calloc(elements, 8);
    memset(from, 7, bytes);
    bool good = ft_code_strided(FT_CODE_COPY, bytes, stride, &code, &diag) == FT_OK;
    if (good) {
        code.run(from, to, 3);
        for (size_t i = 0; i < elements; i++)
            good &= (to[i] != 0) == (i * 8 % stride == 0 && i * 8 < bytes / stride * stride);
        good &= code.accesses % (bytes / stride) == 0;
        ft_code_fini(&code);
    }
    tap_ok(good, "copies of %llu bytes at a stride of %llu touch these alone %s",
           (unsigned long long)bytes, (unsigned long long)stride, diag.message);
    free(from);
    free(to);
}

static void check_ring(uint64_t count, uint64_t spacing, bool scatter)
{
    uint8_t *memory = aligned_alloc(4096, (count + 1) * 4096);
    void **first = ft_probe_ring(memory, count, spacing, scatter, 3), **place = first;
    uint64_t steps = 0;
    do {
        place = *place;
        steps++;
    } while (place != first && steps <= count);
    tap_ok(steps == count, "a ring of %llu places", (unsigned long long)count);
    tap_ok(ft_probe_follow(first, count * 16) == first, "followed sixteen times round");
    free(memory);
}

int main(void)
{
    check_knees(0);
    check_knees(0.3);
    check_curves();
    check_calm();
    check_disturbed();
    check_unknown();
    check_crowded();
    check_passes();
    check_settled();
    check_meter();
    check_code(1024, 8);
    check_code(1024, 512);
    check_code(8200, 24);
    check_code(65536, 64);
    check_ring(1, 64, false);
    check_ring(1000, 64, false);
    check_ring(100, 4096, true);
    return tap_plan_done();
}
