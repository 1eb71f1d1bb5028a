/*
 * Two builds side by side as one JSON object (docs/json.md, "structure").
 */
#include "engine/commands/structure/match_report.h"
#include "formats/commands/report_head.h"
#include "formats/commands/scope_report.h"

static json_t *sum_json(const struct ft_match_sum *sum)
{
    return json_pack("{s:I, s:I, s:I}", "scopes", (json_int_t)sum->scopes, "instructions",
                     (json_int_t)sum->instructions, "accesses", (json_int_t)sum->accesses);
}

static json_t *side_json(const struct ft_match_report *report, unsigned side)
{
    const struct ft_trace *trace = report->sides[side].trace;
    const struct ft_metadata *metadata = ft_trace_metadata(trace);
    return json_pack("{s:o, s:o, s:s, s:o, s:o}", "program", ft_json_text(metadata->program),
                     "parameters", ft_parameters_json(metadata), "trace",
                     ft_trace_content_hash(trace), "all", sum_json(&report->all[side]), "matched",
                     sum_json(&report->matched[side]));
}

/* A scope with what is its own. */
static json_t *scope_json(const struct ft_match_report *report, unsigned side, uint32_t scope)
{
    const struct ft_scopes *scopes = &report->sides[side].structure.scopes;
    const struct ft_match_sum *exclusive = &report->exclusive[side][scope];
    return ft_json_merge(ft_scope_json(scopes, scope),
                         json_pack("{s:I, s:I, s:I}", "start_offset",
                                   (json_int_t)scopes->scopes[scope].start_offset, "instructions",
                                   (json_int_t)exclusive->instructions, "accesses",
                                   (json_int_t)exclusive->accesses));
}

/* Each pair once, though it may be the match of one side only. */
static json_t *matches_json(const struct ft_match_report *report)
{
    json_t *list = json_array();
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 1; i < report->sides[side].structure.scopes.scope_count; i++) {
            const struct ft_match *match = &report->matching.of[side][i];
            const bool is_scope =
                report->sides[side].structure.scopes.scopes[i].kind >= FT_SCOPE_ROUTINE;
            if (!is_scope || match->kind == FT_MATCH_NONE ||
                (side == 1 && report->matching.of[0][match->item].item == i))
                continue;
            ft_json_append(&list,
                           json_pack("{s:s, s:o, s:o}", "by", ft_match_kind_names[match->kind],
                                     "first", scope_json(report, 0, side ? match->item : i),
                                     "second", scope_json(report, 1, side ? i : match->item)));
        }
    return list;
}

static json_t *left_json(const struct ft_match_report *report, unsigned side, size_t limit)
{
    json_t *list = json_array();
    for (size_t i = 0; i < report->left_count[side] && i < limit; i++)
        ft_json_append(&list, scope_json(report, side, report->left[side][i]));
    return list;
}

int ft_match_json(const struct ft_match_report *report, size_t limit, FILE *stream,
                  struct ft_diag *diag)
{
    json_t *document =
        json_pack("{s:o, s:o, s:o, s:o, s:o}", "first", side_json(report, 0), "second",
                  side_json(report, 1), "matches", matches_json(report), "only_first",
                  left_json(report, 0, limit), "only_second", left_json(report, 1, limit));
    if (document && report->groups &&
        json_object_set_new(document, "groups", ft_match_groups_json(report->groups)) != 0) {
        json_decref(document);
        document = NULL;
    }
    return ft_json_write(document, stream, diag);
}
