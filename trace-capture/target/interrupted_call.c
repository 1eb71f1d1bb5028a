/*
 * The numbers of the errors are the kernel's own (include/linux/errno.h), which programs never see.
 * Calls with a time limit that the kernel does not keep (epoll_wait, semtimedop) wait for all of it
 * again.
 */
#include "trace-capture/target/interrupted_call.h"

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>

#define RESTART_ALWAYS     512 /* ERESTARTSYS */
#define RESTART_NO_SIGNAL  513 /* ERESTARTNOINTR */
#define RESTART_NO_HANDLER 514 /* ERESTARTNOHAND */
#define RESTART_BLOCK      516 /* ERESTART_RESTARTBLOCK: by restart_syscall */

/* Whether a call fails with EINTR after any stop (signal(7)), and has then done nothing. */
static bool is_never_restarted(uint64_t number)
{
    switch (number) {
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
    case SYS_rt_sigtimedwait:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_msgrcv:
    case SYS_msgsnd:
    case SYS_io_getevents:
    case SYS_io_pgetevents:
    case SYS_io_uring_enter:
    case SYS_read: /* of sockets with SO_RCVTIMEO, SO_SNDTIMEO; of inotify */
    case SYS_readv:
    case SYS_write:
    case SYS_writev:
    case SYS_accept:
    case SYS_accept4:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
        return true;
    default:
        return false;
    }
}

bool ft_interrupted_call_rewind(struct user_regs_struct *registers)
{
    const int64_t number = (int64_t)registers->orig_rax, result = (int64_t)registers->rax;
    if (number < 0)
        return false;
    switch (-result) {
    case RESTART_ALWAYS:
    case RESTART_NO_SIGNAL:
    case RESTART_NO_HANDLER:
        registers->rax = registers->orig_rax;
        break;
    case RESTART_BLOCK:
        registers->rax = SYS_restart_syscall;
        break;
    case EINTR:
        if (!is_never_restarted(registers->orig_rax))
            return false;
        registers->rax = registers->orig_rax;
        break;
    default:
        return false;
    }
    registers->rip -= 2;
    registers->orig_rax = (unsigned long long)-1;
    return true;
}
