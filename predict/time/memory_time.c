#include "predict/time/memory_time.h"

#include <math.h>

/* Where a machine doesn't say: reads that a core has under way, and cycles in which a prefetcher
 * brings a line, as a share of its latency. */
#define OUTSTANDING 10.0
#define WALKS       3.0 /* page walks at a time */
/* Likewise, misses of a TLB that the next one has: on Zen 5 loads from 1,024 pages, of which the
 * first TLB has 96, took 1.5 cycles each. */
#define NEXT_TLB_HITS 10.0
#define STREAM_SHARE  0.1
#define STORE_STREAMS 2.0 /* a stored line comes and goes */

static const struct ft_speed *speed_of(const struct ft_machine *machine, size_t source)
{
    return source < machine->cache_count ? &machine->levels[source].speed : &machine->memory_speed;
}

static double latency_of(const struct ft_machine *machine, size_t source)
{
    return source < machine->cache_count ? machine->levels[source].latency_cycles
                                         : machine->memory_latency_cycles;
}

/* Lines that come from there: misses in the level before it that are none in it. */
static double lines_from(const struct ft_machine *machine, const struct ft_traffic *traffic,
                         size_t source, enum ft_traffic_kind kind)
{
    const double beyond = source < machine->cache_count ? traffic[source].misses[kind] : 0;
    return fmax(traffic[source - 1].misses[kind] - beyond, 0);
}

static double stream_cycles(const struct ft_machine *machine, size_t source)
{
    const double measured = speed_of(machine, source)->load_line_cycles;
    return measured > 0 ? measured : STREAM_SHARE * latency_of(machine, source);
}

static double store_stream_cycles(const struct ft_machine *machine, size_t source)
{
    const double measured = speed_of(machine, source)->store_line_cycles;
    return measured > 0 ? measured : STORE_STREAMS * stream_cycles(machine, source);
}

/* Of one of the lines that are under way together: no more than the machine has room for, and than
 * the window holds. */
static double scattered_cycles(const struct ft_machine *machine, size_t source, double in_window)
{
    const double most = speed_of(machine, source)->outstanding_misses;
    const double together = fmin(most > 0 ? most : OUTSTANDING, fmax(in_window, 1));
    return latency_of(machine, source) / together;
}

struct ft_memory_time ft_memory_time_of(const struct ft_machine *machine,
                                        const struct ft_traffic *traffic, size_t source,
                                        double instructions, double window)
{
    double lines[FT_TRAFFIC_KINDS];
    for (enum ft_traffic_kind kind = 0; kind < FT_TRAFFIC_KINDS; kind++)
        lines[kind] = lines_from(machine, traffic, source, kind);
    const double scattered = lines[FT_TRAFFIC_SCATTERED] + lines[FT_TRAFFIC_STORE];
    const double in_window = instructions > 0 ? scattered / instructions * window : 1;
    const double each = scattered_cycles(machine, source, in_window);
    return (struct ft_memory_time){{
        [FT_TRAFFIC_STREAM] = lines[FT_TRAFFIC_STREAM] * stream_cycles(machine, source),
        [FT_TRAFFIC_STORE_STREAM] =
            lines[FT_TRAFFIC_STORE_STREAM] * store_stream_cycles(machine, source),
        [FT_TRAFFIC_SCATTERED] = lines[FT_TRAFFIC_SCATTERED] * each,
        [FT_TRAFFIC_STORE] = lines[FT_TRAFFIC_STORE] * each,
        [FT_TRAFFIC_CHAIN] = lines[FT_TRAFFIC_CHAIN] *
                             (latency_of(machine, source) - machine->levels[0].latency_cycles),
    }};
}

struct ft_memory_time ft_walk_time_of(const struct ft_machine *machine,
                                      const struct ft_traffic *traffic, size_t tlb)
{
    const double cycles = ft_machine_miss_cycles(machine, tlb, false);
    const double together = tlb + 1 < machine->level_count ? NEXT_TLB_HITS : WALKS;
    struct ft_memory_time time;
    for (enum ft_traffic_kind kind = 0; kind < FT_TRAFFIC_KINDS; kind++)
        time.cycles[kind] =
            traffic[tlb].misses[kind] * (kind == FT_TRAFFIC_CHAIN ? cycles : cycles / together);
    return time;
}
