/*
 * From files of the kernel: /proc/cpuinfo and /sys/devices/system/cpu for the processor and its
 * caches, /proc/meminfo and /sys/kernel/mm for memory, /proc/PID for the program.
 *
 * In order: files of /proc and /sys; processor, memory, system; caches; the process.
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

#include "trace-capture/host/proc_files.h"

#define CPU_FOLDER "/sys/devices/system/cpu"

/* The first line of a file, without its end; false where there is none. */
static bool read_line(const char *path, char *ret_line, size_t size)
{
    FILE *file = fopen(path, "re");
    bool got = file && fgets(ret_line, (int)size, file);
    if (file)
        fclose(file);
    if (got)
        ret_line[strcspn(ret_line, "\n")] = 0;
    return got;
}

/* The value of a key at the start of a line ("model name : x", "MemTotal: 8 kB"). */
static bool find_value(const char *text, const char *key, char *ret_value, size_t size)
{
    size_t length = strlen(key);
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) != 0)
            continue;
        const char *value = line + length + strspn(line + length, " \t");
        if (*value++ != ':')
            continue;
        value += strspn(value, " \t");
        snprintf(ret_value, size, "%.*s", (int)strcspn(value, "\n"), value);
        return true;
    }
    return false;
}

static bool add_processor(struct ft_capture_host *host)
{
    static const struct {
        const char *key, *name;
        bool is_number;
    } rows[] = {{"vendor_id", "cpu_vendor", false}, {"cpu family", "cpu_family", true},
                {"model", "cpu_model", true},       {"stepping", "cpu_stepping", true},
                {"microcode", "microcode", false},  {"flags", "cpu_flags", false}};
    size_t bytes;
    char value[8192], *text = ft_proc_read("/proc/cpuinfo", &bytes);
    bool added = true;
    for (size_t i = 0; text && added && i < sizeof rows / sizeof *rows; i++)
        if (find_value(text, rows[i].key, value, sizeof value))
            added = rows[i].is_number
                        ? ft_capture_host_fact(host, rows[i].name, NULL, strtoull(value, NULL, 10))
                        : ft_capture_host_fact(host, rows[i].name, value, 0);
    free(text);
    return added;
}

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
    char value[256], *text = ft_proc_read("/proc/meminfo", &bytes);
    bool added = ft_capture_host_fact(host, "page_bytes", NULL, (uint64_t)sysconf(_SC_PAGESIZE));
    for (size_t i = 0; text && added && i < sizeof rows / sizeof *rows; i++)
        if (find_value(text, rows[i].key, value, sizeof value))
            added =
                ft_capture_host_fact(host, rows[i].name, NULL, 1024 * strtoull(value, NULL, 10));
    free(text);
    if (added && read_line("/sys/kernel/mm/transparent_hugepage/enabled", value, sizeof value)) {
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
    char *text = ft_proc_read("/etc/os-release", &bytes);
    char *name = text ? strstr(text, "PRETTY_NAME=\"") : NULL;
    if (added && name) {
        snprintf(value, sizeof value, "%.*s", (int)strcspn(name + 13, "\"\n"), name + 13);
        added = ft_capture_host_fact(host, "system", value, 0);
    }
    free(text);
    if (added && read_line(CPU_FOLDER "/online", value, sizeof value))
        added = ft_capture_host_fact(host, "processors_online", value, 0);
    if (added && read_line("/sys/devices/system/node/online", value, sizeof value))
        added = ft_capture_host_fact(host, "numa_nodes", value, 0);
    return added;
}

/* ---- caches ---- */

static bool cache_line(unsigned processor, unsigned index, const char *name, char *ret_line,
                       size_t size)
{
    char path[128];
    snprintf(path, sizeof path, CPU_FOLDER "/cpu%u/cache/index%u/%s", processor, index, name);
    return read_line(path, ret_line, size);
}

static uint64_t cache_number(unsigned processor, unsigned index, const char *name)
{
    char line[64], *end;
    if (!cache_line(processor, index, name, line, sizeof line))
        return 0;
    uint64_t number = strtoull(line, &end, 10);
    return *end == 'K' ? number << 10 : *end == 'M' ? number << 20 : number;
}

static bool is_known(const struct ft_capture_host *host, const struct ft_host_cache *cache)
{
    for (size_t i = 0; i < host->cache_count; i++)
        if (host->caches[i].level == cache->level && host->caches[i].content == cache->content &&
            strcmp(host->caches[i].processors, cache->processors) == 0)
            return true;
    return false;
}

/* Each cache once, identified by the processors that share it. */
static bool add_caches(struct ft_capture_host *host)
{
    long count = sysconf(_SC_NPROCESSORS_CONF);
    for (unsigned processor = 0; (long)processor < count; processor++) {
        char type[32], shared[4096];
        for (unsigned i = 0; cache_line(processor, i, "type", type, sizeof type); i++) {
            if (!cache_line(processor, i, "shared_cpu_list", shared, sizeof shared))
                snprintf(shared, sizeof shared, "%u", processor);
            struct ft_host_cache cache = {
                .level = (uint8_t)cache_number(processor, i, "level"),
                .content = type[0] == 'D'   ? FT_CACHE_DATA
                           : type[0] == 'I' ? FT_CACHE_INSTRUCTIONS
                                            : FT_CACHE_UNIFIED,
                .size_bytes = cache_number(processor, i, "size"),
                .line_bytes = (uint32_t)cache_number(processor, i, "coherency_line_size"),
                .ways = (uint32_t)cache_number(processor, i, "ways_of_associativity"),
                .sets = (uint32_t)cache_number(processor, i, "number_of_sets"),
                .processors = shared};
            if (!is_known(host, &cache) && !ft_capture_host_cache(host, &cache))
                return false;
        }
    }
    return true;
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

char *ft_host_processor_name(void)
{
    size_t bytes;
    char name[512] = "", *text = ft_proc_read("/proc/cpuinfo", &bytes);
    if (text)
        find_value(text, "model name", name, sizeof name);
    free(text);
    return strdup(name);
}

int ft_host_describe(pid_t pid, struct ft_capture_host *ret_host, struct ft_diag *diag)
{
    struct ft_capture_host host = {0};
    if (add_system(&host) && add_processor(&host) && add_memory(&host) && add_caches(&host) &&
        ft_tlbs_describe(ft_cpuid_of_this_processor, &host) && add_affinity(&host, pid) &&
        add_limits(&host, pid) && add_process(&host, pid)) {
        *ret_host = host;
        return FT_OK;
    }
    ft_capture_host_fini(&host);
    return ft_fail_memory(diag, "the description of this machine");
}
