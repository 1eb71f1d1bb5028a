/* What tells of person and place is left out of texts, metadata and modules. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "formats/trace/private_parts.h"
#include "tests/support/tap.h"

static char *copy_of(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        _Exit(99);
    return copy;
}

static void check_text(const char *text, const char *expected, bool is_path)
{
    char *copy = copy_of(text);
    if (is_path)
        ft_path_make_private(copy);
    else
        ft_text_make_private(copy);
    tap_ok(strcmp(copy, expected) == 0, "'%s' becomes '%s'", text, copy);
    free(copy);
}

static void check_texts(void)
{
    check_text("/home/me/my work/a.c", "a.c", true);
    check_text("/home/me/", "me", true);
    check_text("/", "/", true);
    check_text("src/a.c", "src/a.c", true);
    check_text("../../me/a.c", "a.c", true);
    check_text("/usr/lib/libc.so.6", "/usr/lib/libc.so.6", true);
    check_text("/usr/../home/me/a", "a", true);
    check_text("[vdso]", "[vdso]", true);
    check_text("./solve --in=/home/me/in.txt -o /scratch/me/out 3/4",
               "./solve --in=in.txt -o out 3/4", false);
    check_text("read (/home/me/a.c:20), /etc/hosts", "read (a.c:20), /etc/hosts", false);
    check_text("-I/home/me/include -x /a/b -o/home/me/c @/home/me/d", "-Iinclude -x b -oc @d",
               false);
    check_text("[/home/me/a] {/home/me/b} file:///home/me/c", "[a] {b} file:c", false);
    check_text("\xc3\xa4/b ~/b ${HOME}/b */b ./b a-/b", "\xc3\xa4/b ~/b ${HOME}/b */b ./b a-/b",
               false);
    check_text("see https://example.org/a/../b:/c, <http://localhost:80/home/x> ftps://me/home/c",
               "see https://example.org/a/../b:/c, <http://localhost:80/home/x> ftps:c", false);
    check_text("xhttp://a/b", "xhttp:b", false);
    check_text("N^2 / 3 and a/b", "N^2 / 3 and a/b", false);
    check_text("", "", false);
}

static void check_metadata(void)
{
    struct ft_metadata metadata = {.program = copy_of("/home/me/solve"),
                                   .directory = copy_of("/home/me"),
                                   .host = copy_of("laptop"),
                                   .end_reason = copy_of("it executed /home/me/b")};
    struct ft_capture_host *host = &metadata.capture_host;
    metadata.arguments = calloc(2, sizeof *metadata.arguments);
    metadata.arguments[metadata.argument_count++] = copy_of("/home/me/in");
    (void)ft_capture_host_variable(host, "LD_LIBRARY_PATH", "/home/me/lib");
    (void)ft_capture_host_variable(host, "OMPI_COMM_WORLD_RANK", "3");
    (void)ft_capture_host_auxiliary(host, AT_UID, 1000);
    (void)ft_capture_host_auxiliary(host, AT_PAGESZ, 4096);
    tap_ok(!ft_metadata_is_private(&metadata), "not private yet");
    tap_ok(ft_metadata_make_private(&metadata, NULL) == FT_OK && ft_metadata_is_private(&metadata),
           "then it is");
    tap_ok(strcmp(metadata.program, "solve") == 0 && metadata.directory[0] == 0 &&
               metadata.host[0] == 0 && strcmp(metadata.arguments[0], "in") == 0 &&
               strcmp(metadata.end_reason, "it executed b") == 0,
           "program, folder, host, arguments, end");
    tap_ok(host->variable_count == 1 && strcmp(host->variables[0].value, "3") == 0,
           "of the environment only the rank stays");
    tap_ok(host->auxiliary_count == 1 && host->auxiliary[0].type == AT_PAGESZ,
           "the user's number does not");
    tap_ok(ft_metadata_make_private(&metadata, NULL) == FT_OK && host->fact_count == 1,
           "once more changes nothing");
    ft_metadata_fini(&metadata);
}

static void check_module(void)
{
    static const char strings[] = "\0main\0/home/me/a.c\0/usr/include/stdio.h";
    char path[] = "/home/me/solve", own[sizeof strings];
    memcpy(own, strings, sizeof strings);
    const struct ft_module module = {.path = path, .strings = own, .strings_bytes = sizeof strings};
    struct ft_module view;
    tap_ok(ft_module_private_view(&module, &view, NULL) == FT_OK, "a view of a module");
    tap_ok(strcmp(view.path, "solve") == 0 && view.strings_bytes == sizeof strings &&
               strcmp(view.strings + 1, "main") == 0 && strcmp(view.strings + 6, "a.c") == 0 &&
               strcmp(view.strings + 19, "/usr/include/stdio.h") == 0,
           "its strings are where they were");
    tap_ok(!memmem(view.strings, view.strings_bytes, "me/", 3), "and nothing else is there");
    tap_ok(memcmp(own, strings, sizeof strings) == 0 && path[0] == '/', "the module is as it was");
    free(view.path);
    free(view.strings);
}

int main(void)
{
    check_texts();
    check_metadata();
    check_module();
    return tap_plan_done();
}
