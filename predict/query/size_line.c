#include "predict/query/size_line.h"

#include <math.h>

#define FINEST 1e-9 /* relative, of sizes that are no integers */

struct ft_size_line ft_size_line_of(const struct ft_model *model, double reach)
{
    struct ft_size_line line = {.model = model, .whole = true};
    for (size_t i = 0; i < model->training_count; i++)
        line.whole = line.whole && model->training[i] == rint(model->training[i]);
    line.from = model->training[0];
    line.to = reach * model->training[model->training_count - 1];
    return line;
}

struct ft_point ft_size_line_at(const struct ft_size_line *line, double n)
{
    return ft_point_at(&line->model->basis, &n);
}

bool ft_size_between(const struct ft_size_line *line, double low, double high, double *ret_middle)
{
    double middle = low + (high - low) / 2;
    if (line->whole)
        middle = floor(middle);
    if (middle <= low || middle >= high || (!line->whole && high - low <= FINEST * high))
        return false;
    *ret_middle = middle;
    return true;
}

double ft_size_step(const struct ft_size_line *line, size_t step, size_t steps)
{
    if (step == 0 || step >= steps)
        return step == 0 ? line->from : line->to;
    double n = line->from * pow(line->to / line->from, (double)step / (double)steps);
    return line->whole ? fmin(fmax(rint(n), line->from), line->to) : n;
}
