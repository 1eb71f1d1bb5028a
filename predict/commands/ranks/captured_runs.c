/*
 * A trace joins the run before it, if that has its parameters and lacks its rank; else it begins
 * another.
 *
 * In order: parameters; runs; where to forecast.
 */
#include "predict/commands/ranks/captured_runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/parse.h"
#include "formats/commands/trace_operand.h"
#include "formats/trace/metadata.h"
#include "predict/ranks/job_events.h"

#define VALUE_MAX 1e15
#define RANKS_MAX (1 << 20)

/* ---- parameters ---- */

static bool is_ranks(const char *name)
{
    return ft_is_rank_count_name(name, strlen(name));
}

/* Those of the first trace; P is the number of ranks, whoever says it. */
static int name_parameters(const struct ft_metadata *metadata, struct ft_captured_runs *runs,
                           struct ft_diag *diag)
{
    for (size_t i = 0; i < metadata->parameter_count; i++) {
        if (is_ranks(metadata->parameters[i].name))
            continue;
        if (runs->parameter_count == FT_RANK_PARAMETERS_MAX)
            return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                           "more than %u parameters besides P: capture with fewer -D",
                           FT_RANK_PARAMETERS_MAX);
        runs->names[runs->parameter_count++] = metadata->parameters[i].name;
    }
    return FT_OK;
}

static int read_size(const char *path, const struct ft_metadata *metadata,
                     const struct ft_captured_runs *runs, struct ft_rank_size *ret_size,
                     struct ft_diag *diag)
{
    size_t known = 0;
    for (size_t i = 0; i < metadata->parameter_count; i++) {
        const struct ft_parameter *parameter = &metadata->parameters[i];
        size_t q = 0;
        while (q < runs->parameter_count && strcmp(runs->names[q], parameter->name) != 0)
            q++;
        if (is_ranks(parameter->name))
            continue;
        if (q == runs->parameter_count)
            return ft_fail(diag, FT_ERROR_DATA, "%s: -D %s was not given for the first trace", path,
                           parameter->name);
        if (parameter->value != floor(parameter->value) || fabs(parameter->value) > VALUE_MAX)
            return ft_fail(diag, FT_ERROR_DATA, "%s: %s=%g: laws of messages need integers", path,
                           parameter->name, parameter->value);
        ret_size->parameters[q] = (int64_t)parameter->value;
        known++;
    }
    return known == runs->parameter_count
               ? FT_OK
               : ft_fail(diag, FT_ERROR_DATA, "%s: captured without a -D of the first trace", path);
}

/* ---- runs ---- */

static bool has_parameters(const struct ft_captured_run *run, const struct ft_rank_size *size)
{
    return memcmp(run->size.parameters, size->parameters, sizeof size->parameters) == 0;
}

static int add_trace(struct ft_captured_runs *runs, struct ft_trace *trace, struct ft_diag *diag)
{
    const struct ft_metadata *metadata = ft_trace_metadata(trace);
    struct ft_rank_size size = {{0}};
    struct ft_diag inner = {0};
    if (runs->run_count == 0)
        FT_TRY(name_parameters(metadata, runs, diag));
    FT_TRY(read_size(ft_trace_path(trace), metadata, runs, &size, diag));
    if (runs->run_count > 0 && has_parameters(&runs->runs[runs->run_count - 1], &size) &&
        ft_mpi_job_add(&runs->jobs[runs->run_count - 1], trace, &inner) == FT_OK)
        return FT_OK;
    runs->runs[runs->run_count] = (struct ft_captured_run){.size = size};
    return ft_mpi_job_add(&runs->jobs[runs->run_count++], trace, diag);
}

static int open_all(const struct ft_arguments *arguments, struct ft_captured_runs *runs,
                    struct ft_diag *diag)
{
    runs->trace_count = ft_operand_count(arguments);
    runs->traces = calloc(runs->trace_count + 1, sizeof(struct ft_trace *));
    runs->jobs = calloc(runs->trace_count + 1, sizeof *runs->jobs);
    runs->runs = calloc(runs->trace_count + 1, sizeof *runs->runs);
    if (!runs->traces || !runs->jobs || !runs->runs)
        return ft_fail_memory(diag, "the traces");
    for (size_t i = 0; i < runs->trace_count; i++) {
        FT_TRY(ft_trace_open_named(ft_operands(arguments)[i], false, &runs->traces[i], diag));
        FT_TRY(add_trace(runs, runs->traces[i], diag));
    }
    for (size_t i = 0; i < runs->run_count; i++) {
        FT_TRY(ft_mpi_job_resolve(&runs->jobs[i], diag));
        FT_TRY(ft_job_check_whole(&runs->jobs[i], diag));
        runs->runs[i].job = &runs->jobs[i];
        runs->runs[i].size.ranks = runs->jobs[i].size;
    }
    return FT_OK;
}

int ft_captured_runs_open(const struct ft_arguments *arguments, struct ft_captured_runs *ret_runs,
                          struct ft_diag *diag)
{
    struct ft_captured_runs runs = {0};
    const int status = open_all(arguments, &runs, diag);
    if (status == FT_OK)
        *ret_runs = runs;
    else
        ft_captured_runs_close(&runs);
    return status;
}

void ft_captured_runs_close(struct ft_captured_runs *runs)
{
    for (size_t i = 0; i < runs->run_count; i++)
        ft_mpi_job_fini(&runs->jobs[i]);
    for (size_t i = 0; runs->traces && i < runs->trace_count; i++)
        ft_trace_close(runs->traces[i]);
    free(runs->traces);
    free(runs->jobs);
    free(runs->runs);
    *runs = (struct ft_captured_runs){0};
}

int ft_captured_runs_learn(const struct ft_captured_runs *runs, const struct ft_rank_size *target,
                           struct ft_job_laws *ret_laws, struct ft_diag *diag)
{
    struct ft_job_laws_task task = {.runs = runs->runs,
                                    .run_count = runs->run_count,
                                    .parameter_count = runs->parameter_count,
                                    .target = target};
    memcpy(task.names, runs->names, sizeof task.names);
    return ft_job_laws_learn(&task, ret_laws, diag);
}

/* ---- where to forecast ---- */

bool ft_at_has_ranks(const struct ft_arguments *arguments)
{
    for (size_t i = 0; i < ft_option_count(arguments, "at"); i++)
        for (const char *at = ft_option_at(arguments, "at", i); *at;) {
            const char *name = at;
            size_t length = 0;
            double value;
            if (!ft_read_assignment(&at, &length, &value))
                break;
            if (ft_is_rank_count_name(name, length))
                return true;
        }
    return false;
}

struct target_reading {
    const struct ft_captured_runs *runs;
    struct ft_rank_size target;
    bool is_known[FT_RANK_PARAMETERS_MAX + 1];
};

static int read_value(struct target_reading *reading, const char *name, size_t length, double value,
                      struct ft_diag *diag)
{
    const struct ft_captured_runs *runs = reading->runs;
    const bool is_of_ranks = ft_is_rank_count_name(name, length);
    size_t q = 0;
    while (q < runs->parameter_count &&
           (strlen(runs->names[q]) != length || strncmp(runs->names[q], name, length) != 0))
        q++;
    if (q == runs->parameter_count && !is_of_ranks)
        return ft_fail(diag, FT_ERROR_USAGE, "--at %s: the traces have no such parameter", name);
    if (value != floor(value) || value < (is_of_ranks ? 1 : -VALUE_MAX) ||
        value > (is_of_ranks ? RANKS_MAX : VALUE_MAX))
        return ft_fail(diag, FT_ERROR_USAGE, "--at %s: expected an integer%s", name,
                       is_of_ranks ? " from 1 to 1048576" : "");
    if (is_of_ranks)
        reading->target.ranks = (uint32_t)value;
    else
        reading->target.parameters[q] = (int64_t)value;
    reading->is_known[q] = true;
    return FT_OK;
}

/* "N=24,P=12". */
static int read_at(struct target_reading *reading, const char *text, struct ft_diag *diag)
{
    for (const char *at = text; *at;) {
        const char *name = at;
        size_t length = 0;
        double value;
        if (!ft_read_assignment(&at, &length, &value))
            return ft_fail(diag, FT_ERROR_USAGE, "--at %s: expected NAME=VALUE", text);
        FT_TRY(read_value(reading, name, length, value, diag));
    }
    return FT_OK;
}

int ft_captured_runs_target(const struct ft_captured_runs *runs,
                            const struct ft_arguments *arguments, struct ft_rank_size *ret_target,
                            struct ft_diag *diag)
{
    struct target_reading reading = {.runs = runs, .target = runs->runs[0].size};
    for (size_t i = 0; i < ft_option_count(arguments, "at"); i++)
        FT_TRY(read_at(&reading, ft_option_at(arguments, "at", i), diag));
    for (size_t q = 0; q < runs->parameter_count; q++)
        for (size_t i = 1; i < runs->run_count && !reading.is_known[q]; i++)
            if (runs->runs[i].size.parameters[q] != reading.target.parameters[q])
                return ft_fail(diag, FT_ERROR_USAGE,
                               "--at %s=VALUE is needed: the captured runs have several",
                               runs->names[q]);
    for (size_t i = 1; i < runs->run_count && !reading.is_known[runs->parameter_count]; i++)
        if (runs->runs[i].size.ranks != reading.target.ranks)
            return ft_fail(diag, FT_ERROR_USAGE,
                           "--at P=RANKS is needed: the captured runs have several");
    *ret_target = reading.target;
    return FT_OK;
}
