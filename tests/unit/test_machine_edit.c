/*
 * Edits of machines behind --machine: what they change, in all forms of keys, what they say of what
 * they cannot; and that a machine comes back from the YAML that is written of it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machines/machine.h"
#include "machines/machine_edit.h"
#include "machines/machine_file.h"
#include "machines/machine_folder.h"
#include "machines/yaml_write.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

static bool loads(const char *name, struct ft_machine *ret_machine)
{
    struct ft_diag diag = {0};
    return tap_ok(ft_machine_load(name, ret_machine, &diag) == FT_OK, "%s %s", name, diag.message);
}

static const struct ft_level *level_of(const struct ft_machine *machine, const char *name)
{
    return &machine->levels[ft_machine_find_level(machine, name)];
}

static void check_edits(void)
{
    struct ft_machine machine;
    if (loads("amd-zen5,L2=2M,L2.ways=8,l1_dtlb=128,L3.latency=60,L1D.exposed_share=25 %,"
              "loadpipes=2,integer divider.repeat_cycles=12,L2.replacement=plru,width=6,"
              "caches[3].ways=full",
              &machine)) {
        tap_ok(ft_level_capacity_bytes(level_of(&machine, "L2")) == 2 << 20 &&
                   level_of(&machine, "L2")->ways == 8 &&
                   level_of(&machine, "L2")->behaviour.replacement == FT_REPLACE_PLRU,
               "L2: 2 MiB of 8 ways, plru");
        tap_ok(level_of(&machine, "L1 DTLB")->blocks == 128, "names without case and blanks");
        tap_ok(level_of(&machine, "L3")->latency_cycles == 60 &&
                   level_of(&machine, "L3")->ways == level_of(&machine, "L3")->blocks,
               "a key's beginning; a section by its place in the file");
        tap_ok(level_of(&machine, "L1D")->exposed_share == 0.25, "numbers have their units");
        tap_ok(machine.issue_width == 6 && machine.units[4].rate == 2 &&
                   machine.units[3].rate == 1.0 / 12,
               "width, and units by name");
        ft_machine_fini(&machine);
    }
    if (loads("amd-zen5,clock=8.2", &machine)) {
        tap_ok(machine.clock_ghz == 8.2 && machine.memory_latency_cycles == 2 * 533 &&
                   level_of(&machine, "L3")->latency_cycles == 50,
               "at twice the clock memory takes twice the cycles, caches the same");
        ft_machine_fini(&machine);
    }
    if (loads("amd-zen5,clock=8.2,memory.ahead=4,L2.Exposed-Share=0.5", &machine)) {
        tap_ok(machine.memory_latency_cycles == 2 * 533 && machine.ahead_lines == 4 &&
                   level_of(&machine, "L2")->exposed_share == 0.5,
               "also where something else of memory is edited; keys without case");
        ft_machine_fini(&machine);
    }
    if (loads("amd-zen5,clock=8200 MHz,memory=533", &machine)) {
        tap_ok(machine.clock_ghz == 8.2 && machine.memory_latency_cycles == 533,
               "unless memory is edited as well");
        ft_machine_fini(&machine);
    }
}

static void check_refused(void)
{
    static const struct {
        const char *machine, *part;
        int status;
    } rows[] = {
        {"amd-zen5,L4=2M", "L4=2M: unknown part 'L4'", FT_ERROR_USAGE},
        {"amd-zen5,memry=200", "did you mean 'memory'?", FT_ERROR_USAGE},
        {"amd-zen5,L2.wais=8", "unknown key of L2 'wais'; did you mean 'ways'?", FT_ERROR_USAGE},
        {"amd-zen5,L2.entries=8", "unknown key of L2 'entries'", FT_ERROR_USAGE},
        {"amd-zen5,L2.ways=seven", "L2.ways=seven: L2.ways: 'seven': expected", FT_ERROR_USAGE},
        {"amd-zen5,clock=41", "core.clock_ghz: '41' is out of range", FT_ERROR_USAGE},
        {"amd-zen5,L2.ways=7", "amd-zen5,L2.ways=7: caches[2].ways (L2): do not divide",
         FT_ERROR_USAGE},
        {"amd-zen5,L2.replacement=fifo", "unknown replacement 'fifo'", FT_ERROR_USAGE},
        {"amd-zen5,L2.latency=60", "caches[3].latency_cycles (L3): 50 is not above",
         FT_ERROR_USAGE},
        {"amd-zen5,L2.load=3", "'load' of L2 may be any of load_bytes_per_cycle, load_line_cycles",
         FT_ERROR_USAGE},
        {"amd-zen5,@", "'@' is no edit", FT_ERROR_USAGE},
        {"amd-zen5,=3", "'=3' is no edit", FT_ERROR_USAGE},
        {"amd-zen5,L2=", "'L2=' is no edit", FT_ERROR_USAGE},
        {"amd-zen5,@nowhere.txt", "nowhere.txt: cannot open", FT_ERROR_IO},
        {"amd-zen55,L2=2M", "unknown machine 'amd-zen55'; did you mean 'amd-zen5'?",
         FT_ERROR_USAGE},
        {"hosts,L2=2M", "did you mean 'host'?", FT_ERROR_USAGE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ft_machine machine;
        struct ft_diag diag = {0};
        int status = ft_machine_load(rows[i].machine, &machine, &diag);
        tap_ok(status == rows[i].status && diag.status == status &&
                   strstr(diag.message, rows[i].part),
               "%s: %s", rows[i].machine, diag.message);
        if (status == FT_OK)
            ft_machine_fini(&machine);
    }
}

static void check_files(void)
{
    char path[TEMPORARY_PATH_MAX + 16], name[TEMPORARY_PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/edits", temporary_folder());
    FILE *file = fopen(path, "w");
    fputs("# what the next generation may be\nclock = 5\n\n[big]\nL2=2M, L3=64M\n[wrong]\n"
          "L2=2M\nL2.wais=3\n",
          file);
    fclose(file);
    struct ft_machine machine;
    struct ft_diag diag = {0};
    snprintf(name, sizeof name, "amd-zen5,@%s,L1D=64K,L1D.ways=16", path);
    if (loads(name, &machine)) {
        tap_ok(machine.clock_ghz == 5 && machine.levels[0].blocks == 1024 &&
                   machine.levels[1].blocks == 16384,
               "lines before the first set, and further edits");
        ft_machine_fini(&machine);
    }
    snprintf(name, sizeof name, "amd-zen5,@%s:big", path);
    if (loads(name, &machine)) {
        tap_ok(machine.clock_ghz == 5 && machine.levels[1].blocks == 32768 &&
                   machine.levels[2].blocks == 1 << 20,
               "these, and those of a set");
        ft_machine_fini(&machine);
    }
    snprintf(name, sizeof name, "amd-zen5,@%s:small", path);
    tap_ok(ft_machine_load(name, &machine, &diag) == FT_ERROR_USAGE &&
               strstr(diag.message, "no set [small]"),
           "%s", diag.message);
    snprintf(name, sizeof name, "amd-zen5,@%s:wrong", path);
    tap_ok(ft_machine_load(name, &machine, &diag) == FT_ERROR_DATA &&
               strstr(diag.message, "edits: line 8: L2.wais=3: unknown key"),
           "%s", diag.message);
}

static void check_where_edits_begin(void)
{
    static const char *const rows[][2] = {
        {"amd-zen5", NULL}, {"amd-zen5,L2=2M", "L2=2M"}, {"a,b.yaml,L2=2M,@f", "L2=2M,@f"},
        {"a,b.yaml", NULL}, {"a=b,c.yaml", NULL},        {"host,@file", "@file"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *edits = ft_machine_edits_of(rows[i][0]);
        tap_ok(edits && rows[i][1] ? strcmp(edits, rows[i][1]) == 0 : edits == rows[i][1],
               "edits of %s: %s", rows[i][0], edits ? edits : "none");
    }
}

static char *yaml_text(const struct ft_machine_file *file)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    ft_yaml_write(stream, "head\n\nof two lines\n", file->yaml);
    fclose(stream);
    return text;
}

/* Written, read and written again a machine is the same text. */
static void check_round_trip(const char *name)
{
    char path[TEMPORARY_PATH_MAX + 16];
    struct ft_machine_file file, again;
    struct ft_machine machine;
    struct ft_diag diag = {0};
    snprintf(path, sizeof path, "%s/written.yaml", temporary_folder());
    if (!tap_ok(ft_machine_file_open(name, &file, &diag) == FT_OK, "%s %s", name, diag.message))
        return;
    char *text = yaml_text(&file);
    FILE *stream = fopen(path, "w");
    fputs(text, stream);
    fclose(stream);
    if (tap_ok(ft_machine_file_open(path, &again, &diag) == FT_OK &&
                   ft_machine_file_build(&again, &machine, &diag) == FT_OK,
               "%s, written, is read %s", name, diag.message)) {
        char *twice = yaml_text(&again);
        tap_ok(strcmp(text, twice) == 0, "and is the same");
        free(twice);
        ft_machine_fini(&machine);
        ft_machine_file_fini(&again);
    }
    free(text);
    ft_machine_file_fini(&file);
}

int main(void)
{
    struct ft_machine_names names;
    check_edits();
    check_refused();
    check_files();
    check_where_edits_begin();
    if (tap_ok(ft_machine_names_list(&names, NULL) == FT_OK && names.count >= 4, "shipped files")) {
        for (size_t i = 0; i < names.count; i++)
            check_round_trip(names.items[i]);
        ft_machine_names_fini(&names);
    }
    check_round_trip("amd-zen5,L2.replacement=plru,L2.prefetch=stride,L3.shared_by=4");
    return tap_plan_done();
}
