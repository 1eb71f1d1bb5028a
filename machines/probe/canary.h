/*
 * Work whose time says whether the core is as fast as ever: a chain of dependent adds, one a cycle,
 * which only a lower clock slows; and work that fills the core's width, which takes nearly twice as
 * long while another thread uses the other half of the core. A virtual machine sees that no other
 * way: no clock and no counter of its own shows its neighbours.
 *
 * x86-64.
 */
#ifndef FT_MACHINES_PROBE_CANARY_H
#define FT_MACHINES_PROBE_CANARY_H

#define FT_CANARY_ADDS       150000 /* of the chain: cycles */
#define FT_CANARY_ITERATIONS 60000  /* of the other: at most a good cycle each */

void ft_canary_chain(void);
void ft_canary_fill(void);

#endif
