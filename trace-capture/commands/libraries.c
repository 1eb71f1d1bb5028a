#include <elfutils/libdwfl.h>

#include "trace-capture/commands/commands.h"

void ft_trace_capture_libraries(ft_library_visitor *visit)
{
    visit("elfutils", dwfl_version(NULL));
}
