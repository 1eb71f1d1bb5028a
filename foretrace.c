/*
 * The front door. `capture` is here, with the few libraries that it needs: a program that is over
 * at once is captured in a few times what loading all of them takes. Every other command is in a
 * module, which is searched for beside the executable, as built, and where it was installed.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "formats/base/program_folder.h"
#include "formats/cli/commands.h"
#include "formats/commands/trace_operand.h"

/* NULL, with a message, where it cannot be loaded. */
static ft_commands_function *load_commands(void)
{
    char path[PATH_MAX];
    if (!ft_beside_program(FT_COMMANDS_MODULE, path) &&
        !ft_beside_program("../" FT_COMMANDS_FOLDER_BELOW "/" FT_COMMANDS_MODULE, path))
        snprintf(path, sizeof path, "%s/%s", FT_COMMANDS_FOLDER, FT_COMMANDS_MODULE);
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL); /* up to the end of the process */
    const char *reason = library ? NULL : dlerror();
    ft_commands_function *function = NULL;
    if (library)
        *(void **)&function = dlsym(library, FT_COMMANDS_SYMBOL);
    if (!function)
        fprintf(
            stderr,
            "foretrace: %s; it holds all commands but capture: install foretrace again, whole\n",
            reason ? reason : path);
    return function;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], ft_capture_command.name) == 0)
        return ft_stdout_finish_code(ft_command_main(&ft_capture_command, argc - 1, argv + 1));
    ft_commands_function *commands = load_commands();
    return commands ? commands(argc, argv) : ft_exit_code(FT_ERROR_FAILURE);
}
