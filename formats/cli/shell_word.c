#include "formats/cli/shell_word.h"

#include <stdlib.h>
#include <string.h>

void ft_print_shell_word(const char *word, FILE *stream)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "@%+=:,./-_";
    if (word[0] && strspn(word, plain) == strlen(word)) {
        fputs(word, stream);
        return;
    }
    fputc('\'', stream);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", stream);
        else
            fputc(*word, stream);
    fputc('\'', stream);
}

static void print_option(const struct ft_arguments *arguments, const struct ft_option *option,
                         const char **separator, FILE *stream)
{
    for (size_t i = 0; i < ft_option_count(arguments, option->name); i++) {
        fprintf(stream, "%s--%s", *separator, option->name);
        *separator = " ";
        if (!option->argument)
            return;
        fputc(' ', stream);
        ft_print_shell_word(ft_option_at(arguments, option->name, i), stream);
    }
}

static bool is_among(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

static void print_options(const struct ft_command *command, const struct ft_arguments *arguments,
                          const char *const *left_out, const char *separator, FILE *stream)
{
    for (size_t i = 0; i < command->option_count; i++)
        if (!is_among(command->options[i].name, left_out))
            print_option(arguments, &command->options[i], &separator, stream);
}

/* NULL: the text is not whole. */
static char *close_text(FILE *stream, char **text)
{
    if (fclose(stream) == 0)
        return *text;
    free(*text);
    return NULL;
}

char *ft_options_text(const struct ft_command *command, const struct ft_arguments *arguments,
                      const char *const *left_out)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return NULL;
    print_options(command, arguments, left_out, "", stream);
    return close_text(stream, &text);
}

char *ft_command_text(const struct ft_command *command, const struct ft_arguments *arguments)
{
    /* What results do not depend on: where source files were is no part of a page. */
    static const char *const left_out[] = {"quiet", "sources", NULL};
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return NULL;
    fprintf(stream, "foretrace %s", command->name);
    print_options(command, arguments, left_out, " ", stream);
    if (ft_operands_behind_dashes(arguments) > 0)
        fputs(" --", stream);
    for (size_t i = 0; i < ft_operand_count(arguments); i++) {
        fputc(' ', stream);
        ft_print_shell_word(ft_operands(arguments)[i], stream);
    }
    return close_text(stream, &text);
}
