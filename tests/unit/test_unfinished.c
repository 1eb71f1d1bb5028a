/* Files that a signal finds half written are removed, and the process ends by the signal; those of
 * a process that ignores it are finished. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/base/hdf5_output.h"
#include "formats/base/result_file.h"
#include "formats/base/sealed_file.h"
#include "formats/cli/text_output.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

static int signal_now;

/* In the middle of a file: it is there by then. */
static void interrupt(void)
{
    if (access("file.partial", F_OK) != 0)
        _exit(99);
    (void)raise(signal_now);
}

static int write_contents(hid_t root, const void *contents, struct ft_diag *diag)
{
    (void)root;
    (void)contents;
    (void)diag;
    interrupt();
    return FT_OK;
}

static int write_result(void)
{
    return ft_result_file_write("file", "test", 1, write_contents, NULL, NULL);
}

static int write_text(void)
{
    struct ft_text_output output;
    int status = ft_text_output_create("file", &output, NULL);
    if (status != FT_OK)
        return status;
    interrupt();
    return ft_text_output_finish(&output, FT_OK, NULL);
}

static int write_sealed(void)
{
    struct ft_sealed_output *output;
    int status = ft_sealed_output_create("file", "test", 1, &output, NULL);
    if (status != FT_OK)
        return status;
    interrupt();
    status = ft_sealed_output_finish(output, NULL);
    ft_sealed_output_destroy(output);
    return status;
}

/* After a file that was finished, and one that failed, nothing is left to be removed. */
static int write_twice(void)
{
    int after = signal_now, status;
    struct ft_text_output output;
    signal_now = 0;
    status = write_text();
    if (status == FT_OK)
        status = ft_text_output_create("file", &output, NULL);
    if (status != FT_OK || ft_text_output_finish(&output, FT_ERROR_IO, NULL) != FT_ERROR_IO)
        return FT_ERROR_IO;
    FILE *stream = fopen("file.partial", "we"); /* somebody else's by now */
    if (!stream)
        return FT_ERROR_IO;
    (void)fclose(stream);
    (void)raise(after);
    return FT_OK;
}

/* Its wait status. The child's files are in the temporary folder. */
static int run(int (*write_file)(void), int signal, void (*action)(int))
{
    int ended = 0;
    pid_t child = fork();
    if (child == 0) {
        (void)sigaction(signal, &(struct sigaction){.sa_handler = action}, NULL);
        signal_now = signal;
        _exit(write_file() == FT_OK ? 0 : 98);
    }
    return child > 0 && waitpid(child, &ended, 0) == child ? ended : -1;
}

static void check(const char *what, int (*write_file)(void))
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        int ended = run(write_file, ending[i], SIG_DFL);
        tap_ok(WIFSIGNALED(ended) && WTERMSIG(ended) == ending[i], "%s: signal %d ends it", what,
               ending[i]);
        tap_ok(access("file", F_OK) != 0 && access("file.partial", F_OK) != 0,
               "%s: and nothing is left", what);
    }
    int ended = run(write_file, SIGHUP, SIG_IGN);
    tap_ok(WIFEXITED(ended) && WEXITSTATUS(ended) == 0 && access("file", F_OK) == 0 &&
               access("file.partial", F_OK) != 0,
           "%s: one that is ignored does not", what);
    (void)unlink("file");
}

int main(void)
{
    enter_temporary_folder();
    check("a result", write_result);
    check("a text", write_text);
    check("a sealed file", write_sealed);
    int ended = run(write_twice, SIGTERM, SIG_DFL);
    tap_ok(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGTERM, "a signal afterwards ends it");
    tap_ok(access("file", F_OK) == 0, "what was finished stays");
    tap_ok(access("file.partial", F_OK) == 0, "what it did not write stays");
    return tap_plan_done();
}
