/*
 * The longest copy of a nest: memcpy of 100 granules, then of 250 vectors in a loop; what
 * stores without loading, or stands in another routine, copies nothing. The vectors of calls of 2
 * KiB and more.
 */
#include <stdlib.h>

#include "fit/skeletons/string_copies.h"
#include "tests/support/tap.h"

enum { LOAD, STORE, LOAD_16, STORE_16 };
enum { MEMCPY, MEMSET, OTHER, ROUTINES };

static struct ft_reference references[] = {[LOAD] = {.size_bytes = 32, .kind = FT_LOAD},
                                           [STORE] = {.size_bytes = 32, .kind = FT_STORE},
                                           [LOAD_16] = {.size_bytes = 16, .kind = FT_LOAD},
                                           [STORE_16] = {.size_bytes = 16, .kind = FT_STORE}};
static struct ft_scope scopes[] = {
    [MEMCPY] = {.kind = FT_SCOPE_ROUTINE, .name = (char *)"__memcpy_avx_unaligned_erms"},
    [MEMSET] = {.kind = FT_SCOPE_ROUTINE, .name = (char *)"__memset_avx2_unaligned_erms"},
    [OTHER] = {.kind = FT_SCOPE_ROUTINE, .name = (char *)"copy"}};
static uint32_t routine_scopes[] = {MEMCPY, MEMSET, OTHER};
static const struct ft_skeleton skeleton = {.scopes = {.scopes = scopes, .scope_count = ROUTINES},
                                            .references = references,
                                            .reference_count =
                                                sizeof references / sizeof *references,
                                            .routine_scopes = routine_scopes,
                                            .routine_count = ROUTINES};

/* A call: so many times a load, if any, and a store. */
static bool add_call(struct ft_nest *nest, uint32_t routine, bool has_loop, int load, int store,
                     uint64_t count)
{
    const uint64_t steps[] = {32, 32};
    struct ft_nest body = {0};
    size_t call, loop = 0;
    bool good = (load < 0 || ft_nest_add_access(&body, (uint32_t)load, 4096)) &&
                ft_nest_add_access(&body, (uint32_t)store, 65536) &&
                ft_nest_open(nest, FT_NEST_ROUTINE, routine, &call) &&
                (!has_loop || ft_nest_open(nest, FT_NEST_LOOP, 0, &loop));
    const struct ft_nest_span span = ft_nest_span(&body);
    good = good && ft_nest_add_repeat(nest, &span, count, steps);
    if (good && has_loop)
        ft_nest_close(nest, loop);
    if (good)
        ft_nest_close(nest, call);
    ft_nest_fini(&body);
    return good;
}

int main(void)
{
    struct ft_nest nest = {0};
    uint64_t longest[ROUTINES];
    tap_ok(add_call(&nest, MEMCPY, false, LOAD, STORE, 100) &&
               add_call(&nest, MEMSET, false, -1, STORE, 1000) &&
               add_call(&nest, OTHER, true, LOAD, STORE, 1000),
           "calls");
    ft_string_copies_longest(&skeleton, &nest, longest);
    tap_ok(longest[MEMCPY] == 3200 && longest[MEMSET] == 0 && longest[OTHER] == 0,
           "%llu, %llu, %llu bytes", (unsigned long long)longest[MEMCPY],
           (unsigned long long)longest[MEMSET], (unsigned long long)longest[OTHER]);
    tap_ok(add_call(&nest, MEMCPY, true, LOAD_16, STORE_16, 250), "a longer one, by vectors");
    ft_string_copies_longest(&skeleton, &nest, longest);
    tap_ok(longest[MEMCPY] == 4000, "%llu bytes", (unsigned long long)longest[MEMCPY]);
    struct ft_diag diag = {0};
    double accesses[sizeof references / sizeof *references];
    if (!add_call(&nest, MEMCPY, true, LOAD_16, STORE_16, 127) || /* 2032 bytes */
        ft_string_vectors_long(&skeleton, &nest, accesses, &diag) != FT_OK)
        abort();
    tap_ok(accesses[LOAD_16] == 250 && accesses[STORE_16] == 250 && accesses[LOAD] == 100 &&
               accesses[STORE] == 1100,
           "%g, %g, %g, %g accesses of long calls", accesses[LOAD_16], accesses[STORE_16],
           accesses[LOAD], accesses[STORE]);
    ft_nest_fini(&nest);
    return tap_plan_done();
}
