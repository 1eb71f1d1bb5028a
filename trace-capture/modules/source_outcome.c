/*
 * A line for each reason, however many files and processes there were: programs start thousands of
 * others, and a library may name hundreds of files that were never on this machine.
 */
#include "trace-capture/modules/source_outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/source_files.h"

_Static_assert(FT_SOURCE_FILE_BYTES_MAX == (size_t)4 << 20 &&
                   FT_SOURCE_FILES_BYTES_MAX == (size_t)32 << 20 && FT_SOURCE_FILES_MAX == 4096,
               "what the texts say");

static const struct {
    const char *what, *advice;
} texts[FT_SOURCE_REMARKS] = {
    [FT_SOURCE_MISSING] = {"not kept: not there",
                           "capture where they are, build with -ffile-prefix-map=OLD=NEW, or give "
                           "`report --sources` the folder that has them"},
    [FT_SOURCE_UNREADABLE] = {"not kept: unreadable", "capture again with the right to read them"},
    [FT_SOURCE_NO_TEXT] = {"not kept: not a file of text", NULL},
    [FT_SOURCE_LARGE] = {"not kept: larger than 4 MiB", "`report --sources` shows their lines"},
    [FT_SOURCE_BEYOND_LIMITS] = {"not kept: they come, by path, after 4096 files or 32 MiB",
                                 "`report --sources` shows their lines"},
    [FT_SOURCE_NAMESAKE] = {"not kept: of the same name in several folders, which --private leaves "
                            "out",
                            NULL},
    [FT_SOURCE_NEWER] = {"kept, but newer than the program: lines may not be those that ran",
                         "build and capture again"},
};

static void set_first(struct ft_source_remark_count *count, const char *path, int error)
{
    count->first = strdup(path);
    count->error = error;
}

void ft_source_outcome_add(struct ft_source_outcome *outcome, enum ft_source_remark remark,
                           const char *path, int error)
{
    struct ft_source_remark_count *count = &outcome->remarks[remark];
    if (count->files++ == 0)
        set_first(count, path, error);
    count->traces = 1;
}

void ft_source_outcome_merge(struct ft_source_outcome *sum, struct ft_source_outcome *outcome)
{
    sum->named += outcome->named;
    sum->kept += outcome->kept;
    sum->traces += outcome->traces;
    for (unsigned i = 0; i < FT_SOURCE_REMARKS; i++) {
        struct ft_source_remark_count *to = &sum->remarks[i], *from = &outcome->remarks[i];
        to->traces += from->traces;
        if (from->files > to->files) {
            free(to->first);
            to->first = from->first;
            to->error = from->error;
            to->files = from->files;
            from->first = NULL;
        }
    }
    ft_source_outcome_fini(outcome);
}

static bool describe_none(const struct ft_source_outcome *outcome, char *message, size_t bytes)
{
    if (outcome->traces == 0 || outcome->kept > 0)
        return false;
    snprintf(message, bytes, "--source: no source file was kept%s",
             outcome->named ? ""
                            : ": no lines of code that was recorded name any; compile with -g, and "
                              "do not strip");
    return true;
}

bool ft_source_outcome_message(const struct ft_source_outcome *outcome,
                               enum ft_source_remark remark, char *message, size_t bytes)
{
    if (remark == FT_SOURCE_REMARKS)
        return describe_none(outcome, message, bytes);
    const struct ft_source_remark_count *count = &outcome->remarks[remark];
    char traces[64] = "", reason[128] = "";
    if (count->files == 0)
        return false;
    if (count->traces > 1)
        snprintf(traces, sizeof traces, " in one of %zu traces", count->traces);
    if (remark == FT_SOURCE_UNREADABLE && count->error)
        snprintf(reason, sizeof reason, " (%s)", strerror(count->error));
    snprintf(message, bytes, "--source: %zu source file%s%s %s%s: %.600s%s%s%s", count->files,
             count->files == 1 ? "" : "s", traces, texts[remark].what, reason,
             count->first ? count->first : "?", count->files == 1 ? "" : ", ...",
             texts[remark].advice ? "; " : "", texts[remark].advice ? texts[remark].advice : "");
    return true;
}

void ft_source_outcome_fini(struct ft_source_outcome *outcome)
{
    for (unsigned i = 0; i < FT_SOURCE_REMARKS; i++)
        free(outcome->remarks[i].first);
    *outcome = (struct ft_source_outcome){0};
}
