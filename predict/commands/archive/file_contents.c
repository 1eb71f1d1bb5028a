/*
 * Files are told apart by their contents. First all of them get their names, then commands are
 * found: captures, replays of traces that are in the archive, fits of histograms that are.
 */
#include "predict/commands/archive/file_contents.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/cli/output_file.h"
#include "formats/histograms/histograms.h"
#include "formats/model/model.h"
#include "formats/trace/private_parts.h"
#include "formats/trace/trace.h"
#include "predict/plan/command_words.h"

/* Of a trace, or of histograms: the traces that they were made of. */
struct described {
    enum ft_file_kind kind;
    const char *name;       /* in the archive */
    struct ft_words hashes; /* contents of traces */
    char *options;          /* of histograms: as the file has them; NULL: not known */
};

struct described_files {
    struct described *items;
    size_t count;
};

static const char *what_of(enum ft_file_kind kind)
{
    switch (kind) {
    case FT_FILE_TRACE:
        return "a trace";
    case FT_FILE_HISTOGRAMS:
        return "histograms of reuse distances";
    case FT_FILE_MODEL:
        return "a model";
    case FT_FILE_PAGE:
        return "a report: open it in a browser";
    case FT_FILE_MACHINE:
        return "a machine";
    case FT_FILE_PROBE:
        return "curves of a probe";
    case FT_FILE_BANDWIDTH:
        return "a bandwidth model";
    case FT_FILE_SVG:
        return "a picture";
    default:
        return "a file";
    }
}

/* Takes the command over; nothing is added where it is known how its file was made: by a study, or
 * because the file was given twice. */
static int add_command(struct ft_archive_contents *contents, struct ft_archive_command *command,
                       struct ft_diag *diag)
{
    if (command->outputs.count == 0 ||
        ft_archive_maker_of(contents, command->outputs.items[0]) == 0)
        return ft_archive_add_command(contents, command, diag);
    ft_archive_command_fini(command);
    return FT_OK;
}

/* ---- traces ---- */

/* Options that no other part of a trace shows; traces of early foretrace have not noted them. */
static int add_noted_options(const struct ft_metadata *metadata, struct ft_words *words,
                             struct ft_diag *diag)
{
    const struct ft_host_fact *fact =
        ft_capture_host_find_fact(&metadata->capture_host, FT_HOST_OPTIONS);
    char **options = NULL;
    if (!fact || !fact->text)
        return FT_OK;
    FT_TRY(ft_command_words_split(fact->text, &options, diag));
    ft_words_add_all(words, options);
    ft_command_words_free(options);
    return FT_OK;
}

static int add_capture(struct ft_archive_contents *contents, const struct ft_trace *trace,
                       const char *name, struct ft_diag *diag)
{
    const struct ft_metadata *metadata = ft_trace_metadata(trace);
    struct ft_archive_command command = {.is_noisy = false};
    ft_words_add(&command.words, "capture");
    int status = add_noted_options(metadata, &command.words, diag);
    if (status != FT_OK) {
        ft_archive_command_fini(&command);
        return status;
    }
    if (ft_trace_counts(trace))
        ft_words_add(&command.words, "--counts");
    if (ft_trace_sources(trace)->count > 0)
        ft_words_add(&command.words, "--source");
    if (ft_metadata_is_private(metadata))
        ft_words_add(&command.words, "--private");
    for (size_t i = 0; i < metadata->parameter_count; i++) {
        ft_words_add(&command.words, "-D");
        ft_words_add(&command.words, "%s=%.15g", metadata->parameters[i].name,
                     metadata->parameters[i].value);
    }
    ft_words_add(&command.words, "-o");
    ft_words_add(&command.words, "%s", name);
    ft_words_add(&command.words, "--");
    command.program_at = command.words.count;
    for (size_t i = 0; i < metadata->argument_count; i++)
        ft_words_add(&command.words, "%s", metadata->arguments[i]);
    ft_words_add(&command.outputs, "%s", name);
    return add_command(contents, &command, diag);
}

/* Its hash; its capture, unless it was imported. */
static int describe_trace(struct ft_archive_contents *contents, const char *path,
                          struct described *file, struct ft_diag *diag)
{
    const struct ft_trace_options options = {.allow_incomplete = true};
    struct ft_trace *trace;
    FT_TRY(ft_trace_open(path, &options, &trace, diag));
    ft_words_add(&file->hashes, "%s", ft_trace_content_hash(trace));
    int status = ft_trace_metadata(trace)->argument_count > 0
                     ? add_capture(contents, trace, file->name, diag)
                     : FT_OK;
    ft_trace_close(trace);
    return status == FT_OK && file->hashes.failed ? ft_fail_memory(diag, path) : status;
}

/* ---- results ---- */

/* The files of a kind in which the hashes are, in the order of these; false: not all are there. */
static bool find_inputs(const struct described_files *files, enum ft_file_kind kind,
                        const struct ft_words *hashes, struct ft_words *inputs)
{
    for (size_t i = 0; i < hashes->count; i++) {
        const struct described *found = NULL;
        for (size_t j = 0; j < files->count && !found; j++)
            if (files->items[j].kind == kind &&
                ft_words_have(&files->items[j].hashes, hashes->items[i]))
                found = &files->items[j];
        if (!found)
            return false;
        if (!ft_words_have(inputs, found->name))
            ft_words_add(inputs, "%s", found->name);
    }
    return hashes->count > 0;
}

/* options: as the file has them; NULL: not known. counts: files of `fit --counts`. */
static int add_made(struct ft_archive_contents *contents, const char *verb, const char *options,
                    const char *name, const struct ft_words *inputs, const struct ft_words *counts,
                    struct ft_diag *diag)
{
    struct ft_archive_command command = {.program_at = SIZE_MAX};
    char **words = NULL;
    if (options && options[0])
        FT_TRY(ft_command_words_split(options, &words, diag));
    ft_words_add(&command.words, "%s", verb);
    ft_words_add_all(&command.words, words);
    for (size_t i = 0; i < counts->count; i++) {
        ft_words_add(&command.words, "--counts");
        ft_words_add(&command.words, "%s", counts->items[i]);
        ft_words_add(&command.inputs, "%s", counts->items[i]);
    }
    ft_words_add(&command.words, "-o");
    ft_words_add(&command.words, "%s", name);
    ft_words_add_all(&command.words, inputs->items);
    ft_words_add_all(&command.inputs, inputs->items);
    ft_words_add(&command.outputs, "%s", name);
    ft_command_words_free(words);
    return add_command(contents, &command, diag);
}

static int add_replay(struct ft_archive_contents *contents, const struct described_files *files,
                      const struct described *file, struct ft_diag *diag)
{
    const struct ft_words none = {0};
    struct ft_words inputs = {0};
    int status = FT_OK;
    if (find_inputs(files, FT_FILE_TRACE, &file->hashes, &inputs))
        status = add_made(contents, "replay", file->options, file->name, &inputs, &none, diag);
    ft_words_fini(&inputs);
    return status;
}

static int add_fit(struct ft_archive_contents *contents, const struct described_files *files,
                   const struct described *file, const char *path, struct ft_diag *diag)
{
    struct ft_model_file models;
    struct ft_words hashes = {0}, inputs = {0}, counted = {0}, counts = {0};
    int status = FT_OK;
    FT_TRY(ft_model_file_read(path, &models, diag));
    const struct ft_model *model = &models.models[0]; /* a file is made by one command */
    for (size_t i = 0; i < model->training_count; i++)
        ft_words_add(&hashes, "%s", model->trace_hashes[i]);
    for (size_t i = 0; i < model->counted.count; i++)
        ft_words_add(&counted, "%s", model->counted.trace_hashes[i]);
    if (models.count == 1 && find_inputs(files, FT_FILE_HISTOGRAMS, &hashes, &inputs) &&
        (counted.count == 0 || find_inputs(files, FT_FILE_TRACE, &counted, &counts)))
        status = add_made(contents, "fit", model->options, file->name, &inputs, &counts, diag);
    ft_words_fini(&hashes);
    ft_words_fini(&inputs);
    ft_words_fini(&counted);
    ft_words_fini(&counts);
    ft_model_file_fini(&models);
    return status;
}

static int describe_histograms(const char *path, struct described *file, struct ft_diag *diag)
{
    struct ft_histogram_file histograms;
    FT_TRY(ft_histogram_file_read(path, &histograms, diag));
    for (size_t i = 0; i < histograms.count; i++)
        ft_words_add(&file->hashes, "%s", histograms.entries[i].trace_hash);
    file->options = histograms.options;
    histograms.options = NULL;
    ft_histogram_file_fini(&histograms);
    return file->hashes.failed ? ft_fail_memory(diag, path) : FT_OK;
}

/* ---- all files ---- */

static int name_file(struct ft_archive_contents *contents, const char *path, struct described *file,
                     struct ft_diag *diag)
{
    struct stat there;
    if (stat(path, &there) != 0)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(there.st_mode))
        return ft_fail(diag, FT_ERROR_USAGE, "%s: is neither a file nor the folder of a study",
                       path);
    char *name = ft_archive_name_of(path);
    file->kind = ft_file_kind_of(path);
    int status = name ? ft_archive_add_file(contents, name, path, what_of(file->kind), diag)
                      : ft_fail_memory(diag, path);
    if (status == FT_OK)
        file->name = ft_archive_find_member(contents, name)->name;
    free(name);
    return status;
}

static int describe(struct ft_archive_contents *contents, const char *path, struct described *file,
                    struct ft_diag *diag)
{
    return file->kind == FT_FILE_TRACE        ? describe_trace(contents, path, file, diag)
           : file->kind == FT_FILE_HISTOGRAMS ? describe_histograms(path, file, diag)
                                              : FT_OK;
}

static int add_all(struct ft_archive_contents *contents, char *const *paths,
                   const struct described_files *files, struct ft_diag *diag)
{
    for (size_t i = 0; i < files->count; i++)
        FT_TRY(name_file(contents, paths[i], &files->items[i], diag));
    for (size_t i = 0; i < files->count; i++)
        FT_TRY(describe(contents, paths[i], &files->items[i], diag));
    for (size_t i = 0; i < files->count; i++)
        if (files->items[i].kind == FT_FILE_HISTOGRAMS)
            FT_TRY(add_replay(contents, files, &files->items[i], diag));
    for (size_t i = 0; i < files->count; i++)
        if (files->items[i].kind == FT_FILE_MODEL)
            FT_TRY(add_fit(contents, files, &files->items[i], paths[i], diag));
    return FT_OK;
}

int ft_archive_add_files(struct ft_archive_contents *contents, char *const *paths, size_t count,
                         struct ft_diag *diag)
{
    struct described_files files = {calloc(count + 1, sizeof *files.items), count};
    if (!files.items)
        return ft_fail_memory(diag, "the files of an archive");
    const int status = add_all(contents, paths, &files, diag);
    for (size_t i = 0; i < count; i++) {
        ft_words_fini(&files.items[i].hashes);
        free(files.items[i].options);
    }
    free(files.items);
    return status;
}

/* ---- as typed ---- */

/* A word with the name in the archive in the place of a file's path, which may have edits behind
 * it; `files` gets the name. */
static bool rename_word(const struct ft_archive_contents *contents, char **word,
                        struct ft_words *files)
{
    const size_t length = strcspn(*word, ",");
    char *path = strndup(*word, length), *renamed = NULL;
    const struct ft_archive_member *member = path ? ft_archive_find_source(contents, path) : NULL;
    bool done = path != NULL;
    if (member) {
        const bool is_plain = strchr(*word, '/') && !strchr(member->name, '/');
        done =
            asprintf(&renamed, "%s%s%s", is_plain ? "./" : "", member->name, *word + length) >= 0;
        if (done) {
            free(*word);
            *word = renamed;
            ft_words_add(files, "%s", member->name);
        }
    }
    free(path);
    return done;
}

static bool is_output_option(const char *word)
{
    return strcmp(word, "-o") == 0 || strcmp(word, "--output") == 0;
}

int ft_archive_add_typed(struct ft_archive_contents *contents, const char *text,
                         struct ft_diag *diag)
{
    struct ft_archive_command command;
    FT_TRY(ft_archive_command_parse(text, &command, diag));
    bool done = !command.output || rename_word(contents, &command.output, &command.outputs);
    for (size_t i = 1; done && i < command.words.count && i < command.program_at; i++)
        done = rename_word(contents, &command.words.items[i],
                           is_output_option(command.words.items[i - 1]) ? &command.outputs
                                                                        : &command.inputs);
    int status = done ? FT_OK : ft_fail_memory(diag, "a command");
    if (status == FT_OK && command.outputs.count == 0)
        status = ft_fail(diag, FT_ERROR_USAGE,
                         "--made-by '%.300s': writes none of the archive's files, as with >FILE or "
                         "-o FILE",
                         text);
    if (status == FT_OK)
        status = ft_archive_add_machines(contents, &command, diag);
    if (status == FT_OK)
        return ft_archive_add_command(contents, &command, diag);
    ft_archive_command_fini(&command);
    return status;
}
