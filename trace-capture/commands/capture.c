/*
 * `foretrace capture`: starts the program, captures it and its children to the end, and returns its
 * exit status. Signals from the terminal go to the program, and the host ignores them;
 * trace_limits.c says what signals sent to the host do. Or attaches to a running process.
 *
 * In order: what both share; a program; a running process; the options.
 */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/cli/commands.h"
#include "formats/cli/shell_word.h"
#include "formats/commands/parameters.h"
#include "formats/x86/log_plan.h"
#include "machines/host/host_hardware.h"
#include "trace-capture/commands/capture_options.h"
#include "trace-capture/commands/estimate.h"
#include "trace-capture/commands/estimate_report.h"
#include "trace-capture/commands/host_share.h"
#include "trace-capture/processes/output_names.h"
#include "trace-capture/processes/processes.h"
#include "trace-capture/processes/trace_limits.h"
#include "trace-capture/target/attach.h"
#include "trace-capture/target/process_check.h"
#include "trace-capture/target/program_file.h"
#include "trace-capture/target/start.h"
#include "trace-capture/target/target.h"

#define EXIT_FAILED 125

static char *text_or_empty(char *text)
{
    return text ? text : strdup("");
}

/* What all traces of the run share. */
static int fill_metadata(const struct ft_arguments *arguments, struct ft_metadata *metadata,
                         struct ft_diag *diag)
{
    struct utsname system;
    uname(&system);
    metadata->host = text_or_empty(strdup(system.nodename));
    metadata->kernel = text_or_empty(strdup(system.release));
    metadata->cpu = text_or_empty(ft_host_processor_name());
    ft_decode_for_processor(metadata->cpu);
    ft_xsave_sizes_from_host();
    metadata->xsave_standard_bytes = ft_xsave_sizes.standard_bytes;
    metadata->xsave_compact_bytes = ft_xsave_sizes.compact_bytes;
    return ft_parameters_read(arguments, metadata, diag);
}

/* The program's exit status, as a shell would give it. */
static int exit_code_of(int wait_status)
{
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

static void warn(const char *message)
{
    fprintf(stderr, "foretrace capture: %s\n", message);
}

/* Only if somebody is watching: standard error is the program's. */
static void inform(const char *message)
{
    if (isatty(STDERR_FILENO))
        warn(message);
}

static const struct ft_capture_messages messages = {.warn = warn, .inform = inform};

/* What the options say of other than the default name is checked already; here %p is known. */
static int check_name(const struct ft_arguments *arguments, const char *pattern, pid_t pid,
                      struct ft_diag *diag)
{
    char *name = NULL;
    FT_TRY(ft_output_name(pattern, pid, &name, diag));
    int status = ft_command_check_output(arguments, name, FT_FILE_TRACE, diag);
    free(name);
    return status;
}

/* Whether its trace may not be written, it can never call a function of --from or --until, or
 * foretrace may not run where it should; says why. */
static bool is_refused(const struct ft_capture_options *options, const struct ft_host_share *share,
                       pid_t pid, const char *name, const struct ft_arguments *arguments)
{
    struct ft_diag diag;
    char path[64]; /* valid even if the file has been renamed since */
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    if (check_name(arguments, options->output_pattern, pid, &diag) == FT_OK &&
        ft_window_options_check(&options->windows, path, name, &diag) == FT_OK &&
        ft_host_share_apply(share, &diag) == FT_OK)
        return false;
    ft_command_fail(arguments, &diag);
    return true;
}

/* The program keeps its own limit of CPU time; foretrace itself takes several times as much. */
static void lift_time_limit(void)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    if (setrlimit(RLIMIT_CPU, &limit) == 0 || getrlimit(RLIMIT_CPU, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_CPU, &limit);
}

/* Signals of the terminal and limits that are not for foretrace. */
static void leave_terminal(void)
{
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGQUIT, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a trace that grows past a limit is an error to report */
    lift_time_limit();
}

/* Whether there is a folder for the traces of an estimate, if one is wanted; says why not. */
static bool has_room(const struct ft_arguments *arguments, struct ft_estimate *estimate,
                     struct ft_capture_options *options)
{
    struct ft_diag diag;
    const bool has = ft_estimate_begin(estimate, options, &diag) == FT_OK;
    if (!has)
        ft_command_fail(arguments, &diag);
    return has;
}

/* Removes what an estimate has written, and says what it cost; returns the exit code. */
static int finish(const struct ft_arguments *arguments, const struct ft_capture_options *options,
                  struct ft_estimate *estimate, const char *name,
                  const struct ft_capture_result *result)
{
    struct ft_diag diag;
    ft_estimate_fini(estimate);
    if (result->has_failed)
        return EXIT_FAILED;
    if (options->is_estimate && ft_estimate_print(stderr, name, options, result, &diag) < 0) {
        ft_command_fail(arguments, &diag);
        return EXIT_FAILED;
    }
    return options->is_estimate && result->costs.is_over ? 0 : exit_code_of(result->wait_status);
}

/* Starts the program and captures it to its end; returns the exit code. */
static int capture(const struct ft_arguments *arguments, struct ft_capture_options *options,
                   const struct ft_host_share *share, const struct ft_metadata *metadata)
{
    struct ft_diag diag = {0};
    struct ft_target target;
    struct ft_estimate estimate;
    struct ft_capture_result result;
    enum ft_start_failure failure =
        ft_target_start(&target, ft_operands(arguments), options->keep_aslr, &diag);
    leave_terminal(); /* only now: the program inherits signals and limits of foretrace */
    if (failure != FT_START_OK) {
        ft_command_fail(arguments, &diag);
        return failure == FT_START_NOT_FOUND      ? 127
               : failure == FT_START_NOT_RUNNABLE ? 126
               : failure == FT_START_KILLED       ? exit_code_of(target.end_status)
                                                  : EXIT_FAILED;
    }
    if (!has_room(arguments, &estimate, options) ||
        is_refused(options, share, target.pid, ft_operands(arguments)[0], arguments)) {
        ft_estimate_fini(&estimate);
        kill(target.pid, SIGKILL);
        return EXIT_FAILED;
    }
    ft_processes_run(options, metadata, &messages, &target, ft_operands(arguments), &result);
    return finish(arguments, options, &estimate, ft_operands(arguments)[0], &result);
}

/* Captures a running process until it ends, or the trace; returns the exit code. */
static int attach(const struct ft_arguments *arguments, struct ft_capture_options *options,
                  const struct ft_host_share *share, const struct ft_metadata *metadata, pid_t pid)
{
    struct ft_diag diag = {0};
    struct ft_attachment attachment;
    struct ft_estimate estimate;
    struct ft_capture_result result;
    char name[32];
    ft_limits_hold_signals();
    leave_terminal();
    if (ft_process_check(pid, &diag) < 0) {
        ft_command_fail(arguments, &diag);
        return EXIT_FAILED;
    }
    bool is_attached = has_room(arguments, &estimate, options) &&
                       !is_refused(options, share, pid, "the process", arguments);
    if (is_attached && ft_attach(pid, &attachment, &diag) < 0) {
        ft_command_fail(arguments, &diag);
        is_attached = false;
    }
    if (!is_attached) {
        ft_estimate_fini(&estimate);
        return EXIT_FAILED;
    }
    ft_processes_attach(options, metadata, &messages, &attachment, &result);
    ft_attachment_fini(&attachment);
    snprintf(name, sizeof name, "process %d", (int)pid);
    result.wait_status = 0; /* it is not foretrace's child */
    return finish(arguments, options, &estimate, name, &result);
}

/* What of the options traces do not show by themselves. */
static int note_options(const struct ft_arguments *arguments, struct ft_capture_options *options,
                        struct ft_diag *diag)
{
    static const char *const left_out[] = {
        "output",       "define",          "counts", "source",    "private",
        "module-cache", "no-module-cache", "nice",   "host-cpus", NULL};
    options->as_typed = ft_options_text(&ft_capture_command, arguments, left_out);
    return options->as_typed ? FT_OK : ft_fail_memory(diag, "the options");
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag = {0};
    struct ft_metadata metadata = {0};
    struct ft_capture_options options = {0};
    struct ft_host_share share;
    const bool attaches = ft_option_count(arguments, "pid") > 0;
    uint64_t pid = 0;
    if (ft_operand_count(arguments) == 0 && !attaches)
        return ft_command_misuse(arguments, "no program to run: give it after --");
    if (ft_operand_count(arguments) > 0 && attaches)
        return ft_command_misuse(arguments, "either --pid or a program to run, not both");
    int code = EXIT_FAILED;
    if (ft_option_u64(arguments, "pid", 0, 1, INT_MAX, &pid, &diag) < 0 ||
        ft_capture_options_parse(arguments, &options, &diag) < 0 ||
        ft_host_share_parse(arguments, &share, &diag) < 0 ||
        note_options(arguments, &options, &diag) < 0 ||
        fill_metadata(arguments, &metadata, &diag) < 0)
        ft_command_fail(arguments, &diag);
    else
        code = attaches ? attach(arguments, &options, &share, &metadata, (pid_t)pid)
                        : capture(arguments, &options, &share, &metadata);
    ft_window_options_fini(&options.windows);
    free(options.modules_folder);
    free(options.as_typed);
    ft_metadata_fini(&metadata);
    return code;
}

static const struct ft_option options[] = {
    {"output", 'o', "FILE", "the trace to write (default: trace.h5; of a rank: trace.RANK.h5)",
     .writes = FT_FILE_TRACE},
    FT_PARAMETER_OPTION,
    {"pid", 0, "PID", "capture this running process, from now on", .excludes = "aslr"},
    {"estimate", 0, NULL,
     "say what a long capture costs, from 10 s of it or --max-time; keep no trace",
     .excludes = "output max-size"},
    {"no-follow", 0, NULL, "do not follow the processes that the program starts"},
    {"allocations", 0, NULL, "log calls of malloc, free, new ...: the default with -D",
     .excludes = "no-allocations"},
    {"no-allocations", 0, NULL, "do not, with -D either"},
    {"mpi-calls", 0, NULL, "look for functions of MPI in all modules, not only in libmpi*",
     .excludes = "no-mpi-calls"},
    {"no-mpi-calls", 0, NULL, "record what runs inside MPI calls like all else"},
    {"counts", 0, NULL, "count executions and branches only; log no addresses"},
    {"module-cache", 0, "DIR", "keep what is read of modules there, for later captures",
     .excludes = "no-module-cache"},
    {"no-module-cache", 0, NULL, "keep none, and take none from earlier captures"},
    {"nice", 0, "N", "foretrace itself is nicer by N, 1 to 19, than the program"},
    {"host-cpus", 0, "LIST", "foretrace itself runs on these processors, such as 0-3,8"},
    {"aslr", 0, NULL, "keep address space randomisation (ASLR) on"},
    {"source", 0, NULL, "keep the source files that lines name, as they are at the end"},
    {"private", 0, NULL, "leave out folders of paths, host name, user, and environment"},
    {"from", 0, "FUNCTION", "record each call of FUNCTION, from entry to return", .repeats = true},
    {"until", 0, "FUNCTION", "stop recording when FUNCTION is called", .repeats = true},
    {"markers", 0, NULL, "record only between the program's markers (foretrace.h)"},
    {"skip", 0, "N", "skip the first N instructions; K, M, G: powers of 1000"},
    {"for", 0, "N", "end each window after N instructions"},
    {"every", 0, "N", "with --for: begin a window every N instructions"},
    {"max-size", 0, "BYTES", "end the trace once its file has this size; K, M, G: powers of 1024"},
    {"max-time", 0, "SECONDS", "end the trace after this time; suffixes s, m, h"},
};

const struct ft_command ft_capture_command = {
    .name = "capture",
    .synopsis = "capture [-o FILE] [-D NAME=NUMBER]... [options] "
                "(-- PROGRAM [ARGUMENT]... | --pid PID)",
    .summary = "run a program and record the addresses of all its loads and stores",
    .details =
        "The program runs as usual: its input, output, exit status and signals are its own.\n"
        "What is recorded can be analysed without the program, on any machine.\n"
        "\n"
        "Processes that it makes, and programs that they execute, have traces of their own:\n"
        "beside trace.h5 there are trace.2.h5, trace.3.h5, and so on. In FILE, %p stands for\n"
        "the process id, %h the host, %r the rank (MPI, Slurm), %j the job, %a the task of a\n"
        "job array, %% for %; what a process has not got is \"none\". A child made by vfork or\n"
        "posix_spawn is recorded from the program on that it executes.\n"
        "\n"
        "With --from, --until, --markers, --skip, --for or --every only parts of the run are\n"
        "recorded (docs/capture.md); in between it runs unlogged. FUNCTION is the name of a\n"
        "symbol, or of C++ as in \"ns::solve\" or \"ns::solve(int)\", in the program or a "
        "library.\n"
        "\n"
        "With --counts no addresses are logged, only how often each piece of code ran and where\n"
        "it went on: the program runs about as fast as without foretrace, the trace is small,\n"
        "and `structure` takes it.\n"
        "\n"
        "With --pid a process that is running already is captured, with all its threads, from\n"
        "then on; processes that it has made already are not. Ctrl-C, SIGTERM and all that ends\n"
        "a trace let it go on natively, and foretrace ends at once, with exit status 0.\n"
        "\n"
        "With --estimate the program is captured for 10 s, or --max-time, and then ended by\n"
        "SIGTERM; with --pid it goes on. foretrace says on standard error what that cost, and "
        "what\n"
        "an hour would cost (docs/capture-costs.md). The exit status is 0 then. Its traces are in\n"
        "the folder that TMPDIR names for as long as it takes, and are removed.\n"
        "\n"
        "SIGTERM to foretrace, --max-size and --max-time end the trace, which is complete then;\n"
        "the program goes on natively, and foretrace waits for it. Other signals, and a second\n"
        "SIGTERM, are passed on to the program. Ctrl-C ends the program as usual, and the trace\n"
        "with it. A file may grow past its --max-size by the 32 MB or so that are under way.\n"
        "\n"
        "exit status: the program's; 128+n where signal n killed it; 125 if capturing\n"
        "failed, 126 if the program cannot be run, 127 if it was not found\n"
        "\n"
        "examples:\n"
        "  foretrace capture -D N=300 -o matmul-300.h5 -- ./matmul 300\n"
        "  foretrace capture --estimate -- ./simulation input.txt\n"
        "  foretrace capture --from solve -o solve.h5 -- ./simulation input.txt\n"
        "  foretrace capture --pid 4711 --max-time 10 -o server.h5\n"
        "  foretrace capture --every 1G --for 10M -o bursts.h5 -- ./simulation input.txt\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .operands_end_options = true,
    .usage_exit_code = EXIT_FAILED,
    .run = run,
};
