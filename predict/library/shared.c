#include "predict/library/shared.h"

#include <stdio.h>
#include <string.h>

_Static_assert((int)FORETRACE_NUMERIC == (int)FT_ERROR_NUMERIC &&
                   (int)FORETRACE_UNSUPPORTED == (int)FT_ERROR_UNSUPPORTED &&
                   (int)FORETRACE_DATA == (int)FT_ERROR_DATA &&
                   (int)FORETRACE_USAGE == (int)FT_ERROR_USAGE &&
                   (int)FORETRACE_IO == (int)FT_ERROR_IO &&
                   (int)FORETRACE_MEMORY == (int)FT_ERROR_MEMORY &&
                   (int)FORETRACE_FAILURE == (int)FT_ERROR_FAILURE,
               "statuses are passed on as they are");
_Static_assert((int)FORETRACE_LOOP == (int)FT_SCOPE_LOOP &&
                   (int)FORETRACE_ROUTINE == (int)FT_SCOPE_ROUTINE &&
                   (int)FORETRACE_MODULE == (int)FT_SCOPE_MODULE &&
                   (int)FORETRACE_PROGRAM == (int)FT_SCOPE_PROGRAM,
               "so are kinds of scopes");

const char *foretrace_version(void)
{
    return FT_VERSION;
}

int ft_library_fail(struct foretrace_error *error, int status, const struct ft_diag *diag)
{
    if (error) {
        error->status = status;
        snprintf(error->message, sizeof error->message, "%s", diag->message);
    }
    return status;
}

struct foretrace_scope ft_library_scope(const struct ft_scopes *scopes, size_t scope)
{
    const struct ft_scope *from = &scopes->scopes[scope];
    return (struct foretrace_scope){.kind = from->kind,
                                    .parent = from->parent,
                                    .name = from->name,
                                    .file = from->file,
                                    .first_line = from->first_line,
                                    .last_line = from->last_line};
}

int ft_library_parameter(const struct ft_metadata *metadata, const char *name, double *ret_value,
                         struct foretrace_error *error)
{
    struct ft_diag diag;
    const struct ft_parameter *parameter = ft_metadata_parameter(metadata, name);
    if (parameter) {
        *ret_value = parameter->value;
        return FORETRACE_OK;
    }
    const int status = ft_fail(&diag, FT_ERROR_USAGE, "the trace has no parameter %s", name);
    return ft_library_fail(error, status, &diag);
}
