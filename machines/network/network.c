/*
 * libcyaml checks keys and types; here values are checked, and become a network.
 *
 * In order: keys; values; topologies; the module's functions.
 */
#include "machines/network/network.h"

#include <cyaml/cyaml.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/file_name.h"
#include "machines/yaml_file.h"

#define HOSTS_MAX       (1U << 20)
#define EAGER_BYTES_MAX (1U << 30)
#define LINKS_MAX       (1U << 20) /* of a fat tree */

const char *const ft_topology_names[FT_TOPOLOGY_COUNT] = {"crossbar", "fat_tree", "torus",
                                                          "dragonfly"};

/* ---- keys ---- */

struct yaml_link {
    double latency_ns, gb_per_s;
};
struct yaml_overhead {
    double send_ns, receive_ns;
};
struct yaml_storage {
    double latency_ns, read_gb_per_s, write_gb_per_s;
};
struct yaml_network {
    unsigned version;
    char *description, *collectives, *topology;
    char **sources;
    unsigned sources_count;
    unsigned ranks_per_host, eager_limit_bytes;
    struct yaml_link link, *host;
    struct yaml_overhead *overhead;
    struct yaml_storage *storage;
    unsigned *down, *up, *cables, *dimensions, *groups, *chassis, *routers;
    unsigned down_count, up_count, cables_count, dimensions_count, groups_count, chassis_count,
        routers_count;
    unsigned hosts_per_router;
};

#define YAML struct yaml_network
#define STRING(key, flags)                                                                         \
    CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER | (flags), YAML, key, 1, CYAML_UNLIMITED)
#define COUNTS(key)                                                                                \
    CYAML_FIELD_SEQUENCE(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, YAML, key, &count_schema, \
                         1, FT_NETWORK_LEVELS_MAX)

static const cyaml_schema_value_t string_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, CYAML_UNLIMITED),
};
static const cyaml_schema_value_t count_schema = {
    CYAML_VALUE_UINT(CYAML_FLAG_DEFAULT, unsigned),
};
static const cyaml_schema_field_t link_fields[] = {
    CYAML_FIELD_FLOAT("latency_ns", CYAML_FLAG_DEFAULT, struct yaml_link, latency_ns),
    CYAML_FIELD_FLOAT("gb_per_s", CYAML_FLAG_DEFAULT, struct yaml_link, gb_per_s),
    CYAML_FIELD_END,
};
static const cyaml_schema_field_t overhead_fields[] = {
    CYAML_FIELD_FLOAT("send_ns", CYAML_FLAG_DEFAULT, struct yaml_overhead, send_ns),
    CYAML_FIELD_FLOAT("receive_ns", CYAML_FLAG_DEFAULT, struct yaml_overhead, receive_ns),
    CYAML_FIELD_END,
};
static const cyaml_schema_field_t storage_fields[] = {
    CYAML_FIELD_FLOAT("latency_ns", CYAML_FLAG_DEFAULT, struct yaml_storage, latency_ns),
    CYAML_FIELD_FLOAT("read_gb_per_s", CYAML_FLAG_DEFAULT, struct yaml_storage, read_gb_per_s),
    CYAML_FIELD_FLOAT("write_gb_per_s", CYAML_FLAG_DEFAULT, struct yaml_storage, write_gb_per_s),
    CYAML_FIELD_END,
};
static const cyaml_schema_field_t file_fields[] = {
    CYAML_FIELD_UINT("version", CYAML_FLAG_DEFAULT, YAML, version),
    STRING(description, 0),
    CYAML_FIELD_SEQUENCE("sources", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, YAML, sources,
                         &string_schema, 0, CYAML_UNLIMITED),
    CYAML_FIELD_UINT("ranks_per_host", CYAML_FLAG_DEFAULT, YAML, ranks_per_host),
    CYAML_FIELD_MAPPING("link", CYAML_FLAG_DEFAULT, YAML, link, link_fields),
    CYAML_FIELD_MAPPING_PTR("host", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, YAML, host,
                            link_fields),
    CYAML_FIELD_MAPPING_PTR("overhead", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, YAML, overhead,
                            overhead_fields),
    CYAML_FIELD_MAPPING_PTR("storage", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, YAML, storage,
                            storage_fields),
    CYAML_FIELD_UINT("eager_limit_bytes", CYAML_FLAG_DEFAULT, YAML, eager_limit_bytes),
    STRING(collectives, CYAML_FLAG_OPTIONAL),
    STRING(topology, 0),
    COUNTS(down),
    COUNTS(up),
    COUNTS(cables),
    COUNTS(dimensions),
    COUNTS(groups),
    COUNTS(chassis),
    COUNTS(routers),
    CYAML_FIELD_UINT("hosts_per_router", CYAML_FLAG_OPTIONAL, YAML, hosts_per_router),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t file_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, YAML, file_fields),
};

/* ---- values ---- */

struct reader {
    struct ft_yaml_file file;
    const struct yaml_network *yaml;
    struct ft_network *network;
    struct ft_diag *diag;
};

static int fail_key(const struct reader *reader, const char *key, const char *what)
{
    return ft_yaml_file_fail(&reader->file, key, what, reader->diag);
}

static int check_latency(const struct reader *reader, const char *of, double latency_ns)
{
    char key[40];
    snprintf(key, sizeof key, "%s.latency_ns", of);
    return latency_ns == 0 || (latency_ns >= 1e-6 && latency_ns <= 1e9)
               ? FT_OK
               : fail_key(reader, key, "must be 0, or from 1e-6 to 1e9");
}

static int check_bandwidth(const struct reader *reader, const char *of, const char *name,
                           double gb_per_s)
{
    char key[40];
    snprintf(key, sizeof key, "%s.%s", of, name);
    return gb_per_s >= 1e-6 && gb_per_s <= 1e6 ? FT_OK
                                               : fail_key(reader, key, "must be from 1e-6 to 1e6");
}

static int read_link(const struct reader *reader, const char *name, const struct yaml_link *yaml,
                     struct ft_network_link *link)
{
    FT_TRY(check_latency(reader, name, yaml->latency_ns));
    FT_TRY(check_bandwidth(reader, name, "gb_per_s", yaml->gb_per_s));
    *link = (struct ft_network_link){yaml->latency_ns, yaml->gb_per_s};
    return FT_OK;
}

static int read_overhead(const struct reader *reader)
{
    const struct yaml_overhead *yaml = reader->yaml->overhead;
    if (!yaml)
        return FT_OK;
    if (!(yaml->send_ns >= 0 && yaml->send_ns <= 1e9))
        return fail_key(reader, "overhead.send_ns", "must be from 0 to 1e9");
    if (!(yaml->receive_ns >= 0 && yaml->receive_ns <= 1e9))
        return fail_key(reader, "overhead.receive_ns", "must be from 0 to 1e9");
    reader->network->send_ns = yaml->send_ns;
    reader->network->receive_ns = yaml->receive_ns;
    return FT_OK;
}

static int read_storage(const struct reader *reader)
{
    const struct yaml_storage *yaml = reader->yaml->storage;
    if (!yaml)
        return FT_OK;
    FT_TRY(check_latency(reader, "storage", yaml->latency_ns));
    FT_TRY(check_bandwidth(reader, "storage", "read_gb_per_s", yaml->read_gb_per_s));
    FT_TRY(check_bandwidth(reader, "storage", "write_gb_per_s", yaml->write_gb_per_s));
    reader->network->storage =
        (struct ft_network_storage){yaml->latency_ns, yaml->read_gb_per_s, yaml->write_gb_per_s};
    return FT_OK;
}

static int read_collectives(const struct reader *reader)
{
    static const char *const names[] = {"default", "ompi"};
    const char *given = reader->yaml->collectives ? reader->yaml->collectives : "default";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(given, names[i]) == 0) {
            reader->network->collectives = strdup(given);
            return reader->network->collectives ? FT_OK : ft_fail_memory(reader->diag, "a network");
        }
    return fail_key(reader, "collectives", "must be default or ompi");
}

/* ---- topologies ---- */

static int check_count(const struct reader *reader, const char *key, unsigned count)
{
    return count >= 1 && count <= HOSTS_MAX ? FT_OK
                                            : fail_key(reader, key, "must be from 1 to 1048576");
}

/* Links between switches, with those of hosts: SimGrid makes each of them. */
static int check_links(const struct reader *reader)
{
    const struct ft_network *network = reader->network;
    double links = 0, above = 1; /* switches, or hosts, above which ones are looked at */
    for (uint32_t i = 0; i < network->level_count; i++) {
        const struct ft_network_level *level = &network->levels[i];
        double below = above;
        for (uint32_t k = i; k < network->level_count; k++)
            below *= network->levels[k].parts;
        links += below * level->up * level->links;
        above *= level->up;
    }
    return links <= LINKS_MAX ? FT_OK : fail_key(reader, "up", "more than 1048576 links in all");
}

static int read_fat_tree(const struct reader *reader)
{
    const struct yaml_network *yaml = reader->yaml;
    struct ft_network *network = reader->network;
    if (!yaml->down_count || yaml->up_count != yaml->down_count ||
        yaml->cables_count != yaml->down_count)
        return fail_key(reader, "down", "a fat tree has down, up and cables, a number per level");
    network->level_count = yaml->down_count;
    for (unsigned i = 0; i < yaml->down_count; i++) {
        FT_TRY(check_count(reader, "down", yaml->down[i]));
        FT_TRY(check_count(reader, "up", yaml->up[i]));
        FT_TRY(check_count(reader, "cables", yaml->cables[i]));
        network->levels[i] = (struct ft_network_level){yaml->down[i], yaml->up[i], yaml->cables[i]};
    }
    return check_links(reader);
}

static int read_torus(const struct reader *reader)
{
    const struct yaml_network *yaml = reader->yaml;
    if (!yaml->dimensions_count)
        return fail_key(reader, "dimensions", "a torus has hosts in each direction: [4, 4, 2]");
    reader->network->level_count = yaml->dimensions_count;
    for (unsigned i = 0; i < yaml->dimensions_count; i++) {
        FT_TRY(check_count(reader, "dimensions", yaml->dimensions[i]));
        reader->network->levels[i].parts = yaml->dimensions[i];
    }
    return FT_OK;
}

static int read_dragonfly(const struct reader *reader)
{
    const struct yaml_network *yaml = reader->yaml;
    const struct {
        const char *key;
        const unsigned *values;
        unsigned count;
    } levels[] = {{"groups", yaml->groups, yaml->groups_count},
                  {"chassis", yaml->chassis, yaml->chassis_count},
                  {"routers", yaml->routers, yaml->routers_count}};
    for (unsigned i = 0; i < 3; i++) {
        if (levels[i].count != 2)
            return fail_key(reader, levels[i].key,
                            "a dragonfly has groups, chassis and routers: [count, links]");
        FT_TRY(check_count(reader, levels[i].key, levels[i].values[0]));
        FT_TRY(check_count(reader, levels[i].key, levels[i].values[1]));
        reader->network->levels[i] =
            (struct ft_network_level){.parts = levels[i].values[0], .links = levels[i].values[1]};
    }
    FT_TRY(check_count(reader, "hosts_per_router", yaml->hosts_per_router));
    if (yaml->groups[0] > yaml->routers[0]) /* SimGrid leaves for group i from router i */
        return fail_key(reader, "routers",
                        "fewer in a chassis than groups, each of which one of them leads to");
    reader->network->levels[3].parts = yaml->hosts_per_router;
    reader->network->level_count = 4;
    return FT_OK;
}

static int read_topology(const struct reader *reader)
{
    unsigned topology = 0;
    while (topology < FT_TOPOLOGY_COUNT &&
           strcmp(reader->yaml->topology, ft_topology_names[topology]) != 0)
        topology++;
    reader->network->topology = (enum ft_topology)topology;
    switch (topology) {
    case FT_TOPOLOGY_CROSSBAR:
        return FT_OK;
    case FT_TOPOLOGY_FAT_TREE:
        return read_fat_tree(reader);
    case FT_TOPOLOGY_TORUS:
        return read_torus(reader);
    case FT_TOPOLOGY_DRAGONFLY:
        return read_dragonfly(reader);
    default:
        return fail_key(reader, "topology", "must be crossbar, fat_tree, torus or dragonfly");
    }
}

static int read_values(const struct reader *reader)
{
    const struct yaml_network *yaml = reader->yaml;
    struct ft_network *network = reader->network;
    FT_TRY(
        ft_yaml_file_check_version(&reader->file, yaml->version, FT_NETWORK_VERSION, reader->diag));
    FT_TRY(check_count(reader, "ranks_per_host", yaml->ranks_per_host));
    network->ranks_per_host = yaml->ranks_per_host;
    FT_TRY(read_link(reader, "link", &yaml->link, &network->link));
    if (yaml->host)
        FT_TRY(read_link(reader, "host", yaml->host, &network->host));
    else if (yaml->ranks_per_host > 1)
        return fail_key(reader, "ranks_per_host",
                        "several, and no host: latency_ns and gb_per_s between them");
    FT_TRY(read_overhead(reader));
    FT_TRY(read_storage(reader));
    if (yaml->eager_limit_bytes > EAGER_BYTES_MAX)
        return fail_key(reader, "eager_limit_bytes", "must be at most 1073741824");
    network->eager_limit_bytes = yaml->eager_limit_bytes;
    FT_TRY(read_collectives(reader));
    FT_TRY(read_topology(reader));
    if (ft_network_hosts(network, 1) > HOSTS_MAX)
        return fail_key(reader, "topology", "more than 1048576 hosts");
    network->description = strdup(yaml->description);
    return network->description ? FT_OK : ft_fail_memory(reader->diag, "a network");
}

/* ---- the module's functions ---- */

/* "torus" of "networks/torus.yaml". */
static char *name_of(const char *path)
{
    const char *name = ft_file_name(path);
    const char *end = strrchr(name, '.');
    return strndup(name, end && end > name ? (size_t)(end - name) : strlen(name));
}

int ft_network_read(const char *path, struct ft_network *ret_network, struct ft_diag *diag)
{
    struct ft_network network = {.name = name_of(path)};
    struct reader reader = {.network = &network, .diag = diag};
    struct yaml_network *yaml = NULL;
    int status = network.name ? ft_yaml_file_read(path, &reader.file, diag)
                              : ft_fail_memory(diag, "a network");
    if (status == FT_OK)
        status = ft_yaml_file_load(&reader.file, &file_schema, (void **)&yaml, diag);
    reader.yaml = yaml;
    if (status == FT_OK)
        status = read_values(&reader);
    ft_yaml_free(&file_schema, yaml);
    free(reader.file.text);
    if (status == FT_OK)
        *ret_network = network;
    else
        ft_network_fini(&network);
    return status;
}

bool ft_network_has_storage(const struct ft_network *network)
{
    return network->storage.read_gb_per_s > 0;
}

void ft_network_fini(struct ft_network *network)
{
    free(network->name);
    free(network->description);
    free(network->collectives);
    *network = (struct ft_network){0};
}

uint64_t ft_network_hosts(const struct ft_network *network, uint32_t ranks)
{
    uint64_t hosts = 1;
    if (network->topology == FT_TOPOLOGY_CROSSBAR)
        return ((uint64_t)ranks + network->ranks_per_host - 1) / network->ranks_per_host;
    for (uint32_t i = 0; i < network->level_count && hosts <= HOSTS_MAX; i++)
        hosts *= network->levels[i].parts;
    return hosts;
}

int ft_network_check_ranks(const struct ft_network *network, uint32_t ranks, struct ft_diag *diag)
{
    const uint64_t hosts = ft_network_hosts(network, ranks);
    if (ranks <= hosts * network->ranks_per_host)
        return FT_OK;
    return ft_fail(diag, FT_ERROR_USAGE,
                   "network %s: %" PRIu64 " hosts of %" PRIu32 " rank%s, and the job has %" PRIu32
                   " ranks",
                   network->name, hosts, network->ranks_per_host,
                   network->ranks_per_host == 1 ? "" : "s", ranks);
}
