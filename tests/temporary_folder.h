/*
 * A folder for a test's files, made when it is first asked for and removed with all that is in it
 * when the test ends, by a failed assertion or a signal as well.
 */
#ifndef FT_TESTS_TEMPORARY_FOLDER_H
#define FT_TESTS_TEMPORARY_FOLDER_H

#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char temporary_path[4096];
static pid_t temporary_owner; /* children must not remove what is their parent's */

static inline int remove_entry(const char *path, const struct stat *status, int type,
                               struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

static inline void remove_temporary_folder(void)
{
    if (getpid() == temporary_owner)
        nftw(temporary_path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* nftw is not safe in a handler; the test ends here, and at worst the folder stays. */
static inline void remove_temporary_folder_at(int signal_number)
{
    remove_temporary_folder();
    raise(signal_number); /* SA_RESETHAND: the default action now */
}

static inline void remove_temporary_folder_at_signals(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGABRT};
    struct sigaction action = {.sa_handler = remove_temporary_folder_at,
                               .sa_flags = SA_RESETHAND | SA_NODEFER};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        (void)sigaction(ending[i], &action, NULL);
}

/* Its path, of this process's; ends the process where it cannot be made. */
static inline const char *temporary_folder(void)
{
    const char *parent = getenv("TMPDIR");
    if (temporary_path[0])
        return temporary_path;
    snprintf(temporary_path, sizeof temporary_path, "%s/foretrace-test-%ld-XXXXXX",
             parent && *parent ? parent : "/tmp", (long)getpid());
    if (!mkdtemp(temporary_path) || atexit(remove_temporary_folder) != 0) {
        perror(temporary_path);
        exit(99);
    }
    temporary_owner = getpid();
    remove_temporary_folder_at_signals();
    return temporary_path;
}

static inline void enter_temporary_folder(void)
{
    if (chdir(temporary_folder()) != 0) {
        perror(temporary_path);
        exit(99);
    }
}

#endif
