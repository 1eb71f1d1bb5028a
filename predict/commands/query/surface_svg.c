/*
 * One rectangle a size and capacity. The colour goes with the logarithm of the ratio, from
 * RATIO_MIN (and less) to 1, so that rare misses of far caches are seen as well. What is a guess
 * is pale; a dashed line stands where the training sizes end.
 */
#include "predict/commands/query/surface_svg.h"

#include <math.h>

#include "formats/cli/svg.h"
#include "predict/query/surface.h"

#define COLUMNS      60U
#define CELL_WIDTH   10.0
#define CELL_HEIGHT  16.0
#define LEFT         80.0 /* margins */
#define TOP          40.0
#define BOTTOM       50.0
#define RIGHT        110.0
#define RATIO_MIN    1e-4
#define LABEL_EVERY  10U /* columns */
#define LEGEND_STEPS 9U

struct drawing {
    const struct ft_query *query;
    FILE *stream;
    size_t capacities; /* of all panels */
};

/* From nearly white over orange to dark violet, by points in between. */
static void print_colour(FILE *stream, double ratio)
{
    static const double points[][3] = {{252, 253, 245}, {254, 217, 142}, {243, 134, 72},
                                       {197, 43, 79},   {110, 0, 95},    {35, 0, 60}};
    const size_t last = sizeof points / sizeof *points - 1;
    double position = ratio > RATIO_MIN ? log(ratio / RATIO_MIN) / -log(RATIO_MIN) : 0;
    position = fmin(position, 1) * (double)last;
    size_t index = position >= (double)last ? last - 1 : (size_t)position;
    double part = position - (double)index;
    fputc('#', stream);
    for (int i = 0; i < 3; i++)
        fprintf(
            stream, "%02x",
            (unsigned)rint(points[index][i] + part * (points[index + 1][i] - points[index][i])));
}

static double panel_height(const struct drawing *drawing)
{
    return TOP + (double)drawing->capacities * CELL_HEIGHT + BOTTOM;
}

static double column_x(size_t column)
{
    return LEFT + (double)column * CELL_WIDTH;
}

static double capacity_y(const struct drawing *drawing, double top, size_t index)
{
    return top + TOP + (double)(drawing->capacities - 1 - index) * CELL_HEIGHT;
}

static void print_label(const struct drawing *drawing, double x, double y, const char *anchor,
                        const char *text)
{
    fprintf(drawing->stream, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    ft_svg_text(drawing->stream, text);
    fputs("</text>\n", drawing->stream);
}

static void print_cell(const struct drawing *drawing, const struct ft_surface_cut *cut,
                       size_t column, double top, size_t index)
{
    const struct ft_model *model = cut->line.model;
    const size_t size = ft_query_block(drawing->query, model);
    const double bytes = ft_surface_capacity(index);
    const uint64_t block = model->block_bytes[size];
    if (bytes < (double)block)
        return;
    const struct ft_level level = {.block_bytes = block, .blocks = (uint64_t)bytes / block};
    const double misses = ft_whole_misses(&cut->wholes[size], (double)level.blocks);
    const double ratio = ft_surface_ratio(cut, size, bytes, drawing->query->reuse);
    const bool known = ft_answer_knows(model, &level, cut->n, misses);
    char text[FT_NUMBER_TEXT], capacity[FT_NUMBER_TEXT];
    fprintf(drawing->stream, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"",
            column_x(column), capacity_y(drawing, top, index), CELL_WIDTH, CELL_HEIGHT);
    print_colour(drawing->stream, ratio);
    fprintf(drawing->stream, "\"%s><title>%s = %.10g, %s: %s%s</title></rect>\n",
            known ? "" : " opacity=\"0.4\"", model->parameter, cut->n,
            ft_text_bytes(capacity, bytes), ft_text_share(text, ratio), known ? "" : ", a guess");
}

/* Title, capacities at the left, the end of the training sizes. */
static void print_frame(const struct drawing *drawing, const struct ft_size_line *line, double top)
{
    const struct ft_model *model = line->model;
    const double largest = model->training[model->training_count - 1];
    char text[FT_NUMBER_TEXT], title[512];
    ft_text_bytes(text, (double)model->block_bytes[ft_query_block(drawing->query, model)]);
    snprintf(title, sizeof title, "%.200s: %s by %.60s and capacity, blocks of %s", model->name,
             drawing->query->reuse ? "reuse miss ratio" : "miss ratio", model->parameter, text);
    fputs("<g font-weight=\"bold\">", drawing->stream);
    print_label(drawing, LEFT, top + TOP - 14, "start", title);
    fputs("</g>\n", drawing->stream);
    for (size_t i = 0; i < drawing->capacities; i += 2)
        print_label(drawing, LEFT - 6, capacity_y(drawing, top, i) + CELL_HEIGHT - 4, "end",
                    ft_text_bytes(text, ft_surface_capacity(i)));
    if (largest <= line->from || largest >= line->to)
        return;
    double x = LEFT + (double)COLUMNS * CELL_WIDTH * log(largest / line->from) /
                          log(line->to / line->from);
    fprintf(drawing->stream,
            "<path d=\"M%.1f %.1fV%.1f\" stroke=\"black\" stroke-dasharray=\"4 3\"/>\n", x,
            top + TOP - 6, top + panel_height(drawing) - BOTTOM);
    print_label(drawing, x, top + panel_height(drawing) - BOTTOM + 32, "middle",
                "largest training size");
}

static int print_panel(const struct drawing *drawing, const struct ft_model *model, double top,
                       struct ft_diag *diag)
{
    struct ft_size_line line;
    struct ft_surface_cut cut;
    char text[FT_NUMBER_TEXT];
    int status = ft_query_line(drawing->query, model, &line, diag);
    if (status == FT_OK)
        status = ft_surface_cut_init(&cut, &line, diag);
    if (status != FT_OK)
        return status;
    for (size_t column = 0; column < COLUMNS && status == FT_OK; column++) {
        status = ft_surface_cut_at(&cut, ft_size_step(&line, column, COLUMNS - 1), diag);
        for (size_t i = 0; i < drawing->capacities && status == FT_OK; i++)
            print_cell(drawing, &cut, column, top, i);
        snprintf(text, sizeof text, cut.n < 1e6 ? "%.6g" : "%.3g", cut.n);
        if (column % LABEL_EVERY == 0 || column + 1 == COLUMNS)
            print_label(drawing, column_x(column) + CELL_WIDTH / 2,
                        top + panel_height(drawing) - BOTTOM + 16, "middle", text);
    }
    print_frame(drawing, &line, top);
    ft_surface_cut_fini(&cut);
    return status;
}

static void print_legend(const struct drawing *drawing)
{
    char text[FT_NUMBER_TEXT];
    for (size_t i = 0; i < LEGEND_STEPS; i++) {
        double ratio = pow(RATIO_MIN, 1 - (double)i / (double)(LEGEND_STEPS - 1));
        double x = column_x(COLUMNS) + 16;
        double y = TOP + (double)(LEGEND_STEPS - 1 - i) * CELL_HEIGHT;
        fprintf(drawing->stream, "<rect x=\"%.1f\" y=\"%.1f\" width=\"16\" height=\"%.1f\" fill=\"",
                x, y, CELL_HEIGHT);
        print_colour(drawing->stream, ratio);
        fputs("\" stroke=\"#888\" stroke-width=\"0.3\"/>\n", drawing->stream);
        print_label(drawing, x + 22, y + CELL_HEIGHT - 4, "start", ft_text_share(text, ratio));
    }
}

static int count_capacities(struct drawing *drawing, const struct ft_model *models,
                            size_t model_count, struct ft_diag *diag)
{
    for (size_t i = 0; i < model_count; i++) {
        struct ft_size_line line;
        int status = ft_query_line(drawing->query, &models[i], &line, diag);
        if (status != FT_OK)
            return status;
        size_t count = ft_surface_capacities(&models[i], line.to);
        drawing->capacities = count > drawing->capacities ? count : drawing->capacities;
    }
    return FT_OK;
}

int ft_surface_svg(const struct ft_query *query, const struct ft_model *models, size_t model_count,
                   FILE *stream, struct ft_diag *diag)
{
    struct drawing drawing = {.query = query, .stream = stream};
    int status = count_capacities(&drawing, models, model_count, diag);
    if (status != FT_OK)
        return status;
    double width = column_x(COLUMNS) + RIGHT, height = panel_height(&drawing) * (double)model_count;
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
            "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height, width, height);
    for (size_t i = 0; i < model_count && status == FT_OK; i++)
        status = print_panel(&drawing, &models[i], (double)i * panel_height(&drawing), diag);
    print_legend(&drawing);
    fputs("</svg>\n", stream);
    return status;
}
