/*
 * The output is created at the first line with an item, so that an input without any changes
 * nothing.
 */
#include "formats/text/text_import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "formats/text/line_reader.h"
#include "formats/text/reference_log.h"

#define PROGRESS_LINES 65536

struct importer {
    const struct ft_text_format *format;
    struct ft_line_reader *lines;
    struct ft_text_state state;
    struct ft_trace_writer *writer;
    struct ft_reference_log *log;
    struct ft_progress *progress;
};

/* The next item; *ret_found false at the end of the text. */
static int next_item(struct importer *importer, bool *ret_found, struct ft_text_item *ret_item,
                     struct ft_diag *diag)
{
    *ret_found = false;
    while (!*ret_found) {
        const char *line;
        int status = ft_line_reader_next(importer->lines, &line, diag);
        if (status || !line)
            return status;
        importer->state.line = ft_line_reader_number(importer->lines);
        if (importer->state.line % PROGRESS_LINES == 0)
            ft_progress_update(importer->progress, ft_line_reader_bytes(importer->lines),
                               ft_line_reader_total_bytes(importer->lines), "bytes");
        status = importer->format->read(&importer->state, line, ret_found, ret_item, diag);
        if (status)
            return ft_line_reader_fail(importer->lines, status, diag);
    }
    return FT_OK;
}

static int add_item(struct importer *importer, const struct ft_text_item *item,
                    struct ft_diag *diag)
{
    int status = ft_reference_log_add(importer->log, item, diag);
    bool is_of_line = status == FT_ERROR_DATA || status == FT_ERROR_UNSUPPORTED;
    return is_of_line ? ft_line_reader_fail(importer->lines, status, diag) : status;
}

static int end_metadata(const struct importer *importer, const struct ft_log_totals *totals,
                        struct ft_metadata *metadata, struct ft_diag *diag)
{
    char reason[128];
    struct rusage usage;
    snprintf(reason, sizeof reason, "imported from %s text, to its end", importer->format->name);
    getrusage(RUSAGE_SELF, &usage);
    metadata->host_cpu_seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                                 1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    metadata->instructions = totals->instructions;
    metadata->accesses = totals->accesses;
    metadata->prefetches = totals->prefetches;
    metadata->end_reason = strdup(reason);
    return metadata->end_reason ? FT_OK : ft_fail_memory(diag, "the end of the trace");
}

static int finish(struct importer *importer, struct ft_metadata *metadata, struct ft_diag *diag)
{
    struct ft_log_totals totals;
    int status = ft_reference_log_finish(importer->log, &totals, diag);
    if (!status)
        status = end_metadata(importer, &totals, metadata, diag);
    if (status)
        return status;
    struct ft_event end = {.sequence = 1, .kind = FT_EVENT_ENDED, .text = metadata->end_reason};
    status = ft_trace_writer_events(importer->writer, &end, 1, diag);
    return status ? status : ft_trace_writer_finish(importer->writer, metadata, diag);
}

/* The command that the text tells, in the place of what metadata has not: the program is its first
 * word. Words are taken apart at blanks, as Valgrind has put them together. */
static int take_command(const struct importer *importer, struct ft_metadata *metadata,
                        struct ft_diag *diag)
{
    char *rest = importer->state.command, *saved = NULL;
    size_t capacity = 0;
    for (char *word = rest ? strtok_r(rest, " ", &saved) : NULL; word;
         word = strtok_r(NULL, " ", &saved)) {
        if (!FT_RESERVE(metadata->arguments, capacity, metadata->argument_count + 1) ||
            !(metadata->arguments[metadata->argument_count] = strdup(word)))
            return ft_fail_memory(diag, "the command line");
        metadata->argument_count++;
    }
    if (!metadata->program)
        metadata->program = strdup(metadata->argument_count ? metadata->arguments[0] : "unknown");
    return metadata->program ? FT_OK : ft_fail_memory(diag, "the program's name");
}

static int import_all(struct importer *importer, const char *path, const char *output,
                      struct ft_metadata *metadata, struct ft_diag *diag)
{
    bool found;
    struct ft_text_item item;
    int status = next_item(importer, &found, &item, diag);
    if (!status && !found)
        status = ft_fail(diag, FT_ERROR_DATA, "%s: has no accesses and no instructions",
                         strcmp(path, "-") == 0 ? "standard input" : path);
    if (!status)
        status = take_command(importer, metadata, diag);
    if (!status)
        status = ft_trace_writer_create(output, metadata, &importer->writer, diag);
    if (!status)
        status = ft_reference_log_create(importer->writer, &importer->log, diag);
    while (!status && found) {
        status = add_item(importer, &item, diag);
        if (!status)
            status = next_item(importer, &found, &item, diag);
    }
    return status ? status : finish(importer, metadata, diag);
}

static void remove_partial(const char *output)
{
    char *partial = NULL;
    if (asprintf(&partial, "%s.partial", output) > 0)
        unlink(partial);
    free(partial);
}

int ft_text_import(const char *path, const struct ft_text_format *format, const char *output,
                   struct ft_metadata *metadata, struct ft_progress *progress, struct ft_diag *diag)
{
    struct importer importer = {.format = format, .progress = progress};
    FT_TRY(ft_line_reader_open(path, &importer.lines, diag));
    int status = import_all(&importer, path, output, metadata, diag);
    ft_reference_log_destroy(importer.log);
    ft_line_reader_close(importer.lines);
    free(importer.state.command);
    bool is_made = importer.writer != NULL;
    ft_trace_writer_destroy(importer.writer);
    if (is_made && status && status != FT_ERROR_IO)
        remove_partial(output);
    return status;
}
