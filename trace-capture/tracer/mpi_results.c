/*
 * What a call of MPI has stored where its arguments point to.
 *
 * In order: statuses; what is completed; communicators, groups and files that were made; a call.
 */
#include "trace-capture/tracer/mpi_arguments.h"

#include <string.h>

#include "formats/trace/mpi_functions.h"
#include "trace-capture/tracer/mpi_objects.h"

#define STATUS_WORDS 6U

/* False: MPI_STATUS_IGNORE. */
static bool read_status(const struct ft_mpi_reading *reading, uint64_t address, uint64_t index,
                        int32_t words[STATUS_WORDS])
{
    const size_t bytes = reading->library->is_openmpi ? 24 : 20;
    return address > 1 && ft_mpi_read_words(reading->target, address + index * bytes, words, bytes);
}

static uint64_t bytes_of_status(const struct ft_mpi_reading *reading,
                                const int32_t words[STATUS_WORDS])
{
    const bool is_openmpi = reading->library->is_openmpi;
    const uint64_t low = (uint32_t)words[is_openmpi ? 4 : 0];
    const uint64_t high = (uint32_t)words[is_openmpi ? 5 : 1];
    return low | (is_openmpi ? high : high >> 1) << 32;
}

static void give_status(const struct ft_mpi_reading *reading, uint64_t address, uint64_t index)
{
    int32_t words[STATUS_WORDS];
    if (!read_status(reading, address, index, words))
        return;
    const int32_t *source = reading->library->is_openmpi ? words : words + 2;
    ft_mpi_give_detail(reading, FT_MPI_KEY_MATCHED_SOURCE, ft_mpi_code_of_rank(reading, source[0]));
    ft_mpi_give_detail(reading, FT_MPI_KEY_MATCHED_TAG, ft_mpi_code_of_tag(source[1]));
    ft_mpi_give_detail(reading, FT_MPI_KEY_MATCHED_BYTES, bytes_of_status(reading, words));
}

static uint64_t argument_of(const struct ft_mpi_reading *reading, char letter)
{
    int position = ft_mpi_argument_position(reading->call->function, letter);
    return position < 0 ? 0 : reading->call->arguments[position];
}

/* What a wait or test has completed, with the statuses. */
static void give_completed(const struct ft_mpi_reading *reading)
{
    const struct ft_mpi_function *function = reading->call->function;
    const uint64_t statuses = argument_of(reading, 'a'), status = argument_of(reading, 'S');
    if (ft_mpi_argument_position(function, 'F') >= 0 &&
        !ft_mpi_int_at(reading->target, argument_of(reading, 'F')))
        return;
    if (ft_mpi_argument_position(function, 'I') >= 0) {
        int64_t index = ft_mpi_int_at(reading->target, argument_of(reading, 'I'));
        if (index >= 0) {
            ft_mpi_give_detail(reading, FT_MPI_KEY_COMPLETED, (uint64_t)index);
            give_status(reading, status, 0);
        }
        return;
    }
    int64_t count = (int32_t)argument_of(reading, 'm');
    if (ft_mpi_argument_position(function, 'N') >= 0) {
        count = ft_mpi_int_at(reading->target, argument_of(reading, 'N'));
        for (int64_t i = 0; i < count && i < ARRAY_MAX; i++)
            ft_mpi_give_detail(reading, FT_MPI_KEY_COMPLETED,
                               (uint64_t)ft_mpi_int_at(reading->target, argument_of(reading, 'A') +
                                                                            4 * (uint64_t)i));
    } else {
        ft_mpi_give_detail(reading, FT_MPI_KEY_ALL_DONE, 1);
    }
    if (ft_mpi_argument_position(function, 'a') < 0)
        give_status(reading, status, 0);
    else
        for (int64_t i = 0; i < count && i < ARRAY_MAX; i++)
            give_status(reading, statuses, (uint64_t)i);
}

static uint64_t directions_of_new(const struct ft_mpi_reading *reading,
                                  const struct ft_mpi_object *old)
{
    const char *name = reading->call->function->name;
    uint64_t kept = 0;
    if (strcmp(name, "Cart_create") == 0)
        return (uint32_t)argument_of(reading, 'm');
    if (old && strncmp(name, "Comm_dup", 8) == 0)
        return old->directions;
    for (uint64_t i = 0; old && strcmp(name, "Cart_sub") == 0 && i < old->directions; i++)
        kept += ft_mpi_int_at(reading->target, argument_of(reading, 'D') + 4 * i) != 0;
    return kept;
}

static void give_new_communicator(const struct ft_mpi_reading *reading)
{
    struct ft_mpi_handles *handles = reading->handles;
    const uint64_t handle = ft_mpi_handle_at(reading, argument_of(reading, 'C'), 0);
    const struct ft_mpi_object *old = ft_mpi_communicator_of(reading, reading->communicator);
    const uint64_t size =
        old && strncmp(reading->call->function->name, "Comm_dup", 8) == 0 ? old->size : 0;
    const uint64_t directions = directions_of_new(reading, old);
    const uint64_t number = FT_MPI_FIRST_MADE + handles->communicators.made++;
    if (ft_mpi_is_null_communicator(reading, handle)) {
        ft_mpi_give_detail(reading, FT_MPI_KEY_NEW_COMMUNICATOR, 0);
        return;
    }
    struct ft_mpi_object *made = ft_mpi_object_add(&handles->communicators, handle, number);
    if (made) {
        made->size = size;
        made->directions = directions;
    }
    ft_mpi_give_detail(reading, FT_MPI_KEY_NEW_COMMUNICATOR, number);
}

static void give_new_group(const struct ft_mpi_reading *reading, uint64_t handle)
{
    struct ft_mpi_objects *groups = &reading->handles->groups;
    uint64_t number = ft_mpi_number_of_group(reading, handle);
    if (number != FT_MPI_EMPTY_GROUP && number != FT_MPI_NO_GROUP) {
        number = FT_MPI_FIRST_GROUP_MADE + groups->made++;
        ft_mpi_object_add(groups, handle, number);
    }
    ft_mpi_give_detail(reading, FT_MPI_KEY_NEW_GROUP, number);
}

static void give_new_file(const struct ft_mpi_reading *reading, uint64_t address)
{
    struct ft_mpi_objects *files = &reading->handles->files;
    const uint64_t number = 1 + files->made++;
    struct ft_mpi_object *file = ft_mpi_object_add(files, ft_mpi_word_at(reading, address), number);
    if (file)
        file->communicator = ft_mpi_number_of_communicator(reading, reading->communicator);
    ft_mpi_give_detail(reading, FT_MPI_KEY_NEW_FILE, number);
}

/* Open MPI's says its size itself. */
static void add_new_type(const struct ft_mpi_reading *reading, uint64_t address)
{
    if (reading->library->is_openmpi)
        return;
    struct ft_mpi_object *type =
        ft_mpi_object_add(&reading->handles->types, ft_mpi_handle_at(reading, address, 0), 0);
    if (type)
        type->size = reading->call->type_bytes;
}

/* How many bytes were read or written. */
static void give_moved(const struct ft_mpi_reading *reading, uint64_t status)
{
    int32_t words[STATUS_WORDS];
    if (read_status(reading, status, 0, words))
        ft_mpi_give_detail(reading, FT_MPI_KEY_MATCHED_BYTES, bytes_of_status(reading, words));
}

void ft_mpi_read_results(struct ft_thread *thread, ft_mpi_detail_sink *sink, void *context)
{
    const struct ft_mpi_call_state *call = &thread->call;
    if (!call->function)
        return;
    struct ft_mpi_reading reading = ft_mpi_reading_begin(thread, sink, context);
    struct ft_mpi_object *communicator =
        reading.communicator ? ft_mpi_communicator_of(&reading, reading.communicator) : NULL;
    for (const char *letter = call->function->arguments; *letter; letter++) {
        uint64_t argument = call->arguments[letter - call->function->arguments];
        switch (*letter) {
        case 'q':
            ft_mpi_give_detail(&reading, FT_MPI_KEY_REQUEST,
                               ft_mpi_handle_at(&reading, argument, 0));
            break;
        case 'R':
            ft_mpi_give_detail(&reading, FT_MPI_KEY_RANK,
                               (uint64_t)ft_mpi_int_at(reading.target, argument));
            break;
        case 'Z':
            ft_mpi_give_detail(&reading, FT_MPI_KEY_SIZE,
                               (uint64_t)ft_mpi_int_at(reading.target, argument));
            if (communicator)
                communicator->size = (uint64_t)ft_mpi_int_at(reading.target, argument);
            break;
        case 'C':
            give_new_communicator(&reading);
            break;
        case 'T':
            add_new_type(&reading, argument);
            break;
        case 'S':
            if (call->function->class == FT_MPI_POINT_TO_POINT)
                give_status(&reading, argument, 0);
            if (call->function->class == FT_MPI_FILE)
                give_moved(&reading, argument);
            break;
        case 'G':
            give_new_group(&reading, ft_mpi_handle_at(&reading, argument, 0));
            break;
        case 'H':
            give_new_file(&reading, argument);
            break;
        default:
            break;
        }
    }
    if (call->function->class == FT_MPI_COMPLETION)
        give_completed(&reading);
}
