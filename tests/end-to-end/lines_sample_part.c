/* The other unit of lines_sample.c. */
long part_values[64];

static inline __attribute__((always_inline)) void fill(long count)
{
    for (long i = 0; i < count; i++)
        part_values[i] = 3 * i;
}

long lines_sample_part(long count);
long lines_sample_part(long count)
{
    fill(count);
    long all = 0;
    for (long i = 0; i < count; i++)
        all += part_values[i];
    return all;
}
