/*
 * A rank's bar is cut into as many pieces as it has pixels; each has the colour of what takes most
 * of its time, and equal neighbours are one rectangle. So a picture of any number of calls has a
 * bounded size.
 */
#include <math.h>

#include "formats/base/number_text.h"
#include "formats/cli/svg.h"
#include "formats/cli/svg_plot.h"
#include "predict/commands/ranks/ranks_report.h"

#define LEFT    62.0
#define TOP     46.0
#define WIDTH   900 /* of a bar */
#define RIGHT   20.0
#define BOTTOM  40.0
#define BARS    480.0 /* height of all, where there are many */
#define BAR_MAX 24.0
#define TICKS   4

enum state { COMPUTES, COMMUNICATES, WAITS, HAS_ENDED, STATES };
static const char *const colours[STATES] = {"#009e73", "#e69f00", "#d55e00", NULL};
static const char *const names[STATES] = {"computation", "communication", "waiting", NULL};

/* The seconds that a rank spends in each state between two times. */
static void add_between(double low, double high, enum state state, double from, double to,
                        double seconds[STATES])
{
    const double first = fmax(low, from), last = fmin(high, to);
    if (last > first)
        seconds[state] += last - first;
}

/* What takes most of a piece. at: the first call that may end behind its start; moves on. */
static enum state state_of(const struct ft_rank_time *rank, double low, double high, size_t *at)
{
    double seconds[STATES] = {0}, before = 0;
    enum state most = COMPUTES;
    while (*at < rank->call_count && !(rank->calls[*at].end > low))
        ++*at;
    for (size_t i = *at; i-- > 0;)
        if (!isnan(rank->calls[i].end)) {
            before = rank->calls[i].end;
            break;
        }
    for (size_t i = *at; i < rank->call_count && before < high; i++) {
        const struct ft_call_time *call = &rank->calls[i];
        if (isnan(call->start))
            continue;
        add_between(low, high, COMPUTES, before, call->start, seconds);
        add_between(low, high, WAITS, call->start, call->start + call->wait, seconds);
        add_between(low, high, COMMUNICATES, call->start + call->wait, call->end, seconds);
        before = call->end;
    }
    add_between(low, high, HAS_ENDED, rank->end, high, seconds);
    for (enum state state = 0; state < STATES; state++)
        if (seconds[state] > seconds[most])
            most = state;
    return most;
}

static void draw_piece(FILE *stream, enum state state, int first, int end, double y, double height)
{
    if (colours[state] && end > first)
        fprintf(stream, "<rect x=\"%g\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" fill=\"%s\"/>\n",
                LEFT + first, y, end - first, height, colours[state]);
}

static void draw_rank(FILE *stream, const struct ft_rank_time *rank, double seconds, double y,
                      double height)
{
    size_t at = 0;
    int first = 0;
    enum state now = HAS_ENDED;
    for (int pixel = 0; pixel < WIDTH; pixel++) {
        const enum state state =
            state_of(rank, seconds * pixel / WIDTH, seconds * (pixel + 1) / WIDTH, &at);
        if (state != now) {
            draw_piece(stream, now, first, pixel, y, height);
            first = pixel;
            now = state;
        }
    }
    draw_piece(stream, now, first, WIDTH, y, height);
}

static void draw_path(FILE *stream, const struct ft_job_times *times, double seconds, double step,
                      double height)
{
    fputs("<polyline stroke=\"currentColor\" points=\"", stream);
    for (size_t i = 0; i < times->path_count; i++) {
        const struct ft_path_segment *segment = &times->path[i];
        const double y = TOP + step * segment->rank + height / 2;
        fprintf(stream, "%s%.1f,%.1f %.1f,%.1f", i ? " " : "",
                LEFT + WIDTH * segment->start / seconds, y, LEFT + WIDTH * segment->end / seconds,
                y);
    }
    fputs("\"/>\n", stream);
}

static void draw_head(FILE *stream, const struct ft_ranks_report *report)
{
    char text[FT_NUMBER_TEXT];
    double x = LEFT;
    fprintf(stream, "<text class=\"h\" x=\"%g\" y=\"18\">%u ranks on ", LEFT, report->job->size);
    ft_svg_text(stream, report->network->name);
    fprintf(stream, ": %s</text>\n", ft_text_seconds(text, report->times->seconds));
    for (enum state state = 0; state < HAS_ENDED; state++, x += 120)
        fprintf(stream,
                "<rect x=\"%g\" y=\"27\" width=\"10\" height=\"10\" fill=\"%s\"/><text x=\"%g\" "
                "y=\"36\">%s</text>\n",
                x, colours[state], x + 14, names[state]);
    fprintf(stream,
            "<line stroke=\"currentColor\" x1=\"%g\" x2=\"%g\" y1=\"32\" y2=\"32\"/><text "
            "x=\"%g\" y=\"36\">critical path</text>\n",
            x, x + 16, x + 20);
}

static void draw_axis(FILE *stream, double seconds, double y)
{
    char text[FT_NUMBER_TEXT];
    for (int i = 0; i <= TICKS; i++) {
        const double x = LEFT + (double)WIDTH * i / TICKS;
        fprintf(stream,
                "<line class=\"g\" x1=\"%g\" x2=\"%g\" y1=\"%g\" y2=\"%g\"/><text "
                "class=\"%s\" x=\"%g\" y=\"%g\">%s</text>\n",
                x, x, TOP, y + 4, i == TICKS ? "r" : "m", x, y + 18,
                ft_text_seconds(text, seconds * i / TICKS));
    }
}

void ft_ranks_svg(const struct ft_ranks_report *report, FILE *stream)
{
    const struct ft_job_times *times = report->times;
    const double seconds = times->seconds > 0 ? times->seconds : 1;
    const double count = (double)times->rank_count;
    const double step = fmax(fmin(BARS / count, BAR_MAX), 1);
    const double height = step > 4 ? step - 2 : step;
    const double bottom = TOP + step * count;
    const size_t every = (size_t)ceil(12 / step);
    ft_svg_begin(stream, LEFT + WIDTH + RIGHT, bottom + BOTTOM);
    draw_head(stream, report);
    for (size_t i = 0; i < times->rank_count; i++) {
        const double y = TOP + step * (double)i;
        draw_rank(stream, &times->ranks[i], seconds, y, height);
        if (i % every == 0)
            fprintf(stream, "<text class=\"r\" x=\"%g\" y=\"%.1f\">%u</text>\n", LEFT - 6,
                    y + height / 2 + 4, report->job->ranks[i].rank);
    }
    draw_path(stream, times, seconds, step, height);
    draw_axis(stream, seconds, bottom);
    fprintf(stream, "<text class=\"r\" x=\"%g\" y=\"36\">rank</text>\n</svg>\n", LEFT - 6);
}
