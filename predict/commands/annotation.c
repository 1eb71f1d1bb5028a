/*
 * Groups of references give rows of accesses and misses (ft_group_rows), which are summed by line
 * (sum_lines); files are printed by weight, of each the lines that matter and those around them.
 */
#include "predict/commands/annotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/number_text.h"
#include "formats/cli/style.h"
#include "formats/cli/terminal.h"
#include "predict/commands/source_file.h"
#include "predict/group_rows.h"

#define AROUND       4U    /* lines shown before and after one that matters */
#define MATTERS      0.001 /* of the program's accesses, or misses in a level */
#define STRESSED     0.1
#define CELL_COLUMNS 9
#define TEXT_COLUMNS 30 /* at least, of source lines */

/* A line of a file, or all that has none: accesses, then misses of each level. */
struct line {
    const char *file;
    uint32_t number;
    const double *values; /* [level_count + 1] */
};

struct annotation {
    struct ft_source_place sources;
    const struct ft_prediction *prediction;
    size_t width;       /* columns of rows: accesses and levels */
    size_t shown;       /* of these, as many as there is room for */
    double *rows;       /* [group * width + column]; then those of lines */
    double *all;        /* [width]: of the program */
    struct line *lines; /* by file and number */
    size_t line_count;
};

/* ---- groups ---- */

/* What the scope itself has in the prediction, which synthesis may have corrected. */
static double of_scope(const struct ft_prediction *prediction, uint32_t scope, size_t column)
{
    const size_t metric = column == 0 ? FT_METRIC_ACCESSES : ft_set_assoc_column(column - 1);
    return fmax(prediction->exclusive[scope * prediction->width + metric], 0);
}

/* Groups of a scope get as much as it has. */
static int scale_groups(const struct annotation *annotation, struct ft_diag *diag)
{
    const struct ft_model *model = annotation->prediction->model;
    const size_t width = annotation->width;
    double *sums = calloc(model->scopes.scope_count * width + 1, sizeof *sums);
    if (!sums)
        return ft_fail_memory(diag, "an annotation");
    for (size_t i = 0; i < model->group_count; i++)
        for (size_t k = 0; k < width; k++)
            sums[model->groups[i].scope * width + k] += annotation->rows[i * width + k];
    for (size_t i = 0; i < model->group_count; i++)
        for (size_t k = 0; k < width; k++) {
            const uint32_t scope = model->groups[i].scope;
            if (sums[scope * width + k] > 0)
                annotation->rows[i * width + k] *=
                    of_scope(annotation->prediction, scope, k) / sums[scope * width + k];
        }
    free(sums);
    return FT_OK;
}

/* ---- lines ---- */

static int compare_lines(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    const int files = strcmp(a->file, b->file);
    return files != 0 ? files : (a->number > b->number) - (a->number < b->number);
}

static void sum_lines(struct annotation *annotation)
{
    const struct ft_model *model = annotation->prediction->model;
    const size_t width = annotation->width;
    for (size_t i = 0; i < model->group_count; i++)
        annotation->lines[i] = (struct line){model->scopes.scopes[model->groups[i].scope].file,
                                             model->groups[i].line, annotation->rows + i * width};
    if (model->group_count > 0)
        qsort(annotation->lines, model->group_count, sizeof *annotation->lines, compare_lines);
    double *sums = annotation->rows + model->group_count * width;
    for (size_t i = 0; i < model->group_count; i++) {
        const struct line line = annotation->lines[i];
        const size_t count = annotation->line_count;
        const bool is_new = count == 0 || compare_lines(&annotation->lines[count - 1], &line) != 0;
        double *sum = sums + (count - (is_new ? 0 : 1)) * width;
        for (size_t k = 0; k < width; k++) {
            sum[k] += line.values[k];
            annotation->all[k] += line.values[k];
        }
        if (is_new)
            annotation->lines[annotation->line_count++] =
                (struct line){line.file, line.number, sum};
    }
}

/* The largest share that a line has of a column. */
static double share_of(const struct annotation *annotation, const struct line *line)
{
    double share = 0;
    for (size_t k = 0; k < annotation->width; k++)
        if (annotation->all[k] > 0)
            share = fmax(share, line->values[k] / annotation->all[k]);
    return share;
}

/* ---- as text ---- */

/* Lines of one file, [first, end). */
struct file {
    const char *path;
    size_t first, end;
    double share; /* the sum of its lines' */
};

static void print_values(const struct annotation *annotation, const struct line *line, FILE *stream)
{
    for (size_t k = 0; k < annotation->shown; k++) {
        char text[FT_NUMBER_TEXT];
        const bool is_none = !line || !(line->values[k] >= 0.5);
        fprintf(stream, "%*s", CELL_COLUMNS, is_none ? "." : ft_text_count(text, line->values[k]));
    }
}

static void print_line(const struct annotation *annotation, const struct line *line,
                       uint32_t number, const char *text, FILE *stream)
{
    const size_t columns = ft_terminal_columns();
    const size_t used = annotation->shown * CELL_COLUMNS + 8;
    const enum ft_style style =
        line && share_of(annotation, line) >= STRESSED ? FT_STYLE_STRONG : FT_STYLE_PLAIN;
    fputs(ft_style_begin(stream, style), stream);
    print_values(annotation, line, stream);
    fprintf(stream, " %5u", number);
    if (*text)
        fprintf(stream, "  %.*s", columns > used ? (int)fmin((double)(columns - used), 1e6) : 1,
                text);
    fprintf(stream, "%s\n", ft_style_end(stream, style));
}

/* Whether a line is shown, being near one that matters; ret_line: the annotated one that it is. */
static bool is_near(const struct annotation *annotation, const struct file *file, uint32_t number,
                    const struct line **ret_line)
{
    bool near = false;
    *ret_line = NULL;
    for (size_t i = file->first; i < file->end; i++) {
        const struct line *line = &annotation->lines[i];
        const uint32_t apart =
            line->number > number ? line->number - number : number - line->number;
        if (line->number > 0 && apart <= AROUND && share_of(annotation, line) >= MATTERS)
            near = true;
        if (line->number == number)
            *ret_line = line;
    }
    return near;
}

static void print_source(const struct annotation *annotation, const struct file *file, FILE *source,
                         FILE *stream)
{
    const struct line *line;
    char *text = NULL;
    size_t capacity = 0;
    uint32_t printed = 0;
    for (uint32_t number = 1; getline(&text, &capacity, source) >= 0; number++) {
        if (!is_near(annotation, file, number, &line))
            continue;
        if (printed > 0 && printed + 1 < number)
            fprintf(stream, "%*s\n", (int)(annotation->shown * CELL_COLUMNS + 6), "...");
        for (char *tab = text; (tab = strchr(tab, '\t'));)
            *tab = ' ';
        text[strcspn(text, "\r\n")] = 0;
        print_line(annotation, line, number, text, stream);
        printed = number;
    }
    free(text);
}

static void print_without_source(const struct annotation *annotation, const struct file *file,
                                 FILE *stream)
{
    for (size_t i = file->first; i < file->end; i++)
        if (share_of(annotation, &annotation->lines[i]) >= MATTERS)
            print_line(annotation, &annotation->lines[i], annotation->lines[i].number, "", stream);
}

static void print_file(const struct annotation *annotation, const struct file *file, FILE *stream)
{
    const struct ft_machine *machine = annotation->prediction->machine;
    FILE *source = ft_source_open(&annotation->sources, file->path);
    fprintf(stream, "\n%s%s\n\n", *file->path ? file->path : "code without source lines",
            *file->path && !source ? " (not at hand)" : "");
    fprintf(stream, "%*s", CELL_COLUMNS, "accesses");
    for (size_t k = 1; k < annotation->shown; k++)
        fprintf(stream, " %*.*s", CELL_COLUMNS - 1, CELL_COLUMNS - 1, machine->levels[k - 1].name);
    fputs("  line\n", stream);
    if (source)
        print_source(annotation, file, source, stream);
    else
        print_without_source(annotation, file, stream);
    if (source)
        fclose(source);
}

static int heavier(const void *left, const void *right)
{
    const struct file *a = left, *b = right;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    return strcmp(a->path, b->path);
}

static int print_files(const struct annotation *annotation, FILE *stream, struct ft_diag *diag)
{
    struct file *files = calloc(annotation->line_count + 1, sizeof *files);
    size_t count = 0;
    if (!files)
        return ft_fail_memory(diag, "an annotation");
    for (size_t i = 0; i < annotation->line_count; i++) {
        const struct line *line = &annotation->lines[i];
        if (count == 0 || strcmp(files[count - 1].path, line->file) != 0)
            files[count++] = (struct file){.path = line->file, .first = i};
        files[count - 1].end = i + 1;
        files[count - 1].share = fmax(files[count - 1].share, share_of(annotation, line));
    }
    qsort(files, count, sizeof *files, heavier);
    for (size_t i = 0; i < count && files[i].share >= MATTERS; i++)
        print_file(annotation, &files[i], stream);
    free(files);
    return FT_OK;
}

int ft_annotation_text(const struct ft_prediction *prediction, const char *sources, FILE *stream,
                       struct ft_diag *diag)
{
    const size_t groups = prediction->model->group_count;
    const size_t width = 1 + prediction->machine->level_count;
    const size_t columns = ft_terminal_columns();
    const size_t room = columns > TEXT_COLUMNS ? (columns - TEXT_COLUMNS) / CELL_COLUMNS : 1;
    struct annotation annotation = {
        .sources = {&prediction->model->scopes.sources, sources},
        .prediction = prediction,
        .width = width,
        .shown = room < 1       ? 1
                 : room < width ? room
                                : width,
        .rows = calloc(2 * groups * width + 1, sizeof(double)),
        .all = calloc(width, sizeof(double)),
        .lines = calloc(groups + 1, sizeof(struct line)),
    };
    int status = annotation.rows && annotation.all && annotation.lines
                     ? FT_OK
                     : ft_fail_memory(diag, "an annotation");
    if (status == FT_OK)
        status = ft_group_rows(prediction, annotation.rows, diag);
    if (status == FT_OK)
        status = scale_groups(&annotation, diag);
    if (status == FT_OK) {
        sum_lines(&annotation);
        ft_print_wrapped(stream, 0,
                         "\nAccesses and set-associative misses by source line, with at least "
                         "%g %% of the program's in one column:\n",
                         100 * MATTERS);
        status = print_files(&annotation, stream, diag);
    }
    free(annotation.rows);
    free(annotation.all);
    free(annotation.lines);
    return status;
}
