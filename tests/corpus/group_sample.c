/*
 * Loops whose references belong together: records of 24 bytes, which no line is a multiple of; rows
 * taken two elements at a time, each time with the same weights; bytes, which a compiler takes many
 * at a time and the rest one by one; a list of records in an order that no stride tells. The
 * argument is the number of elements.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct record {
    int64_t x, y, z;
};

struct node {
    int64_t key, count;
    struct node *next;
};

__attribute__((noinline)) static int64_t sum_records(struct record *records, size_t count)
{
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += records[i].x * 3 - records[i].z;
        records[i].y = sum;
    }
    return sum;
}

/* The last element of rows of odd length by itself. */
__attribute__((noinline)) static int64_t sum_rows(const int64_t *rows, const int64_t *weights,
                                                  size_t count)
{
    int64_t even = 0, odd = 0;
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        for (; k + 1 < count; k += 2) {
            even += rows[i * count + k] ^ weights[k];
            odd ^= rows[i * count + k + 1];
        }
        if (k < count)
            even += rows[i * count + k];
    }
    return even - odd;
}

__attribute__((noinline)) static void scale_bytes(uint8_t *restrict to, const uint8_t *from,
                                                  size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (uint8_t)(3 * from[i] + 1);
}

__attribute__((noinline)) static int64_t walk_list(struct node *node)
{
    int64_t sum = 0;
    for (; node; node = node->next) {
        sum += node->key;
        node->count++;
    }
    return sum;
}

static void *zeroes(size_t count, size_t bytes)
{
    void *made = calloc(count, bytes);
    if (!made)
        exit(1);
    return made;
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 60;
    struct record *records = zeroes(count, sizeof *records);
    int64_t *rows = zeroes(count * count, sizeof *rows);
    uint8_t *bytes = zeroes(2 * count + 1, 1);
    struct node *nodes = zeroes(count, sizeof *nodes);
    for (size_t i = 0; i < count; i++)
        nodes[i * 7 % count].next = i + 1 < count ? &nodes[(i + 1) * 7 % count] : NULL;
    int64_t sum = 0;
    for (int turn = 0; turn < 3; turn++) {
        sum += sum_records(records, count);
        sum += sum_rows(rows, rows, count);
        scale_bytes(bytes + count, bytes, count);
        sum += walk_list(nodes) + bytes[count];
    }
    printf("%ld\n", (long)sum);
    free(records);
    free(rows);
    free(bytes);
    free(nodes);
    return 0;
}
