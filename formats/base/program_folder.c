#include "formats/base/program_folder.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool ft_beside_program(const char *below, char ret_path[PATH_MAX])
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0)
        return false;
    program[length] = 0;
    char *slash = strrchr(program, '/');
    if (!slash)
        return false;
    *slash = 0;
    return snprintf(ret_path, PATH_MAX, "%s/%s", program, below) < PATH_MAX &&
           access(ret_path, R_OK) == 0;
}
