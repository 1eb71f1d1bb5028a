// heat [N [STEPS]]: the heat equation on N x N x N points in vectors of vectors of vectors, two of
// them that change places.
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

using grid = std::vector<std::vector<std::vector<double>>>;

int main(int argc, char **argv)
{
    std::size_t n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 24;
    int steps = argc > 2 ? std::atoi(argv[2]) : 4;
    grid now(n, std::vector<std::vector<double>>(n, std::vector<double>(n, 0.0))), next = now;
    for (std::size_t i = 0; i < n; i++)
        for (std::size_t j = 0; j < n; j++)
            now[i][j][0] = next[i][j][0] = 1.0;
    for (int step = 0; step < steps; step++) {
        for (std::size_t i = 1; i + 1 < n; i++)
            for (std::size_t j = 1; j + 1 < n; j++)
                for (std::size_t k = 1; k + 1 < n; k++)
                    next[i][j][k] = now[i][j][k] +
                        0.1 * (now[i + 1][j][k] + now[i - 1][j][k] + now[i][j + 1][k] +
                               now[i][j - 1][k] + now[i][j][k + 1] + now[i][j][k - 1] -
                               6 * now[i][j][k]);
        std::swap(now, next);
    }
    std::printf("heat: %g\n", now[n / 2][n / 2][1]);
}
