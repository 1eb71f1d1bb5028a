/*
 * The child reads three files of a temporary folder, and writes a fourth.
 *
 * In order: the program; files; what it says; a run.
 */
#include "predict/ranks/network_run.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/parse.h"
#include "formats/base/program_folder.h"
#include "formats/base/remove_tree.h"
#include "formats/base/temporary_path.h"
#include "machines/network/network_platform.h"
#include "predict/plan/child_run.h"
#include "predict/plan/held_signals.h"
#include "predict/ranks/job_events.h"

/* ---- the program ---- */

#ifdef FT_SIMGRID_VERSION

const char *ft_network_simgrid_version(void)
{
    return FT_SIMGRID_VERSION;
}

/* Beside foretrace as it is built, or where it is installed. */
int ft_network_find_program(char ret_path[PATH_MAX], struct ft_diag *diag)
{
    if (ft_beside_program("predict/" FT_NETWORK_PROGRAM, ret_path) ||
        ft_beside_program("../" FT_NETWORK_FOLDER_BELOW "/" FT_NETWORK_PROGRAM, ret_path))
        return FT_OK;
    snprintf(ret_path, PATH_MAX, "%s/%s", FT_NETWORK_FOLDER, FT_NETWORK_PROGRAM);
    return access(ret_path, X_OK) == 0
               ? FT_OK
               : ft_fail(diag, FT_ERROR_UNSUPPORTED, "%s: %s: it is installed with foretrace",
                         ret_path, strerror(errno));
}

#else

const char *ft_network_simgrid_version(void)
{
    return NULL;
}

int ft_network_find_program(char ret_path[PATH_MAX], struct ft_diag *diag)
{
    (void)ret_path;
    return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                   "this foretrace was built without SimGrid, which simulates the network; install "
                   "the package libsimgrid-dev and build it with -Dsimgrid=enabled");
}

#endif

/* ---- files ---- */

struct run {
    const char *program;
    const struct ft_mpi_job *job;
    const struct ft_job_messages *messages;
    const double *seconds_per_instruction;
    const struct ft_network *network;
    struct ft_job_times *times;
    char folder[PATH_MAX];
};

struct run_path {
    char text[PATH_MAX + 16];
};

static struct run_path path_of(const struct run *run, const char *name)
{
    struct run_path path;
    snprintf(path.text, sizeof path.text, "%s/%s", run->folder, name);
    return path;
}

static int write_events(const struct run *run, FILE *stream, struct ft_diag *diag)
{
    return ft_job_events_write(run->job, run->messages, run->seconds_per_instruction, run->network,
                               stream, diag);
}

static int write_platform(const struct run *run, FILE *stream, struct ft_diag *diag)
{
    (void)diag;
    ft_network_write_platform(run->network, run->job->size, stream);
    return FT_OK;
}

static int write_deployment(const struct run *run, FILE *stream, struct ft_diag *diag)
{
    (void)diag;
    ft_network_write_deployment(run->network, run->job->size, stream);
    return FT_OK;
}

static int write_file(const struct run *run, const char *name,
                      int (*write)(const struct run *run, FILE *stream, struct ft_diag *diag),
                      struct ft_diag *diag)
{
    const struct run_path path = path_of(run, name);
    FILE *file = fopen(path.text, "we");
    if (!file)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", path.text, strerror(errno));
    const int status = write(run, file, diag);
    const bool has_failed = ferror(file) != 0;
    if (fclose(file) != 0 || has_failed)
        return status
                   ? status
                   : ft_fail(diag, FT_ERROR_IO, "%s: cannot write: %s", path.text, strerror(errno));
    return status;
}

/* ---- what it says ---- */

static int read_times(const struct run *run, struct ft_diag *diag)
{
    const struct run_path path = path_of(run, "times");
    FILE *file = fopen(path.text, "re");
    char line[192];
    if (!file)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", path.text, strerror(errno));
    while (fgets(line, sizeof line, file)) {
        char *at = line;
        const unsigned long rank = strtoul(at, &at, 10), call = strtoul(at, &at, 10);
        const double start = strtod(at, &at), end = strtod(at, &at), files = strtod(at, &at);
        if (rank >= run->times->rank_count || call >= run->times->ranks[rank].call_count)
            continue; /* of no job's */
        run->times->ranks[rank].calls[call].start = start;
        run->times->ranks[rank].calls[call].end = end;
        run->times->ranks[rank].calls[call].files = files;
    }
    (void)fclose(file);
    return FT_OK;
}

/* "rank R waits in call C", the last line where the simulation cannot go on. */
static bool read_waiting(const char *line, uint64_t *ret_rank, uint64_t *ret_call)
{
    static const char of_rank[] = "rank ", in_call[] = " waits in call ";
    if (strncmp(line, of_rank, strlen(of_rank)) != 0)
        return false;
    line += strlen(of_rank);
    if (!ft_read_u64(&line, ret_rank) || strncmp(line, in_call, strlen(in_call)) != 0)
        return false;
    line += strlen(in_call);
    return ft_read_u64(&line, ret_call);
}

static int fail_as_told(const struct run *run, const struct ft_child_run *child,
                        struct ft_diag *diag)
{
    char line[256];
    uint64_t rank, call;
    ft_child_last_line(path_of(run, "errors").text, line, sizeof line);
    if (read_waiting(line, &rank, &call) && rank < run->job->rank_count &&
        call < run->job->ranks[rank].timeline.count) {
        const struct ft_mpi_rank *of = &run->job->ranks[rank];
        return ft_fail(diag, FT_ERROR_DATA,
                       "%s: rank %" PRIu32 ": waits for ever in %s: with these latencies and this "
                       "eager limit the ranks come to block each other",
                       of->path, of->rank, of->timeline.calls[call].name);
    }
    return ft_fail(diag, FT_ERROR_FAILURE, "the simulation of the network failed (code %d): %s",
                   child->exit_code, line[0] ? line : "it said nothing");
}

/* ---- a run ---- */

static int start(const struct run *run, const struct ft_held_signals *signals, struct ft_diag *diag)
{
    char options[FT_NETWORK_OPTIONS][FT_NETWORK_OPTION_TEXT];
    const uint32_t count = ft_network_options(run->network, options);
    struct run_path events = path_of(run, "events"), platform = path_of(run, "platform.xml");
    struct run_path deployment = path_of(run, "deployment.xml"), times = path_of(run, "times");
    const struct run_path errors = path_of(run, "errors");
    char *arguments[6 + FT_NETWORK_OPTIONS] = {(char *)run->program, events.text, platform.text,
                                               deployment.text, times.text};
    const struct ft_child_terms terms = {.errors_path = errors.text,
                                         .limit_seconds = INFINITY,
                                         .signals = signals,
                                         .is_native = true};
    struct ft_child_run child;
    for (uint32_t i = 0; i < count; i++)
        arguments[5 + i] = options[i];
    FT_TRY(ft_child_run(arguments, &terms, &child, diag));
    return child.exit_code == 0 ? read_times(run, diag) : fail_as_told(run, &child, diag);
}

static int write_and_start(struct run *run, struct ft_diag *diag)
{
    struct ft_held_signals signals = {0};
    FT_TRY(ft_temporary_path(run->folder, sizeof run->folder, "ranks", diag));
    FT_TRY(ft_held_signals_init(&signals, diag));
    if (!mkdtemp(run->folder)) {
        const int error = errno;
        ft_held_signals_fini(&signals);
        return ft_fail(diag, FT_ERROR_IO, "%s: cannot create a folder for the simulation: %s",
                       run->folder, strerror(error));
    }
    int status = write_file(run, "events", write_events, diag);
    if (status == FT_OK)
        status = write_file(run, "platform.xml", write_platform, diag);
    if (status == FT_OK)
        status = write_file(run, "deployment.xml", write_deployment, diag);
    if (status == FT_OK)
        status = start(run, &signals, diag);
    ft_remove_tree(run->folder);
    ft_held_signals_fini(&signals);
    return status;
}

int ft_network_run(const char *program, const struct ft_mpi_job *job,
                   const struct ft_job_messages *messages, const double *seconds_per_instruction,
                   const struct ft_network *network, struct ft_job_times *times,
                   struct ft_diag *diag)
{
    struct run run = {.program = program,
                      .job = job,
                      .messages = messages,
                      .seconds_per_instruction = seconds_per_instruction,
                      .network = network,
                      .times = times};
    FT_TRY(ft_network_check_ranks(network, job->size, diag));
    return write_and_start(&run, diag);
}
