#include "machines/machine_folder.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/file_name.h"
#include "formats/base/program_folder.h"
#include "machines/known_names.h"

void ft_machine_folder(char ret_path[PATH_MAX])
{
    const char *given = getenv("FORETRACE_MACHINES");
    if (given && given[0])
        snprintf(ret_path, PATH_MAX, "%s", given);
    else if (!ft_beside_program("machines", ret_path) &&
             !ft_beside_program("../share/foretrace/machines", ret_path))
        snprintf(ret_path, PATH_MAX, "%s", FT_MACHINES_FOLDER);
}

void ft_machine_path(const char *name, char ret_path[FT_MACHINE_PATH])
{
    char folder[PATH_MAX];
    ft_machine_folder(folder);
    snprintf(ret_path, FT_MACHINE_PATH, "%s/%.240s.yaml", folder, name);
}

int ft_machine_names_list(struct ft_machine_names *ret_names, struct ft_diag *diag)
{
    char folder[PATH_MAX], pattern[PATH_MAX + 16];
    struct ft_machine_names names = {0};
    glob_t found = {0};
    int status = FT_OK;
    ft_machine_folder(folder);
    snprintf(pattern, sizeof pattern, "%s/*.yaml", folder);
    const size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    names.items = calloc(count + 1, sizeof *names.items);
    if (!names.items)
        status = ft_fail_memory(diag, "names of machines");
    for (size_t i = 0; status == FT_OK && i < count; i++) {
        const char *name = ft_file_name(found.gl_pathv[i]);
        names.items[i] = strndup(name, strlen(name) - strlen(".yaml"));
        names.count += names.items[i] != NULL;
        status = names.items[i] ? FT_OK : ft_fail_memory(diag, "names of machines");
    }
    globfree(&found);
    if (status == FT_OK)
        *ret_names = names;
    else
        ft_machine_names_fini(&names);
    return status;
}

void ft_machine_names_fini(struct ft_machine_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free((void *)names->items);
    *names = (struct ft_machine_names){0};
}

int ft_machine_fail_unknown(const char *name, struct ft_diag *diag)
{
    struct ft_machine_names names;
    struct ft_known_names known = {.closest = {.wanted = name}};
    char folder[PATH_MAX];
    if (strchr(name, '@'))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "unknown machine '%s': levels in one line are written as caches=%s", name,
                       name);
    FT_TRY(ft_machine_names_list(&names, diag));
    for (size_t i = 0; i < names.count; i++)
        ft_known_names_add(&known, names.items[i]);
    ft_known_names_add(&known, "host");
    ft_machine_folder(folder);
    const int status = names.count > 0
                           ? ft_known_names_fail(&known, FT_ERROR_USAGE, "", "machine", diag)
                           : ft_fail(diag, FT_ERROR_USAGE,
                                     "unknown machine '%s': no machine files in %.300s "
                                     "(set FORETRACE_MACHINES to their folder)",
                                     name, folder);
    ft_machine_names_fini(&names);
    return status;
}
