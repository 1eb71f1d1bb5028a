#include "predict/plan/native_times.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/temporary_path.h"
#include "predict/plan/child_run.h"

#define LIMIT_SECONDS 3600
#define PATH_BYTES    4096

static int compare(const void *a, const void *b)
{
    const double *one = a, *other = b;
    return (*one > *other) - (*one < *other);
}

/* seconds: [repeats]; sorts them. */
static void take_seconds(struct ft_native_time *time, double *seconds, size_t repeats)
{
    qsort(seconds, repeats, sizeof *seconds, compare);
    time->min_seconds = seconds[0];
    time->median_seconds = (seconds[(repeats - 1) / 2] + seconds[repeats / 2]) / 2;
}

static int run_once(char *const *words, const struct ft_child_terms *terms, double *ret_seconds,
                    struct ft_diag *diag)
{
    struct ft_child_run run = {0};
    char line[512];
    FT_TRY(ft_child_run(words, terms, &run, diag));
    if (!run.ended)
        return ft_fail(diag, FT_ERROR_FAILURE, "%s did not end within %d s", words[0],
                       LIMIT_SECONDS);
    ft_child_last_line(terms->errors_path, line, sizeof line);
    if (run.exit_code == FT_CHILD_NOT_STARTED && !line[0])
        return ft_fail(diag, FT_ERROR_FAILURE, "%s cannot be started", words[0]);
    if (run.exit_code != 0)
        return ft_fail(diag, FT_ERROR_FAILURE, "%s ended with %d%s%s", words[0], run.exit_code,
                       line[0] ? ": " : "", line);
    *ret_seconds = run.cpu_seconds;
    return FT_OK;
}

/* seconds: [command * repeats + run]. */
static int run_all(const struct ft_native_time *times, size_t count, size_t repeats,
                   const struct ft_child_terms *terms, struct ft_progress *progress,
                   double *seconds, struct ft_diag *diag)
{
    for (size_t run = 0; run < repeats; run++)
        for (size_t i = 0; i < count; i++) {
            FT_TRY(run_once(times[i].words, terms, &seconds[i * repeats + run], diag));
            ft_progress_update(progress, run * count + i + 1, repeats * count, "runs");
        }
    return FT_OK;
}

/* A file for what the command says, which a failure quotes. */
static int make_errors_file(char path[PATH_BYTES], struct ft_diag *diag)
{
    FT_TRY(ft_temporary_path(path, PATH_BYTES, "measure", diag));
    int fd = mkstemp(path);
    if (fd < 0)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
    (void)close(fd);
    return FT_OK;
}

int ft_native_times_run(struct ft_native_time *times, size_t count, size_t repeats,
                        struct ft_progress *progress, struct ft_diag *diag)
{
    struct ft_held_signals signals = {0};
    char errors[PATH_BYTES];
    double *seconds = calloc(count * repeats + 1, sizeof *seconds);
    if (!seconds)
        return ft_fail_memory(diag, "times");
    int status = ft_held_signals_init(&signals, diag);
    if (status == FT_OK && (status = make_errors_file(errors, diag)) == FT_OK) {
        const struct ft_child_terms terms = {.errors_path = errors,
                                             .limit_seconds = LIMIT_SECONDS,
                                             .signals = &signals,
                                             .is_native = true};
        status = run_all(times, count, repeats, &terms, progress, seconds, diag);
        (void)unlink(errors);
    }
    ft_held_signals_fini(&signals);
    for (size_t i = 0; status == FT_OK && i < count; i++)
        take_seconds(&times[i], seconds + i * repeats, repeats);
    free(seconds);
    return status;
}
