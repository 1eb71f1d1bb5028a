/*
 * Network files: what joins the hosts of a machine, as `foretrace ranks` simulates it
 * (docs/ranks.md). A network owns its texts; times are in nanoseconds, bandwidths in GB/s (10^9).
 * Every link of a topology has the same latency and bandwidth, in each direction.
 */
#ifndef FT_MACHINES_NETWORK_NETWORK_H
#define FT_MACHINES_NETWORK_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/base/status.h"

#define FT_NETWORK_VERSION    2 /* 2 has storage */
#define FT_NETWORK_LEVELS_MAX 8

enum ft_topology {
    FT_TOPOLOGY_CROSSBAR, /* each host has a link to one switch without limits */
    FT_TOPOLOGY_FAT_TREE,
    FT_TOPOLOGY_TORUS,
    FT_TOPOLOGY_DRAGONFLY,
    FT_TOPOLOGY_COUNT
};
extern const char *const ft_topology_names[FT_TOPOLOGY_COUNT]; /* "crossbar" ... */

struct ft_network_link {
    double latency_ns, gb_per_s;
};

/* An even division: so many parts, and so many links between two of them, or above one. */
struct ft_network_level {
    uint32_t parts, up, links;
};

/* A file system that all ranks share: an access takes its latency, then its bytes share the
 * bandwidth with those of all accesses under way. */
struct ft_network_storage {
    double latency_ns, read_gb_per_s, write_gb_per_s; /* 0: none */
};

struct ft_network {
    char *name; /* of its file, without folder and ending */
    char *description;
    char *collectives; /* whose algorithms: a selector of SimGrid. Those of MPICH, MVAPICH2 and
                          Intel MPI crash in communicators that a split made (SimGrid 3.32) */
    uint32_t ranks_per_host;
    struct ft_network_link link, host; /* host: between ranks of one; 0: not given */
    struct ft_network_storage storage;
    double send_ns, receive_ns; /* overhead of a message up to the eager limit */
    uint64_t eager_limit_bytes; /* messages of fewer bytes need no receiver to start */
    enum ft_topology topology;
    /* Fat tree: parts below and links up of a switch, from the hosts' level up. Torus: parts in
     * each direction. Dragonfly: groups, chassis, routers, hosts per router (without links). */
    struct ft_network_level levels[FT_NETWORK_LEVELS_MAX];
    uint32_t level_count;
};

bool ft_network_has_storage(const struct ft_network *network);
/* FT_ERROR_DATA names the line and the key. */
int ft_network_read(const char *path, struct ft_network *ret_network, struct ft_diag *diag);
void ft_network_fini(struct ft_network *network);

/* How many hosts the topology has; a crossbar as many as so many ranks fill. */
uint64_t ft_network_hosts(const struct ft_network *network, uint32_t ranks);
/* Whether so many ranks fit: FT_ERROR_USAGE. */
int ft_network_check_ranks(const struct ft_network *network, uint32_t ranks, struct ft_diag *diag);

#endif
