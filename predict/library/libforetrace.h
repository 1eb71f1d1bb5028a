/*
 * The C interface of foretrace: traces run by run, histograms of reuse distances, and forecasts of
 * models on machines (docs/library.md). Link with `pkg-config --cflags --libs foretrace`.
 *
 * Functions that can fail return 0 or a negative status and describe what happened in *error, which
 * may be NULL; what they return through ret_x is written on success only. They never print, exit or
 * abort. An object is closed by its own function, which takes NULL too; texts and arrays belong to
 * the object that gave them, and live as long as it does unless said otherwise. An object is used
 * by one thread at a time; different objects by different threads, but not while files are opened,
 * as Debian's HDF5 is not thread safe.
 *
 * What is declared here stays as it is: what is new gets a new name, and a version of symbols after
 * FORETRACE_0.1.
 */
#ifndef LIBFORETRACE_H
#define LIBFORETRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum foretrace_status {
    FORETRACE_OK = 0,
    FORETRACE_FAILURE = -1,     /* anything that fits no other value */
    FORETRACE_MEMORY = -2,      /* an allocation failed */
    FORETRACE_IO = -3,          /* the system refused a read, write, open... */
    FORETRACE_USAGE = -4,       /* what was asked for does not exist or is not valid */
    FORETRACE_DATA = -5,        /* a file is damaged, truncated or not what it should be */
    FORETRACE_UNSUPPORTED = -6, /* well-formed, but this version cannot do it */
    FORETRACE_NUMERIC = -7,     /* a numerical method found no answer */
};

struct foretrace_error {
    int status;         /* enum foretrace_status */
    char message[1024]; /* names file and place: "run.h5: chunk 17: checksum mismatch" */
};

/* Of the library: "0.1.0". */
const char *foretrace_version(void);

/* ---- scopes: the program, its modules, routines and loops ---- */

enum foretrace_scope_kind {
    FORETRACE_PROGRAM,
    FORETRACE_MODULE,
    FORETRACE_ROUTINE,
    FORETRACE_LOOP,
};

/* Scope 0 is the program, its own parent; parents come before what is in them. */
struct foretrace_scope {
    int kind; /* enum foretrace_scope_kind */
    size_t parent;
    const char *name;               /* a loop's: "loop at FILE:LINE" */
    const char *file;               /* "" where it is not known */
    unsigned first_line, last_line; /* 0 where they are not known */
};

/* ---- traces (docs/trace.md) ---- */

struct foretrace_trace;

/* reads_incomplete: other than 0, also what is whole of a trace that was cut off. */
int foretrace_trace_open(const char *path, int reads_incomplete, struct foretrace_trace **ret_trace,
                         struct foretrace_error *error);
void foretrace_trace_close(struct foretrace_trace *trace);
/* 16 hex digits that depend on the logs alone: equal where two traces are. */
const char *foretrace_trace_hash(const struct foretrace_trace *trace);
/* The path of the executable. */
const char *foretrace_trace_program(const struct foretrace_trace *trace);
/* Threads are numbered from 0. */
uint32_t foretrace_trace_threads(const struct foretrace_trace *trace);
/* Loads and stores of all threads; prefetches are not counted. */
uint64_t foretrace_trace_accesses(const struct foretrace_trace *trace);
/* The value of -D NAME=VALUE; FORETRACE_USAGE if there was none. */
int foretrace_trace_parameter(const struct foretrace_trace *trace, const char *name,
                              double *ret_value, struct foretrace_error *error);

enum foretrace_access_kind { FORETRACE_LOAD, FORETRACE_STORE, FORETRACE_STORE_NONTEMPORAL };

/* An operand in memory of an instruction. */
struct foretrace_reference {
    uint64_t pc;
    uint32_t size_bytes; /* of each access */
    int kind;            /* enum foretrace_access_kind */
    const char *routine; /* as linked, not demangled; "" where it is not known */
    const char *file;    /* "" where it is not known */
    unsigned line;       /* 0 where it is not known */
};

/* In iteration i, for each reference j in order, an access at addresses[j] + i * strides[j]. */
struct foretrace_run {
    uint64_t iteration_count;
    size_t reference_count;
    const uint32_t *references; /* numbers of foretrace_runs_reference */
    const uint64_t *addresses;
    const int64_t *strides; /* bytes; meaningless in runs of one iteration */
};

struct foretrace_runs;

/* The accesses of one thread in program order. The trace must stay open. */
int foretrace_runs_open(struct foretrace_trace *trace, uint32_t thread,
                        struct foretrace_runs **ret_runs, struct foretrace_error *error);
void foretrace_runs_close(struct foretrace_runs *runs);
/* 1: *ret_run is the next run, whose arrays live until the next call; 0: there are no more;
 * negative: a status. */
int foretrace_runs_next(struct foretrace_runs *runs, struct foretrace_run *ret_run,
                        struct foretrace_error *error);
/* The same numbers for all threads of a trace. */
size_t foretrace_runs_reference_count(const struct foretrace_runs *runs);
/* number: below that count. */
struct foretrace_reference foretrace_runs_reference(const struct foretrace_runs *runs,
                                                    uint32_t number);

/* ---- histograms of reuse distances (docs/replay.md) ---- */

/* The file of `foretrace replay`: an entry for each trace, numbered from 0 as the traces were
 * given. */
struct foretrace_histograms;

/* Distances are distinct other blocks touched since a block was last touched. */
struct foretrace_bin {
    uint64_t low_blocks, high_blocks; /* distances from low to high */
    uint64_t touches;
    uint64_t distance_sum_blocks; /* of these touches, so that means are exact */
};

struct foretrace_histogram {
    uint64_t touches; /* in all */
    uint64_t cold;    /* of these, the first ones of a block */
    size_t bin_count;
    const struct foretrace_bin *bins; /* ascending; none is empty */
};

int foretrace_histograms_open(const char *path, struct foretrace_histograms **ret_histograms,
                              struct foretrace_error *error);
void foretrace_histograms_close(struct foretrace_histograms *histograms);
size_t foretrace_histograms_entry_count(const struct foretrace_histograms *histograms);
/* entry: below that count, here and below. */
int foretrace_histograms_parameter(const struct foretrace_histograms *histograms, size_t entry,
                                   const char *name, double *ret_value,
                                   struct foretrace_error *error);
/* How many block sizes there are; *ret_block_bytes: these, ascending. */
size_t foretrace_histograms_block_sizes(const struct foretrace_histograms *histograms, size_t entry,
                                        const uint64_t **ret_block_bytes);
size_t foretrace_histograms_scope_count(const struct foretrace_histograms *histograms,
                                        size_t entry);
struct foretrace_scope foretrace_histograms_scope(const struct foretrace_histograms *histograms,
                                                  size_t entry, size_t scope);
/* Of all references in a scope and the scopes in it; 0: of the program. Its bins live until the
 * next call. */
int foretrace_histograms_read(struct foretrace_histograms *histograms, size_t entry,
                              uint64_t block_bytes, size_t scope,
                              struct foretrace_histogram *ret_histogram,
                              struct foretrace_error *error);
/* Touches that miss in a fully associative LRU cache of so many blocks: cold ones, and those whose
 * distance is no less. A bin that the capacity divides counts in proportion; powers of two divide
 * none. */
double foretrace_histogram_misses(const struct foretrace_histogram *histogram,
                                  uint64_t capacity_blocks);

/* ---- models, machines, forecasts (docs/predict.md) ---- */

/* The file of `foretrace fit`, or one of the models in it. */
struct foretrace_model;

/* name: of the model; NULL: the only one. */
int foretrace_model_open(const char *path, const char *name, struct foretrace_model **ret_model,
                         struct foretrace_error *error);
void foretrace_model_close(struct foretrace_model *model);
size_t foretrace_model_parameter_count(const struct foretrace_model *model);
/* The name of a parameter, and the range that it was fitted over; either end may be NULL. */
const char *foretrace_model_parameter(const struct foretrace_model *model, size_t parameter,
                                      double *ret_min, double *ret_largest);

/* A machine as --machine takes it: "amd-zen5", "./mine.yaml", "amd-zen5,L2=2M", "caches=...". */
struct foretrace_machine;

int foretrace_machine_open(const char *name, struct foretrace_machine **ret_machine,
                           struct foretrace_error *error);
void foretrace_machine_close(struct foretrace_machine *machine);
size_t foretrace_machine_level_count(const struct foretrace_machine *machine);
/* "L1D", "L2", ..., then TLBs. level: below that count. */
const char *foretrace_machine_level(const struct foretrace_machine *machine, size_t level);

/* value: NAN where nothing is known; then so are the ends. low, high: of the 95 % interval; NAN
 * where the model does not know how sure it is. */
struct foretrace_value {
    double value, low, high;
};

struct foretrace_forecast;

/* at: as --at takes it: "N=1000", "N=1000,M=4". Model and machine must stay open. May take seconds,
 * as `foretrace predict` does where it synthesises the accesses of the size. */
int foretrace_forecast_make(const struct foretrace_model *model,
                            const struct foretrace_machine *machine, const char *at,
                            struct foretrace_forecast **ret_forecast,
                            struct foretrace_error *error);
void foretrace_forecast_close(struct foretrace_forecast *forecast);
size_t foretrace_forecast_scope_count(const struct foretrace_forecast *forecast);
/* scope: below that count, here and below. */
struct foretrace_scope foretrace_forecast_scope(const struct foretrace_forecast *forecast,
                                                size_t scope);
/* Of a scope with the loops in it; of a routine without those that it calls. */
struct foretrace_value foretrace_forecast_accesses(const struct foretrace_forecast *forecast,
                                                   size_t scope);
struct foretrace_value foretrace_forecast_misses(const struct foretrace_forecast *forecast,
                                                 size_t scope, size_t level);
/* As if the level were fully associative. */
struct foretrace_value
foretrace_forecast_fully_associative_misses(const struct foretrace_forecast *forecast, size_t scope,
                                            size_t level);
/* NAN where the machine's core is not described. */
struct foretrace_value foretrace_forecast_seconds(const struct foretrace_forecast *forecast,
                                                  size_t scope);

#ifdef __cplusplus
}
#endif

#endif
