/*
 * Vectors under masks, each of which leaves out other lanes. Prints how many lanes the masks have:
 * of these it makes an addition, a fused multiply-add (of doubles) and an addition of integers; of
 * those that they leave out a subtraction and an addition. The test `flops` counts them.
 */
#include <stdint.h>
#include <stdio.h>

__attribute__((noinline)) static void masked(double *x, const double *y, const uint8_t *masks,
                                             long rounds)
{
    for (long i = 0; i < rounds; i++)
        __asm__ volatile("kmovw %[mask], %%k1\n\t"
                         "vmovupd (%[y]), %%zmm1%{%%k1%}%{z%}\n\t"
                         "vaddpd %%zmm1, %%zmm1, %%zmm2%{%%k1%}%{z%}\n\t"
                         "vfmadd231pd %%zmm1, %%zmm2, %%zmm1%{%%k1%}\n\t"
                         "vmulps %%zmm1, %%zmm1, %%zmm3%{%%k1%}\n\t" /* 16 lanes: which, no
                                                                        access tells */
                         "vpaddq %%zmm1, %%zmm1, %%zmm4%{%%k1%}\n\t"
                         "vmovupd %%zmm1, (%[x])%{%%k1%}\n\t"
                         "knotw %%k1, %%k1\n\t"
                         "vsubpd %%zmm1, %%zmm1, %%zmm5%{%%k1%}\n\t"
                         "vaddpd (%[y]), %%zmm1, %%zmm2%{%%k1%}%{z%}\n\t"
                         :
                         : [mask] "r"((int)masks[i]), [x] "r"(x), [y] "r"(y)
                         : "k1", "zmm1", "zmm2", "zmm3", "zmm4", "zmm5", "memory");
}

int main(void)
{
    double x[8] = {0}, y[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint8_t masks[100];
    int lanes = 0;
    for (int i = 0; i < 100; i++) {
        masks[i] = (uint8_t)(i * 37 + 11);
        lanes += __builtin_popcount(masks[i]);
    }
    masked(x, y, masks, 100);
    printf("%d\n", lanes);
    return 0;
}
