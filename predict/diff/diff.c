/*
 * 1. Scopes of both sides that match, from either side, get one row: sets that are joined.
 * 2. Values: exclusive ones are added up; inclusive ones of the outermost scopes of a row alone.
 * 3. How much of each side is related to the other.
 */
#include "predict/diff/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/match/modules.h"
#include "engine/match/scopes.h"
#include "formats/base/file_name.h"
#include "predict/diff/renamed.h"

#define RELATED_MIN 0.2 /* of the work: as fit takes traces for those of another program */

static const struct ft_scope *scope_of(const struct ft_diff *diff, unsigned side, uint32_t scope)
{
    return &diff->sides[side].scopes->scopes[scope];
}

static bool is_row(const struct ft_scope *scope)
{
    return scope->kind == FT_SCOPE_ROUTINE || scope->kind == FT_SCOPE_LOOP;
}

/* ---- matching ---- */

/* Each scope of a tree is itself. */
static int match_same(const struct ft_scopes *scopes, struct ft_matching *ret_matching,
                      struct ft_diag *diag)
{
    struct ft_matching matching = {0};
    for (unsigned side = 0; side < 2; side++) {
        matching.of[side] = calloc(scopes->scope_count + 1, sizeof *matching.of[side]);
        for (uint32_t i = 0; matching.of[side] && i < scopes->scope_count; i++)
            matching.of[side][i] = (struct ft_match){i, FT_MATCH_CODE};
    }
    if (!matching.of[0] || !matching.of[1]) {
        ft_matching_fini(&matching);
        return ft_fail_memory(diag, "a diff");
    }
    *ret_matching = matching;
    return FT_OK;
}

static int match(const struct ft_diff_side sides[2], struct ft_matching *ret_matching,
                 struct ft_diag *diag)
{
    struct ft_scope_locations locations[2] = {0};
    if (sides[0].scopes == sides[1].scopes)
        return match_same(sides[0].scopes, ret_matching, diag);
    int status = ft_scope_locations_make(sides[0].scopes, &locations[0], diag);
    if (status == FT_OK)
        status = ft_scope_locations_make(sides[1].scopes, &locations[1], diag);
    if (status == FT_OK)
        status = ft_scopes_match(locations, ret_matching, diag);
    if (status == FT_OK)
        ft_match_renamed(locations, ret_matching);
    for (unsigned side = 0; side < 2; side++)
        ft_scope_locations_fini(&locations[side]);
    return status;
}

/* ---- rows ---- */

/* Scopes of the first side, then those of the second, in a forest of joined sets. */
static uint32_t root_of(uint32_t *parents, uint32_t item)
{
    while (parents[item] != item)
        item = parents[item] = parents[parents[item]];
    return item;
}

static void join_matches(const struct ft_diff *diff, const struct ft_matching *matching,
                         uint32_t *parents)
{
    const uint32_t first = (uint32_t)diff->sides[0].scopes->scope_count;
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < diff->sides[side].scopes->scope_count; i++) {
            const struct ft_match *found = &matching->of[side][i];
            if (found->kind == FT_MATCH_NONE || !is_row(scope_of(diff, side, i)))
                continue;
            const uint32_t a = root_of(parents, side ? first + i : i);
            const uint32_t b = root_of(parents, side ? found->item : first + found->item);
            parents[a > b ? a : b] = a > b ? b : a;
        }
}

/* Numbers the sets in the order of their first scopes. */
static void number_rows(struct ft_diff *diff, uint32_t *parents)
{
    const uint32_t first = (uint32_t)diff->sides[0].scopes->scope_count;
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < diff->sides[side].scopes->scope_count; i++) {
            const uint32_t item = side ? first + i : i, root = root_of(parents, item);
            uint32_t *row = &diff->row_of[side][i];
            *row = FT_NO_ROW;
            if (!is_row(scope_of(diff, side, i)))
                continue;
            *row = root == item   ? diff->row_count++
                   : root < first ? diff->row_of[0][root]
                                  : diff->row_of[1][root - first];
            diff->rows[*row].counts[side]++;
        }
}

static double work_of(const struct ft_diff *diff, unsigned side, uint32_t scope)
{
    double work = 0;
    for (size_t i = 0; i < diff->metrics->count; i++)
        if (diff->metrics->items[i].kind == FT_SHOW_ACCESSES ||
            diff->metrics->items[i].kind == FT_SHOW_INSTRUCTIONS)
            work += diff->sides[side].exclusive[scope * diff->metrics->count + i];
    return isnan(work) ? 0 : work;
}

static void choose_scopes(struct ft_diff *diff, const struct ft_matching *matching)
{
    for (uint32_t i = 0; i < diff->row_count; i++)
        diff->rows[i].scopes[0] = diff->rows[i].scopes[1] = FT_NO_MATCH;
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < diff->sides[side].scopes->scope_count; i++) {
            if (diff->row_of[side][i] == FT_NO_ROW)
                continue;
            struct ft_diff_row *row = &diff->rows[diff->row_of[side][i]];
            uint32_t *chosen = &row->scopes[side];
            if (*chosen != FT_NO_MATCH && work_of(diff, side, i) <= work_of(diff, side, *chosen))
                continue;
            *chosen = i;
            row->kind = matching->of[side][i].kind;
        }
}

static int make_rows(struct ft_diff *diff, const struct ft_matching *matching, struct ft_diag *diag)
{
    const size_t counts[2] = {diff->sides[0].scopes->scope_count,
                              diff->sides[1].scopes->scope_count};
    uint32_t *parents = calloc(counts[0] + counts[1] + 1, sizeof *parents);
    diff->rows = calloc(counts[0] + counts[1] + 1, sizeof *diff->rows);
    for (unsigned side = 0; side < 2; side++)
        diff->row_of[side] = calloc(counts[side] + 1, sizeof *diff->row_of[side]);
    if (!parents || !diff->rows || !diff->row_of[0] || !diff->row_of[1]) {
        free(parents);
        return ft_fail_memory(diag, "a diff");
    }
    for (uint32_t i = 0; i < counts[0] + counts[1]; i++)
        parents[i] = i;
    join_matches(diff, matching, parents);
    number_rows(diff, parents);
    choose_scopes(diff, matching);
    free(parents);
    return FT_OK;
}

/* ---- values ---- */

/* Whether a scope is nested in another one of its row. */
static bool is_nested(const struct ft_diff *diff, unsigned side, uint32_t scope)
{
    const uint32_t row = diff->row_of[side][scope];
    while (scope > 0) {
        scope = scope_of(diff, side, scope)->parent;
        if (diff->row_of[side][scope] == row)
            return true;
    }
    return false;
}

static int fill_values(struct ft_diff *diff, struct ft_diag *diag)
{
    const size_t numbers = 2 * (size_t)diff->row_count * diff->metrics->count;
    diff->exclusive = calloc(numbers + 1, sizeof *diff->exclusive);
    diff->inclusive = calloc(numbers + 1, sizeof *diff->inclusive);
    if (!diff->exclusive || !diff->inclusive)
        return ft_fail_memory(diag, "a diff");
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < diff->sides[side].scopes->scope_count; i++) {
            const uint32_t row = diff->row_of[side][i];
            if (row == FT_NO_ROW)
                continue;
            const bool is_outermost = !is_nested(diff, side, i);
            for (size_t m = 0; m < diff->metrics->count; m++) {
                const size_t from = i * diff->metrics->count + m,
                             to = ft_diff_value_at(diff, row, side, m);
                diff->exclusive[to] += diff->sides[side].exclusive[from];
                if (!is_outermost)
                    continue;
                diff->inclusive[to].value += diff->sides[side].inclusive[from].value;
                diff->inclusive[to].low += diff->sides[side].inclusive[from].low;
                diff->inclusive[to].high += diff->sides[side].inclusive[from].high;
            }
        }
    return FT_OK;
}

/* ---- related ---- */

static bool is_of_program(const struct ft_scopes *scopes, uint32_t scope)
{
    const uint32_t program = ft_program_module(scopes);
    return program == FT_NO_MODULE || scopes->scopes[scope].module == program;
}

/* Whether the program of a tree has code from a source file of that name. */
static bool has_file(const struct ft_scopes *scopes, const char *file)
{
    for (uint32_t i = 1; *file && i < scopes->scope_count; i++)
        if (is_row(&scopes->scopes[i]) && is_of_program(scopes, i) &&
            strcmp(ft_file_name(scopes->scopes[i].file), ft_file_name(file)) == 0)
            return true;
    return false;
}

/* Names that programs without lines have alike. */
static bool is_common_name(const char *name)
{
    return strcmp(name, "main") == 0 || strcmp(name, "MAIN__") == 0 || name[0] == '_';
}

/* Whether a scope's code may be the other side's, too: its routine is matched by more than a name
 * such as main, or its source file is one of the other side. Without a file names of programs, or
 * what matched the loop, have to do. */
static bool is_related(const struct ft_diff *diff, const struct ft_matching *matching,
                       unsigned side, uint32_t scope)
{
    const struct ft_scopes *scopes = diff->sides[side].scopes, *others = diff->sides[!side].scopes;
    const struct ft_scope *item = &scopes->scopes[scope];
    const uint32_t routine = ft_scope_routine(scopes, scope);
    const uint8_t kind = matching->of[side][routine].kind;
    if (!is_row(item))
        return false;
    if (kind == FT_MATCH_CODE || kind == FT_MATCH_SHAPE ||
        (kind != FT_MATCH_NONE && !is_common_name(scopes->scopes[routine].name)))
        return true;
    if (item->file[0])
        return has_file(others, item->file);
    return (kind != FT_MATCH_NONE && strcmp(scopes->scopes[0].name, others->scopes[0].name) == 0) ||
           (item->kind == FT_SCOPE_LOOP && matching->of[side][scope].kind != FT_MATCH_NONE);
}

static void find_related(struct ft_diff *diff, const struct ft_matching *matching)
{
    for (unsigned side = 0; side < 2; side++) {
        double all = 0, related = 0;
        for (uint32_t i = 0; i < diff->sides[side].scopes->scope_count; i++) {
            const double work = work_of(diff, side, i);
            if (!(work > 0) || !is_of_program(diff->sides[side].scopes, i))
                continue;
            all += work;
            related += is_related(diff, matching, side, i) ? work : 0;
        }
        diff->related[side] = all > 0 ? related / all : 1;
    }
}

bool ft_diff_is_related(const struct ft_diff *diff)
{
    return fmax(diff->related[0], diff->related[1]) >= RELATED_MIN;
}

int ft_diff_make(const struct ft_diff_side sides[2], const struct ft_diff_metrics *metrics,
                 bool alike, struct ft_diff *ret_diff, struct ft_diag *diag)
{
    struct ft_diff diff = {.sides = sides, .metrics = metrics, .alike = alike};
    struct ft_matching matching;
    FT_TRY(match(sides, &matching, diag));
    int status = make_rows(&diff, &matching, diag);
    if (status == FT_OK)
        status = fill_values(&diff, diag);
    if (status == FT_OK)
        find_related(&diff, &matching);
    ft_matching_fini(&matching);
    if (status == FT_OK)
        *ret_diff = diff;
    else
        ft_diff_fini(&diff);
    return status;
}

void ft_diff_fini(struct ft_diff *diff)
{
    free(diff->rows);
    free(diff->row_of[0]);
    free(diff->row_of[1]);
    free(diff->exclusive);
    free(diff->inclusive);
    *diff = (struct ft_diff){0};
}
