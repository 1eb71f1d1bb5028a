/*
 * Scripts are followed to their interpreter, as the kernel does. The header of an ELF file says
 * whether it is for this processor, and its program headers name the loader, which must exist. A
 * setuid bit counts only where the kernel honours it: on programs, not on scripts, and not on file
 * systems mounted nosuid.
 *
 * In order: PATH; access and privileges; ELF files, scripts, any file; limits; why ptrace is
 * refused; programs about to be executed.
 */
#include "trace-capture/target/program_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "formats/base/path_search.h"
#include "trace-capture/target/target.h"

#define INTERPRETERS_MAX    5 /* scripts whose interpreter is a script: the kernel's limit */
#define PROGRAM_HEADERS_MAX 1024

/* What a capture needs besides the program: code caches and logs in both processes, tables in the
 * host. */
#define ADDRESS_SPACE_BYTES_MIN (UINT64_C(2) << 30)
#define FILE_BYTES_MIN          (UINT64_C(256) << 20)

static enum ft_start_failure fail_not_found(const char *name, struct ft_diag *diag)
{
    if (access(name, F_OK) == 0)
        ft_fail(diag, FT_ERROR_FAILURE, "%s: not found in PATH; the file here is ./%s", name, name);
    else
        ft_fail(diag, FT_ERROR_FAILURE, "%s: not found in PATH", name);
    return FT_START_NOT_FOUND;
}

enum ft_start_failure ft_program_find(const char *name, char **ret_path, struct ft_diag *diag)
{
    if (strchr(name, '/')) {
        if (access(name, F_OK) != 0) {
            ft_fail(diag, FT_ERROR_FAILURE, "%s: %s", name, strerror(errno));
            return FT_START_NOT_FOUND;
        }
        *ret_path = strdup(name);
        return *ret_path ? FT_START_OK : FT_START_REFUSED;
    }
    bool is_unusable;
    *ret_path = ft_path_search(name, &is_unusable);
    if (*ret_path)
        return FT_START_OK;
    if (is_unusable) {
        ft_fail(diag, FT_ERROR_FAILURE, "%s: found in PATH, but not executable", name);
        return FT_START_NOT_RUNNABLE;
    }
    return fail_not_found(name, diag);
}

static enum ft_start_failure fail_access(const char *path, const struct stat *status,
                                         struct ft_diag *diag)
{
    struct statvfs file_system;
    if (statvfs(path, &file_system) == 0 && (file_system.f_flag & ST_NOEXEC))
        ft_fail(diag, FT_ERROR_FAILURE,
                "%s: is on a file system that is mounted noexec; run a copy from elsewhere", path);
    else if (!(status->st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)))
        ft_fail(diag, FT_ERROR_FAILURE, "%s: is not executable; if it is a program, chmod +x it",
                path);
    else
        ft_fail(diag, FT_ERROR_FAILURE, "%s: you may not execute it; its owner or group may", path);
    return FT_START_NOT_RUNNABLE;
}

static enum ft_start_failure check_privileges(const char *path, const struct stat *status,
                                              struct ft_diag *diag)
{
    struct statvfs file_system;
    if ((statvfs(path, &file_system) == 0 && (file_system.f_flag & ST_NOSUID)) ||
        prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
        return FT_START_OK; /* it gets no privileges, traced or not */
    if (((status->st_mode & S_ISUID) && status->st_uid != geteuid()) ||
        ((status->st_mode & S_ISGID) && (status->st_mode & S_IXGRP) &&
         status->st_gid != getegid())) {
        ft_fail(diag, FT_ERROR_UNSUPPORTED,
                "%s runs as another user or group (setuid or setgid), which the kernel does not "
                "let a tracer do; capture it as that user",
                path);
        return FT_START_REFUSED;
    }
    if (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0) {
        ft_fail(diag, FT_ERROR_UNSUPPORTED,
                "%s has file capabilities, which the kernel does not grant to traced programs; "
                "capture it as root, or a copy of it without them",
                path);
        return FT_START_REFUSED;
    }
    return FT_START_OK;
}

static enum ft_start_failure fail_damaged(const char *path, struct ft_diag *diag)
{
    ft_fail(diag, FT_ERROR_FAILURE, "%s: truncated or damaged: its ELF headers are incomplete",
            path);
    return FT_START_NOT_RUNNABLE;
}

/* The dynamic loader that it names must exist: the kernel would only say "No such file". */
static enum ft_start_failure check_loader(const char *path, int fd, const Elf64_Ehdr *header,
                                          struct ft_diag *diag)
{
    if (header->e_phnum == 0 || header->e_phnum > PROGRAM_HEADERS_MAX ||
        header->e_phentsize != sizeof(Elf64_Phdr))
        return fail_damaged(path, diag);
    for (unsigned i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr segment;
        char loader[4096];
        off_t at = (off_t)(header->e_phoff + i * sizeof segment);
        if (pread(fd, &segment, sizeof segment, at) != sizeof segment)
            return fail_damaged(path, diag);
        if (segment.p_type != PT_INTERP)
            continue;
        if (segment.p_filesz == 0 || segment.p_filesz >= sizeof loader ||
            pread(fd, loader, segment.p_filesz, (off_t)segment.p_offset) !=
                (ssize_t)segment.p_filesz)
            return fail_damaged(path, diag);
        loader[segment.p_filesz] = 0;
        if (access(loader, X_OK) != 0) {
            ft_fail(diag, FT_ERROR_FAILURE,
                    "%s: its dynamic loader %s: %s; it was made for another system", path, loader,
                    strerror(errno));
            return FT_START_NOT_RUNNABLE;
        }
    }
    return FT_START_OK;
}

static enum ft_start_failure check_elf(const char *path, int fd, const uint8_t *head, size_t count,
                                       struct ft_diag *diag)
{
    Elf64_Ehdr header = {0};
    if (count < EI_NIDENT + 4)
        return fail_damaged(path, diag);
    memcpy(&header, head, count < sizeof header ? count : sizeof header);
    if (header.e_ident[EI_CLASS] == ELFCLASS32) {
        ft_fail(diag, FT_ERROR_UNSUPPORTED,
                "%s is a 32-bit program; only 64-bit x86-64 programs can be captured, so build it "
                "without -m32",
                path);
        return FT_START_REFUSED;
    }
    if (header.e_machine != EM_X86_64) {
        ft_fail(diag, FT_ERROR_UNSUPPORTED,
                "%s is for another processor (ELF machine %u); only 64-bit x86-64 programs can be "
                "captured",
                path, header.e_machine);
        return FT_START_REFUSED;
    }
    return count < sizeof header ? fail_damaged(path, diag) : check_loader(path, fd, &header, diag);
}

static enum ft_start_failure check_file(const char *path, unsigned depth, struct ft_diag *diag);

/* `head`: the script's first bytes, terminated. */
static enum ft_start_failure check_interpreter(const char *path, char *head, unsigned depth,
                                               struct ft_diag *diag)
{
    char *interpreter = head + 2;
    interpreter += strspn(interpreter, " \t");
    interpreter[strcspn(interpreter, " \t\n")] = 0;
    if (!*interpreter)
        return FT_START_OK; /* a script for /bin/sh, as if it had no such line */
    if (depth >= INTERPRETERS_MAX) {
        ft_fail(diag, FT_ERROR_FAILURE,
                "%s: its interpreter is a script whose interpreter is a script, and so on", path);
        return FT_START_NOT_RUNNABLE;
    }
    if (access(interpreter, F_OK) != 0) {
        ft_fail(diag, FT_ERROR_FAILURE, "%s: its interpreter %s: %s", path, interpreter,
                strerror(errno));
        return FT_START_NOT_FOUND;
    }
    return check_file(interpreter, depth + 1, diag);
}

static enum ft_start_failure check_file(const char *path, unsigned depth, struct ft_diag *diag)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        int reason = errno;
        ft_fail(diag, FT_ERROR_FAILURE, "%s: %s", path, strerror(reason));
        return reason == ENOENT ? FT_START_NOT_FOUND : FT_START_NOT_RUNNABLE;
    }
    if (S_ISDIR(status.st_mode)) {
        ft_fail(diag, FT_ERROR_FAILURE, "%s: is a directory", path);
        return FT_START_NOT_RUNNABLE;
    }
    if (access(path, X_OK) != 0)
        return fail_access(path, &status, diag);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        ft_fail(diag, FT_ERROR_UNSUPPORTED,
                "%s: %s; the kernel hides a program that may be run but not read from a tracer; "
                "chmod +r it",
                path, strerror(errno));
        return FT_START_REFUSED;
    }
    uint8_t head[256] = {0};
    ssize_t count = read(fd, head, sizeof head - 1);
    enum ft_start_failure failure = FT_START_OK;
    if (count >= 2 && head[0] == '#' && head[1] == '!') {
        failure = check_interpreter(path, (char *)head, depth, diag);
    } else if (count >= SELFMAG && memcmp(head, ELFMAG, SELFMAG) == 0) {
        failure = check_elf(path, fd, head, (size_t)count, diag);
        if (failure == FT_START_OK)
            failure = check_privileges(path, &status, diag);
    }
    close(fd);
    return failure;
}

enum ft_start_failure ft_program_check(const char *path, struct ft_diag *diag)
{
    return check_file(path, 0, diag);
}

static enum ft_start_failure check_limit(enum __rlimit_resource resource, uint64_t minimum_bytes,
                                         const char *what, const char *option, struct ft_diag *diag)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur >= minimum_bytes)
        return FT_START_OK;
    ft_fail(diag, FT_ERROR_UNSUPPORTED,
            "%s limited to %llu KiB (ulimit %s), and a capture needs %llu KiB; start it where "
            "ulimit %s says unlimited",
            what, (unsigned long long)limit.rlim_cur >> 10, option,
            (unsigned long long)minimum_bytes >> 10, option);
    return FT_START_REFUSED;
}

enum ft_start_failure ft_program_check_limits(struct ft_diag *diag)
{
    enum ft_start_failure failure =
        check_limit(RLIMIT_AS, ADDRESS_SPACE_BYTES_MIN, "the address space is", "-v", diag);
    return failure != FT_START_OK
               ? failure
               : check_limit(RLIMIT_FSIZE, FILE_BYTES_MIN, "files are", "-f", diag);
}

/* The number after `key` in a file of /proc, -1 if there is none. */
static long number_in(const char *path, const char *key)
{
    char line[256];
    long number = -1;
    FILE *file = fopen(path, "re");
    if (!file)
        return -1;
    while (number < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0)
            number = strtol(line + strlen(key), NULL, 10);
    fclose(file);
    return number;
}

void ft_program_fail_ptrace(pid_t pid, int reason, struct ft_diag *diag)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    long tracer = number_in(path, "TracerPid:");
    long scope = number_in("/proc/sys/kernel/yama/ptrace_scope", "");
    if (tracer > 0)
        ft_fail(diag, FT_ERROR_UNSUPPORTED,
                "the program is already traced by process %ld, which follows what foretrace "
                "starts, and a program has one tracer; start foretrace outside of it",
                tracer);
    else if (scope >= 2)
        ft_fail(diag, FT_ERROR_UNSUPPORTED,
                "the system refuses ptrace (%s): /proc/sys/kernel/yama/ptrace_scope is %ld, which "
                "%s; its administrator can set it to 1",
                strerror(reason), scope, scope == 2 ? "allows it to root alone" : "forbids it");
    else
        ft_fail(diag, FT_ERROR_UNSUPPORTED,
                "the system refuses ptrace (%s)%s; in a container allow it with "
                "--cap-add=SYS_PTRACE, or another seccomp profile",
                strerror(reason),
                number_in("/proc/self/status", "Seccomp:") == 2 ? ", under a seccomp filter" : "");
}

/* The path that the target names, as seen by this process: through /proc, because root and working
 * directory may differ. */
static bool read_exec_path(const struct ft_target *target, const struct user_regs_struct *registers,
                           char path[PATH_MAX])
{
    bool is_at = registers->rax == SYS_execveat;
    char name[PATH_MAX] = "";
    ft_target_read(target, is_at ? registers->rsi : registers->rdi, name, sizeof name - 1);
    int directory = is_at ? (int)registers->rdi : AT_FDCWD;
    if (name[0] == '/') /* its root may be another */
        return snprintf(path, PATH_MAX, "/proc/%d/root%s", (int)target->pid, name) < PATH_MAX;
    if (directory == AT_FDCWD)
        return snprintf(path, PATH_MAX, "/proc/%d/cwd/%s", (int)target->pid, name) < PATH_MAX;
    return snprintf(path, PATH_MAX, "/proc/%d/fd/%d%s%s", (int)target->pid, directory,
                    name[0] ? "/" : "", name) < PATH_MAX;
}

int ft_program_check_exec(const struct ft_target *target, const struct user_regs_struct *registers,
                          struct ft_diag *diag)
{
    char path[PATH_MAX];
    struct ft_diag reason;
    if (!read_exec_path(target, registers, path))
        return FT_OK;
    char *resolved = realpath(path, NULL);
    if (!resolved)
        return FT_OK;
    bool refused = ft_program_check(resolved, &reason) == FT_START_REFUSED;
    free(resolved);
    return refused ? ft_fail(diag, FT_ERROR_UNSUPPORTED, "%.900s; it is started without foretrace",
                             reason.message)
                   : FT_OK;
}
