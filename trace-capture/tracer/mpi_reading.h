/*
 * A call of MPI whose arguments, or results, are being read (mpi_arguments.c, mpi_results.c): the
 * program's memory, and what handles in it stand for.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_MPI_READING_H
#define FT_TRACE_CAPTURE_TRACER_MPI_READING_H

#include "trace-capture/tracer/capture_state.h"

/* Where the details of a call go, one by one. */
typedef void ft_mpi_detail_sink(void *context, uint64_t key, uint64_t value);

#define ARRAY_MAX 65536U /* entries of an array argument that are read */
#define UNKNOWN   UINT64_MAX

/* A call whose arguments are being read. */
struct ft_mpi_reading {
    const struct ft_mpi_library *library;
    struct ft_mpi_handles *handles;
    const struct ft_target *target;
    struct ft_mpi_call_state *call;
    ft_mpi_detail_sink *sink;
    void *context;
    bool sends, receives;  /* the buffers before the next datatype */
    uint64_t count;        /* of elements: the product of the counts before it */
    uint64_t array_length; /* of the arrays behind it */
    uint64_t array;        /* address of the array of numbers before it; 0: none */
    uint64_t communicator; /* handle */
};

struct ft_mpi_reading ft_mpi_reading_begin(struct ft_thread *thread, ft_mpi_detail_sink *sink,
                                           void *context);
uint64_t ft_mpi_code_of_rank(const struct ft_mpi_reading *reading, int64_t rank);
uint64_t ft_mpi_code_of_tag(int64_t tag);
struct ft_mpi_object *ft_mpi_communicator_of(const struct ft_mpi_reading *reading, uint64_t handle);
void ft_mpi_give_detail(const struct ft_mpi_reading *reading, uint64_t key, uint64_t value);
uint64_t ft_mpi_handle_at(const struct ft_mpi_reading *reading, uint64_t address, uint64_t index);
int64_t ft_mpi_int_at(const struct ft_target *target, uint64_t address);
bool ft_mpi_is_null_communicator(const struct ft_mpi_reading *reading, uint64_t handle);
uint64_t ft_mpi_number_of_communicator(const struct ft_mpi_reading *reading, uint64_t handle);
uint64_t ft_mpi_number_of_group(const struct ft_mpi_reading *reading, uint64_t handle);
int ft_mpi_argument_position(const struct ft_mpi_function *function, char letter);
bool ft_mpi_read_words(const struct ft_target *target, uint64_t address, void *ret_words,
                       size_t bytes);
uint64_t ft_mpi_word_at(const struct ft_mpi_reading *reading, uint64_t address);

/* Bytes of the data in one element; UNKNOWN, as of MPI_DATATYPE_NULL. Of the numbers in the array
 * before a datatype, with `types` each times the size of its own; their product. */
uint64_t ft_mpi_size_of_type(const struct ft_mpi_reading *reading, uint64_t type);
uint64_t ft_mpi_sum_of_array(const struct ft_mpi_reading *reading, uint64_t types);
uint64_t ft_mpi_product_of_array(const struct ft_mpi_reading *reading, uint64_t array);

void ft_mpi_handles_fini(struct ft_mpi_handles *handles);

#endif
