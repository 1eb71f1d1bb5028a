#include "trace-capture/tracer/mpi_objects.h"

#include <stdlib.h>

#include "formats/base/array.h"

struct ft_mpi_object *ft_mpi_object_find(const struct ft_mpi_objects *objects, uint64_t handle)
{
    for (size_t i = objects->count; i-- > 0;)
        if (objects->items[i].handle == handle)
            return &objects->items[i];
    return NULL;
}

struct ft_mpi_object *ft_mpi_object_add(struct ft_mpi_objects *objects, uint64_t handle,
                                        uint64_t number)
{
    struct ft_mpi_object *object = ft_mpi_object_find(objects, handle);
    if (!object && FT_RESERVE(objects->items, objects->capacity, objects->count + 1))
        object = &objects->items[objects->count++];
    if (object)
        *object = (struct ft_mpi_object){.handle = handle, .number = number};
    return object;
}

void ft_mpi_objects_fini(struct ft_mpi_objects *objects)
{
    free(objects->items);
    *objects = (struct ft_mpi_objects){0};
}
