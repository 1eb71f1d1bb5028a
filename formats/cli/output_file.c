/*
 * A trace is known by its first chunk, which is near the start of the file, so that one whose
 * capture was cut off is known as well as a complete one. Results say what they are; texts are what
 * their first lines are.
 */
#include "formats/cli/output_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/hdf5_output.h"
#include "formats/base/result_file.h"
#include "formats/histograms/histograms.h"
#include "formats/model/model.h"
#include "formats/text/text_format.h"
#include "formats/trace/chunk.h"

#define HEAD_BYTES ((size_t)1 << 20)

static const char *const kind_names[] = {
    [FT_FILE_NONE] = "empty",
    [FT_FILE_TRACE] = "a trace",
    [FT_FILE_HISTOGRAMS] = "a histograms file",
    [FT_FILE_MODEL] = "a model",
    [FT_FILE_ACCESSES] = "accesses as text",
    [FT_FILE_SVG] = "a picture (SVG)",
    [FT_FILE_PAGE] = "a page (HTML) made by foretrace",
    [FT_FILE_MACHINE] = "a machine file made by foretrace",
    [FT_FILE_PROBE] = "curves of a probe",
    [FT_FILE_BANDWIDTH] = "a bandwidth model",
    [FT_FILE_OTHER] = "a file of unknown kind",
};

/* ---- kinds ---- */

static bool has_trace_chunk(const uint8_t *head, size_t bytes)
{
    static const uint8_t frame_magic[4] = {0x28, 0xb5, 0x2f, 0xfd}; /* zstd */
    const uint8_t *end = head + bytes, *frame = head;
    while ((frame = memmem(frame, (size_t)(end - frame), frame_magic, sizeof frame_magic))) {
        struct ft_chunk_description description;
        if (ft_chunk_peek(frame, (size_t)(end - frame), &description, NULL) == FT_OK)
            return true;
        frame++;
    }
    return false;
}

/* Whether the first line that says something is one that `import` takes. */
static bool begins_with_access(const char *text, const struct ft_text_format *format)
{
    struct ft_text_state state = {0};
    bool found = false;
    int status = FT_OK;
    while (status == FT_OK && !found && *text) {
        char line[256];
        const size_t length = strcspn(text, "\n");
        struct ft_text_item item = {0};
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        state.line++;
        status = format->read(&state, line, &found, &item, NULL);
        text += length + (text[length] == '\n');
    }
    free(state.command);
    return status == FT_OK && found;
}

static enum ft_file_kind kind_of_text(const char *text)
{
    if (strncmp(text, "<svg ", 5) == 0)
        return FT_FILE_SVG;
    if (strncmp(text, "<!doctype html><!-- foretrace report", 36) == 0)
        return FT_FILE_PAGE;
    if (strncmp(text, "# foretrace machine ", 20) == 0)
        return FT_FILE_MACHINE;
    for (size_t i = 0; ft_text_formats[i]; i++)
        if (ft_text_formats[i]->read && begins_with_access(text, ft_text_formats[i]))
            return FT_FILE_ACCESSES;
    return FT_FILE_OTHER;
}

static enum ft_file_kind kind_of_file(FILE *file, const char *path)
{
    static const char hdf5_magic[8] = "\x89HDF\r\n\x1a\n";
    char *head = malloc(HEAD_BYTES + 1);
    size_t bytes = head ? fread(head, 1, HEAD_BYTES, file) : 0;
    enum ft_file_kind kind = head && bytes == 0 ? FT_FILE_NONE : FT_FILE_OTHER;
    if (bytes > 0 && has_trace_chunk((const uint8_t *)head, bytes)) {
        kind = FT_FILE_TRACE;
    } else if (bytes >= sizeof hdf5_magic && memcmp(head, hdf5_magic, sizeof hdf5_magic) == 0) {
        kind = ft_histogram_file_is(path)             ? FT_FILE_HISTOGRAMS
               : ft_model_file_is(path)               ? FT_FILE_MODEL
               : ft_result_file_is(path, "probe")     ? FT_FILE_PROBE
               : ft_result_file_is(path, "bandwidth") ? FT_FILE_BANDWIDTH
                                                      : FT_FILE_OTHER;
    } else if (bytes > 0 && !memchr(head, 0, bytes)) {
        head[bytes] = 0;
        kind = kind_of_text(head);
    }
    free(head);
    return kind;
}

enum ft_file_kind ft_file_kind_of(const char *path)
{
    struct stat there;
    if (stat(path, &there) != 0)
        return FT_FILE_NONE;
    FILE *file = S_ISREG(there.st_mode) ? fopen(path, "re") : NULL;
    if (!file)
        return FT_FILE_OTHER;
    enum ft_file_kind kind = kind_of_file(file, path);
    (void)fclose(file); /* it was only read */
    return kind;
}

/* ---- the rule ---- */

static bool is_same_file(const char *path, const char *input)
{
    struct stat written, read;
    return stat(path, &written) == 0 &&
           stat(strcmp(input, "-") == 0 ? "/dev/stdin" : input, &read) == 0 &&
           S_ISREG(written.st_mode) && written.st_dev == read.st_dev &&
           written.st_ino == read.st_ino;
}

/* Whether the output is the file that an input begins with, before edits of a machine. */
static bool is_edited_file(const char *path, const char *input)
{
    char *name = strndup(input, strcspn(input, ","));
    const bool is_same = name && is_same_file(path, name);
    free(name);
    return is_same;
}

static int check_inputs(const char *path, const char *const *inputs, size_t input_count,
                        struct ft_diag *diag)
{
    for (size_t i = 0; i < input_count; i++) {
        const char *value = strchr(inputs[i], '=');
        if (is_same_file(path, inputs[i]) || is_edited_file(path, inputs[i]) ||
            (value && is_same_file(path, value + 1)))
            return ft_fail(diag, FT_ERROR_USAGE,
                           "%s: is a file that is read; give the output another name", path);
    }
    return FT_OK;
}

static int check_kind(const char *path, enum ft_file_kind kind, struct ft_diag *diag)
{
    const enum ft_file_kind there = ft_file_kind_of(path);
    if (there == FT_FILE_NONE || (there == kind && there != FT_FILE_TRACE))
        return FT_OK;
    if (there == kind)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s: is a trace already; give the output another name, or --force to "
                       "replace it",
                       path);
    return ft_fail(diag, FT_ERROR_USAGE,
                   "%s: is %s, not %s; give the output another name, or --force to replace it",
                   path, kind_names[there], kind_names[kind]);
}

/* Whether another foretrace writes the file, as creating it will say. */
static bool is_locked(const char *partial)
{
    const int descriptor = open(partial, O_RDONLY | O_CLOEXEC);
    const bool locked = descriptor >= 0 && flock(descriptor, LOCK_SH | LOCK_NB) != 0;
    if (descriptor >= 0)
        close(descriptor);
    return locked;
}

/* What an interrupted capture left, which `verify --repair` can save. */
static int check_partial(const char *partial, struct ft_diag *diag)
{
    if (ft_file_kind_of(partial) != FT_FILE_TRACE || is_locked(partial))
        return FT_OK;
    return ft_fail(
        diag, FT_ERROR_USAGE,
        "%s: is the truncated trace of a capture; save it with 'foretrace verify --repair "
        "COPY', give the output another name, or --force to replace it",
        partial);
}

int ft_output_file_check(const char *path, enum ft_file_kind kind, bool force,
                         const char *const *inputs, size_t input_count, struct ft_diag *diag)
{
    char *partial = NULL;
    int status;
    if (asprintf(&partial, "%s.partial", path) < 0)
        return ft_fail_memory(diag, path);
    FT_TRY_TO(end, status, ft_output_check(path, diag));
    FT_TRY_TO(end, status, check_inputs(path, inputs, input_count, diag));
    FT_TRY_TO(end, status, check_inputs(partial, inputs, input_count, diag));
    FT_TRY_TO(end, status, force ? FT_OK : check_kind(path, kind, diag));
    FT_TRY_TO(end, status, force ? FT_OK : check_partial(partial, diag));
    status = ft_output_check_folder(path, diag);
end:
    free(partial);
    return status;
}
