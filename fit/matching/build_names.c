#include "fit/matching/build_names.h"

#include <stdlib.h>
#include <string.h>

static size_t length_of_number(const char *text)
{
    size_t length = strspn(text, "0123456789");
    const size_t fraction = text[length] == '.' ? strspn(text + length + 1, "0123456789") : 0;
    return length && fraction ? length + 1 + fraction : length;
}

bool ft_build_name_value(const char *path, const char *pattern, double *ret_value)
{
    const char *mark = strchr(pattern, '#');
    const size_t before = mark ? (size_t)(mark - pattern) : 0;
    for (const char *start = path; mark && start; start = strchr(start, '/')) {
        start += *start == '/';
        const size_t length =
            strncmp(start, pattern, before) == 0 ? length_of_number(start + before) : 0;
        if (length && strcmp(start + before + length, mark + 1) == 0) {
            *ret_value = strtod(start + before, NULL);
            return true;
        }
    }
    return false;
}

int ft_build_names_read(struct ft_histograms *entries, size_t count, const char *parameter,
                        const char *pattern, struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t e = 0; !status && e < count; e++) {
        struct ft_metadata *metadata = &entries[e].metadata;
        const char *program = metadata->program ? metadata->program : "";
        double value = 0;
        if (!ft_build_name_value(program, pattern, &value))
            return ft_fail(diag, FT_ERROR_USAGE,
                           "the program's path %s does not end in '%s' with a number at the "
                           "#: name the files and folders that all builds have in common, or "
                           "capture with -D %s=VALUE",
                           program, pattern, parameter);
        const struct ft_parameter *recorded = ft_metadata_parameter(metadata, parameter);
        if (!recorded)
            status = ft_metadata_add_parameter(metadata, parameter, value, diag);
        else if (recorded->value != value)
            return ft_fail(diag, FT_ERROR_USAGE,
                           "%s was captured with %s = %.15g, but its path says %.15g: choose "
                           "another parameter's name",
                           program, parameter, recorded->value, value);
    }
    return status;
}
