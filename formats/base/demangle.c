#include "formats/base/demangle.h"

#include <stdio.h>
#include <string.h>

#include <libiberty/demangle.h>

/* gfortran's __MODULE_MOD_PROCEDURE as MODULE::PROCEDURE, or NULL. */
static char *fortran_name(const char *symbol)
{
    const char *between = strstr(symbol, "_MOD_");
    char *name = NULL;
    if (strncmp(symbol, "__", 2) != 0 || !between || between == symbol + 2 || !between[5] ||
        asprintf(&name, "%.*s::%s", (int)(between - symbol - 2), symbol + 2, between + 5) < 0)
        return NULL;
    return name;
}

char *ft_demangle(const char *symbol)
{
    char *name = cplus_demangle(symbol, DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
    if (!name)
        name = fortran_name(symbol);
    return name ? name : strdup(symbol);
}
