#include "trace-capture/processes/capture_cost.h"

#include <sys/stat.h>

#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/drain.h"

void ft_capture_cost_add(struct ft_capture_cost *cost, const struct ft_capture *capture)
{
    struct ft_log_totals totals;
    uint64_t log_bytes;
    ft_drain_written(capture->drain, &totals, &log_bytes);
    cost->program_cpu_seconds += capture->metadata.target_cpu_seconds;
    cost->records += totals.records;
    cost->accesses += totals.accesses;
    cost->log_bytes += log_bytes;
}

void ft_capture_cost_add_file(struct ft_capture_cost *cost, const struct ft_capture *capture)
{
    struct stat file;
    if (stat(capture->output, &file) == 0)
        cost->file_bytes += (uint64_t)file.st_size;
}
