#include "trace-capture/host/proc_files.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/bytes.h"

char *ft_proc_read(const char *path, size_t *ret_bytes)
{
    struct ft_bytes bytes = {0};
    char part[4096];
    size_t count;
    FILE *file = fopen(path, "re");
    while (file && (count = fread(part, 1, sizeof part, file)) > 0)
        ft_put(&bytes, part, count);
    if (file)
        fclose(file);
    ft_put_u8(&bytes, 0);
    if (bytes.failed) {
        ft_bytes_fini(&bytes);
        return NULL;
    }
    *ret_bytes = bytes.length - 1;
    return (char *)bytes.data;
}

char *ft_proc_read_of(pid_t pid, const char *name, size_t *ret_bytes)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    return ft_proc_read(path, ret_bytes);
}

char *ft_proc_link_of(pid_t pid, const char *name)
{
    char path[64], target[PATH_MAX];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    ssize_t length = readlink(path, target, sizeof target);
    return strndup(target, length > 0 ? (size_t)length : 0);
}
