/*
 * What replay and simulate make of traces that hold anything (make_trace.h): reuse distances, and
 * the loops and routines of the code.
 */
#include <string.h>

#include "engine/program/structure.h"
#include "engine/reuse/stacks/replay.h"
#include "formats/trace/trace.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/make_trace.h"
#include "tests/support/create_replay.h"

static int replay(struct ft_trace *trace, struct ft_run_source *source,
                  struct ft_execution_counts *counts)
{
    static const uint64_t block_bytes[] = {64, 4096};
    struct ft_replay *replay;
    struct ft_histograms histograms = {0};
    int status = create_replay(block_bytes, 2, NULL, &replay, NULL);
    if (status)
        return status;
    status = ft_replay_run(replay, source, NULL);
    if (!status)
        status = ft_replay_finish(replay, &histograms, NULL);
    if (!status)
        status = ft_structure_build(trace, counts, source->references, source->reference_count,
                                    histograms.reference_strides, &histograms.scopes, NULL);
    if (!status) {
        FUZZ_EXPECT(histograms.scopes.reference_count == source->reference_count);
        FUZZ_EXPECT(histograms.reference_count == source->reference_count);
    }
    ft_histograms_fini(&histograms);
    ft_replay_destroy(replay);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const struct ft_trace_options options = {.allow_incomplete = true, .only_carve = true};
    const char *path = fuzz_make_trace(data, bytes);
    struct ft_trace *trace;
    struct ft_run_source *source;
    struct ft_execution_counts counts = {0};
    if (!path || ft_trace_open(path, &options, &trace, NULL))
        return 0;
    if (ft_trace_runs(trace, 0, &counts, &source, NULL) == FT_OK) {
        (void)replay(trace, source, &counts);
        source->destroy(source);
    }
    ft_execution_counts_fini(&counts);
    ft_trace_close(trace);
    return 0;
}
