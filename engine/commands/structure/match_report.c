#include "engine/commands/structure/match_report.h"

#include <stdlib.h>

static bool is_shown(const struct ft_scopes *scopes, uint32_t scope)
{
    return scopes->scopes[scope].kind >= FT_SCOPE_ROUTINE;
}

/* Work is inclusive; here each scope gets its exclusive part. */
static bool find_own_work(struct ft_match_report *report, unsigned side)
{
    const struct ft_structure_report *from = &report->sides[side];
    const struct ft_scopes *scopes = &from->structure.scopes;
    struct ft_match_sum *exclusive = calloc(scopes->scope_count + 1, sizeof *exclusive);
    report->exclusive[side] = exclusive;
    for (uint32_t i = 1; exclusive && i < scopes->scope_count; i++) {
        if (!is_shown(scopes, i))
            continue;
        exclusive[i].scopes++;
        exclusive[i].instructions += from->work[i].instructions;
        exclusive[i].accesses += from->work[i].accesses;
        if (scopes->scopes[i].kind == FT_SCOPE_LOOP) {
            exclusive[scopes->scopes[i].parent].instructions -= from->work[i].instructions;
            exclusive[scopes->scopes[i].parent].accesses -= from->work[i].accesses;
        }
    }
    return exclusive != NULL;
}

static void add(struct ft_match_sum *sum, const struct ft_match_sum *exclusive)
{
    sum->scopes += exclusive->scopes;
    sum->instructions += exclusive->instructions;
    sum->accesses += exclusive->accesses;
}

static int compare_exclusive(const void *left, const void *right, void *context)
{
    const struct ft_match_sum *exclusive = context;
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const uint64_t one = exclusive[a].instructions + exclusive[a].accesses;
    const uint64_t other = exclusive[b].instructions + exclusive[b].accesses;
    if (one != other)
        return one > other ? -1 : 1;
    return (a > b) - (a < b);
}

static bool add_up(struct ft_match_report *report, unsigned side)
{
    const struct ft_scopes *scopes = &report->sides[side].structure.scopes;
    uint32_t *left = calloc(scopes->scope_count + 1, sizeof *left);
    report->left[side] = left;
    for (uint32_t i = 1; left && i < scopes->scope_count; i++) {
        add(&report->all[side], &report->exclusive[side][i]);
        if (report->matching.of[side][i].kind != FT_MATCH_NONE)
            add(&report->matched[side], &report->exclusive[side][i]);
        else if (is_shown(scopes, i))
            left[report->left_count[side]++] = i;
    }
    if (left)
        qsort_r(left, report->left_count[side], sizeof *left, compare_exclusive,
                report->exclusive[side]);
    return left != NULL;
}

static const struct ft_module **modules_of(const struct ft_trace *trace)
{
    const size_t count = ft_trace_module_count(trace);
    const struct ft_module **modules = calloc(count + 1, sizeof *modules);
    for (size_t i = 0; modules && i < count; i++)
        modules[i] = ft_trace_module(trace, i);
    return modules;
}

static int match_groups(struct ft_match_report *report,
                        const struct ft_module *const *const modules[2],
                        const struct ft_scope_locations locations[2], struct ft_progress *progress,
                        struct ft_diag *diag)
{
    if (!report->sides[0].groups || !report->sides[1].groups)
        return FT_OK;
    report->groups = calloc(1, sizeof *report->groups);
    return report->groups ? ft_match_groups_init(report->groups, report->sides, modules, locations,
                                                 &report->matching, progress, diag)
                          : ft_fail_memory(diag, "the groups of two builds");
}

static int match_sides(struct ft_match_report *report, struct ft_progress *progress,
                       struct ft_diag *diag)
{
    const struct ft_module *const *modules[2] = {modules_of(report->sides[0].trace),
                                                 modules_of(report->sides[1].trace)};
    struct ft_scope_locations locations[2] = {0};
    int status = modules[0] && modules[1] ? FT_OK : ft_fail_memory(diag, "two builds");
    for (unsigned side = 0; !status && side < 2; side++)
        status =
            ft_scope_locations_make(&report->sides[side].structure.scopes, &locations[side], diag);
    if (!status)
        status = ft_scopes_match(locations, &report->matching, diag);
    if (!status)
        status = match_groups(report, modules, locations, progress, diag);
    for (unsigned side = 0; side < 2; side++) {
        ft_scope_locations_fini(&locations[side]);
        free((void *)modules[side]);
    }
    return status;
}

int ft_match_report_make(const struct ft_structure_report sides[2], struct ft_progress *progress,
                         struct ft_match_report *ret_report, struct ft_diag *diag)
{
    struct ft_match_report report = {.sides = sides};
    int status = match_sides(&report, progress, diag);
    for (unsigned side = 0; !status && side < 2; side++)
        if (!find_own_work(&report, side) || !add_up(&report, side))
            status = ft_fail_memory(diag, "a report");
    if (status)
        ft_match_report_fini(&report);
    else
        *ret_report = report;
    return status;
}

void ft_match_report_fini(struct ft_match_report *report)
{
    ft_matching_fini(&report->matching);
    if (report->groups)
        ft_match_groups_fini(report->groups);
    free(report->groups);
    for (unsigned side = 0; side < 2; side++) {
        free(report->exclusive[side]);
        free(report->left[side]);
    }
    *report = (struct ft_match_report){0};
}
