/*
 * 1. What each scope of the model does on the core, and which lines it waits for (core_time.h,
 *    traffic.h).
 * 2. The times of its lines by source and kind (memory_time.h), with misses as forecast and at both
 *    ends of their intervals.
 * 3. Both combined, and what limits them.
 */
#include "predict/time/scope_time.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "predict/time/page_faults.h"

/* From the dispatch of what a branch leads to until the core works again as before: random branches
 * took 28 to 30 cycles on Golden Cove, of which 17 and a load that is compared explain 24. */
#define REFILL_CYCLES 4.0
/* On cores of generic classes, in all. */
#define MISPREDICTION_CYCLES 20.0

/* 1 would be a sum, and 2 a hypotenuse: chosen by simulated cores (docs/benchmarks.md). */
#define OVERLAP_POWER 1.3

/* What a scope waits for. */
struct waiting {
    double memory, chains;
    double from_memory; /* lines, but for chains */
    double queued;      /* of memory: for lines of other threads */
    double conflicts;   /* of memory: stores for their lines, of few sets */
    double most;        /* of its parts, each from one place and of one kind */
    const char *from;   /* NULL: page walks */
    enum ft_traffic_kind kind;
    double *sources; /* [source]: memory and chains, of each; NULL: not wanted */
    double *chained; /* [source]: chains alone */
};

struct finding {
    const struct ft_machine *machine;
    struct ft_path_schedules *schedules;
    const struct ft_core *core;
    struct ft_traffic *traffic; /* [scope][level] */
    struct ft_traffic *scaled;  /* [level]: workspace */
    struct ft_core_time *cores; /* [scope] */
    double *page_faults;        /* [scope] */
    double *sources, *chained;  /* [source]: workspace */
    const struct ft_thread_work *threads;
};

static void add(struct waiting *waiting, const struct ft_memory_time *time, size_t source,
                const char *from)
{
    if (waiting->sources) {
        waiting->chained[source] = time->cycles[FT_TRAFFIC_CHAIN];
        waiting->sources[source] = 0;
        for (enum ft_traffic_kind kind = 0; kind < FT_TRAFFIC_KINDS; kind++)
            waiting->sources[source] += time->cycles[kind];
    }
    for (enum ft_traffic_kind kind = 0; kind < FT_TRAFFIC_KINDS; kind++) {
        *(kind == FT_TRAFFIC_CHAIN ? &waiting->chains : &waiting->memory) += time->cycles[kind];
        if (time->cycles[kind] > waiting->most) {
            waiting->most = time->cycles[kind];
            waiting->from = from;
            waiting->kind = kind;
        }
    }
}

const char *ft_time_source_name(const struct ft_machine *machine, size_t source)
{
    const size_t caches = machine->cache_count;
    return source + 1 == caches ? "memory" : machine->levels[source + (source + 1 < caches)].name;
}

static void wait_for(const struct ft_machine *machine, const struct ft_traffic *traffic,
                     double instructions, double window, struct waiting *waiting)
{
    for (size_t source = 1; source <= machine->cache_count; source++) {
        const struct ft_memory_time time =
            ft_memory_time_of(machine, traffic, source, instructions, window);
        add(waiting, &time, source - 1, ft_time_source_name(machine, source - 1));
        if (source == machine->cache_count)
            for (enum ft_traffic_kind kind = 0; kind < FT_TRAFFIC_KINDS; kind++)
                waiting->from_memory += kind == FT_TRAFFIC_CHAIN ? 0 : time.cycles[kind];
    }
    for (size_t tlb = machine->cache_count; tlb < machine->level_count; tlb++) {
        const struct ft_memory_time time = ft_walk_time_of(machine, traffic, tlb);
        add(waiting, &time, tlb, NULL);
    }
}

/* What lines of other threads add. */
static void queue(const struct ft_machine *machine, double cycles, struct waiting *waiting)
{
    waiting->queued = cycles;
    waiting->memory += cycles;
    if (waiting->sources)
        waiting->sources[machine->cache_count - 1] += cycles;
}

/* What stores to few sets add: their lines are behind the first cache. */
static void conflict(double cycles, struct waiting *waiting)
{
    waiting->conflicts = cycles;
    waiting->memory += cycles;
    if (waiting->sources)
        waiting->sources[0] += cycles;
}

/* Instructions of which misses are under way together: what is behind a branch that was not
 * foreseen is not there yet. */
static double window_of(const struct ft_core *core, double instructions, double mispredictions)
{
    return mispredictions > 0 ? fmin(core->window, instructions / mispredictions) : core->window;
}

static double mispredicted_cycles(const struct ft_core *core, const struct ft_core_time *time)
{
    return core->mispredict_cycles > 0
               ? time->mispredictions * (core->mispredict_cycles + REFILL_CYCLES) +
                     time->resolve_cycles
               : time->mispredictions * MISPREDICTION_CYCLES;
}

static void name_limit(const struct ft_machine *machine, const struct ft_core *core,
                       const struct waiting *waiting, struct ft_scope_time *time)
{
    const double on_core = time->core.cycles + time->mispredicted;
    const bool waits = fmax(waiting->memory - on_core, 0) + waiting->chains > on_core;
    const double others = fmax(on_core, waiting->memory) + waiting->chains;
    if (time->page_faults > others)
        snprintf(time->limit, sizeof time->limit, "page faults");
    else if (waits && waiting->conflicts > fmax(waiting->most, waiting->queued))
        snprintf(time->limit, sizeof time->limit, "stores to few sets of %.40s",
                 machine->levels[0].name);
    else if (waits && waiting->queued > 0 && waiting->queued + waiting->from_memory > waiting->most)
        snprintf(time->limit, sizeof time->limit, "memory bandwidth, %.3g threads", time->together);
    else if (waits && !waiting->from)
        snprintf(time->limit, sizeof time->limit, "page walks");
    else if (waits)
        snprintf(time->limit, sizeof time->limit, "%s from %.40s",
                 ft_traffic_kind_names[waiting->kind], waiting->from);
    else if (time->mispredicted > time->core.cycles)
        snprintf(time->limit, sizeof time->limit, "mispredictions");
    else if (time->core.cycles > 0)
        ft_schedule_limit_text(core, &time->core.heaviest, time->limit, sizeof time->limit);
}

/* What overlaps takes as long as the longer part, and a part of the other where both are alike. A
 * core that waits for results or ports has time for misses meanwhile. */
static double overlap(const struct ft_core_time *core, double memory)
{
    const double busy = core->front_end_cycles;
    return fmax(core->cycles,
                pow(pow(busy, OVERLAP_POWER) + pow(memory, OVERLAP_POWER), 1 / OVERLAP_POWER));
}

/* On top what nothing hides. */
static double combine(const struct ft_scope_time *time, const struct waiting *waiting)
{
    return overlap(&time->core, waiting->memory) + time->mispredicted + waiting->chains +
           time->page_faults;
}

double ft_time_rows_growth(const struct ft_time_rows *rows, size_t row, size_t column,
                           double misses, bool upper)
{
    const struct ft_interval *interval = &rows->intervals[row + column];
    const double value = rows->inclusive[row + column];
    const double accesses = rows->inclusive[row + FT_METRIC_ACCESSES];
    const double end = fmin(upper ? interval->high : interval->low, fmax(accesses, value));
    if (!(value > 0) || !(misses > 0) || isnan(upper ? interval->high : interval->low))
        return 1;
    return upper ? fmax(fmin(end / value, end / misses), 1) : fmin(end / value, 1);
}

/* The scope's traffic with its misses at the lower or upper ends of their intervals. */
static const struct ft_traffic *scale(struct finding *finding, const struct ft_time_rows *rows,
                                      size_t scope, bool upper)
{
    const size_t levels = finding->machine->level_count;
    const size_t row = scope * ft_metrics_width(finding->machine);
    for (size_t i = 0; i < levels; i++) {
        const struct ft_traffic *traffic = &finding->traffic[scope * levels + i];
        const double factor = ft_time_rows_growth(rows, row, ft_set_assoc_column(i),
                                                  ft_traffic_misses(traffic), upper);
        for (enum ft_traffic_kind kind = 0; kind < FT_TRAFFIC_KINDS; kind++)
            finding->scaled[i].misses[kind] = factor * traffic->misses[kind];
    }
    return finding->scaled;
}

/* What overlaps with the core adds what it takes beyond it, of each source its share. */
static void divide(const struct ft_machine *machine, const struct waiting *waiting,
                   const struct ft_core_time *core, double *waits)
{
    const double exposed = overlap(core, waiting->memory) - core->cycles;
    const double share = waiting->memory > 0 ? exposed / waiting->memory : 0;
    for (size_t i = 0; i < machine->level_count; i++)
        waits[i] = share * (waiting->sources[i] - waiting->chained[i]) + waiting->chained[i];
}

/* Cycles of all threads become those of the busiest one. */
static void take_busiest(const struct ft_machine *machine, struct ft_scope_time *time,
                         double *waits)
{
    double *const cycles[] = {&time->cycles,
                              &time->low,
                              &time->high,
                              &time->core.cycles,
                              &time->core.front_end_cycles,
                              &time->mispredicted,
                              &time->memory,
                              &time->chains,
                              &time->page_faults};
    for (size_t i = 0; i < sizeof cycles / sizeof *cycles; i++)
        *cycles[i] /= time->together;
    for (size_t i = 0; i < machine->level_count; i++)
        waits[i] /= time->together;
}

/* A store whose line stays in the first cache conflicts with none. */
static double conflict_cycles(const struct ft_machine *machine, const struct ft_time_rows *rows,
                              size_t scope, const struct ft_traffic *traffic)
{
    return rows->store_conflicts && rows->store_conflicts[scope] > 0
               ? fmin(rows->store_conflicts[scope], ft_traffic_misses(&traffic[0])) *
                     machine->store_conflict_cycles
               : 0;
}

static void find_scope(struct finding *finding, const struct ft_time_rows *rows, size_t scope,
                       struct ft_scope_time *time, double *waits)
{
    const struct ft_machine *machine = finding->machine;
    const double instructions =
        rows->exclusive[scope * ft_metrics_width(machine) + FT_METRIC_INSTRUCTIONS];
    const struct ft_core_time *core = &finding->cores[scope];
    const double window = window_of(finding->core, instructions, core->mispredictions);
    const double together = ft_threads_together(finding->threads, scope);
    const struct ft_traffic *traffic = finding->traffic + scope * machine->level_count;
    *time = (struct ft_scope_time){.core = *core,
                                   .together = together,
                                   .mispredicted = mispredicted_cycles(finding->core, core),
                                   .page_faults =
                                       finding->page_faults[scope] * machine->page_fault_cycles};
    const double conflicts = conflict_cycles(machine, rows, scope, traffic);
    struct waiting waiting = {.sources = finding->sources, .chained = finding->chained};
    struct waiting least = {0}, most = {0};
    wait_for(machine, traffic, instructions, window, &waiting);
    queue(machine, ft_bandwidth_cycles(machine, traffic, together, waiting.from_memory), &waiting);
    conflict(conflicts, &waiting);
    traffic = scale(finding, rows, scope, false);
    wait_for(machine, traffic, instructions, window, &least);
    queue(machine, ft_bandwidth_cycles(machine, traffic, together, least.from_memory), &least);
    conflict(conflicts, &least);
    traffic = scale(finding, rows, scope, true);
    wait_for(machine, traffic, instructions, window, &most);
    queue(machine, ft_bandwidth_cycles_upper(machine, traffic, together, most.from_memory), &most);
    conflict(conflicts, &most);
    time->memory = waiting.memory;
    time->chains = waiting.chains;
    time->cycles = combine(time, &waiting);
    time->low = fmin(combine(time, &least), time->cycles);
    time->high = fmax(combine(time, &most), time->cycles);
    name_limit(machine, finding->core, &waiting, time);
    divide(machine, &waiting, &time->core, waits);
    take_busiest(machine, time, waits);
}

static int start(struct finding *finding, const struct ft_metrics *metrics,
                 const struct ft_time_rows *rows, struct ft_diag *diag)
{
    const size_t scopes = metrics->model->scopes.scope_count;
    const size_t levels = metrics->machine->level_count;
    finding->traffic = calloc(scopes * levels + 1, sizeof *finding->traffic);
    finding->scaled = calloc(levels + 1, sizeof *finding->scaled);
    finding->cores = calloc(scopes + 1, sizeof *finding->cores);
    finding->page_faults = calloc(scopes + 1, sizeof *finding->page_faults);
    finding->sources = calloc(levels + 1, sizeof *finding->sources);
    finding->chained = calloc(levels + 1, sizeof *finding->chained);
    if (!finding->traffic || !finding->scaled || !finding->cores || !finding->page_faults ||
        !finding->sources || !finding->chained)
        return ft_fail_memory(diag, "the times of scopes");
    if (metrics->machine->page_fault_cycles > 0)
        FT_TRY(ft_page_faults_find(rows->heap, &metrics->at, finding->page_faults, diag));
    FT_TRY(ft_traffic_of(metrics, rows->exclusive, finding->traffic, diag));
    for (size_t i = 0; i < scopes; i++)
        ft_traffic_find_cleared(metrics->machine, finding->page_faults[i],
                                finding->traffic + i * levels);
    return ft_core_times_find(metrics->model, finding->schedules, &metrics->at, finding->cores,
                              diag);
}

int ft_scope_times_find(const struct ft_metrics *metrics, const struct ft_time_rows *rows,
                        struct ft_path_schedules *schedules, const struct ft_thread_work *threads,
                        struct ft_scope_time *ret_times, double *ret_waits, struct ft_diag *diag)
{
    struct finding finding = {.machine = metrics->machine,
                              .threads = threads,
                              .schedules = schedules,
                              .core = ft_path_schedules_core(schedules)};
    int status = start(&finding, metrics, rows, diag);
    for (size_t i = 0; status == FT_OK && i < metrics->model->scopes.scope_count; i++)
        find_scope(&finding, rows, i, &ret_times[i], ret_waits + i * metrics->machine->level_count);
    free(finding.traffic);
    free(finding.scaled);
    free(finding.cores);
    free(finding.page_faults);
    free(finding.sources);
    free(finding.chained);
    return status;
}
