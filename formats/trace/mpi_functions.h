/*
 * The functions of MPI whose calls a trace describes: what their arguments are, and the details
 * (FT_ESCAPE_DETAIL) that a capture makes of them, the same for all MPI libraries. Names are those
 * of C: the bindings of Fortran call them.
 */
#ifndef FT_FORMATS_TRACE_MPI_FUNCTIONS_H
#define FT_FORMATS_TRACE_MPI_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ft_mpi_class {
    FT_MPI_POINT_TO_POINT,
    FT_MPI_COMPLETION, /* waits and tests */
    FT_MPI_START,      /* of persistent requests */
    FT_MPI_COLLECTIVE,
    FT_MPI_COMMUNICATOR,
    FT_MPI_DATATYPE,
    FT_MPI_ENVIRONMENT,
    FT_MPI_FILE, /* of MPI's I/O */
    FT_MPI_OTHER /* known by name only */
};

/* A letter for each argument of the C function, in their order:
 *     b B  buffer that is sent from, received into      n    number of elements
 *     m    number of entries of the arrays behind it    t    datatype
 *     v V  array of numbers: their sum counts, product  u    array of datatypes
 *     d s  destination, source                          g h  tag of what is sent, received
 *     c    communicator                                 k    root
 *     q Q  request that is made, that is used           w    array of requests
 *     S a  status, array of statuses                    F    flag that is returned
 *     I N A index, number, indices of what is completed C    communicator that is made
 *     l y  colour and key of a split                    R Z  rank and size that are returned
 *     T    datatype that is made                        e G  group that is used, that is made
 *     i r  array of ranks, of ranges of ranks           p o  array of parts, wraps of a grid
 *     f    flag: ranks may be reordered                 D    array: directions that are kept
 *     j    type of a split                              z H  file that is used, that is made
 *     O    offset in a file                             J    address of a file that is used
 *     x    anything else */
struct ft_mpi_function {
    const char *name;
    const char *arguments;
    uint8_t class; /* enum ft_mpi_class */
};

/* The function of this name in a symbol table ("MPI_Send", "PMPI_Send"); NULL: not one whose
 * arguments are known. */
const struct ft_mpi_function *ft_mpi_function_find(const char *name);
/* Whether it is the name of a function of MPI in C, known or not. */
bool ft_mpi_is_name(const char *name);
/* Whether a function whose arguments are not known talks to no other rank: MPI_Info_create. */
bool ft_mpi_is_local(const char *name);

/* Keys of details. Ranks are those in the communicator: 0 is MPI_PROC_NULL, 1 any, 2 rank 0. Tags:
 * 0 is any, 1 tag 0. Bytes follow from counts and datatypes. */
enum ft_mpi_key {
    FT_MPI_KEY_COMMUNICATOR = 1, /* 0 none; or one of those below */
    FT_MPI_KEY_DESTINATION,
    FT_MPI_KEY_SOURCE,
    FT_MPI_KEY_SENT_TAG,
    FT_MPI_KEY_RECEIVED_TAG,
    FT_MPI_KEY_SENT_BYTES,
    FT_MPI_KEY_RECEIVED_BYTES, /* room for; what came is matched */
    FT_MPI_KEY_REQUEST,        /* the program's handle: of a call that makes one, or of those that a
                                  call uses, in order */
    FT_MPI_KEY_ROOT,
    FT_MPI_KEY_NEW_COMMUNICATOR,
    FT_MPI_KEY_COLOUR,         /* 0 undefined, 1 colour 0 */
    FT_MPI_KEY_ORDER,          /* the key of a split, zigzag: 2n, or -2n - 1 where negative */
    FT_MPI_KEY_COMPLETED,      /* position of a request that is completed, among those used */
    FT_MPI_KEY_ALL_DONE,       /* all are completed */
    FT_MPI_KEY_MATCHED_SOURCE, /* these three from a status, of each completed request */
    FT_MPI_KEY_MATCHED_TAG,
    FT_MPI_KEY_MATCHED_BYTES,
    FT_MPI_KEY_RANK,
    FT_MPI_KEY_SIZE,
    FT_MPI_KEY_SENT_PART,     /* bytes to each rank of the communicator, where they differ */
    FT_MPI_KEY_RECEIVED_PART, /* from each */
    FT_MPI_KEY_UNKNOWN_BYTES, /* a number of elements whose datatype is not known */
    FT_MPI_KEY_PARTS,         /* of a grid: for each direction */
    FT_MPI_KEY_WRAPS,         /* 1: around the ends */
    FT_MPI_KEY_MAY_REORDER,
    FT_MPI_KEY_KEPT,      /* for each direction of the grid: 1 where a part of it keeps it */
    FT_MPI_KEY_GROUP,     /* that a call uses: 0 none; or one of those below */
    FT_MPI_KEY_NEW_GROUP, /* the same */
    FT_MPI_KEY_GROUP_RANK,
    FT_MPI_KEY_GROUP_RANGE, /* three for each range: first, last, stride in zigzag */
    FT_MPI_KEY_FILE,        /* 0: not known; from 1 in the order of opening them */
    FT_MPI_KEY_NEW_FILE,
    FT_MPI_KEY_OFFSET, /* in a file, in units of its view */
    FT_MPI_KEY_END
};

#define FT_MPI_NOBODY 0U
#define FT_MPI_ANY    1U

/* Numbers of communicators. */
#define FT_MPI_WORLD                1U
#define FT_MPI_SELF                 2U
#define FT_MPI_FIRST_MADE           3U          /* those that the process took part in making */
#define FT_MPI_UNKNOWN_COMMUNICATOR 0x80000000U /* from here on: of which it is not known */

/* Numbers of groups. */
#define FT_MPI_NO_GROUP         0U
#define FT_MPI_EMPTY_GROUP      1U
#define FT_MPI_FIRST_GROUP_MADE 2U
#define FT_MPI_UNKNOWN_GROUP    0x80000000U /* from here on */

/* Whether all ranks of a file's communicator make this call of MPI's I/O together. */
bool ft_mpi_file_call_is_collective(const char *name);

/* The name of a key in text and JSON. */
const char *ft_mpi_key_name(uint64_t key);

#endif
