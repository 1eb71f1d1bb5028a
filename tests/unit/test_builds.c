/*
 * Sizes that are builds of their own, on three entries made by hand: other build-ids, offsets and
 * numbers each time, one source. Groups are found again by line and strides; strides that are
 * constants of a size do not mix groups; a loop and its remainder are one; libraries go by their
 * code; what a build lacks goes to the rest of its routine, and nothing is lost. And strides that
 * follow the size, and such that do not; and sizes from the names of builds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit/matching/build_names.h"
#include "fit/matching/match.h"
#include "fit/matching/series_strides.h"
#include "fit/scope_counts.h"
#include "formats/x86/unit.h"
#include "tests/support/tap.h"

#define BUILDS     5
#define REFERENCES 9

enum { PROGRAM, MODULE, LIBRARY, SWEEP, OUTER, INNER, COPY, GONE, SCOPES };
enum { ROW, COLUMN, PADDED, STORE, REST_OF_ROW, COPIED, LOST, FETCHED, SPARE };

static const double sizes[BUILDS] = {12, 16, 20, 25, 32};

struct build {
    struct ft_histograms entry;
    struct ft_scope_module modules[2];
    char name[24], build_id[8];
    struct ft_scope scopes[SCOPES];
    struct ft_block blocks[2];
    struct ft_scoped_reference references[REFERENCES];
    uint32_t places[REFERENCES]; /* [what it is]: its reference */
    uint64_t accesses[REFERENCES];
    int64_t strides[REFERENCES];
    struct ft_histogram histograms[REFERENCES];
    struct ft_bin bins[REFERENCES];
};

/* References stand in another order in each build. */
static void add(struct build *build, unsigned index, unsigned what, uint32_t scope, uint32_t line,
                int64_t stride, uint64_t accesses)
{
    const uint32_t at = (what + index) % REFERENCES;
    const bool in_library = what == COPIED;
    build->places[what] = at;
    build->references[at] = (struct ft_scoped_reference){
        .offset = in_library ? 0x700 : 0x1000 * (index + 1) + 0x10 * what,
        .module = in_library ? index % 2 : !(index % 2),
        .scope = scope,
        .group = at,
        .size_bytes = 8,
        .line = line,
        .kind = what == FETCHED ? FT_FETCH
                : what == STORE ? FT_STORE
                                : FT_LOAD,
    };
    build->strides[at] = stride;
    build->accesses[at] = accesses;
    build->bins[at] = (struct ft_bin){ft_bin_of(500), accesses, 500 * accesses};
    build->histograms[at] = (struct ft_histogram){accesses, 0, &build->bins[at], accesses > 0};
}

static void make_scopes(struct build *build, unsigned index)
{
    static char empty[] = "", file[] = "code.c", library[] = "library.so", sweep[] = "sweep";
    static char copy[] = "copy", gone[] = "gone", loop[] = "loop at code.c";
    const uint32_t own = !(index % 2), other = index % 2;
    const uint64_t start = 0x1000 * (index + 1);
    snprintf(build->name, sizeof build->name, "size-%g", sizes[index]);
    snprintf(build->build_id, sizeof build->build_id, "a%u", index);
    build->modules[own].name = build->name;
    build->modules[own].path = empty;
    memcpy(build->modules[own].build_id, build->build_id, sizeof build->build_id);
    build->modules[other] = (struct ft_scope_module){library, empty, "bb"};
    build->scopes[PROGRAM] = (struct ft_scope){
        .module = FT_NO_MODULE, .kind = FT_SCOPE_PROGRAM, .name = build->name, .file = empty};
    build->scopes[MODULE] = (struct ft_scope){
        .module = own, .kind = FT_SCOPE_MODULE, .name = build->name, .file = empty};
    build->scopes[LIBRARY] =
        (struct ft_scope){.module = other, .kind = FT_SCOPE_MODULE, .name = library, .file = empty};
    build->scopes[SWEEP] = (struct ft_scope){.parent = MODULE,
                                             .module = own,
                                             .kind = FT_SCOPE_ROUTINE,
                                             .name = sweep,
                                             .file = file,
                                             .first_line = 10,
                                             .last_line = 20,
                                             .start_offset = start};
    build->scopes[OUTER] = (struct ft_scope){.parent = SWEEP,
                                             .module = own,
                                             .kind = FT_SCOPE_LOOP,
                                             .loop_depth = 1,
                                             .name = loop,
                                             .file = file,
                                             .first_line = 12,
                                             .last_line = 19,
                                             .start_offset = start + 0x20,
                                             .entry_count = 1,
                                             .iteration_count = (uint64_t)sizes[index]};
    build->scopes[INNER] = build->scopes[OUTER];
    build->scopes[INNER].parent = OUTER;
    build->scopes[INNER].loop_depth = 2;
    build->scopes[INNER].first_line = 14;
    build->scopes[INNER].start_offset = start + 0x40 + index;
    build->scopes[COPY] = (struct ft_scope){.parent = LIBRARY,
                                            .module = other,
                                            .kind = FT_SCOPE_ROUTINE,
                                            .name = copy,
                                            .file = empty,
                                            .start_offset = 0x700};
    build->scopes[GONE] = build->scopes[SWEEP];
    build->scopes[GONE].name = gone;
    build->scopes[GONE].start_offset = start + 0x800;
}

static void make(struct build *build, unsigned index)
{
    const uint64_t n = (uint64_t)sizes[index], square = 1000 * n * n;
    const int64_t row_bytes = 8 * (int64_t)n, padded = row_bytes / 64 * 64 + 64;
    memset(build, 0, sizeof *build);
    make_scopes(build, index);
    /* The third build has no `gone`, but a part of the loop that the others lack. */
    add(build, index, ROW, INNER, 15, 8, 2 * square);
    add(build, index, COLUMN, INNER, 15, row_bytes, square);
    add(build, index, PADDED, INNER, 16, padded, square);
    add(build, index, STORE, OUTER, 18, 8, 100 * n);
    add(build, index, REST_OF_ROW, INNER, 15, 8, index == 2 ? 300 : 0);
    add(build, index, COPIED, COPY, 0, 16, square);
    add(build, index, LOST, index == 2 ? SWEEP : GONE, index == 2 ? 11 : 17, 8, square);
    add(build, index, FETCHED, INNER, 15, FT_STRIDE_NONE, square);
    add(build, index, SPARE, SWEEP, 0, FT_STRIDE_NONE, 0);
    /* Where it is not executed, the remainder is in its loop's group: one reference, no group. */
    if (index != 2)
        build->references[build->places[REST_OF_ROW]].group = build->places[ROW];
    build->blocks[0] = (struct ft_block){.scope = INNER,
                                         .module = !(index % 2),
                                         .offset = build->scopes[INNER].start_offset,
                                         .code_bytes = 0x100,
                                         .instruction_count = 4,
                                         .execution_count = square};
    build->blocks[1] = (struct ft_block){.scope = COPY,
                                         .module = index % 2,
                                         .offset = 0x700,
                                         .code_bytes = 0x20,
                                         .instruction_count = 2,
                                         .execution_count = square};
    build->entry = (struct ft_histograms){.size_count = 1,
                                          .reference_accesses = build->accesses,
                                          .reference_strides = build->strides,
                                          .histograms = build->histograms};
    build->entry.scopes = (struct ft_scopes){.modules = build->modules,
                                             .module_count = 2,
                                             .scopes = build->scopes,
                                             .scope_count = SCOPES,
                                             .blocks = build->blocks,
                                             .block_count = 2,
                                             .references = build->references,
                                             .reference_count = REFERENCES,
                                             .group_count = REFERENCES};
}

static struct build builds[BUILDS];
static const struct ft_histograms *entries[BUILDS];

/* The group of a reference, if it is the same in all builds; else UINT32_MAX. */
static uint32_t group_of(const struct ft_match *match, unsigned what)
{
    const uint32_t group = match->group_of[0][builds[0].places[what]];
    for (size_t e = 1; e < BUILDS; e++)
        if (match->group_of[e][builds[e].places[what]] != group)
            return UINT32_MAX;
    return group;
}

static void check_groups(const struct ft_match *match)
{
    static const char *const names[] = {"a row",   "a column",      "a padded column",
                                        "a store", "the remainder", "a library"};
    static const uint32_t scopes[] = {INNER, INNER, INNER, OUTER, INNER, COPY};
    uint32_t groups[COPIED + 1];
    tap_ok(match->build_count == BUILDS, "%zu builds", match->build_count);
    for (unsigned what = ROW; what <= COPIED; what++) {
        groups[what] = group_of(match, what);
        const struct ft_matched_group *group =
            groups[what] == UINT32_MAX ? NULL : &match->groups[groups[what]];
        tap_ok(group && !group->rest && group->scope == scopes[what],
               "%s is one group in all builds, in its scope", names[what]);
    }
    tap_ok(groups[REST_OF_ROW] == groups[ROW], "a loop and its remainder are one group");
    bool apart = true;
    for (unsigned a = ROW; a <= COPIED; a++)
        for (unsigned b = ROW; b < a; b++)
            apart = apart && (a == REST_OF_ROW || b == REST_OF_ROW || groups[a] != groups[b]);
    tap_ok(apart, "the others are groups of their own");
    const uint32_t lost = match->group_of[0][builds[0].places[LOST]];
    tap_ok(match->groups[lost].rest && match->groups[lost].scope == GONE,
           "what a build lacks is in the rest of its routine");
    tap_ok(match->groups[match->group_of[2][builds[2].places[LOST]]].rest, "and what it has alone");
    const double square = 1000. * 32 * 32, share = (5 * square + 3200) / (6 * square + 3200);
    tap_ok(match->matched_share > share - 1e-12 && match->matched_share < share + 1e-12,
           "matched share: %.4f of the accesses", match->matched_share);
    bool complete = true;
    for (size_t e = 0; e < BUILDS; e++)
        for (unsigned what = 0; what < REFERENCES; what++)
            complete = complete && (what == FETCHED) ==
                                       (match->group_of[e][builds[e].places[what]] == FT_NO_GROUP);
    tap_ok(complete, "each reference is in a group, fetches are in none");
}

static void check_counts(const struct ft_match *match)
{
    double *counts;
    if (!tap_ok(ft_scope_counts_gather(match, entries, &counts, NULL) == FT_OK,
                "the counts of scopes are gathered"))
        return;
    bool right = true, iterations = true;
    for (size_t e = 0; e < BUILDS; e++) {
        const double square = 1000 * sizes[e] * sizes[e];
        const double *inner = counts + INNER * FT_QUANTITY_COUNT * BUILDS;
        const double *copy = counts + COPY * FT_QUANTITY_COUNT * BUILDS;
        right = right && inner[FT_QUANTITY_INSTRUCTIONS * BUILDS + e] == 4 * square &&
                copy[FT_QUANTITY_INSTRUCTIONS * BUILDS + e] == 2 * square;
        iterations = iterations && inner[FT_QUANTITY_ITERATIONS * BUILDS + e] == sizes[e];
    }
    tap_ok(right, "instructions stand in the scope that is theirs in the last build");
    tap_ok(iterations, "and so do iterations");
    free(counts);
}

static void check_strides(const struct ft_match *match)
{
    static const int64_t lines[] = {96, 128, 160, 200}, odd[] = {104, 136, 160, 200};
    static const int64_t planes[] = {1152, 2048, 3200, 5000, 8192};
    struct ft_series_strides strides;
    tap_ok(ft_strides_follow(sizes, lines, 4) && ft_strides_follow(sizes, planes, BUILDS),
           "strides 8 N and 8 N^2 follow N");
    tap_ok(!ft_strides_follow(sizes, odd, 4) && !ft_strides_follow(sizes, planes, 3),
           "such that are padded do not, nor where no size is left to tell");
    if (!tap_ok(ft_series_strides_find(match, entries, sizes, &strides, NULL) == FT_OK,
                "strides are looked at"))
        return;
    const double square = 1000. * 32 * 32, all = 6 * square + 3200;
    tap_ok(strides.strange > square / all - 1e-9 && strides.strange < square / all + 1e-9,
           "%.4f of the accesses move by strides that do not follow", strides.strange);
    tap_ok(strides.known > (5 * square + 3200) / all - 1e-9 && strides.known < 1,
           "%.4f by strides that are known", strides.known);
    tap_ok(strides.scope == &builds[BUILDS - 1].scopes[INNER] && strides.line == 16 &&
               strides.strides[0] == 128 && strides.strides[BUILDS - 1] == 320,
           "the padded column is named");
}

/* Of files that tell how groups move: rows are padded, which the stride of the inner loop hides. */
static void check_outer_strides(const struct ft_match *match)
{
    static struct ft_scoped_group groups[BUILDS][REFERENCES];
    static char texts[BUILDS][REFERENCES][40];
    struct ft_series_strides strides;
    for (unsigned e = 0; e < BUILDS; e++) {
        const int64_t row_bytes = 8 * (int64_t)sizes[e], padded = row_bytes / 64 * 64 + 64;
        for (unsigned what = 0; what < REFERENCES; what++) {
            const uint32_t at = builds[e].places[what];
            snprintf(texts[e][at], sizeof texts[e][at], " irregular %" PRId64 " 8",
                     what == COPIED ? padded : row_bytes);
            groups[e][at].strides = texts[e][at];
        }
        builds[e].entry.scopes.groups = groups[e];
    }
    if (!tap_ok(ft_series_strides_find(match, entries, sizes, &strides, NULL) == FT_OK,
                "strides of all loops are looked at"))
        return;
    const double square = 1000. * 32 * 32, share = square / (6 * square + 3200);
    tap_ok(strides.strange > share - 1e-9 && strides.strange < share + 1e-9 &&
               strides.scope == &builds[BUILDS - 1].scopes[COPY] && strides.strides[0] == 128 &&
               strides.strides[BUILDS - 1] == 320,
           "padded rows are found in the outer loop, of %.4f of the accesses", strides.strange);
}

static void check_value(const char *path, const char *pattern, double expected)
{
    double value = 0;
    const bool found = ft_build_name_value(path, pattern, &value);
    tap_ok(found && value == expected, "%s like %s: %g", path, pattern, value);
}

static void check_names(void)
{
    double value = 0;
    check_value("/a/ssor-12", "ssor-#", 12);
    check_value("/N64/bin/lu", "N#/bin/lu", 64);
    check_value("12.5x", "#x", 12.5);
    tap_ok(!ft_build_name_value("/a/xssor-12", "ssor-#", &value) &&
               !ft_build_name_value("/a/ssor-", "ssor-#", &value) &&
               !ft_build_name_value("/a/ssor-12b", "ssor-#", &value) &&
               !ft_build_name_value("/a/ssor-12/b", "ssor-#", &value) &&
               !ft_build_name_value("/a/ssor-12", "ssor-12", &value),
           "other names, and parts of names, have no value");
}

int main(void)
{
    struct ft_match match;
    for (unsigned e = 0; e < BUILDS; e++) {
        make(&builds[e], e);
        entries[e] = &builds[e].entry;
    }
    if (!tap_ok(ft_match_init(&match, entries, BUILDS, NULL) == FT_OK, "five builds are matched"))
        return tap_plan_done();
    check_groups(&match);
    check_counts(&match);
    check_strides(&match);
    check_outer_strides(&match);
    check_names();
    ft_match_fini(&match);
    return tap_plan_done();
}
