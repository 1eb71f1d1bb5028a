#include "formats/base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int(ft_fail)(struct ft_diag *diag, int status, const char *format, ...)
{
    if (diag) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(diag->message, sizeof diag->message, format, arguments);
        va_end(arguments);
        diag->status = status;
    }
    return status;
}

int(ft_fail_memory)(struct ft_diag *diag, const char *what)
{
    return ft_fail(diag, FT_ERROR_MEMORY, "out of memory for %s", what);
}

int(ft_fail_at)(struct ft_diag *diag, int status, const char *format, ...)
{
    if (!diag)
        return status;
    char message[sizeof diag->message], where[sizeof diag->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(where, sizeof where, format, arguments);
    va_end(arguments);
    memcpy(message, diag->message, sizeof message);
    return ft_fail(diag, status, "%s: %.700s", where, message);
}

int ft_exit_code(int status)
{
    switch (status) {
    case FT_OK:
        return 0;
    case FT_ERROR_USAGE:
        return 2;
    case FT_ERROR_DATA:
        return 3;
    default:
        return 1;
    }
}
