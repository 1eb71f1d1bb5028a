/*
 * A trace followed through the routines and loops that foretrace finds in it: which activation of
 * which routine each access is made in, and in which turn of each loop around. Of the first thread.
 */
#ifndef FT_TESTS_SUPPORT_ROUTINE_WALK_H
#define FT_TESTS_SUPPORT_ROUTINE_WALK_H

#include "engine/program/structure.h"
#include "engine/program/values/formulas.h"

#define WALK_LEVELS_MAX 12

struct active_loop {
    uint32_t loop;
    uint64_t iteration, activation;
};

struct activation {
    uint32_t routine;
    uint64_t return_pc;
    uint64_t number; /* of all activations, from 1 */
    unsigned depth;
    struct active_loop loops[WALK_LEVELS_MAX]; /* outermost first */
    void *data;                                /* the listener's */
};

struct routine_walk;

struct walk_listener {
    /* Sets and frees the data of an activation; may be NULL. */
    void (*begin)(struct routine_walk *walk, struct activation *activation);
    void (*end)(struct routine_walk *walk, struct activation *activation);
    /* activation: NULL where the routine is not known. */
    void (*access)(struct routine_walk *walk, struct activation *activation, uint32_t instruction,
                   unsigned index, uint64_t address);
    /* Before its accesses; may be NULL. */
    void (*execute)(struct routine_walk *walk, struct activation *activation, uint32_t instruction);
};

struct routine_walk {
    struct ft_trace *trace;
    struct ft_structure structure;
    struct ft_formulas formulas;
    const struct walk_listener *listener;
    uint32_t *first_access, *access_end; /* per routine, of the formulas */
    const struct ft_reference *references;
    uint32_t *instruction_of; /* per reference */
    struct activation *stack;
    size_t depth, capacity;
    const struct ft_instruction *previous;
    uint64_t activations, loop_activations;
};

/* Opens a trace and finds its structure and formulas. `walk` is {.listener = ...}. */
int routine_walk_open(const char *path, struct routine_walk *walk, struct ft_diag *diag);
int routine_walk_follow(struct routine_walk *walk, struct ft_diag *diag);
void routine_walk_close(struct routine_walk *walk);

uint32_t routine_walk_routine(const struct routine_walk *walk, uint32_t instruction);
/* Whether an instruction is of the program itself, not of a library. */
bool routine_walk_is_own(const struct routine_walk *walk, uint32_t instruction);
/* Where an instruction is in its module. */
uint64_t routine_walk_offset(const struct routine_walk *walk, uint32_t instruction);

static inline bool routine_walk_same_loop(const struct active_loop *a, const struct active_loop *b)
{
    return a->loop == b->loop && a->activation == b->activation;
}

#endif
