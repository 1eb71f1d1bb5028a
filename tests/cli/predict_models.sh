# A model of every version of the format.
machine=caches=L1:32K:64:8@4,L2:256K:64:full@10,TLB:256K:4K:full@20,memory@100
for model in "$SOURCE"/tests/golden/version-*.model; do
    foretrace predict --at N=200 --machine $machine "$model"
done
