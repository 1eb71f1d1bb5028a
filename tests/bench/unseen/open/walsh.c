/*
 * walsh [SAMPLES [REPETITIONS]]: Walsh-Hadamard transforms of a signal whose length is a power of
 * two: in place, in log2(SAMPLES) passes; small coefficients are dropped before the way back.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

static void transform(float *signal, size_t count)
{
    for (size_t half = 1; half < count; half *= 2) {
        for (size_t start = 0; start < count; start += 2 * half) {
            for (size_t i = start; i < start + half; i++) {
                float low = signal[i], high = signal[i + half];
                signal[i] = low + high;
                signal[i + half] = low - high;
            }
        }
    }
}

static size_t drop_small(float *signal, size_t count, float threshold)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (fabsf(signal[i]) < threshold)
            signal[i] = 0;
        else
            kept++;
    }
    return kept;
}

static void scale(float *signal, size_t count)
{
    float factor = 1.0f / (float)count;
    for (size_t i = 0; i < count; i++)
        signal[i] *= factor;
}

/* A square wave with noise. */
static void record(float *signal, size_t count)
{
    uint64_t random = 3;
    for (size_t i = 0; i < count; i++)
        signal[i] = (i / 37 % 2 ? 1.0f : -1.0f) + 0.3f * (float)code_uniform(&random);
}

int main(int argc, char **argv)
{
    size_t count = sample_number(argc, argv, 1, 2, 65536);
    size_t repetitions = sample_number(argc, argv, 2, 1, 2);
    if (count & (count - 1)) {
        fprintf(stderr, "%s: %zu samples: a power of two is needed\n", argv[0], count);
        return 2;
    }
    float *original = code_malloc(count, sizeof *original);
    float *signal = code_malloc(count, sizeof *signal);
    record(original, count);
    double error = 0;
    size_t kept = 0;
    for (size_t r = 0; r < repetitions; r++) {
        for (size_t i = 0; i < count; i++)
            signal[i] = original[i];
        transform(signal, count);
        kept += drop_small(signal, count, 0.5f * sqrtf((float)count));
        transform(signal, count);
        scale(signal, count);
        for (size_t i = 0; i < count; i++) {
            double difference = signal[i] - original[i];
            error += difference * difference;
        }
    }
    printf("walsh: %zu coefficients, mean error = %.6e\n", kept,
           sqrt(error / (double)(count * repetitions)));
    free(original);
    free(signal);
}
