// Loops in templates, members, a lambda and overloaded functions: the test `languages` has the marked
// ones by the names that their author gave them.
#include <cstdio>

namespace grids
{
template <typename T> struct grid {
    int rows, columns;
    T *cells;

    grid(int rows, int columns) : rows(rows), columns(columns), cells(new T[rows * columns])
    {
    }
    ~grid()
    {
        delete[] cells;
    }
    __attribute__((noinline)) void fill(T value)
    {
        for (int i = 0; i < rows * columns; i++) // loop: fill
            cells[i] = value * static_cast<T>(i % 5);
    }
    T row_sum(int row) const
    {
        T sum = 0;
        for (int j = 0; j < columns; j++) // loop: row_sum
            sum += cells[row * columns + j];
        return sum;
    }
};

template <typename T, typename Visit>
__attribute__((noinline)) T for_rows(const grid<T> &from, Visit visit)
{
    T sum = 0;
    for (int i = 0; i < from.rows; i++) // loop: for_rows
        sum += visit(from, i);
    return sum;
}
} // namespace grids

__attribute__((noinline)) static double total(const grids::grid<double> &from)
{
    return grids::for_rows(from, [](const grids::grid<double> &g, int i) { return g.row_sum(i); });
}

__attribute__((noinline)) static int total(const grids::grid<int> &from)
{
    int most = 0;
    for (int i = 0; i < from.rows; i++) { // loop: rows_of_ints
        const int sum = from.row_sum(i);
        most = sum > most ? sum : most;
    }
    return most;
}

int main()
{
    grids::grid<double> reals(12, 9);
    grids::grid<int> whole(5, 40);
    reals.fill(0.5);
    whole.fill(2);
    std::printf("%g %d\n", total(reals), total(whole));
}
