/*
 * words [WORDS [REPETITIONS]]: counts the words of a text in a hash table with chains, and lists
 * the most frequent. The text is made up first: short words are frequent, long ones are rare.
 */
#include <ctype.h>
#include <string.h>

#include "tests/bench/unseen/code.h"

struct entry {
    struct entry *next;
    unsigned count;
    char word[];
};

struct table {
    size_t buckets, entries;
    struct entry **bucket;
};

static char *write_text(size_t words)
{
    char *text = code_malloc(words * 9 + 1, 1), *at = text;
    uint64_t random = 41;
    for (size_t w = 0; w < words; w++) {
        size_t letters = 1 + sample_random_below(&random, 1 + sample_random_below(&random, 8));
        for (size_t k = 0; k < letters; k++)
            *at++ = "eEtaoinshrdlu"[sample_random_below(&random, 13)];
        *at++ = w % 12 == 11 ? '\n' : ' ';
    }
    *at = '\0';
    return text;
}

static size_t hash(const char *word, size_t length)
{
    size_t value = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        value = (value ^ (unsigned char)word[i]) * 1099511628211u;
    return value;
}

static void grow(struct table *table)
{
    size_t buckets = table->buckets ? 2 * table->buckets : 64;
    struct entry **bucket = code_calloc(buckets, sizeof *bucket);
    for (size_t b = 0; b < table->buckets; b++) {
        for (struct entry *entry = table->bucket[b], *next; entry; entry = next) {
            next = entry->next;
            size_t to = hash(entry->word, strlen(entry->word)) % buckets;
            entry->next = bucket[to];
            bucket[to] = entry;
        }
    }
    free(table->bucket);
    table->bucket = bucket;
    table->buckets = buckets;
}

static void count(struct table *table, const char *word, size_t length)
{
    if (table->entries >= table->buckets)
        grow(table);
    struct entry **bucket = &table->bucket[hash(word, length) % table->buckets];
    for (struct entry *entry = *bucket; entry; entry = entry->next) {
        if (strncmp(entry->word, word, length) == 0 && entry->word[length] == '\0') {
            entry->count++;
            return;
        }
    }
    struct entry *entry = code_malloc(1, sizeof *entry + length + 1);
    *entry = (struct entry){*bucket, 1};
    memcpy(entry->word, word, length);
    entry->word[length] = '\0';
    *bucket = entry;
    table->entries++;
}

static void count_text(struct table *table, const char *text)
{
    char word[16];
    size_t length = 0;
    for (; *text; text++) {
        if (isalpha((unsigned char)*text)) {
            word[length++] = (char)tolower((unsigned char)*text);
        } else if (length > 0) {
            count(table, word, length);
            length = 0;
        }
    }
}

static int more_frequent(const void *left, const void *right)
{
    const struct entry *a = *(struct entry *const *)left, *b = *(struct entry *const *)right;
    return a->count != b->count ? (a->count < b->count) - (a->count > b->count)
                                : strcmp(a->word, b->word);
}

int main(int argc, char **argv)
{
    size_t words = sample_number(argc, argv, 1, 1, 50000);
    size_t repetitions = sample_number(argc, argv, 2, 1, 1);
    char *text = write_text(words);
    struct table table = {0};
    for (size_t r = 0; r < repetitions; r++)
        count_text(&table, text);
    struct entry **list = code_malloc(table.entries, sizeof *list);
    size_t listed = 0;
    for (size_t b = 0; b < table.buckets; b++)
        for (struct entry *entry = table.bucket[b]; entry; entry = entry->next)
            list[listed++] = entry;
    qsort(list, listed, sizeof *list, more_frequent);
    printf("words: %zu different, most frequent:", listed);
    for (size_t i = 0; i < listed && i < 5; i++)
        printf(" %s %u", list[i]->word, list[i]->count);
    printf("\n");
    for (size_t i = 0; i < listed; i++)
        free(list[i]);
    free(list);
    free(table.bucket);
    free(text);
}
