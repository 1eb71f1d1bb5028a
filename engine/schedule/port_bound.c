#include "engine/schedule/port_bound.h"

#define SETS_MAX   64
#define UNIONS_MAX 4096

struct demand {
    uint64_t ports;
    double cycles;
};

static uint32_t collect(const struct ft_body *body, struct demand demands[SETS_MAX])
{
    uint32_t count = 0;
    for (uint32_t o = 0; o < body->operation_count; o++)
        for (uint32_t u = 0; u < body->operations[o].use_count; u++) {
            const struct ft_core_use *use = &body->operations[o].uses[u];
            const uint64_t ports = body->core->groups[use->group].ports;
            uint32_t d = 0;
            while (d < count && demands[d].ports != ports)
                d++;
            if (d == SETS_MAX)
                continue;
            if (d == count)
                demands[count++] = (struct demand){.ports = ports};
            demands[d].cycles += use->cycles;
        }
    return count;
}

/* Closes the sets under union, as far as there is room. */
static uint32_t unions_of(const struct demand *demands, uint32_t count, uint64_t unions[UNIONS_MAX])
{
    uint32_t union_count = 0;
    for (uint32_t d = 0; d < count; d++) {
        const uint32_t before = union_count;
        for (uint32_t i = 0; i <= before && union_count < UNIONS_MAX; i++) {
            const uint64_t joined = demands[d].ports | (i < before ? unions[i] : 0);
            uint32_t known = 0;
            while (known < union_count && unions[known] != joined)
                known++;
            if (known == union_count)
                unions[union_count++] = joined;
        }
    }
    return union_count;
}

double ft_port_bound(const struct ft_body *body, uint64_t *ret_ports)
{
    struct demand demands[SETS_MAX];
    uint64_t unions[UNIONS_MAX];
    const uint32_t count = collect(body, demands);
    const uint32_t union_count = unions_of(demands, count, unions);
    double bound = 0;
    *ret_ports = 0;
    for (uint32_t i = 0; i < union_count; i++) {
        double cycles = 0;
        for (uint32_t d = 0; d < count; d++)
            cycles += (demands[d].ports & ~unions[i]) == 0 ? demands[d].cycles : 0;
        cycles /= __builtin_popcountll(unions[i]);
        if (cycles > bound) {
            bound = cycles;
            *ret_ports = unions[i];
        }
    }
    return bound;
}
