/*
 * A program's groups of references in terms that carry over to another build: the scope, the lines
 * of the accesses, whether they load or store, their strides, and the data they touch. Made from a
 * trace's structure here, from histograms in entry_groups.h. Owns its strings; points into the
 * scope locations and the data.
 */
#ifndef FT_ENGINE_MATCH_GROUP_LOCATIONS_H
#define FT_ENGINE_MATCH_GROUP_LOCATIONS_H

#include "engine/data/data_of_groups.h"
#include "engine/match/scope_locations.h"
#include "engine/program/structure.h"
#include "engine/program/values/reference_groups.h"

struct ft_group_line {
    const char *file; /* base name; "" where it is the routine's file, or unknown */
    uint32_t line;    /* as seen from the scope: that of the call for inlined code; 0: unknown */
    bool is_relative; /* the line is relative to the scope's first line */
    const char *source_file;
    uint32_t source_line; /* line of source_file, also within a routine that was inlined */
    uint32_t access;      /* index of the heaviest access on that line */
    uint64_t accesses;
};

/* One access of a group in the code. */
struct ft_group_access {
    uint32_t group;
    uint32_t routine; /* scope */
    uint32_t module;
    uint64_t offset; /* of the instruction in the module */
    uint32_t access_index;
    uint32_t number; /* how many accesses of the routine come before it */
    uint64_t accesses;
};

struct ft_group_location {
    uint32_t scope;
    uint64_t accesses;               /* of all its references; 0: none was executed completely */
    uint8_t kinds;                   /* 1 << enum ft_access_kind, of all references */
    uint8_t storage;                 /* enum ft_storage; 0 for all of old histograms */
    char *strides;                   /* "irregular 8?*8 8": outermost loop first, symbols as "?" */
    uint32_t first_line, line_count; /* range of lines[], most accesses first; at least one */
    uint32_t first_access;           /* index of the first in the code */
};

struct ft_group_locations {
    const struct ft_scope_locations *scopes;
    const struct ft_data_of_groups *data;
    struct ft_group_location *items;
    uint32_t count;
    struct ft_group_line *lines;
    size_t line_count;
    struct ft_group_access *accesses; /* by routine, in code order */
    size_t access_count;
};

/* What a trace's groups are made from. */
struct ft_group_code {
    const struct ft_structure *structure;
    const struct ft_module *const *modules;
    const struct ft_formulas *formulas;
    const struct ft_reference_groups *groups;
    const uint64_t *access_counts; /* [access of the formulas] */
};
/* scopes: locations of the structure's; they and the data must outlive the locations. */
int ft_group_locations_make(const struct ft_scope_locations *scopes,
                            const struct ft_group_code *code, const struct ft_data_of_groups *data,
                            struct ft_group_locations *ret_locations, struct ft_diag *diag);
void ft_group_locations_fini(struct ft_group_locations *locations);

#endif
