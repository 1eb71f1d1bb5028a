#include "trace-capture/tracer/cpu_time.h"

#include <sys/resource.h>
#include <time.h>

#include "trace-capture/tracer/capture_state.h"

double ft_cpu_seconds_of(pid_t pid)
{
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
        return 0;
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double ft_host_cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

void ft_capture_note_cpu(struct ft_capture *capture)
{
    double now = ft_cpu_seconds_of(capture->pid) - capture->cpu_seconds_before;
    if (now > capture->metadata.target_cpu_seconds)
        capture->metadata.target_cpu_seconds = now;
}
