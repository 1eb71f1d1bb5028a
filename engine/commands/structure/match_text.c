/*
 * Two builds side by side as text: how much matches, the scopes of the first with their matches in
 * the second, and what is left of each.
 */
#include <string.h>

#include "engine/commands/structure/match_report.h"
#include "formats/base/file_name.h"
#include "formats/commands/report_head.h"
#include "formats/commands/scope_report.h"

void ft_match_location_cell(struct ft_table *table, const struct ft_scopes *scopes, uint32_t scope)
{
    const struct ft_scope *item = &scopes->scopes[scope];
    if (item->kind == FT_SCOPE_ROUTINE)
        ft_table_format(table, "%s (%s)", item->name,
                        item->module < scopes->module_count ? scopes->modules[item->module].name
                                                            : "unknown");
    else if (!item->first_line)
        ft_table_text(table, item->name);
    else if (item->first_line == item->last_line)
        ft_table_format(table, "%s:%" PRIu32, ft_file_name(item->file), item->first_line);
    else
        ft_table_format(table, "%s:%" PRIu32 "-%" PRIu32, ft_file_name(item->file),
                        item->first_line, item->last_line);
}

static void share_row(struct ft_table *table, const char *what, const uint64_t all[2],
                      const uint64_t matched[2])
{
    ft_table_text(table, what);
    for (unsigned side = 0; side < 2; side++) {
        ft_table_count(table, (double)all[side]);
        ft_table_count(table, (double)matched[side]);
        ft_table_share(table, all[side] ? (double)matched[side] / (double)all[side] : 1);
    }
}

static int shares(const struct ft_match_report *report, FILE *stream, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "", "what", false);
    for (unsigned side = 0; side < 2; side++) {
        ft_table_column(table, side ? "second" : "first", side ? "second" : "first", true);
        ft_table_column(table, "matched", "matched", true);
        ft_table_column(table, "share", "share", true);
    }
    const struct ft_match_sum *all = report->all, *matched = report->matched;
    share_row(table, "routines and loops", (uint64_t[2]){all[0].scopes, all[1].scopes},
              (uint64_t[2]){matched[0].scopes, matched[1].scopes});
    share_row(table, "instructions", (uint64_t[2]){all[0].instructions, all[1].instructions},
              (uint64_t[2]){matched[0].instructions, matched[1].instructions});
    share_row(table, "accesses", (uint64_t[2]){all[0].accesses, all[1].accesses},
              (uint64_t[2]){matched[0].accesses, matched[1].accesses});
    if (report->groups) {
        const struct ft_group_sum *in = report->groups->all, *same = report->groups->matched;
        share_row(table, "groups of references", (uint64_t[2]){in[0].groups, in[1].groups},
                  (uint64_t[2]){same[0].groups, same[1].groups});
        share_row(table, "their accesses", (uint64_t[2]){in[0].accesses, in[1].accesses},
                  (uint64_t[2]){same[0].accesses, same[1].accesses});
    }
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

static int side_by_side(const struct ft_match_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_structure_report *first = &report->sides[0], *second = &report->sides[1];
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_scope_columns(table, false);
    ft_table_column(table, "instructions", "instructions", true);
    ft_table_column(table, "accesses", "accesses", true);
    ft_table_column(table, "matched by", "kind", false);
    ft_table_column(table, "in the second", "other", false);
    ft_table_column(table, "instructions", "other_instructions", true);
    ft_table_column(table, "accesses", "other_accesses", true);
    for (size_t i = 0; i < first->count; i++) {
        const uint32_t scope = first->list[i];
        const struct ft_match *match = &report->matching.of[0][scope];
        ft_scope_cells(table, false, &first->structure.scopes, scope);
        ft_table_count(table, (double)first->work[scope].instructions);
        ft_table_count(table, (double)first->work[scope].accesses);
        ft_table_text(table, match->kind ? ft_match_kind_names[match->kind] : "-");
        if (match->kind == FT_MATCH_NONE) {
            for (int c = 0; c < 3; c++)
                ft_table_empty(table);
            continue;
        }
        ft_match_location_cell(table, &second->structure.scopes, match->item);
        ft_table_count(table, (double)second->work[match->item].instructions);
        ft_table_count(table, (double)second->work[match->item].accesses);
    }
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

static int left_over(const struct ft_match_report *report, unsigned side, size_t limit,
                     FILE *stream, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &report->sides[side].structure.scopes;
    const size_t count = report->left_count[side];
    fprintf(stream, "\nOnly in the %s: %zu routines and loops", side ? "second" : "first", count);
    if (count == 0) {
        fprintf(stream, "\n");
        return FT_OK;
    }
    if (count > limit)
        fprintf(stream, "; those with the most exclusive instructions and accesses are");
    fprintf(stream, "\n\n");
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "loop", "loop", false);
    ft_table_column(table, "routine", "routine", false);
    ft_table_column(table, "instructions, exclusive", "instructions", true);
    ft_table_column(table, "accesses, exclusive", "accesses", true);
    for (size_t i = 0; i < count && i < limit; i++) {
        const uint32_t scope = report->left[side][i];
        if (scopes->scopes[scope].kind == FT_SCOPE_LOOP)
            ft_match_location_cell(table, scopes, scope);
        else
            ft_table_empty(table);
        ft_match_location_cell(table, scopes, ft_scope_routine(scopes, scope));
        ft_table_count(table, (double)report->exclusive[side][scope].instructions);
        ft_table_count(table, (double)report->exclusive[side][scope].accesses);
    }
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

int ft_match_text(const struct ft_match_report *report, size_t limit, FILE *stream,
                  struct ft_diag *diag)
{
    for (unsigned side = 0; side < 2; side++) {
        fprintf(stream, side ? "second: " : "first:  ");
        ft_program_print(ft_trace_metadata(report->sides[side].trace), stream);
        fprintf(stream, "\n");
    }
    fprintf(stream, "\n");
    int status = shares(report, stream, diag);
    fprintf(stream, "\n");
    if (!status)
        status = side_by_side(report, stream, diag);
    for (unsigned side = 0; !status && side < 2; side++)
        status = left_over(report, side, limit, stream, diag);
    if (!status && report->groups)
        status = ft_match_groups_text(report->groups, limit, stream, diag);
    return status;
}
