/*
 * kmers [BASES [REPETITIONS]]: counts the words of 21 bases in reads of a random genome, as
 * assemblers do, in a hash table with open addressing that doubles when it is three quarters full.
 */
#include "tests/bench/unseen/code.h"

enum { WORD = 21, READ = 100, COVERAGE = 4 };

struct slot {
    uint64_t key; /* the word with two bits per base, plus 1; 0: free */
    uint32_t count;
};

struct table {
    size_t slots, used;
    struct slot *slot;
};

static size_t hash(uint64_t key)
{
    key ^= key >> 31;
    key *= UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(key ^ key >> 29);
}

static struct slot *find(const struct table *table, uint64_t key)
{
    size_t mask = table->slots - 1, at = hash(key) & mask;
    while (table->slot[at].key && table->slot[at].key != key)
        at = (at + 1) & mask;
    return &table->slot[at];
}

static void grow(struct table *table)
{
    struct table larger = {2 * table->slots, table->used,
                           code_calloc(2 * table->slots, sizeof(struct slot))};
    for (size_t i = 0; i < table->slots; i++)
        if (table->slot[i].key)
            *find(&larger, table->slot[i].key) = table->slot[i];
    free(table->slot);
    *table = larger;
}

static void count(struct table *table, uint64_t key)
{
    struct slot *slot = find(table, key);
    if (!slot->key) {
        slot->key = key;
        if (4 * ++table->used > 3 * table->slots) {
            grow(table);
            slot = find(table, key);
        }
    }
    slot->count++;
}

static uint64_t code_of(char base)
{
    return base == 'A' ? 0 : base == 'C' ? 1 : base == 'G' ? 2 : 3;
}

static void count_read(struct table *table, const char *read)
{
    uint64_t word = 0, mask = (UINT64_C(1) << 2 * WORD) - 1;
    for (size_t i = 0; i < READ; i++) {
        word = (word << 2 | code_of(read[i])) & mask;
        if (i >= WORD - 1)
            count(table, word + 1);
    }
}

int main(int argc, char **argv)
{
    size_t bases = sample_number(argc, argv, 1, READ, 50000);
    size_t repetitions = sample_number(argc, argv, 2, 1, 1);
    char *genome = code_malloc(bases, 1);
    uint64_t random = 103;
    for (size_t i = 0; i < bases; i++)
        genome[i] = "ACGT"[sample_random_below(&random, 4)];
    size_t once = 0, used = 0;
    for (size_t r = 0; r < repetitions; r++) {
        struct table table = {1024, 0, code_calloc(1024, sizeof(struct slot))};
        for (size_t k = 0; k < COVERAGE * bases / READ; k++)
            count_read(&table, genome + sample_random_below(&random, bases - READ + 1));
        for (size_t i = 0; i < table.slots; i++)
            once += table.slot[i].count == 1;
        used += table.used;
        free(table.slot);
    }
    printf("kmers: %zu different, %zu once\n", used, once);
    free(genome);
}
