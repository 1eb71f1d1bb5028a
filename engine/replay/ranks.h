/*
 * The processes of one MPI job that work at one command, each called a rank; rank 0 is the one
 * that prints and writes. All of them call the same functions in the same order.
 */
#ifndef FT_ENGINE_REPLAY_RANKS_H
#define FT_ENGINE_REPLAY_RANKS_H

#include <stddef.h>

#include "formats/base/status.h"

struct ft_ranks_module;
struct ft_ranks {
    const struct ft_ranks_module *module; /* NULL: this process alone, without MPI */
    unsigned number, count;
};

/* Starts MPI. Without mpirun or the like it is one rank. FT_ERROR_UNSUPPORTED where foretrace was
 * built without it. */
int ft_ranks_begin(struct ft_ranks *ranks, struct ft_diag *diag);
void ft_ranks_end(struct ft_ranks *ranks);

/* The failure of the first rank that has one becomes that of all; FT_OK where none has. */
int ft_ranks_agree(const struct ft_ranks *ranks, int status, struct ft_diag *diag);

/* Waits until the other takes it, or refuses it. */
void ft_ranks_send(const struct ft_ranks *ranks, unsigned to, const void *bytes, size_t size);
/* What one ft_ranks_send sends, to be freed. */
int ft_ranks_receive(const struct ft_ranks *ranks, unsigned from, char **ret_bytes,
                     size_t *ret_size, struct ft_diag *diag);
/* Does without what one ft_ranks_send sends. */
void ft_ranks_refuse(const struct ft_ranks *ranks, unsigned from);

#endif
