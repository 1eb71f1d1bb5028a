/*
 * Terms: text to term and back, their values, their order, and what is refused.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/model/basis.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

static struct ft_basis of_two(void)
{
    return (struct ft_basis){.parameter_count = 2, .parameters = {"N", "M"}, .term_count = 1};
}

/* A term that is read, its canonical text, and its value at N = 9, M = 16. */
static void test_term(const char *text, const char *canonical, double value)
{
    struct ft_basis basis = of_two();
    char made[FT_TERM_TEXT];
    static const double at[] = {9, 16};
    int status = ft_basis_add(&basis, text, NULL);
    struct ft_point point = ft_point_at(&basis, at);
    ft_term_text(made, &basis, 1);
    tap_ok(status == FT_OK && basis.term_count == 2 && strcmp(made, canonical) == 0 &&
               fabs(point.terms[1] / value - 1) < 1e-14,
           "%s is %s, %.17g at N = 9, M = 16", text, made, point.terms[1]);
}

static void test_refused(const char *text)
{
    struct ft_basis basis = of_two();
    struct ft_diag diag = {0};
    int status = ft_basis_add(&basis, text, &diag);
    tap_ok(status == FT_ERROR_USAGE && basis.term_count == 1 && strstr(diag.message, "of N and M"),
           "'%s' is refused: %s", text, diag.message);
}

/* Terms by chance, to text and back: the same numbers to the bit. */
static void test_back(void)
{
    uint64_t state = 1;
    size_t same = 0;
    for (int i = 0; i < 10000; i++) {
        struct ft_basis basis = of_two(), read = of_two();
        char text[FT_TERM_TEXT];
        static const double parts[] = {1, 2, 3, 4, 6, 8, 12, 7.3};
        basis.term_count = 2;
        for (int j = 0; j < 2; j++) {
            basis.terms[1].exponents[j] =
                (double)random_below(&state, 5) / parts[random_below(&state, 8)];
            basis.terms[1].logarithms[j] = (uint8_t)random_below(&state, 3);
        }
        ft_term_text(text, &basis, 1);
        if (strcmp(text, "1") == 0)
            same++;
        else if (ft_basis_add(&read, text, NULL) == FT_OK)
            same += ft_term_compare(&read.terms[1], &basis.terms[1]) == 0;
    }
    tap_ok(same == 10000, "%zu of 10000 terms come back from their texts", same);
}

static void test_order(void)
{
    struct ft_basis basis, known = ft_basis_default("N");
    char text[FT_TERM_TEXT];
    tap_ok(ft_basis_read(&basis, "N", "N^4,N*log2(N),N,N^3,log(N),N^2,N", NULL) == FT_OK &&
               basis.term_count == known.term_count &&
               memcmp(basis.terms, known.terms, sizeof *basis.terms * basis.term_count) == 0,
           "terms stand by growth, each once, however they are listed");
    bool found = true;
    for (size_t term = 0; term < basis.term_count; term++) {
        double exponent = ft_term_exponent(&basis.terms[term]);
        bool power = !ft_term_has_logarithm(&basis.terms[term]);
        found = found && (!power || ft_basis_power(&basis, exponent) == term);
    }
    tap_ok(found && ft_basis_power(&basis, 2.5) == basis.term_count, "powers are found");
    tap_ok(strcmp(ft_term_text(text, &basis, 3), "N*log2(N)") == 0, "the fourth is %s", text);
    struct ft_diag diag = {0};
    tap_ok(ft_basis_read(&basis, "N", "N,N^2,N^3,N^4,N^5,N^6,N^7,N^8,sqrt(N),N^1.5,N^2.5,N^3.5",
                         &diag) == FT_ERROR_USAGE,
           "too many to try all sets: %s", diag.message);
    tap_ok(ft_basis_read(&basis, "N", "N,,N^2", &diag) == FT_ERROR_USAGE, "an empty term: %s",
           diag.message);
}

static void test_functions(void)
{
    struct ft_basis basis = ft_basis_default("N");
    struct ft_function a = {.coefficients = {1, 0, 2}, .exact = true};
    struct ft_function b = {.coefficients = {10, 0, 0, 0, 1}, .rms_relative_error = 0.5};
    struct ft_function sum = ft_function_add(&a, &b, -1);
    double n = 3;
    struct ft_point at = ft_point_at(&basis, &n);
    tap_ok(ft_function_at(&a, &at) == 7 && ft_function_at(&b, &at) == 19, "1 + 2 N, 10 + N^2");
    tap_ok(ft_function_at(&sum, &at) == 0, "a function is not below 0");
    tap_ok(sum.coefficients[0] == -9 && sum.coefficients[4] == -1 && !sum.exact &&
               sum.rms_relative_error == 0.5,
           "functions are added term by term");
    n = 2097151; /* N^2 + ... are integers below 2^53 */
    at = ft_point_at(&basis, &n);
    tap_ok(at.terms[4] == 4398042316801.0, "whole powers are exact");
}

/* Terms of what a parameter is above an origin, which all terms of a basis have. */
static void test_origin(void)
{
    struct ft_basis basis, again;
    struct ft_diag diag = {0};
    char text[2][FT_TERM_TEXT];
    const double at = 16, below = 3;
    tap_ok(ft_basis_read(&basis, "s", "(s-7)^1.5*log2( s - 7 ), (s - 7)", NULL) == FT_OK &&
               basis.term_count == 3 && basis.origin == 7,
           "terms of s - 7");
    ft_term_text(text[0], &basis, 1);
    ft_term_text(text[1], &basis, 2);
    tap_ok(strcmp(text[0], "(s-7)") == 0 && strcmp(text[1], "(s-7)^1.5*log2(s-7)") == 0 &&
               ft_basis_read(&again, "s", text[1], NULL) == FT_OK && again.origin == 7 &&
               ft_term_compare(&again.terms[1], &basis.terms[2]) == 0,
           "as text, and back: %s, %s", text[0], text[1]);
    const struct ft_point point = ft_point_at(&basis, &at), low = ft_point_at(&basis, &below);
    tap_ok(point.terms[1] == 9 && fabs(point.terms[2] / (27 * log2(9)) - 1) < 1e-14 &&
               point.parameters[0] == 16,
           "at s = 16 they are those of 9");
    tap_ok(low.terms[1] == 1 && low.terms[2] == 0, "below the origin, those of 1");
    tap_ok(ft_basis_add(&basis, "s^2", &diag) == FT_ERROR_USAGE && basis.term_count == 3,
           "another origin is refused: %s", diag.message);
    tap_ok(ft_basis_add(&basis, "(s-7)*s", NULL) == FT_ERROR_USAGE &&
               ft_basis_add(&basis, "(s-0)", NULL) == FT_ERROR_USAGE &&
               ft_basis_add(&basis, "s-7", NULL) == FT_ERROR_USAGE &&
               ft_basis_add(&basis, "(s-7", NULL) == FT_ERROR_USAGE,
           "so are two origins in a term, none, and what has no end");
}

/* Alignments, of bases of one parameter. */
static void test_alignments(void)
{
    static const char list[] = "align(N,8),N, align( N , 8 )*N ,N^2*align(N,6)";
    struct ft_basis basis;
    char text[3][FT_TERM_TEXT];
    int status = ft_basis_read(&basis, "N", list, NULL);
    tap_ok(status == FT_OK && basis.term_count == 5 &&
               strcmp(ft_term_text(text[0], &basis, 1), "align(N,8)") == 0 &&
               strcmp(ft_term_text(text[1], &basis, 3), "N*align(N,8)") == 0 &&
               strcmp(ft_term_text(text[2], &basis, 4), "N^2*align(N,6)") == 0,
           "commas in parentheses are no ends of terms: %s, %s, %s", text[0], text[1], text[2]);
    tap_ok(ft_basis_power(&basis, 0) == 0 && ft_basis_power(&basis, 1) == 2,
           "they are no powers, and stand behind them");
    unsigned wrong = 0;
    for (int n = 1; n < 200; n++) {
        int divisor = 1;
        const double at = n;
        struct ft_point point = ft_point_at(&basis, &at);
        for (int i = 1; i <= 6; i++)
            divisor = n % i == 0 && 6 % i == 0 ? i : divisor;
        wrong += fabs(point.terms[4] - at * at * (6 - divisor) / 6) > 1e-9 ||
                 point.terms[1] != ft_alignment(n, 8) || point.terms[3] != n * ft_alignment(n, 8);
    }
    tap_ok(wrong == 0 && ft_alignment(16, 8) == 0 && ft_alignment(12, 8) == 0.5 &&
               ft_alignment(7, 8) == 0.875 && ft_alignment(0, 8) == 0,
           "1 - gcd / modulus, at 200 sizes");
    const double odd = 7;
    struct ft_point smooth = ft_smooth_point_at(&basis, &odd);
    tap_ok(smooth.terms[1] == 1 - 20. / 64 && smooth.terms[3] == 7 * smooth.terms[1] &&
               smooth.terms[2] == 7,
           "and its mean over all sizes, %g", smooth.terms[1]);
    double worst = 0;
    for (unsigned modulus = 2; modulus < 200; modulus++) {
        double sum = 0;
        for (unsigned n = 0; n < modulus; n++)
            sum += ft_alignment(n, modulus);
        worst = fmax(worst, fabs(ft_mean_alignment(modulus) - sum / modulus));
    }
    tap_ok(worst < 1e-14, "as its values have for all L below 200 (%.1e)", worst);
    static const char *const none[] = {"align(N,1)",    "align(N,4097)", "align(N,2.5)",
                                       "align(M,8)",    "align(N,)",     "align(N)",
                                       "align(N,8",     "align(N,8)^2",  "align(N,8)*align(N,4)",
                                       "align(N,8)*N,", "align"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct ft_diag diag = {0};
        basis = ft_basis_default("N");
        tap_ok(ft_basis_add(&basis, none[i], &diag) == FT_ERROR_USAGE, "'%s' is refused: %s",
               none[i], diag.message);
    }
    basis = of_two();
    tap_ok(ft_basis_add(&basis, "align(N,8)", NULL) == FT_ERROR_USAGE,
           "so it is with two parameters");
}

/* Quotients, of bases of one parameter: as integer division has them. */
static void test_quotients(void)
{
    static const char list[] = "N*floor(N/8),ceil( N /24)^2, floor((N-2)/4) ,N^2*floor((N+3)/4)";
    static const char *const texts[] = {"floor((N-2)/4)", "ceil(N/24)^2", "N*floor(N/8)",
                                        "N^2*floor((N+3)/4)"};
    struct ft_basis basis, again = ft_basis_default("N");
    char text[FT_TERM_TEXT];
    unsigned wrong = 0, told = 0;
    int status = ft_basis_read(&basis, "N", list, NULL);
    /* ceil(N/4) is what floor((N+3)/4) is. */
    tap_ok(status == FT_OK && basis.term_count == 5 &&
               strcmp(ft_term_text(text, &basis, 4), "N^2*ceil(N/4)") == 0,
           "quotients are read; %s", text);
    for (size_t i = 0; status == FT_OK && i < 3; i++) {
        wrong += strcmp(ft_term_text(text, &basis, i + 1), texts[i]) != 0;
        wrong += ft_basis_add(&again, text, NULL) < 0 ||
                 ft_basis_find(&again, &basis.terms[i + 1]) == again.term_count;
    }
    tap_ok(wrong == 0, "and written, and read again");
    for (int n = 1; n < 200; n++) {
        const double at = n;
        struct ft_point point = ft_point_at(&basis, &at);
        const int vectors = n >= 2 ? (n - 2) / 4 : 0, tiles = (n + 23) / 24;
        const int lines = n * (n / 8), up = n * n * ((n + 3) / 4);
        wrong += point.terms[1] != vectors || point.terms[2] != tiles * tiles ||
                 point.terms[3] != lines || point.terms[4] != up;
    }
    tap_ok(wrong == 0, "their values at 200 sizes");
    const double n = 1000;
    struct ft_point smooth = ft_smooth_point_at(&basis, &n);
    tap_ok(fabs(smooth.terms[3] / n - (n - 3.5) / 8) < 1e-9, "and without steps");
    /* Residues 1, 2, 4 and 7 modulo 8; the step is at 0. */
    static const double sizes[] = {9, 18, 36, 47};
    const struct ft_term step = {.exponents = {1}, .quotient = {0, 8, 1}};
    const struct ft_term other = {.exponents = {1}, .quotient = {-6, 8, 1}};
    const struct ft_term square = {.quotient = {0, 8, 2}};
    for (int residue = 0; residue < 8; residue++)
        told |= (unsigned)ft_term_is_identifiable(&step, sizes, 4, 80 + residue) << residue;
    tap_ok(told == 0xFE, "a step between residues 7 and 1: what 0 has is not told (%x)", told);
    told = 0;
    for (int residue = 0; residue < 8; residue++)
        told |= (unsigned)ft_term_is_identifiable(&other, sizes, 4, 80 + residue) << residue;
    tap_ok(told == 0x9F, "one between 4 and 7: what 5 and 6 have is not (%x)", told);
    tap_ok(!ft_term_is_identifiable(&square, sizes, 4, 83) &&
               ft_term_is_identifiable(&square, sizes, 4, 84),
           "a square needs a residue more, where the size's own is new");
    static const char *const none[] = {"floor(N/1)",       "floor(N/4097)", "floor(N/2.5)",
                                       "floor(M/8)",       "floor(N/)",     "floor(N)",
                                       "floor(N/8",        "floor((N-2/4)", "floor(N/8)^4",
                                       "floor(N+2/4)",     "ceil(N/8)^.5",  "floor(N/8)*ceil(N/4)",
                                       "floor((N-2.5)/4)", "floor"};
    wrong = 0;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        wrong += ft_basis_read(&basis, "N", none[i], NULL) != FT_ERROR_USAGE;
    tap_ok(wrong == 0, "what is no quotient is refused");
    struct ft_basis two = of_two();
    tap_ok(ft_basis_add(&two, "N*floor(N/8)", NULL) == FT_ERROR_USAGE, "of two parameters all are");
}

int main(void)
{
    test_term("N", "N", 9);
    test_term("N^2", "N^2", 81);
    test_term(" M * N ^ 3 ", "N^3*M", 729 * 16);
    test_term("sqrt(N)", "N^0.5", 3);
    test_term("N^(1/3)", "N^(1/3)", cbrt(9));
    test_term("M^(3/2)*sqrt(N)", "N^0.5*M^1.5", 3 * 64);
    test_term("log2(M)", "log2(M)", 4);
    test_term("N*log(M)^2", "N*log2(M)^2", 9 * 16);
    test_term("N*N*log2(M)*log2(M)", "N^2*log2(M)^2", 81 * 16);
    static const char *const wrong[] = {
        "",    "K",      "N^",     "N^-3",    "N**M",    "N*",     "2*N",     "N^9",
        "N M", "log2(N", "log2 N", "sqrt(4)", "N^(1/0)", "N^(1/3", "N^1e400", "log(N)^0.5"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        test_refused(wrong[i]);
    test_term("N^(2)", "N^2", 81);
    test_term("N^2*M^-1", "N^2*M^-1", 81.0 / 16);
    test_back();
    test_order();
    test_functions();
    test_origin();
    test_alignments();
    test_quotients();
    return tap_plan_done();
}
