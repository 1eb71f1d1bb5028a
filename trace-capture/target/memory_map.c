/*
 * A line of /proc/PID/maps: "start-end rwxp offset device inode   path", numbers in hex but for the
 * inode. Lines that look different are skipped.
 */
#include "trace-capture/target/memory_map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "trace-capture/target/target.h"

/* The text behind `count` fields and the blanks after them. */
static const char *skip_fields(const char *text, unsigned count)
{
    while (count--) {
        text += strcspn(text, " \n");
        text += strspn(text, " ");
    }
    return text;
}

static bool parse_line(const char *line, struct ft_mapping *ret_mapping)
{
    char *end;
    struct ft_mapping mapping = {.start = strtoull(line, &end, 16)};
    if (end == line || *end != '-')
        return false;
    mapping.end = strtoull(end + 1, &end, 16);
    const char *permissions = skip_fields(line, 1);
    if (*end != ' ' || strlen(permissions) < 4)
        return false;
    mapping.is_writable = permissions[1] == 'w';
    mapping.is_executable = permissions[2] == 'x';
    mapping.is_shared = permissions[3] == 's';
    mapping.offset = strtoull(skip_fields(line, 2), NULL, 16);
    const char *path = skip_fields(line, 5);
    mapping.path = strndup(path, strcspn(path, "\n"));
    *ret_mapping = mapping;
    return mapping.path != NULL;
}

int ft_memory_map_read(const struct ft_target *target, struct ft_memory_map *ret_map,
                       struct ft_diag *diag)
{
    char path[64], line[4608];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)target->pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
    struct ft_memory_map map = {0};
    int status = FT_OK;
    while (status == FT_OK && fgets(line, sizeof line, file)) {
        if (!FT_RESERVE(map.mappings, map.capacity, map.count + 1))
            status = ft_fail_memory(diag, "the memory map");
        else if (parse_line(line, &map.mappings[map.count]))
            map.count++;
    }
    fclose(file);
    if (status < 0)
        ft_memory_map_fini(&map);
    else
        *ret_map = map;
    return status;
}

void ft_memory_map_fini(struct ft_memory_map *map)
{
    for (size_t i = 0; i < map->count; i++)
        free(map->mappings[i].path);
    free(map->mappings);
    *map = (struct ft_memory_map){0};
}
