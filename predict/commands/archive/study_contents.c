/*
 * The steps are made again from what is studied and from the plan, under the name that the folder
 * had then. Words and files that begin with that name get the folder's name in the archive; machine
 * files from elsewhere keep a name that leads nowhere else.
 */
#include "predict/commands/archive/study_contents.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/file_name.h"
#include "predict/commands/study_question.h"
#include "predict/study/step_record.h"

struct adding {
    struct ft_archive_contents *contents;
    struct ft_study study; /* its folder is called as it was then */
    struct ft_study_plan plan;
    struct ft_study_steps steps;
    const char *folder; /* now */
    char *name;         /* of the folder in the archive */
};

/* What follows "FOLDER/" in a path of the study; NULL: it is none. */
static const char *below_folder(const struct adding *adding, const char *path)
{
    const size_t length = strlen(adding->study.folder);
    return strncmp(path, adding->study.folder, length) == 0 && path[length] == '/'
               ? path + length + 1
               : NULL;
}

/* Of a file that a step reads or writes; to be freed, NULL without memory. */
static char *name_of(const struct adding *adding, const char *path)
{
    const char *below = below_folder(adding, path);
    char *name = NULL;
    if (!below)
        return ft_archive_name_of(path);
    return asprintf(&name, "%s/%s", adding->name, below) < 0 ? NULL : name;
}

/* Where it is. */
static char *source_of(const struct adding *adding, const char *path)
{
    const char *below = below_folder(adding, path);
    char *source = NULL;
    int length;
    if (below)
        length = asprintf(&source, "%s/%s", adding->folder, below);
    else if (path[0] == '/')
        length = asprintf(&source, "%s", path);
    else
        length = asprintf(&source, "%s/%s", adding->study.cwd, path);
    return length < 0 ? NULL : source;
}

static const char *what_of(const struct ft_study_step *step)
{
    static const char *const texts[] = {
        [FT_STEP_HOST] = "the machine that the study was made on",
        [FT_STEP_PLAN] = "the plan: which sizes to learn from",
        [FT_STEP_CAPTURE] = "a trace",
        [FT_STEP_AGAIN] = "a trace of the smallest size once more",
        [FT_STEP_REPLAY] = "histograms of reuse distances",
        [FT_STEP_FIT] = "the model",
        [FT_STEP_FORECAST] = "a forecast",
        [FT_STEP_CHECK] = "the forecast of a held-out size beside an exact simulation",
        [FT_STEP_REPORT] = "the report: open it in a browser",
    };
    return texts[step->kind];
}

/* A file under its name; ret_name, to be freed, may be NULL. */
static int add_file(const struct adding *adding, const char *path, const char *what,
                    struct ft_words *names, struct ft_diag *diag)
{
    char *name = name_of(adding, path), *source = source_of(adding, path);
    int status = name && source ? FT_OK : ft_fail_memory(diag, "the files of an archive");
    if (status == FT_OK)
        status = ft_archive_add_file(adding->contents, name, source, what, diag);
    if (status == FT_OK)
        ft_words_add(names, "%s", name);
    free(name);
    free(source);
    return status;
}

/* ---- words ---- */

/* "MACHINE,EDITS" with the name that the machine's file has in the archive. */
static bool add_machine(const struct adding *adding, const struct ft_study_step *step,
                        const char *word, struct ft_words *words)
{
    const size_t length = strcspn(word, ",");
    for (size_t i = 0; i < step->inputs.count; i++) {
        const char *input = step->inputs.items[i];
        if (strlen(input) != length || strncmp(input, word, length) != 0)
            continue;
        char *name = name_of(adding, input);
        if (!name)
            return false;
        ft_words_add(words, "%s%s%s", strchr(name, '/') ? "" : "./", name, word + length);
        free(name);
        return true;
    }
    ft_words_add(words, "%s", word);
    return true;
}

static bool add_word(const struct adding *adding, const struct ft_study_step *step, size_t index,
                     struct ft_words *words)
{
    const char *word = step->words.items[index];
    const bool is_programs = index >= step->program_at;
    if (!is_programs && index > 0 && strcmp(step->words.items[index - 1], "--machine") == 0)
        return add_machine(adding, step, word, words);
    const char *below = is_programs ? NULL : below_folder(adding, word);
    if (below)
        ft_words_add(words, "%s/%s", adding->name, below);
    else
        ft_words_add(words, "%s", word);
    return true;
}

/* ---- steps ---- */

/* Those that a program was run for belong to the host: of these no input is archived. */
static bool is_of_program(const struct ft_study_step *step)
{
    return step->kind == FT_STEP_PLAN || step->kind == FT_STEP_CAPTURE ||
           step->kind == FT_STEP_AGAIN;
}

static bool is_there(const struct adding *adding, const char *path)
{
    char *source = source_of(adding, path);
    const bool there = source && access(source, F_OK) == 0;
    free(source);
    return there;
}

static int add_files(const struct adding *adding, const struct ft_study_step *step,
                     struct ft_archive_command *command, struct ft_diag *diag)
{
    const char *what = what_of(step);
    for (size_t i = 0; i < step->outputs.count; i++) {
        const bool is_text = step->output && strcmp(step->outputs.items[i], step->output) == 0;
        FT_TRY(add_file(adding, step->outputs.items[i],
                        is_text && step->kind == FT_STEP_FIT ? "what fit says of the model" : what,
                        &command->outputs, diag));
    }
    if (step->is_noisy && is_there(adding, step->output))
        FT_TRY(add_file(adding, step->output, "what the program printed", &command->outputs, diag));
    for (size_t i = 0; !is_of_program(step) && i < step->inputs.count; i++)
        FT_TRY(add_file(adding, step->inputs.items[i], "a machine", &command->inputs, diag));
    return FT_OK;
}

static int add_step(const struct adding *adding, const struct ft_study_step *step,
                    struct ft_diag *diag)
{
    struct ft_archive_command command = {
        .program_at = step->program_at >= step->words.count ? SIZE_MAX : step->program_at,
        .is_noisy = step->is_noisy};
    int status = add_files(adding, step, &command, diag);
    if (step->output)
        command.output = name_of(adding, step->output);
    bool added = !step->output || command.output;
    for (size_t i = 0; i < step->words.count && added; i++)
        added = add_word(adding, step, i, &command.words);
    if (status == FT_OK && !added)
        status = ft_fail_memory(diag, "the commands of an archive");
    if (status == FT_OK && !is_of_program(step))
        status = ft_archive_add_machines(adding->contents, &command, diag);
    if (status != FT_OK) {
        ft_archive_command_fini(&command);
        return status;
    }
    return ft_archive_add_command(adding->contents, &command, diag);
}

static int add_steps(const struct adding *adding, struct ft_diag *diag)
{
    char why[FT_STEP_WHY];
    for (size_t i = 0; i < adding->steps.count; i++) {
        const struct ft_study_step *step = &adding->steps.items[i];
        if (!ft_step_is_kept(step, &adding->study, adding->folder, why))
            return ft_fail(diag, FT_ERROR_USAGE,
                           "%s: step %zu of the study, %s: %.400s; let 'foretrace study' end first",
                           adding->folder, i + 1, step->words.items[0], why);
        FT_TRY(add_step(adding, step, diag));
    }
    return FT_OK;
}

/* ---- the study ---- */

static int load(struct adding *adding, struct ft_diag *diag)
{
    char *then = NULL, *plan = NULL;
    FT_TRY(ft_study_load(adding->folder, &adding->study, diag));
    FT_TRY(ft_study_folder_then(adding->folder, &then, diag));
    free(adding->study.folder);
    adding->study.folder = then;
    adding->name = ft_archive_name_of(then);
    if (!adding->name || asprintf(&plan, "%s/plan.json", adding->folder) < 0)
        return ft_fail_memory(diag, adding->folder);
    const struct ft_study_plan_terms terms = {adding->study.target, adding->study.budget_seconds,
                                              ft_study_has_listed_sizes(&adding->study)};
    int status = ft_study_plan_read(plan, &terms, &adding->plan, diag);
    free(plan);
    return status == FT_OK
               ? ft_study_steps_make(&adding->study, &adding->plan, &adding->steps, diag)
               : status;
}

int ft_archive_add_study(struct ft_archive_contents *contents, const char *folder,
                         struct ft_diag *diag)
{
    struct adding adding = {.contents = contents, .folder = folder};
    int status = load(&adding, diag);
    if (status == FT_OK && !contents->title) {
        const char *program = adding.study.program.items[0];
        if (asprintf(&contents->title, "study of %s at %s = %.15g", ft_file_name(program),
                     adding.study.parameter, adding.study.target) < 0)
            contents->title = NULL;
    }
    if (status == FT_OK)
        status = add_steps(&adding, diag);
    ft_study_steps_fini(&adding.steps);
    ft_study_fini(&adding.study);
    free(adding.name);
    return status;
}
