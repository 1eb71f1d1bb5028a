#include "trace-capture/target/process_check.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace-capture/target/program_file.h"

struct process_status { /* of its file in /proc */
    long process, tracer, user;
    char state;
    bool is_there, has_memory;
};

static struct process_status read_status(pid_t pid)
{
    struct process_status status = {0};
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    status.is_there = file != NULL;
    while (file && fgets(line, sizeof line, file)) {
        char *value = strchr(line, ':');
        if (!value)
            continue;
        *value++ = 0;
        if (strcmp(line, "State") == 0)
            status.state = value[strspn(value, " \t")];
        else if (strcmp(line, "Tgid") == 0)
            status.process = strtol(value, NULL, 10);
        else if (strcmp(line, "TracerPid") == 0)
            status.tracer = strtol(value, NULL, 10);
        else if (strcmp(line, "Uid") == 0)
            status.user = strtol(value, NULL, 10);
        else if (strcmp(line, "VmSize") == 0)
            status.has_memory = true;
    }
    if (file)
        fclose(file);
    return status;
}

static int fail_traced(pid_t pid, long tracer, struct ft_diag *diag)
{
    char path[64], name[64] = "";
    snprintf(path, sizeof path, "/proc/%ld/comm", tracer);
    FILE *file = fopen(path, "re");
    if (file && !fgets(name, sizeof name, file))
        name[0] = 0;
    if (file)
        fclose(file);
    name[strcspn(name, "\n")] = 0;
    return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                   "process %d is already traced, by process %ld (%s), and a process has one "
                   "tracer; end that one first",
                   (int)pid, tracer, name);
}

/* Whether a link in the folder of /proc of a process leads elsewhere than ours. */
static bool differs(pid_t pid, const char *link)
{
    char path[64], of_process[PATH_MAX], of_this[PATH_MAX];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, link);
    ssize_t count = readlink(path, of_process, sizeof of_process);
    snprintf(path, sizeof path, "/proc/self/%s", link);
    ssize_t our_count = readlink(path, of_this, sizeof of_this);
    return count >= 0 && our_count >= 0 &&
           (count != our_count || memcmp(of_process, of_this, (size_t)count) != 0);
}

static int check_program(pid_t pid, struct ft_diag *diag)
{
    char path[64];
    uint8_t head[EI_NIDENT] = {0};
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return FT_OK; /* ptrace says why */
    ssize_t count = read(fd, head, sizeof head);
    close(fd);
    return count == sizeof head && head[EI_CLASS] == ELFCLASS32
               ? ft_fail(diag, FT_ERROR_UNSUPPORTED,
                         "process %d is a 32-bit program; only 64-bit x86-64 programs can be "
                         "captured",
                         (int)pid)
               : FT_OK;
}

int ft_process_check(pid_t pid, struct ft_diag *diag)
{
    struct process_status status = read_status(pid);
    if (!status.is_there)
        return ft_fail(diag, FT_ERROR_FAILURE, "there is no process %d", (int)pid);
    if (status.process == getpid())
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "process %d is foretrace itself", (int)pid);
    if (status.process != pid)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "%d is a thread of process %ld, whose threads are captured together: --pid "
                       "%ld",
                       (int)pid, status.process, status.process);
    if (status.state == 'Z' || status.state == 'X')
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "the first thread of process %d has ended",
                       (int)pid);
    if (!status.has_memory)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "process %d is a thread of the kernel",
                       (int)pid);
    if (status.tracer > 0)
        return fail_traced(pid, status.tracer, diag);
    if (status.state == 'T')
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "process %d is stopped; let it go on first: kill -CONT %d", (int)pid,
                       (int)pid);
    if (differs(pid, "ns/mnt") || differs(pid, "root"))
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "process %d has another root folder or mount namespace (a container): its "
                       "files are not those here; run foretrace inside of it",
                       (int)pid);
    return check_program(pid, diag);
}

static long ptrace_scope(void)
{
    long scope = 0;
    char text[32];
    FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
    if (file && fgets(text, sizeof text, file))
        scope = strtol(text, NULL, 10);
    if (file)
        fclose(file);
    return scope;
}

int ft_process_fail_ptrace(pid_t pid, int reason, struct ft_diag *diag)
{
    struct process_status status = read_status(pid);
    if (reason == ESRCH || !status.is_there)
        return ft_fail(diag, FT_ERROR_FAILURE, "process %d has ended", (int)pid);
    if (status.tracer > 0)
        return fail_traced(pid, status.tracer, diag);
    const bool is_root = geteuid() == 0;
    if (!is_root && status.user != (long)geteuid())
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "process %d belongs to another user (number %ld); capture it as that user, "
                       "or as root",
                       (int)pid, status.user);
    if (!is_root && ptrace_scope() == 1)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "the system refuses to attach to process %d: "
                       "/proc/sys/kernel/yama/ptrace_scope is 1, which lets only its ancestors "
                       "trace it; run foretrace as root, or have it set to 0",
                       (int)pid);
    if (is_root || ptrace_scope() >= 2)
        ft_program_fail_ptrace(pid, reason, diag);
    else
        ft_fail(diag, FT_ERROR_UNSUPPORTED,
                "the system refuses to attach to process %d (%s): it has privileges, or has "
                "forbidden it (PR_SET_DUMPABLE); run foretrace as root",
                (int)pid, strerror(reason));
    return FT_ERROR_UNSUPPORTED;
}
