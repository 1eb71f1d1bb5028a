/*
 * Numbers as people write them, from text: what is taken, what is refused, and how far is read.
 */
#include "formats/base/parse.h"

#include <string.h>

#include "tests/support/tap.h"

static void test_u64(void)
{
    static const struct {
        const char *text;
        uint64_t value;
        int read; /* characters; 0: refused */
    } cases[] = {
        {"0", 0, 1},     {"64", 64, 2}, {"007", 7, 3},
        {"12,3", 12, 2}, {"5K", 5, 1},  {"18446744073709551615", UINT64_MAX, 20},
        {"", 0, 0},      {"-1", 0, 0},  {"+1", 0, 0},
        {" 1", 0, 0},    {"x", 0, 0},   {"18446744073709551616", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = cases[i].text;
        uint64_t value = 0, whole = 0;
        bool is_read = ft_read_u64(&at, &value);
        tap_ok(is_read == (cases[i].read > 0) && at - cases[i].text == cases[i].read &&
                   value == cases[i].value,
               "read '%s'", cases[i].text);
        bool is_whole = cases[i].read > 0 && !cases[i].text[cases[i].read];
        tap_ok(ft_parse_u64(cases[i].text, &whole) == is_whole &&
                   whole == (is_whole ? cases[i].value : 0),
               "parse '%s'", cases[i].text);
    }
}

static void test_double(void)
{
    static const struct {
        const char *text;
        double value;
        int read;
    } cases[] = {
        {"1.5", 1.5, 3}, {"-2e3", -2000, 4}, {".25", 0.25, 3}, {"+7", 7, 2},   {"5%", 5, 1},
        {"1e999", 0, 0}, {"inf", 0, 0},      {"nan", 0, 0},    {"0x10", 0, 0}, {"-0X1", 0, 0},
        {" 1", 0, 0},    {"", 0, 0},         {"-", 0, 0},      {".", 0, 0},    {"e5", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = cases[i].text;
        double value = 0, whole = 0;
        bool is_read = ft_read_double(&at, &value);
        tap_ok(is_read == (cases[i].read > 0) && at - cases[i].text == cases[i].read &&
                   value == cases[i].value,
               "read '%s'", cases[i].text);
        bool is_whole = cases[i].read > 0 && !cases[i].text[cases[i].read];
        tap_ok(ft_parse_double(cases[i].text, &whole) == is_whole, "parse '%s'", cases[i].text);
    }
}

static void test_assignment(void)
{
    static const char *const refused[] = {"N", "=1", "N=", "N=x", "N=1,5", "N= 1", "N=0x10", ""};
    size_t length = 0;
    double value = 0;
    tap_ok(ft_parse_assignment("size=-2.5", &length, &value) && length == 4 && value == -2.5,
           "size=-2.5");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        tap_ok(!ft_parse_assignment(refused[i], &length, &value), "refused: '%s'", refused[i]);
    const char *const list = "N=100,size=5", *at = list;
    tap_ok(ft_read_assignment(&at, &length, &value) && length == 1 && value == 100 &&
               at == list + 6 && ft_read_assignment(&at, &length, &value) && length == 4 &&
               value == 5 && !*at,
           "one after the other of '%s'", list);
    const char *const wrong = "N=1 M=2";
    at = wrong;
    tap_ok(!ft_read_assignment(&at, &length, &value) && at == wrong, "refused: '%s'", wrong);
}

static void test_range(void)
{
    static const struct {
        const char *text;
        uint64_t first, last;
        int read;
    } cases[] = {
        {"4", 4, 4, 1}, {"0-3,7", 0, 3, 3}, {"2-", 0, 0, 0}, {"-1", 0, 0, 0}, {"", 0, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = cases[i].text;
        uint64_t first = 0, last = 0;
        bool is_read = ft_read_range(&at, &first, &last);
        tap_ok(is_read == (cases[i].read > 0) && at - cases[i].text == cases[i].read &&
                   first == cases[i].first && last == cases[i].last,
               "range '%s'", cases[i].text);
    }
}

/* Powers of 1000 of counts, of 1024 of bytes. */
static void test_scaled(void)
{
    static const struct {
        const char *text;
        uint64_t count, bytes; /* 0: refused */
    } cases[] = {
        {"5000", 5000, 5000},
        {"20K", 20000, 20480},
        {"20k", 0, 20480},
        {"3M", 3000000, 3U << 20},
        {"1G", 1000000000, 1U << 30},
        {"2T", UINT64_C(2000000000000), 0},
        {"18014398509481983K", UINT64_C(18014398509481983000), UINT64_C(18446744073709550592)},
        {"18446744073709552K", 0, 0},
        {"1KK", 0, 0},
        {"K", 0, 0},
        {"-1K", 0, 0},
        {"1.5K", 0, 0},
        {"", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t count = 0, bytes = 0;
        tap_ok(ft_parse_count(cases[i].text, &count) == (cases[i].count > 0) &&
                   count == cases[i].count,
               "count '%s'", cases[i].text);
        tap_ok((ft_parse_bytes(cases[i].text, &bytes, NULL) == FT_OK) == (cases[i].bytes > 0) &&
                   bytes == cases[i].bytes,
               "bytes '%s'", cases[i].text);
    }
}

int main(void)
{
    test_u64();
    test_double();
    test_assignment();
    test_range();
    test_scaled();
    return tap_plan_done();
}
