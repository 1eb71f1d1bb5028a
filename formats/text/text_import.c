/*
 * The output is created at the first line or record with an item, so that an input without any
 * changes nothing.
 */
#include "formats/text/text_import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "formats/text/line_reader.h"
#include "formats/text/record_reader.h"
#include "formats/text/reference_log.h"

#define PROGRESS_LINES 65536

struct importer {
    const struct ft_text_format *format;
    struct ft_line_reader *lines; /* one of the two */
    struct ft_record_reader *records;
    struct ft_byte_source *source; /* theirs */
    struct ft_text_state state;
    struct ft_text_item items[FT_TEXT_ITEMS_MAX]; /* of the line or record at hand */
    unsigned item_count, next_item;
    struct ft_trace_writer *writer;
    struct ft_reference_log *log;
    struct ft_progress *progress;
};

static int open_input(struct importer *importer, const char *path, struct ft_diag *diag)
{
    if (importer->format->record_bytes) {
        FT_TRY(
            ft_record_reader_open(path, importer->format->record_bytes, &importer->records, diag));
        importer->source = ft_record_reader_source(importer->records);
        return FT_OK;
    }
    FT_TRY(ft_line_reader_open(path, &importer->lines, diag));
    importer->source = ft_line_reader_source(importer->lines);
    return FT_OK;
}

/* Says where: at the last line or record. */
static int fail_there(const struct importer *importer, int status, struct ft_diag *diag)
{
    return importer->lines ? ft_line_reader_fail(importer->lines, status, diag)
                           : ft_record_reader_fail(importer->records, status, diag);
}

/* Reads the items of the next line or record, which may be none. */
static int read_items(struct importer *importer, bool *ret_at_end, struct ft_diag *diag)
{
    struct ft_text_state *state = &importer->state;
    const struct ft_text_format *format = importer->format;
    const uint8_t *record = NULL;
    const char *line = NULL;
    bool found = false;
    importer->next_item = importer->item_count = 0;
    FT_TRY(importer->lines ? ft_line_reader_next(importer->lines, &line, diag)
                           : ft_record_reader_next(importer->records, &record, diag));
    *ret_at_end = !line && !record;
    if (*ret_at_end) {
        int status = format->check_end ? format->check_end(state, diag) : FT_OK;
        return status ? fail_there(importer, status, diag) : FT_OK;
    }
    state->line++;
    if (state->line % PROGRESS_LINES == 0)
        ft_progress_update(importer->progress, ft_byte_source_bytes(importer->source),
                           ft_byte_source_total_bytes(importer->source), "bytes");
    int status =
        record ? format->read_record(state, record, importer->items, &importer->item_count, diag)
               : format->read(state, line, &found, importer->items, diag);
    importer->item_count += found;
    return status ? fail_there(importer, status, diag) : FT_OK;
}

/* The next item; *ret_item is NULL at the end of the text. */
static int next_item(struct importer *importer, const struct ft_text_item **ret_item,
                     struct ft_diag *diag)
{
    bool at_end = false;
    while (!at_end && importer->next_item == importer->item_count)
        FT_TRY(read_items(importer, &at_end, diag));
    *ret_item = at_end ? NULL : &importer->items[importer->next_item++];
    return FT_OK;
}

static int add_item(struct importer *importer, const struct ft_text_item *item,
                    struct ft_diag *diag)
{
    int status = ft_reference_log_add(importer->log, item, diag);
    bool is_of_line = status == FT_ERROR_DATA || status == FT_ERROR_UNSUPPORTED;
    return is_of_line ? fail_there(importer, status, diag) : status;
}

static int finish(struct importer *importer, struct ft_metadata *metadata, struct ft_diag *diag)
{
    struct ft_reference_origin origin = {.format = importer->format->name,
                                         .bytes = ft_byte_source_bytes(importer->source),
                                         .name = ft_byte_source_name(importer->source)};
    char reason[128];
    ft_byte_source_sha256(importer->source, origin.sha256);
    snprintf(reason, sizeof reason, "imported from %s %s, to its end", importer->format->name,
             importer->lines ? "text" : "records");
    FT_TRY(ft_reference_log_origin(importer->log, &origin, diag));
    return ft_reference_log_finish(importer->log, reason, metadata, diag);
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

static int import_all(struct importer *importer, const char *output, struct ft_metadata *metadata,
                      struct ft_diag *diag)
{
    const struct ft_text_item *item = NULL;
    int status = next_item(importer, &item, diag);
    if (!status && !item)
        status = ft_fail(diag, FT_ERROR_DATA, "%s: has no accesses and no instructions",
                         ft_byte_source_name(importer->source));
    if (!status)
        status = take_command(importer, metadata, diag);
    if (!status)
        status = ft_trace_writer_create(output, metadata, &importer->writer, diag);
    if (!status)
        status = ft_reference_log_create(importer->writer, &importer->log, diag);
    while (!status && item) {
        status = add_item(importer, item, diag);
        if (!status)
            status = next_item(importer, &item, diag);
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

int ft_text_import(const char *path, const struct ft_text_format *format,
                   const struct ft_text_options *options, const char *output,
                   struct ft_metadata *metadata, struct ft_progress *progress,
                   struct ft_text_imported *ret_imported, struct ft_diag *diag)
{
    struct importer importer = {.format = format, .progress = progress};
    if (options)
        importer.state.options = *options;
    FT_TRY(open_input(&importer, path, diag));
    int status = import_all(&importer, output, metadata, diag);
    if (!status && ret_imported)
        *ret_imported = (struct ft_text_imported){importer.state.empty, importer.state.larger};
    ft_reference_log_destroy(importer.log);
    ft_line_reader_close(importer.lines);
    ft_record_reader_close(importer.records);
    free(importer.state.command);
    bool is_made = importer.writer != NULL;
    ft_trace_writer_destroy(importer.writer);
    if (is_made && status && status != FT_ERROR_IO)
        remove_partial(output);
    return status;
}

bool ft_imported_source(const struct ft_trace *trace, size_t *at,
                        struct ft_imported_source *ret_source)
{
    while (*at < ft_trace_event_count(trace)) {
        const struct ft_event *event = ft_trace_event(trace, (*at)++);
        struct ft_imported_source source = {.bytes = event->a};
        int name_at = 0;
        if (event->kind != FT_EVENT_IMPORTED || !event->text)
            continue;
        if (sscanf(event->text, "%31[^ ] %64[0-9a-f] %n", source.format, source.sha256, &name_at) !=
                2 ||
            name_at == 0)
            continue;
        source.name = event->text + name_at;
        *ret_source = source;
        return true;
    }
    return false;
}
