/*
 * Numbers of machine files: what each quantity may be written as and what that means; what is
 * refused, with file, line, entry, key, what was read and what may stand there; and in the shipped
 * files, for every number, that nothing may follow it but its units.
 */
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machines/machine.h"
#include "machines/machine_numbers.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

/* ---- texts ---- */

static void check_accepted(void)
{
    static const struct {
        enum ft_machine_number number;
        const char *text;
        double value;
    } accepted[] = {
        {FT_NUMBER_clock_ghz, "3000 MHz", 3},
        {FT_NUMBER_clock_ghz, "4100MHz", 4.1},
        {FT_NUMBER_clock_ghz, "3.8 GHz", 3.8},
        {FT_NUMBER_clock_ghz, "2600000kHz", 2.6},
        {FT_NUMBER_clock_ghz, "2.5e9 Hz", 2.5},
        {FT_NUMBER_clock_ghz, "3", 3},
        {FT_NUMBER_clock_ghz, "+3.", 3},
        {FT_NUMBER_clock_ghz, ".5", 0.5},
        {FT_NUMBER_clock_ghz, "38e-1", 3.8},
        {FT_NUMBER_capacity, "32768", 32768},
        {FT_NUMBER_capacity, "32768 B", 32768},
        {FT_NUMBER_capacity, "32K", 32768},
        {FT_NUMBER_capacity, "32k", 32768},
        {FT_NUMBER_capacity, "32 KB", 32768},
        {FT_NUMBER_capacity, "32 KiB", 32768},
        {FT_NUMBER_capacity, "1.5M", 1572864},
        {FT_NUMBER_capacity, "2MiB", 2097152},
        {FT_NUMBER_capacity, "1G", 1073741824},
        {FT_NUMBER_capacity, "1 TiB", 1099511627776},
        {FT_NUMBER_ways, "1024", 1024},
        {FT_NUMBER_ways, "full", INFINITY},
        {FT_NUMBER_latency_cycles, "4 cycles", 4},
        {FT_NUMBER_latency_cycles, "1 cycle", 1},
        {FT_NUMBER_latency_cycles, "3.5", 3.5},
        {FT_NUMBER_exposed_share, "50%", 0.5},
        {FT_NUMBER_exposed_share, "12.5 %", 0.125},
        {FT_NUMBER_exposed_share, "0", 0},
        {FT_NUMBER_entries, "2048", 2048},
        {FT_NUMBER_entries, "1e3", 1000},
    };
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        struct ft_diag diag = {0};
        double value = NAN;
        int status = ft_number_read(accepted[i].number, accepted[i].text, &value, &diag);
        tap_ok(status == FT_OK && value == accepted[i].value, "%s %s: %.17g %s",
               ft_number_keys[accepted[i].number].name, accepted[i].text, value, diag.message);
    }
}

static void check_refused(void)
{
    static const char *const of_all[] = {
        "",     " ",   "three", "3,5",  "0x10",  "4x",   "3.0abc",    "nan",
        ".nan", "NaN", "inf",   ".inf", "-.inf", "~",    "null",      "1_000",
        "1:30", "010", "00.5",  "3 ",   " 3",    "3\n",  "--3",       "3 3",
        "3;",   "1e",  "1e400", "3 4K", "1/2",   "3..5", "3 furlongs"};
    static const struct {
        enum ft_machine_number number;
        const char *text;
    } refused[] = {
        {FT_NUMBER_latency_cycles, "300ns"},
        {FT_NUMBER_latency_cycles, "4 GHz"},
        {FT_NUMBER_clock_ghz, "3 Mhz"},
        {FT_NUMBER_clock_ghz, "3G"},
        {FT_NUMBER_clock_ghz, "3000"},
        {FT_NUMBER_clock_ghz, "0.05 GHz"},
        {FT_NUMBER_clock_ghz, "-3"},
        {FT_NUMBER_capacity, "32Q"},
        {FT_NUMBER_capacity, "32Ki"},
        {FT_NUMBER_capacity, "0.3"},
        {FT_NUMBER_capacity, "48 cycles"},
        {FT_NUMBER_capacity, "99999T"},
        {FT_NUMBER_ways, "8.5"},
        {FT_NUMBER_ways, "0"},
        {FT_NUMBER_ways, "1025"},
        {FT_NUMBER_ways, "fully"},
        {FT_NUMBER_ways, "8 %"},
        {FT_NUMBER_exposed_share, "101 %"},
        {FT_NUMBER_exposed_share, "50"},
        {FT_NUMBER_exposed_share, "-0.1"},
        {FT_NUMBER_shared_by, "0"},
        {FT_NUMBER_entries, "64K"},
        {FT_NUMBER_count, "2 %"},
    };
    for (size_t n = 0; n < FT_MACHINE_NUMBER_COUNT; n++)
        for (size_t i = 0; i < sizeof of_all / sizeof *of_all; i++) {
            struct ft_diag diag = {0};
            double value = 42;
            if (ft_number_read(n, of_all[i], &value, &diag) != FT_ERROR_DATA || value != 42 ||
                !strstr(diag.message, ft_number_expected(ft_number_keys[n].quantity)))
                tap_ok(false, "%s: '%s' is refused: %s", ft_number_keys[n].name, of_all[i],
                       diag.message);
        }
    tap_ok(true, "what is no number is none for any key");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct ft_diag diag = {0};
        double value;
        tap_ok(ft_number_read(refused[i].number, refused[i].text, &value, &diag) == FT_ERROR_DATA,
               "%s: %s", ft_number_keys[refused[i].number].name, diag.message);
    }
}

/* The ends of each key's range are in it, what lies beyond is not. */
static void check_ranges(void)
{
    for (size_t n = 0; n < FT_MACHINE_NUMBER_COUNT; n++) {
        const struct ft_number_key *key = &ft_number_keys[n];
        char text[64];
        struct ft_diag diag = {0};
        double value;
        snprintf(text, sizeof text, "%.17g", key->min);
        bool is_right = ft_number_read(n, text, &value, &diag) == FT_OK && value == key->min;
        snprintf(text, sizeof text, "%.17g", key->max);
        is_right = is_right && ft_number_read(n, text, &value, &diag) == FT_OK && value == key->max;
        snprintf(text, sizeof text, "%.17g", key->max * 2);
        is_right = is_right && ft_number_read(n, text, &value, &diag) == FT_ERROR_DATA &&
                   strstr(diag.message, "out of range: ");
        snprintf(text, sizeof text, "%.17g", key->min - 1);
        is_right = is_right && ft_number_read(n, text, &value, &diag) == FT_ERROR_DATA;
        tap_ok(is_right, "%s: %s", key->name, diag.message);
    }
}

/* ---- files ---- */

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (file && getdelim(&text, &size, 0, file) < 0)
        text[0] = 0;
    if (file)
        fclose(file);
    return text;
}

static void write_parts(const char *path, const char *front, size_t length, const char *middle,
                        const char *rest)
{
    FILE *file = fopen(path, "w");
    fprintf(file, "%.*s%s%s", (int)length, front, middle, rest);
    fclose(file);
}

/* The next "key: VALUE" of a number at or behind `at`; gives the value, NULL behind the last. */
static const char *next_number(const char *at, enum ft_machine_number *ret_number,
                               size_t *ret_length)
{
    for (; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        const char *key = at + strspn(at, " -");
        const size_t length = strcspn(key, ":\n");
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)length, key);
        const struct ft_number_key *found = ft_number_key_find(name);
        if (!found)
            continue;
        const char *value = key + length + 2;
        *ret_number = (enum ft_machine_number)(found - ft_number_keys);
        *ret_length = strcspn(value, " #\n");
        return value;
    }
    return NULL;
}

static unsigned line_at(const char *text, const char *at)
{
    unsigned line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

/* Whether a file is refused in that line, and the message names key and value. */
static bool is_refused(const char *path, unsigned line, const char *key, const char *value)
{
    struct ft_machine machine;
    struct ft_diag diag = {0};
    char place[4200], word[80];
    snprintf(place, sizeof place, "%s: line %u: ", path, line);
    snprintf(word, sizeof word, ".%s", key);
    int status = ft_machine_load(path, &machine, &diag);
    if (status == FT_OK)
        ft_machine_fini(&machine);
    bool as_expected = status == FT_ERROR_DATA &&
                       strncmp(diag.message, place, strlen(place)) == 0 &&
                       strstr(diag.message, word) && strstr(diag.message, value);
    if (!as_expected)
        printf("# %s %s: %s\n", key, value, diag.message);
    return as_expected;
}

static void check_suffixes(const char *shipped, const char *path)
{
    static const char *const suffixes[] = {"x",  "abc", " ns",  "ns", ",5",  "_000", " 3", ".5.5",
                                           ":2", "e",   "e999", "/2", "Kib", "$",    "*",  " GHZ"};
    char *text = read_text(shipped);
    const unsigned step = tap_repetitions(1, 4, 8); /* number by number from another one on */
    unsigned refused = 0, tried = 0, numbers = 0;
    enum ft_machine_number number = 0;
    size_t length = 0;
    for (const char *at = text; (at = next_number(at, &number, &length)); at += length)
        for (size_t i = numbers++ % step; i < sizeof suffixes / sizeof *suffixes; i += step) {
            char value[64];
            snprintf(value, sizeof value, "%.*s%s", (int)length, at, suffixes[i]);
            write_parts(path, text, (size_t)(at - text), value, at + length);
            tried++;
            refused +=
                is_refused(path, line_at(text, at), ft_number_keys[number].name, suffixes[i]);
        }
    free(text);
    tap_ok(tried > 200 / step && refused == tried,
           "%s: %u of %u suffixes are refused where they stand", shipped, refused, tried);
}

/* A byte of a number is another one: refused, or what was read is in range. */
static void check_mutations(const char *shipped, const char *path)
{
    static const char bytes[] = "0123456789 .,:-+eExXKMGTBi%nscylGHz#'\"[]{}&*!|>\\\t\n~_";
    char *text = read_text(shipped);
    uint64_t random = 22;
    unsigned loaded = 0, refused = 0, nameless = 0;
    for (unsigned round = 0; round < tap_repetitions(40, 1, 1); round++) {
        enum ft_machine_number number = 0;
        size_t length = 0;
        for (const char *at = text; (at = next_number(at, &number, &length)); at += length) {
            struct ft_machine machine;
            struct ft_diag diag = {0};
            char value[64];
            snprintf(value, sizeof value, "%.*s", (int)length, at);
            value[random_below(&random, length)] = bytes[random_below(&random, sizeof bytes - 1)];
            write_parts(path, text, (size_t)(at - text), value, at + length);
            int status = ft_machine_load(path, &machine, &diag);
            refused += status == FT_ERROR_DATA;
            nameless += status != FT_OK && !strstr(diag.message, ": line ");
            if (status != FT_OK)
                continue;
            loaded++;
            if (machine.clock_ghz < 0.1 || machine.clock_ghz > 10 || machine.issue_width > 64)
                tap_ok(false, "%s: %s was taken", ft_number_keys[number].name, value);
            ft_machine_fini(&machine);
        }
    }
    free(text);
    tap_ok(loaded > 0 && refused > loaded && nameless == 0,
           "%s: of other bytes %u are numbers, %u are refused, %u of these without a line", shipped,
           loaded, refused, nameless);
}

/* What YAML allows in the place of a plain scalar. */
static void check_yaml(const char *shipped, const char *path)
{
    static const struct {
        const char *value, *part; /* part of the message; NULL: accepted */
    } cases[] = {
        {"'3000 MHz'", NULL},
        {"\"3 GHz\"", NULL},
        {"3 # GHz", NULL},
        {"&clock 3", NULL},
        {"3\n    GHz", NULL},
        {"", "core.clock_ghz: '': expected a number with GHz"},
        {"''", "core.clock_ghz: '': expected a number with GHz"},
        {"[3]", "core.clock_ghz: a list: expected a number with GHz"},
        {"[]", "core.clock_ghz: a list: expected a number with GHz"},
        {"{GHz: 3}", "core.clock_ghz: a mapping: expected a number with GHz"},
        {"!!float 3", "core.clock_ghz: YAML tags are not accepted"},
        {"!percent 3", "core.clock_ghz: YAML tags are not accepted"},
        {"\"3\\0junk\"", "core.clock_ghz: contains a NUL"},
        {"~", "core.clock_ghz: '~': expected"},
        {"3\n  clock_ghz: 3", "clock_ghz"},
        {"3000", "core.clock_ghz: '3000' is out of range: 0.1 to 10 GHz"},
    };
    char *text = read_text(shipped);
    const char *at = strstr(text, "clock_ghz: ") + strlen("clock_ghz: ");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ft_machine machine = {0};
        struct ft_diag diag = {0};
        write_parts(path, text, (size_t)(at - text), cases[i].value, strchr(at, '\n'));
        int status = ft_machine_load(path, &machine, &diag);
        if (!cases[i].part)
            tap_ok(status == FT_OK && machine.clock_ghz == 3, "case %zu is 3 GHz %s", i,
                   diag.message);
        else
            tap_ok(status == FT_ERROR_DATA && strstr(diag.message, ": line ") &&
                       strstr(diag.message, cases[i].part),
                   "case %zu: %s", i, diag.message);
        ft_machine_fini(&machine);
    }
    struct ft_machine machine = {0};
    struct ft_diag diag = {0};
    write_parts(path, text, strlen(text), "---\ncore: 3\n", "");
    tap_ok(ft_machine_load(path, &machine, &diag) == FT_ERROR_DATA &&
               strstr(diag.message, "a second document"),
           "%s", diag.message);
    ft_machine_fini(&machine);
    free(text);
}

static void check_entries_of_messages(const char *shipped, const char *path)
{
    char *text = read_text(shipped);
    const char *at = strstr(strstr(text, "name: L2\n"), "ways: ") + strlen("ways: ");
    char expected[4200];
    struct ft_machine machine;
    struct ft_diag diag = {0};
    write_parts(path, text, (size_t)(at - text), "16000", strchr(at, '\n'));
    snprintf(expected, sizeof expected,
             "%s: line %u: caches[2].ways (L2): '16000' is out of range: 1 to 1024", path,
             line_at(text, at));
    tap_ok(ft_machine_load(path, &machine, &diag) == FT_ERROR_DATA &&
               strcmp(diag.message, expected) == 0,
           "%s", diag.message);
    free(text);
}

int main(void)
{
    const char *folder = getenv("FORETRACE_MACHINES");
    char pattern[4096], path[TEMPORARY_PATH_MAX + 16];
    glob_t found = {0};
    snprintf(path, sizeof path, "%s/machine.yaml", temporary_folder());
    snprintf(pattern, sizeof pattern, "%s/*.yaml", folder ? folder : "");
    check_accepted();
    check_refused();
    check_ranges();
    glob(pattern, 0, NULL, &found);
    tap_ok(found.gl_pathc >= 4, "%zu machine files", found.gl_pathc);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        check_suffixes(found.gl_pathv[i], path);
        check_mutations(found.gl_pathv[i], path);
    }
    if (found.gl_pathc > 0) {
        check_yaml(found.gl_pathv[0], path);
        check_entries_of_messages(found.gl_pathv[0], path);
    }
    globfree(&found);
    return tap_plan_done();
}
