/*
 * Changes of the code: in a table those that were simulated and gain, in sentences the others.
 */
#include <string.h>

#include "formats/cli/table.h"
#include "formats/cli/terminal.h"
#include "predict/commands/explain_parts.h"
#include "predict/commands/report_parts.h"

#define CHANGE_TEXT 256
/* "line 18", or where that is unknown the loop's name. */
static const char *line_text(char text[FT_EXPLAINED_TEXT],
                             const struct ft_explanation_printing *printing, uint32_t scope)
{
    if (printing->scopes->scopes[scope].first_line)
        snprintf(text, FT_EXPLAINED_TEXT, "line %u", printing->scopes->scopes[scope].first_line);
    else
        ft_explained_short_text(text, printing->scopes, scope);
    return text;
}

static void write_tiles(char text[CHANGE_TEXT], const struct ft_explanation_printing *printing,
                        const struct ft_change *change)
{
    char loop[FT_EXPLAINED_TEXT];
    size_t length = change->tile > 0
                        ? (size_t)snprintf(text, CHANGE_TEXT,
                                           "tiles of %llu:", (unsigned long long)change->tile)
                        : (size_t)snprintf(text, CHANGE_TEXT, "tiles:");
    for (unsigned i = 0; i < change->tiled_count && length < CHANGE_TEXT; i++) {
        const char *name = line_text(loop, printing, change->tiled[i]);
        const bool is_same = i > 0 && strncmp(name, "line ", 5) == 0; /* "line 18, 20" */
        length += (size_t)snprintf(text + length, CHANGE_TEXT - length, "%s %.60s",
                                   i > 0 ? "," : "", is_same ? name + 5 : name);
    }
}

static const char *change_text(char text[CHANGE_TEXT],
                               const struct ft_explanation_printing *printing,
                               const struct ft_change *change)
{
    char loop[FT_EXPLAINED_TEXT], other[FT_EXPLAINED_TEXT];
    switch (change->kind) {
    case FT_CHANGE_INTERCHANGE:
        snprintf(text, CHANGE_TEXT, "innermost: %.80s", line_text(loop, printing, change->loop));
        break;
    case FT_CHANGE_TILE:
        write_tiles(text, printing, change);
        break;
    case FT_CHANGE_PAD:
        snprintf(text, CHANGE_TEXT, "rows of %llu + %llu bytes",
                 (unsigned long long)change->row_bytes, (unsigned long long)change->pad_bytes);
        break;
    case FT_CHANGE_SHIFT:
        snprintf(text, CHANGE_TEXT, "arrays %llu bytes apart",
                 (unsigned long long)change->pad_bytes);
        break;
    case FT_CHANGE_FUSE:
        snprintf(text, CHANGE_TEXT, "fuse %.80s with %.80s",
                 ft_explained_short_text(other, printing->scopes, change->other),
                 ft_explained_short_text(loop, printing->scopes, change->loop));
        break;
    default:
        snprintf(text, CHANGE_TEXT, "%s", ft_change_kind_names[change->kind]);
        break;
    }
    return text;
}

static bool has_forecasts(const struct ft_explanation *explanation)
{
    return explanation->change_count > 0 && explanation->changes[0].gains;
}

static void add_cells(const struct ft_explanation_printing *printing, struct ft_table *table,
                      const char *name, double seconds, const double *misses)
{
    ft_table_text(table, name);
    if (printing->explanation->has_time)
        ft_table_seconds(table, seconds);
    for (size_t i = 0; i < printing->machine->level_count; i++)
        ft_table_count(table, misses[i]);
}

static int print_forecasts(const struct ft_explanation_printing *printing, struct ft_diag *diag)
{
    const struct ft_explanation *explanation = printing->explanation;
    char text[CHANGE_TEXT], scope[FT_EXPLAINED_TEXT];
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "change", "change", false);
    if (explanation->has_time)
        ft_table_column(table, "time", "seconds", true);
    for (size_t i = 0; i < printing->machine->level_count; i++)
        ft_table_column(table, printing->machine->levels[i].name, "misses", true);
    add_cells(printing, table, "as it is", explanation->changes[0].seconds_before,
              explanation->changes[0].before);
    for (size_t i = 0; i < explanation->change_count; i++)
        if (explanation->changes[i].gains)
            add_cells(printing, table, change_text(text, printing, &explanation->changes[i]),
                      explanation->changes[i].seconds_after, explanation->changes[i].after);
    fputc('\n', printing->stream);
    ft_print_wrapped(
        printing->stream, 0,
        "What changes of the code would make of the misses of %s, simulated%s, if dependences "
        "allow them ('structure --dependences' shows those that are known):\n\n",
        ft_explained_scope_text(scope, printing->scopes, explanation->changed_scope),
        explanation->has_time ? ", and of its time, at most" : "");
    return ft_report_finish(table, printing->stream, diag);
}

/* Why a change was not simulated, as the end of a sentence. */
static const char *why_not(const struct ft_explanation_printing *printing,
                           const struct ft_change *change)
{
    if (printing->explanation->not_synthetic || !change->before)
        return "";
    if (change->left_out)
        return change->left_out;
    return change->kind == FT_CHANGE_INTERCHANGE || change->kind == FT_CHANGE_TILE
               ? "as the loops are no rectangular nest"
               : "as the arrays are in no blocks of the heap";
}

/* Of a change without a forecast, why it may help. */
static void print_idea(const struct ft_explanation_printing *printing,
                       const struct ft_change *change)
{
    const struct ft_explained_group *group = &printing->explanation->groups[change->group];
    char text[CHANGE_TEXT], share[FT_NUMBER_TEXT], line[FT_EXPLAINED_TEXT];
    const char *level = printing->machine->levels[change->level].name;
    const char *why = why_not(printing, change);
    ft_explained_line_text(line, printing->scopes, group);
    switch (change->kind) {
    case FT_CHANGE_LAYOUT:
        ft_print_wrapped(printing->stream, 2,
                         "- Layout: %s uses %s of each line; with what it uses side by side it "
                         "would have as many misses less in %s.\n",
                         line, ft_text_share(share, group->line_use), level);
        break;
    case FT_CHANGE_PREFETCH:
        ft_print_wrapped(printing->stream, 2,
                         "- Prefetch by software: the addresses of %s are known some iterations "
                         "ahead; or order the data by use.\n",
                         line);
        break;
    case FT_CHANGE_FUSE:
        ft_print_wrapped(printing->stream, 2,
                         "- %s would use the data while they are in %s; not simulated.\n",
                         change_text(text, printing, change), level);
        break;
    default:
        ft_print_wrapped(printing->stream, 2,
                         "- %s may remove misses of %s in %s; not simulated%s%s.\n",
                         change_text(text, printing, change), line, level, why[0] ? ", " : "", why);
        break;
    }
}

/* What limits a scope from which no change removes misses, as a sentence. */
static const char *advice_for(enum ft_explained_limit limit)
{
    switch (limit) {
    case FT_LIMITED_BY_RECURRENCE:
        return " What limits it is a recurrence: independent partial results would shorten that.";
    case FT_LIMITED_BY_CORE:
        return " What limits it is the core.";
    case FT_LIMITED_BY_STREAMS:
        return " It streams as fast as that is delivered: only fewer bytes would help, by smaller "
               "types or by using data again while they are near.";
    case FT_LIMITED_BY_PAGE_FAULTS:
        return " What limits it is the system, which maps pages that are touched for the first "
               "time: "
               "memory that is used again, or large pages, would save that.";
    default:
        return "";
    }
}

static void print_no_change(const struct ft_explanation_printing *printing)
{
    ft_print_wrapped(printing->stream, 0,
                     "\nNo change of loops, padding or layout removes misses here.%s\n",
                     advice_for(printing->explanation->limit));
}

/* What was simulated in vain. */
static void print_without_gain(const struct ft_explanation_printing *printing)
{
    const struct ft_explanation *explanation = printing->explanation;
    char text[CHANGE_TEXT];
    for (size_t i = 0; i < explanation->change_count; i++)
        if (explanation->changes[i].is_forecast && !explanation->changes[i].gains)
            ft_print_wrapped(printing->stream, 2, "\nSimulated, with little or no gain: %s.\n",
                             change_text(text, printing, &explanation->changes[i]));
}

int ft_explained_changes_print(const struct ft_explanation_printing *printing, struct ft_diag *diag)
{
    const struct ft_explanation *explanation = printing->explanation;
    bool any = false;
    if (has_forecasts(explanation))
        FT_TRY(print_forecasts(printing, diag));
    for (size_t i = 0; i < explanation->change_count; i++) {
        if (explanation->changes[i].is_forecast)
            continue;
        if (!any)
            fputs(has_forecasts(explanation) ? "\nBesides:\n" : "\nWhat may help:\n",
                  printing->stream);
        any = true;
        print_idea(printing, &explanation->changes[i]);
    }
    print_without_gain(printing);
    if (!any && !has_forecasts(explanation))
        print_no_change(printing);
    return FT_OK;
}
