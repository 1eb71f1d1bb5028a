/*
 * A library for LD_PRELOAD under which foretrace learns that a thread or process was made only when
 * nothing else has happened for a while. The kernel promises no order between threads: under load a
 * thread's whole life may be reported before the clone that made it.
 */
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HELD_MAX = 64, QUIET_MS = 5 };

static struct {
    pid_t pid;
    int status;
} held[HELD_MAX];
static int held_count;

/* The programs that foretrace starts do not inherit this. */
__attribute__((constructor)) static void start(void)
{
    unsetenv("LD_PRELOAD");
}

static pid_t wait_of_system(pid_t pid, int *status, int options)
{
    return (pid_t)syscall(SYS_wait4, pid, status, options, NULL);
}

/* The next event but clones; 0: there was none for a while. */
static pid_t wait_for_others(int *status, int options)
{
    for (int quiet_ms = 0;;) {
        pid_t pid = wait_of_system(-1, status, held_count > 0 ? options | WNOHANG : options);
        if (pid > 0 && WIFSTOPPED(*status) && *status >> 16 == PTRACE_EVENT_CLONE &&
            held_count < HELD_MAX) {
            held[held_count].pid = pid;
            held[held_count++].status = *status;
        } else if (pid != 0) {
            return pid;
        } else if (quiet_ms++ == QUIET_MS) {
            return 0;
        } else {
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        }
    }
}

pid_t waitpid(pid_t pid, int *status, int options)
{
    if (pid != -1 || options & WNOHANG)
        return wait_of_system(pid, status, options);
    pid_t found = wait_for_others(status, options);
    if (found != 0)
        return found;
    *status = held[--held_count].status;
    return held[held_count].pid;
}
