/*
 * One pass over the symbol tables. Demangling is slow: a symbol is demangled only if it contains
 * the last part of the name ("f" of "ns::f(int)"). The similarity of names is their edit distance.
 */
#include "trace-capture/modules/function_names.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/demangle.h"
#include "trace-capture/modules/module_builder.h"
#include "trace-capture/modules/symbol_tables.h"

#define NAME_BYTES_MAX 256U

static void visit_object(const char *path, ft_symbol_visitor *visit, void *context)
{
    elf_version(EV_CURRENT);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    if (elf && elf_kind(elf) == ELF_K_ELF) {
        struct ft_module identity = {0};
        struct ft_debug_file debug;
        ft_module_read_build_id(&identity, elf);
        ft_debug_file_open(elf, path, &identity, &debug);
        ft_symbol_tables_visit(elf, visit, context);
        if (debug.elf)
            ft_symbol_tables_visit(debug.elf, visit, context);
        ft_debug_file_close(&debug);
    }
    elf_end(elf);
    if (fd >= 0)
        close(fd);
}

/* The name of a function that is defined in the object, without its version; the caller frees
 * it. */
static char *function_name(const GElf_Sym *symbol, const char *name)
{
    bool is_function = GELF_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF;
    size_t length = strcspn(name, "@");
    return is_function && length > 0 ? strndup(name, length) : NULL;
}

static bool is_mangled(const char *symbol)
{
    return symbol[0] == '_' && (symbol[1] == 'Z' || symbol[1] == 'R');
}

static bool is_in_identifier(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the symbol contains the last identifier before the name's arguments. */
static bool may_match(const char *symbol, const char *name)
{
    char part[NAME_BYTES_MAX];
    size_t end = strcspn(name, "(<");
    while (end > 0 && !is_in_identifier(name[end - 1]))
        end--;
    size_t start = end;
    while (start > 0 && is_in_identifier(name[start - 1]))
        start--;
    if (end - start >= sizeof part)
        return true;
    memcpy(part, name + start, end - start);
    part[end - start] = 0;
    return strstr(symbol, part) != NULL;
}

/* "f" names "f(int)", "f<int>(int)" and "void f<int>(int)". */
static bool is_name_of(const char *name, const char *demangled)
{
    size_t length = strlen(name), arguments = strcspn(demangled, "(");
    for (const char *at = demangled; (at = strstr(at, name)); at++) {
        bool starts = at == demangled || (at[-1] == ' ' && (size_t)(at - demangled) < arguments);
        if (starts && (at[length] == 0 || at[length] == '(' || at[length] == '<'))
            return true;
    }
    return false;
}

static bool matches(const char *symbol, const char *name)
{
    if (strcmp(symbol, name) == 0)
        return true;
    if (!is_mangled(symbol) || !may_match(symbol, name))
        return false;
    char *demangled = ft_demangle(symbol);
    bool is = demangled && is_name_of(name, demangled);
    free(demangled);
    return is;
}

struct search {
    const char *const *names;
    size_t name_count;
    ft_function_found *found;
    void *context;
};

static int compare_symbol(void *context, const GElf_Sym *symbol, const char *name,
                          enum ft_symbol_source source)
{
    const struct search *search = context;
    char *plain = function_name(symbol, name);
    (void)source;
    for (size_t i = 0; plain && i < search->name_count; i++)
        if (matches(plain, search->names[i]))
            search->found(search->context, i, symbol->st_value);
    free(plain);
    return FT_OK;
}

void ft_functions_find(const char *path, const char *const *names, size_t name_count,
                       ft_function_found *found, void *context)
{
    struct search search = {names, name_count, found, context};
    visit_object(path, compare_symbol, &search);
}

/* ---- similar names ---- */

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t minimum = a < b ? a : b;
    return minimum < c ? minimum : c;
}

static size_t distance_of(const char *a, const char *b)
{
    size_t row[NAME_BYTES_MAX + 1], length = strlen(b);
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < length; j++) {
            size_t above = row[j + 1];
            bool same = tolower((unsigned char)a[i]) == tolower((unsigned char)b[j]);
            row[j + 1] = smallest(above + 1, row[j] + 1, diagonal + !same);
            diagonal = above;
        }
    }
    return row[length];
}

static void consider(struct ft_near_names *near, const char *symbol)
{
    char *name = ft_demangle(symbol);
    if (!name)
        return;
    if (is_mangled(symbol))
        name[strcspn(name, "(")] = 0;
    size_t length = strlen(near->wanted), limit = length / 3 + 1;
    size_t distance = SIZE_MAX;
    if (*name && strlen(name) < NAME_BYTES_MAX && length < NAME_BYTES_MAX)
        distance = distance_of(near->wanted, name);
    if (distance > limit && length >= 4 && strstr(name, near->wanted))
        distance = limit; /* contained in the name */
    size_t at = 0;
    while (at < FT_NEAR_NAMES_MAX && near->names[at] && strcmp(near->names[at], name) != 0 &&
           near->distances[at] <= distance)
        at++;
    bool is_new = distance <= limit && at < FT_NEAR_NAMES_MAX;
    for (size_t i = at; is_new && i < FT_NEAR_NAMES_MAX && near->names[i]; i++)
        is_new = strcmp(near->names[i], name) != 0;
    if (!is_new) {
        free(name);
        return;
    }
    free(near->names[FT_NEAR_NAMES_MAX - 1]);
    for (size_t i = FT_NEAR_NAMES_MAX - 1; i > at; i--) {
        near->names[i] = near->names[i - 1];
        near->distances[i] = near->distances[i - 1];
    }
    near->names[at] = name;
    near->distances[at] = distance;
}

static int consider_symbol(void *context, const GElf_Sym *symbol, const char *name,
                           enum ft_symbol_source source)
{
    char *plain = function_name(symbol, name);
    (void)source;
    if (plain)
        consider(context, plain);
    free(plain);
    return FT_OK;
}

void ft_near_names_add(struct ft_near_names *near, const char *path)
{
    visit_object(path, consider_symbol, near);
}

void ft_near_names_fini(struct ft_near_names *near)
{
    for (size_t i = 0; i < FT_NEAR_NAMES_MAX; i++)
        free(near->names[i]);
}
