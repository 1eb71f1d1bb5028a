/*
 * What lines between levels cost: by hand, of each kind of traffic, on a machine with measured
 * speeds and on one with latencies alone.
 */
#include <math.h>

#include "predict/time/memory_time.h"
#include "tests/support/tap.h"

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(b), 1);
}

static void is(const struct ft_memory_time *time, enum ft_traffic_kind kind, double expected,
               const char *text)
{
    tap_ok(is_near(time->cycles[kind], expected), "%s of %s: %g cycles, expected %g",
           ft_traffic_kind_names[kind], text, time->cycles[kind], expected);
}

/* Of a hundred misses of each kind in the first TLB a tenth are walks behind the second. */
static void check_tlbs(void)
{
    struct ft_machine machine;
    struct ft_traffic traffic[3] = {0};
    if (!tap_ok(ft_machine_parse("L1:32K:64:8@4,memory@214,TLB:256K:4K:64@7,TLB2:8M:4K:8@30",
                                 &machine, NULL) == FT_OK,
                "a machine of two TLBs"))
        return;
    for (enum ft_traffic_kind kind = 0; kind < FT_TRAFFIC_KINDS; kind++) {
        traffic[1].misses[kind] = 100;
        traffic[2].misses[kind] = 10;
    }
    struct ft_memory_time first = ft_walk_time_of(&machine, traffic, 1);
    struct ft_memory_time second = ft_walk_time_of(&machine, traffic, 2);
    is(&first, FT_TRAFFIC_SCATTERED, 100 * 7 / 10.0, "the second TLB, ten at a time");
    is(&first, FT_TRAFFIC_CHAIN, 100 * 7, "the second TLB, one by one");
    is(&second, FT_TRAFFIC_SCATTERED, 10 * 30 / 3.0, "walks, three at a time");
    ft_machine_fini(&machine);
}

/* Of 1,000 misses of each kind in L1, and of the 400 in L2, 200 are first touches. */
static void set_first_touches(struct ft_traffic traffic[3])
{
    traffic[0] = traffic[1] = traffic[2] = (struct ft_traffic){0};
    for (enum ft_traffic_kind kind = 0; kind < FT_TRAFFIC_KINDS; kind++) {
        traffic[0].misses[kind] = 1000;
        traffic[1].misses[kind] = 400;
        traffic[0].first_touches[kind] = traffic[1].first_touches[kind] = 200;
    }
}

/* Pages that the kernel has just cleared are in the cache that has room for them. */
static void check_cleared(const struct ft_machine *machine)
{
    struct ft_traffic traffic[3];
    set_first_touches(traffic);
    ft_traffic_find_cleared(machine, 100, traffic);
    tap_ok(is_near(traffic[1].misses[FT_TRAFFIC_SCATTERED], 200) &&
               is_near(traffic[1].misses[FT_TRAFFIC_STORE], 200) &&
               is_near(traffic[1].misses[FT_TRAFFIC_CHAIN], 200),
           "first touches hit in L2, where 100 pages have room");
    tap_ok(is_near(traffic[1].misses[FT_TRAFFIC_STREAM], 400) &&
               is_near(traffic[1].misses[FT_TRAFFIC_STORE_STREAM], 400),
           "but for streams, which take what a stream takes");
    tap_ok(is_near(traffic[0].misses[FT_TRAFFIC_SCATTERED], 1000), "and none in L1");
    set_first_touches(traffic);
    ft_traffic_find_cleared(machine, 5, traffic);
    tap_ok(is_near(traffic[1].misses[FT_TRAFFIC_STORE], 400 - 200 * 5 * 64 / 1000.0),
           "of 5 pages no more lines than these have, of all kinds");
    set_first_touches(traffic);
    ft_traffic_find_cleared(machine, 300, traffic);
    tap_ok(is_near(traffic[1].misses[FT_TRAFFIC_STORE], 400), "300 pages have no room in L2");
    set_first_touches(traffic);
    ft_traffic_find_cleared(machine, 0, traffic);
    tap_ok(is_near(traffic[1].misses[FT_TRAFFIC_STORE], 400), "nor has anything been cleared");
}

int main(void)
{
    struct ft_machine machine;
    struct ft_diag diag = {0};
    if (!tap_ok(ft_machine_parse("L1:32K:64:8@4,L2:1M:64:16@14,memory@214,TLB:256K:4K:64@30",
                                 &machine, &diag) == FT_OK,
                "a machine %s", diag.message))
        return tap_plan_done();
    /* Of a thousand misses of each kind in L1 a hundred are misses in L2, and ten in the TLB. */
    struct ft_traffic traffic[3] = {0};
    for (enum ft_traffic_kind kind = 0; kind < FT_TRAFFIC_KINDS; kind++) {
        traffic[0].misses[kind] = 1000;
        traffic[1].misses[kind] = 100;
        traffic[2].misses[kind] = 10;
    }
    machine.levels[1].speed.load_line_cycles = 3;
    machine.levels[1].speed.store_line_cycles = 5;
    machine.levels[1].speed.outstanding_misses = 7;
    struct ft_memory_time time = ft_memory_time_of(&machine, traffic, 1, 18000, 200);
    is(&time, FT_TRAFFIC_STREAM, 900 * 3, "L2");
    is(&time, FT_TRAFFIC_STORE_STREAM, 900 * 5, "L2");
    /* 1800 scattered lines in 18000 instructions: 20 in the window, but 7 at a time. */
    is(&time, FT_TRAFFIC_SCATTERED, 900 * 14 / 7.0, "L2");
    is(&time, FT_TRAFFIC_STORE, 900 * 14 / 7.0, "L2");
    is(&time, FT_TRAFFIC_CHAIN, 900 * (14 - 4), "L2");
    time = ft_memory_time_of(&machine, traffic, 1, 180000, 200);
    is(&time, FT_TRAFFIC_SCATTERED, 900 * 14 / 2.0, "L2, of which two are in the window");
    time = ft_memory_time_of(&machine, traffic, 1, 1e9, 200);
    is(&time, FT_TRAFFIC_SCATTERED, 900 * 14, "L2, one by one");
    time = ft_memory_time_of(&machine, traffic, 2, 200, 200);
    tap_ok(time.cycles[FT_TRAFFIC_STREAM] > 0 && time.cycles[FT_TRAFFIC_STREAM] < 100 * 214 / 5.0 &&
               time.cycles[FT_TRAFFIC_STORE_STREAM] > time.cycles[FT_TRAFFIC_STREAM],
           "streams without a measured speed: a part of the latency, stores more");
    is(&time, FT_TRAFFIC_CHAIN, 100 * (214 - 4), "memory");
    time = ft_walk_time_of(&machine, traffic, 2);
    is(&time, FT_TRAFFIC_CHAIN, 10 * 30, "the TLB");
    tap_ok(time.cycles[FT_TRAFFIC_STREAM] < 10 * 30, "walks overlap");
    traffic[1].misses[FT_TRAFFIC_CHAIN] = 2000;
    time = ft_memory_time_of(&machine, traffic, 1, 18000, 200);
    is(&time, FT_TRAFFIC_CHAIN, 0, "a level with more misses than the one before");
    check_cleared(&machine);
    check_tlbs();
    ft_machine_fini(&machine);
    return tap_plan_done();
}
