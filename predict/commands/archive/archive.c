/*
 * `foretrace archive`: files, and how they were made, in one folder or tar file.
 *
 * 1. What goes into it: of studies all steps, of files what they say of themselves, and commands as
 *    they were typed.
 * 2. For privacy, all files once more without what tells of person and place.
 * 3. README.md, versions.txt, the files, the metadata, SHA256SUMS.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/archive/archive_output.h"
#include "formats/base/hdf5_output.h"
#include "formats/base/number_text.h"
#include "formats/base/remove_tree.h"
#include "formats/base/temporary_path.h"
#include "formats/cli/commands.h"
#include "formats/cli/json.h"
#include "formats/cli/progress_line.h"
#include "formats/cli/terminal.h"
#include "formats/commands/trace_operand.h"
#include "predict/commands/archive/crate.h"
#include "predict/commands/archive/file_contents.h"
#include "predict/commands/archive/private_files.h"
#include "predict/commands/archive/readme.h"
#include "predict/commands/archive/repeat.h"
#include "predict/commands/archive/rerun.h"
#include "predict/commands/archive/sources.h"
#include "predict/commands/archive/study_contents.h"
#include "predict/plan/child_run.h"
#include "predict/study/study.h"

struct work {
    const struct ft_arguments *arguments;
    const char *path; /* of the archive */
    struct ft_held_signals signals;
    struct ft_archive_contents contents;
    char temporary[PATH_MAX]; /* a folder; empty: there is none */
    char *versions;           /* a file in it */
};

static void fini(struct work *work)
{
    ft_archive_contents_fini(&work->contents);
    if (work->temporary[0])
        ft_remove_tree(work->temporary);
    free(work->versions);
    ft_held_signals_fini(&work->signals); /* does not return if one has come */
}

static int make_temporary(struct work *work, struct ft_diag *diag)
{
    char path[PATH_MAX];
    FT_TRY(ft_temporary_path(path, sizeof path, "archive", diag));
    if (!mkdtemp(path))
        return ft_output_fail(path, errno, diag);
    strcpy(work->temporary, path);
    return FT_OK;
}

/* ---- what goes into it ---- */

static int take_operands(struct work *work, struct ft_diag *diag)
{
    char **operands = ft_operands(work->arguments);
    const size_t count = ft_operand_count(work->arguments);
    char **files = calloc(count + 1, sizeof *files);
    size_t file_count = 0;
    int status = files ? FT_OK : ft_fail_memory(diag, "the files of an archive");
    for (size_t i = 0; i < count && status == FT_OK; i++)
        if (ft_study_is_there(operands[i]))
            status = ft_archive_add_study(&work->contents, operands[i], diag);
        else
            files[file_count++] = operands[i];
    if (status == FT_OK)
        status = ft_archive_add_files(&work->contents, files, file_count, diag);
    free(files);
    for (size_t i = 0; i < ft_option_count(work->arguments, "made-by") && status == FT_OK; i++)
        status = ft_archive_add_typed(&work->contents, ft_option_at(work->arguments, "made-by", i),
                                      diag);
    if (status == FT_OK && ft_option_count(work->arguments, "source"))
        status = ft_archive_add_sources(&work->contents,
                                        ft_option_count(work->arguments, "private") > 0, diag);
    return status;
}

/* What `foretrace --version` says, in a file. */
static int take_versions(struct work *work, struct ft_diag *diag)
{
    char word[] = "--version";
    char *const words[] = {word, NULL};
    struct ft_child_run run = {0};
    if (asprintf(&work->versions, "%s/" FT_ARCHIVE_VERSIONS, work->temporary) < 0) {
        work->versions = NULL;
        return ft_fail_memory(diag, "an archive");
    }
    const struct ft_child_terms terms = {
        .output_path = work->versions, .limit_seconds = INFINITY, .signals = &work->signals};
    FT_TRY(ft_child_run(words, &terms, &run, diag));
    return run.exit_code == 0 ? FT_OK
                              : ft_fail(diag, FT_ERROR_FAILURE,
                                        "'foretrace --version' ended with %d", run.exit_code);
}

static int make_private(struct work *work, struct ft_diag *diag)
{
    const struct ft_private_terms terms = {
        .with_sources = ft_option_count(work->arguments, "source") > 0,
        .shows_commands = !ft_option_count(work->arguments, "json")};
    char *folder = NULL;
    if (asprintf(&folder, "%s/files", work->temporary) < 0)
        return ft_fail_memory(diag, "an archive");
    int status = mkdir(folder, 0777) == 0 ? FT_OK : ft_output_fail(folder, errno, diag);
    if (status == FT_OK)
        status = ft_archive_make_private(&work->contents, folder, &work->signals, &terms, diag);
    free(folder);
    return status;
}

/* ---- writing ---- */

static int write_readme(const struct work *work, struct ft_archive_output *output,
                        struct ft_diag *diag)
{
    char *text;
    FT_TRY(ft_archive_readme(&work->contents, ft_option_count(work->arguments, "private") > 0,
                             &text, diag));
    const int status = ft_archive_output_text(output, FT_ARCHIVE_README, text, diag);
    free(text);
    return status;
}

static int write_members(const struct work *work, struct ft_archive_output *output,
                         struct ft_diag *diag)
{
    struct ft_progress_line progress;
    int status = FT_OK;
    ft_progress_line_init(&progress, "archive");
    for (size_t i = 0; i < work->contents.member_count && status == FT_OK; i++) {
        const struct ft_archive_member *member = &work->contents.members[i];
        ft_progress_update(&progress.base, i, work->contents.member_count, "files");
        status = ft_archive_output_file(output, member->name, member->source, diag);
    }
    ft_progress_line_fini(&progress);
    return status;
}

static int write_metadata(const struct work *work, struct ft_archive_output *output,
                          struct ft_diag *diag)
{
    const struct ft_crate_terms terms = {.license = ft_option_last(work->arguments, "license"),
                                         .author = ft_option_last(work->arguments, "author")};
    char *text;
    FT_TRY(ft_crate_write(&work->contents, ft_archive_output_sums(output), &terms, &text, diag));
    const int status = ft_archive_output_text(output, FT_ARCHIVE_METADATA, text, diag);
    free(text);
    return status;
}

static int write_all(const struct work *work, struct ft_archive_output *output, uint64_t *ret_bytes,
                     struct ft_diag *diag)
{
    FT_TRY(write_readme(work, output, diag));
    FT_TRY(ft_archive_output_file(output, FT_ARCHIVE_VERSIONS, work->versions, diag));
    FT_TRY(write_members(work, output, diag));
    FT_TRY(write_metadata(work, output, diag));
    return ft_archive_output_finish(output, ret_bytes, diag);
}

/* Files that rerun makes again. */
static size_t count_made(const struct work *work)
{
    size_t made = 0;
    for (size_t i = 0; i < work->contents.member_count; i++)
        made += ft_archive_is_made(&work->contents, work->contents.members[i].name);
    return made;
}

static int print_json(const struct work *work, uint64_t bytes, struct ft_diag *diag)
{
    return ft_json_write(json_pack("{s:o, s:I, s:I, s:I}", "archive", ft_json_text(work->path),
                                   "files", (json_int_t)work->contents.member_count, "bytes",
                                   (json_int_t)bytes, "made_again", (json_int_t)count_made(work)),
                         stdout, diag);
}

static void print_summary(const struct work *work, uint64_t bytes)
{
    const size_t count = work->contents.member_count;
    const char *const plural = count == 1 ? "" : "s";
    char text[FT_NUMBER_TEXT];
    const size_t made = count_made(work);
    ft_text_bytes(text, (double)bytes);
    if (made > 0)
        ft_print_wrapped(stdout, 2,
                         "%s: %zu file%s, %s; 'foretrace archive rerun' makes %zu of them again "
                         "from the others\n",
                         work->path, count, plural, text, made);
    else
        ft_print_wrapped(stdout, 2, "%s: %zu file%s, %s\n", work->path, count, plural, text);
}

static int make(struct work *work, struct ft_diag *diag)
{
    struct ft_archive_output *output = NULL;
    uint64_t bytes = 0;
    FT_TRY(take_operands(work, diag));
    FT_TRY(make_temporary(work, diag));
    FT_TRY(take_versions(work, diag));
    /* Before anything that takes long: what is there already shows at once. */
    int status = ft_archive_output_create(work->path, work->signals.fd, &output, diag);
    if (status == FT_OK && ft_option_count(work->arguments, "private"))
        status = make_private(work, diag);
    if (status == FT_OK)
        status = write_all(work, output, &bytes, diag);
    ft_archive_output_destroy(output);
    if (status == FT_OK && ft_option_count(work->arguments, "json"))
        status = print_json(work, bytes, diag);
    else if (status == FT_OK)
        print_summary(work, bytes);
    return status;
}

/* ---- rerun ---- */

static int rerun(struct work *work, const char *path, struct ft_diag *diag)
{
    const char *folder = ft_option_last(work->arguments, "output");
    const bool as_json = ft_option_count(work->arguments, "json") > 0;
    if (!folder) {
        FT_TRY(make_temporary(work, diag));
        return ft_archive_rerun(path, work->temporary, as_json, &work->signals, diag);
    }
    if (mkdir(folder, 0777) != 0)
        return errno == EEXIST
                   ? ft_fail(diag, FT_ERROR_USAGE,
                             "%s: is there already; name another folder with -o, or remove it",
                             folder)
                   : ft_output_fail(folder, errno, diag);
    const int status = ft_archive_rerun(path, folder, as_json, &work->signals, diag);
    if (status != FT_OK)
        (void)rmdir(folder); /* if nothing is in it */
    return status;
}

/* ---- the command ---- */

static int refuse_rerun(const struct ft_arguments *arguments)
{
    static const char *const others[] = {"made-by", "source", "private", "license", "author"};
    if (ft_operand_count(arguments) != 2)
        return ft_command_misuse(arguments, "archive rerun takes one archive");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (ft_option_count(arguments, others[i]))
            return ft_command_misuse(arguments, "archive rerun takes no --%s", others[i]);
    return 0;
}

/* Names of files that no archive is: it would become a folder of that name. */
static bool is_other_format(const char *path)
{
    static const char *const ends[] = {".tar", ".gz", ".tgz", ".xz",  ".txz",
                                       ".bz2", ".7z", ".zip", ".zst", ".rar"};
    const size_t length = strlen(path);
    if (ft_archive_is_tar_name(path))
        return false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (length > strlen(ends[i]) && strcmp(path + length - strlen(ends[i]), ends[i]) == 0)
            return true;
    return false;
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag = {0};
    struct work work = {.arguments = arguments, .path = ft_option_last(arguments, "output")};
    if (ft_operand_count(arguments) == 0)
        return ft_command_misuse(arguments, "give the folder of a study, or files");
    const bool is_rerun = strcmp(ft_operands(arguments)[0], "rerun") == 0;
    const int code = is_rerun ? refuse_rerun(arguments) : 0;
    if (code != 0)
        return code;
    if (!is_rerun && !work.path)
        return ft_command_misuse(arguments, "-o is missing: name the archive, a folder or "
                                            "NAME.tar.zst");
    if (!is_rerun && is_other_format(work.path))
        return ft_command_misuse(arguments,
                                 "-o %s: an archive is a folder, or a tar file called NAME.tar.zst",
                                 work.path);
    int status = ft_held_signals_init(&work.signals, &diag);
    if (status == FT_OK)
        status = is_rerun ? rerun(&work, ft_operands(arguments)[1], &diag) : make(&work, &diag);
    if (status == FT_OK)
        status = ft_stdout_finish(&diag);
    else
        (void)fflush(stdout);
    const int exit_code = status == FT_OK ? 0 : ft_command_fail(arguments, &diag);
    fini(&work);
    return exit_code;
}

static const struct ft_option options[] = {
    {"output", 'o', "ARCHIVE",
     "the archive: NAME.tar.zst, or a folder; of rerun: the folder in which files are made again, "
     "to be kept"},
    {"made-by", 0, "COMMAND",
     "how a file was made that does not say it, as it was typed: 'predict ... >forecast.txt'",
     .repeats = true},
    {"source", 0, NULL,
     "also the program's source files, so that rerun makes reports with their lines anywhere"},
    {"private", 0, NULL,
     "leave out folders of paths, names of host and user, environment; results are made again"},
    {"license", 0, "TEXT", "the address of a license, or a sentence"},
    {"author", 0, "NAME", "who made it"},
    {"json", 0, NULL, "what was made, or made again, as JSON (docs/json.md)"},
    FT_QUIET_OPTION,
};

const struct ft_command ft_archive_command = {
    .name = "archive",
    .synopsis = "archive [options] -o ARCHIVE STUDY|FILE... | archive rerun [-o FOLDER] ARCHIVE",
    .summary = "put a study, or files, with the commands that made them into one archive",
    .details =
        "An archive is a folder, or a tar file that zstd compresses. It has the files, a\n"
        "README.md that says what is what, SHA256SUMS for 'sha256sum -c', the versions of\n"
        "foretrace and its libraries, and metadata as an RO-Crate (docs/archive.md).\n"
        "\n"
        "Of a STUDY, the folder of 'foretrace study', all steps are known. Histograms and models\n"
        "say themselves which traces they were made of, and with which options; --made-by says it\n"
        "of other files.\n"
        "\n"
        "'foretrace verify ARCHIVE' names files that are missing, changed or added.\n"
        "'foretrace archive rerun ARCHIVE' makes the files again that follow from others, and\n"
        "says whether the bytes are the same; if not, it exits with 1.\n"
        "\n"
        "With --source it also has the source files that reports show lines of, so that the\n"
        "bytes are the same where these are not at hand.\n"
        "\n"
        "With --private traces are copied without what tells where they were made, as 'capture\n"
        "--private' leaves it out, results are made again from these copies, and what programs\n"
        "printed is left out. This takes as long as making them, and room in TMPDIR.\n"
        "\n"
        "  foretrace archive -o matmul.tar.zst matmul-study\n"
        "  foretrace archive --private -o public.tar.zst matmul-study\n"
        "  foretrace archive -o run trace-*.h5 histograms.h5 model.h5\n"
        "  foretrace archive rerun matmul.tar.zst\n",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
