/* "Did you mean": distances by the definition, which names are close, and which of several. */
#include "formats/base/closest_name.h"

#include <string.h>

#include "tests/support/random.h"
#include "tests/support/tap.h"

static size_t min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The recursion that defines optimal string alignment, without any table. */
static size_t reference_distance(const char *a, size_t i, const char *b, size_t j)
{
    if (i == 0 || j == 0)
        return i + j;
    size_t best = min(reference_distance(a, i - 1, b, j), reference_distance(a, i, b, j - 1)) + 1;
    best = min(best, reference_distance(a, i - 1, b, j - 1) + (a[i - 1] != b[j - 1]));
    if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        best = min(best, reference_distance(a, i - 2, b, j - 2) + 1);
    return best;
}

static void random_word(uint64_t *state, char word[8])
{
    size_t length = random_below(state, 7) + 1;
    for (size_t i = 0; i < length; i++)
        word[i] = (char)('a' + random_below(state, 3));
    word[length] = 0;
}

static void test_distances(void)
{
    uint64_t state = 1;
    size_t wrong = 0, close = 0;
    for (int i = 0; i < 2000; i++) {
        char wanted[8], name[8];
        random_word(&state, wanted);
        random_word(&state, name);
        struct ft_closest_name closest = {.wanted = wanted};
        ft_closest_name_try(&closest, name);
        size_t distance = reference_distance(wanted, strlen(wanted), name, strlen(name));
        bool is_close = 3 * distance <= strlen(name);
        wrong += is_close != (closest.name != NULL) || (is_close && closest.distance != distance);
        close += is_close;
    }
    tap_ok(wrong == 0 && close > 50 && close < 1000,
           "2000 pairs of words as by the definition, %zu of them close", close);
}

static const char *closest_of(const char *wanted)
{
    static const char *const names[] = {"replay", "predict",   "plan",     "fit",
                                        "info",   "structure", "amd-zen4", "intel-sapphire-rapids"};
    struct ft_closest_name closest = {.wanted = wanted};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ft_closest_name_try(&closest, names[i]);
    return closest.name ? closest.name : "";
}

int main(void)
{
    static const struct {
        const char *wanted, *expected;
    } cases[] = {
        {"replya", "replay"},
        {"repla", "replay"},
        {"reeplay", "replay"},
        {"predcit", "predict"},
        {"plna", "plan"},
        {"ift", "fit"},
        {"strukture", "structure"},
        {"xy", ""},
        {"simulate", ""},
        {"", ""},
        {"replay", "replay"},
        {"analyse", ""},
        {"sapphire", ""},
        {"zen4", "amd-zen4"},
        {"sapphire-rapids", "intel-sapphire-rapids"},
    };
    test_distances();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        tap_ok(strcmp(closest_of(cases[i].wanted), cases[i].expected) == 0, "'%s': '%s'",
               cases[i].wanted, closest_of(cases[i].wanted));
    char longer[300];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = 0;
    tap_ok(closest_of(longer)[0] == 0, "a very long word is close to nothing");
    return tap_plan_done();
}
