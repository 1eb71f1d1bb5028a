#include "machines/host/hwloc_topology.h"

#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

static bool add_fact(hwloc_topology_t topology, const char *key, const char *name, bool is_number,
                     struct ft_capture_host *host)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    hwloc_obj_t root = hwloc_get_root_obj(topology);
    const char *value = package ? hwloc_obj_get_info_by_name(package, key) : NULL;
    if (!value)
        value = hwloc_obj_get_info_by_name(root, key);
    if (!value)
        return true;
    return is_number ? ft_capture_host_fact(host, name, NULL, strtoull(value, NULL, 10))
                     : ft_capture_host_fact(host, name, value, 0);
}

static bool add_cache(hwloc_obj_t object, struct ft_capture_host *host)
{
    const struct hwloc_cache_attr_s *cache = &object->attr->cache;
    char *processors = NULL;
    if (cache->size == 0 || cache->depth < 1 || cache->depth > 8)
        return true;
    const uint64_t line = cache->linesize ? cache->linesize : 64, blocks = cache->size / line;
    if (hwloc_bitmap_list_asprintf(&processors, object->cpuset) < 0)
        return false;
    const struct ft_host_cache row = {
        .level = (uint8_t)cache->depth,
        .content = cache->type == HWLOC_OBJ_CACHE_DATA          ? FT_CACHE_DATA
                   : cache->type == HWLOC_OBJ_CACHE_INSTRUCTION ? FT_CACHE_INSTRUCTIONS
                                                                : FT_CACHE_UNIFIED,
        .size_bytes = cache->size,
        .line_bytes = cache->linesize,
        .ways = cache->associativity > 0    ? (uint32_t)cache->associativity
                : cache->associativity == 0 ? 0 /* unknown */
                                            : (uint32_t)blocks,
        .processors = processors};
    const bool added = ft_capture_host_cache(host, &row);
    free(processors);
    return added;
}

static bool add_caches(hwloc_topology_t topology, struct ft_capture_host *host)
{
    for (int type = HWLOC_OBJ_L1CACHE; type <= HWLOC_OBJ_L3ICACHE; type++) {
        hwloc_obj_t object = NULL;
        while ((object = hwloc_get_next_obj_by_type(topology, (hwloc_obj_type_t)type, object)))
            if (!add_cache(object, host))
                return false;
    }
    return true;
}

static bool describe(hwloc_topology_t topology, struct ft_capture_host *host, char **ret_processor)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    const char *name = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    if (!name)
        name = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "CPUModel");
    *ret_processor = strdup(name ? name : "");
    return *ret_processor && add_fact(topology, "CPUVendor", "cpu_vendor", false, host) &&
           add_fact(topology, "CPUFamilyNumber", "cpu_family", true, host) &&
           add_fact(topology, "CPUModelNumber", "cpu_model", true, host) &&
           add_caches(topology, host);
}

/* Its own parser, no plugins, and no words on stderr. */
static bool quieten(void)
{
    return setenv("HWLOC_LIBXML", "0", 1) == 0 && setenv("HWLOC_XML_VERBOSE", "0", 1) == 0 &&
           setenv("HWLOC_HIDE_ERRORS", "2", 1) == 0 &&
           setenv("HWLOC_COMPONENTS_VERBOSE", "0", 1) == 0 &&
           setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 1) == 0;
}

int ft_hwloc_topology_read(const char *path, struct ft_capture_host *ret_host, char **ret_processor,
                           struct ft_diag *diag)
{
    hwloc_topology_t topology;
    struct ft_capture_host host = {0};
    char *processor = NULL;
    int status = FT_OK;
    FILE *file = fopen(path, "re");
    if (!file)
        return ft_fail(diag, FT_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    (void)fclose(file);
    if (!quieten() || hwloc_topology_init(&topology) != 0)
        return ft_fail_memory(diag, path);
    if (hwloc_topology_set_xml(topology, path) != 0 ||
        hwloc_topology_set_type_filter(topology, HWLOC_OBJ_L1ICACHE, HWLOC_TYPE_FILTER_KEEP_ALL) !=
            0 ||
        hwloc_topology_load(topology) != 0)
        status = ft_fail(diag, FT_ERROR_DATA,
                         "%s: is no topology of hwloc; 'lstopo topology.xml' writes one", path);
    else if (!describe(topology, &host, &processor))
        status = ft_fail_memory(diag, path);
    hwloc_topology_destroy(topology);
    if (status == FT_OK) {
        *ret_host = host;
        *ret_processor = processor;
        return FT_OK;
    }
    ft_capture_host_fini(&host);
    free(processor);
    return status;
}
