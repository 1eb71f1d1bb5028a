/* Commands of an archive as text and as metadata, there and back, and which of them are run again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/commands/archive/crate.h"
#include "predict/commands/archive/repeat.h"
#include "tests/support/tap.h"

static struct ft_archive_command parsed(const char *text)
{
    struct ft_archive_command command;
    struct ft_diag diag = {0};
    tap_ok(ft_archive_command_parse(text, &command, &diag) == FT_OK, "'%s' is read %s", text,
           diag.message);
    return command;
}

/* The text that a command is printed as. */
static char *printed(const struct ft_archive_command *command)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        _Exit(99);
    ft_archive_command_print(command, stream);
    if (fclose(stream) != 0)
        _Exit(99);
    return text;
}

static void check_texts(void)
{
    static const char *const texts[] = {
        "foretrace predict --at N=160 -m 'own machine.yaml,L2=2M' model.h5 >forecast.txt",
        "foretrace capture -D N=8 -o 8.h5 -- ./a 8 'x y' '{N}' </dev/null >8.txt 2>&1",
        "foretrace replay -b 64,4K -o 'it'\\''s.h5' 8.h5",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct ft_archive_command command = parsed(texts[i]);
        char *text = printed(&command);
        tap_ok(strcmp(text, texts[i]) == 0, "and printed as it was: %s", text);
        free(text);
        ft_archive_command_fini(&command);
    }
    struct ft_archive_command command = parsed(texts[1]);
    tap_ok(command.is_noisy && command.program_at == 6 && command.words.count >= 8,
           "the words of a program stand behind --");
    ft_archive_command_fini(&command);
    tap_ok(ft_archive_command_parse("foretrace", &command, NULL) == FT_ERROR_USAGE,
           "no command of foretrace");
}

/* repeats: it needs nothing but files; stays: among those of the archive. */
static void check_command(const char *text, bool repeats, bool stays)
{
    struct ft_archive_command command = parsed(text);
    struct ft_diag diag = {0};
    ft_words_add(&command.outputs, "out");
    tap_ok(ft_archive_command_repeats(&command) == repeats, "it %s",
           repeats ? "repeats" : "does not");
    tap_ok((ft_archive_command_check(&command, "archive", &diag) == FT_OK) == stays, "it %s: %s",
           stays ? "stays" : "leaves the folder", diag.message);
    ft_archive_command_fini(&command);
}

static void check_commands(void)
{
    check_command("replay -o out 8.h5", true, true);
    check_command("predict --at N=1e3/2 -m caches=L1:32K:64:8@4,memory@100 m..h5 >out", true, true);
    check_command("predict -m ./own.yaml,@edits deep/er/model.h5 >out", true, true);
    check_command("replay -o out \xc3\xa4/8.h5", true, true);
    check_command("diff --at N=1 --at N=2 model.h5 >out", true, true);
    check_command("diff --at N=1 -- './a {N}' './b {N}' >out", false, true);
    check_command("machine detect -o out", false, true);
    check_command("capture -o out -- ./a", false, true);
    check_command("predict -m host model.h5 >out", false, true);
    check_command("predict --machine=host,L2=2M model.h5 >out", false, true);
    check_command("replay -o /tmp/out 8.h5", true, false);
    check_command("replay -o/tmp/out 8.h5", true, false);
    check_command("replay --output=/tmp/out 8.h5", true, false);
    check_command("replay -o ../out 8.h5", true, false);
    check_command("replay -o a/../../out 8.h5", true, false);
    check_command("replay -o a/.. 8.h5", true, false);
    check_command("predict -m own.yaml,@/etc/passwd model.h5 >out", true, false);
    check_command("predict model.h5 >../out", true, false);
    check_command("predict model.h5 >/tmp/out", true, false);
}

static void check_metadata(void)
{
    struct ft_archive_contents contents = {.title = NULL}, read;
    struct ft_archive_sums sums = {0};
    const struct ft_archive_sum sum = {.name = (char *)"a b/50%41.txt", .bytes = 3};
    const struct ft_crate_terms terms = {.author = "N. N."};
    struct ft_archive_command command = parsed("info 'a b/50%41.txt' >out");
    char *text = NULL, *version = NULL;
    ft_words_add(&command.inputs, "%s", sum.name);
    ft_words_add(&command.outputs, "out");
    tap_ok(ft_archive_sums_add(&sums, &sum, NULL) == FT_OK &&
               ft_archive_add_command(&contents, &command, NULL) == FT_OK &&
               ft_crate_write(&contents, &sums, &terms, &text, NULL) == FT_OK,
           "metadata are written");
    tap_ok(text && strstr(text, "\"a%20b/50%2541.txt\""), "names become URIs");
    tap_ok(ft_crate_read(text ? text : "", "p", &read, &version, NULL) == FT_OK &&
               read.command_count == 1 && read.commands[0].inputs.count == 1 &&
               strcmp(read.commands[0].inputs.items[0], sum.name) == 0 &&
               strcmp(read.commands[0].output, "out") == 0 && strcmp(version, FT_VERSION) == 0,
           "and read back");
    ft_archive_contents_fini(&read);
    ft_archive_contents_fini(&contents);
    ft_archive_sums_fini(&sums);
    free(text);
    free(version);
}

#define ACTION(description, result)                                                                \
    "{\"@graph\": [{\"@id\": \"#foretrace\", \"softwareVersion\": \"1\"}, {\"@type\": "            \
    "\"CreateAction\", \"instrument\": {\"@id\": \"#foretrace\"}, \"description\": \"" description \
    "\", \"result\": " result "}]}"

static void check_wrong_metadata(void)
{
    static const char *const wrong[] = {
        "",
        "[]",
        "{}",
        "{\"@graph\": 3}",
        "{\"@graph\": [1, null, {}]}",
        ACTION("", "{\"@id\": \"a\"}"),
        ACTION("replay 'x", "{\"@id\": \"a\"}"),
        ACTION("replay x", "{\"@id\": \"../a\"}"),
        ACTION("replay x", "[{\"@id\": \"%2e%2e/a\"}]"),
        ACTION("replay x", "[{\"@id\": \"%2Fa\"}]"),
        ACTION("replay x", "[3]"),
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct ft_archive_contents contents;
        struct ft_diag diag = {0};
        char *version;
        tap_ok(ft_crate_read(wrong[i], "p", &contents, &version, &diag) == FT_ERROR_DATA,
               "wrong metadata %zu: %s", i, diag.message);
    }
    struct ft_archive_contents contents;
    char *version;
    tap_ok(ft_crate_read(ACTION("replay x", "{\"@id\": \"a%\"}"), "p", &contents, &version, NULL) ==
                   FT_OK &&
               strcmp(contents.commands[0].outputs.items[0], "a%") == 0,
           "one file in the place of a list; a per cent sign that ends it");
    ft_archive_contents_fini(&contents);
    free(version);
}

int main(void)
{
    check_texts();
    check_commands();
    check_metadata();
    check_wrong_metadata();
    return tap_plan_done();
}
