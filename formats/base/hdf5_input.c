/*
 * The child is a copy of this process in which only the caller goes on; the lock keeps other
 * threads from leaving HDF5 half-way through a call in it. It may use as much processor time as
 * reading the file can ask for, and no more: a loop without end is damage as a crash is.
 */
#include "formats/base/hdf5_input.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS_LEAST  20
#define BYTES_A_SECOND 2000000 /* far below what HDF5 reads with gzip on a slow machine */
#define SECONDS_IN_ALL 100     /* so many times that, where the machine is busy */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void ft_hdf5_lock(void)
{
    pthread_mutex_lock(&lock);
}

void ft_hdf5_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

hid_t ft_hdf5_input_open(const char *path)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* errors are told through ft_diag, never printed */
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_metadata_read_attempts(access, 3);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, false, true);
#endif
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return file;
}

static unsigned seconds_for(const char *path)
{
    struct stat file;
    uint64_t bytes = stat(path, &file) == 0 ? (uint64_t)file.st_size : 0;
    return SECONDS_LEAST + (unsigned)(bytes / BYTES_A_SECOND);
}

static void run_child(unsigned seconds, void (*attempt)(void *context), void *context)
{
    const struct rlimit no_core = {0, 0}, processor_time = {seconds, seconds};
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_CPU, &processor_time);
    alarm(seconds * SECONDS_IN_ALL);
    attempt(context);
    _exit(0);
}

int ft_hdf5_input_try(const char *path, void (*attempt)(void *context), void *context,
                      struct ft_diag *diag)
{
    unsigned seconds = seconds_for(path);
    /* At its start HDF5 asks to be called at exit, which takes a lock: in the child it would stay
     * locked for ever where another thread, such as MPI's, had it at the fork. */
    if (H5open() < 0)
        return ft_fail(diag, FT_ERROR_FAILURE, "HDF5 cannot be started");
    pid_t child = fork();
    if (child == 0)
        run_child(seconds, attempt, context);
    if (child < 0)
        return ft_fail(diag, FT_ERROR_IO, "%s: no process to try it in: %s", path, strerror(errno));
    int end = 0;
    while (waitpid(child, &end, 0) < 0)
        if (errno != EINTR)
            return ft_fail(diag, FT_ERROR_IO, "%s: the process to try it in is lost: %s", path,
                           strerror(errno));
    if (WIFSIGNALED(end) && (WTERMSIG(end) == SIGXCPU || WTERMSIG(end) == SIGKILL))
        return ft_fail(diag, FT_ERROR_DATA, "%s: damaged: HDF5 does not come to an end with it",
                       path);
    if (!WIFEXITED(end) || WEXITSTATUS(end) != 0)
        return ft_fail(diag, FT_ERROR_DATA, "%s: damaged: HDF5 crashes on it", path);
    return FT_OK;
}
