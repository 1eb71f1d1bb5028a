/*
 * Variables that influence what a program or its libraries do, by prefixes of their names: number
 * and placement of threads, what the loader loads, how the allocator works, job and rank, locale.
 * Whatever sounds like a secret is left out.
 */
#include <string.h>

#include "trace-capture/host/host_description.h"

/* A name that ends with _ is a prefix; others match exactly. docs/trace-format.md has the same
 * list. */
static const char *const wanted[] = {
    /* OpenMP and threads */
    "OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_", "GOTO_", "BLIS_", "TBB_", "NUMEXPR_",
    /* loader and C library */
    "LD_", "GLIBC_TUNABLES", "MALLOC_", "TCMALLOC_", "GCONV_PATH", "TZ", "LANG", "LANGUAGE", "LC_",
    "POSIXLY_CORRECT",
    /* MPI */
    "OMPI_", "PMIX_", "PMI_", "PRTE_", "MPI_", "MPICH_", "HYDRA_", "I_MPI_", "MV2_", "UCX_", "FI_",
    /* batch systems */
    "SLURM_", "PBS_", "LSB_", "SGE_", "FLUX_", "PALS_",
    /* interpreters, and where programs are searched */
    "PATH", "PYTHONHASHSEED", "PYTHONMALLOC", "GOGC", "GOMAXPROCS", "GODEBUG", "JULIA_NUM_THREADS"};

static const char *const secret[] = {"TOKEN", "KEY",  "SECRET",  "PASS",  "CREDENTIAL",
                                     "AUTH",  "JWT",  "COOKIE",  "NONCE", "CERT",
                                     "SIGN",  "PRIV", "SECURITY"};

static bool is_wanted(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof secret / sizeof *secret; i++)
        if (memmem(name, length, secret[i], strlen(secret[i])))
            return false;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        size_t whole = strlen(wanted[i]);
        bool is_beginning = wanted[i][whole - 1] == '_';
        if (length >= whole && memcmp(name, wanted[i], whole) == 0 &&
            (is_beginning || length == whole))
            return true;
    }
    return false;
}

bool ft_environment_describe(const char *environment, size_t bytes, struct ft_capture_host *host)
{
    for (size_t at = 0; at < bytes;) {
        const char *variable = environment + at;
        size_t length = strnlen(variable, bytes - at), name_length = strcspn(variable, "=");
        char name[256];
        at += length + 1;
        if (name_length >= length || name_length >= sizeof name ||
            !is_wanted(variable, name_length))
            continue;
        memcpy(name, variable, name_length);
        name[name_length] = 0;
        if (!ft_capture_host_variable(host, name, variable + name_length + 1))
            return false;
    }
    return true;
}
