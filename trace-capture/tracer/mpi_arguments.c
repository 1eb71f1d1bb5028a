/*
 * A call's letters (ft_mpi_function) are read from left to right; what a letter needs of those
 * before it is kept in `struct reading`. Integers of C are the low halves of registers and stack
 * words.
 *
 * In order: reading the program's memory; datatypes; communicators; what the arguments of a call
 * say; what it has stored.
 */
#include "trace-capture/tracer/mpi_arguments.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/base/bytes.h"
#include "formats/trace/mpi_functions.h"
#include "trace-capture/target/target.h"

#define ARRAY_MAX          65536U              /* entries of an array argument that are read */
#define BYTES_MAX          (UINT64_C(1) << 40) /* of a datatype */
#define UNDEFINED          (-32766)
#define REGISTER_ARGUMENTS 6U
#define UNKNOWN            UINT64_MAX

/* MPICH's handles: their kind, and the size in those of built-in datatypes. */
#define MPICH_WORLD        0x44000000U
#define MPICH_SELF         0x44000001U
#define MPICH_BUILT_IN     1U
#define MPICH_KIND(handle) ((uint32_t)(handle) >> 30)
#define MPICH_SIZE(handle) ((uint32_t)(handle) >> 8 & 0xff)

/* A call whose arguments are being read. */
struct reading {
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

static bool read_words(const struct ft_target *target, uint64_t address, void *ret_words,
                       size_t bytes)
{
    return address && ft_target_read(target, address, ret_words, bytes) == bytes;
}

static int64_t int_at(const struct ft_target *target, uint64_t address)
{
    int32_t value = 0;
    read_words(target, address, &value, sizeof value);
    return value;
}

/* Handles are pointers with Open MPI, else integers. */
static size_t handle_bytes(const struct reading *reading)
{
    return reading->library->is_openmpi ? 8 : 4;
}

static uint64_t handle_at(const struct reading *reading, uint64_t address, uint64_t index)
{
    uint64_t handle = 0;
    size_t bytes = handle_bytes(reading);
    read_words(reading->target, address + index * bytes, &handle, bytes);
    return handle;
}

/* ---- datatypes ---- */

/* Bytes of the data in one element; UNKNOWN, as of MPI_DATATYPE_NULL. In Open MPI's objects the
 * size stands behind the object's head (16 bytes), flags, id and a mask (opal_datatype_t,
 * versions 1.5 to 5.0). */
static uint64_t size_of_type(const struct reading *reading, uint64_t type)
{
    enum { OPENMPI_SIZE = 24 };
    static const uint8_t mpich_pairs[] = {8, 12, 12, 6, 20}; /* MPI_FLOAT_INT ... */
    const struct ft_mpi_handles *handles = reading->handles;
    uint64_t bytes;
    if (reading->library->is_openmpi)
        return read_words(reading->target, type + OPENMPI_SIZE, &bytes, sizeof bytes) &&
                       bytes < BYTES_MAX
                   ? bytes
                   : UNKNOWN;
    if (MPICH_KIND(type) == MPICH_BUILT_IN)
        return MPICH_SIZE(type);
    if (type - 0x8c000000U < sizeof mpich_pairs)
        return mpich_pairs[type - 0x8c000000U];
    for (size_t i = handles->type_count; i-- > 0;) /* handles are used again: the latest */
        if (handles->types[i].handle == type)
            return handles->types[i].bytes;
    return UNKNOWN;
}

static void add_type(struct ft_mpi_handles *handles, uint64_t type, uint64_t bytes)
{
    for (size_t i = 0; i < handles->type_count; i++)
        if (handles->types[i].handle == type) {
            handles->types[i].bytes = bytes;
            return;
        }
    if (FT_RESERVE(handles->types, handles->type_capacity, handles->type_count + 1))
        handles->types[handles->type_count++] = (struct ft_mpi_type){type, bytes};
}

/* Of the numbers in the array before a datatype; with `types` each times the size of its own. */
static uint64_t sum_of_array(const struct reading *reading, uint64_t types)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < reading->array_length && i < ARRAY_MAX; i++) {
        uint64_t size = types ? size_of_type(reading, handle_at(reading, types, i)) : 1;
        if (size == UNKNOWN)
            return UNKNOWN;
        sum += (uint64_t)int_at(reading->target, reading->array + 4 * i) * size;
    }
    return sum;
}

static uint64_t product_of_array(const struct reading *reading, uint64_t array)
{
    uint64_t product = 1;
    for (uint64_t i = 0; i < reading->array_length && i < ARRAY_MAX; i++)
        product *= (uint64_t)int_at(reading->target, array + 4 * i);
    return product;
}

/* ---- communicators ---- */

static struct ft_mpi_communicator *find_communicator(struct ft_mpi_handles *handles,
                                                     uint64_t handle)
{
    for (size_t i = handles->communicator_count; i-- > 0;)
        if (handles->communicators[i].handle == handle)
            return &handles->communicators[i];
    return NULL;
}

static struct ft_mpi_communicator *add_communicator(struct ft_mpi_handles *handles, uint64_t handle,
                                                    uint32_t number)
{
    struct ft_mpi_communicator *found = find_communicator(handles, handle);
    if (!found && !FT_RESERVE(handles->communicators, handles->communicator_capacity,
                              handles->communicator_count + 1))
        return NULL;
    if (!found)
        found = &handles->communicators[handles->communicator_count++];
    *found = (struct ft_mpi_communicator){.handle = handle, .number = number};
    return found;
}

static struct ft_mpi_communicator *communicator_of(const struct reading *reading, uint64_t handle)
{
    const struct ft_mpi_library *library = reading->library;
    struct ft_mpi_communicator *found = find_communicator(reading->handles, handle);
    uint64_t world = library->is_openmpi ? library->world : MPICH_WORLD;
    uint64_t self = library->is_openmpi ? library->self : MPICH_SELF;
    if (found || (handle != world && handle != self))
        return found;
    found =
        add_communicator(reading->handles, handle, handle == world ? FT_MPI_WORLD : FT_MPI_SELF);
    if (found && handle == self)
        found->size = 1;
    return found;
}

static uint64_t number_of_communicator(const struct reading *reading, uint64_t handle)
{
    const struct ft_mpi_communicator *found = communicator_of(reading, handle);
    return found ? found->number : FT_MPI_UNKNOWN_COMMUNICATOR | (uint32_t)(handle >> 4);
}

/* The handles that stand for none: MPICH's constant, and Open MPI's object is no one's result. */
static bool is_null_communicator(const struct reading *reading, uint64_t handle)
{
    return reading->library->is_openmpi ? handle == reading->library->null : handle == 0x04000000U;
}

/* ---- arguments ---- */

static void give(const struct reading *reading, uint64_t key, uint64_t value)
{
    reading->sink(reading->context, key, value);
}

static uint64_t code_of_rank(const struct reading *reading, int64_t rank)
{
    int64_t nobody = reading->library->is_openmpi ? -2 : -1;
    return rank == nobody ? FT_MPI_NOBODY : rank < 0 ? FT_MPI_ANY : (uint64_t)rank + 2;
}

static uint64_t code_of_tag(int64_t tag)
{
    return tag < 0 ? 0 : (uint64_t)tag + 1;
}

static bool is_in_place(const struct reading *reading, uint64_t buffer)
{
    return buffer == (reading->library->is_openmpi ? 1 : UINT64_MAX);
}

/* The bytes that each rank gets or gives, from an array of counts; then they are summed. */
static void give_parts(const struct reading *reading, uint64_t size)
{
    const struct ft_mpi_communicator *communicator =
        communicator_of(reading, reading->communicator);
    uint64_t key = reading->sends ? FT_MPI_KEY_SENT_PART : FT_MPI_KEY_RECEIVED_PART, sum = 0;
    uint64_t ranks = communicator ? communicator->size : 0;
    if (ranks == 0 || ranks > ARRAY_MAX || size == UNKNOWN) {
        give(reading, FT_MPI_KEY_UNKNOWN_BYTES, 0);
        return;
    }
    for (uint64_t i = 0; i < ranks; i++) {
        uint64_t bytes = (uint64_t)int_at(reading->target, reading->array + 4 * i) * size;
        give(reading, key, bytes);
        sum += bytes;
    }
    give(reading, reading->sends ? FT_MPI_KEY_SENT_BYTES : FT_MPI_KEY_RECEIVED_BYTES, sum);
}

static void read_type(struct reading *reading, uint64_t type)
{
    uint64_t size = reading->count ? size_of_type(reading, type) : 0;
    bool makes_type = reading->call->function->class == FT_MPI_DATATYPE;
    if (makes_type) {
        uint64_t elements = reading->array ? sum_of_array(reading, 0) : 1;
        reading->call->type_bytes = size == UNKNOWN ? UNKNOWN : reading->count * elements * size;
    } else if (reading->array && (reading->sends || reading->receives)) {
        give_parts(reading, size);
    } else if (size == UNKNOWN && (reading->sends || reading->receives)) {
        give(reading, FT_MPI_KEY_UNKNOWN_BYTES, reading->count);
    } else {
        if (reading->sends)
            give(reading, FT_MPI_KEY_SENT_BYTES, reading->count * size);
        if (reading->receives)
            give(reading, FT_MPI_KEY_RECEIVED_BYTES, reading->count * size);
    }
    reading->sends = reading->receives = false;
    reading->array = 0;
    reading->count = 1;
}

static void read_requests(struct reading *reading, uint64_t address, uint64_t count)
{
    for (uint64_t i = 0; i < count && i < ARRAY_MAX; i++)
        give(reading, FT_MPI_KEY_REQUEST, handle_at(reading, address, i));
}

/* One argument at the call. */
static void read_argument(struct reading *reading, char letter, uint64_t value)
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
        reading->count *= product_of_array(reading, value);
        break;
    case 't':
        read_type(reading, handle);
        break;
    case 'u':
        reading->call->type_bytes = sum_of_array(reading, value);
        break;
    case 'd':
        give(reading, FT_MPI_KEY_DESTINATION, code_of_rank(reading, number));
        break;
    case 's':
        give(reading, FT_MPI_KEY_SOURCE, code_of_rank(reading, number));
        break;
    case 'g':
        give(reading, FT_MPI_KEY_SENT_TAG, code_of_tag(number));
        break;
    case 'h':
        give(reading, FT_MPI_KEY_RECEIVED_TAG, code_of_tag(number));
        break;
    case 'k':
        give(reading, FT_MPI_KEY_ROOT, code_of_rank(reading, number));
        break;
    case 'l':
        give(reading, FT_MPI_KEY_COLOUR, number == UNDEFINED ? 0 : (uint64_t)number + 1);
        break;
    case 'y':
        give(reading, FT_MPI_KEY_ORDER, ft_zigzag((uint64_t)number));
        break;
    case 'Q':
        read_requests(reading, value, 1);
        break;
    case 'w':
        read_requests(reading, value, reading->array_length);
        break;
    default:
        break;
    }
}

/* The position of a letter in the function's arguments; -1. */
static int position_of(const struct ft_mpi_function *function, char letter)
{
    const char *found = strchr(function->arguments, letter);
    return found ? (int)(found - function->arguments) : -1;
}

static struct reading begin_reading(struct ft_thread *thread, ft_mpi_detail_sink *sink,
                                    void *context)
{
    struct ft_capture *capture = thread->capture;
    struct ft_mpi_call_state *call = &thread->call;
    int communicator = position_of(call->function, 'c');
    struct reading reading = {.library = &capture->watched.mpi_library,
                              .handles = &capture->mpi_handles,
                              .target = &thread->target,
                              .call = call,
                              .sink = sink,
                              .context = context,
                              .count = 1};
    if (communicator >= 0)
        reading.communicator = reading.library->is_openmpi
                                   ? call->arguments[communicator]
                                   : (uint32_t)call->arguments[communicator];
    return reading;
}

void ft_mpi_read_arguments(struct ft_thread *thread, ft_mpi_detail_sink *sink, void *context)
{
    struct ft_mpi_call_state *call = &thread->call;
    if (!call->function)
        return;
    read_words(&thread->target, call->return_rsp + 8, call->arguments + REGISTER_ARGUMENTS,
               sizeof call->arguments - REGISTER_ARGUMENTS * sizeof *call->arguments);
    call->type_bytes = UNKNOWN;
    struct reading reading = begin_reading(thread, sink, context);
    const char *letters = call->function->arguments;
    if (position_of(call->function, 'c') >= 0)
        give(&reading, FT_MPI_KEY_COMMUNICATOR,
             number_of_communicator(&reading, reading.communicator));
    bool replaces = strcmp(call->function->name, "Sendrecv_replace") == 0;
    for (unsigned i = 0; letters[i]; i++) {
        read_argument(&reading, letters[i], call->arguments[i]);
        reading.receives |= replaces && letters[i] == 'b';
    }
}

/* ---- results ---- */

static void give_status(const struct reading *reading, uint64_t address, uint64_t index)
{
    const bool is_openmpi = reading->library->is_openmpi;
    int32_t words[6];
    const size_t bytes = is_openmpi ? 24 : 20;
    if (address <= 1 || /* MPI_STATUS_IGNORE */
        !read_words(reading->target, address + index * bytes, words, bytes))
        return;
    const int32_t *source = is_openmpi ? words : words + 2;
    const uint64_t low = (uint32_t)words[is_openmpi ? 4 : 0];
    const uint64_t high = (uint32_t)words[is_openmpi ? 5 : 1];
    give(reading, FT_MPI_KEY_MATCHED_SOURCE, code_of_rank(reading, source[0]));
    give(reading, FT_MPI_KEY_MATCHED_TAG, code_of_tag(source[1]));
    give(reading, FT_MPI_KEY_MATCHED_BYTES, low | (is_openmpi ? high : high >> 1) << 32);
}

static uint64_t argument_of(const struct reading *reading, char letter)
{
    int position = position_of(reading->call->function, letter);
    return position < 0 ? 0 : reading->call->arguments[position];
}

/* What a wait or test has completed, with the statuses. */
static void give_completed(const struct reading *reading)
{
    const struct ft_mpi_function *function = reading->call->function;
    const uint64_t statuses = argument_of(reading, 'a'), status = argument_of(reading, 'S');
    if (position_of(function, 'F') >= 0 && !int_at(reading->target, argument_of(reading, 'F')))
        return;
    if (position_of(function, 'I') >= 0) {
        int64_t index = int_at(reading->target, argument_of(reading, 'I'));
        if (index >= 0) {
            give(reading, FT_MPI_KEY_COMPLETED, (uint64_t)index);
            give_status(reading, status, 0);
        }
        return;
    }
    int64_t count = (int32_t)argument_of(reading, 'm');
    if (position_of(function, 'N') >= 0) {
        count = int_at(reading->target, argument_of(reading, 'N'));
        for (int64_t i = 0; i < count && i < ARRAY_MAX; i++)
            give(reading, FT_MPI_KEY_COMPLETED,
                 (uint64_t)int_at(reading->target, argument_of(reading, 'A') + 4 * (uint64_t)i));
    } else {
        give(reading, FT_MPI_KEY_ALL_DONE, 1);
    }
    if (position_of(function, 'a') < 0)
        give_status(reading, status, 0);
    else
        for (int64_t i = 0; i < count && i < ARRAY_MAX; i++)
            give_status(reading, statuses, (uint64_t)i);
}

static void give_new_communicator(const struct reading *reading)
{
    struct ft_mpi_handles *handles = reading->handles;
    const uint64_t handle = handle_at(reading, argument_of(reading, 'C'), 0);
    const struct ft_mpi_communicator *old = communicator_of(reading, reading->communicator);
    const uint64_t size =
        old && strcmp(reading->call->function->name, "Comm_dup") == 0 ? old->size : 0;
    const uint32_t number = FT_MPI_FIRST_MADE + handles->communicators_made++;
    if (is_null_communicator(reading, handle)) {
        give(reading, FT_MPI_KEY_NEW_COMMUNICATOR, 0);
        return;
    }
    struct ft_mpi_communicator *made = add_communicator(handles, handle, number);
    if (made)
        made->size = size;
    give(reading, FT_MPI_KEY_NEW_COMMUNICATOR, number);
}

void ft_mpi_read_results(struct ft_thread *thread, ft_mpi_detail_sink *sink, void *context)
{
    const struct ft_mpi_call_state *call = &thread->call;
    if (!call->function)
        return;
    struct reading reading = begin_reading(thread, sink, context);
    struct ft_mpi_communicator *communicator =
        reading.communicator ? communicator_of(&reading, reading.communicator) : NULL;
    for (const char *letter = call->function->arguments; *letter; letter++) {
        uint64_t argument = call->arguments[letter - call->function->arguments];
        switch (*letter) {
        case 'q':
            give(&reading, FT_MPI_KEY_REQUEST, handle_at(&reading, argument, 0));
            break;
        case 'R':
            give(&reading, FT_MPI_KEY_RANK, (uint64_t)int_at(reading.target, argument));
            break;
        case 'Z':
            give(&reading, FT_MPI_KEY_SIZE, (uint64_t)int_at(reading.target, argument));
            if (communicator)
                communicator->size = (uint64_t)int_at(reading.target, argument);
            break;
        case 'C':
            give_new_communicator(&reading);
            break;
        case 'T':
            if (!reading.library->is_openmpi && call->type_bytes != UNKNOWN)
                add_type(reading.handles, handle_at(&reading, argument, 0), call->type_bytes);
            break;
        case 'S':
            if (call->function->class == FT_MPI_POINT_TO_POINT)
                give_status(&reading, argument, 0);
            break;
        default:
            break;
        }
    }
    if (call->function->class == FT_MPI_COMPLETION)
        give_completed(&reading);
}

void ft_mpi_handles_fini(struct ft_mpi_handles *handles)
{
    free(handles->communicators);
    free(handles->types);
    *handles = (struct ft_mpi_handles){0};
}
