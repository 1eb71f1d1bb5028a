/*
 * The trace is created when the image starts. When the image has ended, a separate thread writes
 * the trace out, so that other processes need not wait for a file to be synced.
 */
#include "trace-capture/processes/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "formats/trace/private_parts.h"
#include "trace-capture/counts/edge_counts.h"
#include "trace-capture/host/host_description.h"
#include "trace-capture/host/proc_files.h"
#include "trace-capture/processes/capture_options.h"
#include "trace-capture/processes/counted_trace.h"
#include "trace-capture/target/target.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/cpu_time.h"
#include "trace-capture/tracer/drain.h"
#include "trace-capture/tracer/mappings.h"
#include "trace-capture/tracer/paths.h"
#include "trace-capture/tracer/threads.h"
#include "trace-capture/tracer/tracer.h"
#include "trace-capture/tracer/watched_search.h"
#include "trace-capture/tracer/window_functions.h"
#include "trace-capture/translate/code_cache.h"
#include "trace-capture/translate/translation.h"
#include "trace-capture/translate/translator.h"
#include "trace-capture/translate/watched_functions.h"

static bool add_argument(struct ft_metadata *metadata, size_t *capacity, const char *text)
{
    if (!FT_RESERVE(metadata->arguments, *capacity, metadata->argument_count + 1))
        return false;
    char *copy = strdup(text);
    if (copy)
        metadata->arguments[metadata->argument_count++] = copy;
    return copy != NULL;
}

static bool set_arguments(struct ft_metadata *metadata, pid_t pid, char *const *arguments)
{
    size_t capacity = 0;
    bool added = true;
    for (; arguments && *arguments && added; arguments++)
        added = add_argument(metadata, &capacity, *arguments);
    if (metadata->argument_count == 0 && added) {
        size_t bytes;
        char *line = ft_proc_read_of(pid, "cmdline", &bytes);
        added = line != NULL;
        for (size_t at = 0; added && at < bytes; at += strlen(line + at) + 1)
            added = add_argument(metadata, &capacity, line + at);
        free(line);
    }
    return added;
}

/* Adds what belongs to this image to what all images of the run share. */
static int fill_metadata(struct ft_capture *capture, const struct ft_metadata *run,
                         const struct ft_capture_options *options, char *const *arguments,
                         struct ft_diag *diag)
{
    struct ft_metadata *metadata = &capture->metadata;
    int status = ft_metadata_copy(run, metadata, diag);
    if (status < 0)
        return status;
    metadata->program = ft_proc_link_of(capture->pid, "exe");
    metadata->directory = ft_proc_link_of(capture->pid, "cwd");
    if (!metadata->program || !metadata->directory || !ft_metadata_begin(metadata) ||
        !set_arguments(metadata, capture->pid, arguments))
        return ft_fail_memory(diag, "the metadata");
    FT_TRY(ft_host_describe(capture->pid, &metadata->capture_host, diag));
    return !options->as_typed[0] || ft_capture_host_fact(&metadata->capture_host, FT_HOST_OPTIONS,
                                                         options->as_typed, 0)
               ? FT_OK
               : ft_fail_memory(diag, "the metadata");
}

static int add_unit(void *context, enum ft_mode mode, struct ft_unit *unit, struct ft_diag *diag)
{
    struct ft_capture *capture = context;
    const struct ft_code_mapping *mapping = ft_mappings_find(capture, unit->pc);
    unit->module = mapping ? mapping->module : FT_NO_MODULE;
    if (mode != FT_MODE_LOGGED)
        return capture->counts ? ft_drain_add_unit(capture->drain, unit, diag) : FT_OK;
    int status = ft_watched_on_translation(&capture->watched, capture->cache.target, unit->pc,
                                           unit->module, diag);
    return status < 0 ? status : ft_drain_add_unit(capture->drain, unit, diag);
}

static void destroy(struct ft_capture *capture)
{
    ft_threads_fini(capture);
    ft_code_cache_fini(&capture->cache);
    ft_paths_fini(&capture->paths);
    ft_mappings_fini(capture);
    ft_windows_fini(&capture->windows);
    if (capture->memory_fd >= 0)
        close(capture->memory_fd);
    capture->memory_fd = -1;
}

static void destroy_trace(struct ft_capture *capture)
{
    ft_edge_counts_destroy(capture->counts);
    ft_drain_destroy(capture->drain);
    ft_metadata_fini(&capture->metadata);
    free(capture);
}

/* Nothing has run: what there is of the trace would only be in the way of the next attempt. */
static void remove_partial(const char *output)
{
    char *path = NULL;
    if (asprintf(&path, "%s.partial", output) > 0)
        unlink(path);
    free(path);
}

int ft_capture_begin(const struct ft_capture_options *options, const struct ft_metadata *run,
                     struct ft_window_outcome *outcome, const struct ft_target *target,
                     const struct ft_image_origin *origin, const char *output,
                     struct ft_capture **ret_capture, struct ft_diag *diag)
{
    struct ft_capture *capture = calloc(1, sizeof *capture);
    if (!capture) {
        close(target->memory_fd);
        return ft_fail_memory(diag, "a capture");
    }
    capture->pid = target->pid;
    capture->handlers = &ft_tracer_handlers;
    capture->memory_fd = target->memory_fd;
    capture->output = output;
    capture->cpu_seconds_before = ft_cpu_seconds_of(target->pid);
    if (origin->parent) {
        capture->trap_action = origin->parent->trap_action;
        capture->fault_action = origin->parent->fault_action;
    }
    capture->translator = (struct ft_translator){.cache = &capture->cache,
                                                 .read_code = ft_mappings_read_code,
                                                 .read_context = capture,
                                                 .unit_added = add_unit,
                                                 .unit_context = capture,
                                                 .watched = &capture->watched};
    capture->watched.wanted = options->watch;
    ft_windows_init(&capture->windows, &options->windows, outcome, &capture->translator);
    int status = fill_metadata(capture, run, options, origin->arguments, diag);
    if (status == FT_OK && options->is_private)
        status = ft_metadata_make_private(&capture->metadata, diag);
    if (status == FT_OK && options->only_counts)
        status = ft_edge_counts_create(&capture->counts, diag);
    if (options->only_counts)
        capture->windows.mode = FT_MODE_UNLOGGED;
    capture->cache.counts = capture->counts;
    if (status == FT_OK)
        status = ft_drain_create(output, &capture->metadata, options->limits.size_bytes,
                                 &capture->drain, diag);
    if (status == FT_OK && options->keep_sources)
        ft_drain_keep_sources(capture->drain, &capture->sources);
    if (status == FT_OK)
        status = origin->attachment ? ft_threads_attach(capture, origin->attachment, diag)
                                    : ft_threads_first(capture, target, diag);
    if (status < 0) {
        bool is_empty = capture->drain && origin->attachment;
        destroy(capture);
        destroy_trace(capture);
        if (is_empty)
            remove_partial(output);
        return status;
    }
    *ret_capture = capture;
    return FT_OK;
}

static void describe_end(struct ft_capture *capture)
{
    int status = capture->wait_status;
    if (capture->end_reason[0])
        return;
    if (WIFEXITED(status))
        snprintf(capture->end_reason, sizeof capture->end_reason,
                 "the program exited with status %d", WEXITSTATUS(status));
    else if (WIFSIGNALED(status))
        snprintf(capture->end_reason, sizeof capture->end_reason,
                 "the program was killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
}

/* The counts are complete except for these. */
static void describe_lost_threads(struct ft_capture *capture)
{
    size_t length = strlen(capture->end_reason);
    if (capture->counts && capture->counts->lost_threads)
        snprintf(capture->end_reason + length, sizeof capture->end_reason - length,
                 "; the counts of %zu of its threads, which ended unobserved, are missing",
                 capture->counts->lost_threads);
}

static void *write_out(void *context)
{
    struct ft_capture *capture = context;
    struct ft_metadata *metadata = &capture->metadata;
    if (capture->counts &&
        ft_counted_trace_finish(capture->counts, capture->drain, &capture->outcome) < 0)
        return NULL;
    if (ft_metadata_is_private(metadata))
        ft_text_make_private(capture->end_reason);
    metadata->end_reason = strdup(capture->end_reason);
    ft_drain_add_event(capture->drain,
                       &(struct ft_event){.kind = FT_EVENT_ENDED, .text = capture->end_reason});
    ft_drain_finish(capture->drain, metadata, &capture->outcome);
    return NULL;
}

void ft_capture_end(struct ft_capture *capture)
{
    describe_end(capture);
    destroy(capture);
    describe_lost_threads(capture);
    if (capture->abandoned)
        return;
    capture->is_writing = pthread_create(&capture->writer, NULL, write_out, capture) == 0;
    if (!capture->is_writing)
        write_out(capture);
}

bool ft_capture_has_written(struct ft_capture *capture)
{
    if (capture->is_writing && pthread_tryjoin_np(capture->writer, NULL) == 0)
        capture->is_writing = false;
    return !capture->is_writing;
}

int ft_capture_close(struct ft_capture *capture, struct ft_source_outcome *sources,
                     struct ft_capture_cost *cost, struct ft_diag *diag)
{
    if (capture->is_writing)
        pthread_join(capture->writer, NULL);
    int status = capture->outcome.status;
    if (status < 0)
        *diag = capture->outcome;
    ft_source_outcome_merge(sources, &capture->sources);
    ft_capture_cost_add(cost, capture);
    ft_capture_cost_add_file(cost, capture);
    destroy_trace(capture);
    return status;
}
