#include <cyaml/cyaml.h>

#include "machines/commands/commands.h"

void ft_machines_libraries(ft_library_visitor *visit)
{
    visit("libcyaml", cyaml_version_str);
}
