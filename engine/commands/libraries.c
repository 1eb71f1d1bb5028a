#include <stdio.h>

#include "engine/commands/commands.h"

void ft_engine_libraries(ft_library_visitor *visit)
{
    char text[16];
    snprintf(text, sizeof text, "%d", _OPENMP); /* year and month of the specification */
    visit("OpenMP", text);
#ifdef FT_MPI_VERSION
    visit("MPI", FT_MPI_VERSION); /* of replay --mpi alone */
#endif
}
