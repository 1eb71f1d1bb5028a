/* Archives as folders and tar files: what is written is read back, and what differs is named. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/archive/archive_check.h"
#include "formats/archive/archive_input.h"
#include "formats/archive/archive_output.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    if (!file || fputs(text, file) == EOF || fclose(file) != 0)
        _exit(99);
}

/* ---- names and lists ---- */

static void check_names(void)
{
    static const char *const safe[] = {"a",       "a/b.h5", "..a",     "a..b/c",
                                       ".hidden", "a b",    "\xc3\xa4"};
    static const char *const unsafe[] = {"",     "/a",  "a//b", "a/",   "..",   "a/..",
                                         "../a", "./a", "a\nb", "a\\b", "a/./b"};
    for (size_t i = 0; i < sizeof safe / sizeof *safe; i++)
        tap_ok(ft_archive_name_is_safe(safe[i]), "'%s' may be a name", safe[i]);
    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++)
        tap_ok(!ft_archive_name_is_safe(unsafe[i]), "unsafe name %zu is none", i);
}

#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static void check_lists(void)
{
    static const char *const wrong[] = {"x" ABC "  a\n", ABC " a\n",    ABC "  ../a\n",
                                        ABC "  \n",      "12  short\n", ABC "  a\n" ABC "  a\n"};
    struct ft_archive_sums sums;
    char digits[FT_SHA256_TEXT];
    tap_ok(ft_archive_sums_parse(ABC "  a b\n" ABC " *c", "p", &sums, NULL) == FT_OK &&
               sums.count == 2 && ft_archive_sums_find(&sums, "a b") &&
               ft_archive_sums_find(&sums, "c") && !ft_archive_sums_find(&sums, "a"),
           "a list is read, text and binary mode");
    ft_sha256_text(sums.items[1].sha256, digits);
    tap_ok(strcmp(digits, ABC) == 0, "with its digits");
    ft_archive_sums_fini(&sums);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct ft_diag diag = {0};
        tap_ok(ft_archive_sums_parse(wrong[i], "p", &sums, &diag) == FT_ERROR_DATA,
               "wrong list %zu: %s", i, diag.message);
    }
}

/* ---- both forms ---- */

/* What is wrong with an archive, as "NAME is missing; NAME has changed". */
static const char *faults_of(const char *path)
{
    static char text[2048];
    struct ft_archive_check check;
    struct ft_diag diag = {0};
    size_t used = 0;
    text[0] = 0;
    if (ft_archive_check(path, -1, NULL, &check, &diag) != FT_OK) {
        snprintf(text, sizeof text, "%s", diag.message);
        return text;
    }
    for (size_t i = 0; i < check.fault_count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s", i ? "; " : "",
                                 check.faults[i].name, ft_archive_fault_text(check.faults[i].kind));
    ft_archive_check_fini(&check);
    return text;
}

static int write_archive(const char *path, struct ft_diag *diag)
{
    struct ft_archive_output *output;
    uint64_t bytes = 0;
    FT_TRY(ft_archive_output_create(path, -1, &output, diag));
    int status = ft_archive_output_text(output, "README.md", "abc", diag);
    if (status == FT_OK)
        status = ft_archive_output_file(output, "deep/er/source", "source", diag);
    if (status == FT_OK)
        status = ft_archive_output_finish(output, &bytes, diag);
    ft_archive_output_destroy(output);
    tap_ok(status != FT_OK || bytes > 0, "%s: %llu bytes", path, (unsigned long long)bytes);
    return status;
}

static void check_form(const char *path)
{
    struct ft_diag diag = {0};
    struct stat there;
    char *text = NULL;
    tap_ok(write_archive(path, &diag) == FT_OK, "%s is written %s", path, diag.message);
    tap_ok(ft_archive_is(path) && faults_of(path)[0] == 0, "it is an archive, and whole");
    tap_ok(ft_archive_read_text(path, "deep/er/source", -1, &text, &diag) == FT_OK &&
               strcmp(text, "the source\n") == 0,
           "a file in it %s", diag.message);
    free(text);
    tap_ok(ft_archive_read_text(path, "none", -1, &text, &diag) == FT_ERROR_DATA, "none: %s",
           diag.message);
    tap_ok(write_archive(path, &diag) == FT_ERROR_USAGE, "it is not replaced: %s", diag.message);
    tap_ok(lstat("folder.partial", &there) != 0 && lstat("file.tar.zst.partial", &there) != 0,
           "nothing else is left");
}

/* What is left of an archive that is not finished; stopped: it may not go on. */
static void check_unfinished(const char *path, const char *partial)
{
    struct ft_archive_output *output;
    struct ft_diag diag = {0};
    struct stat there;
    const int stop = open("/dev/zero", O_RDONLY | O_CLOEXEC); /* always readable */
    tap_ok(ft_archive_output_create(path, stop, &output, &diag) == FT_OK &&
               lstat(partial, &there) == 0,
           "%s is begun", path);
    tap_ok(ft_archive_output_file(output, "source", "source", &diag) == FT_ERROR_FAILURE &&
               strcmp(diag.message, "interrupted") == 0,
           "interrupted");
    ft_archive_output_destroy(output);
    tap_ok(lstat(partial, &there) != 0 && lstat(path, &there) != 0, "nothing of it is left");
    close(stop);
}

/* Reading one that is stopped. */
static void check_interrupted(const char *path)
{
    struct ft_archive_check check;
    struct ft_diag diag = {0};
    char *text;
    const int stop = open("/dev/zero", O_RDONLY | O_CLOEXEC); /* always readable */
    tap_ok(ft_archive_check(path, stop, NULL, &check, &diag) == FT_ERROR_FAILURE &&
               strcmp(diag.message, "interrupted") == 0,
           "the check of %s is interrupted", path);
    tap_ok(ft_archive_read_text(path, "README.md", stop, &text, &diag) == FT_ERROR_FAILURE,
           "so is reading a file of it");
    close(stop);
}

/* A folder under the name that an archive has until it is complete: what a killed attempt left is
 * replaced, all else stays as it is. */
static void check_left(void)
{
    struct ft_archive_output *output;
    struct ft_diag diag = {0};
    struct stat there;
    (void)mkdir("left.partial", 0777);
    write_file("left.partial/mine", "mine\n");
    tap_ok(ft_archive_output_create("left", -1, &output, &diag) == FT_ERROR_USAGE &&
               lstat("left.partial/mine", &there) == 0,
           "somebody's folder stays: %s", diag.message);
    write_file("left.partial/.unfinished", "");
    tap_ok(write_archive("left", &diag) == FT_OK && faults_of("left")[0] == 0 &&
               lstat("left.partial", &there) != 0,
           "what a killed attempt left does not %s", diag.message);
}

static void check_damage(void)
{
    write_file("folder/README.md", "abd");
    tap_ok(strcmp(faults_of("folder"), "README.md has changed") == 0, "%s", faults_of("folder"));
    write_file("folder/README.md", "abc");
    tap_ok(faults_of("folder")[0] == 0, "as it was");
    write_file("folder/deep/more", "");
    tap_ok(strcmp(faults_of("folder"), "deep/more was added") == 0, "%s", faults_of("folder"));
    (void)unlink("folder/deep/more");
    (void)unlink("folder/deep/er/source");
    tap_ok(strcmp(faults_of("folder"), "deep/er/source is missing") == 0, "%s",
           faults_of("folder"));
    (void)symlink("../../../source", "folder/deep/er/source");
    tap_ok(strcmp(faults_of("folder"), "deep/er/source is no file") == 0, "%s",
           faults_of("folder"));
    (void)unlink("folder/SHA256SUMS");
    tap_ok(!ft_archive_is("folder") && strstr(faults_of("folder"), "has no SHA256SUMS"),
           "without its list: %s", faults_of("folder"));
    (void)truncate("file.tar.zst", 100);
    tap_ok(strstr(faults_of("file.tar.zst"), "cannot be read"), "cut off: %s",
           faults_of("file.tar.zst"));
}

int main(void)
{
    enter_temporary_folder();
    write_file("source", "the source\n");
    check_names();
    check_lists();
    check_form("folder");
    check_form("file.tar.zst");
    check_unfinished("next", "next.partial");
    check_unfinished("next.tar.zst", "next.tar.zst.partial");
    check_left();
    check_interrupted("folder");
    check_interrupted("file.tar.zst");
    check_damage();
    return tap_plan_done();
}
