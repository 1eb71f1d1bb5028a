#include "predict/commands/shell_word.h"

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
                         FILE *stream)
{
    for (size_t i = 0; i < ft_option_count(arguments, option->name); i++) {
        fprintf(stream, " --%s", option->name);
        if (!option->argument)
            return;
        fputc(' ', stream);
        ft_print_shell_word(ft_option_at(arguments, option->name, i), stream);
    }
}

/* What results do not depend on: where source files were is no part of a page. */
static bool is_left_out(const char *name)
{
    return strcmp(name, "quiet") == 0 || strcmp(name, "sources") == 0;
}

char *ft_command_text(const struct ft_command *command, const struct ft_arguments *arguments)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return NULL;
    fprintf(stream, "foretrace %s", command->name);
    for (size_t i = 0; i < command->option_count; i++)
        if (!is_left_out(command->options[i].name))
            print_option(arguments, &command->options[i], stream);
    if (ft_operands_behind_dashes(arguments) > 0)
        fputs(" --", stream);
    for (size_t i = 0; i < ft_operand_count(arguments); i++) {
        fputc(' ', stream);
        ft_print_shell_word(ft_operands(arguments)[i], stream);
    }
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}
