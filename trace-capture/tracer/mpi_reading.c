/*
 * In order: reading the program's memory; datatypes; communicators; groups; a call; handles.
 */
#include "trace-capture/tracer/mpi_reading.h"

#include <string.h>

#include "formats/trace/mpi_functions.h"
#include "trace-capture/target/target.h"
#include "trace-capture/tracer/mpi_objects.h"

#define BYTES_MAX (UINT64_C(1) << 40) /* of a datatype */

/* MPICH's handles: their kind, and the size in those of built-in datatypes. */
#define MPICH_WORLD        0x44000000U
#define MPICH_SELF         0x44000001U
#define MPICH_BUILT_IN     1U
#define MPICH_KIND(handle) ((uint32_t)(handle) >> 30)
#define MPICH_SIZE(handle) ((uint32_t)(handle) >> 8 & 0xff)

bool ft_mpi_read_words(const struct ft_target *target, uint64_t address, void *ret_words,
                       size_t bytes)
{
    return address && ft_target_read(target, address, ret_words, bytes) == bytes;
}

int64_t ft_mpi_int_at(const struct ft_target *target, uint64_t address)
{
    int32_t value = 0;
    ft_mpi_read_words(target, address, &value, sizeof value);
    return value;
}

/* Handles are pointers with Open MPI, else integers. */
static size_t handle_bytes(const struct ft_mpi_reading *reading)
{
    return reading->library->is_openmpi ? 8 : 4;
}

uint64_t ft_mpi_handle_at(const struct ft_mpi_reading *reading, uint64_t address, uint64_t index)
{
    uint64_t handle = 0;
    size_t bytes = handle_bytes(reading);
    ft_mpi_read_words(reading->target, address + index * bytes, &handle, bytes);
    return handle;
}

/* ---- datatypes ---- */

/* In Open MPI's objects the size stands behind the object's head (16 bytes), flags, id and a mask
 * (opal_datatype_t, versions 1.5 to 5.0). */
uint64_t ft_mpi_size_of_type(const struct ft_mpi_reading *reading, uint64_t type)
{
    enum { OPENMPI_SIZE = 24 };
    static const uint8_t mpich_pairs[] = {8, 12, 12, 6, 20}; /* MPI_FLOAT_INT ... */
    uint64_t bytes;
    if (reading->library->is_openmpi)
        return ft_mpi_read_words(reading->target, type + OPENMPI_SIZE, &bytes, sizeof bytes) &&
                       bytes < BYTES_MAX
                   ? bytes
                   : UNKNOWN;
    if (MPICH_KIND(type) == MPICH_BUILT_IN)
        return MPICH_SIZE(type);
    if (type - 0x8c000000U < sizeof mpich_pairs)
        return mpich_pairs[type - 0x8c000000U];
    const struct ft_mpi_object *found = ft_mpi_object_find(&reading->handles->types, type);
    return found ? found->size : UNKNOWN;
}

uint64_t ft_mpi_sum_of_array(const struct ft_mpi_reading *reading, uint64_t types)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < reading->array_length && i < ARRAY_MAX; i++) {
        uint64_t size =
            types ? ft_mpi_size_of_type(reading, ft_mpi_handle_at(reading, types, i)) : 1;
        if (size == UNKNOWN)
            return UNKNOWN;
        sum += (uint64_t)ft_mpi_int_at(reading->target, reading->array + 4 * i) * size;
    }
    return sum;
}

uint64_t ft_mpi_product_of_array(const struct ft_mpi_reading *reading, uint64_t array)
{
    uint64_t product = 1;
    for (uint64_t i = 0; i < reading->array_length && i < ARRAY_MAX; i++)
        product *= (uint64_t)ft_mpi_int_at(reading->target, array + 4 * i);
    return product;
}

/* ---- communicators ---- */

struct ft_mpi_object *ft_mpi_communicator_of(const struct ft_mpi_reading *reading, uint64_t handle)
{
    const struct ft_mpi_library *library = reading->library;
    struct ft_mpi_object *found = ft_mpi_object_find(&reading->handles->communicators, handle);
    uint64_t world = library->is_openmpi ? library->world : MPICH_WORLD;
    uint64_t self = library->is_openmpi ? library->self : MPICH_SELF;
    if (found || (handle != world && handle != self))
        return found;
    found = ft_mpi_object_add(&reading->handles->communicators, handle,
                              handle == world ? FT_MPI_WORLD : FT_MPI_SELF);
    if (found && handle == self)
        found->size = 1;
    return found;
}

uint64_t ft_mpi_number_of_communicator(const struct ft_mpi_reading *reading, uint64_t handle)
{
    const struct ft_mpi_object *found = ft_mpi_communicator_of(reading, handle);
    return found ? found->number : FT_MPI_UNKNOWN_COMMUNICATOR | (uint32_t)(handle >> 4);
}

/* The handles that stand for none: MPICH's constant, and Open MPI's object is no one's result. */
bool ft_mpi_is_null_communicator(const struct ft_mpi_reading *reading, uint64_t handle)
{
    return reading->library->is_openmpi ? handle == reading->library->null : handle == 0x04000000U;
}

/* ---- groups and files ---- */

#define MPICH_EMPTY_GROUP 0x48000000U
#define MPICH_NULL_GROUP  0x08000000U

uint64_t ft_mpi_number_of_group(const struct ft_mpi_reading *reading, uint64_t handle)
{
    const struct ft_mpi_library *library = reading->library;
    const struct ft_mpi_object *found = ft_mpi_object_find(&reading->handles->groups, handle);
    if (found)
        return found->number;
    if (handle == (library->is_openmpi ? library->empty_group : MPICH_EMPTY_GROUP))
        return FT_MPI_EMPTY_GROUP;
    if (handle == (library->is_openmpi ? library->null_group : MPICH_NULL_GROUP))
        return FT_MPI_NO_GROUP;
    return FT_MPI_UNKNOWN_GROUP | (uint32_t)(handle >> 4);
}

/* ---- a call ---- */

/* The position of a letter in the function's arguments; -1. */
int ft_mpi_argument_position(const struct ft_mpi_function *function, char letter)
{
    const char *found = strchr(function->arguments, letter);
    return found ? (int)(found - function->arguments) : -1;
}

struct ft_mpi_reading ft_mpi_reading_begin(struct ft_thread *thread, ft_mpi_detail_sink *sink,
                                           void *context)
{
    struct ft_capture *capture = thread->capture;
    struct ft_mpi_call_state *call = &thread->call;
    int communicator = ft_mpi_argument_position(call->function, 'c');
    struct ft_mpi_reading reading = {.library = &capture->watched.mpi_library,
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

void ft_mpi_give_detail(const struct ft_mpi_reading *reading, uint64_t key, uint64_t value)
{
    reading->sink(reading->context, key, value);
}

uint64_t ft_mpi_word_at(const struct ft_mpi_reading *reading, uint64_t address)
{
    uint64_t word = 0;
    ft_mpi_read_words(reading->target, address, &word, sizeof word);
    return word;
}

uint64_t ft_mpi_code_of_rank(const struct ft_mpi_reading *reading, int64_t rank)
{
    int64_t nobody = reading->library->is_openmpi ? -2 : -1;
    return rank == nobody ? FT_MPI_NOBODY : rank < 0 ? FT_MPI_ANY : (uint64_t)rank + 2;
}

uint64_t ft_mpi_code_of_tag(int64_t tag)
{
    return tag < 0 ? 0 : (uint64_t)tag + 1;
}

/* ---- handles ---- */

void ft_mpi_handles_fini(struct ft_mpi_handles *handles)
{
    ft_mpi_objects_fini(&handles->communicators);
    ft_mpi_objects_fini(&handles->types);
    ft_mpi_objects_fini(&handles->groups);
    ft_mpi_objects_fini(&handles->files);
    *handles = (struct ft_mpi_handles){0};
}
