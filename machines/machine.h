/*
 * A machine description: caches, TLBs, memory, issue width and functional units, read from YAML
 * (schema and meaning of every key: docs/machines.md). Each figure of a file names its source; a
 * file in which one does not is refused.
 *
 * Errors name the file, the line where the YAML parser knows it, and the key. All texts and arrays
 * are owned by the machine. Loaded machines are constants: any number of threads may read them.
 */
#ifndef FT_MACHINES_MACHINE_H
#define FT_MACHINES_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"
#include "formats/x86/instruction.h"

enum ft_level_kind { FT_LEVEL_CACHE, FT_LEVEL_TLB };
extern const char *const ft_level_kind_names[2]; /* "cache", "tlb" */

/* How a level behaves in a hierarchy (docs/machines.md, "Behaviour"); 0 is what a file that says
 * nothing means. The names are those of the files. */
enum ft_replacement { FT_REPLACE_LRU, FT_REPLACE_PLRU, FT_REPLACE_RANDOM };
enum ft_inclusion { FT_INCLUSION_NONE, FT_INCLUSIVE, FT_EXCLUSIVE };
enum ft_write { FT_WRITE_BACK, FT_WRITE_THROUGH };
enum ft_write_miss { FT_WRITE_ALLOCATE, FT_WRITE_AROUND };
enum ft_prefetch_kind { FT_PREFETCH_NONE, FT_PREFETCH_NEXT_LINE, FT_PREFETCH_STRIDE };
extern const char *const ft_replacement_names[3];   /* "lru", "plru", "random" */
extern const char *const ft_inclusion_names[3];     /* "none", "inclusive", "exclusive" */
extern const char *const ft_write_names[2];         /* "back", "through" */
extern const char *const ft_write_miss_names[2];    /* "allocate", "around" */
extern const char *const ft_prefetch_kind_names[3]; /* "none", "next_line", "stride" */

#define FT_PLRU_WAYS_MAX       64
#define FT_PREFETCH_BLOCKS_MAX 64

struct ft_behaviour {
    uint8_t replacement;      /* enum ft_replacement */
    uint8_t inclusion;        /* enum ft_inclusion: towards the levels before */
    uint8_t write;            /* enum ft_write */
    uint8_t write_miss;       /* enum ft_write_miss */
    uint8_t prefetch;         /* enum ft_prefetch_kind */
    uint32_t prefetch_blocks; /* how many at a time; 0 where there is no prefetcher */
    bool unified;             /* takes what instruction levels miss as well */
};

/* How fast one core gets data from a cache or from memory, as measured; 0: unknown. Bytes are
 * those that instructions ask for, elements of 8 bytes one after the other, or vectors; gathers are
 * independent, from random places. */
struct ft_speed {
    double load_bytes_per_cycle, vector_bytes_per_cycle, store_bytes_per_cycle,
        copy_bytes_per_cycle, gather_bytes_per_cycle;
    double load_line_cycles, store_line_cycles; /* of a line of which one element is used */
    double outstanding_misses;                  /* reads from here that overlap */
};

struct ft_level {
    char *name;            /* "L1D", "L2", "DTLB" */
    uint8_t kind;          /* enum ft_level_kind */
    uint64_t block_bytes;  /* line, or memory that a TLB entry maps; a power of two */
    uint64_t blocks;       /* lines or entries; a multiple of ways */
    uint64_t ways;         /* = blocks: fully associative */
    double latency_cycles; /* caches: of a hit; TLBs: what a miss costs; instruction levels: 0 */
    double exposed_share;  /* of the cost of a miss here, the share that nothing hides, 0 to 1 */
    bool shared;           /* by several cores */
    uint32_t shared_by;    /* cores that share it; 1: a core has it to itself, or unknown */
    struct ft_behaviour behaviour;
    struct ft_speed speed; /* of caches */
};

/* What a level holds, and in how many sets; 1 where it is fully associative. */
static inline uint64_t ft_level_capacity_bytes(const struct ft_level *level)
{
    return level->blocks * level->block_bytes;
}
static inline uint64_t ft_level_sets(const struct ft_level *level)
{
    return level->blocks / level->ways;
}

struct ft_unit_class { /* functional units that only certain classes of work run on */
    char *name;
    double rate;                /* operations of these classes that can start each cycle */
    bool classes[FT_MIX_COUNT]; /* a class may need several groups of units */
};

struct ft_machine {
    char *name;
    char *description;
    char **processors; /* that it describes: "VENDOR FAMILY" or "VENDOR FAMILY MODEL" */
    size_t processor_count;
    char *core_file; /* by name; NULL: the one for the processors, if any */
    double clock_ghz;
    double issue_width;      /* instructions a cycle */
    struct ft_level *levels; /* caches from the nearest to the farthest, then TLBs alike */
    size_t level_count;
    size_t cache_count;                  /* the first of levels */
    struct ft_level *instruction_levels; /* in the same order: only instructions are in them */
    size_t instruction_level_count, instruction_cache_count;
    double memory_latency_cycles;
    double
        dirty_memory_latency_cycles; /* where a modified line is written back first; 0: unknown */
    struct ft_unit_class *units;
    size_t unit_count;
    /* 0: unknown, in all that follows */
    double operation_cycles[FT_MIX_COUNT]; /* from an operand to the result */
    double store_forward_cycles;           /* from a store to a load of what it stored */
    double store_conflict_cycles; /* of a store, where more are under way to lines of its set of the
                                     first cache than that has ways */
    struct ft_speed memory_speed;
    double all_cores_bytes_per_cycle; /* loads from memory, of all cores together */
    double page_fault_cycles;         /* what the first touch of a page of 4 KiB costs */
    uint64_t followed_stride_bytes;   /* the longest that prefetchers follow through memory */
    uint64_t ahead_lines;             /* how far in front of a stream of lines they are */
};

/* `name` is a path (it has a / or ends in .yaml), the name of a file in the machines folder
 * without ".yaml", or "caches=..." (see ft_machine_parse). The folder is $FORETRACE_MACHINES, or
 * the first of <folder of the program>/machines, <that>/../share/foretrace/machines and the
 * configured one that exists. */
int ft_machine_load(const char *name, struct ft_machine *ret_machine, struct ft_diag *diag);

/* A machine in one line: "L1:32K:64:8@4,L2:1M:64:16@14,memory@200,TLB:256K:4K:full@30" gives for
 * each level capacity, block, ways (or "full"), any words of its behaviour (":plru:inclusive",
 * ":stride=2", ":unified", ":shared_by=8") and latency; names that contain "TLB" are TLBs.
 * ":instruction" makes an instruction level, which has no latency. All of a miss is exposed, 4
 * instructions issue a cycle, the clock is 1 GHz, units are unlimited. */
int ft_machine_parse(const char *text, struct ft_machine *ret_machine, struct ft_diag *diag);

void ft_machine_fini(struct ft_machine *machine);

/* The same without its instruction levels: a view, which is not to be given to ft_machine_fini. */
struct ft_machine ft_machine_without_instructions(const struct ft_machine *machine);

/* The level of that name; the count of levels where there is none. */
size_t ft_machine_find_level(const struct ft_machine *machine, const char *name);

/* Latency of memory, with modified lines written back first where that is asked for and known. */
double ft_machine_memory_cycles(const struct ft_machine *machine, bool dirty_memory);

/* Cycles that a miss in level `index` costs, exposed or not: for a cache the latency of the next
 * one (or of memory) less its own, for a TLB its latency. */
double ft_machine_miss_cycles(const struct ft_machine *machine, size_t index, bool dirty_memory);

#endif
