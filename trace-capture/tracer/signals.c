/*
 * The kernel must build a handler's frame from the program's registers, so a signal is delivered at
 * a clean point, with the target made to look native for a moment: it is stepped with the signal,
 * stops at the handler's first instruction, and continues there in translated code. rt_sigreturn
 * works the same way in reverse.
 *
 * Asynchronous signals: the target is first stepped to the next clean point. Interrupted system
 * calls are clean points already, and restart as the kernel decides, from the program's rip.
 * Synchronous ones (a fault of the program) are delivered at the faulting instruction itself.
 *
 * Stops of the translation are SIGTRAP and SIGSEGV. If the program blocks or ignores these the
 * kernel, before a tracer sees the stop, unblocks them and resets their action; both are restored
 * from what the emitted code (the mask) and stops of rt_sigaction (the action) have noted.
 *
 * In order: masks and actions; stepping to a clean point; delivery, with the step into the handler;
 * one instruction run natively; iretq; rt_sigreturn.
 */
#include "trace-capture/tracer/signals.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "trace-capture/counts/edge_counts.h"
#include "trace-capture/target/context.h"
#include "trace-capture/target/region.h"
#include "trace-capture/target/target.h"
#include "trace-capture/tracer/app_state.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/drain.h"
#include "trace-capture/tracer/log_buffer.h"
#include "trace-capture/tracer/release.h"
#include "trace-capture/tracer/resume.h"
#include "trace-capture/tracer/thread_count.h"
#include "trace-capture/tracer/walks.h"
#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/code_cache.h"
#include "trace-capture/translate/translation.h"

#define STEPS_MAX       100000U
#define ALIGNMENT_CHECK 0x40000U /* the flag AC */

static uint64_t bit_of(int signal)
{
    return UINT64_C(1) << (signal - 1);
}

static int set_mask(struct ft_thread *thread, uint64_t mask, struct ft_diag *diag)
{
    if (ptrace(PTRACE_SETSIGMASK, thread->target.pid, sizeof mask, &mask) != 0)
        return ft_target_fail(diag, "the signal mask");
    return FT_OK;
}

int ft_signals_note_mask(struct ft_thread *thread, struct ft_diag *diag)
{
    uint64_t mask;
    if (ptrace(PTRACE_GETSIGMASK, thread->target.pid, sizeof mask, &mask) != 0)
        return ft_target_fail(diag, "the signal mask");
    ft_region_context(&thread->region)->signal_mask = mask;
    return FT_OK;
}

int ft_signals_init(struct ft_thread *thread, struct ft_diag *diag)
{
    struct ft_signal_sets sets;
    int status = ft_target_signal_sets(&thread->target, &sets, diag);
    if (status < 0)
        return status;
    if (sets.ignored & bit_of(SIGTRAP))
        thread->capture->trap_action.handler = (uint64_t)(uintptr_t)SIG_IGN;
    if (sets.ignored & bit_of(SIGSEGV))
        thread->capture->fault_action.handler = (uint64_t)(uintptr_t)SIG_IGN;
    return FT_OK;
}

int ft_signals_read_actions(struct ft_thread *thread, struct ft_diag *diag)
{
    static const int signals[] = {SIGTRAP, SIGSEGV};
    const uint64_t address = thread->region.address + sizeof(struct ft_context);
    int64_t result;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct ft_kernel_sigaction *action =
            signals[i] == SIGTRAP ? &thread->capture->trap_action : &thread->capture->fault_action;
        FT_TRY(ft_target_syscall(&thread->target, 0, SYS_rt_sigaction,
                                 (uint64_t[6]){(uint64_t)signals[i], 0, address, 8}, &result,
                                 diag));
        if (result == 0)
            memcpy(action, thread->region.host + sizeof(struct ft_context), sizeof *action);
    }
    return FT_OK;
}

bool ft_signals_resets(const struct ft_thread *thread, int signal)
{
    const struct ft_kernel_sigaction *action =
        signal == SIGTRAP ? &thread->capture->trap_action : &thread->capture->fault_action;
    uint64_t mask = ft_region_context(&thread->region)->signal_mask;
    return (mask & bit_of(signal)) || action->handler == (uint64_t)(uintptr_t)SIG_IGN;
}

int ft_signals_restore(struct ft_thread *thread, int signal, struct ft_diag *diag)
{
    const struct ft_context *context = ft_region_context(&thread->region);
    const struct ft_kernel_sigaction *action =
        signal == SIGTRAP ? &thread->capture->trap_action : &thread->capture->fault_action;
    /* the action goes into the context page, where the target can read it */
    uint64_t address = thread->region.address + sizeof(struct ft_context);
    memcpy(thread->region.host + sizeof(struct ft_context), action, sizeof *action);
    int64_t result;
    int status = ft_target_syscall(&thread->target, 0, SYS_rt_sigaction,
                                   (uint64_t[6]){(uint64_t)signal, address, 0, 8}, &result, diag);
    return status < 0 ? status : set_mask(thread, context->signal_mask, diag);
}

bool ft_signals_pending(const struct ft_thread *thread)
{
    struct ft_signal_sets sets;
    struct ft_diag diag;
    return ft_target_signal_sets(&thread->target, &sets, &diag) == FT_OK &&
           (sets.pending & (bit_of(SIGTRAP) | bit_of(SIGSEGV))) != 0;
}

/* A fault of the program: raised by an instruction, not sent. */
static bool is_fault(int signal, const siginfo_t *info)
{
    if (info->si_code <= 0)
        return false;
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL ||
           signal == SIGTRAP;
}

/* A signal that came up during a step: a fault of the translation is handled, a fault of the
 * program is delivered and ends the stepping, any other signal is held. */
static int take_step_signal(struct ft_thread *thread, int signal,
                            struct user_regs_struct *registers, bool *ret_ended,
                            struct ft_diag *diag)
{
    siginfo_t info;
    int status = ft_target_signal_info(&thread->target, &info, diag);
    if (status < 0)
        return status;
    if (signal == SIGSEGV) {
        bool is_ours;
        status =
            thread->capture->handlers->translation_stop(thread, signal, registers, &is_ours, diag);
        if (status < 0 || is_ours)
            return status;
    }
    if (!is_fault(signal, &info))
        return ft_target_hold_signal(&thread->target, &info, diag);
    if (signal == SIGTRAP)
        return FT_OK;
    *ret_ended = true;
    return ft_signals_deliver(thread, signal, registers, diag);
}

/* One step towards a clean point. At a stop of the translation the host handles it, because a step
 * would go past its int3. */
static int step_once(struct ft_thread *thread, uint64_t mask, struct user_regs_struct *registers,
                     bool *ret_ended, struct ft_diag *diag)
{
    const struct ft_stop *stop = ft_code_cache_stop(&thread->capture->cache, registers->rip);
    int status, wait_status;
    if (stop) {
        registers->rip++;
        status = thread->capture->handlers->at_stop(thread, stop, registers, diag);
        *ret_ended = thread->gone || thread->dying;
    } else {
        status = ft_target_step(&thread->target, 0, &wait_status, diag);
        if (status == FT_OK && ft_target_is_at_end(wait_status)) {
            *ret_ended = true;
            return thread->capture->handlers->end(thread, wait_status, diag);
        }
        if (status == FT_OK)
            status = ft_target_registers(&thread->target, registers, diag);
        if (status == FT_OK)
            status = take_step_signal(thread, WSTOPSIG(wait_status), registers, ret_ended, diag);
    }
    if (status < 0 || *ret_ended)
        return status;
    if (mask & bit_of(SIGTRAP)) /* the step has unblocked it */
        status = set_mask(thread, mask, diag);
    return status < 0 ? status : ft_target_registers(&thread->target, registers, diag);
}

int ft_signals_step_unaligned(struct ft_thread *thread, struct user_regs_struct *registers,
                              struct ft_diag *diag)
{
    uint64_t mask;
    bool ended = false;
    if (ptrace(PTRACE_GETSIGMASK, thread->target.pid, sizeof mask, &mask) != 0)
        return ft_target_fail(diag, "the signal mask");
    registers->eflags &= ~(unsigned long long)ALIGNMENT_CHECK;
    int status = ft_target_set_registers(&thread->target, registers, diag);
    if (status == FT_OK)
        status = step_once(thread, mask, registers, &ended, diag);
    if (status < 0 || ended)
        return status;
    registers->eflags |= ALIGNMENT_CHECK;
    return ft_target_set_registers(&thread->target, registers, diag);
}

int ft_signals_leave(struct ft_thread *thread, struct user_regs_struct *registers,
                     struct ft_app_state *ret_state, bool *ret_arrived, struct ft_diag *diag)
{
    uint64_t mask;
    bool ended = false;
    *ret_arrived = ft_app_state_recover(thread, registers, ret_state);
    if (*ret_arrived)
        return FT_OK;
    if (ptrace(PTRACE_GETSIGMASK, thread->target.pid, sizeof mask, &mask) != 0)
        return ft_target_fail(diag, "the signal mask");
    for (unsigned i = 0; i < STEPS_MAX; i++) {
        int status = step_once(thread, mask, registers, &ended, diag);
        if (status < 0 || ended)
            return status;
        *ret_arrived = ft_app_state_recover(thread, registers, ret_state);
        if (*ret_arrived)
            return FT_OK;
    }
    return ft_fail(diag, FT_ERROR_FAILURE, "the program could not be brought to a stop");
}

/* Lets the program die of a signal, with its own registers for the core dump. */
static int die(struct ft_thread *thread, int signal, const struct ft_app_state *state,
               struct ft_diag *diag)
{
    struct ft_walk_position left = state->left;
    FT_TRY(ft_walk_end(thread, &left, diag));
    FT_TRY(ft_target_set_registers(&thread->target, &state->registers, diag));
    ft_log_buffer_close(thread, state->log_pointer);
    thread->dying = true;
    return ft_thread_continue(thread, signal, diag);
}

/* The program ended in a step from the state. */
static int end_at(struct ft_thread *thread, const struct ft_app_state *state, int wait_status,
                  struct ft_diag *diag)
{
    ft_log_buffer_close(thread, state->log_pointer);
    thread->dying = true;
    return thread->capture->handlers->end(thread, wait_status, diag);
}

/* Steps the target, with the program's registers, into the signal's handler. At a stop in a system
 * call the kernel does not deliver the signal at once, but reports it again. If there is no room
 * for the frame, *signal becomes SIGSEGV, as in a native run. */
static int step_into_handler(struct ft_thread *thread, int *signal, siginfo_t info,
                             const struct ft_app_state *state, struct ft_diag *diag)
{
    struct ft_target *target = &thread->target;
    for (int inject = *signal;;) {
        int wait_status;
        siginfo_t met;
        if (inject && ptrace(PTRACE_SETSIGINFO, target->pid, 0, &info) != 0)
            return ft_target_fail(diag, "passing a signal on");
        int status = ft_target_step(target, inject, &wait_status, diag);
        if (status < 0)
            return status;
        if (ft_target_is_at_end(wait_status))
            return end_at(thread, state, wait_status, diag);
        status = ft_target_signal_info(target, &met, diag);
        if (status < 0)
            return status;
        int stop_signal = WSTOPSIG(wait_status);
        if (stop_signal == SIGTRAP &&
            met.si_code == SIGTRAP) /* at the handler: signal_setup_done */
            return FT_OK;
        if (stop_signal == SIGSEGV && met.si_code > 0) { /* the handler's stack is not there */
            *signal = SIGSEGV;
            info = met;
        }
        inject = stop_signal == *signal ? stop_signal : 0;
        if (!inject && (status = ft_target_hold_signal(target, &met, diag)) < 0)
            return status;
    }
}

/* Continues in the signal's handler, translated. */
static int enter_handler(struct ft_thread *thread, int signal, const siginfo_t *info,
                         const struct ft_app_state *state, struct ft_diag *diag)
{
    struct ft_walk_position left = state->left;
    FT_TRY(ft_walk_end(thread, &left, diag));
    FT_TRY(ft_target_set_registers(&thread->target, &state->registers, diag));
    FT_TRY(step_into_handler(thread, &signal, *info, state, diag));
    if (thread->gone || thread->dying)
        return FT_OK;
    struct ft_app_state handler = {.log_pointer = state->log_pointer};
    FT_TRY(ft_target_registers(&thread->target, &handler.registers, diag));
    FT_TRY(ft_signals_note_mask(thread, diag));
    uint64_t sequence =
        ft_drain_add_event(thread->capture->drain, &(struct ft_event){.kind = FT_EVENT_SIGNAL,
                                                                      .thread = thread->number,
                                                                      .a = (uint64_t)signal,
                                                                      .b = handler.registers.rip});
    ft_log_escape(thread, &handler.log_pointer, FT_ESCAPE_EVENT, sequence);
    ft_log_escape(thread, &handler.log_pointer, FT_ESCAPE_STACK, handler.registers.rsp);
    if ((state->registers.eflags ^ handler.registers.eflags) & 0x400)
        ft_log_escape(thread, &handler.log_pointer, FT_ESCAPE_DIRECTION,
                      (handler.registers.eflags & 0x400) != 0);
    return ft_app_state_resume(thread, &handler, diag);
}

/* Whether the default action is to stop or to ignore: then no clean point is needed. */
static bool stops_or_ignores(int signal)
{
    switch (signal) {
    case SIGCHLD:
    case SIGCONT:
    case SIGURG:
    case SIGWINCH:
        return true;
    default:
        return ft_target_is_stop_signal(signal);
    }
}

/* A held signal comes back as one that the host sent; the program gets its original description. */
static void recall_held(struct ft_thread *thread, int signal, siginfo_t *info)
{
    struct ft_target *target = &thread->target;
    for (size_t i = 0; i < target->held_count; i++) {
        if (target->held[i].info.si_signo == signal && info->si_code == SI_TKILL) {
            *info = target->held[i].info;
            target->held[i] = target->held[--target->held_count];
            return;
        }
    }
}

int ft_signals_deliver(struct ft_thread *thread, int signal, struct user_regs_struct *registers,
                       struct ft_diag *diag)
{
    siginfo_t info;
    struct ft_signal_sets sets;
    int status = ft_target_signal_info(&thread->target, &info, diag);
    if (status < 0)
        return status;
    recall_held(thread, signal, &info);
    status = ft_target_signal_sets(&thread->target, &sets, diag);
    if (status < 0)
        return status;
    bool caught = (sets.caught & bit_of(signal)) != 0;
    if (!caught && ((sets.ignored & bit_of(signal)) || stops_or_ignores(signal)))
        return ft_thread_continue(thread, signal, diag);

    struct ft_app_state state;
    const struct ft_translation *translation =
        ft_code_cache_at(&thread->capture->cache, registers->rip);
    if (is_fault(signal, &info) && translation) {
        ft_app_state_recover_at_fault(thread, translation, registers, &state);
        if (signal != SIGSEGV && signal != SIGBUS) /* there si_addr is the instruction itself */
            info.si_addr = (void *)(uintptr_t)state.registers.rip;
    } else {
        bool arrived;
        status = ft_signals_leave(thread, registers, &state, &arrived, diag);
        if (status == FT_OK && !arrived && !thread->gone && !thread->dying)
            status = ft_target_hold_signal(&thread->target, &info, diag);
        if (status < 0 || !arrived)
            return status;
    }
    if (caught) {
        status = enter_handler(thread, signal, &info, &state, diag);
        /* single steps may have reset them */
        if (status == FT_OK && !thread->gone && !thread->dying &&
            ft_signals_resets(thread, SIGTRAP))
            status = ft_signals_restore(thread, SIGTRAP, diag);
        return status < 0 || thread->gone || thread->dying ? status
                                                           : ft_thread_continue(thread, 0, diag);
    }
    return die(thread, signal, &state, diag);
}

int ft_signals_run_natively(struct ft_thread *thread, struct ft_app_state *state,
                            struct ft_diag *diag)
{
    struct ft_target *target = &thread->target;
    siginfo_t info;
    int wait_status, signal;
    FT_TRY(ft_walk_end(thread, &state->left, diag));
    FT_TRY(ft_target_set_registers(target, &state->registers, diag));
    for (;;) {
        FT_TRY(ft_target_step(target, 0, &wait_status, diag));
        if (ft_target_is_at_end(wait_status))
            return end_at(thread, state, wait_status, diag);
        FT_TRY(ft_target_signal_info(target, &info, diag));
        signal = WSTOPSIG(wait_status);
        if (is_fault(signal, &info))
            break;
        FT_TRY(ft_target_hold_signal(target, &info, diag));
    }
    FT_TRY(ft_target_registers(target, &state->registers, diag));
    if (signal == SIGTRAP && info.si_code == TRAP_TRACE)
        return ft_app_state_resume(thread, state, diag);
    struct ft_signal_sets sets;
    FT_TRY(ft_target_signal_sets(&thread->target, &sets, diag));
    if (sets.caught & bit_of(signal))
        return enter_handler(thread, signal, &info, state, diag);
    return die(thread, signal, state, diag);
}

#define IRETQ_WORDS 5
#define IRETQ_FLAGS 0x44dd5U /* that it loads: the status flags, DF, NT, AC */
#define NESTED_TASK 0x4000U
#define SINGLE_STEP 0x100U

int ft_signals_interrupt_return(struct ft_thread *thread, const struct ft_translation *translation,
                                struct ft_app_state *state, struct ft_diag *diag)
{
    struct user_regs_struct *registers = &state->registers;
    uint64_t words[IRETQ_WORDS]; /* RIP, CS, RFLAGS, RSP, SS */
    if (ft_target_read(&thread->target, registers->rsp, words, sizeof words) != sizeof words ||
        words[0] >> 47 || registers->eflags & NESTED_TASK)
        return ft_signals_run_natively(thread, state, diag);
    if (words[1] != registers->cs || words[4] != registers->ss || words[2] & SINGLE_STEP)
        return ft_thread_release(
            thread, state,
            "the program goes on behind iretq in another code segment, or "
            "steps through itself: the trace ends there; the program continues untraced",
            diag);
    if (thread->mode == FT_MODE_LOGGED) {
        memcpy(ft_log_at(thread, state->log_pointer), &translation->unit.id,
               sizeof translation->unit.id);
        state->log_pointer += sizeof translation->unit.id;
    }
    if (thread->capture->translator.counts[thread->mode])
        ft_count_add(thread, 1);
    state->left.left = FT_LEFT_WHOLE;
    int status = ft_walk_end(thread, &state->left, diag);
    if (status < 0)
        return status;
    bool was_down = (registers->eflags & 0x400) != 0, is_down = (words[2] & 0x400) != 0;
    registers->rip = words[0];
    registers->eflags = (registers->eflags & ~(uint64_t)IRETQ_FLAGS) | (words[2] & IRETQ_FLAGS);
    registers->rsp = words[3];
    ft_log_escape(thread, &state->log_pointer, FT_ESCAPE_STACK, registers->rsp);
    if (is_down != was_down)
        ft_log_escape(thread, &state->log_pointer, FT_ESCAPE_DIRECTION, is_down);
    return ft_app_state_resume(thread, state, diag);
}

int ft_signals_return(struct ft_thread *thread, struct ft_app_state *state, struct ft_diag *diag)
{
    uint64_t was_down = state->registers.eflags & 0x400;
    state->registers.rip = thread->target.syscall_gadget;
    state->registers.rax = SYS_rt_sigreturn;
    FT_TRY(ft_walk_end(thread, &state->left, diag));
    FT_TRY(ft_target_set_registers(&thread->target, &state->registers, diag));
    FT_TRY(ft_target_run_call(&thread->target, diag));
    FT_TRY(ft_target_registers(&thread->target, &state->registers, diag));
    FT_TRY(ft_signals_note_mask(thread, diag));
    uint64_t sequence = ft_drain_add_event(
        thread->capture->drain,
        &(struct ft_event){.kind = FT_EVENT_SIGNAL_RETURN, .thread = thread->number});
    ft_log_escape(thread, &state->log_pointer, FT_ESCAPE_EVENT, sequence);
    ft_log_escape(thread, &state->log_pointer, FT_ESCAPE_STACK, state->registers.rsp);
    if ((state->registers.eflags & 0x400) != was_down)
        ft_log_escape(thread, &state->log_pointer, FT_ESCAPE_DIRECTION, was_down == 0);
    return ft_app_state_resume(thread, state, diag);
}
