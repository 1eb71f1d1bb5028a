// matpower [N [REPEATS]]: powers of a matrix of std::vector rows by repeated squaring, results
// returned by value.
#include <cstdio>
#include <cstdlib>
#include <vector>
using matrix = std::vector<std::vector<double>>;
static matrix multiply(const matrix &a, const matrix &b)
{
    std::size_t n = a.size();
    matrix c(n, std::vector<double>(n, 0.0));
    for (std::size_t i = 0; i < n; i++)
        for (std::size_t k = 0; k < n; k++)
            for (std::size_t j = 0; j < n; j++)
                c[i][j] += a[i][k] * b[k][j];
    return c;
}
int main(int argc, char **argv)
{
    std::size_t n = argc > 1 ? atoi(argv[1]) : 32;
    int power = argc > 2 ? atoi(argv[2]) : 5;
    matrix a(n, std::vector<double>(n)), result(n, std::vector<double>(n));
    for (std::size_t i = 0; i < n; i++) {
        result[i][i] = 1;
        for (std::size_t j = 0; j < n; j++)
            a[i][j] = 1.0 / (n + i + 2 * j);
    }
    for (; power; power >>= 1) {
        if (power & 1)
            result = multiply(result, a);
        if (power > 1)
            a = multiply(a, a);
    }
    std::printf("%g\n", result[n - 1][0]);
}
