/*
 * A call's letters (ft_mpi_function) are read from left to right; what a letter needs of those
 * before it is kept in `struct ft_mpi_reading`. Integers of C are the low halves of registers and
 * stack words.
 *
 * What it has stored is read by mpi_results.c.
 */
#include "trace-capture/tracer/mpi_arguments.h"

#include <string.h>
#include <unistd.h>

#include "formats/base/bytes.h"
#include "formats/trace/mpi_functions.h"
#include "trace-capture/target/target.h"
#include "trace-capture/tracer/mpi_objects.h"

#define UNDEFINED          (-32766)
#define REGISTER_ARGUMENTS 6U

/* Handles of files are pointers, with MPICH too. */
static void give_file(const struct ft_mpi_reading *reading, uint64_t handle)
{
    const struct ft_mpi_object *file = ft_mpi_object_find(&reading->handles->files, handle);
    ft_mpi_give_detail(reading, FT_MPI_KEY_FILE, file ? file->number : 0);
    if (file)
        ft_mpi_give_detail(reading, FT_MPI_KEY_COMMUNICATOR, file->communicator);
}

static void give_array(const struct ft_mpi_reading *reading, uint64_t key, uint64_t array,
                       uint64_t count)
{
    for (uint64_t i = 0; i < count && i < ARRAY_MAX; i++)
        ft_mpi_give_detail(reading, key, (uint64_t)ft_mpi_int_at(reading->target, array + 4 * i));
}

/* First, last and stride of each. */
static void give_ranges(const struct ft_mpi_reading *reading, uint64_t array, uint64_t count)
{
    for (uint64_t i = 0; i < 3 * count && i < ARRAY_MAX; i++)
        ft_mpi_give_detail(reading, FT_MPI_KEY_GROUP_RANGE,
                           ft_zigzag((uint64_t)ft_mpi_int_at(reading->target, array + 4 * i)));
}

/* Of which directions of the grid a part of it keeps; what a capture did not see made has none. */
static void give_kept(const struct ft_mpi_reading *reading, uint64_t array)
{
    const struct ft_mpi_object *grid = ft_mpi_communicator_of(reading, reading->communicator);
    for (uint64_t i = 0; grid && i < grid->directions && i < ARRAY_MAX; i++)
        ft_mpi_give_detail(reading, FT_MPI_KEY_KEPT,
                           ft_mpi_int_at(reading->target, array + 4 * i) != 0);
}

/* Ranks of one host are together; other types of a split say nothing of who is. */
static void give_split_type(const struct ft_mpi_reading *reading, int64_t type)
{
    const int64_t shared = reading->library->is_openmpi ? 0 : 1;
    char host[256] = "";
    uint64_t hash = 0;
    if (type == UNDEFINED)
        ft_mpi_give_detail(reading, FT_MPI_KEY_COLOUR, 0);
    if (type != shared || gethostname(host, sizeof host - 1) != 0)
        return;
    for (const char *at = host; *at; at++)
        hash = hash * 31 + (unsigned char)*at;
    ft_mpi_give_detail(reading, FT_MPI_KEY_COLOUR, 1 + hash % INT32_MAX);
}

static bool is_in_place(const struct ft_mpi_reading *reading, uint64_t buffer)
{
    return buffer == (reading->library->is_openmpi ? 1 : UINT64_MAX);
}

/* The bytes that each rank gets or gives, from an array of counts; then they are summed. */
static void give_parts(const struct ft_mpi_reading *reading, uint64_t size)
{
    const struct ft_mpi_object *communicator =
        ft_mpi_communicator_of(reading, reading->communicator);
    uint64_t key = reading->sends ? FT_MPI_KEY_SENT_PART : FT_MPI_KEY_RECEIVED_PART, sum = 0;
    uint64_t ranks = communicator ? communicator->size : 0;
    if (ranks == 0 || ranks > ARRAY_MAX || size == UNKNOWN) {
        ft_mpi_give_detail(reading, FT_MPI_KEY_UNKNOWN_BYTES, 0);
        return;
    }
    for (uint64_t i = 0; i < ranks; i++) {
        uint64_t bytes = (uint64_t)ft_mpi_int_at(reading->target, reading->array + 4 * i) * size;
        ft_mpi_give_detail(reading, key, bytes);
        sum += bytes;
    }
    ft_mpi_give_detail(reading, reading->sends ? FT_MPI_KEY_SENT_BYTES : FT_MPI_KEY_RECEIVED_BYTES,
                       sum);
}

static void read_type(struct ft_mpi_reading *reading, uint64_t type)
{
    uint64_t size = reading->count ? ft_mpi_size_of_type(reading, type) : 0;
    bool makes_type = reading->call->function->class == FT_MPI_DATATYPE;
    if (makes_type) {
        uint64_t elements = reading->array ? ft_mpi_sum_of_array(reading, 0) : 1;
        reading->call->type_bytes = size == UNKNOWN ? UNKNOWN : reading->count * elements * size;
    } else if (reading->array && (reading->sends || reading->receives)) {
        give_parts(reading, size);
    } else if (size == UNKNOWN && (reading->sends || reading->receives)) {
        ft_mpi_give_detail(reading, FT_MPI_KEY_UNKNOWN_BYTES, reading->count);
    } else {
        if (reading->sends)
            ft_mpi_give_detail(reading, FT_MPI_KEY_SENT_BYTES, reading->count * size);
        if (reading->receives)
            ft_mpi_give_detail(reading, FT_MPI_KEY_RECEIVED_BYTES, reading->count * size);
    }
    reading->sends = reading->receives = false;
    reading->array = 0;
    reading->count = 1;
}

static void read_requests(struct ft_mpi_reading *reading, uint64_t address, uint64_t count)
{
    for (uint64_t i = 0; i < count && i < ARRAY_MAX; i++)
        ft_mpi_give_detail(reading, FT_MPI_KEY_REQUEST, ft_mpi_handle_at(reading, address, i));
}

/* One argument of those that make communicators and groups, or of files. */
static void read_object(struct ft_mpi_reading *reading, char letter, uint64_t value)
{
    const uint64_t handle = reading->library->is_openmpi ? value : (uint32_t)value;
    switch (letter) {
    case 'e':
        ft_mpi_give_detail(reading, FT_MPI_KEY_GROUP, ft_mpi_number_of_group(reading, handle));
        break;
    case 'i':
        give_array(reading, FT_MPI_KEY_GROUP_RANK, value, reading->array_length);
        break;
    case 'r':
        give_ranges(reading, value, reading->array_length);
        break;
    case 'p':
        give_array(reading, FT_MPI_KEY_PARTS, value, reading->array_length);
        break;
    case 'o':
        for (uint64_t i = 0; i < reading->array_length && i < ARRAY_MAX; i++)
            ft_mpi_give_detail(reading, FT_MPI_KEY_WRAPS,
                               ft_mpi_int_at(reading->target, value + 4 * i) != 0);
        break;
    case 'f':
        ft_mpi_give_detail(reading, FT_MPI_KEY_MAY_REORDER, (uint32_t)value != 0);
        break;
    case 'D':
        give_kept(reading, value);
        break;
    case 'j':
        give_split_type(reading, (int32_t)value);
        break;
    case 'z':
        give_file(reading, value);
        break;
    case 'J':
        give_file(reading, ft_mpi_word_at(reading, value));
        break;
    case 'O':
        ft_mpi_give_detail(reading, FT_MPI_KEY_OFFSET, value);
        break;
    default:
        break;
    }
}

/* One argument at the call. */
static void read_argument(struct ft_mpi_reading *reading, char letter, uint64_t value)
{
    const int64_t number = (int32_t)value;
    const uint64_t handle = reading->library->is_openmpi ? value : (uint32_t)value;
    switch (letter) {
    case 'b':
        reading->sends = !is_in_place(reading, value);
        break;
    case 'B':
        reading->receives = !is_in_place(reading, value);
        break;
    case 'n':
        reading->count *= (uint64_t)number;
        break;
    case 'm':
        reading->array_length = number > 0 ? (uint64_t)number : 0;
        break;
    case 'v':
        reading->array = value;
        break;
    case 'V':
        reading->count *= ft_mpi_product_of_array(reading, value);
        break;
    case 't':
        read_type(reading, handle);
        break;
    case 'u':
        reading->call->type_bytes = ft_mpi_sum_of_array(reading, value);
        break;
    case 'd':
        ft_mpi_give_detail(reading, FT_MPI_KEY_DESTINATION, ft_mpi_code_of_rank(reading, number));
        break;
    case 's':
        ft_mpi_give_detail(reading, FT_MPI_KEY_SOURCE, ft_mpi_code_of_rank(reading, number));
        break;
    case 'g':
        ft_mpi_give_detail(reading, FT_MPI_KEY_SENT_TAG, ft_mpi_code_of_tag(number));
        break;
    case 'h':
        ft_mpi_give_detail(reading, FT_MPI_KEY_RECEIVED_TAG, ft_mpi_code_of_tag(number));
        break;
    case 'k':
        ft_mpi_give_detail(reading, FT_MPI_KEY_ROOT, ft_mpi_code_of_rank(reading, number));
        break;
    case 'l':
        ft_mpi_give_detail(reading, FT_MPI_KEY_COLOUR,
                           number == UNDEFINED ? 0 : (uint64_t)number + 1);
        break;
    case 'y':
        ft_mpi_give_detail(reading, FT_MPI_KEY_ORDER, ft_zigzag((uint64_t)number));
        break;
    case 'Q':
        read_requests(reading, value, 1);
        break;
    case 'w':
        read_requests(reading, value, reading->array_length);
        break;
    default:
        read_object(reading, letter, value);
        break;
    }
}

void ft_mpi_read_arguments(struct ft_thread *thread, ft_mpi_detail_sink *sink, void *context)
{
    struct ft_mpi_call_state *call = &thread->call;
    if (!call->function)
        return;
    ft_mpi_read_words(&thread->target, call->return_rsp + 8, call->arguments + REGISTER_ARGUMENTS,
                      sizeof call->arguments - REGISTER_ARGUMENTS * sizeof *call->arguments);
    call->type_bytes = UNKNOWN;
    struct ft_mpi_reading reading = ft_mpi_reading_begin(thread, sink, context);
    const char *letters = call->function->arguments;
    if (ft_mpi_argument_position(call->function, 'c') >= 0)
        ft_mpi_give_detail(&reading, FT_MPI_KEY_COMMUNICATOR,
                           ft_mpi_number_of_communicator(&reading, reading.communicator));
    bool replaces = strcmp(call->function->name, "Sendrecv_replace") == 0;
    for (unsigned i = 0; letters[i]; i++) {
        read_argument(&reading, letters[i], call->arguments[i]);
        reading.receives |= replaces && letters[i] == 'b';
    }
}
