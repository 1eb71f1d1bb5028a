/*
 * The least cycles in which ports do what a body asks of them, if each use goes to the best of its
 * ports: by the theorem of Hall the largest, over all unions of the groups of ports, of what must
 * run within the union over its number of ports. Pure.
 */
#ifndef FT_ENGINE_SCHEDULE_PORT_BOUND_H
#define FT_ENGINE_SCHEDULE_PORT_BOUND_H

#include "engine/schedule/body.h"

/* ret_ports: the union that bounds; 0: nothing takes a port. */
double ft_port_bound(const struct ft_body *body, uint64_t *ret_ports);

#endif
