/*
 * In the log a window begins with all state that a reader cannot compute: the stack pointer, the FS
 * base, the direction flag.
 */
#include "trace-capture/tracer/windows.h"

#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/drain.h"
#include "trace-capture/tracer/log_buffer.h"
#include "trace-capture/tracer/thread_count.h"
#include "trace-capture/translate/translation.h"

#define LOG_ROOM 4096U /* before the buffer's end, for what is logged outside of windows */

/* Of the current window; counted: b is how many instructions the thread has executed in it. */
static void log_event(struct ft_thread *thread, struct ft_app_state *state, uint32_t kind,
                      bool counted)
{
    const struct ft_event event = {.kind = kind,
                                   .thread = thread->number,
                                   .a = thread->capture->windows.opened,
                                   .b = counted ? ft_count_value(thread) : 0,
                                   .c = counted};
    ft_log_escape(thread, &state->log_pointer, FT_ESCAPE_EVENT,
                  ft_drain_add_event(thread->capture->drain, &event));
}

/* A thread starts counting again in each window, and between windows. */
static void begin_count(struct ft_thread *thread)
{
    const struct ft_windows *windows = &thread->capture->windows;
    uint64_t target = 0;
    if (thread->mode == FT_MODE_LOGGED)
        target = windows->options->length;
    else if (windows->skipping)
        target = windows->options->skip;
    else if (windows->options->every)
        target = windows->options->every - windows->options->length;
    ft_count_begin(thread, target ? target : FT_COUNT_UNLIMITED);
}

int ft_windows_start_thread(struct ft_thread *thread, struct ft_app_state *state,
                            struct ft_diag *diag)
{
    const struct ft_windows *windows = &thread->capture->windows;
    const bool *counts = thread->capture->translator.counts;
    int status = FT_OK;
    thread->mode = thread->call.is_open ? FT_MODE_UNLOGGED : windows->mode;
    if (counts[FT_MODE_LOGGED] || counts[FT_MODE_UNLOGGED])
        status = ft_count_prepare(thread, diag);
    begin_count(thread);
    if (windows->options->any && thread->mode == FT_MODE_LOGGED)
        log_event(thread, state, FT_EVENT_WINDOW_OPENED, false);
    return status;
}

static void note_unrecorded(const struct ft_thread *thread)
{
    bool counted = thread->capture->translator.counts[FT_MODE_UNLOGGED];
    ft_drain_add_event(thread->capture->drain,
                       &(struct ft_event){.kind = FT_EVENT_UNRECORDED,
                                          .thread = thread->number,
                                          .b = counted ? ft_count_value(thread) : 0,
                                          .c = counted});
}

void ft_windows_end_thread(struct ft_thread *thread)
{
    if (thread->mode == FT_MODE_UNLOGGED && !thread->capture->counts && !thread->call.is_open)
        note_unrecorded(thread);
}

bool ft_windows_is_pending(const struct ft_thread *thread)
{
    return !thread->call.is_open && thread->mode != thread->capture->windows.mode;
}

/* Signals and waiting threads are logged outside of windows, too; nothing else empties the buffer
 * then. */
static void make_room(struct ft_thread *thread, struct ft_app_state *state)
{
    if (ft_log_buffer_holds(thread, state->log_pointer + LOG_ROOM))
        return;
    ft_log_buffer_close(thread, state->log_pointer);
    ft_log_buffer_open(
        thread, &(struct ft_log_state){.rsp = state->registers.rsp,
                                       .fs_base = state->registers.fs_base,
                                       .direction_down = (state->registers.eflags & 0x400) != 0});
    state->log_pointer = ft_log_buffer_start(thread);
    ft_log_timestamp_if_threaded(thread, &state->log_pointer);
}

static void resume_log(struct ft_thread *thread, struct ft_app_state *state)
{
    note_unrecorded(thread);
    log_event(thread, state, FT_EVENT_WINDOW_OPENED, false);
    ft_log_escape(thread, &state->log_pointer, FT_ESCAPE_STACK, state->registers.rsp);
    ft_log_escape(thread, &state->log_pointer, FT_ESCAPE_FS_BASE, state->registers.fs_base);
    ft_log_escape(thread, &state->log_pointer, FT_ESCAPE_DIRECTION,
                  (state->registers.eflags & 0x400) != 0);
    ft_log_timestamp_if_threaded(thread, &state->log_pointer);
}

void ft_windows_follow(struct ft_thread *thread, struct ft_app_state *state)
{
    const struct ft_windows *windows = &thread->capture->windows;
    if (!windows->options->any && !thread->capture->counts && !thread->call.is_open)
        return;
    make_room(thread, state);
    if (thread->call.is_open || thread->mode == windows->mode)
        return;
    if (windows->mode == FT_MODE_LOGGED)
        resume_log(thread, state);
    else
        log_event(thread, state, FT_EVENT_WINDOW_CLOSED, windows->options->length > 0);
    thread->mode = windows->mode;
    begin_count(thread);
}
