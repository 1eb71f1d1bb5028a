/*
 * Where a trace comes from: parameters, command and host, and the totals of the run. All texts and
 * arrays are owned.
 */
#ifndef FT_FORMATS_TRACE_METADATA_H
#define FT_FORMATS_TRACE_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"
#include "formats/trace/capture_host.h"

struct ft_parameter {
    char *name;
    double value;
};

struct ft_metadata {
    struct ft_parameter *parameters; /* -D NAME=VALUE, in order */
    size_t parameter_count;
    char **arguments; /* the program's command line, 0-terminated texts */
    size_t argument_count;
    char *directory; /* working directory */
    char *program;   /* path of the executable */
    char *host, *kernel, *cpu;
    char *tool_version;
    char *started;    /* ISO 8601, UTC; no part of any result */
    char *end_reason; /* why the trace ends: "the program exited with status 0" */
    uint32_t xsave_standard_bytes, xsave_compact_bytes;
    uint64_t instructions; /* executed, all threads; 0 in a trace that was cut off */
    uint64_t accesses;     /* loads and stores, prefetches not counted */
    uint64_t prefetches;
    double target_cpu_seconds; /* user and system time of the program while it was captured */
    double host_cpu_seconds;   /* of foretrace meanwhile, all threads */
    bool has_kernel_totals;    /* the next three: not in imported, early and cut-off traces */
    uint64_t kernel_calls;     /* escapes of system calls: what they touch are no accesses */
    uint64_t kernel_reads_bytes, kernel_writes_bytes; /* of the program's memory, there */
    uint64_t library_calls;                           /* likewise: has_kernel_totals */
    struct ft_capture_host capture_host;
};
/* What every trace has that is made now: tool_version and started; false without memory. */
bool ft_metadata_begin(struct ft_metadata *metadata);
/* The same where no program ran: neither machine nor directory, which are empty. */
bool ft_metadata_begin_without_host(struct ft_metadata *metadata);
int ft_metadata_copy(const struct ft_metadata *from, struct ft_metadata *ret_copy,
                     struct ft_diag *diag);
void ft_metadata_fini(struct ft_metadata *metadata);
/* The parameter of that name, or NULL. */
struct ft_parameter *ft_metadata_parameter(const struct ft_metadata *metadata, const char *name);
/* One of a new name, behind the others. */
int ft_metadata_add_parameter(struct ft_metadata *metadata, const char *name, double value,
                              struct ft_diag *diag);
/* The arguments with blanks between them, to be freed; NULL without memory. */
char *ft_metadata_command(const struct ft_metadata *metadata);

#endif
