/*
 * From files of the kernel: /proc/meminfo and /sys/kernel/mm for memory, /proc/PID for the program;
 * the processor, its caches and TLBs as machines/host/ finds them.
 */
#include "trace-capture/host/host_description.h"

#include <elf.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "machines/host/host_hardware.h"
#include "machines/host/system_files.h"
#include "trace-capture/host/proc_files.h"

/* The bracketed word of a line such as "always [madvise] never". */
static void choose(char *line)
{
    char *start = strchr(line, '['), *end = strchr(line, ']');
    if (start && end && end > start) {
        *end = 0;
        memmove(line, start + 1, (size_t)(end - start));
    }
}

static bool add_memory(struct ft_capture_host *host)
{
    static const struct {
        const char *key, *name;
    } rows[] = {{"MemTotal", "memory_bytes"}, {"Hugepagesize", "huge_page_bytes"}};
    size_t bytes;
    char value[256], *text = ft_system_file_read("/proc/meminfo", &bytes);
    bool added = ft_capture_host_fact(host, "page_bytes", NULL, (uint64_t)sysconf(_SC_PAGESIZE));
    for (size_t i = 0; text && added && i < sizeof rows / sizeof *rows; i++)
        if (ft_find_value(text, rows[i].key, value, sizeof value))
            added =
                ft_capture_host_fact(host, rows[i].name, NULL, 1024 * strtoull(value, NULL, 10));
    free(text);
    if (added &&
        ft_system_file_line("/sys/kernel/mm/transparent_hugepage/enabled", value, sizeof value)) {
        choose(value);
        added = ft_capture_host_fact(host, "transparent_hugepages", value, 0);
    }
    return added;
}

static bool add_system(struct ft_capture_host *host)
{
    struct utsname system;
    char value[1024];
    bool added =
        uname(&system) != 0 || ft_capture_host_fact(host, "kernel_version", system.version, 0);
    size_t bytes;
    char *text = ft_system_file_read("/etc/os-release", &bytes);
    char *name = text ? strstr(text, "PRETTY_NAME=\"") : NULL;
    if (added && name) {
        snprintf(value, sizeof value, "%.*s", (int)strcspn(name + 13, "\"\n"), name + 13);
        added = ft_capture_host_fact(host, "system", value, 0);
    }
    free(text);
    if (added && ft_system_file_line("/sys/devices/system/node/online", value, sizeof value))
        added = ft_capture_host_fact(host, "numa_nodes", value, 0);
    return added;
}

/* ---- the program's own ---- */

/* The processors that the program may run on, as "0-3,8". */
static bool add_affinity(struct ft_capture_host *host, pid_t pid)
{
    cpu_set_t set;
    char text[4096] = "";
    size_t length = 0;
    if (sched_getaffinity(pid, sizeof set, &set) != 0)
        return true;
    for (int first = 0; first < CPU_SETSIZE && length + 16 < sizeof text; first++) {
        int last = first;
        if (!CPU_ISSET(first, &set))
            continue;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &set))
            last++;
        length +=
            (size_t)snprintf(text + length, sizeof text - length, last > first ? "%s%d-%d" : "%s%d",
                             length ? "," : "", first, last);
        first = last;
    }
    return ft_capture_host_fact(host, "affinity", text, 0);
}

static bool add_limits(struct ft_capture_host *host, pid_t pid)
{
    static const struct {
        enum __rlimit_resource resource;
        char *name;
    } rows[] = {{RLIMIT_AS, "AS"},         {RLIMIT_CORE, "CORE"},
                {RLIMIT_CPU, "CPU"},       {RLIMIT_DATA, "DATA"},
                {RLIMIT_FSIZE, "FSIZE"},   {RLIMIT_MEMLOCK, "MEMLOCK"},
                {RLIMIT_NOFILE, "NOFILE"}, {RLIMIT_NPROC, "NPROC"},
                {RLIMIT_RSS, "RSS"},       {RLIMIT_SIGPENDING, "SIGPENDING"},
                {RLIMIT_STACK, "STACK"}};
    bool added = true;
    for (size_t i = 0; added && i < sizeof rows / sizeof *rows; i++) {
        struct rlimit limit;
        if (prlimit(pid, rows[i].resource, NULL, &limit) == 0)
            added = ft_capture_host_limit(
                host, &(struct ft_host_limit){rows[i].name, limit.rlim_cur, limit.rlim_max});
    }
    return added;
}

static bool add_process(struct ft_capture_host *host, pid_t pid)
{
    size_t bytes = 0;
    char *auxiliary = ft_proc_read_of(pid, "auxv", &bytes);
    bool added = true;
    for (size_t at = 0; auxiliary && added && at + sizeof(Elf64_auxv_t) <= bytes;) {
        Elf64_auxv_t entry;
        memcpy(&entry, auxiliary + at, sizeof entry);
        at = entry.a_type == AT_NULL ? bytes : at + sizeof entry;
        if (entry.a_type != AT_NULL)
            added = ft_capture_host_auxiliary(host, entry.a_type, entry.a_un.a_val);
    }
    free(auxiliary);
    char *environment = ft_proc_read_of(pid, "environ", &bytes);
    if (added && environment)
        added = ft_environment_describe(environment, bytes, host);
    free(environment);
    return added;
}

int ft_host_describe(pid_t pid, struct ft_capture_host *ret_host, struct ft_diag *diag)
{
    struct ft_capture_host host = {0};
    if (add_system(&host) && ft_host_hardware_describe(&host) && add_memory(&host) &&
        add_affinity(&host, pid) && add_limits(&host, pid) && add_process(&host, pid)) {
        *ret_host = host;
        return FT_OK;
    }
    ft_capture_host_fini(&host);
    return ft_fail_memory(diag, "the description of this machine");
}
