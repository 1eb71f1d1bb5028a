/*
 * Operations of which all uses have the same sets of ports and the same ports chosen make a class:
 * when one of a cycle finds no free port, neither will another one.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/schedule/port_choice.h"
#include "engine/simulate/core/core_state.h"

#define CHOICES 256U /* bit per use: which of two ports */

void ft_core_choose_ports(struct ft_core_simulation *simulation, struct ft_op *op)
{
    uint64_t taken = 0;
    for (unsigned u = 0; u < op->code->use_count; u++) {
        const struct ft_core_port_use *use = &op->code->uses[u];
        for (uint64_t left = use->ports; left; left &= left - 1)
            simulation->pressure[__builtin_ctzll(left)] += (double)use->pressure;
        op->ports[u] = FT_UNBOUND_PORT;
        if (!ft_is_bound_early(use->ports))
            continue;
        const unsigned port =
            ft_port_to_bind(simulation->queued, simulation->pressure, use->ports, taken);
        taken |= UINT64_C(1) << port;
        op->ports[u] = (uint8_t)port;
        simulation->queued[port] += use->cycles;
    }
}

void ft_core_forget_ports(struct ft_core_simulation *simulation, const struct ft_op *op)
{
    for (unsigned u = 0; u < op->code->use_count; u++)
        for (uint64_t left = op->code->uses[u].ports; left; left &= left - 1)
            simulation->pressure[__builtin_ctzll(left)] -= (double)op->code->uses[u].pressure;
}

bool ft_core_take_ports(struct ft_core_simulation *simulation, const struct ft_op *op)
{
    const double cycle = (double)simulation->cycle;
    int ports[FT_OPERATION_USES_MAX];
    uint64_t taken = 0;
    for (unsigned u = 0; u < op->code->use_count; u++) {
        ports[u] = op->ports[u] == FT_UNBOUND_PORT
                       ? ft_free_port(simulation->port_free, simulation->pressure,
                                      op->code->uses[u].ports, taken, cycle)
                       : op->ports[u];
        if (ports[u] < 0 || simulation->port_free[ports[u]] >= cycle + 1)
            return false;
        taken |= UINT64_C(1) << ports[u];
    }
    for (unsigned u = 0; u < op->code->use_count; u++) {
        const double cycles = op->code->uses[u].cycles;
        double *free_at = &simulation->port_free[ports[u]];
        *free_at = (*free_at > cycle ? *free_at : cycle) + cycles;
        if (op->ports[u] != FT_UNBOUND_PORT)
            simulation->queued[ports[u]] -= cycles;
    }
    return true;
}

/* ---- classes ---- */

/* Room for shapes up to one, and for one more class. */
static bool make_room(struct ft_core_simulation *simulation, uint32_t shape)
{
    if (shape >= simulation->shape_capacity) {
        const uint32_t capacity = 2 * shape + 16;
        const size_t old = simulation->shape_capacity * (size_t)CHOICES;
        uint16_t *classes =
            realloc(simulation->classes, capacity * (size_t)CHOICES * sizeof *classes);
        if (!classes)
            return false;
        memset(classes + old, 0, (capacity * (size_t)CHOICES - old) * sizeof *classes);
        simulation->classes = classes;
        simulation->shape_capacity = capacity;
    }
    if (simulation->class_count == simulation->class_capacity) {
        const uint32_t capacity = 2 * simulation->class_capacity + 16;
        const size_t old = simulation->class_capacity * (size_t)simulation->words;
        const size_t all = capacity * (size_t)simulation->words;
        uint64_t *bits = realloc(simulation->of_class, all * sizeof *bits);
        if (!bits)
            return false;
        memset(bits + old, 0, (all - old) * sizeof *bits);
        simulation->of_class = bits;
        simulation->class_capacity = capacity;
    }
    return true;
}

uint16_t ft_core_class_of(struct ft_core_simulation *simulation, const struct ft_op *op)
{
    unsigned choices = 0;
    for (unsigned u = 0; u < op->code->use_count; u++)
        if (op->ports[u] != FT_UNBOUND_PORT &&
            op->ports[u] != (unsigned)__builtin_ctzll(op->code->uses[u].ports))
            choices |= 1U << u;
    const size_t key = op->code->shape * (size_t)CHOICES + choices;
    if (op->code->shape >= simulation->shape_capacity || simulation->classes[key] == 0) {
        if (!make_room(simulation, op->code->shape) || simulation->class_count == UINT16_MAX - 1) {
            simulation->out_of_memory = true;
            return 0;
        }
        simulation->classes[key] = (uint16_t)++simulation->class_count;
    }
    return (uint16_t)(simulation->classes[key] - 1);
}
