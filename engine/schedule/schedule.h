/*
 * The cycles that a body of code takes on a core when all accesses hit in the first cache (Marin &
 * Mellor-Crummey 2004, section 2.4; docs/schedule.md). Three bounds hold for a loop, per iteration:
 * ports, each shared in the best way among what may use it; recurrences, cycles of dependences over
 * iterations; and the front end. What it takes comes from list scheduling within the window, oldest
 * first, and is no less than any of them. Pure, thread safe.
 */
#ifndef FT_ENGINE_SCHEDULE_SCHEDULE_H
#define FT_ENGINE_SCHEDULE_SCHEDULE_H

#include "engine/schedule/body.h"

enum ft_schedule_limit {
    FT_LIMIT_FRONT_END,
    FT_LIMIT_PORTS,
    FT_LIMIT_RECURRENCE,
    FT_LIMIT_WINDOW, /* dependences within iterations that the window doesn't overlap, or ports that
                        are asked for unevenly: more than a tenth above the bounds */
    FT_LIMIT_ATOMICS, /* instructions that read, change and write memory as one, one by one */
    FT_SCHEDULE_LIMITS
};
extern const char *const ft_schedule_limit_names[FT_SCHEDULE_LIMITS];

struct ft_schedule {
    double cycles;                   /* of an iteration; of straight-line code: until its last
                                        result, with what runs before and behind it apart */
    double bounds[FT_LIMIT_WINDOW];  /* by enum ft_schedule_limit */
    double atomic_cycles;            /* the bound of atomic instructions */
    uint8_t limit;                   /* enum ft_schedule_limit */
    uint64_t ports;                  /* that bound, bit per port of the core */
    uint8_t recurrence_place;        /* enum ft_place; FT_NO_PLACE: through memory, or none */
    uint32_t recurrence_instruction; /* of the body: one on the cycle */
    bool recurrence_through_memory;
    uint32_t unknown_count;    /* instructions that the core doesn't know, taken for additions */
    double resolve_cycles;     /* from when the last instruction is dispatched until its result is
                                  there,  if all that the body is given is there when it begins */
    double branch_wait_cycles; /* of a loop: from when the last instruction of an iteration is
                                  dispatched until it starts, in the mean */
};

/* repeats: as the body was made. */
int ft_schedule_find(const struct ft_body *body, bool repeats, struct ft_schedule *ret_schedule,
                     struct ft_diag *diag);

/* What the front end, the ports and atomic instructions allow. */
double ft_schedule_throughput(const struct ft_schedule *schedule);

/* "recurrence through xmm1", "ports Load0 Load1 Load2", ... */
void ft_schedule_limit_text(const struct ft_core *core, const struct ft_schedule *schedule,
                            char *text, size_t size_bytes);

#endif
