# What explain says of models without a skeleton that reaches the size, by histograms.
machine=caches=L1:4K:64:2@4,L2:32K:64:8@14,memory@200,TLB:64K:4K:full@20
foretrace explain --at N=100 --machine $machine "$SOURCE/tests/golden/version-7.model" transpose
foretrace explain --at N=200,R=5 --machine $machine --model both \
    "$SOURCE/tests/golden/version-3.model" transpose
