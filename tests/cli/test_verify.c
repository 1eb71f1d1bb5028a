/*
 * `foretrace verify` sees what is wrong with a trace even where every checksum is right: traces
 * made to be wrong in one place each, and a good one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/small_trace.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

static int exit_code_of(const char *command_line, const char *path)
{
    char command[1024];
    snprintf(command, sizeof command, "\"$FORETRACE\" %s %s >out 2>&1", command_line, path);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void print_output(void)
{
    char line[1024];
    FILE *out = fopen("out", "r");
    while (out && fgets(line, sizeof line, out))
        printf("# %s", line);
    if (out)
        fclose(out);
}

int main(void)
{
    static const char *const names[SMALL_DAMAGES] = {
        "good",
        "one access too many noted",
        "one instruction too many noted",
        "one access too many in the summary",
        "a loop that ran once less than it was counted",
        "a record missing",
        "a chunk that does not start where the one before ended",
        "a byte of the log changed",
        "a loop that ran 2^60 times",
    };
    enter_temporary_folder();
    for (enum small_damage damage = 0; damage < SMALL_DAMAGES; damage++) {
        struct ft_diag diag = {0};
        if (!tap_ok(small_trace("t.h5", damage, &diag) == FT_OK, "%s: written (%s)", names[damage],
                    diag.message))
            continue;
        int expected = damage == SMALL_GOOD ? 0 : 3;
        int code = exit_code_of("verify", "t.h5");
        print_output();
        tap_ok(code == expected, "%s: exit code %d", names[damage], code);
        code = exit_code_of("verify --thorough", "t.h5");
        tap_ok(code == expected, "%s: step by step: exit code %d", names[damage], code);
        if (damage != SMALL_GOOD && damage != SMALL_ENDLESS)
            continue;
        code = exit_code_of("replay -b 64 -o histograms", "t.h5");
        tap_ok(code == expected, "%s: replay: exit code %d", names[damage], code);
        code = exit_code_of("dump --accesses", "t.h5");
        tap_ok(code == expected, "%s: dump: exit code %d", names[damage], code);
    }
    return tap_plan_done();
}
