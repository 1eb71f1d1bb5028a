#include <inttypes.h>
#include <string.h>

#include "engine/commands/structure/match_report.h"

void ft_match_place_cell(struct ft_table *table, const struct ft_scopes *scopes, uint32_t scope)
{
    const struct ft_scope *item = &scopes->scopes[scope];
    const char *slash = strrchr(item->file, '/');
    if (item->kind == FT_SCOPE_ROUTINE)
        ft_table_format(table, "%s (%s)", item->name,
                        item->module < scopes->module_count ? scopes->modules[item->module].name
                                                            : "unknown");
    else if (!item->first_line)
        ft_table_text(table, item->name);
    else if (item->first_line == item->last_line)
        ft_table_format(table, "%s:%" PRIu32, slash ? slash + 1 : item->file, item->first_line);
    else
        ft_table_format(table, "%s:%" PRIu32 "-%" PRIu32, slash ? slash + 1 : item->file,
                        item->first_line, item->last_line);
}
