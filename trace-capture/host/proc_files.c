#include "trace-capture/host/proc_files.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "machines/host/system_files.h"

char *ft_proc_read_of(pid_t pid, const char *name, size_t *ret_bytes)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    return ft_system_file_read(path, ret_bytes);
}

char *ft_proc_link_of(pid_t pid, const char *name)
{
    char path[64], target[PATH_MAX];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    ssize_t length = readlink(path, target, sizeof target);
    return strndup(target, length > 0 ? (size_t)length : 0);
}
