/*
 * Dispatches the stops of traced threads. Stops of the translation itself (an exit that is not
 * linked yet, an unknown indirect target, a full log buffer) are the frequent ones.
 *
 * In order: stops of the translation by kind; which signals the translation caused; exits and group
 * stops; any stop of a thread; threads of an abandoned capture.
 */
#include "trace-capture/tracer/tracer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "trace-capture/counts/edge_counts.h"
#include "trace-capture/target/interrupted_call.h"
#include "trace-capture/target/target.h"
#include "trace-capture/tracer/app_state.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/communication.h"
#include "trace-capture/tracer/counter_moves.h"
#include "trace-capture/tracer/cpu_time.h"
#include "trace-capture/tracer/drain.h"
#include "trace-capture/tracer/kernel_vectors.h"
#include "trace-capture/tracer/log_buffer.h"
#include "trace-capture/tracer/mappings.h"
#include "trace-capture/tracer/paths.h"
#include "trace-capture/tracer/release.h"
#include "trace-capture/tracer/resume.h"
#include "trace-capture/tracer/signals.h"
#include "trace-capture/tracer/system_calls.h"
#include "trace-capture/tracer/thread_count.h"
#include "trace-capture/tracer/threads.h"
#include "trace-capture/tracer/walk_ends.h"
#include "trace-capture/tracer/walks.h"
#include "trace-capture/tracer/window_stops.h"
#include "trace-capture/tracer/windows.h"
#include "trace-capture/translate/ahead.h"
#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/code_cache.h"
#include "trace-capture/translate/code_links.h"
#include "trace-capture/translate/indirect_targets.h"
#include "trace-capture/translate/translation.h"
#include "trace-capture/translate/translator.h"
#include "trace-capture/translate/unit_exits.h"

#define DETACH_TRIES_MAX 200U

/* A direct exit is taken for the first time. */
static int stop_at_link(struct ft_thread *thread, const struct ft_stop *stop,
                        struct user_regs_struct *registers, struct ft_diag *diag)
{
    struct ft_link *link = &stop->translation->links[stop->link];
    struct ft_app_state state;
    struct ft_diag reason = {0};
    int moved =
        ft_walk_move_counters(thread, &(struct ft_walk_position){link->node, link->left}, diag);
    if (moved < 0)
        return moved;
    if (link->instructions) { /* what the stub will do from now on */
        if (ft_translate_prefix(&thread->capture->translator, stop->translation, link, &reason) <
            0) {
            ft_app_state_recover_at_stop(thread, registers, stop, &state);
            return ft_thread_give_up(thread, &state, &reason, diag);
        }
        if (link->prefix)
            memcpy(ft_log_at(thread, registers->r11), &link->prefix, sizeof link->prefix);
        registers->r11 += link->record_bytes;
        ft_count_undo(thread, link->uncounted);
    }
    enum ft_mode mode = stop->translation->mode;
    ft_paths_scan(thread, registers->r11);
    struct ft_translation *to = ft_code_cache_find(&thread->capture->cache, mode, link->target_pc);
    if (!to) {
        struct ft_origin origin = {.side_exit = link};
        if (ft_translate(&thread->capture->translator, mode, link->target_pc,
                         link->instructions ? &origin : NULL, &to,
                         &reason) < 0) { /* reported and handled again from the program state */
            ft_app_state_recover_at_stop(thread, registers, stop, &state);
            return ft_app_state_resume(thread, &state, diag);
        }
    }
    if (!link->linked)
        ft_code_cache_link(&thread->capture->cache, link, to);
    if (ft_walk_enter(thread, &(struct ft_walk_position){link->node, link->left}, to, &reason) <
        0) {
        ft_app_state_recover_at_stop(thread, registers, stop, &state);
        return ft_thread_give_up(thread, &state, &reason, diag);
    }
    registers->rip = to->entry;
    return ft_target_set_registers(&thread->target, registers, diag);
}

/* If edges are counted, each source has its own indirect targets. */
static int stop_at_counted_miss(struct ft_thread *thread, struct ft_app_state *state,
                                struct ft_diag *diag)
{
    struct ft_code_cache *cache = &thread->capture->cache;
    const uint64_t pc = state->registers.rip;
    uint32_t source = state->left.node, edge;
    int moved = ft_walk_move_counters(thread, &state->left, diag);
    if (moved < 0)
        return moved;
    struct ft_translation *to = ft_code_cache_find(cache, thread->mode, pc);
    struct ft_origin origin = {.is_indirect = true, .source = source};
    bool is_new = !to; /* then its indirect target is right in front of it */
    if (is_new)
        ft_translate(&thread->capture->translator, thread->mode, pc, &origin, &to, NULL);
    int status = ft_app_state_resume(thread, state, diag);
    if (status < 0 || thread->gone || thread->dying || !to || is_new)
        return status;
    status = ft_edge_counts_edge(cache->counts, source, FT_LEFT_WHOLE, to->node, &edge, diag);
    if (status == FT_OK && !cache->counts->edges[edge].indirect_target)
        status = ft_indirect_target_add_counted(cache, to, edge, diag);
    return status;
}

static int stop_at_miss(struct ft_thread *thread, const struct ft_stop *stop,
                        struct user_regs_struct *registers, struct ft_diag *diag)
{
    struct ft_app_state state;
    ft_app_state_recover_at_stop(thread, registers, stop, &state);
    uint64_t pc = state.registers.rip;
    ft_paths_scan(thread, state.log_pointer);
    struct ft_translation *translation =
        ft_code_cache_find(&thread->capture->cache, thread->mode, pc);
    struct ft_origin origin = {.is_indirect = true};
    if (thread->capture->cache.counts)
        return stop_at_counted_miss(thread, &state, diag);
    if (!translation)
        ft_translate(&thread->capture->translator, thread->mode, pc, &origin, &translation,
                     NULL);                     /* a failure is reported below */
    else if (!translation->has_indirect_target) /* without one it stops here again */
        ft_indirect_target_add(&thread->capture->cache, translation, NULL);
    return ft_app_state_resume(thread, &state, diag);
}

/* The entry of a translation whose code is gone or may not run now. */
static int stop_at_closed(struct ft_thread *thread, const struct ft_stop *stop,
                          struct user_regs_struct *registers, struct ft_diag *diag)
{
    struct ft_app_state state;
    struct ft_capture *capture = thread->capture;
    ft_app_state_recover_at_stop(thread, registers, stop, &state);
    int status = ft_app_state_resume(thread, &state, diag);
    struct ft_translation *by =
        ft_code_cache_find(&capture->cache, stop->translation->mode, state.registers.rip);
    if (status == FT_OK && by && stop->translation->forgotten)
        ft_code_cache_replace(&capture->cache, stop->translation, by);
    return status;
}

static enum ft_translation_fate judge_rewritten(void *context,
                                                const struct ft_translation *translation)
{
    const struct ft_translation *loop = context;
    bool is_version = translation->unit.pc == loop->unit.pc && translation->mode == loop->mode;
    return is_version               ? FT_TRANSLATION_FORGET
           : translation->is_closed ? FT_TRANSLATION_CLOSE
                                    : FT_TRANSLATION_KEEP;
}

/* A loop's code was written while it ran: the new code is not translated as a loop. */
static int stop_at_rewritten(struct ft_thread *thread, const struct ft_stop *stop,
                             struct user_regs_struct *registers, struct ft_diag *diag)
{
    struct ft_capture *capture = thread->capture;
    struct ft_translation *loop = stop->translation, *plain;
    uint64_t pc = loop->unit.pc;
    struct ft_app_state state;
    size_t forgotten;
    ft_app_state_recover_at_stop(thread, registers, stop, &state);
    int status =
        ft_code_cache_revise(&capture->cache, pc, pc + 1, judge_rewritten, loop, &forgotten, diag);
    if (status < 0)
        return status;
    ft_drain_add_event(
        capture->drain,
        &(struct ft_event){.kind = FT_EVENT_CODE_CHANGED, .b = pc, .c = loop->unit.code_bytes});
    if (!ft_code_cache_find(&capture->cache, loop->mode, pc))
        ft_translate(&capture->translator, loop->mode, pc, &(struct ft_origin){.no_loops = true},
                     &plain, NULL); /* if that fails, it is a loop again */
    return ft_app_state_resume(thread, &state, diag);
}

/* An instruction that raises a signal, or whatever has replaced it. */
static int stop_at_trap(struct ft_thread *thread, const struct ft_stop *stop,
                        struct user_regs_struct *registers, struct ft_diag *diag)
{
    struct ft_app_state state;
    struct ft_translation *translation = stop->translation;
    ft_app_state_recover_at_stop(thread, registers, stop, &state);
    if (!translation->forgotten && ft_mappings_holds(thread->capture, translation))
        return translation->unit.instructions[0].flow == FT_FLOW_INTERRUPT_RETURN
                   ? ft_signals_interrupt_return(thread, translation, &state, diag)
                   : ft_signals_run_natively(thread, &state, diag);
    if (!translation->forgotten)
        ft_code_cache_drop(&thread->capture->cache, translation);
    translation->forgotten = true;
    return ft_app_state_resume(thread, &state, diag);
}

/* Whether a SIGSEGV is a fault on the guard after the log. If the program has blocked SIGSEGV and
 * one is pending, the kernel reports the fault with the description of that one: it is held, and
 * the log pointer decides. */
static int is_log_fault(struct ft_thread *thread, struct user_regs_struct *registers, bool *ret_is,
                        struct ft_diag *diag)
{
    const unsigned long long *pointer = ft_log_pointer_of(thread, registers);
    siginfo_t info;
    *ret_is = false;
    if (!pointer)
        return FT_OK;
    int status = ft_target_signal_info(&thread->target, &info, diag);
    if (status < 0)
        return status;
    if (info.si_code > 0) {
        *ret_is = ft_log_buffer_guards(thread, (uint64_t)(uintptr_t)info.si_addr);
        return FT_OK;
    }
    if (!ft_signals_resets(thread, SIGSEGV) ||
        !ft_log_buffer_guards(thread, *pointer + FT_LOG_RECORD_BYTES_MAX))
        return FT_OK;
    *ret_is = true;
    return ft_target_hold_signal(&thread->target, &info, diag);
}

/* The same for an int3, and for a fault of the instruction count: its description may be that of a
 * signal that was sent while the program blocked it. */
static int hold_sent(struct ft_thread *thread, int signal, struct ft_diag *diag)
{
    siginfo_t info;
    if (!ft_signals_resets(thread, signal))
        return FT_OK;
    int status = ft_target_signal_info(&thread->target, &info, diag);
    if (status < 0)
        return status;
    return info.si_code > 0 ? FT_OK : ft_target_hold_signal(&thread->target, &info, diag);
}

/* Whether a program that has enabled alignment checking got a SIGBUS for an access of the
 * translation: before the copy of the instruction, where code is checked or a value logged. */
static int is_misalignment_of_ours(struct ft_thread *thread,
                                   const struct user_regs_struct *registers, bool *ret_is,
                                   struct ft_diag *diag)
{
    const struct ft_translation *translation =
        ft_code_cache_at(&thread->capture->cache, registers->rip);
    siginfo_t info;
    *ret_is = false;
    int status = ft_target_signal_info(&thread->target, &info, diag);
    if (status < 0)
        return status;
    if (info.si_code != BUS_ADRALN || !translation)
        return FT_OK;
    unsigned index = ft_translation_instruction(translation, registers->rip);
    *ret_is = registers->rip < translation->body ||
              (index < translation->unit.instruction_count &&
               registers->rip < ft_translation_copy(translation, index));
    return FT_OK;
}

/* The entry of a function of MPI. */
static int stop_at_call(struct ft_thread *thread, const struct ft_stop *stop,
                        struct user_regs_struct *registers, struct ft_diag *diag)
{
    struct ft_app_state state;
    ft_app_state_recover_at_stop(thread, registers, stop, &state);
    FT_TRY(ft_communication_enter(thread, &state, &stop->translation->unit, diag));
    return ft_app_state_resume(thread, &state, diag);
}

int ft_tracer_at_stop(struct ft_thread *thread, const struct ft_stop *stop,
                      struct user_regs_struct *registers, struct ft_diag *diag)
{
    const struct ft_stop copy = *stop; /* the table may move */
    switch (copy.kind) {
    case FT_STOP_LINK:
        return stop_at_link(thread, &copy, registers, diag);
    case FT_STOP_MISS:
        return stop_at_miss(thread, &copy, registers, diag);
    case FT_STOP_SYSCALL:
        return ft_system_call(thread, registers, &copy, diag);
    case FT_STOP_VECTOR:
        return ft_kernel_vector_end(thread, registers, diag);
    case FT_STOP_CLOSED:
        return stop_at_closed(thread, &copy, registers, diag);
    case FT_STOP_REWRITTEN:
        return stop_at_rewritten(thread, &copy, registers, diag);
    case FT_STOP_TRAP:
        return stop_at_trap(thread, &copy, registers, diag);
    case FT_STOP_CALL:
        return stop_at_call(thread, &copy, registers, diag);
    case FT_STOP_WINDOW:
    case FT_STOP_RETURN:
        return ft_windows_at_stop(thread, &copy, registers, diag);
    default: { /* FT_STOP_CHANGED */
        struct ft_app_state state;
        ft_app_state_recover_at_stop(thread, registers, &copy, &state);
        return ft_app_state_resume(thread, &state, diag);
    }
    }
}

int ft_tracer_translation_stop(struct ft_thread *thread, int signal,
                               struct user_regs_struct *registers, bool *ret_is_ours,
                               struct ft_diag *diag)
{
    uint64_t whole_end;
    int status;
    *ret_is_ours = true;
    if (signal == SIGSEGV && ft_count_is_stop(thread, registers)) {
        status = hold_sent(thread, SIGSEGV, diag);
        return status < 0 ? status : ft_windows_counted(thread, registers, diag);
    }
    if (signal == SIGSEGV) {
        status = is_log_fault(thread, registers, ret_is_ours, diag);
        if (status < 0 || !*ret_is_ours)
            return status;
        if (ft_log_buffer_whole_end(thread, registers, &whole_end))
            ft_paths_scan(thread, whole_end);
        status = ft_log_buffer_full(thread, registers, diag);
        return status < 0 ? status : ft_target_set_registers(&thread->target, registers, diag);
    }
    if (signal == SIGBUS) {
        status = is_misalignment_of_ours(thread, registers, ret_is_ours, diag);
        return status < 0 || !*ret_is_ours ? status
                                           : ft_signals_step_unaligned(thread, registers, diag);
    }
    const struct ft_stop *stop =
        signal == SIGTRAP ? ft_code_cache_stop(&thread->capture->cache, registers->rip - 1) : NULL;
    if (!stop) {
        *ret_is_ours = false;
        return FT_OK;
    }
    status = hold_sent(thread, SIGTRAP, diag);
    return status < 0 ? status : ft_tracer_at_stop(thread, stop, registers, diag);
}

/* The target is about to exit: what it has logged is kept. */
static int stop_at_exit(struct ft_thread *thread, struct ft_diag *diag)
{
    struct user_regs_struct registers;
    int status = ft_target_registers(&thread->target, &registers, diag);
    if (status < 0)
        return status;
    ft_capture_note_cpu(thread->capture);
    if (!thread->dying) {
        status = ft_walk_end_killed(thread, &registers, diag);
        uint64_t end = ft_app_state_last_record(thread, &registers);
        ft_log_timestamp_if_threaded(thread, &end);
        ft_log_buffer_close(thread, end);
    }
    thread->dying = true;
    return status < 0 ? status : ft_thread_continue(thread, 0, diag);
}

/* Whether the program must have a signal before the thread is detached: the system call that it is
 * in ends with it, and rseq_resume would make it again. */
static bool waits_for_signal(struct ft_thread *thread)
{
    return thread->target.rseq.address && thread->detach_tries < DETACH_TRIES_MAX &&
           ft_target_has_signal(&thread->target);
}

/* Lets it come, which another thread may take, and stops the thread again. */
static int let_signal_come(struct ft_thread *thread, struct ft_diag *diag)
{
    thread->detach_tries++;
    if (ptrace(PTRACE_CONT, thread->target.pid, 0, 0) != 0 && errno != ESRCH)
        return ft_target_fail(diag, "continuing the program");
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    ptrace(PTRACE_INTERRUPT, thread->target.pid, 0, 0);
    return FT_OK;
}

/* A stop of ours that came too late has ended a system call, which the kernel may not make again.
 */
static int repeat_call(struct ft_thread *thread, struct ft_diag *diag)
{
    struct user_regs_struct registers;
    FT_TRY(ft_target_registers(&thread->target, &registers, diag));
    return ft_interrupted_call_rewind(&registers) && !ft_target_has_signal(&thread->target)
               ? ft_target_set_registers(&thread->target, &registers, diag)
               : FT_OK;
}

/* A stop of the whole process, or one requested to release the thread or to change its mode. */
static int stop_of_group(struct ft_thread *thread, int signal, struct ft_diag *diag)
{
    bool is_stop = ft_target_is_stop_signal(signal);
    bool releasing = thread->capture->releasing;
    if ((releasing || (ft_windows_is_pending(thread) && !is_stop)) && !thread->dying &&
        !ft_signals_pending(thread)) {
        if (releasing && waits_for_signal(thread))
            return let_signal_come(thread, diag);
        struct user_regs_struct registers;
        struct ft_app_state state;
        bool arrived = false;
        int status = ft_target_registers(&thread->target, &registers, diag);
        if (status == FT_OK)
            status = ft_signals_leave(thread, &registers, &state, &arrived, diag);
        if (status < 0 || !arrived)
            return status;
        return releasing ? ft_thread_detach(thread, &state, diag)
                         : ft_windows_interrupted(thread, &state, diag);
    }
    if (is_stop && ptrace(PTRACE_LISTEN, thread->target.pid, 0, 0) == 0)
        return FT_OK;
    if (!is_stop && !thread->dying)
        FT_TRY(repeat_call(thread, diag));
    return ft_thread_continue(thread, 0, diag);
}

static int handle_stop(struct ft_thread *thread, int wait_status, struct ft_diag *diag)
{
    int signal = WSTOPSIG(wait_status);
    int event = wait_status >> 16;
    if (event == PTRACE_EVENT_STOP)
        return stop_of_group(thread, signal, diag);
    if (event != 0) /* it made a thread or process, which will stop by itself */
        return ft_thread_continue(thread, 0, diag);
    struct user_regs_struct registers;
    int status = ft_target_registers(&thread->target, &registers, diag);
    if (status < 0)
        return status;
    bool is_ours,
        resets = (signal == SIGTRAP || signal == SIGSEGV) && ft_signals_resets(thread, signal);
    status = ft_tracer_translation_stop(thread, signal, &registers, &is_ours, diag);
    if (status < 0 || thread->gone || thread->dying)
        return status;
    if (!is_ours) {
        status = ft_signals_deliver(thread, signal, &registers, diag);
        if (!thread->gone)
            ft_target_send_held(&thread->target);
        return status;
    }
    if (resets && (status = ft_signals_restore(thread, signal, diag)) < 0)
        return status;
    ft_target_send_held(&thread->target);
    return ft_thread_continue(thread, 0, diag);
}

int ft_tracer_end(struct ft_thread *thread, int wait_status, struct ft_diag *diag)
{
    struct ft_capture *capture = thread->capture;
    if (WIFSTOPPED(wait_status))
        return stop_at_exit(thread, diag);
    ft_drain_add_event(capture->drain, &(struct ft_event){.kind = FT_EVENT_THREAD_ENDED,
                                                          .thread = thread->number,
                                                          .a = thread->number,
                                                          .b = (uint64_t)wait_status});
    ft_windows_end_thread(thread);
    thread->gone = true;
    if (thread->target.pid == capture->pid) { /* it is the last one */
        capture->has_ended = true;
        capture->wait_status = wait_status;
    }
    return FT_OK;
}

void ft_tracer_let_die(struct ft_thread *thread, int wait_status)
{
    if (WIFSTOPPED(wait_status))
        ptrace(PTRACE_CONT, thread->target.pid, 0, 0);
    else
        ft_threads_remove(thread);
}

/* Whether a thread with which something failed was just killed: ptrace still works on a stopped
 * one. If so, *ret_status is the status of its end if that has come already (perhaps reported
 * before), else 0. */
static bool was_killed(pid_t tid, int *ret_status)
{
    siginfo_t info;
    *ret_status = 0;
    if (waitpid(tid, ret_status, __WALL | WNOHANG) == tid)
        return ft_target_is_at_end(*ret_status);
    if (ptrace(PTRACE_GETSIGINFO, tid, 0, &info) != 0)
        return errno == ESRCH;
    if (info.si_code != (SIGTRAP | PTRACE_EVENT_EXIT << 8))
        return false;
    *ret_status = PTRACE_EVENT_EXIT << 16 | SIGTRAP << 8 | 0x7f; /* as it was reported before */
    return true;
}

bool ft_tracer_let_go_if_killed(pid_t tid)
{
    int end;
    if (!was_killed(tid, &end))
        return false;
    if (end && WIFSTOPPED(end))
        ptrace(PTRACE_CONT, tid, 0, 0);
    return true;
}

int ft_tracer_handle(struct ft_thread *thread, int wait_status, struct ft_diag *diag)
{
    thread->capture->cache.target = &thread->target;
    int status = ft_target_is_at_end(wait_status) ? ft_tracer_end(thread, wait_status, diag)
                                                  : handle_stop(thread, wait_status, diag);
    int end = thread->target.end_status;
    if (status < 0) /* its registers may no longer match its buffer */
        thread->dying = true;
    if (status < 0 && (end || was_killed(thread->target.pid, &end)))
        status = end ? ft_tracer_end(thread, end, diag) : FT_OK; /* else its end will be reported */
    if (thread->gone)
        ft_threads_remove(thread);
    return status;
}

const struct ft_stop_handlers ft_tracer_handlers = {.at_stop = ft_tracer_at_stop,
                                                    .translation_stop = ft_tracer_translation_stop,
                                                    .end = ft_tracer_end};
