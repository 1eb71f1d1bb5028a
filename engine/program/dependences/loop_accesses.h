/*
 * The addresses of the accesses of a loop in comparable form: linear expressions over what is
 * invariant in the loop, with the strides of the loop itself and of the loops inside (as
 * formulas.h, but seen from one loop). Two accesses of one family are a constant number of bytes
 * apart in each iteration. Internal to what finds dependences.
 */
#ifndef FT_ENGINE_PROGRAM_DEPENDENCES_LOOP_ACCESSES_H
#define FT_ENGINE_PROGRAM_DEPENDENCES_LOOP_ACCESSES_H

#include "engine/program/dependences/dependence_building.h"
#include "formats/base/hash_table.h"

#define FT_INNER_LEVELS_MAX 6
#define FT_NO_FAMILY        UINT32_MAX

/* How an address changes per iteration of a loop. */
enum ft_access_step_kind {
    FT_ACCESS_STEP_CONSTANT, /* by `bytes`, which may be 0 */
    FT_ACCESS_STEP_EXPR,     /* by a loop-invariant expression */
    FT_ACCESS_STEP_UNKNOWN,
};
struct ft_access_step {
    uint8_t kind; /* enum ft_access_step_kind */
    int64_t bytes;
    struct ft_packed_expr expr;
};

enum ft_region {
    FT_REGION_ANY,
    FT_REGION_STACK,   /* somewhere in the frame */
    FT_REGION_PRIVATE, /* a slot of the frame that no pointer reaches */
};

struct ft_loop_access {
    uint32_t instruction; /* local */
    uint8_t index;        /* FT_ANY_ACCESS: anything that a call may touch */
    bool reads, writes;
    uint8_t region;     /* enum ft_region */
    uint32_t family;    /* FT_NO_FAMILY: nothing is known of the address */
    uint32_t step_list; /* equal lists: the same steps in this loop and all loops around it */
    int64_t constant;   /* the address is the family's expression plus this */
    uint32_t size_bytes;
    struct ft_packed_expr expr; /* without the constant */
    struct ft_access_step step;
    uint32_t innermost; /* its innermost loop */
    uint8_t inner_count;
    struct ft_access_step inner[FT_INNER_LEVELS_MAX]; /* innermost first */
};

struct ft_loop_accesses {
    struct ft_loop_access *items;
    size_t count, capacity;
    /* Families and step lists are numbers of keys; a key is a range of `words`. */
    uint64_t *words;
    size_t word_count, word_capacity;
    size_t *keys;
    uint32_t key_count;
    size_t key_capacity;
    struct ft_hash_table numbers; /* of keys */
};

/* `accesses` is {0} or was used before. False when out of memory. */
bool ft_loop_accesses_make(struct ft_loop_accesses *accesses,
                           const struct ft_dependence_loop *made);
void ft_loop_accesses_fini(struct ft_loop_accesses *accesses);

#endif
