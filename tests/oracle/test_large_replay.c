/*
 * Replay at sizes where memory decides: a dense footprint in at most 0.4 bytes a touched byte for
 * six sizes, a terabyte of addresses of which little is touched, 10^8 distinct blocks. Sweeps, so
 * that all distances are known.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/reuse/stacks/replay.h"
#include "tests/support/create_replay.h"
#include "tests/support/synthetic_runs.h"
#include "tests/support/tap.h"

static const uint64_t six_sizes[] = {32, 64, 128, 4096, 32768, 2 << 20};

static uint64_t resident_bytes(void)
{
    char line[128] = "";
    FILE *file = fopen("/proc/self/statm", "r"); /* pages: all, then those that are resident */
    if (file) {
        if (!fgets(line, sizeof line, file))
            line[0] = 0;
        fclose(file);
    }
    const char *second = strchr(line, ' ');
    return second ? strtoull(second, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/* Two sweeps over `count` places that are `stride` bytes apart. */
struct sweep {
    const char *what;
    uint64_t stride, count;
    unsigned region_shift;
    const uint64_t *sizes;
    size_t size_count;
    double bytes_max; /* of memory, for each touched byte; 0: nobody asks */
};

/* The second sweep finds each block after all others: at sizes up to the stride, once a block. */
static bool is_right(const struct ft_histograms *histograms, const struct sweep *sweep)
{
    bool right = true;
    for (size_t s = 0; right && s < sweep->size_count; s++) {
        uint64_t block = sweep->sizes[s];
        uint64_t blocks =
            block > sweep->stride ? sweep->count / (block / sweep->stride) : sweep->count;
        const struct ft_histogram *found = &histograms->histograms[s];
        uint64_t far = 0;
        for (size_t i = 0; i < found->bin_count; i++)
            if (found->bins[i].bin == ft_bin_of(blocks - 1) &&
                found->bins[i].distance_sum == blocks * (blocks - 1))
                far = found->bins[i].count;
        right = histograms->distinct_blocks[s] == blocks && found->cold == blocks &&
                found->touches == 2 * sweep->count && far == blocks;
    }
    return right;
}

static void check_sweep(const struct sweep *sweep)
{
    struct synthetic_runs runs;
    struct ft_replay *replay = NULL;
    struct ft_histograms histograms = {0};
    struct ft_diag diag = {0};
    synthetic_init(&runs);
    uint32_t reference = synthetic_reference(&runs, 8);
    for (int turn = 0; turn < 2; turn++) {
        synthetic_run(&runs, sweep->count);
        synthetic_entry(&runs, reference, UINT64_C(1) << 40, (int64_t)sweep->stride);
    }
    uint64_t before = resident_bytes();
    int status = create_replay(sweep->sizes, sweep->size_count, NULL, &replay, &diag);
    if (!status) {
        ft_replay_limit(replay, sweep->region_shift, UINT64_MAX);
        status = ft_replay_run(replay, &runs.source, &diag);
    }
    double resident = (double)(resident_bytes() - before);
    double said = status ? 0 : (double)ft_replay_bytes(replay);
    if (!status)
        status = ft_replay_finish(replay, &histograms, &diag);
    tap_ok(status == FT_OK && is_right(&histograms, sweep), "%s: every distance %s", sweep->what,
           diag.message);
    double touched = (double)sweep->count * (double)sweep->stride;
    tap_ok(sweep->bytes_max == 0 ||
               (resident <= sweep->bytes_max * touched && said <= sweep->bytes_max * touched),
           "%s: %.0f MiB in use, said to be %.0f, of %.0f MiB", sweep->what, resident / 1048576,
           said / 1048576, touched / 1048576);
    ft_histograms_fini(&histograms);
    ft_replay_destroy(replay);
    synthetic_fini(&runs);
}

int main(void)
{
    static const uint64_t line = 64;
    const struct sweep sweeps[] = {
        {"1 GiB, dense", 32, UINT64_C(1) << 25, FT_REGION_SHIFT, six_sizes, 6, 0.4},
        {"1 TiB, sparse", 2 << 20, UINT64_C(1) << 19, FT_PAGE_REGION_SHIFT, six_sizes, 6, 0},
        {"1 TiB, sparse, by blocks", 2 << 20, UINT64_C(1) << 19, 5, six_sizes, 6, 0},
        {"10^8 blocks", 64, 100000000, FT_REGION_SHIFT, &line, 1, 0.4},
    };
    for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; i++)
        check_sweep(&sweeps[i]);
    return tap_plan_done();
}
