/*
 * The interface of the module that is linked with MPI. Only `--mpi` loads it, so no other command
 * pays for the MPI libraries.
 */
#ifndef FT_ENGINE_REUSE_MPI_RANKS_MODULE_H
#define FT_ENGINE_REUSE_MPI_RANKS_MODULE_H

#include <stddef.h>

/* Any MPI failure ends all processes, with MPI's own message. */
struct ft_ranks_module {
    void (*begin)(unsigned *ret_number, unsigned *ret_count);
    void (*end)(void);
    void (*send)(unsigned to, const void *bytes, size_t size);
    /* Receives as many bytes as were sent. Sleeps while it waits, because ranks may share cores. */
    void (*receive)(unsigned from, void *bytes, size_t size);
};

/* The module's one symbol. */
#define FT_RANKS_MODULE_SYMBOL "ft_ranks_module"
extern const struct ft_ranks_module ft_ranks_module;

#endif
