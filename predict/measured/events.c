/*
 * Names are those of the tools' documentation: perf-list(1) and perf_event_open(2); "PAPI preset
 * events" of papi_avail(1), and the keys of its high-level API's output; event lists and groups of
 * LIKWID (likwid-perfctr -e).
 */
#include "predict/measured/events.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NS 1e-9

enum { L1 = 0, L2 = 1, L3 = 2, LLC = FT_MEASURED_LAST_CACHE, TLB = FT_MEASURED_LAST_TLB };

static const struct {
    const char *name;
    enum ft_measured_kind kind;
    enum ft_measured_part part;
    unsigned place;
    double unit;
} events[] = {
    /* perf; a report counts clocks in nanoseconds, and so does stat but for its unit */
    {"task-clock", FT_MEASURED_TIME, FT_MEASURED_ALL, 0, NS},
    {"cpu-clock", FT_MEASURED_TIME, FT_MEASURED_ALL, 0, NS},
    {"cycles", FT_MEASURED_CYCLES, FT_MEASURED_ALL, 0, 1},
    {"cpu-cycles", FT_MEASURED_CYCLES, FT_MEASURED_ALL, 0, 1},
    {"instructions", FT_MEASURED_INSTRUCTIONS, FT_MEASURED_ALL, 0, 1},
    {"L1-dcache-load-misses", FT_MEASURED_MISSES, FT_MEASURED_LOADS, L1, 1},
    {"L1-dcache-store-misses", FT_MEASURED_MISSES, FT_MEASURED_STORES, L1, 1},
    {"LLC-load-misses", FT_MEASURED_MISSES, FT_MEASURED_LOADS, LLC, 1},
    {"LLC-store-misses", FT_MEASURED_MISSES, FT_MEASURED_STORES, LLC, 1},
    {"cache-misses", FT_MEASURED_MISSES, FT_MEASURED_ALL, LLC, 1},
    {"dTLB-load-misses", FT_MEASURED_MISSES, FT_MEASURED_LOADS, TLB, 1},
    {"dTLB-store-misses", FT_MEASURED_MISSES, FT_MEASURED_STORES, TLB, 1},
    /* PAPI */
    {"real_time_nsec", FT_MEASURED_TIME, FT_MEASURED_ALL, 0, NS},
    {"perf::TASK-CLOCK", FT_MEASURED_TIME, FT_MEASURED_ALL, 0, NS},
    {"PAPI_TOT_CYC", FT_MEASURED_CYCLES, FT_MEASURED_ALL, 0, 1},
    {"PAPI_TOT_INS", FT_MEASURED_INSTRUCTIONS, FT_MEASURED_ALL, 0, 1},
    {"PAPI_L1_DCM", FT_MEASURED_MISSES, FT_MEASURED_ALL, L1, 1},
    {"PAPI_L1_LDM", FT_MEASURED_MISSES, FT_MEASURED_LOADS, L1, 1},
    {"PAPI_L1_STM", FT_MEASURED_MISSES, FT_MEASURED_STORES, L1, 1},
    {"PAPI_L2_DCM", FT_MEASURED_MISSES, FT_MEASURED_ALL, L2, 1},
    {"PAPI_L2_TCM", FT_MEASURED_MISSES, FT_MEASURED_ALL, L2, 1},
    {"PAPI_L2_LDM", FT_MEASURED_MISSES, FT_MEASURED_LOADS, L2, 1},
    {"PAPI_L2_STM", FT_MEASURED_MISSES, FT_MEASURED_STORES, L2, 1},
    {"PAPI_L3_DCM", FT_MEASURED_MISSES, FT_MEASURED_ALL, L3, 1},
    {"PAPI_L3_TCM", FT_MEASURED_MISSES, FT_MEASURED_ALL, L3, 1},
    {"PAPI_L3_LDM", FT_MEASURED_MISSES, FT_MEASURED_LOADS, L3, 1},
    {"PAPI_TLB_DM", FT_MEASURED_MISSES, FT_MEASURED_ALL, TLB, 1},
    /* LIKWID */
    {"RDTSC Runtime [s]", FT_MEASURED_TIME, FT_MEASURED_ALL, 0, 1},
    {"Runtime (RDTSC) [s]", FT_MEASURED_TIME, FT_MEASURED_ALL, 0, 1},
    {"CPU_CLK_UNHALTED_CORE", FT_MEASURED_CYCLES, FT_MEASURED_ALL, 0, 1},
    {"CPU_CLOCKS_UNHALTED", FT_MEASURED_CYCLES, FT_MEASURED_ALL, 0, 1},
    {"INSTR_RETIRED_ANY", FT_MEASURED_INSTRUCTIONS, FT_MEASURED_ALL, 0, 1},
    {"RETIRED_INSTRUCTIONS", FT_MEASURED_INSTRUCTIONS, FT_MEASURED_ALL, 0, 1},
    {"L1D_REPLACEMENT", FT_MEASURED_MISSES, FT_MEASURED_ALL, L1, 1},
    {"L2_LINES_IN_ALL", FT_MEASURED_MISSES, FT_MEASURED_ALL, L2, 1},
    {"MEM_LOAD_RETIRED_L3_MISS", FT_MEASURED_MISSES, FT_MEASURED_LOADS, L3, 1},
    {"DTLB_LOAD_MISSES_CAUSES_A_WALK", FT_MEASURED_MISSES, FT_MEASURED_LOADS, TLB, 1},
    {"DTLB_STORE_MISSES_CAUSES_A_WALK", FT_MEASURED_MISSES, FT_MEASURED_STORES, TLB, 1},
    /* tables */
    {"seconds", FT_MEASURED_TIME, FT_MEASURED_ALL, 0, 1},
    {"time", FT_MEASURED_TIME, FT_MEASURED_ALL, 0, 1},
};

static bool find(const char *name, size_t length, struct ft_measured_event *ret_event)
{
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (strlen(events[i].name) == length && strncasecmp(events[i].name, name, length) == 0) {
            *ret_event = (struct ft_measured_event){.kind = events[i].kind,
                                                    .part = events[i].part,
                                                    .place = events[i].place,
                                                    .unit = events[i].unit};
            return true;
        }
    return false;
}

bool ft_measured_event_find(const char *name, struct ft_measured_event *ret_event)
{
    const size_t length = strlen(name);
    if (find(name, length, ret_event))
        return true;
    const char *slash = strchr(name, '/');
    if (slash)
        return find(slash + 1, strcspn(slash + 1, "/"), ret_event);
    const char *colon = strrchr(name, ':');
    return colon && find(name, (size_t)(colon - name), ret_event);
}

bool ft_measured_column_find(const char *name, struct ft_measured_event *ret_event)
{
    static const char ending[] = "misses";
    if (ft_measured_event_find(name, ret_event))
        return true;
    struct ft_measured_event event = {
        .kind = FT_MEASURED_MISSES, .place = FT_MEASURED_NAMED, .unit = 1};
    size_t length = strlen(name);
    if (length > sizeof ending && strcasecmp(name + length - (sizeof ending - 1), ending) == 0 &&
        strchr(" _", name[length - sizeof ending]))
        length -= sizeof ending;
    if (length == 0 || length >= sizeof event.level)
        return false;
    snprintf(event.level, sizeof event.level, "%.*s", (int)length, name);
    *ret_event = event;
    return true;
}

/* Without case, and any mark for a blank. */
static bool is_name(const char *level, const char *name)
{
    for (; *level && *name; level++, name++)
        if (tolower((unsigned char)*level) != tolower((unsigned char)*name) &&
            !(*level == ' ' && *name == '_'))
            return false;
    return !*level && !*name;
}

size_t ft_measured_level(const struct ft_measured_event *event, const struct ft_machine *machine)
{
    const size_t caches = machine->cache_count, none = machine->level_count;
    if (event->kind != FT_MEASURED_MISSES && event->kind != FT_MEASURED_MISS_RATIO)
        return none;
    if (event->place == FT_MEASURED_LAST_CACHE)
        return caches > 0 ? caches - 1 : none;
    if (event->place == FT_MEASURED_LAST_TLB)
        return none > caches ? none - 1 : none;
    for (size_t i = 0; event->place == FT_MEASURED_NAMED && i < none; i++)
        if (is_name(machine->levels[i].name, event->level))
            return i;
    return event->place < caches ? event->place : none;
}
