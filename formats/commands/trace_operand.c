#include "formats/commands/trace_operand.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "formats/histograms/histograms.h"
#include "formats/model/model.h"
#include "formats/trace/container.h"

bool ft_trace_is_partial(const char *path)
{
    static const char suffix[] = ".partial";
    size_t length = strlen(path);
    return length >= sizeof suffix && strcmp(path + length - (sizeof suffix - 1), suffix) == 0;
}

int ft_trace_open_carved(const struct ft_arguments *arguments, struct ft_trace **ret_trace,
                         struct ft_diag *diag)
{
    static const struct ft_trace_options carve = {.allow_incomplete = true, .only_carve = true};
    return ft_trace_open(ft_operands(arguments)[0], &carve, ret_trace, diag);
}

int ft_trace_open_operand(const struct ft_arguments *arguments, struct ft_trace **ret_trace,
                          struct ft_diag *diag)
{
    return ft_trace_open_operand_at(arguments, 0, ret_trace, diag);
}

int ft_trace_open_named(const char *path, bool partial, struct ft_trace **ret_trace,
                        struct ft_diag *diag)
{
    const struct ft_trace_options options = {.allow_incomplete =
                                                 partial || ft_trace_is_partial(path)};
    int status = ft_trace_open(path, &options, ret_trace, diag);
    if (status == FT_ERROR_DATA && ft_histogram_file_is(path))
        return ft_fail(
            diag, status,
            "%s: is a histograms file; expected a trace (histograms go to 'foretrace fit')", path);
    if (status == FT_ERROR_DATA && ft_model_file_is(path))
        return ft_fail(diag, status,
                       "%s: is a model file; expected a trace (models go to 'foretrace predict')",
                       path);
    return status;
}

int ft_trace_open_operand_at(const struct ft_arguments *arguments, size_t index,
                             struct ft_trace **ret_trace, struct ft_diag *diag)
{
    const char *path = ft_operands(arguments)[index];
    const bool partial = ft_option_count(arguments, "partial") > 0;
    int status = ft_trace_open_named(path, partial, ret_trace, diag);
    if (status == FT_ERROR_DATA && !partial && !ft_trace_is_partial(path)) {
        struct ft_trace *trace;
        if (ft_trace_open_named(path, true, &trace, NULL) == FT_OK) {
            ft_trace_close(trace);
            size_t end = strlen(diag->message);
            snprintf(diag->message + end, sizeof diag->message - end,
                     "; read its intact part with --partial, or save that with 'foretrace verify "
                     "--repair'");
        }
    }
    return status;
}

int ft_trace_operands_try(const struct ft_arguments *arguments, struct ft_diag *diag)
{
    const bool partial = ft_option_count(arguments, "partial") > 0;
    for (size_t i = 0; i < ft_operand_count(arguments); i++) {
        const char *path = ft_operands(arguments)[i];
        struct ft_container *container;
        struct ft_trace *trace;
        if (ft_container_open(path, false, false, &container, NULL) == FT_OK) {
            ft_container_close(container);
            continue;
        }
        if (partial || ft_trace_is_partial(path)) /* carved when its turn comes */
            continue;
        int status = ft_trace_open_operand_at(arguments, i, &trace, diag);
        if (status)
            return status;
        ft_trace_close(trace);
    }
    return FT_OK;
}

void ft_hint_at_trace(const char *path, const char *next_step, struct ft_diag *diag)
{
    static const struct ft_trace_options allow = {.allow_incomplete = true};
    struct ft_trace *trace;
    if (ft_trace_open(path, &allow, &trace, NULL) != FT_OK)
        return;
    ft_trace_close(trace);
    snprintf(diag->message, sizeof diag->message, "%s: is a trace; %s", path, next_step);
}

static int stdout_error; /* of the first write that failed */

bool ft_stdout_is_open(void)
{
    if (!ferror(stdout))
        return true;
    if (stdout_error == 0)
        stdout_error = errno;
    return false;
}

void ft_stdout_flush(void)
{
    if (fflush(stdout) != 0)
        (void)ft_stdout_is_open();
}

int ft_stdout_finish(struct ft_diag *diag)
{
    bool was_open = ft_stdout_is_open();
    if (was_open && fflush(stdout) == 0)
        return FT_OK;
    int error = was_open ? errno : stdout_error;
    if (error == EPIPE)
        return FT_OK;
    return ft_fail(diag, FT_ERROR_IO, "standard output: %s", strerror(error));
}

int ft_stdout_finish_code(int code)
{
    struct ft_diag diag;
    if (code || ft_stdout_finish(&diag) == FT_OK)
        return code;
    fprintf(stderr, "foretrace: %s\n", diag.message);
    return ft_exit_code(diag.status);
}
