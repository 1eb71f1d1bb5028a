/*
 * Each thread has its own region (region.h) and writes its own log; code cache, tables and modules
 * belong to the process.
 *
 * A new thread first stops after the system call that made it, in the translation that its parent
 * ran, and with the parent's GS: it gets its own region before it runs any further. Regions of
 * ended threads are reused, so that a new thread costs system calls of ours only while their number
 * grows.
 */
#include "trace-capture/tracer/threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "formats/base/array.h"
#include "trace-capture/target/region.h"
#include "trace-capture/target/target.h"
#include "trace-capture/tracer/app_state.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/communication.h"
#include "trace-capture/tracer/drain.h"
#include "trace-capture/tracer/kernel_vectors.h"
#include "trace-capture/tracer/log_buffer.h"
#include "trace-capture/tracer/mappings.h"
#include "trace-capture/tracer/release.h"
#include "trace-capture/tracer/resume.h"
#include "trace-capture/tracer/signals.h"
#include "trace-capture/tracer/walks.h"
#include "trace-capture/tracer/windows.h"
#include "trace-capture/translate/code_cache.h"
#include "trace-capture/translate/syscall_routes.h"
#include "trace-capture/translate/timestamps.h"
#include "trace-capture/translate/translation.h"

static int add_thread(struct ft_capture *capture, const struct ft_target *target,
                      struct ft_thread **ret_thread, struct ft_diag *diag)
{
    struct ft_thread *thread = capture->spare;
    struct ft_region region = {0};
    struct ft_instruction_count count = {0};
    if (thread) {
        capture->spare = thread->next_spare;
        region = thread->region;
        count.limit = thread->count.limit;
    } else {
        thread = calloc(1, sizeof *thread);
    }
    if (!thread ||
        !FT_RESERVE(capture->threads, capture->thread_capacity, capture->thread_count + 1)) {
        free(thread);
        return ft_fail_memory(diag, "a thread");
    }
    *thread = (struct ft_thread){.capture = capture,
                                 .target = *target,
                                 .number = capture->threads_numbered++,
                                 .region = region,
                                 .count = count};
    capture->threads[capture->thread_count++] = thread;
    capture->cache.target = &thread->target;
    *ret_thread = thread;
    return FT_OK;
}

/* Opens the thread's log and sends it into the translation of its rip. */
static int start_log(struct ft_thread *thread, struct ft_app_state *state, struct ft_diag *diag)
{
    struct ft_capture *capture = thread->capture;
    int status = ft_signals_note_mask(thread, diag);
    if (status < 0)
        return status;
    ft_log_buffer_open(
        thread, &(struct ft_log_state){.rsp = state->registers.rsp,
                                       .fs_base = state->registers.fs_base,
                                       .direction_down = (state->registers.eflags & 0x400) != 0});
    state->log_pointer = ft_log_buffer_start(thread);
    uint64_t sequence =
        ft_drain_add_event(capture->drain, &(struct ft_event){.kind = FT_EVENT_THREAD_STARTED,
                                                              .thread = thread->number,
                                                              .a = thread->number,
                                                              .b = (uint64_t)thread->target.pid});
    ft_log_escape(thread, &state->log_pointer, FT_ESCAPE_EVENT, sequence);
    if (capture->translator.timestamps)
        ft_log_timestamp(thread, &state->log_pointer);
    status = ft_windows_start_thread(thread, state, diag);
    return status < 0 ? status : ft_app_state_resume(thread, state, diag);
}

static enum ft_translation_fate judge_timestamped(void *context,
                                                  const struct ft_translation *translation)
{
    const struct ft_unit *unit = &translation->unit;
    (void)context;
    bool has_timestamps = translation->mode == FT_MODE_LOGGED && !translation->changed &&
                          (ft_timestamps_atomic(unit) || ft_timestamps_loop(unit));
    return has_timestamps           ? FT_TRANSLATION_FORGET
           : translation->is_closed ? FT_TRANSLATION_CLOSE
                                    : FT_TRANSLATION_KEEP;
}

/* There is a second thread: code translated from now on takes timestamps where threads may hand
 * over work. */
static int start_timestamps(struct ft_capture *capture, struct ft_diag *diag)
{
    size_t forgotten;
    if (capture->translator.timestamps)
        return FT_OK;
    capture->translator.timestamps = true;
    return ft_code_cache_revise(&capture->cache, 0, UINT64_MAX, judge_timestamped, NULL, &forgotten,
                                diag);
}

/* All of the process but its threads. */
static int start_process(struct ft_capture *capture, const struct ft_target *target,
                         struct ft_thread **ret_thread, struct ft_diag *diag)
{
    capture->pid = target->pid;
    FT_TRY(add_thread(capture, target, ret_thread, diag));
    struct ft_thread *thread = *ret_thread;
    FT_TRY(ft_code_cache_init(&capture->cache, &thread->target, &thread->region, diag));
    FT_TRY(ft_syscall_routes_emit(&capture->cache, diag));
    FT_TRY(ft_mappings_refresh(capture, diag));
    return ft_signals_init(thread, diag);
}

int ft_threads_first(struct ft_capture *capture, const struct ft_target *target,
                     struct ft_diag *diag)
{
    struct ft_thread *thread = NULL;
    struct ft_app_state state = {0};
    FT_TRY(start_process(capture, target, &thread, diag));
    FT_TRY(ft_target_registers(&thread->target, &state.registers, diag));
    return start_log(thread, &state, diag);
}

int ft_threads_attach(struct ft_capture *capture, struct ft_attachment *attachment,
                      struct ft_diag *diag)
{
    struct ft_attached_thread *attached = attachment->threads;
    struct ft_thread *thread = NULL;
    capture->is_attached = true;
    FT_TRY(start_process(capture, &attached[0].target, &thread, diag));
    FT_TRY(ft_signals_read_actions(thread, diag));
    if (attachment->count > 1) {
        ft_syscall_routes_timestamp(&capture->cache);
        FT_TRY(start_timestamps(capture, diag));
    }
    for (size_t i = 0; i < attachment->count; i++) {
        struct ft_app_state state = {.registers = attached[i].registers};
        if (i > 0) {
            attached[i].target.syscall_gadget = capture->threads[0]->target.syscall_gadget;
            FT_TRY(add_thread(capture, &attached[i].target, &thread, diag));
            FT_TRY(ft_region_create(&thread->target, 0, capture->cache.tables.bytes,
                                    &capture->cache.tables, &thread->region, diag));
        }
        attached[i].target.held = NULL; /* it is the thread's now */
        FT_TRY(start_log(thread, &state, diag));
        ft_target_send_held(&thread->target);
    }
    capture->cache.target = &capture->threads[0]->target;
    return FT_OK;
}

int ft_threads_add(struct ft_capture *capture, pid_t tid, struct ft_diag *diag)
{
    struct ft_thread *thread = NULL;
    struct ft_app_state state = {0};
    struct ft_target target = ft_target_of_thread(&capture->threads[0]->target, tid);
    int status = add_thread(capture, &target, &thread, diag);
    if (status == FT_OK)
        status = ft_target_registers(&thread->target, &state.registers, diag);
    if (status == FT_OK)
        thread->call.is_open = ft_communication_makes(capture, &state.registers);
    if (status == FT_OK && !ft_app_state_recover_new(capture, &state.registers))
        status = ft_fail(diag, FT_ERROR_FAILURE, "a new thread starts outside of translated code");
    if (status == FT_OK && !thread->region.host)
        status = ft_region_create(&thread->target, 0, capture->cache.tables.bytes,
                                  &capture->cache.tables, &thread->region, diag);
    if (status < 0) {
        if (thread)
            ft_threads_remove(thread);
        return status;
    }
    ft_syscall_routes_timestamp(&capture->cache);
    status = start_timestamps(capture, diag);
    if (status < 0)
        return status;
    status = start_log(thread, &state, diag);
    return status < 0 ? status : ft_thread_continue(thread, 0, diag);
}

struct ft_thread *ft_threads_find(const struct ft_capture *capture, pid_t tid)
{
    for (size_t i = 0; i < capture->thread_count; i++)
        if (capture->threads[i]->target.pid == tid)
            return capture->threads[i];
    return NULL;
}

static void remove_at(struct ft_capture *capture, size_t index)
{
    struct ft_thread *thread = capture->threads[index];
    ft_walk_collect(thread);
    capture->threads[index] = capture->threads[--capture->thread_count];
    capture->cache.target = capture->thread_count > 0 ? &capture->threads[0]->target : NULL;
    ft_target_fini(&thread->target);
    ft_kernel_vector_fini(&thread->vector);
    thread->next_spare = capture->spare;
    capture->spare = thread;
}

void ft_threads_remove(struct ft_thread *thread)
{
    size_t index = 0;
    while (thread->capture->threads[index] != thread)
        index++;
    remove_at(thread->capture, index);
}

void ft_threads_fini(struct ft_capture *capture)
{
    while (capture->thread_count > 0)
        remove_at(capture, capture->thread_count - 1);
    while (capture->spare) {
        struct ft_thread *thread = capture->spare;
        capture->spare = thread->next_spare;
        ft_region_fini(&thread->region);
        free(thread);
    }
    free(capture->threads);
}
