/*
 * The front door: a table of subcommands, each of which lives in the folder of its stage.
 */
#include <stdio.h>
#include <string.h>

#include "formats/base/options.h"
#include "formats/commands.h"

static const struct ft_command *const commands[] = {
    &ft_info_command,
};

static void print_commands(FILE *stream)
{
    fputs("usage: foretrace COMMAND [options] ...\n"
          "\n"
          "capture a program once, analyse the trace many times\n"
          "\n",
          stream);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(stream, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n'foretrace COMMAND --help' tells what a command takes\n", stream);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_commands(stderr);
        return 2;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_commands(stdout);
        return 0;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i]->name) == 0)
            return ft_command_main(commands[i], argc - 1, argv + 1);
    fprintf(stderr, "foretrace: there is no command '%s'; 'foretrace --help' lists them\n", argv[1]);
    return 2;
}
