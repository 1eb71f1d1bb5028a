/*
 * The head: time, and how much of it waits; the levels; then group by group how it moves and what
 * it misses where; then changes of the code, in a table those that were simulated, in sentences the
 * others.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/cli/terminal.h"
#include "formats/skeleton/places.h"
#include "predict/commands/explain_report.h"
#include "predict/commands/report_parts.h"

#define GROUPS_SHOWN 6U
#define SOME_MISSES  1e-3 /* per access: a level with fewer is not spoken of */
#define SOME_WAITING 0.1  /* of the time */

struct printing {
    const struct ft_explanation *explanation;
    const struct ft_machine *machine;
    const struct ft_scopes *scopes;
    FILE *stream;
};

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "the loop at matmul.c:18", or a routine. */
#define SCOPE_TEXT 160
static const char *scope_text(char text[SCOPE_TEXT], const struct printing *printing,
                              uint32_t index)
{
    const struct ft_scope *scope = &printing->scopes->scopes[index];
    if (scope->kind == FT_SCOPE_LOOP && scope->first_line)
        snprintf(text, SCOPE_TEXT, "the loop at %.80s:%u", file_name(scope->file),
                 scope->first_line);
    else if (scope->kind == FT_SCOPE_LOOP)
        snprintf(text, SCOPE_TEXT, "the %.80s", scope->name);
    else if (scope->kind == FT_SCOPE_PROGRAM)
        snprintf(text, SCOPE_TEXT, "the program");
    else
        snprintf(text, SCOPE_TEXT, "%.80s", scope->name);
    return text;
}

/* "matmul.c:18" */
static const char *short_text(char text[SCOPE_TEXT], const struct printing *printing,
                              uint32_t index)
{
    const char *full = scope_text(text, printing, index);
    const char prefix[] = "the loop at ";
    return strncmp(full, prefix, sizeof prefix - 1) == 0 ? full + sizeof prefix - 1 : full;
}

static bool matters(const struct printing *printing, size_t level)
{
    return printing->explanation->misses[level] > SOME_MISSES * printing->explanation->accesses;
}

/* ---- the head ---- */

static void print_head(const struct printing *printing)
{
    const struct ft_explanation *explanation = printing->explanation;
    const struct ft_prediction *prediction = explanation->prediction;
    char routine[FT_REPORT_SCOPE_TEXT], time[FT_NUMBER_TEXT], core[FT_NUMBER_TEXT],
        waits[FT_NUMBER_TEXT], slowest[SCOPE_TEXT];
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
    const double waiting = fmax(1 - explanation->core_seconds / explanation->seconds, 0);
    ft_print_wrapped(
        printing->stream, 2, "  %s%s%s%s: the core alone takes %s, %s is waiting for memory%s.\n",
        is_inside ? "Most of it in " : "",
        is_inside ? short_text(slowest, printing, explanation->slowest) : "",
        is_inside ? ", limited by " : "Limited by ", explanation->limited_by,
        ft_text_seconds(core, explanation->core_seconds), ft_text_share(waits, waiting),
        waiting < SOME_WAITING ? ", so that fewer misses gain little time" : "");
}

static void print_method(const struct printing *printing)
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

static int print_levels(const struct printing *printing, struct ft_diag *diag)
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
static void write_stride(FILE *line, const struct printing *printing,
                         const struct ft_explained_loop *loop)
{
    const struct ft_prediction *prediction = printing->explanation->prediction;
    fprintf(line, "%.15g bytes", fabs(loop->stride_bytes));
    if (loop->follows && loop->power > 0 && loop->stride_bytes != 0)
        fprintf(line, " (%.15g %s%s)", fabs(loop->stride_bytes) / pow(prediction->n, loop->power),
                prediction->model->parameter, loop->power == 2 ? "^2" : "");
}

/* "It moves by 2560 bytes (8 N) in the loop at matmul.c:20, by 8 bytes in ...". */
static void write_motion(FILE *line, const struct printing *printing,
                         const struct ft_explained_group *group)
{
    char scope[SCOPE_TEXT];
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
        fprintf(line, " in %s", short_text(scope, printing, loop->scope));
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

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

/* How many sets a group reaches in its innermost loop, where that tells. */
static void write_sets(FILE *line, const struct printing *printing,
                       const struct ft_explained_group *group, size_t index)
{
    const struct ft_level *level = &printing->machine->levels[index];
    const struct ft_explained_loop *moving = ft_explained_moving_loop(group);
    const double lines = moving ? fabs(moving->stride_bytes) / (double)level->block_bytes : 0;
    if (lines < 1 || lines != floor(lines))
        return;
    const uint64_t sets = ft_level_sets(level);
    const uint64_t reached = sets / common_divisor(sets, (uint64_t)lines);
    if (reached < sets)
        fprintf(line, ": in steps of %.15g bytes it reaches %llu of %llu sets",
                fabs(moving->stride_bytes), (unsigned long long)reached, (unsigned long long)sets);
}

/* What a pattern means, as the end of a sentence about a level. */
static void write_pattern(FILE *line, const struct printing *printing,
                          const struct ft_explained_group *group, size_t level)
{
    const struct ft_explained_misses *misses = &group->levels[level];
    char carrier[SCOPE_TEXT], source[SCOPE_TEXT], share[FT_NUMBER_TEXT];
    scope_text(carrier, printing, misses->carrier);
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
    if (!misses->has_carrier)
        return;
    ft_text_share(share, misses->carried_share);
    if (misses->pattern == FT_MISSES_COLUMN)
        fprintf(line,
                ": each access enters another line, which %s uses up, but comes back too late (%s "
                "of what is not cold)",
                carrier, share);
    else if (misses->pattern == FT_MISSES_BETWEEN)
        fprintf(line, ": %s used the data before, within %s (%s)",
                scope_text(source, printing, misses->source), carrier, share);
    else
        fprintf(line, ": the data come back in %s iteration of %s (%s)",
                misses->across ? "another" : "the same", carrier, share);
}

static void write_level(FILE *line, const struct printing *printing,
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
    fprintf(line, "  %s: %s misses, ", printing->machine->levels[level].name,
            ft_text_count(count, misses->misses));
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
static void print_line(const struct printing *printing, FILE *line, char **text, size_t indent)
{
    fclose(line);
    ft_print_wrapped(printing->stream, indent, "%s", *text);
    free(*text);
    *text = NULL;
}

static int print_group(const struct printing *printing, const struct ft_explained_group *group,
                       struct ft_diag *diag)
{
    const struct ft_scope *scope = &printing->scopes->scopes[group->scope];
    char *text = NULL, count[FT_NUMBER_TEXT], place[FT_NUMBER_TEXT + 32], share[FT_NUMBER_TEXT];
    size_t bytes;
    FILE *line = open_memstream(&text, &bytes);
    if (!line)
        return ft_fail_memory(diag, "an explanation");
    fprintf(line, "%s:%u: %s %s", scope->file[0] ? file_name(scope->file) : scope->name,
            group->line, ft_text_count(count, group->accesses),
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
    for (size_t level = 0; level < printing->machine->level_count; level++) {
        if (!matters(printing, level) || group->levels[level].pattern == FT_MISSES_FEW)
            continue;
        line = open_memstream(&text, &bytes);
        if (!line)
            return ft_fail_memory(diag, "an explanation");
        write_level(line, printing, group, level);
        print_line(printing, line, &text, 4);
    }
    return FT_OK;
}

static bool is_shown(const struct printing *printing, const struct ft_explained_group *group)
{
    for (size_t level = 0; level < printing->machine->level_count; level++)
        if (matters(printing, level) && group->levels[level].pattern != FT_MISSES_FEW)
            return true;
    return false;
}

static int print_groups(const struct printing *printing, struct ft_diag *diag)
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

/* ---- changes ---- */

#define CHANGE_TEXT 256
static const char *change_text(char text[CHANGE_TEXT], const struct printing *printing,
                               const struct ft_change *change)
{
    char loop[SCOPE_TEXT], other[SCOPE_TEXT];
    size_t length = 0;
    switch (change->kind) {
    case FT_CHANGE_INTERCHANGE:
        snprintf(text, CHANGE_TEXT, "%.80s innermost", short_text(loop, printing, change->loop));
        break;
    case FT_CHANGE_TILE:
        if (change->tile > 0)
            length = (size_t)snprintf(text, CHANGE_TEXT, "tiles of %llu of",
                                      (unsigned long long)change->tile);
        else
            length = (size_t)snprintf(text, CHANGE_TEXT, "tiles of");
        for (unsigned i = 0; i < change->tiled_count && length < CHANGE_TEXT; i++)
            length += (size_t)snprintf(text + length, CHANGE_TEXT - length, " %.60s",
                                       short_text(loop, printing, change->tiled[i]));
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
                 short_text(other, printing, change->other),
                 short_text(loop, printing, change->loop));
        break;
    default:
        snprintf(text, CHANGE_TEXT, "%s", ft_change_kind_names[change->kind]);
        break;
    }
    return text;
}

static bool has_forecasts(const struct ft_explanation *explanation)
{
    return explanation->change_count > 0 && explanation->changes[0].is_forecast;
}

static void add_cells(const struct printing *printing, struct ft_table *table, const char *name,
                      double seconds, const double *misses)
{
    ft_table_text(table, name);
    if (printing->explanation->has_time)
        ft_table_seconds(table, seconds);
    for (size_t i = 0; i < printing->machine->level_count; i++)
        ft_table_count(table, misses[i]);
}

static int print_forecasts(const struct printing *printing, struct ft_diag *diag)
{
    const struct ft_explanation *explanation = printing->explanation;
    char text[CHANGE_TEXT];
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "change", "change", false);
    if (explanation->has_time)
        ft_table_column(table, "time", "seconds", true);
    for (size_t i = 0; i < printing->machine->level_count; i++)
        ft_table_column(table, printing->machine->levels[i].name, "misses", true);
    add_cells(printing, table, "as it is", explanation->seconds, explanation->misses);
    for (size_t i = 0; i < explanation->change_count; i++)
        if (explanation->changes[i].is_forecast)
            add_cells(printing, table, change_text(text, printing, &explanation->changes[i]),
                      explanation->changes[i].seconds_after, explanation->changes[i].after);
    fputc('\n', printing->stream);
    ft_print_wrapped(printing->stream, 0,
                     "What changes of the code would make of these misses, simulated%s; whether "
                     "dependences allow other orders is not looked at:\n\n",
                     explanation->has_time ? ", and of the time, at most" : "");
    return ft_report_finish(table, printing->stream, diag);
}

/* Of a change without a forecast, why it may help. */
static void print_idea(const struct printing *printing, const struct ft_change *change)
{
    const struct ft_explained_group *group = &printing->explanation->groups[change->group];
    const struct ft_scope *scope = &printing->scopes->scopes[group->scope];
    char text[CHANGE_TEXT], share[FT_NUMBER_TEXT];
    const char *level = printing->machine->levels[change->level].name;
    const char *file = scope->file[0] ? file_name(scope->file) : scope->name;
    switch (change->kind) {
    case FT_CHANGE_LAYOUT:
        ft_print_wrapped(printing->stream, 2,
                         "- Layout: %s:%u uses %s of each line; with what it uses side by side it "
                         "would have as many misses less in %s.\n",
                         file, group->line, ft_text_share(share, group->line_use), level);
        break;
    case FT_CHANGE_PREFETCH:
        ft_print_wrapped(printing->stream, 2,
                         "- Prefetch by software: the addresses of %s:%u are known some iterations "
                         "ahead; or order the data by use.\n",
                         file, group->line);
        break;
    case FT_CHANGE_FUSE:
        ft_print_wrapped(printing->stream, 2,
                         "- %s would use the data while they are in %s; not simulated.\n",
                         change_text(text, printing, change), level);
        break;
    default:
        ft_print_wrapped(printing->stream, 2,
                         "- %s may remove misses of %s:%u in %s; not simulated%s.\n",
                         change_text(text, printing, change), file, group->line, level,
                         change->kind == FT_CHANGE_INTERCHANGE || change->kind == FT_CHANGE_TILE
                             ? ", as the loops are no rectangular nest"
                             : "");
        break;
    }
}

static int print_changes(const struct printing *printing, struct ft_diag *diag)
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
    if (explanation->change_count == 0)
        ft_print_wrapped(printing->stream, 0,
                         "\nNo change of loops, padding or layout removes misses here.\n");
    return FT_OK;
}

int ft_explanation_text(const struct ft_explanation *explanation, FILE *stream,
                        struct ft_diag *diag)
{
    const struct printing printing = {explanation, explanation->prediction->machine,
                                      &explanation->prediction->model->scopes, stream};
    print_head(&printing);
    print_method(&printing);
    FT_TRY(print_levels(&printing, diag));
    FT_TRY(print_groups(&printing, diag));
    return print_changes(&printing, diag);
}
