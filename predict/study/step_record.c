/*
 * Marks of files, which tell whether they are the same; records of steps in files; whether a step
 * is done; the same of a study that was moved, whose paths are others now.
 */
#include "predict/study/step_record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "formats/base/sealed_file.h"

#define KIND       "study-step"
#define VERSION    1U
#define READ_BYTES ((size_t)1 << 18)

struct record {
    char *command;
    struct ft_step_cost cost;
    struct ft_file_marks inputs, outputs;
};

/* ---- files as they are ---- */

static int hash_file(int fd, const char *path, uint64_t ret_hash[2], struct ft_diag *diag)
{
    XXH3_state_t *state = XXH3_createState();
    char *bytes = malloc(READ_BYTES);
    ssize_t got = -1;
    if (!state || !bytes) {
        (void)XXH3_freeState(state);
        free(bytes);
        return ft_fail_memory(diag, path);
    }
    (void)XXH3_128bits_reset(state);
    while ((got = read(fd, bytes, READ_BYTES)) > 0)
        (void)XXH3_128bits_update(state, bytes, (size_t)got);
    const int error = errno;
    const XXH128_hash_t hash = XXH3_128bits_digest(state);
    (void)XXH3_freeState(state);
    free(bytes);
    if (got < 0)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(error));
    ret_hash[0] = hash.low64;
    ret_hash[1] = hash.high64;
    return FT_OK;
}

/* known: the same file as it was, or NULL. */
static int take_mark(const char *path, const struct ft_file_mark *known,
                     struct ft_file_mark *ret_mark, struct ft_diag *diag)
{
    struct ft_file_mark mark = {0};
    struct stat there;
    int status = FT_OK;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &there) != 0) {
        status = ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
    } else {
        mark.bytes = (uint64_t)there.st_size;
        mark.changed_ns =
            (uint64_t)there.st_mtim.tv_sec * 1000000000U + (uint64_t)there.st_mtim.tv_nsec;
        if (known && known->bytes == mark.bytes && known->changed_ns == mark.changed_ns)
            memcpy(mark.hash, known->hash, sizeof mark.hash);
        else
            status = hash_file(fd, path, mark.hash, diag);
    }
    if (fd >= 0)
        (void)close(fd);
    if (status == FT_OK && !(mark.path = strdup(path)))
        status = ft_fail_memory(diag, path);
    if (status == FT_OK)
        *ret_mark = mark;
    return status;
}

int ft_file_marks_take(const struct ft_words *paths, struct ft_file_marks *ret_marks,
                       struct ft_diag *diag)
{
    struct ft_file_marks marks = {.items = calloc(paths->count + 1, sizeof *marks.items)};
    int status = marks.items ? FT_OK : ft_fail_memory(diag, "files");
    while (status == FT_OK && marks.count < paths->count) {
        status = take_mark(paths->items[marks.count], NULL, &marks.items[marks.count], diag);
        marks.count += status == FT_OK;
    }
    if (status == FT_OK)
        *ret_marks = marks;
    else
        ft_file_marks_fini(&marks);
    return status;
}

void ft_file_marks_fini(struct ft_file_marks *marks)
{
    for (size_t i = 0; i < marks->count; i++)
        free(marks->items[i].path);
    free(marks->items);
    *marks = (struct ft_file_marks){0};
}

/* ---- records ---- */

/* One line a word; NULL without memory. */
static char *command_text(const struct ft_study_step *step)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return NULL;
    for (size_t i = 0; i < step->words.count; i++)
        fprintf(stream, "%s\n", step->words.items[i]);
    fprintf(stream, ">%s", step->output ? step->output : "");
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

static void put_marks(struct ft_sealed_output *output, const struct ft_file_marks *marks)
{
    ft_sealed_put_u64(output, marks->count);
    for (size_t i = 0; i < marks->count; i++) {
        const struct ft_file_mark *mark = &marks->items[i];
        ft_sealed_put_text(output, mark->path);
        ft_sealed_put_u64(output, mark->bytes);
        ft_sealed_put_u64(output, mark->changed_ns);
        ft_sealed_put(output, mark->hash, sizeof mark->hash);
    }
}

static void get_marks(struct ft_sealed_input *input, struct ft_file_marks *marks)
{
    const uint64_t count = ft_sealed_get_u64(input);
    marks->items = count < UINT16_MAX ? calloc(count + 1, sizeof *marks->items) : NULL;
    for (; marks->items && marks->count < count && !ft_sealed_failed(input); marks->count++) {
        struct ft_file_mark *mark = &marks->items[marks->count];
        mark->path = ft_sealed_get_text(input);
        mark->bytes = ft_sealed_get_u64(input);
        mark->changed_ns = ft_sealed_get_u64(input);
        ft_sealed_get(input, mark->hash, sizeof mark->hash);
    }
}

static int write_record(const char *path, const struct record *record, struct ft_diag *diag)
{
    struct ft_sealed_output *output;
    FT_TRY(ft_sealed_output_create(path, KIND, VERSION, &output, diag));
    ft_sealed_put_text(output, record->command);
    ft_sealed_put(output, &record->cost, sizeof record->cost);
    put_marks(output, &record->inputs);
    put_marks(output, &record->outputs);
    const int status = ft_sealed_output_finish(output, diag);
    ft_sealed_output_destroy(output);
    return status;
}

static void fini_record(struct record *record)
{
    free(record->command);
    ft_file_marks_fini(&record->inputs);
    ft_file_marks_fini(&record->outputs);
}

/* False where there is none, or none that is whole: then the step is to be done. */
static bool read_record(const char *path, struct record *ret_record)
{
    struct record record = {0};
    struct ft_sealed_input *input;
    if (ft_sealed_input_open(path, KIND, VERSION, &input, NULL) != FT_OK)
        return false;
    record.command = ft_sealed_get_text(input);
    ft_sealed_get(input, &record.cost, sizeof record.cost);
    get_marks(input, &record.inputs);
    get_marks(input, &record.outputs);
    const bool is_whole = !ft_sealed_failed(input) && record.inputs.items && record.outputs.items;
    ft_sealed_input_close(input);
    if (is_whole)
        *ret_record = record;
    else
        fini_record(&record);
    return is_whole;
}

/* ---- is it done? ---- */

/* Whether these are the files of the record, as they were. */
static bool are_same(const struct ft_words *paths, const struct ft_file_marks *marks,
                     char why[FT_STEP_WHY])
{
    bool same = paths->count == marks->count;
    for (size_t i = 0; same && i < paths->count; i++)
        same = marks->items[i].path && strcmp(paths->items[i], marks->items[i].path) == 0;
    if (!same)
        snprintf(why, FT_STEP_WHY, "other files are read or written");
    for (size_t i = 0; same && i < paths->count; i++) {
        struct ft_file_mark now = {0};
        const struct ft_file_mark *then = &marks->items[i];
        if (take_mark(paths->items[i], then, &now, NULL) != FT_OK)
            snprintf(why, FT_STEP_WHY, "%.400s is not there", paths->items[i]);
        else if (now.bytes != then->bytes || memcmp(now.hash, then->hash, sizeof now.hash) != 0)
            snprintf(why, FT_STEP_WHY, "%.400s has changed", paths->items[i]);
        same = why[0] == 0;
        free(now.path);
    }
    return same;
}

bool ft_step_is_done(const struct ft_study_step *step, struct ft_step_cost *ret_cost,
                     char why[FT_STEP_WHY])
{
    struct record record;
    why[0] = 0;
    if (!read_record(step->record, &record))
        return false;
    char *command = command_text(step);
    const bool same_command = command && strcmp(command, record.command) == 0;
    if (!same_command)
        snprintf(why, FT_STEP_WHY, "the command has changed");
    const bool is_done = same_command && are_same(&step->inputs, &record.inputs, why) &&
                         are_same(&step->outputs, &record.outputs, why);
    if (is_done)
        *ret_cost = record.cost;
    free(command);
    fini_record(&record);
    return is_done;
}

/* ---- in another place ---- */

#define PLAN_OUTPUT "/plan.json"

int ft_study_folder_then(const char *folder, char **ret_then, struct ft_diag *diag)
{
    struct record record = {0};
    char *path = NULL, *then = NULL;
    if (asprintf(&path, "%s/steps/plan", folder) < 0)
        return ft_fail_memory(diag, folder);
    const bool is_read = read_record(path, &record);
    const char *output = is_read && record.outputs.count == 1 ? record.outputs.items[0].path : NULL;
    output = output ? output : "";
    const size_t length = strlen(output), end = strlen(PLAN_OUTPUT);
    const bool is_known = length > end && strcmp(output + length - end, PLAN_OUTPUT) == 0;
    if (is_known)
        then = strndup(output, length - end);
    fini_record(&record);
    free(path);
    if (!is_known)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s: its study has no plan yet: let 'foretrace study' end first", folder);
    if (!then)
        return ft_fail_memory(diag, folder);
    *ret_then = then;
    return FT_OK;
}

/* Where a file of the study is now; NULL without memory. */
static char *path_now(const char *path, const char *then, const char *folder)
{
    const size_t length = strlen(then);
    char *now = NULL;
    if (!path)
        return NULL;
    if (strncmp(path, then, length) != 0 || path[length] != '/')
        return strdup(path);
    return asprintf(&now, "%s%s", folder, path + length) < 0 ? NULL : now;
}

bool ft_step_is_kept(const struct ft_study_step *step, const struct ft_study *study,
                     const char *folder, char why[FT_STEP_WHY])
{
    struct record record;
    char *path = path_now(step->record, study->folder, folder);
    const bool is_read = path && read_record(path, &record);
    free(path);
    snprintf(why, FT_STEP_WHY, "it was not done");
    if (!is_read)
        return false;
    char *command = command_text(step);
    bool is_kept = command && record.command && strcmp(command, record.command) == 0;
    for (size_t i = 0; is_kept && i < record.outputs.count; i++) {
        const struct ft_file_mark *then = &record.outputs.items[i];
        struct ft_file_mark now = {0};
        path = path_now(then->path, study->folder, folder);
        is_kept = path && take_mark(path, NULL, &now, NULL) == FT_OK && now.bytes == then->bytes &&
                  memcmp(now.hash, then->hash, sizeof now.hash) == 0;
        if (!is_kept)
            snprintf(why, FT_STEP_WHY, "%.400s is not there as it was", path ? path : "a file");
        free(path);
        free(now.path);
    }
    free(command);
    fini_record(&record);
    return is_kept;
}

int ft_step_record_write(const struct ft_study_step *step, const struct ft_file_marks *inputs,
                         struct ft_step_cost *cost, struct ft_diag *diag)
{
    struct record record = {.command = command_text(step), .inputs = *inputs};
    int status = record.command ? FT_OK : ft_fail_memory(diag, "a step");
    if (status == FT_OK)
        status = ft_file_marks_take(&step->outputs, &record.outputs, diag);
    if (status == FT_OK) {
        cost->bytes = 0;
        for (size_t i = 0; i < record.outputs.count; i++)
            cost->bytes += (double)record.outputs.items[i].bytes;
        record.cost = *cost;
        status = write_record(step->record, &record, diag);
    }
    free(record.command);
    ft_file_marks_fini(&record.outputs);
    return status;
}
