#include "formats/cli/progress_line.h"

#include <stdio.h>
#include <unistd.h>

#include "formats/base/clock.h"
#include "formats/base/number_text.h"

#define TERMINAL_REDRAW_NS UINT64_C(100000000)
#define LOG_LINE_NS        UINT64_C(10000000000)

static bool is_silent;

void ft_progress_line_silence(void)
{
    is_silent = true;
}

static void print_progress(const struct ft_progress_line *line, double seconds, uint64_t done,
                           uint64_t total, const char *unit)
{
    if (total == 0 || done == 0) {
        fprintf(stderr, "%s  %.3g %s  %.0f s", line->what, (double)done, unit, seconds);
        return;
    }
    double share = done < total ? (double)done / (double)total : 1;
    double now_done = done > line->done_before ? (double)(done - line->done_before) : 1;
    double left = done < total ? (double)(total - done) : 0;
    char rate[FT_NUMBER_TEXT];
    ft_text_count(rate, now_done / seconds);
    fprintf(stderr, "%s  %3.0f %%  %s %s/s  %.0f s left", line->what, 100 * share, rate, unit,
            seconds * left / now_done);
}

static void redraw(struct ft_progress *base, uint64_t done, uint64_t total, const char *unit)
{
    struct ft_progress_line *line = (struct ft_progress_line *)base;
    if (!line->on)
        return;
    uint64_t now = ft_clock_ns();
    if (now - line->drawn_ns < (line->is_terminal ? TERMINAL_REDRAW_NS : LOG_LINE_NS))
        return;
    line->drawn_ns = now;
    if (line->is_terminal)
        fputs("\r\033[K", stderr);
    print_progress(line, (double)(now - line->started_ns) * 1e-9, done, total, unit);
    if (!line->is_terminal)
        fputc('\n', stderr);
    fflush(stderr);
}

void ft_progress_line_init(struct ft_progress_line *line, const char *what)
{
    *line = (struct ft_progress_line){
        .base.update = redraw,
        .on = !is_silent,
        .is_terminal = isatty(STDERR_FILENO),
        .what = what,
    };
    line->started_ns = line->drawn_ns = ft_clock_ns();
}

void ft_progress_line_fini(struct ft_progress_line *line)
{
    if (line->on && line->is_terminal)
        fputs("\r\033[K", stderr);
    line->on = false;
}
