/*
 * What ranks.c takes from the module that is linked with MPI. A module of its own: only `--mpi`
 * loads it, no other command pays for MPI's libraries.
 */
#ifndef FT_ENGINE_REUSE_MPI_RANKS_MODULE_H
#define FT_ENGINE_REUSE_MPI_RANKS_MODULE_H

#include <stddef.h>

/* Any MPI failure ends all processes, with MPI's own message. */
struct ft_ranks_module {
    void (*begin)(unsigned *ret_number, unsigned *ret_count);
    void (*end)(void);
    void (*send)(unsigned to, const void *bytes, size_t size);
    /* As many bytes as are sent. Sleeps while it waits: ranks may share processors. */
    void (*receive)(unsigned from, void *bytes, size_t size);
};

/* The module's one symbol. */
#define FT_RANKS_MODULE_SYMBOL "ft_ranks_module"
extern const struct ft_ranks_module ft_ranks_module;

#endif
