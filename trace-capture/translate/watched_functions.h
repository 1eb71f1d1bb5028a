/*
 * Functions whose calls are logged, found by name in mapped modules: those of memory allocation and
 * of MPI. A translation that begins at one of the former logs its arguments as an escape before its
 * own record; one that ends with a return from such a function logs RAX after its record. Readers
 * match the two by RSP (formats/trace/library_calls.h). One that begins at a function of MPI stops
 * (tracer/communication.h).
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_WATCHED_FUNCTIONS_H
#define FT_TRACE_CAPTURE_TRANSLATE_WATCHED_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"
#include "trace-capture/modules/module_builder.h"
#include "trace-capture/translate/emit_x86_64.h"

struct ft_watched_function {
    uint64_t pc;
    uint32_t module, number; /* number: from 1, as in the trace */
    uint8_t argument_count;
    bool stops;                        /* the host logs the call: one of MPI */
    const struct ft_mpi_function *mpi; /* NULL where that is known by name only */
};

struct ft_watched_range {
    uint64_t start, end;
    uint32_t module;
};

/* A module with watched functions. */
struct ft_watched_module {
    uint32_t module;
    uint64_t bias, start, end;           /* of its code in the program */
    struct ft_symbol_candidates extents; /* of its routines, by start */
    /* Addresses of pointers through which functions with results jump, in a stub: they are set when
     * the module is relocated, and followed when their target is translated. */
    uint64_t slots[16];
    unsigned slot_count;
};

/* MPI: the functions of libraries that are named like one, or those of all modules. */
enum ft_watch_mpi { FT_WATCH_NO_MPI, FT_WATCH_MPI_LIBRARIES, FT_WATCH_MPI_EVERYWHERE };

struct ft_watch {
    bool allocations;
    enum ft_watch_mpi mpi;
};

/* The MPI library that was found: one with Open MPI's objects, whose addresses these are, or one of
 * MPICH's ABI. */
struct ft_mpi_library {
    bool is_openmpi;
    uint64_t world, self, null;
    uint64_t empty_group, null_group;
};

struct ft_watched_functions {
    struct ft_watch wanted;
    struct ft_watched_function *functions;
    size_t function_count, function_capacity;
    struct ft_watched_range *returns; /* code whose returns return results */
    size_t return_count, return_capacity;
    struct ft_watched_module *modules;
    size_t module_count, module_capacity;
    uint32_t numbered;
    struct ft_mpi_library mpi_library;
    char *program_path; /* of the first module, whose copies of a library's objects count */
    uint64_t program_bias;
};

void ft_watched_fini(struct ft_watched_functions *watched);

/* Whether all code is known whose returns return results. If not, some is found when it is
 * translated, which must not happen before the program has relocated the pointers to it. */
bool ft_watched_returns_known(const struct ft_watched_functions *watched);
/* The function that begins at pc, or NULL; and whether a return at pc may be of one. */
const struct ft_watched_function *ft_watched_find(const struct ft_watched_functions *watched,
                                                  uint64_t pc, uint32_t module);
bool ft_watched_returns(const struct ft_watched_functions *watched, uint64_t pc, uint32_t module);

/* Emit the escapes at the log pointer in r11, and advance it. */
void ft_watched_emit_call(struct ft_emitter *emitter, const struct ft_watched_function *function);
void ft_watched_emit_return(struct ft_emitter *emitter);

#endif
