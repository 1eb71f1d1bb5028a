/*
 * Only the calling thread survives fork: a lock that another thread held, such as the allocator's,
 * would stay locked in the child. The child may use as much CPU time as reading the file can
 * possibly take, and no more: an endless loop is damage just as a crash is.
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

#include "formats/base/array.h"

#define SECONDS_MIN    20
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
    return SECONDS_MIN + (unsigned)(bytes / BYTES_A_SECOND);
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

/* How a child ended. */
enum ending { CAME_BACK, CRASHED, NEVER_ENDED };

static int run_in_child(const char *path, void (*attempt)(void *context), void *context,
                        enum ending *ret_ending, struct ft_diag *diag)
{
    const unsigned seconds = seconds_for(path);
    pid_t child = fork();
    if (child == 0)
        run_child(seconds, attempt, context);
    if (child < 0)
        return ft_fail(diag, FT_ERROR_IO, "%s: cannot fork a process to read it in: %s", path,
                       strerror(errno));
    int end = 0;
    while (waitpid(child, &end, 0) < 0)
        if (errno != EINTR)
            return ft_fail(diag, FT_ERROR_IO, "%s: cannot wait for the process that reads it: %s",
                           path, strerror(errno));
    if (WIFEXITED(end) && WEXITSTATUS(end) == 0)
        *ret_ending = CAME_BACK;
    else if (WIFSIGNALED(end) && (WTERMSIG(end) == SIGXCPU || WTERMSIG(end) == SIGKILL))
        *ret_ending = NEVER_ENDED;
    else
        *ret_ending = CRASHED;
    return FT_OK;
}

static int judge(const char *path, enum ending ending, struct ft_diag *diag)
{
    switch (ending) {
    case NEVER_ENDED:
        return ft_fail(diag, FT_ERROR_DATA, "%s: damaged: HDF5 never finishes reading it", path);
    case CRASHED:
        return ft_fail(diag, FT_ERROR_DATA, "%s: damaged: HDF5 crashes on it", path);
    default:
        return FT_OK;
    }
}

int ft_hdf5_input_try(const char *path, void (*attempt)(void *context), void *context,
                      struct ft_diag *diag)
{
    enum ending ending = CAME_BACK;
    int status = run_in_child(path, attempt, context, &ending, diag);
    return status ? status : judge(path, ending, diag);
}

/* ---- files that were tried ---- */

struct tried {
    struct stat file;
    void (*attempt)(void *context);
    enum ending ending;
};
static struct tried *tried; /* kept to the end of the process, under the lock */
static size_t tried_count, tried_capacity;

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static const struct tried *find(const struct stat *file, void (*attempt)(void *context))
{
    for (size_t i = 0; i < tried_count; i++)
        if (tried[i].attempt == attempt && is_same_file(&tried[i].file, file))
            return &tried[i];
    return NULL;
}

int ft_hdf5_input_try_once(const char *path, void (*attempt)(void *context), void *context,
                           struct ft_diag *diag)
{
    struct tried new = {.attempt = attempt};
    if (stat(path, &new.file) != 0)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
    const struct tried *known = find(&new.file, attempt);
    if (known)
        return judge(path, known->ending, diag);
    FT_TRY(run_in_child(path, attempt, context, &new.ending, diag));
    if (FT_RESERVE(tried, tried_capacity, tried_count + 1))
        tried[tried_count++] = new;
    return judge(path, new.ending, diag);
}
