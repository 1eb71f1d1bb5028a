/*
 * Groups of references of two builds as JSON (docs/json.md, "structure").
 */
#include <stdlib.h>

#include "engine/commands/structure/match_groups.h"
#include "formats/commands/report_head.h"
#include "formats/commands/scope_report.h"

static json_t *sum_json(const struct ft_group_sum *sum)
{
    return json_pack("{s:I, s:I}", "groups", (json_int_t)sum->groups, "accesses",
                     (json_int_t)sum->accesses);
}

static json_t *data_json(const struct ft_data_of_groups *data, uint32_t group)
{
    json_t *list = json_array();
    for (uint32_t i = data->first[group]; i < data->first[group + 1]; i++)
        ft_json_append(&list, ft_json_text(data->names[data->objects[i]]));
    return list;
}

/* A group with its scope. */
static json_t *group_json(const struct ft_match_groups *groups, unsigned side, uint32_t group)
{
    const struct ft_structure_report *report = &groups->sides[side];
    const struct ft_group_location *location = &groups->locations[side].items[group];
    const uint32_t line = groups->locations[side].lines[location->first_line].source_line;
    const struct ft_scopes *scopes = &report->structure.scopes;
    char *pattern = ft_structure_group_pattern(report, group);
    json_t *members = json_pack(
        "{s:I, s:I, s:s, s:I, s:o, s:I, s:o}", "start_offset",
        (json_int_t)scopes->scopes[location->scope].start_offset, "group", (json_int_t)group,
        "touches", ft_storage_names[report->groups->groups.items[group].storage], "source_line",
        (json_int_t)line, "data", data_json(&groups->data[side], group), "accesses",
        (json_int_t)location->accesses, "formula", pattern ? ft_json_text(pattern) : NULL);
    free(pattern);
    return ft_json_merge(ft_scope_json(scopes, location->scope), members);
}

/* Each pair once, though it may be the match of one side only. */
static json_t *matches_json(const struct ft_match_groups *groups)
{
    json_t *list = json_array();
    for (unsigned side = 0; side < 2; side++)
        for (size_t i = 0; i < groups->matched_count[side]; i++) {
            const uint32_t group = groups->list[side][i];
            const struct ft_match *match = &groups->matching.of[side][group];
            if (side == 1 && groups->matching.of[0][match->item].item == group)
                continue;
            ft_json_append(&list,
                           json_pack("{s:s, s:o, s:o}", "by", ft_match_kind_names[match->kind],
                                     "first", group_json(groups, 0, side ? match->item : group),
                                     "second", group_json(groups, 1, side ? group : match->item)));
        }
    return list;
}

static json_t *left_json(const struct ft_match_groups *groups, unsigned side)
{
    json_t *list = json_array();
    for (size_t i = groups->matched_count[side]; i < groups->count[side]; i++)
        ft_json_append(&list, group_json(groups, side, groups->list[side][i]));
    return list;
}

json_t *ft_match_groups_json(const struct ft_match_groups *groups)
{
    json_t *sides[2];
    for (unsigned side = 0; side < 2; side++)
        sides[side] = json_pack("{s:o, s:o}", "all", sum_json(&groups->all[side]), "matched",
                                sum_json(&groups->matched[side]));
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "first", sides[0], "second", sides[1], "matches",
                     matches_json(groups), "only_first", left_json(groups, 0), "only_second",
                     left_json(groups, 1));
}
