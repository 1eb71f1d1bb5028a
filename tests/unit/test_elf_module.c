/*
 * Reads objects that the build made of fixtures/shapes.c: as they are, stripped, stripped with a
 * link to a debug file, and without the symbol of a variable; and itself as an image in memory.
 * Lines are looked up by the markers in the source, so that the source may change.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "tests/support/tap.h"
#include "trace-capture/modules/elf_module.h"

static const char *source_path;

/* The line of the source that holds `mark: text`; 0 where there is none. */
static uint32_t marked_line(const char *text)
{
    char wanted[128], line[512];
    snprintf(wanted, sizeof wanted, "mark: %s */", text);
    FILE *file = fopen(source_path, "r");
    uint32_t number = 0, found = 0;
    while (file && fgets(line, sizeof line, file)) {
        number++;
        if (strstr(line, wanted))
            found = number;
    }
    if (file)
        fclose(file);
    return found;
}

static const struct ft_symbol *symbol_named(const struct ft_module *module, const char *name)
{
    for (size_t i = 0; i < module->symbol_count; i++)
        if (strcmp(module->strings + module->symbols[i].name, name) == 0)
            return &module->symbols[i];
    return NULL;
}

static bool has_line(const struct ft_module *module, const struct ft_symbol *symbol, uint32_t line)
{
    for (size_t i = 0; symbol && i < module->line_count; i++)
        if (module->lines[i].start >= symbol->start && module->lines[i].end <= symbol->end &&
            module->lines[i].line == line &&
            strcmp(module->strings + module->lines[i].file, source_path) == 0)
            return true;
    return false;
}

static void check_sorted(const struct ft_module *module, const char *what)
{
    bool symbols = true, lines = true, inlines = true;
    for (size_t i = 0; i < module->symbol_count; i++)
        symbols &= module->symbols[i].start < module->symbols[i].end &&
                   (i == 0 || module->symbols[i - 1].end <= module->symbols[i].start);
    for (size_t i = 0; i < module->line_count; i++)
        lines &= module->lines[i].start < module->lines[i].end && module->lines[i].line > 0 &&
                 (i == 0 || module->lines[i - 1].end <= module->lines[i].start);
    for (size_t i = 1; i < module->inline_count; i++)
        inlines &= module->inlines[i - 1].start <= module->inlines[i].start;
    tap_ok(symbols, "%s: symbols are sorted and disjoint", what);
    tap_ok(lines, "%s: lines are sorted and disjoint", what);
    tap_ok(inlines, "%s: inlined calls are sorted", what);
}

static void check_lines(const struct ft_module *module, const char *what)
{
    const struct ft_symbol *norm = symbol_named(module, "shapes_norm");
    const struct ft_symbol *area = symbol_named(module, "shapes_area");
    tap_ok(has_line(module, area, marked_line("area")), "%s: a plain line", what);
    tap_ok(has_line(module, norm, marked_line("square")), "%s: a line of an inlined routine", what);
    tap_ok(!has_line(module, area, marked_line("square")), "%s: not where it is not inlined", what);

    const struct ft_inline *outer = NULL, *inner = NULL;
    for (size_t i = 0; i < module->inline_count; i++) {
        const char *name = module->strings + module->inlines[i].name;
        if (!outer && strcmp(name, "sum_of_squares") == 0)
            outer = &module->inlines[i];
        if (!inner && strcmp(name, "square") == 0)
            inner = &module->inlines[i];
    }
    tap_ok(outer && outer->depth == 0 && outer->call_line == marked_line("call sum"),
           "%s: the outer inlined call and its line", what);
    tap_ok(inner && inner->depth == 1 && inner->call_line == marked_line("call square"),
           "%s: the inner inlined call and its line", what);
    tap_ok(outer && inner && outer < inner && outer->start <= inner->start &&
               inner->end <= outer->end,
           "%s: the inner call lies in the outer one and follows it", what);
    tap_ok(inner && strcmp(module->strings + inner->call_file, source_path) == 0,
           "%s: the calling file", what);
}

static void check_identity(const struct ft_module *module, const char *path, const char *what)
{
    uint8_t zero[32] = {0};
    tap_ok(strcmp(module->path, path) == 0, "%s: the path", what);
    tap_ok(module->build_id_bytes == 20, "%s: a build-id of 20 bytes", what);
    tap_ok(memcmp(module->sha256, zero, sizeof zero) != 0, "%s: a SHA-256", what);
    tap_ok(module->load_bias == 0x7f0000000000, "%s: the load bias", what);
    const struct ft_symbol *last = &module->symbols[module->symbol_count - 1];
    tap_ok(module->symbol_count > 0 && module->start <= module->symbols[0].start &&
               last->end <= module->end,
           "%s: the extent holds all symbols", what);
}

static const struct ft_variable *variable_named(const struct ft_module *module, const char *name)
{
    for (size_t i = 0; i < module->variable_count; i++)
        if (strcmp(module->strings + module->variables[i].name, name) == 0)
            return &module->variables[i];
    return NULL;
}

/* The variables of the source, and of whom the name of the one in the file is. */
static void check_variables(const struct ft_module *module, enum ft_variable_source source,
                            const char *what)
{
    bool sorted = true;
    for (size_t i = 0; i < module->variable_count; i++)
        sorted &= module->variables[i].start < module->variables[i].end &&
                  (i == 0 || module->variables[i - 1].end <= module->variables[i].start);
    tap_ok(sorted, "%s: variables are sorted and disjoint", what);
    const struct ft_variable *total = variable_named(module, "shapes_total");
    tap_ok(total && total->end - total->start == 24 && total->line == marked_line("total") &&
               strcmp(module->strings + total->file, source_path) == 0,
           "%s: a global variable with the line of its declaration", what);
    const struct ft_variable *factor = variable_named(module, "shapes_factor");
    tap_ok(factor && factor->end - factor->start == 16 && factor->source == source &&
               factor->line == marked_line("factor"),
           "%s: a static variable", what);
    const struct ft_variable *table = variable_named(module, "shapes_table");
    tap_ok(table && table->end - table->start == 32 &&
               ft_module_variable(module, table->start + 31) == table,
           "%s: a constant", what);
    tap_ok(!variable_named(module, "shapes_of_thread"), "%s: no variable of threads", what);
}

static void check_without_symbol(const char *path)
{
    struct ft_module module = {0};
    struct ft_diag diag = {0};
    if (!tap_ok(ft_elf_module_read(path, 0x7f0000000000, &module, &diag) == 0, "unnamed: read %s",
                diag.message))
        return;
    check_variables(&module, FT_VARIABLE_DWARF, "unnamed");
    ft_module_fini(&module);
}

static void check_whole(const char *path)
{
    struct ft_module module = {0};
    struct ft_diag diag = {0};
    if (!tap_ok(ft_elf_module_read(path, 0x7f0000000000, &module, &diag) == 0, "whole: read %s",
                diag.message))
        return;
    check_identity(&module, path, "whole");
    check_sorted(&module, "whole");
    check_lines(&module, "whole");
    check_variables(&module, FT_VARIABLE_TABLE, "whole");
    tap_ok(symbol_named(&module, "hidden") && symbol_named(&module, "shapes_area"),
           "whole: local and global functions");
    tap_ok(!symbol_named(&module, "alias_of_norm"), "whole: of two names the shorter");
    const struct ft_symbol *label = symbol_named(&module, "bare_label");
    const struct ft_symbol *function = symbol_named(&module, "bare_function");
    tap_ok(label && function && label->end == function->start && label->end - label->start == 3,
           "whole: a label without a size ends where the next symbol starts");
    tap_ok(function && function->end > function->start, "whole: a function without a size");
    ft_module_fini(&module);
}

static void check_stripped(const char *path, const char *whole_path)
{
    struct ft_module module = {0}, whole = {0};
    struct ft_diag diag = {0};
    if (!tap_ok(ft_elf_module_read(path, 0x7f0000000000, &module, &diag) == 0 &&
                    ft_elf_module_read(whole_path, 0x7f0000000000, &whole, &diag) == 0,
                "stripped: read %s", diag.message))
        return;
    check_identity(&module, path, "stripped");
    check_sorted(&module, "stripped");
    tap_ok(module.line_count == 0 && module.inline_count == 0, "stripped: no lines");
    tap_ok(variable_named(&module, "shapes_total") && !variable_named(&module, "shapes_factor"),
           "stripped: variables of the dynamic symbols");
    tap_ok(memcmp(module.build_id, whole.build_id, 20) == 0, "stripped: the same build-id");
    tap_ok(memcmp(module.sha256, whole.sha256, 32) != 0, "stripped: another SHA-256");
    const struct ft_symbol *area = symbol_named(&module, "shapes_area");
    tap_ok(area && area->source == FT_SYMBOL_DYNAMIC, "stripped: a dynamic symbol");
    const struct ft_symbol *hidden = symbol_named(&whole, "hidden");
    const struct ft_symbol *unwound = NULL;
    for (size_t i = 0; hidden && i < module.symbol_count; i++)
        if (module.symbols[i].start == hidden->start)
            unwound = &module.symbols[i];
    tap_ok(unwound && unwound->end == hidden->end && unwound->source == FT_SYMBOL_UNWIND &&
               module.strings[unwound->name] == 0,
           "stripped: the local function is known by its unwind entry");
    ft_module_fini(&module);
    ft_module_fini(&whole);
}

static void check_linked(const char *path)
{
    struct ft_module module = {0};
    struct ft_diag diag = {0};
    if (!tap_ok(ft_elf_module_read(path, 0x7f0000000000, &module, &diag) == 0, "linked: read %s",
                diag.message))
        return;
    check_sorted(&module, "linked");
    check_lines(&module, "linked");
    check_variables(&module, FT_VARIABLE_TABLE, "linked");
    tap_ok(symbol_named(&module, "hidden"), "linked: symbols of the debug file");
    ft_module_fini(&module);
}

static void check_vdso(void)
{
    const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
    struct ft_module module = {0};
    struct ft_diag diag = {0};
    if (!image) {
        tap_ok(true, "vDSO: none here # SKIP");
        return;
    }
    /* Its section headers lie at its end, and it is page-aligned: two pages are always there. */
    uint64_t sections;
    uint16_t section_bytes, section_count;
    memcpy(&sections, image + 0x28, sizeof sections);
    memcpy(&section_bytes, image + 0x3a, sizeof section_bytes);
    memcpy(&section_count, image + 0x3c, sizeof section_count);
    size_t bytes = sections + (size_t)section_bytes * section_count;
    tap_ok(ft_elf_module_read_image(image, bytes, "[vdso]", (uint64_t)image, &module, &diag) == 0,
           "vDSO: read %s", diag.message);
    check_sorted(&module, "vDSO");
    tap_ok(symbol_named(&module, "clock_gettime") != NULL, "vDSO: clock_gettime");
    ft_module_fini(&module);
}

static void check_refused(void)
{
    struct ft_module module = {.path = (char *)"untouched"};
    struct ft_diag diag = {0};
    tap_ok(ft_elf_module_read("/nonexistent", 0, &module, &diag) == FT_ERROR_IO &&
               strstr(diag.message, "/nonexistent"),
           "refused: no file");
    tap_ok(ft_elf_module_read(source_path, 0, &module, &diag) == FT_ERROR_DATA &&
               strstr(diag.message, "not an ELF object"),
           "refused: a text");
    tap_ok(ft_elf_module_read("/", 0, &module, &diag) != 0, "refused: a folder");
    uint8_t image[64] = {0x7f, 'E', 'L', 'F', 1, 1, 1};
    tap_ok(ft_elf_module_read_image(image, sizeof image, "x", 0, &module, &diag) == FT_ERROR_DATA,
           "refused: a 32-bit image");
    image[4] = 2;
    for (size_t bytes = 0; bytes <= sizeof image; bytes += 8)
        if (!tap_ok(ft_elf_module_read_image(image, bytes, "x", 0, &module, &diag) == FT_ERROR_DATA,
                    "refused: the first %zu bytes of a header", bytes))
            break;
    tap_ok(strcmp(module.path, "untouched") == 0, "refused: the output is not touched");
}

/* Any prefix of an object, and any one byte of it changed, gives an answer or an error. */
static void check_damaged(const char *path)
{
    FILE *file = fopen(path, "r");
    static uint8_t image[1 << 17];
    size_t bytes = file ? fread(image, 1, sizeof image, file) : 0;
    if (file)
        fclose(file);
    struct ft_module module;
    size_t read = 0;
    for (size_t length = 0; length < bytes; length += 97)
        if (ft_elf_module_read_image(image, length, "cut", 0, &module, NULL) == 0) {
            read++;
            ft_module_fini(&module);
        }
    for (size_t i = 0; i < bytes; i += 61) {
        image[i] ^= 0x41;
        if (ft_elf_module_read_image(image, bytes, "changed", 0, &module, NULL) == 0) {
            read++;
            ft_module_fini(&module);
        }
        image[i] ^= 0x41;
    }
    tap_ok(bytes > 0 && read > 0, "damaged: %zu of the damaged objects still gave tables", read);
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: %s SOURCE WHOLE STRIPPED LINKED UNNAMED\n", argv[0]);
        return 2;
    }
    source_path = argv[1];
    check_whole(argv[2]);
    check_stripped(argv[3], argv[2]);
    check_linked(argv[4]);
    check_without_symbol(argv[5]);
    check_vdso();
    check_refused();
    check_damaged(argv[2]);
    return tap_plan_done();
}
