/*
 * `foretrace simulate`: which of its modes is asked for, and whether the options go with it.
 */
#include <string.h>

#include "engine/commands/simulate/modes.h"
#include "formats/cli/commands.h"
#include "formats/cli/progress_line.h"
#include "formats/commands/startup_fold.h"
#include "formats/commands/trace_operand.h"
#include "machines/commands/report_options.h"

enum mode { ALONE = 1, HIERARCHY = 2, SIGNATURE = 4, ALL_CACHES = 8, BY_DATA = 16, CORE = 32 };

/* Options that not all modes take. */
static const struct {
    const char *name;
    unsigned modes;
    const char *with; /* for the message */
} bound[] = {
    {"machine", ~ALL_CACHES, "a machine's levels, not with --all-caches"},
    {"loops", ~ALL_CACHES, "a machine's levels, not with --all-caches"},
    {"sort", ALONE, "--machine alone"},
    {"by", HIERARCHY | BY_DATA, "--hierarchy, without it only --by data"},
    {"callers", HIERARCHY | BY_DATA, "--by data"},
    {"no-fetches", HIERARCHY, "--hierarchy"},
    {"causes", HIERARCHY, "--hierarchy"},
    {"seed", HIERARCHY | SIGNATURE | ALL_CACHES | CORE,
     "--hierarchy, --core, --signature and --sample"},
    {"windows", CORE, "--core"},
    {"window-size", CORE, "--core"},
    {"thread", CORE, "--core"},
    {"line", ALL_CACHES, "--all-caches"},
    {"ways", ALL_CACHES, "--all-caches"},
    {"sets", ALL_CACHES, "--all-caches"},
    {"sample", ALL_CACHES, "--all-caches"},
};

bool ft_simulates_by_data(const struct ft_arguments *arguments)
{
    const char *by = ft_option_last(arguments, "by");
    return by && strcmp(by, "data") == 0;
}

static enum mode mode_of(const struct ft_arguments *arguments)
{
    return ft_option_count(arguments, "all-caches")  ? ALL_CACHES
           : ft_option_count(arguments, "signature") ? SIGNATURE
           : ft_option_count(arguments, "hierarchy") ? HIERARCHY
           : ft_option_count(arguments, "core")      ? CORE
           : ft_simulates_by_data(arguments)         ? BY_DATA
                                                     : ALONE;
}

static int simulate(const struct ft_arguments *arguments, enum mode mode, struct ft_diag *diag)
{
    int status = mode == ALL_CACHES  ? ft_simulate_all_caches(arguments, diag)
                 : mode == SIGNATURE ? ft_simulate_signature(arguments, diag)
                 : mode == HIERARCHY ? ft_simulate_hierarchy(arguments, diag)
                 : mode == CORE      ? ft_simulate_core(arguments, diag)
                 : mode == BY_DATA   ? ft_simulate_by_data(arguments, diag)
                                     : ft_simulate_levels_alone(arguments, diag);
    return status == FT_OK ? ft_stdout_finish(diag) : status;
}

static int run(const struct ft_arguments *arguments)
{
    enum mode mode = mode_of(arguments);
    if (ft_operand_count(arguments) != 1)
        return ft_command_misuse(arguments, "give one trace");
    if ((ft_option_count(arguments, "all-caches") > 0) +
            (ft_option_count(arguments, "signature") > 0) +
            (ft_option_count(arguments, "hierarchy") > 0) +
            (ft_option_count(arguments, "core") > 0) >
        1)
        return ft_command_misuse(
            arguments,
            "--hierarchy, --core, --signature and --all-caches exclude each other: give one");
    for (size_t i = 0; i < sizeof bound / sizeof *bound; i++)
        if (ft_option_count(arguments, bound[i].name) && !(bound[i].modes & mode))
            return ft_command_misuse(arguments, "--%s goes with %s", bound[i].name, bound[i].with);
    if (mode != ALL_CACHES && !ft_option_count(arguments, "machine"))
        return ft_command_misuse(arguments, "give --machine or --all-caches");
    if (mode != SIGNATURE && ft_option_count(arguments, "machine") > 1)
        return ft_command_misuse(arguments, "several machines go with --signature");
    if (ft_option_count(arguments, "callers") && !ft_simulates_by_data(arguments))
        return ft_command_misuse(arguments, "--callers goes with --by data");
    struct ft_diag diag = {0};
    int status = simulate(arguments, mode, &diag);
    return status == FT_OK ? 0 : ft_command_fail(arguments, &diag);
}

static const struct ft_option simulate_options[] = {
    FT_REPORT_OPTIONS(true, "with most accesses"),
    FT_STARTUP_OPTION,
    {"sort", 0, "METRIC", "routines and loops by accesses (default), or by misses of a level"},
    {"hierarchy", 0, NULL, "each level sees what misses before it, behaving as described"},
    {"causes", 0, NULL, "with --hierarchy: also misses by cause, cold, capacity and conflict"},
    {"no-fetches", 0, NULL, "with --hierarchy: without instruction levels and fetches"},
    {"core", 0, NULL, "cycles of an out-of-order core, and where they go, on sampled windows"},
    {"windows", 0, "COUNT", "of --core; 0: simulate everything (1000)"},
    {"window-size", 0, "COUNT", "instructions that are measured in a window of --core (2000)"},
    {"thread", 0, "N", "the thread that --core simulates (0)"},
    {"signature", 0, NULL, "basic blocks: locality, and hit rates on one machine or several"},
    {"by", 0, "PLACES",
     "with --hierarchy: by loops (default), blocks, references or data; without: data"},
    {"callers", 0, "COUNT",
     "with --by data: distinguish allocation sites by COUNT calls (default: 2)"},
    {"seed", 0, "NUMBER", "of random replacement and of samples (1)"},
    {"all-caches", 0, NULL, "all sizes and associativities of a line size at once, no machine"},
    {"line", 0, "BYTES", "line size of --all-caches (64)"},
    {"ways", 0, "LIST", "associativities of --all-caches (1,2,4,8,16)"},
    {"sets", 0, "COUNT", "largest number of sets of --all-caches, a power of two (default: 1M)"},
    {"sample", 0, "COUNT",
     "estimate from about COUNT sampled touches instead of exact counts, such as 10000"},
    FT_PARTIAL_OPTION,
    FT_QUIET_OPTION,
};

const struct ft_command ft_simulate_command = {
    .name = "simulate",
    .synopsis = "simulate [options] (--machine MACHINE | --all-caches) TRACE",
    .summary = "the exact misses of a trace on a machine, to check predictions against",
    .details =
        "Each cache and TLB of the machine is simulated with exact LRU replacement, as it is\n"
        "(set) and fully associative (full). Each sees all accesses of the program, as the\n"
        "models of `predict` do; an access that spans blocks touches each of them.\n"
        "\n"
        "With --by data the misses are summed by variable, by allocation site of blocks of\n"
        "the heap, and by routine of stack frames (docs/data.md); with --hierarchy too, and then\n"
        "write-backs by what was written.\n"
        "\n"
        "With --hierarchy the levels work together as in the machine: each sees what misses in\n"
        "the one before, with its replacement, inclusion, write policy and prefetcher; on a\n"
        "machine with instruction levels these see the instruction fetches.\n"
        "\n"
        "With --core a model of the machine's out-of-order core executes the trace, window by\n"
        "window: cycles of routines and loops with a 95 % interval, and where they go "
        "(docs/core.md).\n"
        "It needs a core file (machines/cores/), which in-order machines do not have.\n"
        "\n"
        "With --signature: for each basic block its references, floating-point operations, scores\n"
        "of spatial and temporal locality, and hit rates in the hierarchy of each machine given.\n"
        "\n"
        "With --all-caches: the misses of caches of all sizes, direct-mapped to fully\n"
        "associative, from one pass; with --sample estimated, which is faster.\n"
        "\n"
        "Of several threads each runs on a core: levels are its own, or shared by as many cores\n"
        "as the machine's file says; all share the caches of --all-caches.\n"
        "\n"
        "  foretrace simulate --machine origin2000-r12000 run.h5\n"
        "  foretrace simulate --machine caches=L1:32K:64:8@4,memory@200 run.h5\n"
        "  foretrace simulate --by data --machine amd-zen5 run.h5\n"
        "  foretrace simulate --hierarchy --by blocks --machine amd-zen5 run.h5\n"
        "  foretrace simulate --hierarchy --by data --machine amd-zen5 run.h5\n"
        "  foretrace simulate --core --machine amd-zen5 run.h5\n"
        "  foretrace simulate --signature --machine amd-zen5 --machine itanium2 run.h5\n"
        "  foretrace simulate --all-caches --line 64 --ways 1,2,4,8,12 run.h5\n",
    .options = simulate_options,
    .option_count = sizeof simulate_options / sizeof *simulate_options,
    .run = run,
};
