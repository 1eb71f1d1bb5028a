#include "formats/trace/recorded_windows.h"

struct ft_recorded_windows ft_recorded_windows(const struct ft_trace *trace)
{
    struct ft_recorded_windows windows = {.counted = true};
    for (size_t i = 0; i < ft_trace_event_count(trace); i++) {
        const struct ft_event *event = ft_trace_event(trace, i);
        if (event->kind == FT_EVENT_WINDOW_OPENED && event->a > windows.count)
            windows.count = event->a;
        if (event->kind != FT_EVENT_UNRECORDED)
            continue;
        windows.any = true;
        windows.counted &= event->c == 1;
        windows.instructions += event->b;
    }
    windows.any |= windows.count > 0;
    return windows;
}
