/*
 * A core executes instructions: fetch, dispatch into the window, start on ports when operands are
 * there, retirement in order, a store buffer behind it (docs/core.md has the rules, cycle by cycle;
 * tests/support/reference_core.c has them as a reference). What happened is told as cycles by
 * account and by reason. One thread at a time.
 */
#ifndef FT_ENGINE_SIMULATE_CORE_CORE_SIMULATION_H
#define FT_ENGINE_SIMULATE_CORE_CORE_SIMULATION_H

#include "engine/simulate/core/core_model.h"
#include "engine/simulate/core/executed.h"

struct ft_core_simulation;
/* The model must outlive it. account_count: accounts are below. */
int ft_core_simulation_create(const struct ft_core_model *model, uint32_t account_count,
                              struct ft_core_simulation **ret_simulation, struct ft_diag *diag);
void ft_core_simulation_destroy(struct ft_core_simulation *simulation);

/* What is executed next; runs the core as far as the instructions behind are not needed. */
int ft_core_simulation_feed(struct ft_core_simulation *simulation,
                            const struct ft_executed *executed, struct ft_diag *diag);
/* Runs until all has retired. */
int ft_core_simulation_finish(struct ft_core_simulation *simulation, struct ft_diag *diag);
/* Empties the core: what is fed next finds nothing under way. Accounts keep what they have. */
void ft_core_simulation_reset(struct ft_core_simulation *simulation);

/* Since the last reset. */
int64_t ft_core_simulation_cycles(const struct ft_core_simulation *simulation);
/* Cycles of measured instructions: [account * FT_CORE_REASONS + reason]; may be changed. */
double *ft_core_simulation_accounts(struct ft_core_simulation *simulation);

#endif
