/*
 * RLIMIT_DATA counts what was mapped to be written, touched or not. Sanitizers map terabytes of
 * shadow: there is no limit under them.
 */
#include "formats/base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "formats/base/parse.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

#define LEAST_BYTES (UINT64_C(256) << 20) /* never less, whatever is said to be left */

/* The number behind a label in a file; UINT64_MAX where there is none ("max"). */
static uint64_t number_in(const char *path, const char *label)
{
    FILE *file = fopen(path, "r");
    char line[256];
    uint64_t number = UINT64_MAX;
    while (file && number == UINT64_MAX && fgets(line, sizeof line, file)) {
        if (strncmp(line, label, strlen(label)) != 0)
            continue;
        const char *text = line + strlen(label);
        text += strspn(text, " ");
        (void)ft_read_u64(&text, &number); /* leaves it as it is where there is none */
    }
    if (file)
        fclose(file);
    return number;
}

/* Memory and swap that are free or can be freed; 0 where unknown. */
static uint64_t machine_bytes(void)
{
    uint64_t memory = number_in("/proc/meminfo", "MemAvailable:");
    uint64_t swap = number_in("/proc/meminfo", "SwapFree:");
    if (memory == UINT64_MAX)
        return 0;
    return (memory + (swap == UINT64_MAX ? 0 : swap)) << 10;
}

static uint64_t cgroup_number(const char *group, const char *name)
{
    char path[4352];
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", group, name);
    return number_in(path, "");
}

/* What the cgroup (version 2) of this process, and those around it, leave. */
static uint64_t cgroup_bytes(void)
{
    FILE *file = fopen("/proc/self/cgroup", "r");
    char line[4096], group[4096] = "";
    uint64_t min_left = UINT64_MAX;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "0::%4095s", group) == 1)
            break;
    if (file)
        fclose(file);
    for (char *end; (end = strrchr(group, '/')); *end = 0) {
        uint64_t limit = cgroup_number(group, "memory.max");
        uint64_t used = cgroup_number(group, "memory.current");
        uint64_t left = used < limit ? limit - used : 0;
        if (limit != UINT64_MAX && used != UINT64_MAX && left < min_left)
            min_left = left;
    }
    return min_left;
}

void ft_memory_limit(void)
{
    struct rlimit limit;
    uint64_t bytes = machine_bytes(), group = cgroup_bytes();
    if (SANITIZED || bytes == 0 || getrlimit(RLIMIT_DATA, &limit) != 0)
        return;
    if (group < bytes)
        bytes = group;
    if (bytes < LEAST_BYTES)
        bytes = LEAST_BYTES;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > bytes)
        limit.rlim_cur = bytes;
    setrlimit(RLIMIT_DATA, &limit);
}
