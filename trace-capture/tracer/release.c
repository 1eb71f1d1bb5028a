#include "trace-capture/tracer/release.h"

#include <errno.h>
#include <stdio.h>
#include <sys/ptrace.h>

#include "trace-capture/target/interrupted_call.h"
#include "trace-capture/target/rseq.h"
#include "trace-capture/target/target.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/cpu_time.h"
#include "trace-capture/tracer/log_buffer.h"
#include "trace-capture/tracer/walks.h"
#include "trace-capture/tracer/windows.h"

/* A system call that was interrupted for this is made again: by the kernel, if a signal is to be
 * delivered first. */
static int make_native(struct ft_thread *thread, const struct user_regs_struct *from,
                       struct ft_diag *diag)
{
    struct ft_target *target = &thread->target;
    struct user_regs_struct registers = *from;
    if (target->rseq.address || !ft_target_has_signal(target))
        ft_interrupted_call_rewind(&registers);
    FT_TRY(ft_target_set_registers(target, &registers, diag));
    FT_TRY(ft_rseq_resume(target, diag));
    for (size_t i = 0; i < target->held_count; i++)
        target->held[i].is_sent = false;
    ft_target_send_held(target);
    return FT_OK;
}

int ft_thread_detach(struct ft_thread *thread, const struct ft_app_state *state,
                     struct ft_diag *diag)
{
    struct ft_walk_position left = state->left;
    ft_log_buffer_close(thread, state->log_pointer);
    FT_TRY(ft_walk_end(thread, &left, diag));
    ft_capture_note_cpu(thread->capture);
    FT_TRY(make_native(thread, &state->registers, diag));
    if (ptrace(PTRACE_DETACH, thread->target.pid, 0, 0) != 0)
        return ft_target_fail(diag, "detaching from the program");
    ft_windows_end_thread(thread);
    thread->gone = true;
    return FT_OK;
}

int ft_thread_release(struct ft_thread *thread, const struct ft_app_state *state,
                      const char *reason, struct ft_diag *diag)
{
    int status = ft_thread_detach(thread, state, diag);
    ft_capture_release_all(thread->capture, reason);
    return status;
}

int ft_thread_give_up(struct ft_thread *thread, const struct ft_app_state *state,
                      const struct ft_diag *failure, struct ft_diag *diag)
{
    int status = ft_thread_detach(thread, state, diag);
    ft_capture_give_up_all(thread->capture, failure);
    return status;
}

void ft_capture_release_all(struct ft_capture *capture, const char *reason)
{
    if (!capture->releasing)
        snprintf(capture->end_reason, sizeof capture->end_reason, "%s", reason);
    capture->releasing = true;
    for (size_t i = 0; i < capture->thread_count; i++)
        if (!capture->threads[i]->gone)
            ptrace(PTRACE_INTERRUPT, capture->threads[i]->target.pid, 0, 0);
}

void ft_capture_give_up_all(struct ft_capture *capture, const struct ft_diag *failure)
{
    char reason[sizeof capture->end_reason];
    snprintf(reason, sizeof reason, "%.400s: the trace ends there; the program continues untraced",
             failure->message);
    ft_capture_release_all(capture, reason);
}

int ft_thread_continue(struct ft_thread *thread, int signal, struct ft_diag *diag)
{
    if (ptrace(PTRACE_CONT, thread->target.pid, 0, signal) != 0 && errno != ESRCH)
        return ft_target_fail(diag, "continuing the program");
    if (thread->capture->releasing ||
        ft_windows_is_pending(thread)) /* an earlier one may have been used up meanwhile */
        ptrace(PTRACE_INTERRUPT, thread->target.pid, 0, 0);
    return FT_OK;
}
