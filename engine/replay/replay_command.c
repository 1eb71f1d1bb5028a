/*
 * `foretrace replay`: traces to a histogram file, several traces, and threads of traces, at a time.
 * Each trace has an entry of its own, and the file is written when all are done: its bytes do not
 * depend on the number of threads.
 */
#include <H5public.h>
#include <inttypes.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/commands.h"
#include "engine/replay/block_sizes.h"
#include "engine/replay/checkpoint.h"
#include "engine/replay/passes.h"
#include "engine/replay/rank_parts.h"
#include "formats/base/array.h"
#include "formats/base/progress.h"
#include "formats/base/table.h"
#include "formats/conservation.h"
#include "formats/histograms.h"
#include "formats/pairs_report.h"
#include "formats/trace/recorded_windows.h"
#include "formats/trace/trace.h"
#include "formats/trace_operand.h"

#define THREADS_MAX 4096

struct job {
    const char *path; /* of operand `index` */
    size_t index;
    struct ft_histograms entry;
    struct ft_passes_report report;
    double seconds;   /* of CPU, of all ranks */
    bool has_windows; /* only parts of the run are in the trace */
    int status;
    struct ft_diag diag;
};

/* What all threads share. */
struct replay_task {
    const struct ft_arguments *arguments;
    uint64_t block_bytes[FT_REPLAY_SIZES_MAX];
    size_t size_count;
    struct ft_trace_replay_options options;
    struct job *jobs;
    size_t job_count;
    struct ft_ranks ranks;
    struct ft_rank_part *parts; /* [job] with several ranks */
    atomic_uint_fast64_t accesses_done, accesses_known;
    struct ft_checkpoint checkpoint; /* path NULL without */
    char *options_kept;              /* in it */
    struct ft_progress progress;
    atomic_flag drawing; /* one thread draws at a time, the others go on */
};

static void tell(void *context, uint64_t accesses)
{
    struct replay_task *task = context;
    uint64_t done = atomic_fetch_add(&task->accesses_done, accesses) + accesses;
    if (atomic_flag_test_and_set(&task->drawing))
        return;
    ft_progress_update(&task->progress, done, atomic_load(&task->accesses_known), "accesses");
    atomic_flag_clear(&task->drawing);
}

static double thread_cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int replay_trace(struct replay_task *task, struct ft_trace *trace, struct job *job,
                        struct ft_diag *diag)
{
    struct ft_histograms *entry = &job->entry;
    struct ft_trace_replay_options options = task->options;
    options.trace = (uint32_t)job->index;
    if (options.is_part)
        options.part = task->parts[job->index].work;
    int status = task->checkpoint.path ? ft_checkpoint_meet(&task->checkpoint, job->index,
                                                            ft_trace_content_hash(trace), diag)
                                       : FT_OK;
    if (!status)
        status = ft_trace_replay_in_passes(trace, &options, entry, &job->report, diag);
    if (status || options.is_part)
        return status;
    if (!status)
        status = ft_metadata_copy(ft_trace_metadata(trace), &entry->metadata, diag);
    if (!status && !(entry->trace_hash = strdup(ft_trace_content_hash(trace))))
        status = ft_fail_memory(diag, "the metadata");
    return status ? status : ft_conservation_check(entry, diag);
}

static bool is_empty(const struct ft_work_range *range)
{
    return range->first == range->end;
}

/* To be replayed, about. */
static uint64_t accesses_of(const struct replay_task *task, const struct ft_trace *trace,
                            const struct job *job)
{
    const uint64_t accesses = ft_trace_metadata(trace)->accesses, work = ft_trace_work(trace);
    if (!task->options.is_part || work == 0)
        return accesses;
    const struct ft_work_range *part = &task->parts[job->index].work;
    return (uint64_t)((double)(part->end - part->first) / (double)work * (double)accesses);
}

static void run_job(struct replay_task *task, struct job *job)
{
    struct ft_trace *trace;
    struct ft_diag inner = {0};
    double start = thread_cpu_seconds();
    if (task->options.is_part && is_empty(&task->parts[job->index].work))
        return;
    if (task->options.stop && atomic_load(task->options.stop)) {
        job->report.is_stopped = true;
        job->status = FT_ERROR_FAILURE;
        return;
    }
    job->status = ft_trace_open_operand_at(task->arguments, job->index, &trace, &job->diag);
    if (job->status)
        return;
    atomic_fetch_add(&task->accesses_known, accesses_of(task, trace, job));
    job->has_windows = ft_recorded_windows(trace).any;
    job->status = replay_trace(task, trace, job, &inner);
    if (job->status)
        ft_fail(&job->diag, job->status, "%s: %s", job->path, inner.message);
    ft_trace_close(trace);
    job->seconds += thread_cpu_seconds() - start + job->report.seconds_elsewhere;
}

/* HDF5 is not always built for several threads. */
static int threads_that_hdf5_allows(uint64_t threads)
{
    hbool_t is_safe = 0;
    if (H5is_library_threadsafe(&is_safe) < 0 || !is_safe)
        return 1;
    return (int)threads;
}

static int save(const struct replay_task *task, struct ft_diag *diag)
{
    uint64_t done = atomic_load(&task->accesses_done), known = atomic_load(&task->accesses_known);
    char count[FT_NUMBER_TEXT], most[FT_NUMBER_TEXT];
    ft_text_count(count, (double)done);
    ft_text_count(most, (double)known);
    int status = ft_checkpoint_save(&task->checkpoint, diag);
    return status ? status
                  : ft_fail(diag, FT_ERROR_FAILURE,
                            "stopped after %s of %s accesses of the traces begun; %s has them: the "
                            "same command goes on from there",
                            count, most, task->checkpoint.path);
}

/* The first failure in the order of the operands, so that it is the same for any thread count. */
static int run_jobs(struct replay_task *task, uint64_t threads, struct ft_diag *diag)
{
    ft_progress_init(&task->progress, "replay");
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_that_hdf5_allows(threads))
    for (size_t i = 0; i < task->job_count; i++)
        run_job(task, &task->jobs[i]);
    ft_progress_fini(&task->progress);
    bool is_stopped = false;
    for (size_t i = 0; i < task->job_count; i++) {
        is_stopped = is_stopped || task->jobs[i].report.is_stopped;
        if (task->jobs[i].status && !task->jobs[i].report.is_stopped) {
            *diag = task->jobs[i].diag;
            return task->jobs[i].status;
        }
    }
    return is_stopped ? save(task, diag) : FT_OK;
}

/* The options that a result depends on, in one form: "-b 64,4096 --share all". */
static char *options_text(const struct replay_task *task)
{
    char *text = NULL;
    size_t bytes = 0;
    char *sharing = ft_sharing_text(&task->options.sharing);
    FILE *stream = sharing ? open_memstream(&text, &bytes) : NULL;
    if (stream) {
        for (size_t s = 0; s < task->size_count; s++)
            fprintf(stream, "%s%" PRIu64, s ? "," : "-b ", task->block_bytes[s]);
        fputs(sharing, stream);
        if (task->options.pairs)
            fputs(" --pairs", stream);
        fclose(stream);
    }
    free(sharing);
    return text;
}

/* ---- several ranks ---- */

/* The options in which ranks must not differ. */
static char *rank_options_text(const struct replay_task *task)
{
    char *text = NULL, *options = options_text(task);
    if (options &&
        asprintf(&text, "%s --stretch %" PRIu64 " partial %zu", options,
                 task->options.stretch_accesses, ft_option_count(task->arguments, "partial")) < 0)
        text = NULL;
    free(options);
    return text;
}

/* The parts of all ranks, which rank 0 then has as pieces. */
static int run_parts(struct replay_task *task, uint64_t threads, struct ft_diag *diag)
{
    char *options = rank_options_text(task);
    task->parts = calloc(task->job_count + 1, sizeof *task->parts);
    int status = options && task->parts ? FT_OK : ft_fail_memory(diag, "the list of traces");
    status = ft_ranks_agree(&task->ranks, status, diag);
    if (!status)
        status = ft_rank_parts_make(&task->ranks, task->arguments, options, task->parts, diag);
    free(options);
    if (status)
        return status;
    task->options.kept = &task->checkpoint.kept;
    task->options.is_part = true;
    status = run_jobs(task, threads, diag);
    task->options.is_part = false;
    for (size_t i = 0; i < task->job_count; i++) {
        task->parts[i].seconds = task->jobs[i].seconds;
        task->parts[i].memory_bytes = task->jobs[i].report.memory_bytes;
    }
    status = ft_ranks_agree(&task->ranks, status, diag);
    if (!status)
        status = ft_rank_parts_gather(&task->ranks, task->parts, task->job_count, task->block_bytes,
                                      task->size_count, task->options.kept, diag);
    for (size_t i = 0; i < task->job_count; i++)
        task->jobs[i].seconds = task->parts[i].seconds;
    atomic_store(&task->accesses_done, 0);
    atomic_store(&task->accesses_known, 0);
    return status;
}

/* Rank 0 joins what all have replayed, and has the result. */
static int run_ranks(struct replay_task *task, uint64_t threads, struct ft_diag *diag)
{
    int status = task->ranks.count > 1 ? run_parts(task, threads, diag) : FT_OK;
    if (status || task->ranks.number > 0)
        return status;
    status = run_jobs(task, threads, diag);
    for (size_t i = 0; task->parts && i < task->job_count; i++)
        if (task->parts[i].memory_bytes > task->jobs[i].report.memory_bytes)
            task->jobs[i].report.memory_bytes = task->parts[i].memory_bytes;
    return status;
}

static int check_ranks(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    static const char *const others[] = {"checkpoint", "pairs", "share", "machine"};
    for (size_t i = 0; ft_option_count(arguments, "mpi") && i < sizeof others / sizeof *others; i++)
        if (ft_option_count(arguments, others[i]))
            return ft_fail(diag, FT_ERROR_USAGE,
                           "--mpi shares the logs of private stacks among processes: leave out "
                           "--%s, or --mpi",
                           others[i]);
    return FT_OK;
}

static int parse_sharing(struct replay_task *task, struct ft_diag *diag)
{
    const char *share = ft_option_last(task->arguments, "share");
    const char *name = ft_option_last(task->arguments, "machine");
    bool private_stacks = ft_option_count(task->arguments, "private") > 0;
    bool fetches = ft_option_count(task->arguments, "fetch") > 0;
    struct ft_machine machine = {0};
    if (fetches && (share || name))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--fetch is for threads by themselves: leave out --share and --machine");
    if (share && name)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--share and --machine both say which threads share a cache: give one");
    int status = name ? ft_machine_load(name, &machine, diag) : FT_OK;
    if (!status)
        status = ft_sharing_init(&task->options.sharing, share, private_stacks,
                                 name ? &machine : NULL, diag);
    task->options.sharing.fetches = fetches;
    ft_machine_fini(&machine);
    return status;
}

static int write_file(const struct replay_task *task, const char *path, struct ft_diag *diag)
{
    struct ft_histogram_file file = {
        .entries = calloc(task->job_count, sizeof *file.entries),
        .options = options_text(task),
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

/* What is missing of runs of which only windows were recorded. */
static void print_gaps(const struct replay_task *task)
{
    size_t count = 0;
    for (size_t i = 0; i < task->job_count; i++)
        count += task->jobs[i].has_windows;
    if (count)
        printf("\n%zu of these traces %s windows only: what ran outside of them is left out, and\n"
               "distances from one window to the next count as if it had not run\n",
               count, count == 1 ? "has" : "have");
}

#define PAIRS_SHOWN 10U

static int print_pairs(const struct replay_task *task, struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t i = 0; !status && i < task->job_count; i++)
        status =
            ft_pairs_print(&task->jobs[i].entry, task->jobs[i].path, PAIRS_SHOWN, stdout, diag);
    return status;
}

#define TITLE_TEXT (FT_NUMBER_TEXT + 16)

/* Of the column with distinct blocks: they are counted for the smallest size. */
static void title_blocks(const struct replay_task *task, char title[TITLE_TEXT])
{
    char bytes[FT_NUMBER_TEXT];
    ft_text_bytes(bytes, (double)task->block_bytes[0]);
    snprintf(title, TITLE_TEXT, "blocks of %s", bytes);
}

/* A row for each stack of the traces that have several. */
static int print_stacks(const struct replay_task *task, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    bool any = false;
    if (!table)
        return ft_fail_memory(diag, "a table");
    char title[TITLE_TEXT];
    title_blocks(task, title);
    ft_table_column(table, "trace", "trace", false);
    ft_table_column(table, "threads", "threads", false);
    ft_table_column(table, "LRU stack", "stack", false);
    ft_table_column(table, "accesses", "accesses", true);
    ft_table_column(table, title, "distinct_blocks", true);
    for (size_t i = 0; i < task->job_count; i++)
        for (size_t k = 0; k < task->jobs[i].entry.stack_count; k++) {
            const struct ft_histogram_stack *stack = &task->jobs[i].entry.stacks[k];
            uint64_t accesses = 0;
            for (size_t r = 0; r < stack->reference_count; r++)
                accesses += stack->reference_accesses[r];
            any = true;
            ft_table_text(table, task->jobs[i].path);
            ft_table_text(table, stack->threads);
            ft_table_text(table, stack->kind);
            ft_table_count(table, (double)accesses);
            ft_table_count(table, (double)stack->distinct_blocks[0]);
        }
    if (any)
        putchar('\n');
    int status = any ? ft_table_write(table, stdout, false, diag) : FT_OK;
    ft_table_destroy(table);
    return status;
}

/* Where memory decided how it went. */
static void print_memory(const struct replay_task *task)
{
    for (size_t i = 0; i < task->job_count; i++) {
        const struct job *job = &task->jobs[i];
        if (job->report.pass_count > 1)
            printf("\n%s: %u passes, as the block sizes do not fit into --mem together\n",
                   job->path, job->report.pass_count);
        if (job->report.is_sparse)
            printf("\n%s: touches its memory sparsely, which takes more memory a block\n",
                   job->path);
    }
}

static int print_summary(const struct replay_task *task, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    char title[TITLE_TEXT], bytes[FT_NUMBER_TEXT];
    title_blocks(task, title);
    ft_table_column(table, "trace", "trace", false);
    ft_table_column(table, "accesses", "accesses", true);
    ft_table_column(table, "references", "references", true);
    ft_table_column(table, title, "distinct_blocks", true);
    ft_table_column(table, "memory", "memory_bytes", true);
    ft_table_column(table, "CPU time", "cpu_seconds", true);
    ft_table_column(table, "accesses/s", "accesses_per_second", true);
    for (size_t i = 0; i < task->job_count; i++) {
        const struct job *job = &task->jobs[i];
        double accesses = 0;
        for (size_t r = 0; r < job->entry.reference_count; r++)
            accesses += (double)job->entry.reference_accesses[r];
        ft_table_text(table, job->path);
        ft_table_count(table, accesses);
        ft_table_count(table, (double)job->entry.reference_count);
        ft_table_count(table, (double)job->entry.distinct_blocks[0]);
        ft_text_bytes(bytes, (double)job->report.memory_bytes);
        ft_table_text(table, bytes);
        ft_table_seconds(table, job->seconds);
        ft_table_count(table, job->seconds > 0 ? accesses / job->seconds : 0);
    }
    int status = ft_table_write(table, stdout, false, diag);
    ft_table_destroy(table);
    if (!status)
        status = print_stacks(task, diag);
    if (!status)
        status = print_pairs(task, diag);
    if (status)
        return status;
    print_gaps(task);
    print_memory(task);
    return ft_stdout_finish(diag);
}

/* Goes on from what is there, and is told to stop by signals. */
static int open_checkpoint(struct replay_task *task, struct ft_diag *diag)
{
    const struct ft_arguments *arguments = task->arguments;
    const char *path = ft_option_last(arguments, "checkpoint");
    if (!path)
        return FT_OK;
    if (task->options.pairs || ft_option_count(arguments, "share") ||
        ft_option_count(arguments, "machine"))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--checkpoint keeps the state of private stacks: leave it out with --pairs, "
                       "--share or --machine, which begin anew when they are interrupted");
    task->options_kept = options_text(task);
    if (!task->options_kept)
        return ft_fail_memory(diag, "options");
    int status = ft_checkpoint_open(&task->checkpoint, path, task->options_kept, task->job_count,
                                    task->block_bytes, task->size_count, diag);
    task->options.kept = &task->checkpoint.kept;
    task->options.stop = ft_stop_on_signals();
    return status;
}

/* They share the memory that --mem allows. */
static uint64_t jobs_at_once(const struct ft_arguments *arguments, uint64_t threads)
{
    uint64_t jobs = ft_operand_count(arguments);
    return jobs < threads ? jobs : threads;
}

static int set_up(struct replay_task *task, uint64_t *ret_threads, struct ft_diag *diag)
{
    const struct ft_arguments *arguments = task->arguments;
    const char *sizes = ft_option_last(arguments, "blocks");
    uint64_t threads = 0, memory = UINT64_MAX;
    const char *limit = ft_option_last(arguments, "mem");
    struct ft_replay *probe;
    int status = ft_block_sizes_parse(sizes ? sizes : FT_BLOCK_SIZES_DEFAULT, task->block_bytes,
                                      &task->size_count, diag);
    if (!status)
        status = check_ranks(arguments, diag);
    if (!status)
        status = parse_sharing(task, diag);
    if (!status)
        status = ft_option_u64(arguments, "threads", (uint64_t)omp_get_max_threads(), 1,
                               THREADS_MAX, &threads, diag);
    if (!status && limit)
        status = ft_parse_bytes(limit, &memory, diag);
    if (!status)
        status = ft_option_u64(arguments, "stretch", 0, 1, UINT64_MAX,
                               &task->options.stretch_accesses, diag);
    if (!status && ft_option_count(arguments, "stretch") &&
        (ft_option_count(arguments, "pairs") || ft_option_count(arguments, "share") ||
         ft_option_count(arguments, "machine")))
        status = ft_fail(diag, FT_ERROR_USAGE,
                         "--stretch cuts the logs of private stacks: leave it out with --pairs, "
                         "--share or --machine");
    /* Tells of a kernel that there is not before any trace is opened. */
    if (!status)
        status = ft_replay_create(task->block_bytes, task->size_count, task->options.kernel, &probe,
                                  diag);
    if (status)
        return status;
    ft_replay_destroy(probe);
    task->options.block_bytes = task->block_bytes;
    task->options.size_count = task->size_count;
    task->options.pairs = ft_option_count(arguments, "pairs") > 0;
    const uint64_t jobs = jobs_at_once(arguments, threads);
    task->options.memory_most = memory / jobs;
    task->options.stretches_at_once = (unsigned)((threads + jobs - 1) / jobs);
    task->options.listener = (struct ft_listener){tell, task};
    task->job_count = ft_operand_count(arguments);
    task->jobs = calloc(task->job_count, sizeof *task->jobs);
    if (!task->jobs)
        return ft_fail_memory(diag, "the list of traces");
    for (size_t i = 0; i < task->job_count; i++)
        task->jobs[i] = (struct job){.path = ft_operands(arguments)[i], .index = i};
    *ret_threads = threads;
    return open_checkpoint(task, diag);
}

/* All ranks, to the end or up to the first failure of one. */
static int replay_all(struct replay_task *task, const char *output, struct ft_diag *diag)
{
    uint64_t threads = 1;
    int status = ft_ranks_agree(&task->ranks, set_up(task, &threads, diag), diag);
    if (!status)
        status = run_ranks(task, threads, diag);
    const bool has_result = task->ranks.number == 0 && !status;
    if (has_result)
        status = write_file(task, output, diag);
    if (has_result && !status && task->checkpoint.path)
        ft_checkpoint_remove(&task->checkpoint);
    if (has_result && !status)
        status = print_summary(task, diag);
    return ft_ranks_agree(&task->ranks, status, diag);
}

static int run(const struct ft_arguments *arguments)
{
    const char *output = ft_option_last(arguments, "output");
    if (!output)
        return ft_command_misuse(arguments, "-o HIST is needed");
    if (ft_operand_count(arguments) == 0)
        return ft_command_misuse(arguments, "a trace is needed");
    struct replay_task task = {
        .arguments = arguments,
        .options.kernel = ft_option_last(arguments, "kernel"),
        .drawing = ATOMIC_FLAG_INIT,
        .ranks = {.count = 1},
    };
    struct ft_diag diag = {0};
    int status = ft_option_count(arguments, "mpi") ? ft_ranks_begin(&task.ranks, &diag) : FT_OK;
    if (!status)
        status = replay_all(&task, output, &diag);
    for (size_t i = 0; task.jobs && i < task.job_count; i++)
        ft_histograms_fini(&task.jobs[i].entry);
    free(task.jobs);
    ft_sharing_fini(&task.options.sharing);
    ft_checkpoint_fini(&task.checkpoint);
    free(task.options_kept);
    free(task.parts);
    const bool tells = task.ranks.number == 0; /* before a launcher ends the others */
    int code = status && tells ? ft_command_fail(arguments, &diag) : ft_exit_code(status);
    ft_ranks_end(&task.ranks);
    return code;
}

static const struct ft_option replay_options[] = {
    {"output", 'o', "HIST", "the histogram file to write"},
    {"blocks", 'b', "SIZES", "block sizes, powers of two (default " FT_BLOCK_SIZES_DEFAULT ")"},
    {"threads", 0, "N",
     "processors to use for traces, their threads, and stretches of a thread's log (default: "
     "OMP_NUM_THREADS, or all)"},
    {"mpi", 0, NULL,
     "under mpirun or srun: the processes share the traces, their threads, and logs"},
    {"checkpoint", 0, "FILE",
     "SIGTERM and ctrl-C leave the state in FILE; the same command goes on from there"},
    {"stretch", 0, "ACCESSES", "length of the stretches (default: two a processor, 16 M and more)"},
    {"share", 0, "GROUPS", "threads that share a cache: all, by-8, or groups such as 0-3,4-7"},
    {"machine", 0, "NAME", "the same from a machine's levels and how many cores share each"},
    {"mem", 0, "LIMIT", "memory for LRU stacks (4G): where it is too little, fewer sizes a pass"},
    {"private", 0, NULL, "with --share: distances of each thread by itself as well"},
    {"fetch", 0, NULL, "instruction fetches too, by themselves and together with the accesses"},
    {"pairs", 0, NULL, "note for each touch which reference touched the block last"},
    {"kernel", 0, "NAME", "avx512, avx2 or c (default: the best that this processor has)"},
    FT_PARTIAL_OPTION,
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
        "merges the accesses of threads that share one in the order that was recorded:\n"
        "\n"
        "  foretrace replay --share 0-3,4-7 --private -o shared.h5 run.h5\n"
        "\n"
        "Fetches: --fetch adds two more stacks for each thread, of the instructions that it\n"
        "executes alone, as in an instruction cache, and of fetches and accesses in their order.\n"
        "\n"
        "Pairs: --pairs keeps histograms of each pair of references between which blocks are\n"
        "reused, and of the loop that carries the reuse, and prints those whose reuse takes the\n"
        "most blocks. It takes longer and more memory.\n"
        "\n"
        "  foretrace replay --pairs -o pairs.h5 run.h5\n",
    .options = replay_options,
    .option_count = sizeof replay_options / sizeof *replay_options,
    .run = run,
};
