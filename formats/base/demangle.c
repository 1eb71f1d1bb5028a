#include "formats/base/demangle.h"

#include <string.h>

#include <libiberty/demangle.h>

char *ft_demangle(const char *symbol)
{
    char *name = cplus_demangle(symbol, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
    return name ? name : strdup(symbol);
}
