#include "formats/scopes/scope_path.h"

#include "formats/base/bytes.h"

#define ARROW "->"

/* C++ has the arrow in names as well. */
static void put_name(struct ft_bytes *path, const char *name)
{
    for (size_t i = 0; name[i]; i++) {
        if (i > 0 && name[i - 1] == ARROW[0] && name[i] == ARROW[1])
            ft_put(path, " ", 1);
        ft_put(path, &name[i], 1);
    }
}

/* Parents come before their children, so this ends. */
static void put_path(struct ft_bytes *path, const struct ft_scopes *scopes, uint32_t scope)
{
    if (scope != 0) {
        put_path(path, scopes, scopes->scopes[scope].parent);
        ft_put(path, ARROW, sizeof ARROW - 1);
    }
    put_name(path, scopes->scopes[scope].name);
}

int ft_scope_path(const struct ft_scopes *scopes, uint32_t scope, char **ret_path,
                  struct ft_diag *diag)
{
    struct ft_bytes path = {0};
    put_path(&path, scopes, scope);
    ft_put_u8(&path, 0);
    if (path.failed) {
        ft_bytes_fini(&path);
        return ft_fail_memory(diag, "a path");
    }
    *ret_path = (char *)path.data;
    return FT_OK;
}
