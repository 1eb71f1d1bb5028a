/*
 * What is read of the files of perf, LIKWID and PAPI: which value of which routine is what; and
 * what is no such file.
 */
#include "predict/measured/measured.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/measured/error_summary.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

struct expected {
    const char *routine; /* NULL: the program */
    const char *event;
    enum ft_measured_kind kind;
    double value;
};

static void compare(const char *name, const struct ft_measured *measured,
                    const struct expected *expected, size_t count)
{
    tap_ok(measured->count == count, "%s: %zu values", name, measured->count);
    for (size_t i = 0; i < count && i < measured->count; i++) {
        const struct ft_measured_row *row = &measured->rows[i];
        const bool same_routine = expected[i].routine && row->routine
                                      ? strcmp(expected[i].routine, row->routine) == 0
                                      : expected[i].routine == row->routine;
        tap_ok(same_routine && strcmp(row->event, expected[i].event) == 0 &&
                   row->what.kind == expected[i].kind &&
                   fabs(row->value - expected[i].value) <= 1e-12 * expected[i].value,
               "%s: %s %s = %.12g", name, row->routine ? row->routine : "program", row->event,
               row->value);
    }
}

static void reads(const char *name, const struct expected *expected, size_t count,
                  const char *unknown)
{
    char path[TEMPORARY_PATH_MAX];
    struct ft_measured measured = {0};
    struct ft_diag diag = {0};
    const char *source = getenv("SOURCE");
    snprintf(path, sizeof path, "%s/tests/cli/measured/%s", source ? source : ".", name);
    tap_ok(ft_measured_read(path, &measured, &diag) == FT_OK, "%s is read%s", name, diag.message);
    compare(name, &measured, expected, count);
    tap_ok(unknown ? measured.unknown_count == 1 && strcmp(measured.unknown[0], unknown) == 0
                   : measured.unknown_count == 0,
           "%s: what is not known: %s", name, unknown ? unknown : "nothing");
    ft_measured_fini(&measured);
}

#define READS(name, unknown, ...)                                                                  \
    do {                                                                                           \
        static const struct expected rows[] = {__VA_ARGS__};                                       \
        reads(name, rows, sizeof rows / sizeof *rows, unknown);                                    \
    } while (0)

static void test_files(void)
{
    READS("perf-stat.csv", "page-faults:u", {NULL, "task-clock:u", FT_MEASURED_TIME, 7.1e-6},
          {NULL, "instructions:u", FT_MEASURED_INSTRUCTIONS, 6100},
          {NULL, "L1-dcache-load-misses:u + L1-dcache-store-misses:u", FT_MEASURED_MISSES, 131});
    READS("perf-report.csv", NULL, {"gather", "task-clock:u", FT_MEASURED_TIME, 4.2e-6},
          {"transpose", "task-clock:u", FT_MEASURED_TIME, 2.38e-6},
          {"clear", "task-clock:u", FT_MEASURED_TIME, 0.21e-6},
          {"begin", "task-clock:u", FT_MEASURED_TIME, 0.042e-6},
          {"void pick<int, int>(int*, int)", "task-clock:u", FT_MEASURED_TIME, 0.042e-6},
          {"transpose", "L1-dcache-load-misses:u", FT_MEASURED_MISSES, 112},
          {"gather", "L1-dcache-load-misses:u", FT_MEASURED_MISSES, 28});
    READS("perf-script.txt", NULL, {NULL, "cpu-clock", FT_MEASURED_MISS_RATIO, 40.0 / 118},
          {NULL, "cpu-clock", FT_MEASURED_MISS_RATIO, 14.0 / 118},
          {NULL, "cpu-clock", FT_MEASURED_MISS_RATIO, 3.0 / 118},
          {NULL, "cpu-clock", FT_MEASURED_MISS_RATIO, 3.0 / 118},
          {"memset", "cpu-clock", FT_MEASURED_MISS_RATIO, 0.0 / 1},
          {"memset", "cpu-clock", FT_MEASURED_MISS_RATIO, 0.0 / 1},
          {"memset", "cpu-clock", FT_MEASURED_MISS_RATIO, 0.0 / 1},
          {"memset", "cpu-clock", FT_MEASURED_MISS_RATIO, 0.0 / 1},
          {"gather", "cpu-clock", FT_MEASURED_MISS_RATIO, 34.0 / 93},
          {"gather", "cpu-clock", FT_MEASURED_MISS_RATIO, 13.0 / 93},
          {"gather", "cpu-clock", FT_MEASURED_MISS_RATIO, 3.0 / 93},
          {"gather", "cpu-clock", FT_MEASURED_MISS_RATIO, 3.0 / 93},
          {"transpose", "cpu-clock", FT_MEASURED_MISS_RATIO, 6.0 / 24},
          {"transpose", "cpu-clock", FT_MEASURED_MISS_RATIO, 1.0 / 24},
          {"transpose", "cpu-clock", FT_MEASURED_MISS_RATIO, 0.0 / 24},
          {"transpose", "cpu-clock", FT_MEASURED_MISS_RATIO, 0.0 / 24});
    READS("perf-mem.csv", NULL, {NULL, "cpu-clock", FT_MEASURED_MISS_RATIO, 40.0 / 121},
          {NULL, "cpu-clock", FT_MEASURED_MISS_RATIO, 14.0 / 121},
          {NULL, "cpu-clock", FT_MEASURED_MISS_RATIO, 3.0 / 121},
          {NULL, "cpu-clock", FT_MEASURED_MISS_RATIO, 3.0 / 121},
          {"gather", "cpu-clock", FT_MEASURED_MISS_RATIO, 34.0 / 94},
          {"gather", "cpu-clock", FT_MEASURED_MISS_RATIO, 13.0 / 94},
          {"gather", "cpu-clock", FT_MEASURED_MISS_RATIO, 3.0 / 94},
          {"gather", "cpu-clock", FT_MEASURED_MISS_RATIO, 3.0 / 94},
          {"transpose", "cpu-clock", FT_MEASURED_MISS_RATIO, 6.0 / 26},
          {"transpose", "cpu-clock", FT_MEASURED_MISS_RATIO, 1.0 / 26},
          {"transpose", "cpu-clock", FT_MEASURED_MISS_RATIO, 0.0 / 26},
          {"transpose", "cpu-clock", FT_MEASURED_MISS_RATIO, 0.0 / 26},
          {"memset", "cpu-clock", FT_MEASURED_MISS_RATIO, 0.0 / 1},
          {"memset", "cpu-clock", FT_MEASURED_MISS_RATIO, 0.0 / 1},
          {"memset", "cpu-clock", FT_MEASURED_MISS_RATIO, 0.0 / 1},
          {"memset", "cpu-clock", FT_MEASURED_MISS_RATIO, 0.0 / 1});
    READS("likwid.csv", "ACTUAL_CPU_CLOCK",
          {"gather", "RDTSC Runtime [s]", FT_MEASURED_TIME, 4.1e-6},
          {"gather", "RETIRED_INSTRUCTIONS", FT_MEASURED_INSTRUCTIONS, 2700},
          {"gather", "L2_LINES_IN_ALL", FT_MEASURED_MISSES, 20},
          {"solve", "RDTSC Runtime [s]", FT_MEASURED_TIME, 1e-6},
          {"solve", "RETIRED_INSTRUCTIONS", FT_MEASURED_INSTRUCTIONS, 800});
    READS("papi-6.json", NULL, {"transpose", "PAPI_TOT_INS", FT_MEASURED_INSTRUCTIONS, 2010},
          {"transpose", "PAPI_L2_DCM", FT_MEASURED_MISSES, 110},
          {"gather", "PAPI_TOT_INS", FT_MEASURED_INSTRUCTIONS, 2695},
          {"gather", "PAPI_L2_DCM", FT_MEASURED_MISSES, 21});
    READS("papi-7.json", NULL, {"transpose", "real_time_nsec", FT_MEASURED_TIME, 2.3e-6},
          {"transpose", "PAPI_L3_TCM", FT_MEASURED_MISSES, 108});
    READS("table.csv", NULL, {NULL, "calls", FT_MEASURED_MISSES, 1},
          {NULL, "PAPI_TOT_INS", FT_MEASURED_INSTRUCTIONS, 6040},
          {NULL, "PAPI_L1_DCM", FT_MEASURED_MISSES, 130},
          {NULL, "L2 misses", FT_MEASURED_MISSES, 129}, {NULL, "l2_dtlb", FT_MEASURED_MISSES, 4},
          {"transpose", "calls", FT_MEASURED_MISSES, 1},
          {"transpose", "PAPI_TOT_INS", FT_MEASURED_INSTRUCTIONS, 2002},
          {"transpose", "PAPI_L1_DCM", FT_MEASURED_MISSES, 107},
          {"transpose", "L2 misses", FT_MEASURED_MISSES, 106},
          {"transpose", "l2_dtlb", FT_MEASURED_MISSES, 2},
          {"gather", "calls", FT_MEASURED_MISSES, 1},
          {"gather", "PAPI_TOT_INS", FT_MEASURED_INSTRUCTIONS, 2703},
          {"gather", "PAPI_L1_DCM", FT_MEASURED_MISSES, 19},
          {"gather", "L2 misses", FT_MEASURED_MISSES, 18},
          {"gather", "l2_dtlb", FT_MEASURED_MISSES, 0});
}

/* ---- as text ---- */

static int read_text(const char *text, struct ft_measured *measured, struct ft_diag *diag)
{
    FILE *file = fopen("text", "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        return FT_ERROR_IO;
    return ft_measured_read("text", measured, diag);
}

static void gives(const char *text, double value)
{
    struct ft_measured measured = {0};
    struct ft_diag diag = {0};
    int status = read_text(text, &measured, &diag);
    tap_ok(status == FT_OK && measured.count == 1 &&
               fabs(measured.rows[0].value - value) <= 1e-12 * value,
           "'%.*s...' gives %g %s", (int)strcspn(text, "\n"), text,
           measured.count ? measured.rows[0].value : NAN, diag.message);
    ft_measured_fini(&measured);
}

static void refuses(const char *text, const char *expected)
{
    struct ft_measured measured = {0};
    struct ft_diag diag = {0};
    int status = read_text(text, &measured, &diag);
    tap_ok(status == FT_ERROR_DATA && strstr(diag.message, expected), "refused: %s", diag.message);
    ft_measured_fini(&measured);
}

static void test_texts(void)
{
    gives("12;msec;task-clock;1;100.00;;\n", 0.012);
    gives("1.000100,5,,cycles,1,100.00,,\n2.000200,7,,cycles,1,100.00,,\n", 12);
    gives("9,,cpu_core/cycles/u,1,100.00,,\n", 9);
    gives("TABLE,Group 1 Raw,L2,1,\nEvent,Counter,HWThread 0,HWThread 1\nL2_LINES_IN_ALL,PMC0,3,4\n"
          "TABLE,Group 1 Raw STAT,L2,1,\nL2_LINES_IN_ALL STAT,PMC0,7,3,4,3.5\n",
          7);
    gives("TABLE,Group 1 Metric,L2,1,\nRuntime (RDTSC) [s],0.25,0.5\nCPI,1,2\n", 0.5);
    gives("region;seconds\nsolve;0.5\n", 0.5);
    refuses("", "no measured values");
    refuses("hello\n", "no measured values");
    refuses("routine,cycles\na,1,2\n", "text: line 2: 3 fields, the head has 2");
    refuses("{\"threads\": [", "text: line 1");
    refuses("Overhead,Command\n50%,a\n", "text: line 1: the report has no column Symbol");
    refuses("Overhead,Symbol\n50%,a\n", "does not say of which event");
    refuses("1 cpu/mem-loads,ldlat=30/P: 68100142 |OP LOAD|LVL L1 hit|SNP None|TLB L2 hit|LCK No\n",
            "text: has only loads slower than 30 cycles");
    refuses("# Samples: 3 of event 'cpu/mem-loads,ldlat=30/P'\n"
            "Overhead,Samples,Memory access,Symbol\n50%,3,L1 hit,[.] a\n",
            "text: has only loads slower than 30 cycles");
    refuses("# Samples: 3 of event 'mem'\nOverhead,Memory access,Symbol\n50%,L1 hit,[.] a\n",
            "no column Samples");
}

/* Lines of perf script with other fields, other names of routines, and places that say less. */
static void test_samples(void)
{
    static const struct {
        const char *place, *routine, *tail;
        size_t known; /* rows for the program */
        double first; /* its first ratio */
    } cases[] = {
        {"LVL L1 or L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A", "add", " 5 7 0 401136 add",
         4, 0},
        {"LVL L1 or N/A miss|SNP N/A|TLB N/A|LCK No|BLK  N/A", "f(int, int)",
         " 9 401136 f(int, int)+0x2c (/usr/lib/l (1).so)", 1, 1},
        {"LVL Remote Any cache hit|SNP HitM|TLB Walker hit|LCK No", "(anonymous namespace)::f",
         " 7fad7c47425d (anonymous namespace)::f ([vdso])", 4, 1},
        {"LVL RAM or Local RAM hit|SNP None|TLB L2 miss|LCK No|BLK  N/A|AFF N/A", NULL,
         " 7fad7c47425d [unknown] (/a/b)", 4, 1},
        {"LVL L3 miss|SNP N/A|TLB L1 miss|LCK No", NULL, "", 3, 1},
        {"LVL N/A|SNP N/A|TLB Fault hit|LCK No", NULL, "", 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ft_measured measured = {0};
        struct ft_diag diag = {0};
        char text[512];
        snprintf(text, sizeof text, "a.out 7 8.25: 900 mem-loads:pp: 7ffd 26810 |OP LOAD|%s%s\n",
                 cases[i].place, cases[i].tail);
        const size_t rows = cases[i].routine ? 2 * cases[i].known : cases[i].known;
        const bool is_read = read_text(text, &measured, &diag) == FT_OK && measured.count == rows;
        tap_ok(is_read && measured.rows[0].value == cases[i].first &&
                   strcmp(measured.rows[0].event, "mem-loads:pp") == 0 &&
                   measured.rows[0].samples == 1,
               "%s: %zu rows %s", cases[i].place, measured.count, diag.message);
        const char *routine = is_read ? measured.rows[rows - 1].routine : "";
        tap_ok(routine && cases[i].routine ? strcmp(routine, cases[i].routine) == 0
                                           : routine == cases[i].routine,
               "of %s", routine ? routine : "no routine");
        ft_measured_fini(&measured);
    }
}

static void test_levels(void)
{
    static const struct {
        const char *event;
        size_t level; /* 5: none */
    } cases[] = {
        {"PAPI_L1_DCM", 0},    {"PAPI_L2_TCM", 1},      {"PAPI_L3_TCM", 5}, {"LLC-load-misses", 1},
        {"cache-misses:u", 1}, {"dTLB-load-misses", 3}, {"L2", 1},          {"l2_misses", 1},
        {"L1 DTLB misses", 2}, {"l2_dtlb", 3},          {"calls", 5},       {"cycles", 5}};
    struct ft_level levels[] = {
        {.name = "L1D"}, {.name = "L2"}, {.name = "L1 DTLB"}, {.name = "L2 DTLB"}};
    const struct ft_machine machine = {.levels = levels, .level_count = 4, .cache_count = 2};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ft_measured_event event;
        const bool known = ft_measured_column_find(cases[i].event, &event);
        const size_t level = known ? ft_measured_level(&event, &machine) : 5;
        tap_ok(known && level == (cases[i].level == 5 ? 4 : cases[i].level), "%s: level %zu",
               cases[i].event, level);
    }
}

static void test_errors(void)
{
    double none[] = {NAN, NAN}, three[] = {0.3, NAN, -0.1, 0.2}, many[40];
    const struct ft_error_summary of_none = ft_error_summary_of(none, 2);
    tap_ok(of_none.count == 0 && isnan(of_none.median) && isnan(of_none.within_95) &&
               isnan(of_none.mean) && isnan(of_none.deviation),
           "no errors");
    const struct ft_error_summary of_three = ft_error_summary_of(three, 4);
    tap_ok(of_three.count == 3 && of_three.median == 0.2 && of_three.within_95 == 0.3,
           "three: median %g, 95 %% within %g", of_three.median, of_three.within_95);
    tap_ok(fabs(of_three.mean - 0.2) < 1e-12 && fabs(of_three.deviation - 0.1) < 1e-12,
           "three: mean %g, deviation %g", of_three.mean, of_three.deviation);
    for (size_t i = 0; i < 40; i++)
        many[i] = (i % 2 ? -0.01 : 0.01) * (double)(i + 1);
    const struct ft_error_summary of_many = ft_error_summary_of(many, 40);
    tap_ok(fabs(of_many.median - 0.205) < 1e-12 && fabs(of_many.within_95 - 0.38) < 1e-12,
           "forty: median %g, 95 %% within %g", of_many.median, of_many.within_95);
    tap_ok(ft_relative_error(3, 2) == 0.5 && isnan(ft_relative_error(3, 0)), "relative errors");
}

int main(void)
{
    test_files();
    enter_temporary_folder();
    test_texts();
    test_samples();
    test_levels();
    test_errors();
    return tap_plan_done();
}
