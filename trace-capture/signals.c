/*
 * Signals of the program. The kernel must build a handler's frame from the program's own
 * registers, so a signal is delivered at a clean point, with the target made to look native for a
 * moment: it is stepped with the signal, stops at the handler's first instruction, and goes on in
 * translated code there. rt_sigreturn goes the same way back.
 *
 * Asynchronous signals: the target is first stepped to the next clean point. Interrupted system
 * calls are clean points already, and restart as the kernel decides, from the program's own rip.
 * Synchronous ones (a fault of the program) are delivered at the faulting instruction itself.
 *
 * Stops of the translation are SIGTRAP and SIGSEGV. If the program blocks or ignores these the
 * kernel, before a tracer sees the stop, unblocks them and resets their action; both are restored
 * from what emitted code (the mask) and rt_sigaction stops (the action) have noted.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "trace-capture/capture.h"

#define STEPS_MAX 100000U

static uint64_t bit_of(int signal)
{
    return UINT64_C(1) << (signal - 1);
}

static int fail_ptrace(struct ft_diag *diag, const char *what)
{
    return ft_fail(diag, FT_ERROR_FAILURE, "ptrace: %s: %s", what, strerror(errno));
}

static int set_mask(struct ft_capture *capture, uint64_t mask, struct ft_diag *diag)
{
    if (ptrace(PTRACE_SETSIGMASK, capture->target.pid, sizeof mask, &mask) != 0)
        return fail_ptrace(diag, "the signal mask");
    return FT_OK;
}

static int note_mask(struct ft_capture *capture, struct ft_diag *diag)
{
    uint64_t mask;
    if (ptrace(PTRACE_GETSIGMASK, capture->target.pid, sizeof mask, &mask) != 0)
        return fail_ptrace(diag, "the signal mask");
    ft_code_cache_context(&capture->cache)->signal_mask = mask;
    return FT_OK;
}

int ft_signals_init(struct ft_capture *capture, struct ft_diag *diag)
{
    struct ft_signal_sets sets;
    int status = ft_target_signal_sets(&capture->target, &sets, diag);
    if (status < 0)
        return status;
    if (sets.ignored & bit_of(SIGTRAP))
        capture->trap_action.handler = (uint64_t)(uintptr_t)SIG_IGN;
    if (sets.ignored & bit_of(SIGSEGV))
        capture->fault_action.handler = (uint64_t)(uintptr_t)SIG_IGN;
    return note_mask(capture, diag);
}

bool ft_signals_resets(const struct ft_capture *capture, int signal)
{
    const struct ft_kernel_sigaction *action =
        signal == SIGTRAP ? &capture->trap_action : &capture->fault_action;
    uint64_t mask = ft_code_cache_context(&capture->cache)->signal_mask;
    return (mask & bit_of(signal)) || action->handler == (uint64_t)(uintptr_t)SIG_IGN;
}

int ft_signals_restore(struct ft_capture *capture, int signal, struct ft_diag *diag)
{
    const struct ft_context *context = ft_code_cache_context(&capture->cache);
    const struct ft_kernel_sigaction *action =
        signal == SIGTRAP ? &capture->trap_action : &capture->fault_action;
    /* the action goes into the context page, where the target can read it */
    uint64_t address = capture->cache.context_address + sizeof(struct ft_context);
    memcpy(capture->cache.context_host + sizeof(struct ft_context), action, sizeof *action);
    int64_t result;
    int status = ft_target_syscall(&capture->target, 0, SYS_rt_sigaction,
                                   (uint64_t[6]){(uint64_t)signal, address, 0, 8}, &result, diag);
    return status < 0 ? status : set_mask(capture, context->signal_mask, diag);
}

/* A signal that was sent, and blocked perhaps, comes up between steps: it is for later. */
static int hold_if_sent(struct ft_capture *capture, bool *ret_sent, struct ft_diag *diag)
{
    siginfo_t info;
    if (ptrace(PTRACE_GETSIGINFO, capture->target.pid, 0, &info) != 0)
        return fail_ptrace(diag, "reading a signal");
    *ret_sent = info.si_code <= 0;
    return *ret_sent ? ft_target_hold_signal(&capture->target, diag) : FT_OK;
}

/* Steps the target to a clean point. Asynchronous signals are kept out meanwhile; a fault of the
 * program on the way is delivered and ends the way at its handler. */
static int step_to_clean(struct ft_capture *capture, struct user_regs_struct *registers,
                         struct ft_program_state *ret_state, bool *ret_arrived,
                         struct ft_diag *diag)
{
    *ret_arrived = true;
    if (ft_program_leave(capture, registers, ret_state))
        return FT_OK;
    uint64_t mask;
    if (ptrace(PTRACE_GETSIGMASK, capture->target.pid, sizeof mask, &mask) != 0)
        return fail_ptrace(diag, "the signal mask");
    uint64_t synchronous =
        bit_of(SIGTRAP) | bit_of(SIGSEGV) | bit_of(SIGBUS) | bit_of(SIGFPE) | bit_of(SIGILL);
    int status = set_mask(capture, ~synchronous, diag);
    for (unsigned i = 0; status == FT_OK && i < STEPS_MAX; i++) {
        int wait_status;
        status = ft_target_step(&capture->target, 0, &wait_status, diag);
        if (status < 0)
            break;
        if (!WIFSTOPPED(wait_status)) {
            capture->finished = true;
            capture->wait_status = wait_status;
            *ret_arrived = false;
            return FT_OK;
        }
        status = ft_target_registers(&capture->target, registers, diag);
        if (status < 0)
            break;
        bool own = false, sent;
        int stop_signal = WSTOPSIG(wait_status);
        status = hold_if_sent(capture, &sent, diag);
        if (status < 0)
            break;
        if (sent && stop_signal != SIGTRAP) /* one that came with a step is a step all the same */
            continue;
        if (stop_signal == SIGSEGV || ft_code_cache_stop(&capture->cache, registers->rip)) {
            if (stop_signal == SIGTRAP) { /* before an int3 of ours: as if it had been run */
                registers->rip++;
            }
            status = ft_tracer_own_stop(capture, stop_signal, registers, &own, diag);
            if (status < 0 || capture->finished) {
                *ret_arrived = false;
                return status;
            }
            if (own)
                status = ft_target_registers(&capture->target, registers, diag);
        }
        if (!own && stop_signal != SIGTRAP) { /* the program's own fault comes first */
            status = set_mask(capture, mask, diag);
            *ret_arrived = false;
            return status < 0 ? status : ft_signals_deliver(capture, stop_signal, registers, diag);
        }
        if (status == FT_OK && ft_program_leave(capture, registers, ret_state))
            return set_mask(capture, mask, diag);
    }
    return status < 0
               ? status
               : ft_fail(diag, FT_ERROR_FAILURE, "the program could not be brought to a stop");
}

/* Steps the native-looking target with the signal into its handler and goes on translated. */
static int enter_handler(struct ft_capture *capture, int signal, const siginfo_t *info,
                         const struct ft_program_state *state, struct ft_diag *diag)
{
    int status = ft_target_set_registers(&capture->target, &state->registers, diag);
    if (status < 0)
        return status;
    if (ptrace(PTRACE_SETSIGINFO, capture->target.pid, 0, info) != 0)
        return fail_ptrace(diag, "passing a signal on");
    int wait_status;
    status = ft_target_step(&capture->target, signal, &wait_status, diag);
    if (status < 0)
        return status;
    struct ft_program_state handler = {.log_pointer = state->log_pointer};
    if (!WIFSTOPPED(wait_status) || wait_status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8)) {
        ft_log_buffer_close(capture, state->log_pointer);
        capture->finished = true;
        capture->wait_status = wait_status;
        return FT_OK;
    }
    status = ft_target_registers(&capture->target, &handler.registers, diag);
    if (status == FT_OK)
        status = note_mask(capture, diag);
    if (status < 0)
        return status;
    uint64_t sequence =
        ft_drain_add_event(capture->drain, &(struct ft_event){.kind = FT_EVENT_SIGNAL,
                                                              .a = (uint64_t)signal,
                                                              .b = handler.registers.rip});
    ft_log_escape(capture, &handler.log_pointer, FT_ESCAPE_EVENT, sequence);
    ft_log_escape(capture, &handler.log_pointer, FT_ESCAPE_STACK, handler.registers.rsp);
    if ((state->registers.eflags ^ handler.registers.eflags) & 0x400)
        ft_log_escape(capture, &handler.log_pointer, FT_ESCAPE_DIRECTION,
                      (handler.registers.eflags & 0x400) != 0);
    return ft_program_enter(capture, &handler, diag);
}

/* Whether the signal stops or is ignored by default: then it needs no clean point. */
static bool passes_by(int signal)
{
    switch (signal) {
    case SIGCHLD:
    case SIGCONT:
    case SIGURG:
    case SIGWINCH:
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
        return true;
    default:
        return false;
    }
}

/* A fault of the program: raised by an instruction, not sent. */
static bool is_fault(int signal, const siginfo_t *info)
{
    if (info->si_code <= 0)
        return false;
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL ||
           signal == SIGTRAP;
}

/* A held signal comes again as one that the host sent; its own description is the one to pass on.
 */
static void recall_held(struct ft_capture *capture, int signal, siginfo_t *info)
{
    struct ft_target *target = &capture->target;
    for (size_t i = 0; i < target->held_count; i++) {
        if (target->held[i].info.si_signo == signal && info->si_code == SI_TKILL) {
            *info = target->held[i].info;
            target->held[i] = target->held[--target->held_count];
            return;
        }
    }
}

int ft_signals_deliver(struct ft_capture *capture, int signal, struct user_regs_struct *registers,
                       struct ft_diag *diag)
{
    siginfo_t info;
    struct ft_signal_sets sets;
    if (ptrace(PTRACE_GETSIGINFO, capture->target.pid, 0, &info) != 0)
        return fail_ptrace(diag, "reading a signal");
    recall_held(capture, signal, &info);
    int status = ft_target_signal_sets(&capture->target, &sets, diag);
    if (status < 0)
        return status;
    bool caught = (sets.caught & bit_of(signal)) != 0;
    if (!caught && ((sets.ignored & bit_of(signal)) || passes_by(signal)))
        return ft_program_continue(capture, signal, diag);

    struct ft_program_state state;
    const struct ft_translation *translation = ft_code_cache_at(&capture->cache, registers->rip);
    if (is_fault(signal, &info) && translation) {
        ft_program_leave_fault(capture, translation, registers, &state);
        if (signal != SIGSEGV && signal != SIGBUS) /* there si_addr is the instruction itself */
            info.si_addr = (void *)(uintptr_t)state.registers.rip;
    } else {
        bool arrived;
        status = step_to_clean(capture, registers, &state, &arrived, diag);
        if (status < 0 || !arrived)
            return status;
    }
    if (caught) {
        status = enter_handler(capture, signal, &info, &state, diag);
        /* there may have been steps */
        if (status == FT_OK && !capture->finished && !capture->dying &&
            ft_signals_resets(capture, SIGTRAP))
            status = ft_signals_restore(capture, SIGTRAP, diag);
        return status < 0 || capture->finished || capture->dying
                   ? status
                   : ft_program_continue(capture, 0, diag);
    }
    /* the program dies of it, with its own registers for a core dump */
    status = ft_target_set_registers(&capture->target, &state.registers, diag);
    if (status < 0)
        return status;
    ft_log_buffer_close(capture, state.log_pointer);
    capture->dying = true;
    return ft_program_continue(capture, signal, diag);
}

int ft_signals_run_natively(struct ft_capture *capture, struct ft_program_state *state,
                            struct ft_diag *diag)
{
    int status = ft_target_set_registers(&capture->target, &state->registers, diag);
    int wait_status = 0;
    if (status == FT_OK)
        status = ft_target_step(&capture->target, 0, &wait_status, diag);
    if (status < 0)
        return status;
    if (!WIFSTOPPED(wait_status)) {
        ft_log_buffer_close(capture, state->log_pointer);
        capture->finished = true;
        capture->wait_status = wait_status;
        return FT_OK;
    }
    siginfo_t info;
    if (ptrace(PTRACE_GETSIGINFO, capture->target.pid, 0, &info) != 0)
        return fail_ptrace(diag, "reading a signal");
    status = ft_target_registers(&capture->target, &state->registers, diag);
    if (status < 0)
        return status;
    int signal = WSTOPSIG(wait_status);
    if (signal == SIGTRAP && info.si_code == TRAP_TRACE)
        return ft_program_enter(capture, state, diag);
    struct ft_signal_sets sets;
    status = ft_target_signal_sets(&capture->target, &sets, diag);
    if (status < 0)
        return status;
    if (sets.caught & bit_of(signal))
        return enter_handler(capture, signal, &info, state, diag);
    ft_log_buffer_close(capture, state->log_pointer);
    capture->dying = true;
    return ft_program_continue(capture, signal, diag);
}

int ft_signals_return(struct ft_capture *capture, struct ft_program_state *state,
                      struct ft_diag *diag)
{
    uint64_t was_down = state->registers.eflags & 0x400;
    state->registers.rip = capture->target.syscall_gadget;
    state->registers.rax = SYS_rt_sigreturn;
    int status = ft_target_set_registers(&capture->target, &state->registers, diag);
    if (status == FT_OK)
        status = ft_target_run_call(&capture->target, diag);
    if (status == FT_OK)
        status = ft_target_registers(&capture->target, &state->registers, diag);
    if (status == FT_OK)
        status = note_mask(capture, diag);
    if (status < 0)
        return status;
    uint64_t sequence =
        ft_drain_add_event(capture->drain, &(struct ft_event){.kind = FT_EVENT_SIGNAL_RETURN});
    ft_log_escape(capture, &state->log_pointer, FT_ESCAPE_EVENT, sequence);
    ft_log_escape(capture, &state->log_pointer, FT_ESCAPE_STACK, state->registers.rsp);
    if ((state->registers.eflags & 0x400) != was_down)
        ft_log_escape(capture, &state->log_pointer, FT_ESCAPE_DIRECTION, was_down == 0);
    return ft_program_enter(capture, state, diag);
}
