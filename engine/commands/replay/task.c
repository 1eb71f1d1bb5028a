/*
 * A job is told to no other: its failure, its figures and its entry are its own until all are done.
 */
#include "engine/commands/replay/task.h"

#include <H5public.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/data/memory_events.h"
#include "engine/data/remapped_pages.h"
#include "engine/reuse/checkpoint/replay_stop.h"
#include "engine/simulate/all-caches/block_numbers.h"
#include "engine/simulate/all-caches/sampled_sets.h"
#include "engine/simulate/core/block_predictions.h"
#include "engine/skeleton/trace_skeleton.h"
#include "engine/streams/all_threads.h"
#include "formats/base/clock.h"
#include "formats/cli/table.h"
#include "formats/commands/parameters.h"
#include "formats/commands/trace_operand.h"
#include "formats/histograms/conservation.h"
#include "formats/skeleton/skeleton_tables.h"
#include "formats/trace/recorded_windows.h"

char *ft_replay_task_options(const struct ft_replay_task *task)
{
    char *text = NULL;
    size_t bytes = 0;
    char *sharing = ft_sharing_text(&task->options.sharing);
    FILE *stream = sharing ? open_memstream(&text, &bytes) : NULL;
    if (stream) {
        for (size_t s = 0; s < task->options.sizes.count; s++)
            fprintf(stream, "%s%" PRIu64, s ? "," : "-b ", task->options.sizes.bytes[s]);
        fputs(sharing, stream);
        if (task->options.pairs)
            fputs(" --pairs", stream);
        if (task->options.data)
            fputs(" --data", stream);
        if (!task->makes_skeletons)
            fputs(" --no-skeletons", stream);
        if (!task->samples_sets)
            fputs(" --no-sets", stream);
        if (!task->samples_branches)
            fputs(" --no-branches", stream);
        fclose(stream);
    }
    free(sharing);
    return text;
}

/* ---- jobs ---- */

/* The interval begins with the first access that is not kept: so each attempt gets further. It is
 * at least some times as long as the last stop took: so a replay goes on much longer than it stops.
 */
#define STOPS_AN_INTERVAL 3U

static void stop_when_due(struct ft_replay_task *task)
{
    const uint64_t now = ft_clock_ns(), stopped_at = atomic_load(&task->stopped_at_ns);
    const uint64_t min = stopped_at ? STOPS_AN_INTERVAL * (now - stopped_at) : 0;
    const uint64_t interval = task->save_every_ns > min ? task->save_every_ns : min;
    uint64_t due = 0;
    if (atomic_compare_exchange_strong(&task->save_at_ns, &due, now + interval) || now < due)
        return;
    if (!atomic_load(task->stop)) /* the first of all threads */
        atomic_store(&task->stopped_at_ns, now);
    ft_stop_to_save();
}

static void show(struct ft_replay_task *task, uint64_t accesses)
{
    uint64_t done = atomic_fetch_add(&task->accesses_done, accesses) + accesses;
    if (atomic_flag_test_and_set(&task->drawing))
        return;
    task->progress.done_before = atomic_load(&task->accesses_kept);
    ft_progress_update(&task->progress.base, done, atomic_load(&task->accesses_known), "accesses");
    atomic_flag_clear(&task->drawing);
}

static void tell(void *context, uint64_t accesses, bool is_kept)
{
    struct ft_replay_task *task = context;
    if (is_kept && !task->has_saved)
        atomic_fetch_add(&task->accesses_kept, accesses);
    if (task->checkpoint.path && !is_kept)
        stop_when_due(task);
    show(task, accesses);
}

/* ---- traces that are read again ---- */

/* The accesses of a trace, which is read again for its skeleton, and for each block size's
 * distances within sets; for skeletons more than once, where loops are irregular, of which only the
 * first time shows. */
struct reread_progress {
    struct ft_progress base;
    struct ft_replay_task *task;
    uint64_t shown;
};

static void show_reread(struct ft_progress *progress, uint64_t done, uint64_t total,
                        const char *unit)
{
    struct reread_progress *reread = (struct reread_progress *)progress;
    (void)total;
    (void)unit;
    if (done > reread->shown) {
        show(reread->task, done - reread->shown);
        reread->shown = done;
    }
}

/* ---- skeletons ---- */

#define SKELETON_BYTES_MAX (UINT64_C(64) << 20)

static bool has_skeleton(const struct ft_replay_task *task, const struct ft_trace *trace)
{
    return task->makes_skeletons && ft_trace_thread_count(trace) == 1 &&
           ft_trace_has_allocations(trace);
}

/* None where it would be too large: the job says so. */
static int add_skeleton(struct ft_replay_task *task, struct ft_replay_job *job,
                        struct ft_trace *trace, const struct ft_structure *structure,
                        const struct ft_memory_events *memory, struct ft_diag *diag)
{
    struct ft_histograms *entry = &job->entry;
    const struct ft_skeleton_options options = {
        .places = true, .stop = task->checkpoint.path ? ft_stop_for_good() : NULL};
    struct reread_progress progress = {.base = {show_reread}, .task = task};
    const struct ft_skeleton_code code = {structure, &entry->scopes, entry->reference_accesses,
                                          memory};
    struct ft_diag inner = {0};
    entry->skeleton = calloc(1, sizeof *entry->skeleton);
    if (!entry->skeleton)
        return ft_fail_memory(diag, "a skeleton");
    int status =
        ft_trace_skeleton_of(trace, &code, &options, &progress.base, entry->skeleton, &inner);
    if (!status && (ft_skeleton_bytes(entry->skeleton) > SKELETON_BYTES_MAX ||
                    !ft_skeleton_is_storable(entry->skeleton)))
        status = ft_fail(&inner, FT_ERROR_UNSUPPORTED, "it would be too large");
    if (status) {
        ft_skeleton_free(entry->skeleton);
        entry->skeleton = NULL;
        *(status == FT_ERROR_UNSUPPORTED ? &job->skeleton_diag : diag) = inner;
        job->report.is_stopped = options.stop && atomic_load(options.stop);
    }
    return status == FT_ERROR_UNSUPPORTED ? FT_OK : status;
}

/* What changes to the program's memory tell. structure: for a skeleton, or NULL. */
static int add_memory(struct ft_replay_task *task, struct ft_replay_job *job,
                      struct ft_trace *trace, const struct ft_structure *structure,
                      struct ft_diag *diag)
{
    struct ft_memory_events memory;
    FT_TRY(ft_memory_events_read(trace, &memory, diag));
    int status = structure ? add_skeleton(task, job, trace, structure, &memory, diag) : FT_OK;
    if (!status)
        status = ft_remapped_pages_add(trace, &memory, &job->entry.scopes, diag);
    ft_memory_events_fini(&memory);
    return status;
}

/* ---- distances within sets ---- */

#define SAMPLED_ACCESSES_MAX (UINT64_C(1) << 25) /* of longer traces there are none */

static bool samples_sets(const struct ft_replay_task *task, const struct ft_trace *trace)
{
    return task->samples_sets && !task->is_part && ft_trace_thread_count(trace) == 1 &&
           ft_trace_has_allocations(trace) &&
           ft_trace_metadata(trace)->accesses <= SAMPLED_ACCESSES_MAX;
}

static bool has_sets(uint64_t block_bytes)
{
    return block_bytes >= 2 && block_bytes <= FT_NUMBERED_BLOCK_MAX;
}

/* The trace is read again for each block size. There are none where its blocks are too many. */
static int add_set_distances(struct ft_replay_task *task, struct ft_replay_job *job,
                             struct ft_trace *trace, struct ft_diag *diag)
{
    struct ft_histograms *entry = &job->entry;
    struct ft_diag inner = {0};
    int status = FT_OK;
    entry->set_distances = calloc(1, sizeof *entry->set_distances);
    if (!entry->set_distances)
        return ft_fail_memory(diag, "distances within sets");
    for (size_t i = 0; !status && i < entry->size_count; i++) {
        struct reread_progress progress = {.base = {show_reread}, .task = task};
        struct ft_run_source *source;
        if (!has_sets(entry->block_bytes[i]))
            continue;
        status = ft_all_threads_runs(trace, FT_RUN_ACCESSES, NULL, &source, &inner);
        if (status)
            break;
        status = ft_sampled_sets((uint32_t)i, entry->block_bytes[i], source, &progress.base,
                                 entry->set_distances, &inner);
        source->destroy(source);
    }
    if (!status) {
        ft_set_distances_sum(entry->set_distances);
        return FT_OK;
    }
    ft_set_distances_free(entry->set_distances);
    entry->set_distances = NULL;
    return status == FT_ERROR_UNSUPPORTED ? FT_OK : ft_fail(diag, status, "%s", inner.message);
}

/* The metadata of a trace, with what -D adds. To be given to ft_metadata_fini, after a failure too.
 */
static int make_metadata(const struct ft_replay_task *task, const struct ft_trace *trace,
                         struct ft_metadata *ret_metadata, struct ft_diag *diag)
{
    FT_TRY(ft_metadata_copy(ft_trace_metadata(trace), ret_metadata, diag));
    return ft_parameters_add(task->arguments, ret_metadata, diag);
}

/* What cannot be added to the trace's parameters is refused before the replay, which takes long. */
static int replay_trace(struct ft_replay_task *task, struct ft_trace *trace,
                        struct ft_replay_job *job, struct ft_diag *diag)
{
    struct ft_histograms *entry = &job->entry;
    struct ft_metadata metadata = {0};
    struct ft_structure structure = {0};
    struct ft_replay_subject subject = {.trace = trace,
                                        .number = (uint32_t)job->index,
                                        .pieces = task->pieces,
                                        .stop = task->stop,
                                        .listener = {tell, task, false},
                                        .is_part = task->is_part,
                                        .structure = has_skeleton(task, trace) ? &structure : NULL};
    if (subject.is_part)
        subject.part = task->parts[job->index].work;
    int status = task->checkpoint.path ? ft_checkpoint_meet(&task->checkpoint, job->index,
                                                            ft_trace_content_hash(trace), diag)
                                       : FT_OK;
    if (!status && !subject.is_part)
        status = make_metadata(task, trace, &metadata, diag);
    if (!status)
        status = ft_trace_replay_in_passes(&task->options, &subject, entry, &job->report, diag);
    if (!status && !subject.is_part && ft_trace_has_allocations(trace))
        status = add_memory(task, job, trace, subject.structure, diag);
    if (!status && !subject.is_part && task->samples_branches)
        status = ft_block_predictions_add(trace, &entry->scopes, diag);
    if (!status && samples_sets(task, trace))
        status = add_set_distances(task, job, trace, diag);
    ft_structure_fini(&structure);
    if (status || subject.is_part) {
        ft_metadata_fini(&metadata);
        return status;
    }
    entry->metadata = metadata;
    if (!(entry->trace_hash = strdup(ft_trace_content_hash(trace))))
        status = ft_fail_memory(diag, "the metadata");
    return status ? status : ft_conservation_check(entry, diag);
}

static bool is_empty(const struct ft_work_range *range)
{
    return range->first == range->end;
}

/* To be replayed, about. */
static uint64_t accesses_of(const struct ft_replay_task *task, const struct ft_trace *trace,
                            const struct ft_replay_job *job)
{
    const uint64_t accesses = ft_trace_metadata(trace)->accesses, work = ft_trace_work(trace);
    if (!task->is_part || work == 0)
        return accesses;
    const struct ft_work_range *part = &task->parts[job->index].work;
    return (uint64_t)((double)(part->end - part->first) / (double)work * (double)accesses);
}

static void run_job(struct ft_replay_task *task, struct ft_replay_job *job)
{
    struct ft_trace *trace;
    struct ft_diag inner = {0};
    const uint64_t start_ns = ft_thread_cpu_ns();
    if (job->is_done || (task->is_part && is_empty(&task->parts[job->index].work)))
        return;
    if (task->stop && atomic_load(task->stop)) {
        job->report.is_stopped = true;
        job->status = FT_ERROR_FAILURE;
        return;
    }
    job->status = ft_trace_open_operand_at(task->arguments, job->index, &trace, &job->diag);
    if (job->status)
        return;
    job->status = ft_trace_require_addresses(trace, &job->diag);
    if (job->status) {
        ft_trace_close(trace);
        return;
    }
    job->accesses = accesses_of(task, trace, job);
    /* Those read once more. */
    uint64_t again = !task->is_part && has_skeleton(task, trace) ? 1 : 0;
    for (size_t i = 0; samples_sets(task, trace) && i < task->options.sizes.count; i++)
        again += has_sets(task->options.sizes.bytes[i]) ? 1 : 0;
    job->accesses += again * job->accesses;
    atomic_fetch_add(&task->accesses_known, job->accesses);
    job->has_windows = ft_recorded_windows(trace).any;
    job->status = replay_trace(task, trace, job, &inner);
    job->is_done = job->status == FT_OK && !task->is_part;
    if (job->status)
        ft_fail(&job->diag, job->status, "%s: %s", job->path, inner.message);
    ft_trace_close(trace);
    job->seconds += 1e-9 * (double)(ft_thread_cpu_ns() - start_ns) + job->report.helper_cpu_seconds;
}

/* HDF5 is not always built for several threads. */
static int threads_that_hdf5_allows(uint64_t threads)
{
    hbool_t is_safe = 0;
    if (H5is_library_threadsafe(&is_safe) < 0 || !is_safe)
        return 1;
    return (int)threads;
}

/* Says how far it came. */
static int save_and_stop(const struct ft_replay_task *task, struct ft_diag *diag)
{
    uint64_t done = atomic_load(&task->accesses_done), known = atomic_load(&task->accesses_known);
    int status = ft_checkpoint_save(&task->checkpoint, diag);
    return status
               ? status
               : ft_fail(diag, FT_ERROR_FAILURE,
                         "stopped after %.3g %% of the traces begun; what was replayed is in "
                         "%s: the same command goes on from there",
                         100 * (double)done / (double)(known ? known : 1), task->checkpoint.path);
}

/* Where the state cannot be written, the replay goes on all the same, and tries again later. Jobs
 * that are not done start over, from what was kept. */
static void save_and_go_on(struct ft_replay_task *task)
{
    if (ft_checkpoint_save(&task->checkpoint, &task->save_diag))
        task->save_failures++;
    task->has_saved = true;
    uint64_t done = 0;
    for (size_t i = 0; i < task->job_count; i++) {
        struct ft_replay_job *job = &task->jobs[i];
        done += job->is_done ? job->accesses : 0;
        if (!job->is_done)
            ft_histograms_fini(&job->entry);
    }
    atomic_store(&task->accesses_done, done);
    atomic_store(&task->accesses_known, done);
    atomic_store(&task->save_at_ns, 0);
}

/* The first failure in the order of the operands, so that it is the same for any thread count. */
static int jobs_status(const struct ft_replay_task *task, bool *ret_stopped, struct ft_diag *diag)
{
    *ret_stopped = false;
    for (size_t i = 0; i < task->job_count; i++) {
        const struct ft_replay_job *job = &task->jobs[i];
        const bool is_stopped = job->status && job->report.is_stopped;
        *ret_stopped = *ret_stopped || is_stopped;
        if (job->status && !is_stopped) {
            *diag = job->diag;
            return job->status;
        }
    }
    return FT_OK;
}

static int run_jobs(struct ft_replay_task *task, uint64_t threads, struct ft_diag *diag)
{
    bool is_stopped = false, is_over = false;
    int status = FT_OK;
    ft_progress_line_init(&task->progress, "replay");
    while (!is_over) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_that_hdf5_allows(threads))
        for (size_t i = 0; i < task->job_count; i++)
            run_job(task, &task->jobs[i]);
        status = jobs_status(task, &is_stopped, diag);
        is_over = status || !is_stopped || !task->checkpoint.path || ft_stop_is_final();
        if (!is_over)
            save_and_go_on(task);
    }
    ft_progress_line_fini(&task->progress);
    if (status || !is_stopped)
        return status;
    return task->checkpoint.path ? save_and_stop(task, diag)
                                 : ft_fail(diag, FT_ERROR_FAILURE, "it was stopped");
}

int ft_replay_task_make_jobs(struct ft_replay_task *task, struct ft_diag *diag)
{
    task->job_count = ft_operand_count(task->arguments);
    task->jobs = calloc(task->job_count, sizeof *task->jobs);
    if (!task->jobs)
        return ft_fail_memory(diag, "the list of traces");
    for (size_t i = 0; i < task->job_count; i++)
        task->jobs[i] = (struct ft_replay_job){.path = ft_operands(task->arguments)[i], .index = i};
    return FT_OK;
}

void ft_replay_task_fini(struct ft_replay_task *task)
{
    for (size_t i = 0; task->jobs && i < task->job_count; i++)
        ft_histograms_fini(&task->jobs[i].entry);
    free(task->jobs);
    ft_sharing_fini(&task->options.sharing);
    ft_checkpoint_fini(&task->checkpoint);
    free(task->options_kept);
    free(task->parts);
}

/* ---- several ranks ---- */

/* The options in which ranks must not differ. */
static char *rank_options_text(const struct ft_replay_task *task)
{
    char *text = NULL, *options = ft_replay_task_options(task);
    if (options &&
        asprintf(&text, "%s --segment %" PRIu64 " partial %zu", options,
                 task->options.segment_accesses, ft_option_count(task->arguments, "partial")) < 0)
        text = NULL;
    free(options);
    return text;
}

/* Opens each trace for its size, and for its hash to the stream. */
static int look_at_traces(struct ft_replay_task *task, FILE *stream, struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t i = 0; !status && i < task->job_count; i++) {
        struct ft_trace *trace;
        status = ft_trace_open_operand_at(task->arguments, i, &trace, diag);
        if (status)
            break;
        task->parts[i].work = (struct ft_work_range){0, ft_trace_work(trace)};
        fprintf(stream, " %s", ft_trace_content_hash(trace));
        ft_trace_close(trace);
    }
    return status;
}

/* Options and traces, which must be the same on all ranks, as a text, to be freed. */
static int write_traces(struct ft_replay_task *task, const char *options, char **ret_text,
                        struct ft_diag *diag)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    int status = FT_OK;
    if (stream) {
        fputs(options, stream);
        status = look_at_traces(task, stream, diag);
    }
    if (!stream || fclose(stream) != 0)
        status = ft_fail_memory(diag, "the list of traces");
    if (status)
        free(text);
    else
        *ret_text = text;
    return status;
}

static int make_parts(struct ft_replay_task *task, char **ret_text, struct ft_diag *diag)
{
    char *options = rank_options_text(task);
    task->parts = calloc(task->job_count + 1, sizeof *task->parts);
    int status = options && task->parts ? write_traces(task, options, ret_text, diag)
                                        : ft_fail_memory(diag, "the list of traces");
    if (!status)
        ft_rank_parts_share(&task->ranks, task->parts, task->job_count);
    free(options);
    return status;
}

/* This rank's part, while the ranks meet; a failure there stops it. */
static int run_part(struct ft_replay_task *task, uint64_t threads, int status, struct ft_diag *diag)
{
    struct ft_mpi_barrier_begin meeting;
    char *text = NULL;
    if (!status)
        status = make_parts(task, &text, diag);
    ft_mpi_barrier(&meeting, &task->ranks, status, diag, text);
    if (!status) {
        task->pieces = &task->checkpoint.kept;
        task->is_part = true;
        task->stop = &meeting.has_failed;
        status = run_jobs(task, threads, diag);
        task->is_part = false;
        task->stop = NULL;
    }
    struct ft_diag met_diag;
    int met = ft_mpi_barrier_end(&meeting, &met_diag);
    free(text);
    if (met)
        *diag = met_diag;
    return met ? met : ft_mpi_allreduce_status(&task->ranks, status, diag);
}

/* The parts of all ranks, which rank 0 then has as pieces. status: of what came before. */
static int run_parts(struct ft_replay_task *task, uint64_t threads, int status,
                     struct ft_diag *diag)
{
    status = run_part(task, threads, status, diag);
    if (status)
        return status;
    for (size_t i = 0; i < task->job_count; i++) {
        task->parts[i].seconds = task->jobs[i].seconds;
        task->parts[i].memory_bytes = task->jobs[i].report.memory_bytes;
    }
    status = ft_rank_parts_gather(&task->ranks, task->parts, task->job_count, &task->options.sizes,
                                  task->pieces, diag);
    for (size_t i = 0; i < task->job_count; i++)
        task->jobs[i].seconds = task->parts[i].seconds;
    atomic_store(&task->accesses_done, 0);
    atomic_store(&task->accesses_known, 0);
    atomic_store(&task->accesses_kept, 0);
    return status;
}

/* Rank 0 joins what all have replayed, and has the result. */
int ft_replay_task_run(struct ft_replay_task *task, uint64_t threads, int status,
                       struct ft_diag *diag)
{
    if (task->ranks.count > 1)
        status = run_parts(task, threads, status, diag);
    if (status || task->ranks.number > 0)
        return status;
    status = run_jobs(task, threads, diag);
    for (size_t i = 0; task->parts && i < task->job_count; i++)
        if (task->parts[i].memory_bytes > task->jobs[i].report.memory_bytes)
            task->jobs[i].report.memory_bytes = task->parts[i].memory_bytes;
    return status;
}
