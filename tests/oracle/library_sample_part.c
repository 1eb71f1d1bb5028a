/*
 * The library that library_sample loads, in two versions of the same layout.
 */
unsigned long work(const long *values, int count);

static volatile unsigned long steps;

unsigned long work(const long *values, int count)
{
    unsigned long sum = 0;
    for (int i = 0; i < count; i++) {
        sum = sum * FACTOR + (unsigned long)values[i];
#if FACTOR == 3
        steps++;
#endif
    }
    return sum + steps;
}
