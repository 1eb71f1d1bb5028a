#include "formats/cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "formats/base/clock.h"
#include "formats/cli/table.h"

#define REDRAW_NS 100000000U

void ft_progress_init(struct ft_progress *progress, const char *what)
{
    *progress = (struct ft_progress){.on = isatty(STDERR_FILENO), .what = what};
    if (progress->on)
        progress->started_ns = progress->drawn_ns = ft_clock_ns();
}

void ft_progress_update(struct ft_progress *progress, uint64_t done, uint64_t total,
                        const char *unit)
{
    if (!progress->on)
        return;
    uint64_t now = ft_clock_ns();
    if (now - progress->drawn_ns < REDRAW_NS)
        return;
    progress->drawn_ns = now;
    double seconds = (double)(now - progress->started_ns) * 1e-9;
    if (total && done) {
        double share = done < total ? (double)done / (double)total : 1;
        double now_done = done > progress->done_before ? (double)(done - progress->done_before) : 1;
        double left = done < total ? (double)(total - done) : 0;
        char rate[FT_NUMBER_TEXT];
        ft_text_count(rate, now_done / seconds);
        fprintf(stderr, "\r\033[K%s  %3.0f %%  %s %s/s  %.0f s left", progress->what, 100 * share,
                rate, unit, seconds * left / now_done);
    } else {
        fprintf(stderr, "\r\033[K%s  %.3g %s  %.0f s", progress->what, (double)done, unit, seconds);
    }
    fflush(stderr);
}

void ft_progress_fini(struct ft_progress *progress)
{
    if (progress->on)
        fputs("\r\033[K", stderr);
    progress->on = false;
}
