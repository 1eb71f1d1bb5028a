/*
 * A translation that begins where a window may open has a stop at its entry in unlogged code, one
 * where a window may close in logged code: no other code is slower for it. Functions are found by
 * name when their module is mapped, so their stops are there from the first translation on.
 *
 * The return of the function that opened a window is awaited in the landing table of logged code:
 * returns are indirect jumps, so all of them to that address meet the stop, and the stack pointer
 * tells the one of that call from those of others. (Left by longjmp or an exception, it does not
 * return, and the window stays open.)
 *
 * In the log a window begins with all the state that a reader cannot work out: the stack pointer,
 * the FS base, the direction flag.
 */
#include "trace-capture/processes/windows.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "formats/base/array.h"
#include "trace-capture/capture.h"
#include "trace-capture/markers/foretrace.h"
#include "trace-capture/modules/function_names.h"

#define RETURN_POPS_MAX 0x10008U /* ret imm16 */
#define LOG_ROOM        4096U /* for what is logged outside of windows, before the buffer's end */

/* Whether a window may open again once the present one is closed. */
static bool opens_again(const struct ft_windows *windows)
{
    return windows->options->markers || windows->options->from_count || windows->options->every;
}

/* ---- functions ---- */

struct addition {
    struct ft_windows *windows;
    uint64_t load_bias;
    bool failed;
};

static void add_function(void *context, size_t name, uint64_t offset)
{
    struct addition *addition = context;
    struct ft_windows *windows = addition->windows;
    uint64_t pc = offset + addition->load_bias;
    if (!FT_RESERVE(windows->functions, windows->function_capacity, windows->function_count + 1)) {
        addition->failed = true;
        return;
    }
    windows->options->met[name] = true;
    size_t at = windows->function_count;
    while (at > 0 && windows->functions[at - 1].pc > pc)
        at--;
    for (size_t i = at; i > 0 && windows->functions[i - 1].pc == pc; i--)
        if (windows->functions[i - 1].name == name)
            return; /* in another table, too */
    memmove(windows->functions + at + 1, windows->functions + at,
            (windows->function_count - at) * sizeof *windows->functions);
    windows->functions[at] = (struct ft_window_function){pc, name};
    windows->function_count++;
}

/* What was there before is there no more. */
static void drop_functions(struct ft_windows *windows, uint64_t start, uint64_t end)
{
    size_t kept = 0;
    for (size_t i = 0; i < windows->function_count; i++)
        if (windows->functions[i].pc < start || windows->functions[i].pc >= end)
            windows->functions[kept++] = windows->functions[i];
    windows->function_count = kept;
}

int ft_windows_add_module(struct ft_windows *windows, const char *path, uint64_t start,
                          uint64_t end, uint64_t load_bias, struct ft_diag *diag)
{
    struct ft_window_options *options = windows->options;
    struct addition addition = {windows, load_bias, false};
    drop_functions(windows, start, end);
    if (options->name_count == 0 || path[0] != '/')
        return FT_OK;
    ft_functions_find(path, options->names, options->name_count, add_function, &addition);
    return addition.failed ? ft_fail_memory(diag, "functions")
                           : ft_window_options_add_path(options, path, diag);
}

/* The name of the function at pc that opens (closes) windows; name_count where there is none. */
static size_t function_at(const struct ft_windows *windows, uint64_t pc, bool opens)
{
    size_t low = FT_COUNT_BELOW(windows->functions, windows->function_count, pc, pc);
    for (; low < windows->function_count && windows->functions[low].pc == pc; low++)
        if ((windows->functions[low].name < windows->options->from_count) == opens)
            return windows->functions[low].name;
    return windows->options->name_count;
}

static bool is_marker(const uint8_t *code, size_t bytes, bool opens)
{
    static const uint8_t nop[] = {0x0f, 0x1f, 0x80};
    const uint32_t number = opens ? FORETRACE_START_NUMBER : FORETRACE_STOP_NUMBER;
    return bytes >= sizeof nop + sizeof number && memcmp(code, nop, sizeof nop) == 0 &&
           memcmp(code + sizeof nop, &number, sizeof number) == 0;
}

static bool is_stop(void *context, enum ft_mode mode, uint64_t pc, const uint8_t *code,
                    size_t bytes)
{
    const struct ft_windows *windows = context;
    bool opens = mode == FT_MODE_UNLOGGED;
    return (windows->options->markers && is_marker(code, bytes, opens)) ||
           function_at(windows, pc, opens) < windows->options->name_count;
}

void ft_windows_init(struct ft_windows *windows, struct ft_window_options *options,
                     struct ft_translator *translator)
{
    bool opens_later = options->markers || options->from_count || options->skip;
    *windows = (struct ft_windows){.options = options,
                                   .mode = opens_later ? FT_MODE_UNLOGGED : FT_MODE_LOGGED,
                                   .skipping = options->skip > 0};
    if (!options->asked_for)
        return;
    windows->opened = !opens_later;
    options->opened += windows->opened;
    translator->is_window_stop = is_stop;
    translator->window_context = windows;
    translator->counts[FT_MODE_LOGGED] = options->length > 0;
    translator->counts[FT_MODE_UNLOGGED] = options->skip || options->every;
}

void ft_windows_fini(struct ft_windows *windows)
{
    free(windows->functions);
    free(windows->return_stops);
    *windows = (struct ft_windows){.options = windows->options};
}

/* ---- threads ---- */

/* Of the present window; counted: b is how many instructions the thread has executed in it. */
static void log_event(struct ft_thread *thread, struct ft_program_state *state, uint32_t kind,
                      bool counted)
{
    const struct ft_event event = {.kind = kind,
                                   .thread = thread->number,
                                   .a = thread->capture->windows.opened,
                                   .b = counted ? ft_count_so_far(thread) : 0,
                                   .c = counted};
    ft_log_escape(thread, &state->log_pointer, FT_ESCAPE_EVENT,
                  ft_drain_add_event(thread->capture->drain, &event));
}

/* A thread counts anew in each window, and between them. */
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
    ft_count_begin(thread, target ? target : FT_COUNT_FOR_EVER);
}

int ft_windows_start_thread(struct ft_thread *thread, struct ft_program_state *state,
                            struct ft_diag *diag)
{
    const struct ft_windows *windows = &thread->capture->windows;
    const bool *counts = thread->capture->translator.counts;
    int status = FT_OK;
    thread->mode = windows->mode;
    if (counts[FT_MODE_LOGGED] || counts[FT_MODE_UNLOGGED])
        status = ft_count_prepare(thread, diag);
    begin_count(thread);
    if (windows->options->asked_for && thread->mode == FT_MODE_LOGGED)
        log_event(thread, state, FT_EVENT_WINDOW_OPENED, false);
    return status;
}

static void note_unrecorded(const struct ft_thread *thread)
{
    bool counted = thread->capture->translator.counts[FT_MODE_UNLOGGED];
    ft_drain_add_event(thread->capture->drain,
                       &(struct ft_event){.kind = FT_EVENT_UNRECORDED,
                                          .thread = thread->number,
                                          .b = counted ? ft_count_so_far(thread) : 0,
                                          .c = counted});
}

void ft_windows_end_thread(struct ft_thread *thread)
{
    if (thread->mode == FT_MODE_UNLOGGED && !thread->capture->counts)
        note_unrecorded(thread);
}

bool ft_windows_is_pending(const struct ft_thread *thread)
{
    return thread->mode != thread->capture->windows.mode;
}

/* Signals and waiting threads are logged outside of windows, too; nobody else empties the buffer
 * then. */
static void make_room(struct ft_thread *thread, struct ft_program_state *state)
{
    if (ft_log_buffer_holds(thread, state->log_pointer + LOG_ROOM))
        return;
    ft_log_buffer_close(thread, state->log_pointer);
    ft_log_buffer_open(
        thread, &(struct ft_log_state){.rsp = state->registers.rsp,
                                       .fs_base = state->registers.fs_base,
                                       .direction_down = (state->registers.eflags & 0x400) != 0});
    state->log_pointer = ft_log_buffer_start(thread);
    ft_log_stamp(thread, &state->log_pointer);
}

static void resume_log(struct ft_thread *thread, struct ft_program_state *state)
{
    note_unrecorded(thread);
    log_event(thread, state, FT_EVENT_WINDOW_OPENED, false);
    ft_log_escape(thread, &state->log_pointer, FT_ESCAPE_STACK, state->registers.rsp);
    ft_log_escape(thread, &state->log_pointer, FT_ESCAPE_FS_BASE, state->registers.fs_base);
    ft_log_escape(thread, &state->log_pointer, FT_ESCAPE_DIRECTION,
                  (state->registers.eflags & 0x400) != 0);
    ft_log_stamp(thread, &state->log_pointer);
}

void ft_windows_follow(struct ft_thread *thread, struct ft_program_state *state)
{
    const struct ft_windows *windows = &thread->capture->windows;
    if (!windows->options->asked_for && !thread->capture->counts)
        return;
    make_room(thread, state);
    if (thread->mode == windows->mode)
        return;
    if (windows->mode == FT_MODE_LOGGED)
        resume_log(thread, state);
    else
        log_event(thread, state, FT_EVENT_WINDOW_CLOSED, windows->options->length > 0);
    thread->mode = windows->mode;
    begin_count(thread);
}

/* A system call that the interruption has ended is made again, as the kernel would have done. */
static void restart_call(struct user_regs_struct *registers)
{
    enum { RESTARTSYS = 512, RESTARTNOINTR = 513, RESTARTNOHAND = 514, RESTART_RESTARTBLOCK = 516 };
    if ((int64_t)registers->orig_rax < 0)
        return;
    switch (-(int64_t)registers->rax) {
    case RESTARTSYS:
    case RESTARTNOINTR:
    case RESTARTNOHAND:
        registers->rax = registers->orig_rax;
        registers->rip -= 2;
        break;
    case RESTART_RESTARTBLOCK:
        registers->rax = SYS_restart_syscall;
        registers->rip -= 2;
        break;
    default:
        break;
    }
}

int ft_windows_interrupted(struct ft_thread *thread, struct ft_program_state *state,
                           struct ft_diag *diag)
{
    restart_call(&state->registers);
    int status = ft_program_enter(thread, state, diag);
    return status < 0 || thread->gone ? status : ft_program_continue(thread, 0, diag);
}

/* ---- opening and closing ---- */

/* Makes returns to return_pc stop. Where nothing can be translated, nothing returns either. */
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
    return ft_code_cache_land_at_stop(cache, to, diag);
}

/* All threads are to be in a mode: those that run unaware of it are interrupted. */
static void set_mode(struct ft_thread *thread, enum ft_mode mode)
{
    struct ft_capture *capture = thread->capture;
    capture->windows.mode = mode;
    for (size_t i = 0; i < capture->thread_count; i++)
        if (capture->threads[i] != thread)
            ptrace(PTRACE_INTERRUPT, capture->threads[i]->target.pid, 0, 0);
}

static int open_window(struct ft_thread *thread, const struct ft_program_state *state,
                       struct ft_diag *diag)
{
    struct ft_windows *windows = &thread->capture->windows;
    bool until_return = windows->options->from_count &&
                        windows->options->from_count == windows->options->name_count;
    int status = FT_OK;
    windows->opened++;
    windows->options->opened++;
    windows->return_pc = 0;
    if (until_return && ft_target_read(&thread->target, state->registers.rsp, &windows->return_pc,
                                       sizeof windows->return_pc) == sizeof windows->return_pc) {
        windows->return_rsp = state->registers.rsp;
        windows->return_thread = thread->number;
        status = await_return(thread->capture, diag);
    }
    set_mode(thread, FT_MODE_LOGGED);
    return status < 0 ? status : ft_program_enter(thread, state, diag);
}

static int close_window(struct ft_thread *thread, struct ft_program_state *state,
                        struct ft_diag *diag)
{
    const struct ft_windows *windows = &thread->capture->windows;
    set_mode(thread, FT_MODE_UNLOGGED);
    if (opens_again(windows))
        return ft_program_enter(thread, state, diag);
    ft_windows_follow(thread, state);
    return ft_program_release(thread, state,
                              "the window that was asked for is over: the trace ends there, the "
                              "program goes on",
                              diag);
}

static bool is_awaited_return(const struct ft_thread *thread, const struct ft_program_state *state)
{
    const struct ft_windows *windows = &thread->capture->windows;
    return state->registers.rip == windows->return_pc && thread->number == windows->return_thread &&
           state->registers.rsp - windows->return_rsp - 1 < RETURN_POPS_MAX;
}

int ft_windows_counted(struct ft_thread *thread, struct user_regs_struct *registers,
                       struct ft_diag *diag)
{
    struct ft_windows *windows = &thread->capture->windows;
    struct ft_program_state state;
    if (!ft_count_at_stop(thread, registers))
        return ft_target_set_registers(&thread->target, registers, diag);
    if (!ft_program_leave(thread, registers, &state))
        return ft_fail(diag, FT_ERROR_FAILURE, "instructions were counted at an unknown place");
    if (ft_windows_is_pending(thread)) /* another thread was first */
        return ft_program_enter(thread, &state, diag);
    if (thread->mode == FT_MODE_LOGGED)
        return close_window(thread, &state, diag);
    windows->skipping = false;
    windows->options->has_skipped = true;
    if (!windows->options->markers && windows->options->from_count == 0)
        return open_window(thread, &state, diag);
    /* now a function or a marker may open one */
    thread->count.target = FT_COUNT_FOR_EVER;
    return ft_program_enter(thread, &state, diag);
}

int ft_windows_at_stop(struct ft_thread *thread, const struct ft_stop *stop,
                       struct user_regs_struct *registers, struct ft_diag *diag)
{
    struct ft_program_state state;
    ft_program_leave_stop(thread, registers, stop, &state);
    if (ft_windows_is_pending(thread)) /* another thread was first */
        return ft_program_enter(thread, &state, diag);
    if (stop->kind == FT_STOP_WINDOW && stop->translation->is_closed &&
        thread->capture->windows.skipping)
        return ft_program_enter(thread, &state, diag);
    if (stop->kind == FT_STOP_WINDOW && thread->capture->windows.skipping) {
        registers->rip = stop->translation->start;
        return ft_target_set_registers(&thread->target, registers, diag);
    }
    if (stop->kind == FT_STOP_WINDOW)
        return thread->mode == FT_MODE_UNLOGGED ? open_window(thread, &state, diag)
                                                : close_window(thread, &state, diag);
    if (is_awaited_return(thread, &state))
        return close_window(thread, &state, diag);
    registers->rip = stop->translation->entry;
    return ft_target_set_registers(&thread->target, registers, diag);
}
