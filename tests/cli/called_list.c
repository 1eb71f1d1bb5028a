/*
 * A list whose links are followed by a routine of their own. What is loaded in the loop is either
 * of an element, to which a call led, or of an array, to which none did. The test
 * `check_dependences` asks which.
 */
#include <stdio.h>

#define COUNT 100

struct element {
    struct element *next;
    long value;
};

__attribute__((noipa)) static struct element *follow(const struct element *element)
{
    return element->next;
}

__attribute__((noipa)) static long weigh(const struct element *first, const long *weights)
{
    long sum = 0;
    for (const struct element *at = first; at; at = follow(at))
        sum += at->value * *weights++;
    return sum;
}

int main(void)
{
    static struct element elements[COUNT];
    static long weights[COUNT];
    for (int i = 0; i < COUNT; i++) {
        elements[i] = (struct element){i + 1 < COUNT ? &elements[i + 1] : NULL, i};
        weights[i] = i % 7;
    }
    printf("%ld\n", weigh(elements, weights));
    return 0;
}
