/*
 * The scope tree of a program: Program - Module - Routine - Loop (- Loop ...), and the basic
 * blocks, edges and references in it. Made by engine/program, stored with every histogram and
 * model file, so that neither fit nor predict opens a trace.
 *
 * All arrays are owned by struct ft_scopes. Scope 0 is the program. Parents come before children.
 * Names are owned 0-terminated texts; "unknown" stands only where the trace has no information.
 */
#ifndef FT_FORMATS_SCOPES_SCOPES_H
#define FT_FORMATS_SCOPES_SCOPES_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/source_files.h"
#include "formats/base/status.h"
#include "formats/scopes/load_class.h"
#include "formats/x86/instruction.h"

enum ft_scope_kind { FT_SCOPE_PROGRAM, FT_SCOPE_MODULE, FT_SCOPE_ROUTINE, FT_SCOPE_LOOP };
extern const char *const ft_scope_kind_names[4]; /* "program", "module", "routine", "loop" */

struct ft_scope {
    uint32_t parent;    /* index; the program is its own parent */
    uint32_t module;    /* index into modules, FT_NO_MODULE for the program */
    uint8_t kind;       /* enum ft_scope_kind */
    uint8_t loop_depth; /* loops: 1 for an outermost loop; else 0 */
    char *name;         /* module: file name; routine: demangled name; loop: "loop at FILE:LINE" */
    char *file;         /* source file; "" where unknown */
    uint32_t first_line, last_line;    /* 0 where unknown */
    uint64_t start_offset, end_offset; /* routines: extent in the module; loops: header's offset and
                                          the end of the last block */
    uint64_t entry_count;     /* loops: entries from outside; routines: calls, as far as seen */
    uint64_t iteration_count; /* loops: executions of the header */
};

/* An inlined call around a loop: the loop was written in a routine that stands here in another. */
struct ft_inlined_call {
    uint32_t scope;     /* a loop */
    uint32_t call_line; /* 0 where unknown */
    char *name;         /* of the inlined routine, demangled */
    char *call_file;    /* where it is called */
};

struct ft_block {   /* a basic block: no jump into its middle was ever taken */
    uint32_t scope; /* the innermost scope that it belongs to */
    uint32_t module;
    uint64_t offset; /* of its first instruction */
    uint32_t code_bytes;
    uint32_t instruction_count;
    uint64_t execution_count;
    uint16_t mix[FT_MIX_COUNT]; /* its instructions by class; loads and stores counted besides the
                                   operation that makes them */
    uint32_t flops;             /* floating-point operations an execution */
};

/* Executions of the branch that ends a block, in parts of a run, on a simulated predictor. */
struct ft_block_prediction {
    uint64_t branches, mispredictions;
};

struct ft_block_edge {
    uint32_t from, to; /* blocks */
    uint64_t count;
};

/* A reference in its place. One entry for each reference of the run source, same order. */
struct ft_scoped_reference {
    uint64_t offset; /* of the instruction in its module */
    uint32_t module;
    uint32_t scope; /* innermost */
    uint32_t block;
    uint32_t group; /* references of one scope that move alike; numbered from 0 */
    uint32_t size_bytes;
    uint32_t line; /* 0 where unknown */
    uint8_t access_index;
    uint8_t kind; /* enum ft_access_kind */
};

/* How the references of a group move, and where. */
struct ft_scoped_group {
    char *strides;   /* " irregular 8?*8 8": outermost loop first, what is no number is "?" */
    uint8_t storage; /* what they touch: enum ft_storage of the structure */
};
#define FT_STORAGE_KINDS 3

struct ft_scope_module {
    char *name; /* file name without directories */
    char *path;
    char build_id[129]; /* hex; SHA-256 in hex where there is no build-id; "" without either */
};

struct ft_scopes {
    struct ft_scope_module *modules;
    size_t module_count;
    struct ft_scope *scopes;
    size_t scope_count;
    struct ft_block *blocks;
    size_t block_count;
    struct ft_block_edge *edges;
    size_t edge_count;
    struct ft_scoped_reference *references;
    size_t reference_count;
    uint32_t group_count;
    struct ft_scoped_group *groups;  /* [group_count]; NULL: not known */
    struct ft_inlined_call *inlined; /* scope by scope, outermost first in each */
    size_t inlined_count;
    /* What a core makes of it (predict/); NULL both: not known. */
    uint8_t *code; /* of the blocks, code_bytes of each, one behind the other */
    size_t code_bytes;
    uint8_t *load_classes;                   /* [reference]: enum ft_load_class */
    struct ft_block_prediction *predictions; /* [block]; NULL: not known */
    uint64_t *remapped_pages; /* [scope], exclusive: first touches of pages of 4 KiB since they were
                                 mapped again; NULL: none, or not known */
    struct ft_source_files sources; /* of routines and loops, where the trace keeps them */
};

void ft_scopes_fini(struct ft_scopes *scopes);
/* Of everything but the description of groups, the machine code and source files. */
int ft_scopes_copy(const struct ft_scopes *scopes, struct ft_scopes *ret_copy,
                   struct ft_diag *diag);
/* Drops the description of groups, which models do not need. */
void ft_scopes_forget_groups(struct ft_scopes *scopes);
/* Names of routines that no symbol names: what stands for one, and code between them. */
#define FT_NAMELESS_ROUTINE "routine at 0x"
#define FT_NAMELESS_CODE    "unknown at 0x"
#define FT_NAMELESS         "unknown"
bool ft_scope_is_nameless(const struct ft_scope *scope);
/* The routine that a scope is, or is in; outside of routines the scope itself. */
uint32_t ft_scope_routine(const struct ft_scopes *scopes, uint32_t scope);
/* Whether a scope is in one of glibc's memset, memcpy and memmove for processors with enhanced REP
 * MOVSB and STOSB (Intel 64 and IA-32 Optimization Reference Manual), which use these from a length
 * on. */
bool ft_scope_is_string_routine(const struct ft_scopes *scopes, uint32_t scope);
/* Whether it is a variant of memset, by its name. */
bool ft_scope_is_memset(const struct ft_scope *scope);
/* Whether a scope is in a routine of glibc's malloc (malloc/malloc.c), by its name, or in what it
 * takes memory from the kernel with. */
bool ft_scope_is_malloc(const struct ft_scopes *scopes, uint32_t scope);
/* Whether it is `around`, or within it. */
bool ft_scope_is_inside(const struct ft_scopes *scopes, uint32_t scope, uint32_t around);
/* The inlined calls around a scope, outermost first; how many. */
size_t ft_scope_inlined(const struct ft_scopes *scopes, uint32_t scope,
                        const struct ft_inlined_call **ret_calls);
/* HDF5 form: a group `scopes` in an open file or group, with datasets modules, scopes, blocks,
 * edges, references and, where there are some, inlined, groups, code, load_classes, predictions,
 * remapped_pages, source_files and source_text (formats/base/records.h). Reading checks every
 * index. */
int ft_scopes_write(const struct ft_scopes *scopes, hid_t parent, struct ft_diag *diag);
int ft_scopes_read(hid_t parent, struct ft_scopes *ret_scopes, struct ft_diag *diag);

/* Turns exclusive metrics of scopes into inclusive ones: rows[scope * width] gets the sum over the
 * scope and all scopes below it. */
void ft_scopes_add_nested(const struct ft_scopes *scopes, double *rows, size_t width);

#endif
