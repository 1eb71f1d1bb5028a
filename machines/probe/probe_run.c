#include "machines/probe/probe_run.h"

#include "formats/base/clock.h"

#define PASSES_MAX 12
#define SETTLED    0.03 /* passes differ by less */

bool ft_probing_is_settled(const struct ft_probing *probing, const struct ft_probe_point *point)
{
    if (probing->pass > 0 && ft_clock_ns() > probing->meter.deadline_ns)
        return true;
    const struct ft_probe_point *known =
        probing->pass >= 2 ? ft_probe_find(probing->probe, point) : NULL;
    return known && known->passes >= 2 && known->calm > 0 && ft_point_spread(known) <= SETTLED;
}

int ft_probing_measure(struct ft_probing *probing, ft_work *work, void *context, uint64_t unit,
                       struct ft_probe_point point, struct ft_diag *diag)
{
    if (ft_probing_is_settled(probing, &point))
        return FT_OK;
    probing->measured++;
    ft_meter_measure(&probing->meter, work, context, unit, &point);
    return ft_probe_add(probing->probe, &point) ? FT_OK : ft_fail_memory(diag, "a point");
}

static void show_progress(const struct ft_probe_plan *plan, uint64_t taken_ns)
{
    const uint64_t whole = (uint64_t)plan->seconds, taken = taken_ns / 1000000000U;
    ft_progress_update(plan->progress, taken < whole ? taken : whole, whole, "s");
}

int ft_probe_run(const struct ft_probe_plan *plan, struct ft_probe *ret_probe, struct ft_diag *diag)
{
    /* Instructions share their core with another thread's more often than not: they get many tries.
     */
    static int (*const parts[])(struct ft_probing * probing, struct ft_diag * diag) = {
        ft_probe_operations, ft_probe_latency, ft_probe_operations,  ft_probe_bandwidth,
        ft_probe_operations, ft_probe_pages,   ft_probe_operations,  ft_probe_parallelism,
        ft_probe_operations, ft_probe_apex,    ft_probe_page_faults, ft_probe_store_conflicts,
        ft_probe_cores,
    };
    struct ft_probe probe = {0};
    struct ft_probing probing = {.plan = plan, .probe = &probe};
    const size_t count = sizeof parts / sizeof *parts;
    int status = FT_OK;
    ft_meter_init(&probing.meter);
    if (plan->brief) {
        probing.meter.window_ns = 2e4;
        probing.meter.samples_max = probing.meter.samples_min = 2;
    }
    const uint64_t started = ft_clock_ns(), budget = (uint64_t)(plan->seconds * 1e9);
    uint64_t taken = 0;
    /* The first pass always ends, if with few samples where the host is too busy. */
    probing.meter.deadline_ns = started + budget;
    for (; status == FT_OK && probing.pass < PASSES_MAX; probing.pass++) {
        if (probing.pass > 0 && (plan->brief || probing.measured == 0 || taken > budget))
            break;
        probing.measured = 0;
        for (size_t i = 0; status == FT_OK && i < count; i++) {
            show_progress(plan, ft_clock_ns() - started);
            status = parts[i](&probing, diag);
        }
        taken = ft_clock_ns() - started;
    }
    if (status == FT_OK) {
        probe.disturbed = ft_meter_disturbed(&probing.meter);
        probe.seconds = (double)taken / 1e9;
        *ret_probe = probe;
    } else {
        ft_probe_fini(&probe);
    }
    return status;
}
