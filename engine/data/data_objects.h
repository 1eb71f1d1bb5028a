/*
 * The data of a program as a programmer would name it: variables, heap blocks and mappings by
 * allocation site, stack frames by routine, and the remainder. Objects are numbered in the order in
 * which they are first seen; object 0 stands for unknown data.
 *
 * An allocation site is the function that was called and the calls that led to it, up to `callers`
 * routines of the program, inlined ones included. Calls within the allocator's module (strdup's of
 * malloc) and within C++ library templates are skipped, so that the site is in the code that asked
 * for the memory. One thread at a time.
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
    FT_DATA_MODULE, /* of a module, without a symbol */
    FT_DATA_CODE,   /* instructions, where fetches are looked at */
    FT_DATA_KINDS
};
/* "unknown", "variable", "heap" ... */
extern const char *const ft_data_kind_names[FT_DATA_KINDS];

struct ft_data_object {
    uint8_t kind;    /* enum ft_data_kind */
    char *name;      /* "counts", "malloc: read_all (io.c:12) < main (main.c:30)", "main" */
    uint32_t module; /* of variables, frames, code and data without a symbol; else FT_NO_MODULE */
    char *file;      /* variables: where it is declared; "" where unknown */
    uint32_t line;
    uint64_t offset;          /* variables: in the module */
    uint64_t bytes;           /* variables: size; blocks and mappings: sum of all */
    uint64_t blocks;          /* heap, mappings: how many were allocated */
    uint64_t live_bytes;      /* heap, mappings: now */
    uint64_t max_live_bytes;  /* at a time */
    uint64_t min_block_bytes; /* of one */
    uint64_t max_block_bytes;
};

#define FT_DATA_CALLERS     2 /* by default */
#define FT_DATA_CALLERS_MAX 16

struct ft_data_objects;
/* callers: at least 1. The trace must outlive the objects. */
int ft_data_objects_create(const struct ft_trace *trace, unsigned callers,
                           struct ft_data_objects **ret_objects, struct ft_diag *diag);
void ft_data_objects_destroy(struct ft_data_objects *objects);
size_t ft_data_object_count(const struct ft_data_objects *objects);
/* Valid until an object is added. */
struct ft_data_object *ft_data_object(const struct ft_data_objects *objects, uint32_t object);

/* Resets the statistics of blocks and mappings, before another walk. */
void ft_data_objects_forget_blocks(struct ft_data_objects *objects);

/* Each of the following finds an object, or adds it. */
int ft_data_variable(struct ft_data_objects *objects, uint32_t module, size_t variable,
                     uint32_t *ret_object, struct ft_diag *diag);
/* Data of a module without a symbol. */
int ft_data_module_rest(struct ft_data_objects *objects, uint32_t module, uint32_t *ret_object,
                        struct ft_diag *diag);
/* The code of a module, or of none (FT_NO_MODULE). */
int ft_data_code(struct ft_data_objects *objects, uint32_t module, uint32_t *ret_object,
                 struct ft_diag *diag);
/* The frames of the routine that has code at pc. */
int ft_data_frame(struct ft_data_objects *objects, uint64_t pc, uint32_t *ret_object,
                  struct ft_diag *diag);
/* The stack above all frames: arguments, environment, callers that were not recorded. */
int ft_data_stack_rest(struct ft_data_objects *objects, uint32_t *ret_object, struct ft_diag *diag);
int ft_data_break(struct ft_data_objects *objects, uint32_t *ret_object, struct ft_diag *diag);
/* Blocks that `function` returned (FT_DATA_HEAP), or mappings made by the kernel ("mmap"), to this
 * call stack. */
int ft_data_site(struct ft_data_objects *objects, enum ft_data_kind kind, const char *function,
                 const struct ft_call_stack *stack, uint32_t *ret_object, struct ft_diag *diag);

#endif
