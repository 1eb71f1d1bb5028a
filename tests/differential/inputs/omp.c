/* Input of the differential suite: OpenMP with results that do not hang on the order of threads. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    enum { N = 200000 };
    static long values[N];
    long total = 0, largest = 0;
#pragma omp parallel for schedule(dynamic, 1000)
    for (int i = 0; i < N; i++)
        values[i] = (long)i * i % 10007;
#pragma omp parallel for reduction(+ : total) reduction(max : largest)
    for (int i = 0; i < N; i++) {
        total += values[i];
        largest = values[i] > largest ? values[i] : largest;
    }
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 100; i++)
#pragma omp task firstprivate(i) shared(values)
        values[i] += i;
    for (int i = 0; i < 100; i++)
        total += values[i];
    printf("%ld %ld %d\n", total, largest, omp_get_max_threads());
    return 0;
}
