/*
 * The table of subcommands, each of which lives in the folder of its stage.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "formats/base/closest_name.h"
#include "formats/base/memory.h"
#include "formats/cli/commands.h"
#include "formats/cli/completion.h"
#include "formats/cli/pager.h"
#include "formats/cli/terminal.h"
#include "formats/commands/trace_operand.h"
#include "predict/commands/table/versions.h"

static const struct ft_command *const commands[] = {
    &ft_archive_command,   &ft_bandwidth_command, &ft_capture_command,    &ft_diff_command,
    &ft_dump_command,      &ft_explain_command,   &ft_export_command,     &ft_fit_command,
    &ft_footprint_command, &ft_import_command,    &ft_info_command,       &ft_machine_command,
    &ft_model_command,     &ft_plan_command,      &ft_predict_command,    &ft_query_command,
    &ft_ranks_command,     &ft_replay_command,    &ft_report_command,     &ft_simulate_command,
    &ft_structure_command, &ft_study_command,     &ft_synthesise_command, &ft_verify_command,
};

static void print_commands(FILE *stream)
{
    fputs("usage: foretrace COMMAND [options] ...\n"
          "       foretrace help COMMAND\n"
          "       foretrace completion bash | zsh | fish\n"
          "       foretrace --version\n"
          "\n"
          "capture a program once, analyse the trace many times\n"
          "\n",
          stream);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        ft_print_wrapped(stream, 13, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n'foretrace help COMMAND' shows the options of a command\n", stream);
}

/* NULL, with a message, where there is no such command. */
static const struct ft_command *find_command(const char *name)
{
    struct ft_closest_name closest = {.wanted = name};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i];
        ft_closest_name_try(&closest, commands[i]->name);
    }
    if (closest.name)
        fprintf(stderr, "foretrace: unknown command '%s'; did you mean '%s'?\n", name,
                closest.name);
    else
        fprintf(stderr, "foretrace: unknown command '%s'; 'foretrace --help' lists them\n", name);
    return NULL;
}

static int write_completion(int argc, char **argv)
{
    struct ft_diag diag;
    if (argc != 3) {
        fputs("usage: foretrace completion bash | zsh | fish\n", stderr);
        return 2;
    }
    if (ft_completion_write(stdout, argv[2], commands, sizeof commands / sizeof *commands, &diag) ==
        FT_OK)
        return 0;
    fprintf(stderr, "foretrace: %s\n", diag.message);
    return ft_exit_code(diag.status);
}

int ft_commands_main(int argc, char **argv)
{
    if (argc < 2) {
        print_commands(stderr);
        return 2;
    }
    const bool is_help = strcmp(argv[1], "help") == 0;
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || (is_help && argc == 2)) {
        print_commands(stdout);
        return ft_stdout_finish_code(0);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        ft_versions_print();
        return ft_stdout_finish_code(0);
    }
    if (strcmp(argv[1], "completion") == 0)
        return ft_stdout_finish_code(write_completion(argc, argv));
    const struct ft_command *command = find_command(argv[is_help ? 2 : 1]);
    if (!command)
        return 2;
    if (is_help) {
        char *help[] = {argv[2], "--help", NULL};
        ft_pager_start();
        const int code = ft_stdout_finish_code(ft_command_main(command, 2, help));
        ft_pager_finish();
        return code;
    }
    /* Programs that are captured shall have what they would have had. (foretrace.c runs capture.)
     */
    if (command != &ft_study_command) {
        ft_memory_limit();
        ft_pager_start();
    }
    const int code = ft_stdout_finish_code(ft_command_main(command, argc - 1, argv + 1));
    ft_pager_finish();
    return code;
}
