/*
 * `foretrace replay`: traces to a histogram file, several traces, and threads of traces, at a time.
 * Each trace has an entry of its own, and the file is written when all are done: its bytes do not
 * depend on the number of threads.
 */
#include <malloc.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "engine/commands/replay/summary.h"
#include "engine/commands/replay/task.h"
#include "engine/reuse/checkpoint/replay_stop.h"
#include "formats/base/block_sizes.h"
#include "formats/base/parse.h"
#include "formats/cli/commands.h"
#include "formats/cli/progress_line.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "formats/commands/parameters.h"
#include "formats/commands/trace_operand.h"
#include "formats/histograms/histograms.h"

#define THREADS_MAX         4096
#define CHECKPOINT_SECONDS  600
#define FREED_AT_ONCE_BYTES (1 << 18) /* with --mem: larger pieces go back when they are freed */

/* Options that do not go together, and why. */
static int check_options(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    static const struct {
        const char *option, *reason;
        const char *others[6]; /* ended by NULL */
    } conflicts[] = {
        {"segment", "cuts the logs of private stacks", {"pairs", "data", "share", "machine"}},
        {"checkpoint", "keeps no state of pairs and of data", {"pairs", "data"}},
        {"data", "has histograms of its own", {"pairs"}},
        {"mpi",
         "shares the logs of private stacks among processes",
         {"checkpoint", "pairs", "data", "share", "machine"}},
    };
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++)
        for (const char *const *other = conflicts[i].others; *other; other++)
            if (ft_option_count(arguments, conflicts[i].option) &&
                ft_option_count(arguments, *other))
                return ft_fail(diag, FT_ERROR_USAGE, "--%s %s: leave it out, or leave out --%s",
                               conflicts[i].option, conflicts[i].reason, *other);
    return FT_OK;
}

static int parse_sharing(struct ft_replay_task *task, struct ft_diag *diag)
{
    const char *share = ft_option_last(task->arguments, "share");
    const char *name = ft_option_last(task->arguments, "machine");
    bool private_stacks = ft_option_count(task->arguments, "private") > 0;
    bool fetches = ft_option_count(task->arguments, "fetch") > 0;
    struct ft_machine machine = {0};
    if (share && name)
        return ft_fail(diag, FT_ERROR_USAGE, "--share and --machine exclude each other: give one");
    int status = name ? ft_machine_load(name, &machine, diag) : FT_OK;
    if (!status)
        status = ft_sharing_init(&task->options.sharing, share, private_stacks,
                                 name ? &machine : NULL, diag);
    task->options.sharing.fetches = fetches;
    ft_machine_fini(&machine);
    return status;
}

static int write_file(const struct ft_replay_task *task, const char *path, struct ft_diag *diag)
{
    struct ft_histogram_file file = {
        .entries = calloc(task->job_count, sizeof *file.entries),
        .options = ft_replay_task_options(task),
        .tool_version = strdup(FT_VERSION),
    };
    int status = ft_fail_memory(diag, "the result");
    if (file.entries && file.options && file.tool_version) {
        for (size_t i = 0; i < task->job_count; i++)
            file.entries[i] = task->jobs[i].entry;
        file.count = task->job_count;
        status = ft_histogram_file_write(path, &file, diag);
    }
    free(file.entries); /* what they hold is the jobs' */
    free(file.options);
    free(file.tool_version);
    return status;
}

/* Goes on from what is there, and is told to stop by signals. */
static int open_checkpoint(struct ft_replay_task *task, struct ft_diag *diag)
{
    const struct ft_arguments *arguments = task->arguments;
    const char *path = ft_option_last(arguments, "checkpoint");
    const char *every = ft_option_last(arguments, "checkpoint-every");
    double seconds = CHECKPOINT_SECONDS;
    if (every && ft_parse_seconds(every, &seconds, diag))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--checkpoint-every %s: must be a time such as 90, 90s, 1.5m or 2h", every);
    if (!path)
        return FT_OK;
    task->options_kept = ft_replay_task_options(task);
    if (!task->options_kept)
        return ft_fail_memory(diag, "options");
    int status = ft_checkpoint_open(&task->checkpoint, path, task->options_kept, task->job_count,
                                    &task->options.sizes, diag);
    task->pieces = &task->checkpoint.kept;
    task->stop = ft_stop_on_signals();
    task->save_every_ns = (uint64_t)(1e9 * seconds);
    return status;
}

/* Before any trace is replayed. */
static int check_parameters(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    struct ft_metadata given = {0};
    const int status = ft_parameters_read(arguments, &given, diag);
    ft_metadata_fini(&given);
    return status;
}

/* They share the memory that --mem allows. */
static uint64_t jobs_at_once(const struct ft_arguments *arguments, uint64_t threads)
{
    uint64_t jobs = ft_operand_count(arguments);
    return jobs < threads ? jobs : threads;
}

/* --mem LIMIT is for all that the process holds. What it holds now is the same for all traces; the
 * rest is shared by those that are replayed at a time. */
static int limit_memory(struct ft_replay_task *task, uint64_t jobs, struct ft_diag *diag)
{
    const char *text = ft_option_last(task->arguments, "mem");
    struct ft_process_limit *limit = &task->process_limit;
    char now[FT_NUMBER_TEXT];
    *limit = (struct ft_process_limit){.process_max = UINT64_MAX};
    task->options.memory_max = UINT64_MAX;
    task->options.process_limit = limit;
    if (!text)
        return FT_OK;
    int status = ft_parse_bytes(text, &limit->process_max, diag);
    if (status)
        return status;
    (void)mallopt(M_MMAP_THRESHOLD, FREED_AT_ONCE_BYTES);
    (void)mallopt(M_ARENA_MAX, 1); /* what one thread frees is there for all */
    limit->before_bytes = ft_process_bytes();
    if (limit->before_bytes < limit->process_max) {
        task->options.memory_max = (limit->process_max - limit->before_bytes) / jobs;
        return FT_OK;
    }
    ft_text_bytes(now, (double)limit->before_bytes);
    return ft_fail(diag, FT_ERROR_MEMORY,
                   "--mem %s: foretrace takes %s before it has read a trace: give more", text, now);
}

static int set_up(struct ft_replay_task *task, uint64_t *ret_threads, struct ft_diag *diag)
{
    const struct ft_arguments *arguments = task->arguments;
    const char *sizes = ft_option_last(arguments, "blocks");
    uint64_t threads = 0;
    const struct ft_replay_kernel *kernel;
    int status =
        ft_block_sizes_parse(sizes ? sizes : FT_BLOCK_SIZES_DEFAULT, &task->options.sizes, diag);
    if (!status)
        status = check_options(arguments, diag);
    if (!status)
        status = check_parameters(arguments, diag);
    if (!status)
        status = parse_sharing(task, diag);
    if (!status)
        status = ft_option_u64(arguments, "threads", (uint64_t)omp_get_max_threads(), 1,
                               THREADS_MAX, &threads, diag);
    if (!status)
        status = limit_memory(task, jobs_at_once(arguments, threads), diag);
    if (!status)
        status = ft_option_u64(arguments, "segment", 0, 1, UINT64_MAX,
                               &task->options.segment_accesses, diag);
    if (!status) /* before any trace is opened */
        status = ft_replay_kernel_choose(task->options.kernel, &kernel, diag);
    if (status)
        return status;
    task->options.pairs = ft_option_count(arguments, "pairs") > 0;
    task->options.data = ft_option_count(arguments, "data") > 0;
    task->makes_skeletons = ft_option_count(arguments, "no-skeletons") == 0;
    task->samples_sets = ft_option_count(arguments, "no-sets") == 0;
    task->samples_branches = ft_option_count(arguments, "no-branches") == 0;
    const uint64_t jobs = jobs_at_once(arguments, threads);
    task->options.segments_at_once = (unsigned)((threads + jobs - 1) / jobs);
    *ret_threads = threads;
    status = ft_replay_task_make_jobs(task, diag);
    return status ? status : open_checkpoint(task, diag);
}

/* All ranks, to the end or up to the first failure of one. status: of what came before. */
static int replay_all(struct ft_replay_task *task, const char *output, int status,
                      struct ft_diag *diag)
{
    uint64_t threads = 1;
    if (!status)
        status = set_up(task, &threads, diag);
    status = ft_replay_task_run(task, threads, status, diag);
    const bool has_result = task->ranks.number == 0 && !status;
    if (has_result)
        status = write_file(task, output, diag);
    if (has_result && !status && task->checkpoint.path)
        ft_checkpoint_remove(&task->checkpoint);
    if (has_result && !status)
        status = ft_replay_summary(task, stdout, diag);
    if (has_result && !status)
        status = ft_stdout_finish(diag);
    return ft_mpi_allreduce_status(&task->ranks, status, diag);
}

static int run(const struct ft_arguments *arguments)
{
    const char *output = ft_option_last(arguments, "output");
    if (!output)
        return ft_command_misuse(arguments, "give the histogram file to write: -o HIST");
    if (ft_operand_count(arguments) == 0)
        return ft_command_misuse(arguments, "give at least one trace");
    struct ft_replay_task task = {
        .arguments = arguments,
        .options.kernel = ft_option_last(arguments, "kernel"),
        .drawing = ATOMIC_FLAG_INIT,
        .ranks = {.count = 1},
    };
    struct ft_diag diag = {0};
    const bool with_mpi = ft_option_count(arguments, "mpi") > 0;
    int tried = with_mpi ? ft_command_check_outputs(arguments, &diag) : FT_OK;
    if (!tried)
        tried = ft_trace_operands_try(arguments, &diag); /* before MPI's thread and ours */
    int status = with_mpi ? ft_ranks_begin(&task.ranks, &diag) : FT_OK;
    if (!status)
        status = replay_all(&task, output, tried, &diag);
    ft_replay_task_fini(&task);
    const bool is_reporter = task.ranks.number == 0; /* before a launcher ends the others */
    int code = status && is_reporter ? ft_command_fail(arguments, &diag) : ft_exit_code(status);
    ft_ranks_end(&task.ranks);
    return code;
}

static const struct ft_option replay_options[] = {
    {"output", 'o', "HIST", "the histograms file to write", .writes = FT_FILE_HISTOGRAMS},
    {"blocks", 'b', "SIZES", "block sizes, powers of two (default " FT_BLOCK_SIZES_DEFAULT ")"},
    {"threads", 0, "N",
     "processors to use for traces, their threads, and segments of a thread's log (default: "
     "OMP_NUM_THREADS, or all)"},
    {"mpi", 0, NULL,
     "under mpirun or srun: the processes share the traces, their threads, and logs"},
    {"checkpoint", 0, "FILE",
     "write the state to FILE every 10 minutes, and at SIGTERM and ctrl-C; the same command goes "
     "on from there",
     .reads = true},
    {"checkpoint-every", 0, "TIME", "how often --checkpoint writes the state: 90, 90s, 1.5m, 2h",
     .needs = "checkpoint"},
    {"segment", 0, "ACCESSES", "length of the segments (default: about one per processor)"},
    {"define", 'D', "NAME=NUMBER",
     "a further parameter of these traces, kept for fit: what is known only after the capture, as "
     "the block of a rank ('ranks --blocks')",
     .repeats = true},
    {"share", 0, "GROUPS", "threads that share a cache: all, by-8, or groups such as 0-3,4-7"},
    {"machine", 'm', "MACHINE", "the same from a machine's levels and how many cores share each",
     .reads = true},
    {"mem", 0, "LIMIT",
     "memory that the process may hold, such as 4G (default: no limit): where it is too little, "
     "fewer sizes per pass"},
    {"private", 0, NULL, "with --share: distances of each thread by itself as well"},
    {"fetch", 0, NULL, "instruction fetches too, by themselves and together with the accesses"},
    {"pairs", 0, NULL, "note for each touch which reference touched the block last"},
    {"data", 0, NULL, "distances by variable, allocation site and stack frame, too"},
    {"no-skeletons", 0, NULL, "leave out skeletons of traces (docs/skeleton.md)"},
    {"no-sets", 0, NULL, "do not sample distances within sets (docs/replay.md)"},
    {"no-branches", 0, NULL, "do not sample how branches are predicted (docs/replay.md)"},
    {"kernel", 0, "NAME", "avx512, avx2 or c (default: the best that this processor has)"},
    FT_PARTIAL_OPTION,
    FT_QUIET_OPTION,
    FT_WIDE_OPTION,
};

const struct ft_command ft_replay_command = {
    .name = "replay",
    .synopsis = "replay [-b SIZES] [--share GROUPS [--private]] [--threads N] -o HIST TRACE...",
    .summary = "exact reuse distances of traces, for many block sizes at once",
    .details =
        "Replays each trace and writes, for every instruction that loads or stores and every "
        "block\n"
        "size, how many other blocks are touched between two touches of the same one. The file\n"
        "holds all that 'foretrace fit' needs; it is the same for any number of threads.\n"
        "\n"
        "Cache lines and pages are both blocks: give the sizes of all machines to be predicted.\n"
        "\n"
        "  foretrace replay -o small.h5 run-100.h5 run-140.h5 run-180.h5\n"
        "  foretrace replay -b 64,4K -o lines-and-pages.h5 run-100.h5\n"
        "\n"
        "On several nodes, with one file as the result:\n"
        "\n"
        "  mpirun -n 8 foretrace replay --mpi -o study.h5 run-*.h5\n"
        "\n"
        "Threads: distances are those of each thread by itself, as in a private cache. --share\n"
        "merges the accesses of threads that share one in the order that was recorded. Forecasts\n"
        "for several threads need both, as --machine gives them:\n"
        "\n"
        "  foretrace replay --share 0-3,4-7 --private -o shared.h5 run.h5\n"
        "  foretrace replay --machine amd-zen5 -o threads.h5 run-*.h5\n"
        "\n"
        "Fetches: --fetch adds two more stacks for each thread, and for threads that share one:\n"
        "of the instructions executed alone, as in an instruction cache, and of fetches and\n"
        "accesses in their order.\n"
        "\n"
        "Pairs: --pairs keeps histograms of each pair of references between which blocks are\n"
        "reused, and of the loop that carries the reuse, and prints those whose reuse takes the\n"
        "most blocks. In a cache that threads share, blocks that another thread had touched last\n"
        "stand apart. It takes longer and more memory.\n"
        "\n"
        "  foretrace replay --pairs -o pairs.h5 run.h5\n"
        "\n"
        "Data: --data keeps histograms of each object that a reference touches as well, such as a\n"
        "variable or the heap blocks of one allocation site (docs/data.md), and prints\n"
        "the misses of the data with the most touches. Each trace is then read by one processor.\n"
        "\n"
        "  foretrace replay --data -o data.h5 run.h5\n",
    .options = replay_options,
    .option_count = sizeof replay_options / sizeof *replay_options,
    .joins = "mpi",
    .run = run,
};
