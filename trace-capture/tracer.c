/*
 * The tracing loop: waits for the target's next stop and hands it to who knows about it. Stops of
 * the translation itself (an exit not linked yet, an unknown indirect destination, a full log
 * buffer) are the frequent ones.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace-capture/capture.h"

/* A direct exit is taken for the first time. */
static int stop_at_link(struct ft_capture *capture, const struct ft_stop *stop,
                        struct user_regs_struct *registers, struct ft_diag *diag)
{
    struct ft_link *link = &stop->translation->links[stop->link];
    int status;
    if (link->instructions) { /* what the stub is going to do */
        status = ft_translate_prefix(&capture->translator, stop->translation, link, diag);
        if (status < 0)
            return status;
        memcpy(ft_code_cache_host(&capture->cache, registers->r11), &link->prefix,
               sizeof link->prefix);
        registers->r11 += link->record_bytes;
    }
    struct ft_translation *to = ft_code_cache_find(&capture->cache, link->target_pc);
    if (!to) {
        struct ft_diag reason = {0};
        struct ft_way_in way_in = {.side_exit = link};
        status = ft_translate(&capture->translator, link->target_pc,
                              link->instructions ? &way_in : NULL, &to, &reason);
        if (status < 0) { /* told again, and dealt with, from the program's own state */
            struct ft_program_state state;
            ft_program_leave_stop(capture, registers, stop, &state);
            return ft_program_enter(capture, &state, diag);
        }
    }
    if (!link->linked)
        ft_code_cache_link(&capture->cache, link, to);
    registers->rip = to->entry;
    return ft_target_set_registers(&capture->target, registers, diag);
}

static int stop_at_miss(struct ft_capture *capture, const struct ft_stop *stop,
                        struct user_regs_struct *registers, struct ft_diag *diag)
{
    struct ft_program_state state;
    ft_program_leave_stop(capture, registers, stop, &state);
    uint64_t pc = state.registers.rip;
    struct ft_translation *translation = ft_code_cache_find(&capture->cache, pc);
    struct ft_way_in way_in = {.is_indirect = true};
    int status = FT_OK;
    if (!translation)
        ft_translate(&capture->translator, pc, &way_in, &translation, NULL); /* else told below */
    else if (!translation->has_landing)
        status = ft_code_cache_land(&capture->cache, translation, diag);
    return status < 0 ? status : ft_program_enter(capture, &state, diag);
}

/* Whether a SIGSEGV is a fault on the guard behind the log. If the program has blocked SIGSEGV and
 * one is pending, the kernel gives that one's description with the fault: it is held, and the log
 * pointer decides. */
static int is_log_fault(struct ft_capture *capture, struct user_regs_struct *registers,
                        bool *ret_is, struct ft_diag *diag)
{
    const struct ft_translation *translation = ft_code_cache_at(&capture->cache, registers->rip);
    siginfo_t info;
    *ret_is = false;
    if (!translation)
        return FT_OK;
    if (ptrace(PTRACE_GETSIGINFO, capture->target.pid, 0, &info) != 0)
        return ft_fail(diag, FT_ERROR_FAILURE, "ptrace: reading a signal: %s", strerror(errno));
    if (info.si_code > 0) {
        *ret_is = ft_log_buffer_guards(capture, (uint64_t)(uintptr_t)info.si_addr);
        return FT_OK;
    }
    uint64_t pointer = *ft_register_of(registers, translation->pointer);
    if (!ft_signals_resets(capture, SIGSEGV) ||
        !ft_log_buffer_guards(capture, pointer + FT_LOG_RECORD_BYTES_MAX))
        return FT_OK;
    *ret_is = true;
    return ft_target_hold_signal(&capture->target, &info, diag);
}

/* The same for an int3: a SIGTRAP that was sent while the program blocked it may have come along.
 */
static int hold_sent_trap(struct ft_capture *capture, struct ft_diag *diag)
{
    siginfo_t info;
    if (!ft_signals_resets(capture, SIGTRAP))
        return FT_OK;
    if (ptrace(PTRACE_GETSIGINFO, capture->target.pid, 0, &info) != 0)
        return ft_fail(diag, FT_ERROR_FAILURE, "ptrace: reading a signal: %s", strerror(errno));
    return info.si_code > 0 ? FT_OK : ft_target_hold_signal(&capture->target, &info, diag);
}

int ft_tracer_at_stop(struct ft_capture *capture, const struct ft_stop *stop,
                      struct user_regs_struct *registers, struct ft_diag *diag)
{
    const struct ft_stop copy = *stop; /* the table may move */
    switch (copy.kind) {
    case FT_STOP_LINK:
        return stop_at_link(capture, &copy, registers, diag);
    case FT_STOP_MISS:
        return stop_at_miss(capture, &copy, registers, diag);
    case FT_STOP_SYSCALL:
        return ft_system_call(capture, registers, &copy, diag);
    default: {
        struct ft_program_state state;
        ft_program_leave_stop(capture, registers, &copy, &state);
        return ft_signals_run_natively(capture, &state, diag);
    }
    }
}

int ft_tracer_own_stop(struct ft_capture *capture, int signal, struct user_regs_struct *registers,
                       bool *ret_own, struct ft_diag *diag)
{
    int status;
    *ret_own = true;
    if (signal == SIGSEGV) {
        status = is_log_fault(capture, registers, ret_own, diag);
        if (status < 0 || !*ret_own)
            return status;
        status = ft_log_buffer_full(capture, registers, diag);
        return status < 0 ? status : ft_target_set_registers(&capture->target, registers, diag);
    }
    const struct ft_stop *stop =
        signal == SIGTRAP ? ft_code_cache_stop(&capture->cache, registers->rip - 1) : NULL;
    if (!stop) {
        *ret_own = false;
        return FT_OK;
    }
    status = hold_sent_trap(capture, diag);
    return status < 0 ? status : ft_tracer_at_stop(capture, stop, registers, diag);
}

/* The target is about to be gone: what it logged up to here is kept. */
static int stop_at_exit(struct ft_capture *capture, struct ft_diag *diag)
{
    struct user_regs_struct registers;
    int status = ft_target_registers(&capture->target, &registers, diag);
    if (status < 0)
        return status;
    if (!capture->dying) {
        struct ft_program_state state;
        const struct ft_translation *translation = ft_code_cache_at(&capture->cache, registers.rip);
        if (ft_program_leave(capture, &registers, &state))
            ft_log_buffer_close(capture, state.log_pointer);
        else if (ft_log_buffer_holds(capture, registers.r11))
            ft_log_buffer_close(capture, registers.r11);
        else if (translation) /* killed in the midst of a unit: its record is not whole */
            ft_log_buffer_close(capture, *ft_register_of(&registers, translation->pointer));
        capture->dying = true;
    }
    return ft_program_continue(capture, 0, diag);
}

static int stop_of_group(struct ft_capture *capture, int signal, struct ft_diag *diag)
{
    bool is_stop = signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
    if (is_stop && ptrace(PTRACE_LISTEN, capture->target.pid, 0, 0) == 0)
        return FT_OK;
    return ft_program_continue(capture, 0, diag);
}

/* Signals that the kernel handed over at an inconvenient time are sent again. */
static void resend_held(struct ft_capture *capture)
{
    for (size_t i = 0; i < capture->target.held_count; i++) {
        struct ft_held_signal *held = &capture->target.held[i];
        if (!held->is_sent)
            syscall(SYS_tgkill, capture->target.pid, capture->target.pid, held->info.si_signo);
        held->is_sent = true;
    }
}

static int handle_stop(struct ft_capture *capture, int wait_status, struct ft_diag *diag)
{
    int signal = WSTOPSIG(wait_status);
    int event = wait_status >> 16;
    if (event == PTRACE_EVENT_STOP)
        return stop_of_group(capture, signal, diag);
    struct user_regs_struct registers;
    int status = ft_target_registers(&capture->target, &registers, diag);
    if (status < 0)
        return status;
    bool own,
        resets = (signal == SIGTRAP || signal == SIGSEGV) && ft_signals_resets(capture, signal);
    status = ft_tracer_own_stop(capture, signal, &registers, &own, diag);
    if (status < 0 || capture->finished || capture->dying)
        return status;
    if (!own) {
        status = ft_signals_deliver(capture, signal, &registers, diag);
        if (!capture->finished)
            resend_held(capture);
        return status;
    }
    if (resets && (status = ft_signals_restore(capture, signal, diag)) < 0)
        return status;
    resend_held(capture);
    return ft_program_continue(capture, 0, diag);
}

int ft_tracer_end(struct ft_capture *capture, int wait_status, struct ft_diag *diag)
{
    if (WIFSTOPPED(wait_status))
        return stop_at_exit(capture, diag);
    capture->wait_status = wait_status;
    capture->finished = true;
    return FT_OK;
}

static void tell_end(struct ft_capture *capture)
{
    int status = capture->wait_status;
    if (WIFEXITED(status))
        snprintf(capture->end_reason, sizeof capture->end_reason,
                 "the program exited with status %d", WEXITSTATUS(status));
    else if (WIFSIGNALED(status))
        snprintf(capture->end_reason, sizeof capture->end_reason,
                 "the program was killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
}

int ft_tracer_run(struct ft_capture *capture, struct ft_diag *diag)
{
    int status = ft_program_continue(capture, 0, diag);
    while (status == FT_OK && !capture->finished) {
        int wait_status;
        pid_t pid = waitpid(capture->target.pid, &wait_status, __WALL);
        if (pid < 0 && errno == EINTR)
            continue;
        if (pid < 0)
            return ft_fail(diag, FT_ERROR_FAILURE, "waiting for the program: %s", strerror(errno));
        status = ft_target_is_at_end(wait_status) ? ft_tracer_end(capture, wait_status, diag)
                                                  : handle_stop(capture, wait_status, diag);
    }
    if (status == FT_OK && !capture->end_reason[0])
        tell_end(capture);
    return status;
}
