/*
 * A translation that begins where a window may open has a stop at its entry in unlogged code; one
 * where a window may close has it in logged code. No other code is slowed down. Functions are found
 * by name when their module is mapped, so their stops exist from the first translation on.
 *
 * The return of the function that opened a window is caught in the table of indirect targets of
 * logged code: returns are indirect jumps, so all returns to that address reach the stop, and the
 * stack pointer identifies the one of that call. (If the function is left by longjmp or an
 * exception, it does not return, and the window stays open.)
 */
#include "trace-capture/tracer/window_stops.h"

#include <sys/ptrace.h>

#include "formats/base/array.h"
#include "trace-capture/target/interrupted_call.h"
#include "trace-capture/target/target.h"
#include "trace-capture/tracer/app_state.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/communication.h"
#include "trace-capture/tracer/release.h"
#include "trace-capture/tracer/resume.h"
#include "trace-capture/tracer/thread_count.h"
#include "trace-capture/tracer/windows.h"
#include "trace-capture/translate/ahead.h"
#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/code_cache.h"
#include "trace-capture/translate/indirect_targets.h"
#include "trace-capture/translate/translation.h"

#define RETURN_POPS_MAX 0x10008U /* ret imm16 */

/* Whether a window may open again after the current one is closed. */
static bool opens_again(const struct ft_windows *windows)
{
    return windows->options->markers || windows->options->from_count || windows->options->every;
}

int ft_windows_interrupted(struct ft_thread *thread, struct ft_app_state *state,
                           struct ft_diag *diag)
{
    ft_interrupted_call_rewind(&state->registers);
    int status = ft_app_state_resume(thread, state, diag);
    return status < 0 || thread->gone ? status : ft_thread_continue(thread, 0, diag);
}

/* ---- opening and closing ---- */

/* Makes returns to return_pc stop. If nothing can be translated there, nothing returns there
 * either. */
static int await_return(struct ft_capture *capture, struct ft_diag *diag)
{
    struct ft_windows *windows = &capture->windows;
    struct ft_code_cache *cache = &capture->cache;
    for (size_t i = 0; i < windows->return_stop_count; i++)
        if (windows->return_stops[i] == windows->return_pc)
            return FT_OK;
    struct ft_translation *to = ft_code_cache_find(cache, FT_MODE_LOGGED, windows->return_pc);
    if (!to &&
        ft_translate(&capture->translator, FT_MODE_LOGGED, windows->return_pc, NULL, &to, NULL) < 0)
        return FT_OK;
    if (!FT_RESERVE(windows->return_stops, windows->return_stop_capacity,
                    windows->return_stop_count + 1))
        return ft_fail_memory(diag, "a window");
    windows->return_stops[windows->return_stop_count++] = windows->return_pc;
    return ft_indirect_target_add_stop(cache, to, diag);
}

/* Switches all threads to a mode: the others are interrupted, to follow. */
static void set_mode(struct ft_thread *thread, enum ft_mode mode)
{
    struct ft_capture *capture = thread->capture;
    capture->windows.mode = mode;
    for (size_t i = 0; i < capture->thread_count; i++)
        if (capture->threads[i] != thread)
            ptrace(PTRACE_INTERRUPT, capture->threads[i]->target.pid, 0, 0);
}

static int open_window(struct ft_thread *thread, const struct ft_app_state *state,
                       struct ft_diag *diag)
{
    struct ft_windows *windows = &thread->capture->windows;
    bool until_return = windows->options->from_count &&
                        windows->options->from_count == windows->options->name_count;
    int status = FT_OK;
    windows->opened++;
    windows->outcome->opened++;
    windows->return_pc = 0;
    if (until_return && ft_target_read(&thread->target, state->registers.rsp, &windows->return_pc,
                                       sizeof windows->return_pc) == sizeof windows->return_pc) {
        windows->return_rsp = state->registers.rsp;
        windows->return_thread = thread->number;
        status = await_return(thread->capture, diag);
    }
    set_mode(thread, FT_MODE_LOGGED);
    return status < 0 ? status : ft_app_state_resume(thread, state, diag);
}

static int close_window(struct ft_thread *thread, struct ft_app_state *state, struct ft_diag *diag)
{
    const struct ft_windows *windows = &thread->capture->windows;
    set_mode(thread, FT_MODE_UNLOGGED);
    if (opens_again(windows))
        return ft_app_state_resume(thread, state, diag);
    ft_windows_follow(thread, state);
    return ft_thread_release(
        thread, state,
        "the requested window has ended: the trace ends there; the program continues untraced",
        diag);
}

static bool is_awaited_return(const struct ft_thread *thread, const struct ft_app_state *state)
{
    const struct ft_windows *windows = &thread->capture->windows;
    return state->registers.rip == windows->return_pc && thread->number == windows->return_thread &&
           state->registers.rsp - windows->return_rsp - 1 < RETURN_POPS_MAX;
}

int ft_windows_counted(struct ft_thread *thread, struct user_regs_struct *registers,
                       struct ft_diag *diag)
{
    struct ft_windows *windows = &thread->capture->windows;
    struct ft_app_state state;
    if (!ft_count_at_stop(thread, registers))
        return ft_target_set_registers(&thread->target, registers, diag);
    if (!ft_app_state_recover(thread, registers, &state))
        return ft_fail(diag, FT_ERROR_FAILURE,
                       "the instruction count overflowed outside of translated code");
    if (ft_windows_is_pending(thread)) /* another thread came first */
        return ft_app_state_resume(thread, &state, diag);
    if (windows->mode == FT_MODE_LOGGED)
        return close_window(thread, &state, diag);
    windows->skipping = false;
    windows->outcome->has_skipped = true;
    if (!windows->options->markers && windows->options->from_count == 0)
        return open_window(thread, &state, diag);
    /* from now on a function or a marker may open one */
    thread->count.target = FT_COUNT_UNLIMITED;
    return ft_app_state_resume(thread, &state, diag);
}

int ft_windows_at_stop(struct ft_thread *thread, const struct ft_stop *stop,
                       struct user_regs_struct *registers, struct ft_diag *diag)
{
    struct ft_app_state state;
    ft_app_state_recover_at_stop(thread, registers, stop, &state);
    if (ft_windows_is_pending(thread)) /* another thread came first */
        return ft_app_state_resume(thread, &state, diag);
    const bool passes = thread->capture->windows.skipping || thread->call.is_open;
    if (stop->kind == FT_STOP_WINDOW && stop->translation->is_closed && passes)
        return ft_app_state_resume(thread, &state, diag);
    if (stop->kind == FT_STOP_WINDOW && passes) {
        registers->rip = stop->translation->start;
        return ft_target_set_registers(&thread->target, registers, diag);
    }
    if (stop->kind == FT_STOP_WINDOW)
        return thread->mode == FT_MODE_UNLOGGED ? open_window(thread, &state, diag)
                                                : close_window(thread, &state, diag);
    const bool returned = ft_communication_return(thread, &state);
    if (is_awaited_return(thread, &state))
        return close_window(thread, &state, diag);
    if (returned)
        return ft_app_state_resume(thread, &state, diag);
    registers->rip = stop->translation->entry;
    return ft_target_set_registers(&thread->target, registers, diag);
}
