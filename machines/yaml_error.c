#include "machines/yaml_error.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "machines/machine_numbers.h"

static void prepend(char *text, size_t size, const char *front)
{
    char old[256];
    snprintf(old, sizeof old, "%s", text);
    bool dot = old[0] && old[0] != '[';
    snprintf(text, size, "%.120s%s%.120s", front, dot ? "." : "", old);
}

void ft_yaml_error_note(cyaml_log_t level, void *context, const char *format, va_list arguments)
{
    struct ft_yaml_error *error = context;
    char text[256], name[128];
    unsigned line, entry;
    (void)level;
    vsnprintf(text, sizeof text, format, arguments);
    text[strcspn(text, "\n")] = 0;
    if (!error->what[0]) {
        const char *what = strncmp(text, "Load: ", 6) == 0 ? text + 6 : text;
        snprintf(error->what, sizeof error->what, "%s", what);
        /* NOLINTBEGIN(cert-err34-c): numbers that libcyaml itself has printed */
    } else if (sscanf(text, " in mapping field '%127[^']' (line: %u", name, &line) == 2) {
        /* A missing key is reported where the mapping ends, under its last key. */
        if (error->line || strncmp(error->what, "Missing", 7) != 0)
            prepend(error->key, sizeof error->key, name);
        error->line = error->line ? error->line : line;
    } else if (sscanf(text, " in sequence entry '%u' (line: %u", &entry, &line) == 2) {
        snprintf(name, sizeof name, "[%u]", entry);
        if (entry) /* 0: not even the first could be read */
            prepend(error->key, sizeof error->key, name);
        error->line = error->line ? error->line : line;
    } else if (sscanf(text, " in mapping (line: %u", &line) == 1) {
        error->line = error->line ? error->line : line;
    }
    /* NOLINTEND(cert-err34-c) */
}

/* "a list: expected a number ..." where a list or a mapping stands for one value. False: another
 * error. */
static bool tell_collection(const struct ft_yaml_error *error, char *text, size_t size)
{
    const char *event = strstr(error->what, "Expecting STRING, got event: ");
    const char *dot = strrchr(error->key, '.');
    const struct ft_number_key *number = ft_number_key_find(dot ? dot + 1 : error->key);
    const bool is_list = event && strstr(event, "SEQUENCE_START");
    if (!is_list && !(event && strstr(event, "MAPPING_START")))
        return false;
    snprintf(text, size, "%s: expected %s", is_list ? "a list" : "a mapping",
             number ? ft_number_expected(number->quantity) : "one value");
    return true;
}

int ft_yaml_error_fail(const char *path, const struct ft_yaml_error *error, cyaml_err_t code,
                       struct ft_diag *diag)
{
    char collection[128];
    const char *what = tell_collection(error, collection, sizeof collection) ? collection
                       : error->what[0]                                      ? error->what
                                                                             : cyaml_strerror(code);
    if (code == CYAML_ERR_OOM)
        return ft_fail_memory(diag, path);
    if (!error->line)
        return ft_fail(diag, FT_ERROR_DATA, "%s: %s", path, what);
    return ft_fail(diag, FT_ERROR_DATA, "%s: line %u: %s%s%s", path, error->line, error->key,
                   error->key[0] ? ": " : "", what);
}
