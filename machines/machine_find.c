/*
 * Resolves the argument of --machine: a path is taken as it is, a name is looked up in the folder
 * of machines, and "caches=..." needs no file.
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/closest_name.h"
#include "formats/base/program_folder.h"
#include "machines/machine_build.h"

#define CAPTION     "caches="
#define KNOWN_BYTES 512

static void find_folder(char path[PATH_MAX])
{
    const char *given = getenv("FORETRACE_MACHINES");
    if (given && given[0])
        snprintf(path, PATH_MAX, "%s", given);
    else if (!ft_beside_program("machines", path) &&
             !ft_beside_program("../share/foretrace/machines", path))
        snprintf(path, PATH_MAX, "%s", FT_MACHINES_FOLDER);
}

/* "a, b, c": the machines of a folder, sorted. */
static void list_folder(const char *folder, char *text, size_t size)
{
    char pattern[PATH_MAX + 16];
    glob_t found = {0};
    size_t used = 0;
    text[0] = 0;
    snprintf(pattern, sizeof pattern, "%s/*.yaml", folder);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc && used < size; i++) {
            const char *name = strrchr(found.gl_pathv[i], '/') + 1;
            int length = (int)(strlen(name) - strlen(".yaml"));
            int written = snprintf(text + used, size - used, "%s%.*s", i ? ", " : "", length, name);
            used += written > 0 ? (size_t)written : 0;
        }
    globfree(&found);
}

/* Suggests the most similar of the names in a list "a, b, c". */
static int fail_unknown(const char *name, const char known[KNOWN_BYTES], struct ft_diag *diag)
{
    char list[KNOWN_BYTES], *rest = NULL;
    struct ft_closest_name closest = {.wanted = name};
    memcpy(list, known, sizeof list);
    for (char *word = strtok_r(list, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest))
        ft_closest_name_try(&closest, word);
    if (closest.name)
        return ft_fail(diag, FT_ERROR_USAGE, "unknown machine '%s'; did you mean '%s'? known: %s",
                       name, closest.name, known);
    return ft_fail(diag, FT_ERROR_USAGE, "unknown machine '%s'; known: %s", name, known);
}

static bool is_path(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') || (length > 5 && strcmp(name + length - 5, ".yaml") == 0);
}

/* Reads the file under the name that it has without folders and ".yaml". */
static int read_path(const char *path, struct ft_machine *ret_machine, struct ft_diag *diag)
{
    const char *slash = strrchr(path, '/');
    char *name = strdup(slash ? slash + 1 : path);
    if (!name)
        return ft_fail_memory(diag, path);
    char *end = strstr(name, ".yaml");
    if (end && end[5] == 0)
        *end = 0;
    int status = ft_machine_read(path, name, ret_machine, diag);
    free(name);
    return status;
}

int ft_machine_load(const char *name, struct ft_machine *ret_machine, struct ft_diag *diag)
{
    if (strncmp(name, CAPTION, strlen(CAPTION)) == 0)
        return ft_machine_parse(name + strlen(CAPTION), ret_machine, diag);
    if (is_path(name))
        return read_path(name, ret_machine, diag);
    char folder[PATH_MAX], path[PATH_MAX + 256];
    find_folder(folder);
    snprintf(path, sizeof path, "%s/%s.yaml", folder, name);
    if (access(path, F_OK) == 0)
        return read_path(path, ret_machine, diag);
    char known[KNOWN_BYTES];
    list_folder(folder, known, sizeof known);
    if (!known[0])
        return ft_fail(diag, FT_ERROR_USAGE,
                       "unknown machine '%s': no machine files in %.300s "
                       "(set FORETRACE_MACHINES to their folder)",
                       name, folder);
    return fail_unknown(name, known, diag);
}
