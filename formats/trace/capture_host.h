/*
 * The machine and environment that a trace was captured on: caches and TLBs,
 * memory, affinity, limits, auxiliary vector, chosen environment variables. No result depends on
 * it, and it is not part of the content hash. Everything is owned; tables are empty where nothing
 * is known (imported traces, and those of earlier versions).
 */
#ifndef FT_FORMATS_TRACE_CAPTURE_HOST_H
#define FT_FORMATS_TRACE_CAPTURE_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/bytes.h"
#include "formats/base/status.h"

/* The fact that has the options of `capture`, but for those that traces show otherwise (where they
 * went to, parameters, --counts, --source, --private). */
#define FT_HOST_OPTIONS "capture_options"

/* A text, or where that is NULL a number. Names: docs/trace-format.md. */
struct ft_host_fact {
    char *name, *text;
    uint64_t number;
};

enum ft_cache_content { FT_CACHE_DATA = 1, FT_CACHE_INSTRUCTIONS, FT_CACHE_UNIFIED };

struct ft_host_cache {
    uint8_t level, content;          /* enum ft_cache_content */
    uint64_t size_bytes;             /* 0: there is one, but its size is unknown */
    uint32_t line_bytes, ways, sets; /* 0: unknown */
    char *processors;                /* that share it: "0-3,8" */
};

struct ft_host_tlb {
    uint8_t level, content;
    uint64_t page_bytes;
    uint32_t entries, ways; /* ways = entries: fully associative */
};

struct ft_host_limit {
    char *name;          /* as prlimit(1) has it: "STACK" */
    uint64_t soft, hard; /* UINT64_MAX: unlimited */
};

struct ft_host_auxiliary {
    uint64_t type, value; /* AT_... of the auxiliary vector */
};

struct ft_host_variable {
    char *name, *value;
};

struct ft_capture_host {
    struct ft_host_fact *facts;
    size_t fact_count, fact_capacity;
    struct ft_host_cache *caches;
    size_t cache_count, cache_capacity;
    struct ft_host_tlb *tlbs;
    size_t tlb_count, tlb_capacity;
    struct ft_host_limit *limits;
    size_t limit_count, limit_capacity;
    struct ft_host_auxiliary *auxiliary;
    size_t auxiliary_count, auxiliary_capacity;
    struct ft_host_variable *variables;
    size_t variable_count, variable_capacity;
};

/* Names of variables in which launchers say of each process that they start which rank it is, and
 * how many there are, up to a NULL; the first that is set counts. */
extern const char *const ft_rank_variables[], *const ft_rank_count_variables[];

/* Each adds an entry, with copies of the texts; false when out of memory. text NULL: a number. */
bool ft_capture_host_fact(struct ft_capture_host *host, const char *name, const char *text,
                          uint64_t number);
bool ft_capture_host_cache(struct ft_capture_host *host, const struct ft_host_cache *cache);
bool ft_capture_host_tlb(struct ft_capture_host *host, const struct ft_host_tlb *tlb);
bool ft_capture_host_limit(struct ft_capture_host *host, const struct ft_host_limit *limit);
bool ft_capture_host_auxiliary(struct ft_capture_host *host, uint64_t type, uint64_t value);
bool ft_capture_host_variable(struct ft_capture_host *host, const char *name, const char *value);

/* NULL: it is not known. */
const struct ft_host_fact *ft_capture_host_find_fact(const struct ft_capture_host *host,
                                                     const char *name);

int ft_capture_host_copy(const struct ft_capture_host *from, struct ft_capture_host *ret_copy,
                         struct ft_diag *diag);
void ft_capture_host_fini(struct ft_capture_host *host);

/* As it stands in the metadata: up to the end of the cursor. A failure sets cursor->failed. */
void ft_capture_host_write(const struct ft_capture_host *host, struct ft_bytes *bytes);
void ft_capture_host_read(struct ft_cursor *cursor, struct ft_capture_host *ret_host);

#endif
