#include "machines/host/system_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/bytes.h"

char *ft_system_file_read(const char *path, size_t *ret_bytes)
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

bool ft_system_file_line(const char *path, char *ret_line, size_t size)
{
    FILE *file = fopen(path, "re");
    bool got = file && fgets(ret_line, (int)size, file);
    if (file)
        fclose(file);
    if (got)
        ret_line[strcspn(ret_line, "\n")] = 0;
    return got;
}

bool ft_find_value(const char *text, const char *key, char *ret_value, size_t size)
{
    const size_t length = strlen(key);
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

uint64_t ft_available_memory_bytes(void)
{
    size_t bytes;
    char value[64], *text = ft_system_file_read("/proc/meminfo", &bytes);
    const bool found = text && ft_find_value(text, "MemAvailable", value, sizeof value);
    free(text);
    return found ? 1024 * strtoull(value, NULL, 10) : 0;
}
