/*
 * Which port of a set an operation takes. Processors bind operations to ports when these enter the
 * window. Where a set is large they do it well enough for the port to be free in time; of small
 * ones the port is bound here, too. pressure: what all operations would take of each port, spread
 * over their sets; taken: ports of the operation's other uses. Pure.
 */
#ifndef FT_ENGINE_SCHEDULE_PORT_CHOICE_H
#define FT_ENGINE_SCHEDULE_PORT_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#define FT_UNBOUND_PORT 0xff

static inline bool ft_is_bound_early(uint64_t ports)
{
    const uint64_t but_one = ports & (ports - 1);
    return (but_one & (but_one - 1)) == 0;
}

/* The port that has the least to do yet (`queued`), of such the one that is pressed least; not a
 * taken one, if there is another. */
static inline unsigned ft_port_to_bind(const double *queued, const double *pressure, uint64_t ports,
                                       uint64_t taken)
{
    const uint64_t allowed = ports & ~taken ? ports & ~taken : ports;
    unsigned best = (unsigned)__builtin_ctzll(allowed);
    for (uint64_t left = allowed & (allowed - 1); left; left &= left - 1) {
        const unsigned port = (unsigned)__builtin_ctzll(left);
        if (queued[port] < queued[best] ||
            (queued[port] == queued[best] && pressure[port] < pressure[best]))
            best = port;
    }
    return best;
}

/* The port that is free in a cycle and is pressed least; -1: none. */
static inline int ft_free_port(const double *free_at, const double *pressure, uint64_t ports,
                               uint64_t taken, double cycle)
{
    int best = -1;
    for (uint64_t left = ports & ~taken; left; left &= left - 1) {
        const int port = __builtin_ctzll(left);
        if (free_at[port] < cycle + 1 && (best < 0 || pressure[port] < pressure[best]))
            best = port;
    }
    return best;
}

#endif
