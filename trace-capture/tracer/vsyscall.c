/*
 * The vsyscall page, 0xffffffffff600000, serves static programs from before the vDSO: it has no
 * readable code, only the entries of three functions, at which the kernel makes a system call and
 * returns. A single step there would end at the instruction after the call, which must be
 * translated, so the host makes the call. If the kernel cannot write the result, the program gets a
 * SIGSEGV.
 */
#include "trace-capture/tracer/vsyscall.h"

#include <errno.h>
#include <sys/syscall.h>

#include "trace-capture/target/target.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/log_buffer.h"
#include "trace-capture/tracer/mappings.h"
#include "trace-capture/tracer/walks.h"

#define VSYSCALL_PAGE 0xffffffffff600000U

int ft_vsyscall(struct ft_thread *thread, struct ft_app_state *state, bool *ret_done,
                struct ft_diag *diag)
{
    static const long numbers[] = {SYS_gettimeofday, SYS_time, SYS_getcpu};
    struct user_regs_struct *registers = &state->registers;
    uint64_t offset = registers->rip - VSYSCALL_PAGE, caller;
    int64_t result;
    *ret_done = false;
    if (offset % 0x400 != 0 || offset / 0x400 >= sizeof numbers / sizeof *numbers ||
        !ft_mappings_find(thread->capture, registers->rip) ||
        ft_target_read(&thread->target, registers->rsp, &caller, sizeof caller) != sizeof caller)
        return FT_OK;
    int status = ft_target_syscall(&thread->target, 0, numbers[offset / 0x400],
                                   (uint64_t[6]){registers->rdi, registers->rsi, registers->rdx},
                                   &result, diag);
    if (status < 0 || result == -EFAULT)
        return status;
    registers->rax = (unsigned long long)result;
    registers->rip = caller;
    registers->rsp += sizeof caller;
    status = ft_walk_end(thread, &state->left, diag);
    ft_log_escape(thread, &state->log_pointer, FT_ESCAPE_STACK, registers->rsp);
    *ret_done = true;
    return status;
}
