/* Sums of terms as text: what they are at a point, and what is no such sum. */
#include "formats/model/term_sum.h"

#include <math.h>

#include "tests/support/tap.h"

static const char *const names[] = {"N", "steps"};

static void is(const char *text, double expected)
{
    static const double values[] = {8, 5};
    struct ft_diag diag = {0};
    struct ft_term_sum sum;
    int status = ft_term_sum_read(text, names, 2, &sum, &diag);
    const double value = status == FT_OK ? ft_term_sum_at(&sum, values) : NAN;
    tap_ok(fabs(value - expected) <= 1e-12 * fabs(expected), "%s = %.15g %s", text, value,
           diag.message);
}

static void refused(const char *text)
{
    struct ft_diag diag = {0};
    struct ft_term_sum sum;
    tap_ok(ft_term_sum_read(text, names, 2, &sum, &diag) == FT_ERROR_USAGE, "refused: '%s': %s",
           text, diag.message);
}

int main(void)
{
    is("N", 8);
    is("1", 1);
    is("2.5", 2.5);
    is("N^3*steps", 2560);
    is("2*N^3", 1024);
    is("2*N^3+3*N*steps+7", 1151);
    is(" 2 * N + 0.5*steps ", 18.5);
    is("N+N+N", 24);
    is("5*N*log2(N)", 120);
    is("N^(1/3)", 2);
    is("N^-1", 0.125);
    is("-1*N", -8);
    refused("");
    refused("M");
    refused("N^3*");
    refused("N+");
    refused("+N");
    refused("2N");
    refused("2*");
    refused("N-steps");
    refused("N/steps");
    refused("N+N+N+N+N+N+N+N+N+N+N+N+N+N+N+N+N+N+N+N+N+N+N+N+N+N+N");
    return tap_plan_done();
}
