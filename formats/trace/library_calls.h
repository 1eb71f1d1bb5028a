/*
 * Calls of library functions in a log: which functions there are, and how the escapes of a thread's
 * log become calls with arguments and results.
 *
 * An escape CALL stands before the record of a function's first unit, when RSP points at the return
 * address; RETURN stands behind a record that ended with a return. A call is over with the first
 * RETURN at which RSP is 8 more; one whose frame is left otherwise (longjmp) has no result. Signal
 * handlers are kept apart.
 */
#ifndef FT_FORMATS_TRACE_LIBRARY_CALLS_H
#define FT_FORMATS_TRACE_LIBRARY_CALLS_H

#include "formats/codec/log.h"
#include "formats/trace/trace.h"

enum ft_library_class { FT_LIBRARY_ALLOCATION = 1, FT_LIBRARY_MPI };
enum ft_library_result {
    FT_LIBRARY_NO_RESULT,
    FT_LIBRARY_POINTER,
    FT_LIBRARY_STATUS,
    FT_LIBRARY_STORED_POINTER, /* a status; the pointer is stored where the first argument says */
};
#define FT_LIBRARY_ARGUMENTS_MAX 6

struct ft_library_function {
    const char *name; /* with * at the end: all names that begin so */
    uint8_t class, argument_count, result;
};
/* What is known of a function by its name in a symbol table, or NULL. */
const struct ft_library_function *ft_library_function_find(const char *name);

/* The first field of CALL: the function's number, and how many arguments follow. */
static inline uint32_t ft_library_call_head(uint32_t number, unsigned argument_count)
{
    return number << 3 | argument_count;
}

struct ft_library_call {
    const char *name;
    const struct ft_library_function *function; /* NULL: of a later version */
    uint64_t arguments[FT_LIBRARY_ARGUMENTS_MAX];
    unsigned argument_count;
    uint64_t rsp;
    uint64_t begin, end; /* the caller's numbers of the position, such as accesses */
    bool has_result;
    uint64_t result;
    uint64_t *details; /* of MPI: pairs of a key and a value (mpi_functions.h); the tracker's */
    size_t detail_count, detail_capacity; /* numbers in it */
    uint64_t pointer; /* FT_LIBRARY_STORED_POINTER: what was stored, where that was seen; else 0 */
};

/* One thread's calls; the visitor gets each when it is over. */
struct ft_library_tracker;
typedef void ft_library_call_visitor(void *context, const struct ft_library_call *call);
int ft_library_tracker_create(const struct ft_trace *trace, ft_library_call_visitor *visit,
                              void *context, struct ft_library_tracker **ret_tracker,
                              struct ft_diag *diag);
void ft_library_tracker_destroy(struct ft_library_tracker *tracker);
/* The next record; rsp is that behind it. */
int ft_library_tracker_add(struct ft_library_tracker *tracker, const struct ft_record *record,
                           uint64_t rsp, uint64_t position, struct ft_diag *diag);
/* The end of a thread's log: what is open is given without a result. */
void ft_library_tracker_end(struct ft_library_tracker *tracker, uint64_t position);

#endif
