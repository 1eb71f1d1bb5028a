/*
 * The head: time, and how much of it waits; the levels; then group by group how it moves and what
 * it misses where; then changes of the code.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/common_divisor.h"
#include "formats/base/file_name.h"
#include "formats/cli/terminal.h"
#include "formats/skeleton/places.h"
#include "predict/commands/explain_parts.h"
#include "predict/commands/report_parts.h"
#include "predict/shared_levels.h"

#define GROUPS_SHOWN 6U
#define SOME_MISSES  1e-3 /* per access: a level with fewer is not spoken of */
#define SOME_WAITING 0.1  /* of the time */

const char *ft_explained_scope_text(char text[FT_EXPLAINED_TEXT], const struct ft_scopes *scopes,
                                    uint32_t index)
{
    const struct ft_scope *scope = &scopes->scopes[index];
    if (scope->kind == FT_SCOPE_LOOP && scope->first_line)
        snprintf(text, FT_EXPLAINED_TEXT, "the loop at %.80s:%u", ft_file_name(scope->file),
                 scope->first_line);
    else if (scope->kind == FT_SCOPE_LOOP)
        snprintf(text, FT_EXPLAINED_TEXT, "the %.80s", scope->name);
    else if (scope->kind == FT_SCOPE_PROGRAM)
        snprintf(text, FT_EXPLAINED_TEXT, "the program");
    else
        snprintf(text, FT_EXPLAINED_TEXT, "%.80s", scope->name);
    return text;
}

const char *ft_explained_short_text(char text[FT_EXPLAINED_TEXT], const struct ft_scopes *scopes,
                                    uint32_t index)
{
    const char prefix[] = "the loop at ";
    const char *full = ft_explained_scope_text(text, scopes, index);
    return strncmp(full, prefix, sizeof prefix - 1) == 0 ? full + sizeof prefix - 1 : full;
}

const char *ft_explained_line_text(char text[FT_EXPLAINED_TEXT], const struct ft_scopes *scopes,
                                   const struct ft_explained_group *group)
{
    const struct ft_scope *scope = &scopes->scopes[group->scope];
    snprintf(text, FT_EXPLAINED_TEXT, "%.100s:%u",
             scope->file[0] ? ft_file_name(scope->file) : scope->name, group->line);
    return text;
}

static bool matters(const struct ft_explanation_printing *printing, size_t level)
{
    return printing->explanation->misses[level] > SOME_MISSES * printing->explanation->accesses;
}

/* ---- the head ---- */

static void print_head(const struct ft_explanation_printing *printing)
{
    const struct ft_explanation *explanation = printing->explanation;
    const struct ft_prediction *prediction = explanation->prediction;
    char routine[FT_REPORT_SCOPE_TEXT], time[FT_NUMBER_TEXT], core[FT_NUMBER_TEXT],
        waits[FT_NUMBER_TEXT], share[FT_NUMBER_TEXT],
        mapping[FT_NUMBER_TEXT + 32] = "", slowest[FT_EXPLAINED_TEXT];
    const bool is_inside = explanation->slowest != explanation->scope;
    ft_report_scope_text(routine, printing->scopes, explanation->scope);
    if (!explanation->has_time) {
        ft_print_wrapped(printing->stream, 2, "%s, %s = %.15g, on %s.\n", routine,
                         prediction->model->parameter, prediction->n, printing->machine->name);
        return;
    }
    ft_print_wrapped(printing->stream, 2, "%s, %s = %.15g, on %s: %s.\n", routine,
                     prediction->model->parameter, prediction->n, printing->machine->name,
                     ft_text_seconds(time, explanation->seconds));
    const double faults = explanation->page_fault_seconds / explanation->seconds;
    const double waiting = fmax(1 - explanation->core_seconds / explanation->seconds - faults, 0);
    if (faults > 0)
        snprintf(mapping, sizeof mapping, "page faults are %s, ", ft_text_share(share, faults));
    ft_print_wrapped(
        printing->stream, 2, "  %s%s%s%s: the core alone takes %s, %s%s is waiting for memory%s.\n",
        is_inside ? "Most of it in " : "",
        is_inside ? ft_explained_short_text(slowest, printing->scopes, explanation->slowest) : "",
        is_inside ? ", limited by " : "Limited by ", explanation->limited_by,
        ft_text_seconds(core, explanation->core_seconds), mapping, ft_text_share(waits, waiting),
        waiting < SOME_WAITING ? ", so that fewer misses gain little time" : "");
}

/* What groups tell is of the model's own distances alone. */
static void print_threads(const struct ft_explanation_printing *printing)
{
    const struct ft_prediction *prediction = printing->explanation->prediction;
    char levels[FT_LEVELS_TEXT];
    if (*ft_shared_levels_text(levels, prediction->model, prediction->machine,
                               prediction->threads.count))
        ft_print_wrapped(printing->stream, 2,
                         "  Of %.15g threads misses in %s are here as if %s: 'foretrace predict' "
                         "has them as cores share these levels.\n",
                         prediction->threads.count, levels,
                         prediction->model->threads.cores == 1 ? "each had its own"
                                                               : "they shared it as replayed");
}

static void print_method(const struct ft_explanation_printing *printing)
{
    const struct ft_explanation *explanation = printing->explanation;
    if (explanation->not_synthetic)
        ft_print_wrapped(printing->stream, 2,
                         "  Misses are by histograms, and what carries the reuse is unknown: %s. "
                         "'foretrace replay --pairs' and 'info' show it at a size that ran.\n",
                         explanation->not_synthetic);
    else
        ft_print_wrapped(printing->stream, 2,
                         "  Misses are those of the accesses that the skeleton makes, exact LRU%s."
                         "\n",
                         explanation->carriers_complete
                             ? ""
                             : "; what carries the reuse was seen in the first part of them "
                               "(--all: in all)");
}

/* ---- levels ---- */

static int print_levels(const struct ft_explanation_printing *printing, struct ft_diag *diag)
{
    const struct ft_explanation *explanation = printing->explanation;
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    static const char *const titles[] = {"misses", "per access", "cold", "capacity", "conflict"};
    ft_table_column(table, "level", "level", false);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        ft_table_column(table, titles[i], titles[i], true);
    for (size_t level = 0; level < printing->machine->level_count; level++) {
        double cold = 0, capacity = 0, conflict = 0;
        for (size_t i = 0; i < explanation->group_count; i++) {
            const struct ft_explained_misses *misses = &explanation->groups[i].levels[level];
            cold += misses->cold;
            capacity += misses->capacity;
            conflict += misses->conflict;
        }
        ft_table_text(table, printing->machine->levels[level].name);
        ft_table_count(table, explanation->misses[level]);
        ft_table_share(table, explanation->accesses > 0
                                  ? explanation->misses[level] / explanation->accesses
                                  : 0);
        ft_table_count(table, cold);
        ft_table_count(table, capacity);
        ft_table_count(table, conflict);
    }
    fputc('\n', printing->stream);
    return ft_report_finish(table, printing->stream, diag);
}

/* ---- groups ---- */

/* "2,560 bytes (8 N)" */
static void write_stride(FILE *line, const struct ft_explanation_printing *printing,
                         const struct ft_explained_loop *loop)
{
    const struct ft_prediction *prediction = printing->explanation->prediction;
    fprintf(line, "%.15g bytes", fabs(loop->stride_bytes));
    if (loop->follows && loop->power > 0 && loop->stride_bytes != 0)
        fprintf(line, " (%.15g %s%s)", fabs(loop->stride_bytes) / pow(prediction->n, loop->power),
                prediction->model->parameter, loop->power == 2 ? "^2" : "");
}

/* "It moves by 2560 bytes (8 N) in the loop at matmul.c:20, by 8 bytes in ...". */
static void write_motion(FILE *line, const struct ft_explanation_printing *printing,
                         const struct ft_explained_group *group)
{
    char scope[FT_EXPLAINED_TEXT];
    unsigned said = 0;
    fputs("moves ", line);
    for (unsigned i = 0; i < group->loop_count; i++) {
        const struct ft_explained_loop *loop = &group->loops[i];
        if (!loop->is_known)
            continue;
        fputs(said++ > 0 ? ", " : "", line);
        if (loop->stride_bytes == 0) {
            fputs("not at all", line);
        } else {
            fputs("by ", line);
            write_stride(line, printing, loop);
        }
        fprintf(line, " in %s", ft_explained_short_text(scope, printing->scopes, loop->scope));
    }
    if (said == 0)
        fputs("as no stride tells", line);
}

static const char *place_text(char text[FT_NUMBER_TEXT + 32],
                              const struct ft_explained_group *group)
{
    char bytes[FT_NUMBER_TEXT];
    if (!group->has_place)
        return "";
    if (ft_is_in_block(group->place))
        snprintf(text, FT_NUMBER_TEXT + 32, ", heap block %u of %s",
                 (unsigned)((group->place - FT_PLACE_BLOCKS) / FT_PLACE_STEP),
                 ft_text_bytes(bytes, group->block_bytes));
    else
        snprintf(text, FT_NUMBER_TEXT + 32, ft_is_on_stack(group->place) ? ", stack" : ", static");
    return text;
}

/* How many sets a group reaches in its innermost loop, where that tells. */
static void write_sets(FILE *line, const struct ft_explanation_printing *printing,
                       const struct ft_explained_group *group, size_t index)
{
    const struct ft_level *level = &printing->machine->levels[index];
    const struct ft_explained_loop *moving = ft_explained_moving_loop(group);
    if (!moving)
        return;
    const double lines = fabs(moving->stride_bytes) / (double)level->block_bytes;
    if (lines < 1 || lines != floor(lines))
        return;
    const uint64_t sets = ft_level_sets(level);
    const uint64_t reached = sets / (uint64_t)ft_common_divisor(sets, (uint64_t)lines);
    if (reached < sets)
        fprintf(line, ": in steps of %.15g bytes it reaches %llu of %llu sets",
                fabs(moving->stride_bytes), (unsigned long long)reached, (unsigned long long)sets);
}

/* What a pattern means, as the end of a sentence about a level. */
static void write_pattern(FILE *line, const struct ft_explanation_printing *printing,
                          const struct ft_explained_group *group, size_t level)
{
    const struct ft_explained_misses *misses = &group->levels[level];
    char carrier[FT_EXPLAINED_TEXT], source[FT_EXPLAINED_TEXT], share[FT_NUMBER_TEXT];
    ft_explained_scope_text(carrier, printing->scopes, misses->carrier);
    switch (misses->pattern) {
    case FT_MISSES_COLD:
        fputs(": first touches, which no cache avoids", line);
        return;
    case FT_MISSES_CHAIN:
        fputs(": each load gives the address of the next", line);
        return;
    case FT_MISSES_IRREGULAR:
        fputs(": addresses depend on data", line);
        return;
    case FT_MISSES_CONFLICT:
        write_sets(line, printing, group, level);
        break;
    default:
        break;
    }
    if (!misses->has_carrier) {
        if (misses->pattern == FT_MISSES_COLUMN)
            fputs(": each access enters another line", line);
        return;
    }
    ft_text_share(share, misses->carried_share);
    if (misses->pattern == FT_MISSES_COLUMN)
        fprintf(line,
                ": each access enters another line, which %s uses up, but comes back too late (%s "
                "of what is not cold)",
                carrier, share);
    else if (misses->pattern == FT_MISSES_BETWEEN)
        fprintf(line, ": %s used the data before, within %s (%s)",
                ft_explained_scope_text(source, printing->scopes, misses->source), carrier, share);
    else
        fprintf(line, ": the data come back in %s iteration of %s (%s)",
                misses->across ? "another" : "the same", carrier, share);
}

static void write_level(FILE *line, const struct ft_explanation_printing *printing,
                        const struct ft_explained_group *group, size_t level)
{
    const struct ft_explained_misses *misses = &group->levels[level];
    const struct ft_prediction *prediction = printing->explanation->prediction;
    char count[FT_NUMBER_TEXT], part[FT_NUMBER_TEXT];
    const struct {
        const char *name;
        double misses;
    } causes[] = {
        {"cold", misses->cold}, {"capacity", misses->capacity}, {"conflict", misses->conflict}};
    unsigned said = 0;
    fprintf(line, "%s misses, ", ft_text_count(count, misses->misses));
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (causes[i].misses > SOME_WAITING * misses->misses)
            fprintf(line, "%s%s %s", said++ > 0 ? ", " : "",
                    ft_text_share(part, causes[i].misses / misses->misses), causes[i].name);
    write_pattern(line, printing, group, level);
    if (!isnan(misses->since))
        fprintf(line, "; capacity is exceeded from %s = %.15g on", prediction->model->parameter,
                misses->since);
    fputs(".\n", line);
}

/* Prints what was written to a memory stream, wrapped, and frees it. */
static void print_line(const struct ft_explanation_printing *printing, FILE *line, char **text,
                       size_t indent)
{
    fclose(line);
    ft_print_wrapped(printing->stream, indent, "%s", *text);
    free(*text);
    *text = NULL;
}

static bool is_covered(const struct ft_explanation_printing *printing,
                       const struct ft_explained_group *group, size_t level)
{
    return matters(printing, level) && group->levels[level].pattern != FT_MISSES_FEW;
}

/* A sentence for each level; levels of which it is the same share one. */
static int print_group_levels(const struct ft_explanation_printing *printing,
                              const struct ft_explained_group *group, struct ft_diag *diag)
{
    char *said = NULL, *names = NULL;
    for (size_t level = 0; level <= printing->machine->level_count; level++) {
        const bool is_end = level == printing->machine->level_count;
        char *text = NULL, *all = NULL;
        size_t bytes;
        if (!is_end && !is_covered(printing, group, level))
            continue;
        FILE *line = is_end ? NULL : open_memstream(&text, &bytes);
        if (line) {
            write_level(line, printing, group, level);
            fclose(line);
        }
        const bool is_same = said && text && strcmp(said, text) == 0;
        if (said && !is_same)
            ft_print_wrapped(printing->stream, 4, "  %s: %s", names, said);
        const char *name = is_end ? "" : printing->machine->levels[level].name;
        if (!is_end && (!text || asprintf(&all, "%s%s%s", is_same ? names : "", is_same ? ", " : "",
                                          name) < 0)) {
            free(text);
            free(said);
            free(names);
            return ft_fail_memory(diag, "an explanation");
        }
        free(said);
        free(names);
        said = text;
        names = all;
    }
    return FT_OK;
}

static int print_group(const struct ft_explanation_printing *printing,
                       const struct ft_explained_group *group, struct ft_diag *diag)
{
    char *text = NULL, where[FT_EXPLAINED_TEXT], count[FT_NUMBER_TEXT], place[FT_NUMBER_TEXT + 32],
         share[FT_NUMBER_TEXT];
    size_t bytes;
    FILE *line = open_memstream(&text, &bytes);
    if (!line)
        return ft_fail_memory(diag, "an explanation");
    fprintf(line, "%s: %s %s", ft_explained_line_text(where, printing->scopes, group),
            ft_text_count(count, group->accesses),
            group->loads && group->stores ? "loads and stores"
            : group->stores               ? "stores"
                                          : "loads");
    if (group->size_bytes)
        fprintf(line, " of %u bytes", group->size_bytes);
    fprintf(line, "%s; ", place_text(place, group));
    write_motion(line, printing, group);
    if (group->line_use < 1)
        fprintf(line, "; of lines %s of the bytes are used", ft_text_share(share, group->line_use));
    fputs(".\n", line);
    print_line(printing, line, &text, 2);
    return print_group_levels(printing, group, diag);
}

static bool is_shown(const struct ft_explanation_printing *printing,
                     const struct ft_explained_group *group)
{
    for (size_t level = 0; level < printing->machine->level_count; level++)
        if (is_covered(printing, group, level))
            return true;
    return false;
}

static int print_groups(const struct ft_explanation_printing *printing, struct ft_diag *diag)
{
    const struct ft_explanation *explanation = printing->explanation;
    size_t told = 0;
    for (size_t i = 0; i < explanation->group_count; i++) {
        if (!is_shown(printing, &explanation->groups[i]))
            continue;
        if (told++ == GROUPS_SHOWN && !ft_terminal_is_wide()) {
            fputs("More lines miss: --wide\n", printing->stream);
            break;
        }
        if (told == 1)
            fputc('\n', printing->stream);
        FT_TRY(print_group(printing, &explanation->groups[i], diag));
    }
    if (told == 0)
        fputs("\nNothing misses that matters.\n", printing->stream);
    return FT_OK;
}

int ft_explanation_text(const struct ft_explanation *explanation, FILE *stream,
                        struct ft_diag *diag)
{
    const struct ft_explanation_printing printing = {explanation, explanation->prediction->machine,
                                                     &explanation->prediction->model->scopes,
                                                     stream};
    print_head(&printing);
    print_method(&printing);
    print_threads(&printing);
    FT_TRY(print_levels(&printing, diag));
    FT_TRY(print_groups(&printing, diag));
    return ft_explained_changes_print(&printing, diag);
}
