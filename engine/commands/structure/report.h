/*
 * What `foretrace structure` reports of a trace: the scope tree with counts, as text or JSON
 * (docs/json.md, "structure"); a routine's flow graph as DOT; a routine's code with counts.
 */
#ifndef FT_ENGINE_COMMANDS_STRUCTURE_REPORT_H
#define FT_ENGINE_COMMANDS_STRUCTURE_REPORT_H

#include <stdio.h>

#include "engine/program/dependences/dependences.h"
#include "engine/program/graph/block_exits.h"
#include "engine/program/graph/loop_edges.h"
#include "engine/program/mix/mix.h"
#include "engine/program/structure.h"
#include "engine/program/trip_counts.h"
#include "engine/program/values/group_sizes.h"
#include "formats/base/progress.h"
#include "formats/cli/json.h"
#include "formats/commands/startup_fold.h"

/* What a scope did; instructions and accesses are inclusive. */
struct ft_scope_work {
    uint64_t instructions, accesses;
    uint32_t machine_loops; /* that the source loop became */
    uint32_t first_loop;    /* the first of them, or FT_NO_LOOP */
    struct ft_trips trips;  /* of all of them */
};

struct ft_structure_groups {
    struct ft_formulas formulas;
    struct ft_reference_groups groups;
    uint64_t *accesses;          /* [group] */
    uint64_t *access_counts;     /* [access of the formulas] */
    struct ft_group_sizes sizes; /* of the program's own module */
};

struct ft_structure_report {
    struct ft_trace *trace;
    struct ft_structure structure;
    struct ft_block_exits exits;
    struct ft_loop_edges loop_edges;
    struct ft_scope_work *work;               /* [scope] */
    struct ft_mix *block_mixes;               /* [block], as executed */
    uint64_t *reference_accesses;             /* [reference of the scopes] */
    struct ft_structure_groups *groups;       /* NULL: not asked for */
    struct ft_dependences *dependences;       /* pessimistic; NULL: not asked for */
    struct ft_structure_schedules *schedules; /* NULL: not asked for */
    bool shows_assumed;                       /* JSON and DOT show assumed edges */
    size_t unit_count;                        /* units in the trace */
    bool only_counts; /* a trace of `capture --counts`: accesses, and min, max and bins of trips,
                         are unknown */
    uint32_t *list;   /* scopes to show, as ft_scopes_select gives them */
    size_t count;
    struct ft_startup_fold startup; /* routines that are not in the list, but folded */
};

/* Reads the trace twice. loops: how many routines and loops to show. */
int ft_structure_report_make(struct ft_trace *trace, size_t loops, struct ft_progress *progress,
                             struct ft_structure_report *ret_report, struct ft_diag *diag);
/* Chooses the scopes to show again, with start-up and exit code folded. */
int ft_structure_fold_startup(struct ft_structure_report *report, size_t loops,
                              struct ft_diag *diag);
void ft_structure_report_fini(struct ft_structure_report *report);

/* Finds the groups of references. */
int ft_structure_find_groups(struct ft_structure_report *report, struct ft_diag *diag);
void ft_structure_groups_free(struct ft_structure_groups *groups);
/* The access of the formulas that a reference is, FT_NO_ACCESS for fetches. */
uint32_t ft_structure_access_of(const struct ft_structure_report *report, size_t reference);
/* The sizes of groups: a table, and an object of JSON. */
int ft_structure_group_sizes_text(const struct ft_structure_report *report, FILE *stream,
                                  struct ft_diag *diag);
json_t *ft_structure_group_sizes_json(const struct ft_structure_report *report);
/* The scope that a group belongs to. */
uint32_t ft_structure_scope_of_group(const struct ft_structure_report *report, uint32_t group);
/* The address formula of its first access; malloc'ed, NULL when out of memory. */
char *ft_structure_group_pattern(const struct ft_structure_report *report, uint32_t group);
extern const char *const ft_storage_names[]; /* by enum ft_storage */

/* Finds the dependences of all loops; assumed: JSON and DOT list assumed ones too. */
int ft_structure_find_dependences(struct ft_structure_report *report, bool assumed,
                                  struct ft_diag *diag);
void ft_structure_dependences_free(struct ft_dependences *dependences);

/* Schedules all loops on a machine, as --machine names it. */
int ft_structure_find_schedules(struct ft_structure_report *report, const char *machine,
                                struct ft_diag *diag);
void ft_structure_schedules_free(struct ft_structure_schedules *schedules);
/* A row for each path of the loops shown. */
int ft_structure_schedules_text(const struct ft_structure_report *report, FILE *stream,
                                struct ft_diag *diag);
/* Of a loop of the machine code; NULL: out of memory. */
json_t *ft_structure_schedule_json(const struct ft_structure_report *report, uint32_t loop);

/* Finds a routine by name, demangled or as in the symbol table; NAME@MODULE where several modules
 * have one. FT_NO_ROUTINE if it ran only inlined in others, FT_ERROR_USAGE if none or several
 * match.
 */
#define FT_NO_ROUTINE UINT32_MAX
int ft_structure_report_routine(const struct ft_structure_report *report, const char *name,
                                uint32_t *ret_routine, struct ft_diag *diag);

/* "matmul.c:17", "" where the line of an instruction is unknown. Cut to size_bytes. */
void ft_structure_line(const struct ft_module *module, uint64_t offset, char *text,
                       size_t size_bytes);

int ft_structure_text(const struct ft_structure_report *report, bool trips, FILE *stream,
                      struct ft_diag *diag);
/* What was run, and how much of it. */
void ft_structure_print_head(const struct ft_structure_report *report, FILE *stream);
/* The `limit` groups of the scopes shown that made the most accesses. */
int ft_structure_groups_text(const struct ft_structure_report *report, size_t limit, FILE *stream,
                             struct ft_diag *diag);
/* The groups of a scope; NULL: out of memory. */
json_t *ft_structure_groups_json(const struct ft_structure_report *report, uint32_t scope);
/* Dependences of the loops shown: load classes, edges, recurrences. */
int ft_structure_dependences_text(const struct ft_structure_report *report, FILE *stream,
                                  struct ft_diag *diag);
/* The graph of a loop of the machine code; NULL: out of memory. */
json_t *ft_structure_dependences_json(const struct ft_structure_report *report, uint32_t loop);
/* A routine's dependences, instruction by instruction. */
int ft_structure_dependences_dot(const struct ft_structure_report *report, uint32_t routine,
                                 FILE *stream, struct ft_diag *diag);
int ft_structure_json(const struct ft_structure_report *report, FILE *stream, struct ft_diag *diag);
/* Prints text escaped for a quoted DOT string. */
void ft_dot_print_quoted(FILE *stream, const char *text);
/* Opens and closes the DOT cluster of a loop of the machine code, indented by depth. */
void ft_dot_open_loop(const struct ft_structure *structure, uint32_t loop, unsigned depth,
                      FILE *stream);
void ft_dot_close_loop(unsigned depth, FILE *stream);
int ft_structure_dot(const struct ft_structure_report *report, uint32_t routine, FILE *stream,
                     struct ft_diag *diag);
int ft_structure_code(const struct ft_structure_report *report, uint32_t routine, FILE *stream,
                      struct ft_diag *diag);
/* Whether a routine of this name was inlined in code that ran; then that code, call by call. */
bool ft_structure_is_inlined(const struct ft_structure_report *report, const char *name);
int ft_structure_inlined_code(const struct ft_structure_report *report, const char *name,
                              FILE *stream, struct ft_diag *diag);

#endif
