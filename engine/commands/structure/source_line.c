#include <string.h>

#include "engine/commands/structure/report.h"

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void ft_structure_line(const struct ft_module *module, uint64_t offset, char *text,
                       size_t size_bytes)
{
    const struct ft_line *line = module ? ft_module_line(module, offset) : NULL;
    *text = 0;
    if (line)
        snprintf(text, size_bytes, "%s:%u", file_name(module->strings + line->file), line->line);
}
