#include "tests/support/temporary_folder.h"

#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[TEMPORARY_PATH_MAX];
static pid_t owner; /* children must not remove what is their parent's */

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *entry)
{
    (void)status, (void)type, (void)entry;
    return remove(path);
}

static void remove_temporary_folder(void)
{
    if (getpid() == owner)
        nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* nftw is not safe in a handler; the test ends here, and at worst the folder stays. */
static void remove_temporary_folder_at(int signal_number)
{
    remove_temporary_folder();
    raise(signal_number); /* SA_RESETHAND: the default action now */
}

static void remove_temporary_folder_at_signals(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGABRT};
    struct sigaction action = {.sa_handler = remove_temporary_folder_at,
                               .sa_flags = SA_RESETHAND | SA_NODEFER};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        (void)sigaction(ending[i], &action, NULL);
}

const char *temporary_folder(void)
{
    const char *parent = getenv("TMPDIR");
    if (folder[0])
        return folder;
    snprintf(folder, sizeof folder, "%s/foretrace-test-%ld-XXXXXX",
             parent && *parent ? parent : "/tmp", (long)getpid());
    if (!mkdtemp(folder) || atexit(remove_temporary_folder) != 0) {
        perror(folder);
        exit(99);
    }
    owner = getpid();
    remove_temporary_folder_at_signals();
    return folder;
}

void enter_temporary_folder(void)
{
    if (chdir(temporary_folder()) != 0) {
        perror(folder);
        exit(99);
    }
}
