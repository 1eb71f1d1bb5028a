/*
 * What the capture of an image of a process, or of several, has cost so far.
 */
#ifndef FT_TRACE_CAPTURE_PROCESSES_CAPTURE_COST_H
#define FT_TRACE_CAPTURE_PROCESSES_CAPTURE_COST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ft_capture;

struct ft_capture_cost {
    double elapsed_seconds;
    double program_cpu_seconds; /* of the processes while they were captured */
    double host_cpu_seconds;    /* of foretrace */
    uint64_t records, accesses;
    uint64_t log_bytes;  /* of the file, with the records */
    uint64_t file_bytes; /* of traces that are complete */
};

/* Of `capture --estimate` (cost_samples.h). */
struct ft_cost_samples {
    struct ft_capture_cost halfway; /* where has_halfway */
    struct ft_capture_cost at_end;  /* of the time; where is_over, and not has_ended_itself */
    struct ft_capture_cost in_all;
    size_t image_count;
    bool has_halfway;
    bool is_over;          /* the traces ended before the program */
    bool has_ended_itself; /* because nothing was captured any more, as after the last window */
};

/* Adds those of one image but the host's, and those of its file once that is complete. */
void ft_capture_cost_add(struct ft_capture_cost *cost, const struct ft_capture *capture);
void ft_capture_cost_add_file(struct ft_capture_cost *cost, const struct ft_capture *capture);

#endif
