/*
 * The instruction mix of a piece of a program: its instructions by generic class, their operations
 * by type of number and width, and its loads and stores by width (Marin & Mellor-Crummey 2004,
 * section 2.3.1; docs/structure.md, "What counts as an operation"). Sums of what was executed, or
 * of the code, each instruction counted once. Plain counts: mixes are added member by member.
 */
#ifndef FT_ENGINE_PROGRAM_MIX_MIX_H
#define FT_ENGINE_PROGRAM_MIX_MIX_H

#include "engine/program/graph/flow_graph.h"

/* Accesses of 1, 2, 4, ... 64 bytes, and others. */
#define FT_MIX_ACCESS_WIDTHS 8
extern const char *const ft_mix_access_width_names[FT_MIX_ACCESS_WIDTHS]; /* "1" ... "other" */

struct ft_mix_accesses {
    uint64_t count, bytes;
    uint64_t count_by_width[FT_MIX_ACCESS_WIDTHS], bytes_by_width[FT_MIX_ACCESS_WIDTHS];
};

/* Nothing but uint64_t. */
struct ft_mix {
    uint64_t instructions;
    uint64_t classes[FT_MIX_COUNT]; /* of the operations; FT_MIX_LOAD and FT_MIX_STORE are the
                                       accesses, besides */
    uint64_t operations[FT_NUMBER_TYPES][FT_OPERATION_WIDTHS];
    uint64_t flops, masked_flops; /* masked: of instructions under a mask of which is not known
                                     which lanes it leaves out, all lanes counted */
    uint64_t integer_operations, masked_integer_operations;
    struct ft_mix_accesses loads, stores;
};

/* `times` executions of an instruction, without its accesses; NULL: of one that is not known. */
void ft_mix_add_instruction(struct ft_mix *mix, const struct ft_instruction *instruction,
                            uint64_t times);
/* Takes out what a mask left out of `times` executions of an instruction that were added: it worked
 * on so many lanes (masked_lanes.h). */
void ft_mix_leave_out(struct ft_mix *mix, const struct ft_instruction *instruction, uint64_t times,
                      uint64_t lanes);
/* Accesses of a kind; prefetches and fetches are none. */
void ft_mix_add_accesses(struct ft_mix *mix, enum ft_access_kind kind, uint32_t size_bytes,
                         uint64_t times);
void ft_mix_add(struct ft_mix *sum, const struct ft_mix *mix);

/* The code of a block, each instruction once, string instructions as if they moved one element,
 * gathers and vectors under masks with all lanes. */
void ft_mix_of_code(const struct ft_flow_graph *graph, uint32_t block, struct ft_mix *ret_mix);

/* From blocks to scopes: ret_mixes[scope], allocated, has all that is nested in a scope. */
int ft_mix_of_scopes(const struct ft_scopes *scopes, const struct ft_mix *block_mixes,
                     struct ft_mix **ret_mixes, struct ft_diag *diag);

/* ---- the members by name, for tables ---- */

enum ft_mix_table { FT_MIX_TABLE_CLASSES, FT_MIX_TABLE_OPERATIONS, FT_MIX_TABLE_MEMORY };
#define FT_MIX_TABLES 3

struct ft_mix_metric {
    enum ft_mix_table table; /* in text */
    bool only_csv;
    char title[24], key[40];
    size_t offset_bytes; /* in struct ft_mix */
};
#define FT_MIX_METRICS_MAX (sizeof(struct ft_mix) / sizeof(uint64_t))

/* All of them, in the order of tables; gives how many. */
size_t ft_mix_metrics(struct ft_mix_metric metrics[FT_MIX_METRICS_MAX]);

/* Of loads and stores; the others are of instructions. */
static inline bool ft_mix_metric_is_of_accesses(const struct ft_mix_metric *metric)
{
    const size_t classes = offsetof(struct ft_mix, classes);
    return metric->table == FT_MIX_TABLE_MEMORY ||
           metric->offset_bytes == classes + FT_MIX_LOAD * sizeof(uint64_t) ||
           metric->offset_bytes == classes + FT_MIX_STORE * sizeof(uint64_t);
}

static inline uint64_t ft_mix_metric_of(const struct ft_mix *mix,
                                        const struct ft_mix_metric *metric)
{
    return *(const uint64_t *)((const char *)mix + metric->offset_bytes);
}

#endif
