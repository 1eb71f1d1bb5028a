/* Several points in one --at: which there are, and what is refused. */
#include "formats/model/query_range.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/bare_model.h"
#include "tests/support/tap.h"

/* Points as "100,0 150,0": values of the parameter and of the data size. */
static void gives(const struct ft_model *model, const char *text, const char *expected)
{
    struct ft_query_values *points = NULL;
    struct ft_diag diag = {0};
    size_t count = 0;
    char said[1024] = "";
    int status = ft_query_points_read(model, text, &points, &count, &diag);
    for (size_t i = 0; status == FT_OK && i < count; i++) {
        char point[64];
        snprintf(point, sizeof point, "%s%.15g,%.15g", i > 0 ? " " : "", points[i].values[0],
                 points[i].others[0]);
        strncat(said, point, sizeof said - strlen(said) - 1);
    }
    tap_ok(status == FT_OK && strcmp(said, expected) == 0, "%s: %s%s", text, said, diag.message);
    free(points);
}

static void refuses(const struct ft_model *model, const char *text, const char *expected)
{
    struct ft_query_values *points = NULL;
    struct ft_diag diag = {0};
    size_t count = 0;
    tap_ok(ft_query_points_read(model, text, &points, &count, &diag) == FT_ERROR_USAGE && !points &&
               strstr(diag.message, expected),
           "refused: %s", diag.message);
}

static void test_join(void)
{
    const struct ft_query_values n = {.values = {5}}, m = {.values = {0, 7}}, s = {.others = {9}};
    const struct ft_query_values both = ft_query_values_join(&n, &m);
    tap_ok(both.values[0] == 5 && both.values[1] == 7 && both.others[0] == 0, "two parameters");
    tap_ok(ft_query_values_overlap(&both, &m) && !ft_query_values_overlap(&both, &s),
           "a name is given twice, or not");
}

int main(void)
{
    struct ft_model model = bare_model("model", "N");
    gives(&model, "N=5", "5,0");
    gives(&model, "N=100..300/50", "100,0 150,0 200,0 250,0 300,0");
    gives(&model, "N=100..299/100", "100,0 200,0");
    gives(&model, "N=7..7/5", "7,0");
    gives(&model, "N=0.1..0.5/0.1", "0.1,0 0.2,0 0.3,0 0.4,0 0.5,0");
    gives(&model, "N=64..512*2", "64,0 128,0 256,0 512,0");
    gives(&model, "N=1..20*3", "1,0 3,0 9,0");
    gives(&model, "s=1K..3K/1K", "0,1024 0,2048 0,3072");
    gives(&model, "N=1..2/1,s=3..4/1", "1,3 1,4 2,3 2,4");
    gives(&model, "N=64,128,256", "64,0 128,0 256,0");
    gives(&model, "N=64,100..200/50,s=1K,3K",
          "64,1024 64,3072 100,1024 100,3072 150,1024 150,3072 "
          "200,1024 200,3072");
    gives(&model, "N=64,", "64,0");
    refuses(&model, "N=64,,128", "the parameter of the model model is N");
    refuses(&model, "64,N=128", "64: the parameter of the model model is N");
    refuses(&model, "N=64,x", "N=x: a number above 0 is needed");
    refuses(&model, "N=64,-1", "N=-1: a number above 0 is needed");
    refuses(&model, "N=64,128,N=7", "N has a value already");
    refuses(&model, "N=7,1..1000/1", "1001 sizes; at most 1000");
    refuses(&model, "N=100..200", "N=100..200: a range needs a step, as in N=100..200/50");
    refuses(&model, "N=200..100/50", "N=200..100/50: no size: it begins above its end");
    refuses(&model, "N=100..200/0", "N=100..200/0: N=0: a number above 0 is needed");
    refuses(&model, "N=100..200/-5", "a number above 0 is needed");
    refuses(&model, "N=100..200*1", "the factor must be above 1");
    refuses(&model, "N=..200/5", "a number above 0 is needed");
    refuses(&model, "N=100../5", "a number above 0 is needed");
    refuses(&model, "N=1...5/1", "it begins above its end");
    refuses(&model, "N=1..5/1/2", "a number above 0 is needed");
    refuses(&model, "N=1..1001/1", "1001 sizes; at most 1000");
    refuses(&model, "N=1..1e15/1e-300", "at most 1000");
    refuses(&model, "N=1..50/1,s=1..50/1", "2500 sizes; at most 1000");
    refuses(&model, "N=1..5/1,N=7", "N has a value already");
    refuses(&model, "M=1..5/1", "the parameter of the model model is N");
    refuses(&model, "..", "the parameter of the model model is N");
    ft_model_fini(&model);
    test_join();
    return tap_plan_done();
}
