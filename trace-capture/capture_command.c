/*
 * `foretrace capture`: starts the program, shares the code cache with it, traces it to its end and
 * gives its status. Signals from the terminal go to the program, the host ignores them; what those
 * do that are sent to the host is told in trace_limits.c.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "formats/code/plan.h"
#include "formats/parameters.h"
#include "trace-capture/capture.h"
#include "trace-capture/commands.h"
#include "trace-capture/host_description.h"
#include "trace-capture/syscall_routes.h"

#define EXIT_FAILED 125

static char *text_or_empty(char *text)
{
    return text ? text : strdup("");
}

static char *processor_name(void)
{
    char line[512], *name = NULL;
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && !name && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':'))
            name = strndup(strchr(line, ':') + 2, strcspn(strchr(line, ':') + 2, "\n"));
    if (file)
        fclose(file);
    return text_or_empty(name);
}

static int fill_metadata(const struct ft_arguments *arguments, struct ft_metadata *metadata,
                         struct ft_diag *diag)
{
    int status = ft_parameters_read(arguments, metadata, diag);
    if (status < 0)
        return status;
    struct utsname system;
    uname(&system);
    char **operands = ft_operands(arguments);
    metadata->argument_count = ft_operand_count(arguments);
    metadata->arguments = calloc(metadata->argument_count + 1, sizeof *metadata->arguments);
    if (!metadata->arguments)
        return ft_fail_memory(diag, "the command line");
    for (size_t i = 0; i < metadata->argument_count; i++)
        metadata->arguments[i] = text_or_empty(strdup(operands[i]));
    metadata->directory = text_or_empty(getcwd(NULL, 0));
    metadata->host = text_or_empty(strdup(system.nodename));
    metadata->kernel = text_or_empty(strdup(system.release));
    metadata->cpu = processor_name();
    if (!ft_metadata_begin(metadata))
        return ft_fail_memory(diag, "the metadata");
    ft_decode_for_processor(metadata->cpu);
    ft_xsave_sizes_from_host();
    metadata->xsave_standard_bytes = ft_xsave_sizes.standard_bytes;
    metadata->xsave_compact_bytes = ft_xsave_sizes.compact_bytes;
    return FT_OK;
}

static char *executable_of(pid_t pid)
{
    char path[64], target[4096];
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    ssize_t length = readlink(path, target, sizeof target);
    return length > 0 ? strndup(target, (size_t)length) : strdup("");
}

static int add_unit(void *context, struct ft_unit *unit, struct ft_diag *diag)
{
    struct ft_capture *capture = context;
    const struct ft_code_mapping *mapping = ft_mappings_find(capture, unit->pc);
    unit->module = mapping ? mapping->module : FT_NO_MODULE;
    return ft_drain_add_unit(capture->drain, unit, diag);
}

/* From the started target to one that stands at the translation of its first instruction. */
static int prepare(struct ft_capture *capture, const struct ft_target *target, const char *output,
                   const struct ft_metadata *metadata, struct ft_diag *diag)
{
    int status = ft_limits_start(&capture->limits, target->pid, diag);
    if (status == FT_OK)
        status =
            ft_drain_create(output, metadata, capture->limits.size_bytes, &capture->drain, diag);
    capture->translator = (struct ft_translator){.cache = &capture->cache,
                                                 .read_code = ft_mappings_read_code,
                                                 .read_context = capture,
                                                 .unit_added = add_unit,
                                                 .unit_context = capture};
    return status < 0 ? status : ft_threads_first(capture, target, diag);
}

/* The program's own status, as a shell would give it. */
static int exit_code_of(int wait_status)
{
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

static int fail_capture(struct ft_capture *capture, const struct ft_arguments *arguments,
                        const struct ft_diag *diag)
{
    ft_command_fail(arguments, diag);
    if (capture->pid > 0 && !capture->ended) {
        int wait_status;
        pid_t tid;
        kill(capture->pid, SIGKILL);
        ptrace(PTRACE_CONT, capture->pid, 0, 0); /* its end may have been waited for already */
        for (size_t i = 0; i < capture->thread_count; i++)
            ptrace(PTRACE_CONT, capture->threads[i]->target.pid, 0, 0);
        do { /* its other threads have to be let go first */
            tid = waitpid(-1, &wait_status, __WALL);
            if (tid > 0 && WIFSTOPPED(wait_status))
                ptrace(PTRACE_CONT, tid, 0, 0);
        } while ((tid > 0 && (tid != capture->pid || WIFSTOPPED(wait_status))) ||
                 (tid < 0 && errno == EINTR));
    }
    return EXIT_FAILED;
}

/* Of the program up to here. */
static double target_cpu_seconds(const struct ft_capture *capture)
{
    struct rusage usage;
    clockid_t clock;
    struct timespec time;
    if (!capture->ended && clock_getcpuclockid(capture->pid, &clock) == 0 &&
        clock_gettime(clock, &time) == 0)
        return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
    getrusage(RUSAGE_CHILDREN, &usage);
    return ft_cpu_seconds(&usage);
}

static int finish(struct ft_capture *capture, struct ft_metadata *metadata, struct ft_diag *diag)
{
    if (capture->ended)
        ft_limits_stop();
    metadata->target_cpu_seconds = target_cpu_seconds(capture);
    metadata->end_reason = strdup(capture->end_reason);
    ft_drain_add_event(capture->drain,
                       &(struct ft_event){.kind = FT_EVENT_ENDED, .text = capture->end_reason});
    return ft_drain_finish(capture->drain, metadata, diag);
}

/* The trace has ended before the program: it is finished first, and at once. */
static int finish_and_wait(struct ft_capture *capture, struct ft_metadata *metadata,
                           struct ft_diag *diag)
{
    ft_limits_pass_all_on();
    fprintf(stderr, "foretrace capture: %s\n", capture->end_reason);
    int status = finish(capture, metadata, diag);
    int waited = ft_tracer_wait(capture, status < 0 ? NULL : diag);
    return status < 0 ? status : waited;
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag = {0};
    struct ft_capture capture = {0};
    struct ft_target target;
    struct ft_metadata metadata = {0};
    const char *output = ft_option_last(arguments, "output");
    if (ft_operand_count(arguments) == 0)
        return ft_command_misuse(arguments, "a program to run is needed, after --");
    if (ft_limits_parse(arguments, &capture.limits, &diag) < 0 ||
        fill_metadata(arguments, &metadata, &diag) < 0) {
        ft_metadata_fini(&metadata);
        return fail_capture(&capture, arguments, &diag);
    }
    enum ft_start_failure failure = ft_target_start(&target, ft_operands(arguments),
                                                    ft_option_count(arguments, "aslr") > 0, &diag);
    /* only now: the program inherits what foretrace was started with */
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGQUIT, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a trace that grows past a limit is an error to tell */
    int code = failure == FT_START_NOT_FOUND      ? 127
               : failure == FT_START_NOT_RUNNABLE ? 126
                                                  : EXIT_FAILED;
    if (failure != FT_START_OK) {
        ft_command_fail(arguments, &diag);
    } else {
        capture.pid = target.pid;
        metadata.program = executable_of(target.pid);
        int status = ft_host_describe(target.pid, &metadata.capture_host, &diag);
        if (status == FT_OK)
            status = prepare(&capture, &target, output ? output : "trace.h5", &metadata, &diag);
        if (status == FT_OK)
            status = ft_tracer_run(&capture, &diag);
        if (status == FT_OK)
            status = capture.ended ? finish(&capture, &metadata, &diag)
                                   : finish_and_wait(&capture, &metadata, &diag);
        ft_limits_stop();
        code = status < 0 ? fail_capture(&capture, arguments, &diag)
                          : exit_code_of(capture.wait_status);
    }
    ft_drain_destroy(capture.drain);
    ft_mappings_fini(&capture);
    ft_threads_fini(&capture);
    ft_code_cache_fini(&capture.cache);
    if (target.memory_fd >= 0)
        close(target.memory_fd);
    ft_metadata_fini(&metadata);
    return code;
}

static const struct ft_option options[] = {
    {"output", 'o', "FILE", "the trace to write (default: trace.h5)"},
    FT_PARAMETER_OPTION,
    {"aslr", 0, NULL, "leave address randomisation on"},
    FT_LIMITS_OPTIONS,
};

const struct ft_command ft_capture_command = {
    .name = "capture",
    .synopsis = "capture [-o FILE] [-D NAME=NUMBER]... [OPTION]... -- PROGRAM [ARGUMENT]...",
    .summary = "run a program and record the addresses of all its loads and stores",
    .details =
        "The program runs as usual: its input, output, exit status and signals are its own.\n"
        "What is recorded can be analysed without the program, on any machine.\n"
        "\n"
        "SIGTERM to foretrace, --max-size and --max-time end the trace, which is complete then;\n"
        "the program goes on natively, and foretrace waits for it. Other signals, and a second\n"
        "SIGTERM, are passed on to the program. Ctrl-C ends the program as usual, and the trace\n"
        "with it. A file may grow past its --max-size by the 16 MB or so that are under way.\n"
        "\n"
        "exit status: the program's; 128+n where signal n killed it; 125 if capturing\n"
        "failed, 126 if the program cannot be run, 127 if it was not found\n"
        "\n"
        "example:\n"
        "  foretrace capture -D N=300 -o matmul-300.h5 -- ./matmul 300\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .operands_end_options = true,
    .usage_exit_code = EXIT_FAILED,
    .run = run,
};
