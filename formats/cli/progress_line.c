#include "formats/cli/progress_line.h"

#include <stdio.h>
#include <unistd.h>

#include "formats/base/clock.h"
#include "formats/base/number_text.h"

#define REDRAW_NS 100000000U

static void redraw(struct ft_progress *base, uint64_t done, uint64_t total, const char *unit)
{
    struct ft_progress_line *line = (struct ft_progress_line *)base;
    if (!line->on)
        return;
    uint64_t now = ft_clock_ns();
    if (now - line->drawn_ns < REDRAW_NS)
        return;
    line->drawn_ns = now;
    double seconds = (double)(now - line->started_ns) * 1e-9;
    if (total && done) {
        double share = done < total ? (double)done / (double)total : 1;
        double now_done = done > line->done_before ? (double)(done - line->done_before) : 1;
        double left = done < total ? (double)(total - done) : 0;
        char rate[FT_NUMBER_TEXT];
        ft_text_count(rate, now_done / seconds);
        fprintf(stderr, "\r\033[K%s  %3.0f %%  %s %s/s  %.0f s left", line->what, 100 * share, rate,
                unit, seconds * left / now_done);
    } else {
        fprintf(stderr, "\r\033[K%s  %.3g %s  %.0f s", line->what, (double)done, unit, seconds);
    }
    fflush(stderr);
}

void ft_progress_line_init(struct ft_progress_line *line, const char *what)
{
    *line =
        (struct ft_progress_line){.base.update = redraw, .on = isatty(STDERR_FILENO), .what = what};
    if (line->on)
        line->started_ns = line->drawn_ns = ft_clock_ns();
}

void ft_progress_line_fini(struct ft_progress_line *line)
{
    if (line->on)
        fputs("\r\033[K", stderr);
    line->on = false;
}
