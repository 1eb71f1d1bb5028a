#include "trace-capture/processes/cost_samples.h"

#include "formats/base/clock.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/cpu_time.h"

void ft_cost_samples_start(struct ft_processes *processes)
{
    processes->cost = (struct ft_capture_cost){0};
    processes->started_ns = ft_clock_ns();
    processes->host_cpu_seconds_before = ft_host_cpu_seconds();
}

void ft_cost_samples_take(struct ft_processes *processes, struct ft_capture_cost *ret_cost)
{
    struct ft_capture_cost cost = processes->cost;
    for (size_t i = 0; i < processes->ending_count; i++)
        ft_capture_cost_add(&cost, processes->ending[i]);
    for (size_t i = 0; i < processes->capture_count; i++) {
        ft_capture_note_cpu(processes->captures[i]);
        ft_capture_cost_add(&cost, processes->captures[i]);
    }
    cost.elapsed_seconds = 1e-9 * (double)(ft_clock_ns() - processes->started_ns);
    cost.host_cpu_seconds = ft_host_cpu_seconds() - processes->host_cpu_seconds_before;
    *ret_cost = cost;
}
