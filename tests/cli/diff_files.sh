# Two sizes, two machines, limits; histograms of two versions of their format; a trace with itself.
cp "$SOURCE"/tests/golden/version-*.* .
machine=caches=L1:4K:64:2@4,L2:32K:64:8@14,memory@200,TLB:64K:4K:full@20
foretrace diff --at N=100 --at N=200 -m $machine --fail-if "misses.L1 > 3" version-7.model 2>&1
foretrace diff --at N=200 -m $machine -m ${machine/4K/8K} --in allocated.c:25 version-7.model
foretrace diff --at N=200 -m amd-zen5 -m amd-zen5,L2=64K --sort misses.L2 --loops 2 version-7.model
foretrace diff --at N=22 -m $machine version-7.histograms version-9.histograms
foretrace diff --at N=12 --at N=22 version-9.histograms
foretrace diff -m $machine version-4.trace version-4.trace
