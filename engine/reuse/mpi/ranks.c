/*
 * The module with MPI is searched for next to the executable, as built, and where it was installed.
 * Its symbols are global, because Open MPI's plugins need those of MPI.
 *
 * Rank and size from the launcher's environment are trusted until MPI confirms them at the barrier.
 * Every message is a job for the MPI thread, whichever thread sends it.
 */
#include "engine/reuse/mpi/ranks.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/reuse/mpi/mpi_thread.h"
#include "engine/reuse/mpi/ranks_module.h"
#include "formats/base/parse.h"
#include "formats/base/program_folder.h"

#ifdef FT_MPI_MODULE

static int load(const struct ft_ranks_module **ret_module, struct ft_diag *diag)
{
    char path[PATH_MAX];
    if (!ft_beside_program("engine/" FT_MPI_MODULE, path))
        snprintf(path, sizeof path, "%s/%s", FT_MPI_FOLDER, FT_MPI_MODULE);
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* up to the end of the process */
    const char *reason = library ? NULL : dlerror();
    void *symbol = library ? dlsym(library, FT_RANKS_MODULE_SYMBOL) : NULL;
    if (!symbol)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "--mpi: %s; install openmpi-bin, or build foretrace again with "
                       "-Dmpi=enabled (package libopenmpi-dev)",
                       reason ? reason : path);
    *ret_module = symbol;
    return FT_OK;
}

#else

static int load(const struct ft_ranks_module **ret_module, struct ft_diag *diag)
{
    *ret_module = NULL;
    return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                   "--mpi: this foretrace was built without MPI; install the package "
                   "libopenmpi-dev and build it with -Dmpi=enabled");
}

#endif

/* Open MPI's mpirun; srun --mpi=pmix; MPICH's mpirun and srun --mpi=pmi2. */
static const struct {
    const char *number, *count;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"},
    {"PMI_RANK", "PMI_SIZE"},
};

static bool number_in(const char *name, unsigned *ret_number)
{
    const char *text = getenv(name);
    uint64_t number;
    if (!text || !ft_parse_u64(text, &number) || number > UINT32_MAX)
        return false;
    *ret_number = (unsigned)number;
    return true;
}

/* What the launcher says, if it does. */
static bool known_from_launcher(struct ft_ranks *ranks)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (number_in(launchers[i].number, &ranks->number) &&
            number_in(launchers[i].count, &ranks->count) && ranks->number < ranks->count)
            return true;
    return false;
}

int ft_ranks_begin(struct ft_ranks *ranks, struct ft_diag *diag)
{
    const struct ft_ranks_module *module;
    FT_TRY(load(&module, diag));
    FT_TRY(ft_mpi_thread_create(module, &ranks->thread, diag));
    if (!known_from_launcher(ranks) || ranks->count == 1) /* who is alone meets nobody */
        ft_mpi_thread_numbers(ranks->thread, &ranks->number, &ranks->count);
    ranks->module = module;
    return FT_OK;
}

void ft_ranks_end(struct ft_ranks *ranks)
{
    ft_mpi_thread_destroy(ranks->thread);
    ranks->thread = NULL;
    ranks->module = NULL;
}

/* ---- messages ---- */

struct message {
    const struct ft_ranks *ranks;
    bool is_sent;
    unsigned other;
    union {
        const void *sent;
        void *received;
    } bytes;
    size_t size;
};

static void pass_message(void *context)
{
    const struct message *message = context;
    const struct ft_ranks_module *module = message->ranks->module;
    if (message->is_sent)
        module->send(message->other, message->bytes.sent, message->size);
    else
        module->receive(message->other, message->bytes.received, message->size);
}

static void pass(struct message *message)
{
    struct ft_mpi_thread *thread = message->ranks->thread;
    if (ft_mpi_thread_is_mine(thread)) {
        pass_message(message);
        return;
    }
    ft_mpi_thread_start(thread, pass_message, message);
    ft_mpi_thread_wait(thread);
}

static void send_bytes(const struct ft_ranks *ranks, unsigned to, const void *bytes, size_t size)
{
    pass(&(struct message){ranks, true, to, {.sent = bytes}, size});
}

static void receive_bytes(const struct ft_ranks *ranks, unsigned from, void *bytes, size_t size)
{
    pass(&(struct message){ranks, false, from, {.received = bytes}, size});
}

int ft_mpi_allreduce_status(const struct ft_ranks *ranks, int status, struct ft_diag *diag)
{
    struct ft_diag agreed = *diag;
    agreed.status = status;
    if (ranks->number > 0) {
        send_bytes(ranks, 0, &agreed, sizeof agreed);
        receive_bytes(ranks, 0, &agreed, sizeof agreed);
    } else {
        for (unsigned r = 1; r < ranks->count; r++) {
            struct ft_diag other;
            receive_bytes(ranks, r, &other, sizeof other);
            if (agreed.status == FT_OK)
                agreed = other;
        }
        for (unsigned r = 1; r < ranks->count; r++)
            send_bytes(ranks, r, &agreed, sizeof agreed);
    }
    *diag = agreed;
    return agreed.status;
}

/* First the size, then, where the answer is yes, the bytes. */
void ft_ranks_send(const struct ft_ranks *ranks, unsigned to, const void *bytes, size_t size)
{
    const uint64_t count = size;
    bool is_wanted = false;
    send_bytes(ranks, to, &count, sizeof count);
    receive_bytes(ranks, to, &is_wanted, sizeof is_wanted);
    if (is_wanted)
        send_bytes(ranks, to, bytes, size);
}

int ft_ranks_receive(const struct ft_ranks *ranks, unsigned from, char **ret_bytes,
                     size_t *ret_size, struct ft_diag *diag)
{
    uint64_t count = 0;
    receive_bytes(ranks, from, &count, sizeof count);
    char *bytes = malloc(count + 1);
    const bool is_wanted = bytes != NULL;
    send_bytes(ranks, from, &is_wanted, sizeof is_wanted);
    if (!bytes)
        return ft_fail_memory(diag, "what another rank has replayed");
    receive_bytes(ranks, from, bytes, count);
    *ret_bytes = bytes;
    *ret_size = count;
    return FT_OK;
}

void ft_ranks_refuse(const struct ft_ranks *ranks, unsigned from)
{
    uint64_t count;
    const bool is_wanted = false;
    receive_bytes(ranks, from, &count, sizeof count);
    send_bytes(ranks, from, &is_wanted, sizeof is_wanted);
}

/* ---- the meeting ---- */

/* Whether MPI says what the launcher said; without that there is nobody to talk to. */
static int check_numbers(struct ft_ranks *ranks, struct ft_diag *diag)
{
    unsigned number, count;
    ft_mpi_thread_numbers(ranks->thread, &number, &count);
    if (number == ranks->number && count == ranks->count)
        return FT_OK;
    int status = ft_fail(diag, FT_ERROR_USAGE,
                         "--mpi: the launcher calls this process number %u of %u, and MPI number "
                         "%u of %u: it was started by the launcher of another MPI",
                         ranks->number, ranks->count, number, count);
    ranks->number = 0;
    ranks->count = 1;
    return status;
}

/* It is compared at rank 0. */
static int compare_texts(const struct ft_ranks *ranks, const char *text, struct ft_diag *diag)
{
    int status = FT_OK;
    if (ranks->number > 0) {
        ft_ranks_send(ranks, 0, text, strlen(text));
        return FT_OK;
    }
    for (unsigned r = 1; r < ranks->count; r++) { /* all of them, also after a failure */
        char *other = NULL;
        size_t bytes = 0;
        struct ft_diag here;
        int now = ft_ranks_receive(ranks, r, &other, &bytes, &here);
        if (!now && (bytes != strlen(text) || memcmp(other, text, bytes) != 0))
            now = ft_fail(&here, FT_ERROR_USAGE,
                          "rank %u was started with other options, or finds other traces by these "
                          "names, than rank 0: all need the same",
                          r);
        free(other);
        if (now && !status) {
            status = now;
            *diag = here;
        }
    }
    return status;
}

static void meet(void *context)
{
    struct ft_mpi_barrier_begin *meeting = context;
    struct ft_ranks *ranks = meeting->ranks;
    int status = meeting->status;
    int known = check_numbers(ranks, &meeting->diag);
    if (!known)
        status = ft_mpi_allreduce_status(ranks, status, &meeting->diag);
    if (!known && !status) {
        status = compare_texts(ranks, meeting->text, &meeting->diag);
        status = ft_mpi_allreduce_status(ranks, status, &meeting->diag);
    }
    meeting->status = known ? known : status;
    atomic_store(&meeting->has_failed, meeting->status != FT_OK);
}

void ft_mpi_barrier(struct ft_mpi_barrier_begin *meeting, struct ft_ranks *ranks, int status,
                    const struct ft_diag *diag, const char *text)
{
    meeting->ranks = ranks;
    meeting->text = text;
    meeting->status = status;
    meeting->diag = *diag;
    atomic_init(&meeting->has_failed, false);
    ft_mpi_thread_start(ranks->thread, meet, meeting);
}

int ft_mpi_barrier_end(struct ft_mpi_barrier_begin *meeting, struct ft_diag *diag)
{
    ft_mpi_thread_wait(meeting->ranks->thread);
    *diag = meeting->diag;
    return meeting->status;
}
