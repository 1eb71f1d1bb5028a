#include "machines/network/network_platform.h"

#include <inttypes.h>

#define DOCTYPE "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"

/* ---- the platform ---- */

static const struct ft_network_link at_once = {.latency_ns = 0, .gb_per_s = 1e6};

/* "2;4,4;1,2;1,2": levels, then what is below, above and in each link. */
static void put_fat_tree(const struct ft_network *network, FILE *stream)
{
    fprintf(stream, "%" PRIu32, network->level_count);
    for (uint32_t i = 0; i < network->level_count; i++)
        fprintf(stream, "%c%" PRIu32, i ? ',' : ';', network->levels[i].parts);
    for (uint32_t i = 0; i < network->level_count; i++)
        fprintf(stream, "%c%" PRIu32, i ? ',' : ';', network->levels[i].up);
    for (uint32_t i = 0; i < network->level_count; i++)
        fprintf(stream, "%c%" PRIu32, i ? ',' : ';', network->levels[i].links);
}

static void put_topology(const struct ft_network *network, FILE *stream)
{
    static const char *const names[] = {NULL, "FAT_TREE", "TORUS", "DRAGONFLY"};
    if (network->topology == FT_TOPOLOGY_CROSSBAR)
        return;
    fprintf(stream, " topology=\"%s\" topo_parameters=\"", names[network->topology]);
    if (network->topology == FT_TOPOLOGY_FAT_TREE)
        put_fat_tree(network, stream);
    for (uint32_t i = 0; network->topology == FT_TOPOLOGY_TORUS && i < network->level_count; i++)
        fprintf(stream, "%s%" PRIu32, i ? "," : "", network->levels[i].parts);
    for (uint32_t i = 0; network->topology == FT_TOPOLOGY_DRAGONFLY && i < 3; i++)
        fprintf(stream, "%" PRIu32 ",%" PRIu32 ";", network->levels[i].parts,
                network->levels[i].links);
    if (network->topology == FT_TOPOLOGY_DRAGONFLY)
        fprintf(stream, "%" PRIu32, network->levels[3].parts);
    fputc('"', stream);
}

/* A host of its own with the disk that stands for the file system; nothing goes there by the
 * network. */
static void put_storage(const struct ft_network *network, FILE *stream)
{
    fprintf(stream,
            "<zone id=\"files\" routing=\"None\">\n<host id=\"storage\" speed=\"1Gf\">"
            "<disk id=\"storage\" read_bw=\"%.15gGBps\" write_bw=\"%.15gGBps\"/></host>\n"
            "</zone>\n</zone>\n",
            network->storage.read_gb_per_s, network->storage.write_gb_per_s);
}

void ft_network_write_platform(const struct ft_network *network, uint32_t ranks, FILE *stream)
{
    const bool has_storage = ft_network_has_storage(network);
    fprintf(stream,
            "<?xml version='1.0'?>\n" DOCTYPE "<platform version=\"4.1\">\n%s"
            "<cluster id=\"hosts\" prefix=\"h\" suffix=\"\" radical=\"0-%" PRIu64
            "\" speed=\"1Gf\" bw=\"%.15gGBps\" lat=\"%.15gns\"",
            has_storage ? "<zone id=\"all\" routing=\"None\">\n" : "",
            ft_network_hosts(network, ranks) - 1, network->link.gb_per_s, network->link.latency_ns);
    /* what a rank sends to itself takes a way, too */
    const struct ft_network_link within = network->host.gb_per_s > 0 ? network->host : at_once;
    fprintf(stream, " loopback_bw=\"%.15gGBps\" loopback_lat=\"%.15gns\"", within.gb_per_s,
            within.latency_ns);
    put_topology(network, stream);
    fputs("/>\n", stream);
    if (has_storage)
        put_storage(network, stream);
    fputs("</platform>\n", stream);
}

void ft_network_write_deployment(const struct ft_network *network, uint32_t ranks, FILE *stream)
{
    fputs("<?xml version='1.0'?>\n" DOCTYPE "<platform version=\"4.1\">\n", stream);
    for (uint32_t i = 0; i < ranks; i++)
        fprintf(stream,
                "<actor host=\"h%" PRIu32 "\" function=\"ranks\"><argument value=\"%" PRIu32
                "\"/><prop id=\"instance_id\" value=\"ranks\"/><prop id=\"rank\" value=\"%" PRIu32
                "\"/></actor>\n",
                i / network->ranks_per_host, i, i);
    fputs("</platform>\n", stream);
}

/* ---- options ---- */

/* A transfer takes latency + bytes / bandwidth where nothing else is on its links: SimGrid's
 * corrections for TCP on Ethernet are left out. */
uint32_t ft_network_options(const struct ft_network *network,
                            char options[FT_NETWORK_OPTIONS][FT_NETWORK_OPTION_TEXT])
{
    static const char *const always[] = {
        "network/model:CM02",    "network/latency-factor:1", "network/bandwidth-factor:1",
        "network/weight-S:0",    "network/TCP-gamma:0",      "network/crosstraffic:0",
        "surf/precision:1e-12",  "smpi/host-speed:1Gf",      "smpi/simulate-computation:no",
        "smpi/privatization:no",
    };
    uint32_t count = 0;
    for (; count < sizeof always / sizeof *always; count++)
        snprintf(options[count], FT_NETWORK_OPTION_TEXT, "--cfg=%s", always[count]);
    const uint64_t eager = network->eager_limit_bytes;
    snprintf(options[count++], FT_NETWORK_OPTION_TEXT, "--cfg=smpi/coll-selector:%s",
             network->collectives);
    snprintf(options[count++], FT_NETWORK_OPTION_TEXT,
             "--cfg=smpi/send-is-detached-thresh:%" PRIu64, eager);
    snprintf(options[count++], FT_NETWORK_OPTION_TEXT, "--cfg=smpi/async-small-thresh:%" PRIu64,
             eager);
    snprintf(options[count++], FT_NETWORK_OPTION_TEXT, "--cfg=smpi/os:0:%.9g:0",
             1e-9 * network->send_ns);
    snprintf(options[count++], FT_NETWORK_OPTION_TEXT, "--cfg=smpi/ois:0:%.9g:0",
             1e-9 * network->send_ns);
    snprintf(options[count++], FT_NETWORK_OPTION_TEXT, "--cfg=smpi/or:0:%.9g:0",
             1e-9 * network->receive_ns);
    return count;
}
