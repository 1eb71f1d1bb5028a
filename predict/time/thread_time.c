#include "predict/time/thread_time.h"

#include <math.h>

#define STORED_LINES 2.0 /* a stored line comes and goes */

double ft_threads_together(const struct ft_thread_work *work, size_t scope)
{
    return work->count > 1 && work->splits ? 1 / work->splits[scope].busiest : 1;
}

/* What memory delivers to, and takes from, the last cache. */
static double bytes_of(const struct ft_machine *machine, const struct ft_traffic *traffic)
{
    const size_t last = machine->cache_count - 1;
    double lines = 0;
    for (enum ft_traffic_kind kind = 0; kind < FT_TRAFFIC_KINDS; kind++)
        lines += traffic[last].misses[kind] *
                 (kind == FT_TRAFFIC_STORE || kind == FT_TRAFFIC_STORE_STREAM ? STORED_LINES : 1);
    return lines * (double)machine->levels[last].block_bytes;
}

double ft_bandwidth_cycles(const struct ft_machine *machine, const struct ft_traffic *traffic,
                           double together, double waited)
{
    const double bytes_per_cycle = machine->all_cores_bytes_per_cycle;
    if (together <= 1 || !(bytes_per_cycle > 0))
        return 0;
    return fmax(bytes_of(machine, traffic) / bytes_per_cycle * together - waited, 0);
}

double ft_bandwidth_cycles_upper(const struct ft_machine *machine, const struct ft_traffic *traffic,
                                 double together, double waited)
{
    return machine->all_cores_bytes_per_cycle > 0
               ? ft_bandwidth_cycles(machine, traffic, together, waited)
               : (together - 1) * waited;
}
