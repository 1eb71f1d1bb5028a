/*
 * The calls of MPI in a trace, in order: each thread's one behind the other. What is between two
 * calls of a thread is computation; its length is in instructions.
 */
#ifndef FT_FORMATS_TRACE_MPI_TIMELINE_H
#define FT_FORMATS_TRACE_MPI_TIMELINE_H

#include "formats/trace/mpi_functions.h"
#include "formats/trace/trace.h"

struct ft_mpi_call {
    const char *name;                       /* "MPI_Send"; the trace's */
    const struct ft_mpi_function *function; /* NULL: known by name only */
    uint32_t thread;
    bool has_returned;
    int32_t result;
    uint64_t instructions;             /* that the thread had executed before it */
    size_t first_detail, detail_count; /* in details: pairs of a key and a value */
};

/* What reads or writes a file (or terminal, or pipe: which is not known): a system call outside of
 * calls of MPI, or a call of MPI. */
struct ft_file_access {
    uint32_t thread;
    bool writes;
    uint64_t bytes;
    uint64_t instructions; /* that the thread had executed before it */
};

struct ft_mpi_timeline {
    struct ft_mpi_call *calls;
    size_t count, capacity;
    uint64_t *details;
    size_t detail_count, detail_capacity;
    struct ft_file_access *accesses; /* by thread, in order */
    size_t access_count, access_capacity;
    uint64_t instructions;        /* of all threads */
    uint64_t caller_instructions; /* of the thread whose calls these are, or the last of several */
};

/* The trace must outlive it. */
int ft_mpi_timeline_read(struct ft_trace *trace, struct ft_mpi_timeline *ret_timeline,
                         struct ft_diag *diag);
void ft_mpi_timeline_fini(struct ft_mpi_timeline *timeline);

/* The index-th value of a key among details, `count` numbers; false: there are not so many. */
bool ft_mpi_detail_find(const uint64_t *details, size_t count, uint64_t key, size_t index,
                        uint64_t *ret_value);
/* Among those of a call. */
bool ft_mpi_call_detail(const struct ft_mpi_timeline *timeline, const struct ft_mpi_call *call,
                        enum ft_mpi_key key, size_t index, uint64_t *ret_value);

/* Whether it is MPI_Init or MPI_Init_thread. */
bool ft_mpi_call_is_init(const struct ft_mpi_call *call);

/* What a call of MPI's I/O reads or writes: as its status told, else what it asked for. False: it
 * moves nothing. Its instructions are those before the call. */
bool ft_mpi_call_file_access(const struct ft_mpi_timeline *timeline, const struct ft_mpi_call *call,
                             struct ft_file_access *ret_access);

/* A message of a point-to-point call, and what is known of it once it is complete. */
struct ft_mpi_message {
    size_t call;      /* that sends or receives it; of a persistent request the one that made it */
    size_t started;   /* the call that starts it */
    size_t completed; /* that completes it; it may be the same. Where not is_complete: nothing */
    bool is_sent;
    bool is_complete;
    uint64_t communicator, peer, tag; /* as in details: 0 nobody, 1 any, 2 rank 0 ... */
    uint64_t bytes;                   /* of receives that are not known further: room for it */
    bool has_bytes;
};
typedef void ft_mpi_message_visitor(void *context, const struct ft_mpi_message *message);
/* Gives all messages in order of the calls that start them; those to nobody as well. */
int ft_mpi_timeline_messages(const struct ft_mpi_timeline *timeline, ft_mpi_message_visitor *visit,
                             void *context, struct ft_diag *diag);

#endif
