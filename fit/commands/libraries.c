#include <gsl/gsl_version.h>

#include "fit/commands/commands.h"

void ft_fit_libraries(ft_library_visitor *visit)
{
    visit("GSL", gsl_version);
}
