#include "predict/study/repetition.h"

#include <math.h>
#include <stdio.h>

#include "formats/trace/trace.h"

#define SMALL_SHARE 1e-3 /* of the accesses: digits of a time that is printed, say */

static int read_accesses(const char *path, double *ret_accesses, struct ft_diag *diag)
{
    struct ft_trace *trace;
    const struct ft_trace_options options = {.allow_incomplete = false};
    FT_TRY(ft_trace_open(path, &options, &trace, diag));
    *ret_accesses = (double)ft_trace_metadata(trace)->accesses;
    ft_trace_close(trace);
    return FT_OK;
}

static bool is_same_text(const char *path, const char *other_path)
{
    FILE *file = fopen(path, "re"), *other = fopen(other_path, "re");
    bool same = true;
    int byte = 0;
    while (file && other && same && byte != EOF) {
        byte = getc(file);
        same = byte == getc(other);
    }
    if (file)
        (void)fclose(file); /* they were only read */
    if (other)
        (void)fclose(other);
    return same;
}

int ft_repetition_read(const char *trace, const char *trace_again, const char *output,
                       const char *output_again, struct ft_repetition *ret_repetition,
                       struct ft_diag *diag)
{
    struct ft_repetition repetition = {.same_output = is_same_text(output, output_again)};
    FT_TRY(read_accesses(trace, &repetition.accesses, diag));
    FT_TRY(read_accesses(trace_again, &repetition.accesses_again, diag));
    *ret_repetition = repetition;
    return FT_OK;
}

bool ft_repetition_differs(const struct ft_repetition *repetition)
{
    return fabs(repetition->accesses - repetition->accesses_again) >
           SMALL_SHARE * fmax(repetition->accesses, repetition->accesses_again);
}
