/*
 * Modules that a store has are as they are read from their files: objects as they are, stripped,
 * with a debug file, without a build-id; with the lines of some of their code, then of all. A file
 * that is replaced by another one under the same path is read again, as is one whose debug file
 * is no longer there.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"
#include "trace-capture/modules/dwarf_units_state.h"
#include "trace-capture/modules/elf_module.h"
#include "trace-capture/modules/module_cache.h"

/* Files that are younger than the store takes would not be stored. */
static void wait_until_old(const char *path)
{
    struct stat facts;
    while (stat(path, &facts) == 0 && time(NULL) - facts.st_ctim.tv_sec < 4)
        sleep(1);
}

static unsigned entries_of(const char *path)
{
    unsigned count = 0;
    DIR *folder = opendir(path);
    for (struct dirent *item; folder && (item = readdir(folder));)
        count += strstr(item->d_name, ".module") != NULL;
    if (folder)
        closedir(folder);
    return count;
}

/* A module as a trace has it: before its lines, and they. */
struct written {
    struct ft_bytes module, lines;
    bool was_stored; /* all that was asked for */
};

static void written_fini(struct written *written)
{
    ft_bytes_fini(&written->module);
    ft_bytes_fini(&written->lines);
}

static bool is_same(const struct written *a, const struct written *b)
{
    return a->module.length == b->module.length && a->lines.length == b->lines.length &&
           memcmp(a->module.data, b->module.data, a->module.length) == 0 &&
           (a->lines.length == 0 || memcmp(a->lines.data, b->lines.data, a->lines.length) == 0);
}

/* As a capture reads it; folder: NULL without a store; code: what was executed, NULL: all. */
static struct written read_with(const char *folder, const char *path,
                                const struct ft_module_code *code)
{
    struct ft_diag diag;
    struct ft_cached_module cached;
    struct ft_module whole = {0};
    struct written written = {0};
    ft_module_cache_init(folder);
    if (ft_module_cache_read(path, 0, &cached, &diag) < 0)
        return written;
    written.was_stored = !cached.units || !cached.units->is_unsaved;
    ft_module_write(&cached.module, &written.module);
    if (cached.units && ft_module_cache_read_lines(&cached, code, &whole, &diag) == FT_OK) {
        ft_module_write_lines(&whole, cached.module.strings_bytes, &written.lines);
        written.was_stored &= !cached.units->is_unsaved;
        ft_module_fini(&whole);
    }
    ft_module_cache_release(&cached);
    ft_module_cache_fini();
    return written;
}

/* The code of the first routine. */
static struct ft_code_range first_routine(const char *path)
{
    struct ft_diag diag;
    struct ft_module module = {0};
    struct ft_code_range range = {0};
    if (ft_elf_module_read(path, 0, &module, &diag) == FT_OK && module.line_count)
        range = (struct ft_code_range){0, module.lines[0].start, module.lines[0].end};
    ft_module_fini(&module);
    return range;
}

static void check_file(const char *path, bool has_lines)
{
    const char *name = strrchr(path, '/') + 1;
    char folder[128];
    const struct ft_code_range range = first_routine(path);
    const struct ft_module_code code = {&range, 1, 0};
    snprintf(folder, sizeof folder, "store-%s", name);
    wait_until_old(path);
    struct written part = read_with(NULL, path, &code), whole = read_with(NULL, path, NULL);
    tap_ok(part.module.length > 100 && (whole.lines.length > 100) == has_lines,
           "%s is read without a store", name);
    struct written first = read_with(folder, path, &code);
    tap_ok(is_same(&part, &first) && entries_of(folder) == 1, "%s the first time, and stored",
           name);
    struct written second = read_with(folder, path, &code);
    tap_ok(is_same(&part, &second) && second.was_stored, "%s from the store is the same", name);
    struct written third = read_with(folder, path, NULL), fourth = read_with(folder, path, NULL);
    tap_ok(is_same(&whole, &third), "%s with the lines of more code", name);
    tap_ok(is_same(&whole, &fourth) && fourth.was_stored && entries_of(folder) == 1,
           "%s with them from the store", name);
    written_fini(&part);
    written_fini(&whole);
    written_fini(&first);
    written_fini(&second);
    written_fini(&third);
    written_fini(&fourth);
}

/* Of a module whose code was not executed: its units are not even listed. */
static void check_without_lines(const char *path)
{
    struct ft_diag diag;
    struct ft_cached_module cached;
    ft_module_cache_init("unlisted");
    bool is_read = ft_module_cache_read(path, 0, &cached, &diag) == FT_OK;
    if (is_read)
        ft_module_cache_release(&cached);
    ft_module_cache_fini();
    tap_ok(is_read && entries_of("unlisted") == 1, "a module of which no lines are read, stored");
    struct written whole = read_with(NULL, path, NULL);
    struct written first = read_with("unlisted", path, NULL);
    struct written second = read_with("unlisted", path, NULL);
    tap_ok(is_same(&whole, &first) && !first.was_stored && is_same(&whole, &second) &&
               second.was_stored,
           "its lines, which a later capture adds");
    written_fini(&whole);
    written_fini(&first);
    written_fini(&second);
}

static void copy_file(const char *from, const char *to)
{
    char command[3 * TEMPORARY_PATH_MAX];
    snprintf(command, sizeof command, "cp '%s' '%s'", from, to);
    if (system(command) != 0)
        exit(1);
}

/* One path, two files after each other; both without a build-id or with the same one. */
static void check_replaced(const char *path, const char *other, const char *what)
{
    copy_file(path, "replaced.so");
    struct written young = read_with("replaced", "replaced.so", NULL);
    tap_ok(entries_of("replaced") == 0, "%s: a file of this second is not stored", what);
    wait_until_old("replaced.so");
    struct written before = read_with("replaced", "replaced.so", NULL);
    struct written stored = read_with("replaced", "replaced.so", NULL);
    tap_ok(is_same(&young, &before) && is_same(&before, &stored) && stored.was_stored,
           "%s: then it is", what);
    copy_file(other, "replaced.so");
    struct written expected = read_with(NULL, "replaced.so", NULL);
    struct written after = read_with("replaced", "replaced.so", NULL);
    tap_ok(!is_same(&before, &after) && is_same(&expected, &after),
           "%s: what replaces it is read again", what);
    wait_until_old("replaced.so");
    struct written later = read_with("replaced", "replaced.so", NULL);
    tap_ok(is_same(&expected, &later), "%s: later as well", what);
    struct written *all[] = {&young, &before, &stored, &expected, &after, &later};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        written_fini(all[i]);
    remove("replaced.so");
    if (system("rm -r replaced") != 0)
        tap_ok(false, "the store is removed");
}

/* linked: stripped, with the name of shapes.debug, which stands beside it. */
static void check_debug_file(const char *linked)
{
    char debug[TEMPORARY_PATH_MAX];
    snprintf(debug, sizeof debug, "%.*s/shapes.debug", (int)(strrchr(linked, '/') - linked),
             linked);
    copy_file(linked, "linked.so");
    copy_file(debug, "shapes.debug");
    wait_until_old("shapes.debug");
    struct written before = read_with("linked", "./linked.so", NULL);
    tap_ok(before.lines.length > 100 && entries_of("linked") == 1, "an object and its debug file");
    remove("shapes.debug");
    struct written after = read_with("linked", "./linked.so", NULL);
    tap_ok(after.module.length > 100 && after.lines.length == 0,
           "it has no lines once its debug file is removed");
    written_fini(&before);
    written_fini(&after);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    char *paths[4];
    for (int i = 0; i < 4; i++)
        paths[i] = realpath(argv[i + 1], NULL);
    enter_temporary_folder();
    check_file(paths[0], true);
    check_file(paths[1], false);
    check_file(paths[2], true);
    check_file(paths[3], true);
    check_without_lines(paths[0]);
    check_replaced(paths[0], paths[1], "the same build-id");
    check_replaced(paths[3], paths[0], "no build-id");
    check_debug_file(paths[2]);
    for (int i = 0; i < 4; i++)
        free(paths[i]);
    return tap_plan_done();
}
