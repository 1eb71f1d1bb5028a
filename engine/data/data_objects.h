/*
 * The data of a program as a programmer names it: variables, blocks of the heap by the place that
 * allocated them, mappings by the place that made them, stack frames by routine, and what is left.
 * Objects are numbered in the order in which they are first asked for; [0] is what is unknown.
 *
 * An allocation site is the function that was called, and the calls that led to it up to
 * `callers` routines of the program, inlined ones among them. Calls inside the module that the
 * function is in (strdup's of malloc) and inside the C++ library's templates are skipped, so
 * that the place is one of whoever asked for the memory. One thread at a time.
 */
#ifndef FT_ENGINE_DATA_DATA_OBJECTS_H
#define FT_ENGINE_DATA_DATA_OBJECTS_H

#include "engine/data/call_stack.h"
#include "formats/trace/trace.h"

enum ft_data_kind {
    FT_DATA_UNKNOWN,
    FT_DATA_VARIABLE,
    FT_DATA_HEAP,    /* blocks of allocation functions */
    FT_DATA_MAPPING, /* memory of mmap in no block */
    FT_DATA_BREAK,   /* memory of brk in no block */
    FT_DATA_STACK,
    FT_DATA_MODULE, /* of a module, without a name */
    FT_DATA_CODE,   /* instructions, where fetches are looked at */
    FT_DATA_KINDS
};
/* "unknown", "variable", "heap" ... */
extern const char *const ft_data_kind_names[FT_DATA_KINDS];

struct ft_data_object {
    uint8_t kind;    /* enum ft_data_kind */
    char *name;      /* "counts", "malloc: read_all (io.c:12) < main (main.c:30)", "main" */
    uint32_t module; /* of variables, stack frames and nameless parts; else FT_NO_MODULE */
    char *file;      /* variables: where it is declared; "" where unknown */
    uint32_t line;
    uint64_t offset;            /* variables: in the module */
    uint64_t bytes;             /* variables: size; blocks and mappings: of all together */
    uint64_t blocks;            /* heap, mappings: how many there were */
    uint64_t live_bytes;        /* heap, mappings: now */
    uint64_t most_live_bytes;   /* at a time */
    uint64_t least_block_bytes; /* of one */
    uint64_t most_block_bytes;
};

#define FT_DATA_CALLERS     2 /* unless asked otherwise */
#define FT_DATA_CALLERS_MAX 16

struct ft_data_objects;
/* callers: at least 1. The trace must outlive the objects. */
int ft_data_objects_create(const struct ft_trace *trace, unsigned callers,
                           struct ft_data_objects **ret_objects, struct ft_diag *diag);
void ft_data_objects_destroy(struct ft_data_objects *objects);
size_t ft_data_object_count(const struct ft_data_objects *objects);
/* Until the next one is added. */
struct ft_data_object *ft_data_object(const struct ft_data_objects *objects, uint32_t object);

/* Figures of blocks and mappings start again, as before a further walk. */
void ft_data_objects_forget_blocks(struct ft_data_objects *objects);

/* Each finds the object or adds it. */
int ft_data_variable(struct ft_data_objects *objects, uint32_t module, size_t variable,
                     uint32_t *ret_object, struct ft_diag *diag);
/* What has no name in a module. */
int ft_data_module_rest(struct ft_data_objects *objects, uint32_t module, uint32_t *ret_object,
                        struct ft_diag *diag);
/* The code of a module, or of none (FT_NO_MODULE). */
int ft_data_code(struct ft_data_objects *objects, uint32_t module, uint32_t *ret_object,
                 struct ft_diag *diag);
/* The frames of the routine that has code at pc. */
int ft_data_frame(struct ft_data_objects *objects, uint64_t pc, uint32_t *ret_object,
                  struct ft_diag *diag);
/* What is above all frames: arguments, environment, callers that were not recorded. */
int ft_data_stack_rest(struct ft_data_objects *objects, uint32_t *ret_object, struct ft_diag *diag);
int ft_data_break(struct ft_data_objects *objects, uint32_t *ret_object, struct ft_diag *diag);
/* Blocks that `function` (FT_DATA_HEAP), or mappings that the kernel ("mmap") gave to these calls.
 */
int ft_data_site(struct ft_data_objects *objects, enum ft_data_kind kind, const char *function,
                 const struct ft_call_stack *stack, uint32_t *ret_object, struct ft_diag *diag);

#endif
