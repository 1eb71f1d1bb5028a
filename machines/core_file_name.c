/*
 * Processors are looked for in the heads of the core files, as text: to parse thousands of forms
 * takes longer.
 */
#include "machines/core_file_name.h"

#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/file_name.h"
#include "machines/machine_folder.h"

#define HEAD_BYTES 2048

static bool has_quoted(const char *head, const char *text, size_t length)
{
    char quoted[128];
    snprintf(quoted, sizeof quoted, "\"%.*s\"", (int)(length < 100 ? length : 100), text);
    return strstr(head, quoted) != NULL;
}

/* 2: one of the processors by family and model; 1: its family; 0: none. */
static int names_processor(const char *path, char *const *processors, size_t count)
{
    char head[HEAD_BYTES];
    FILE *file = fopen(path, "r");
    int best = 0;
    if (!file)
        return 0;
    head[fread(head, 1, sizeof head - 1, file)] = 0;
    (void)fclose(file);
    for (size_t i = 0; i < count && best < 2; i++) {
        const char *text = processors[i], *model = strrchr(text, ' ');
        if (has_quoted(head, text, strlen(text)))
            best = 2;
        else if (model && has_quoted(head, text, (size_t)(model - text)))
            best = 1;
    }
    return best;
}

char *ft_core_file_name_of(char *const *processors, size_t processor_count)
{
    char folder[PATH_MAX], pattern[PATH_MAX + 16], *name = NULL;
    const char *best = NULL;
    int best_match = 0;
    glob_t found = {0};
    ft_machine_folder(folder);
    snprintf(pattern, sizeof pattern, "%s/cores/*.yaml", folder);
    const size_t count = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    for (size_t i = 0; i < count; i++) {
        const int match = names_processor(found.gl_pathv[i], processors, processor_count);
        if (match > best_match) {
            best = ft_file_name(found.gl_pathv[i]);
            best_match = match;
        }
    }
    if (best)
        name = strndup(best, strlen(best) - strlen(".yaml"));
    globfree(&found);
    return name;
}

void ft_core_file_path(const char *name, char ret_path[FT_MACHINE_PATH])
{
    char folder[PATH_MAX];
    ft_machine_folder(folder);
    snprintf(ret_path, FT_MACHINE_PATH, "%s/cores/%.200s.yaml", folder, name);
}
