#include "predict/commands/forecast_progress.h"

#include <stdio.h>

static void name(struct ft_forecast_progress *progress, const char *doing)
{
    snprintf(progress->what, sizeof progress->what, "%zu of %zu, %s%s", progress->index + 1,
             progress->count, progress->forecast, doing);
}

/* A synthesis says how far it is: of several forecasts that is little beside what is left. */
static void update(struct ft_progress *base, uint64_t done, uint64_t total, const char *unit)
{
    struct ft_forecast_progress *progress = (struct ft_forecast_progress *)base;
    if (progress->count > 1) {
        name(progress, ": synthesis");
        ft_progress_update(&progress->line->base, progress->index, progress->count, "forecasts");
    } else {
        ft_progress_update(&progress->line->base, done, total, unit);
    }
}

void ft_forecast_progress_init(struct ft_forecast_progress *progress, struct ft_progress_line *line,
                               size_t count)
{
    *progress = (struct ft_forecast_progress){.base.update = update, .line = line, .count = count};
    if (count > 1)
        line->what = progress->what;
}

void ft_forecast_progress_next(struct ft_forecast_progress *progress, size_t index,
                               const char *point, const char *machine)
{
    progress->index = index;
    snprintf(progress->forecast, sizeof progress->forecast, "%.40s on %.30s", point, machine);
    if (progress->count > 1) {
        name(progress, "");
        ft_progress_update(&progress->line->base, index, progress->count, "forecasts");
    }
}
