/*
 * pagerank [PAGES [ITERATIONS]]: ranks of pages of a random web (Page et al. 1999), some of which
 * have far more links to them than others, and its connected components by label propagation.
 */
#include <math.h>

#include "tests/bench/unseen/code.h"

enum { LINKS_PER_PAGE = 6 };

struct web {
    int pages;
    int *first, *source; /* the links to each page */
    int *links;          /* from each page */
};

static struct web create(size_t pages)
{
    size_t links = LINKS_PER_PAGE * pages;
    struct web web = {(int)pages, code_calloc(pages + 1, sizeof(int)),
                      code_malloc(links, sizeof(int)), code_calloc(pages, sizeof(int))};
    int *from = code_malloc(links, sizeof *from), *to = code_malloc(links, sizeof *to);
    uint64_t random = 73;
    for (size_t k = 0; k < links; k++) {
        double popular = code_uniform(&random);
        from[k] = (int)sample_random_below(&random, pages);
        to[k] = (int)((double)pages * popular * popular);
        web.links[from[k]]++;
        web.first[to[k] + 1]++;
    }
    for (size_t p = 0; p < pages; p++)
        web.first[p + 1] += web.first[p];
    int *filled = code_calloc(pages, sizeof *filled);
    for (size_t k = 0; k < links; k++)
        web.source[web.first[to[k]] + filled[to[k]]++] = from[k];
    free(filled);
    free(from);
    free(to);
    return web;
}

static double iterate(const struct web *web, const float *rank, float *share, float *next)
{
    double change = 0, lost = 0;
    for (int p = 0; p < web->pages; p++) {
        share[p] = web->links[p] ? rank[p] / (float)web->links[p] : 0;
        lost += web->links[p] ? 0 : rank[p];
    }
    for (int p = 0; p < web->pages; p++) {
        float sum = 0;
        for (int k = web->first[p]; k < web->first[p + 1]; k++)
            sum += share[web->source[k]];
        next[p] = 0.15f / (float)web->pages + 0.85f * (sum + (float)lost / (float)web->pages);
        change += fabsf(next[p] - rank[p]);
    }
    return change;
}

/* How many components there are, once no label changes; links count both ways. */
static int components(const struct web *web, int *label)
{
    int changed = 1, roots = 0;
    for (int p = 0; p < web->pages; p++)
        label[p] = p;
    while (changed) {
        changed = 0;
        for (int p = 0; p < web->pages; p++) {
            for (int k = web->first[p]; k < web->first[p + 1]; k++) {
                int *other = &label[web->source[k]], *own = &label[p];
                if (*other == *own)
                    continue;
                *other = *own = *other < *own ? *other : *own;
                changed = 1;
            }
        }
    }
    for (int p = 0; p < web->pages; p++)
        roots += label[p] == p;
    return roots;
}

int main(int argc, char **argv)
{
    size_t pages = sample_number(argc, argv, 1, 1, 20000);
    size_t iterations = sample_number(argc, argv, 2, 1, 10);
    struct web web = create(pages);
    float *rank = code_malloc(pages, sizeof *rank), *next = code_malloc(pages, sizeof *next);
    float *share = code_malloc(pages, sizeof *share);
    int *label = code_malloc(pages, sizeof *label);
    for (size_t p = 0; p < pages; p++)
        rank[p] = 1 / (float)pages;
    double change = 0;
    for (size_t i = 0; i < iterations; i++) {
        change = iterate(&web, rank, share, next);
        float *kept = rank;
        rank = next;
        next = kept;
    }
    printf("pagerank: last change %.3e, %d components\n", change, components(&web, label));
    free(web.first);
    free(web.source);
    free(web.links);
    free(rank);
    free(next);
    free(share);
    free(label);
}
