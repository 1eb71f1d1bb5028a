/*
 * Network files: those of samples/networks are read, and what is wrong with a bad one is told with
 * its name, line and key.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machines/network/network.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

static const char good[] = "version: 1\n"
                           "description: made\n"
                           "ranks_per_host: 2\n"
                           "link:\n"
                           "  latency_ns: 500\n"
                           "  gb_per_s: 12.5\n"
                           "host:\n"
                           "  latency_ns: 0\n"
                           "  gb_per_s: 50\n"
                           "eager_limit_bytes: 16384\n"
                           "topology: dragonfly\n"
                           "groups: [4, 1]\n"
                           "chassis: [2, 1]\n"
                           "routers: [4, 1]\n"
                           "hosts_per_router: 2\n";

/* The good file with `from` replaced by `to`; part: of the message, NULL where it is read. */
static void check_edit(const char *path, const char *from, const char *to, const char *part)
{
    const char *place = strstr(good, from);
    struct ft_network network = {0};
    struct ft_diag diag = {0};
    FILE *file = fopen(path, "w");
    fprintf(file, "%.*s%s%s", (int)(place - good), good, to, place + strlen(from));
    (void)fclose(file);
    const int status = ft_network_read(path, &network, &diag);
    tap_ok(part ? status != FT_OK && strncmp(diag.message, path, strlen(path)) == 0 &&
                      strstr(diag.message, part)
                : status == FT_OK,
           "%.*s: %s", (int)strcspn(to, "\n"), to, status == FT_OK ? "read" : diag.message);
    if (status == FT_OK)
        ft_network_fini(&network);
}

static void check_samples(void)
{
    static const struct {
        const char *name;
        uint64_t hosts;
    } samples[] = {{"crossbar", 5}, {"fat-tree", 16}, {"torus", 32}, {"dragonfly", 64}};
    for (unsigned i = 0; i < sizeof samples / sizeof *samples; i++) {
        char path[4096];
        struct ft_network network = {0};
        struct ft_diag diag = {0};
        snprintf(path, sizeof path, "%s/samples/networks/%s.yaml", getenv("SOURCE"),
                 samples[i].name);
        const int status = ft_network_read(path, &network, &diag);
        tap_ok(status == FT_OK && strcmp(network.name, samples[i].name) == 0 &&
                   ft_network_hosts(&network, 5) == samples[i].hosts,
               "%s %s", samples[i].name, diag.message);
        if (status == FT_OK)
            ft_network_fini(&network);
    }
}

/* A unit behind a number, which libcyaml leaves out, would change what it means. */
static void check_numbers(const char *path)
{
    check_edit(path, "16384", "16K", "line 10: eager_limit_bytes: expected a decimal integer");
    check_edit(path, "16384", "010", "line 10: eager_limit_bytes: expected a decimal integer");
    check_edit(path, "500", "5us", "line 5: link.latency_ns: expected a number");
    check_edit(path, "[2, 1]", "[2, 1.5]", "line 13: chassis[2]: expected a decimal integer");
    check_edit(path, "12.5", "1.25e1 # of a cable", NULL);
    check_edit(path, "made", "4 groups, 200 Gb/s", NULL);
    check_edit(path, "500", "1e-320", "line 5: link.latency_ns: must be 0, or from");
    check_edit(path, "12.5", "0", "line 6: link.gb_per_s: must be from");
    check_edit(path, "version: 1", "version: 3", "version 3 is newer than 2");
}

/* Limits as those of links. */
static void check_storage(const char *path)
{
    static const char storage[] = "storage:\n  latency_ns: 100\n  read_gb_per_s: ";
    char text[200];
    snprintf(text, sizeof text, "%s4\n  write_gb_per_s: 2\ntopology:", storage);
    check_edit(path, "topology:", text, NULL);
    snprintf(text, sizeof text, "%s1e-320\n  write_gb_per_s: 2\ntopology:", storage);
    check_edit(path, "topology:", text, "line 13: storage.read_gb_per_s: must be from 1e-6");
    snprintf(text, sizeof text, "%s4\ntopology:", storage);
    check_edit(path, "topology:", text, "storage");
}

static void check_topologies(const char *path)
{
    static const char dragonfly[] = "topology: dragonfly\n"
                                    "groups: [4, 1]\n"
                                    "chassis: [2, 1]\n"
                                    "routers: [4, 1]\n"
                                    "hosts_per_router: 2\n";
    check_edit(path, "routers: [4, 1]", "routers: [3, 1]", "line 14: routers: fewer in a chassis");
    check_edit(path, "hosts_per_router: 2\n", "", "hosts_per_router: must be from 1");
    check_edit(path, "topology: dragonfly", "topology: ring",
               "line 11: topology: must be crossbar");
    check_edit(path, dragonfly, "topology: fat_tree\ndown: [4, 4]\nup: [1, 2]\n",
               "a number per level");
    check_edit(path, dragonfly,
               "topology: fat_tree\ndown: [4, 4]\nup: [1, 1000000]\ncables: [1, 1]\n",
               "line 13: up: more than 1048576 links");
    check_edit(path, dragonfly, "topology: torus\ndimensions: [2000, 2000]\n",
               "line 11: topology: more than 1048576 hosts");
    check_edit(path, dragonfly, "topology: torus\n", "dimensions: a torus has");
    check_edit(path, "host:\n  latency_ns: 0\n  gb_per_s: 50\n", "",
               "line 3: ranks_per_host: several, and no host");
}

int main(void)
{
    char path[TEMPORARY_PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/made.yaml", temporary_folder());
    check_samples();
    check_numbers(path);
    check_storage(path);
    check_topologies(path);
    return tap_plan_done();
}
