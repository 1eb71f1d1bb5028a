/*
 * A network as SimGrid reads it: the platform (XML), where ranks run, and the options of its
 * models.
 */
#ifndef FT_MACHINES_NETWORK_NETWORK_PLATFORM_H
#define FT_MACHINES_NETWORK_NETWORK_PLATFORM_H

#include <stdio.h>

#include "machines/network/network.h"

/* The hosts of so many ranks, in XML of SimGrid's version 4.1. */
void ft_network_write_platform(const struct ft_network *network, uint32_t ranks, FILE *stream);
/* Which host each rank runs on, in order: rank r as an actor "ranks" of the instance "ranks". */
void ft_network_write_deployment(const struct ft_network *network, uint32_t ranks, FILE *stream);

/* "--cfg=..." of all that is not in the platform. */
#define FT_NETWORK_OPTIONS     16
#define FT_NETWORK_OPTION_TEXT 80
uint32_t ft_network_options(const struct ft_network *network,
                            char options[FT_NETWORK_OPTIONS][FT_NETWORK_OPTION_TEXT]);

#endif
