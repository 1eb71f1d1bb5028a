#include "machines/known_names.h"

#include <stdio.h>

void ft_known_names_add(struct ft_known_names *names, const char *name)
{
    if (names->used < sizeof names->text) {
        int wrote = snprintf(names->text + names->used, sizeof names->text - names->used, "%s%s",
                             names->used ? ", " : "", name);
        names->used += wrote > 0 ? (size_t)wrote : 0;
    }
    ft_closest_name_try(&names->closest, name);
}

int ft_known_names_fail(const struct ft_known_names *names, int status, const char *place,
                        const char *what, struct ft_diag *diag)
{
    char hint[128] = "";
    if (names->closest.name)
        snprintf(hint, sizeof hint, " did you mean '%.90s'?", names->closest.name);
    return ft_fail(diag, status, "%sunknown %s '%s';%s known: %s", place, what,
                   names->closest.wanted, hint, names->text);
}
