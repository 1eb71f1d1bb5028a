#include "predict/study/study.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/file_name.h"
#include "formats/base/sealed_file.h"

#define KIND         "study"
#define VERSION      2U
#define VERSION_BARE 1U /* captures keep no source files: as it was before they could */

/* NULL without memory. */
static char *state_path(const char *folder)
{
    char *path = NULL;
    return asprintf(&path, "%s/study.state", folder) < 0 ? NULL : path;
}

bool ft_study_is_there(const char *folder)
{
    char *path = state_path(folder);
    const bool is_there = path && access(path, F_OK) == 0;
    free(path);
    return is_there;
}

/* ---- the file ---- */

static void put_words(struct ft_sealed_output *output, const struct ft_words *words)
{
    ft_sealed_put_u64(output, words->count);
    for (size_t i = 0; i < words->count; i++)
        ft_sealed_put_text(output, words->items[i]);
}

static void get_words(struct ft_sealed_input *input, struct ft_words *words)
{
    const uint64_t count = ft_sealed_get_u64(input);
    for (uint64_t i = 0; i < count && !ft_sealed_failed(input) && !words->failed; i++) {
        char *text = ft_sealed_get_text(input);
        if (text)
            ft_words_add(words, "%s", text);
        free(text);
    }
}

int ft_study_save(const struct ft_study *study, struct ft_diag *diag)
{
    struct ft_sealed_output *output = NULL;
    char *path = state_path(study->folder);
    if (!path)
        return ft_fail_memory(diag, study->folder);
    int status = ft_sealed_output_create(path, KIND, study->keep_sources ? VERSION : VERSION_BARE,
                                         &output, diag);
    if (status == FT_OK) {
        ft_sealed_put_text(output, study->cwd);
        ft_sealed_put_text(output, study->parameter);
        ft_sealed_put(output, &study->target, sizeof study->target);
        ft_sealed_put(output, &study->budget_seconds, sizeof study->budget_seconds);
        ft_sealed_put_text(output, study->block_list);
        ft_sealed_put_u64(output, study->with_host);
        put_words(output, &study->program);
        put_words(output, &study->machines);
        put_words(output, &study->defines);
        put_words(output, &study->plan_options);
        status = ft_sealed_output_finish(output, diag);
        ft_sealed_output_destroy(output);
    }
    free(path);
    return status;
}

static void get_study(struct ft_sealed_input *input, struct ft_study *study)
{
    study->cwd = ft_sealed_get_text(input);
    study->parameter = ft_sealed_get_text(input);
    ft_sealed_get(input, &study->target, sizeof study->target);
    ft_sealed_get(input, &study->budget_seconds, sizeof study->budget_seconds);
    study->block_list = ft_sealed_get_text(input);
    study->with_host = ft_sealed_get_u64(input) != 0;
    get_words(input, &study->program);
    get_words(input, &study->machines);
    get_words(input, &study->defines);
    get_words(input, &study->plan_options);
}

int ft_study_load(const char *folder, struct ft_study *ret_study, struct ft_diag *diag)
{
    struct ft_study study = {.folder = strdup(folder)};
    struct ft_sealed_input *input = NULL;
    uint32_t version = 0;
    char *path = state_path(folder);
    int status = path && study.folder ? FT_OK : ft_fail_memory(diag, folder);
    if (status == FT_OK)
        status =
            ft_sealed_input_open_any(path, KIND, VERSION_BARE, VERSION, &input, &version, diag);
    if (status == FT_OK) {
        get_study(input, &study);
        study.keep_sources = version > VERSION_BARE;
        if (ft_sealed_failed(input) || study.program.count == 0)
            status = ft_fail(diag, FT_ERROR_DATA, "%s: is not a whole study", path);
        ft_sealed_input_close(input);
    }
    free(path);
    if (status == FT_OK)
        *ret_study = study;
    else
        ft_study_fini(&study);
    return status;
}

void ft_study_fini(struct ft_study *study)
{
    free(study->folder);
    free(study->cwd);
    free(study->parameter);
    free(study->block_list);
    ft_words_fini(&study->program);
    ft_words_fini(&study->machines);
    ft_words_fini(&study->defines);
    ft_words_fini(&study->plan_options);
    *study = (struct ft_study){0};
}

char *ft_study_default_folder(char *const *words)
{
    const char *name = ft_file_name(words[0]);
    char *folder = malloc(strlen(name) + sizeof "-study");
    size_t length = 0;
    for (; folder && *name; name++)
        if (*name != '{' && *name != '}')
            folder[length++] = *name;
    if (folder)
        strcpy(folder + length, "-study");
    return folder;
}
