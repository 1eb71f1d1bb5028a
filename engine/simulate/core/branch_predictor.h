/*
 * Predicts branches as the processors at hand do, run over the recorded outcomes: for conditional
 * branches a TAGE predictor (Seznec & Michaud, JILP 2006) of 27 KiB, a table of 16 Ki counters and
 * six of 2 Ki entries with tags, for histories of 4 to 256 outcomes; for indirect jumps and calls
 * the last target, by address and by address and history, 2 Ki entries each; a stack of 32
 * return addresses. Direct jumps are always right. One thread at a time.
 */
#ifndef FT_ENGINE_SIMULATE_CORE_BRANCH_PREDICTOR_H
#define FT_ENGINE_SIMULATE_CORE_BRANCH_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/x86/instruction.h"

struct ft_branch_predictor;
/* NULL without memory; free() it. */
struct ft_branch_predictor *ft_branch_predictor_create(void);

struct ft_executed_branch {
    uint64_t pc, next; /* next: of the instruction behind it */
    uint64_t target;   /* where it led */
    uint8_t flow;      /* enum ft_flow */
};
/* Whether it was predicted right; learns from it. */
bool ft_branch_predict(struct ft_branch_predictor *predictor,
                       const struct ft_executed_branch *branch);

/* Changes whenever the same branches might be predicted otherwise than before. */
uint64_t ft_branch_predictor_state(const struct ft_branch_predictor *predictor);

#endif
