# A model of every version of the format.
machine=caches=L1:32K:64:8@4,L2:256K:64:full@10,TLB:256K:4K:full@20,memory@100
for model in "$SOURCE"/tests/golden/version-[12].model; do
    foretrace predict --at N=200 --machine $machine "$model"
done
model=$SOURCE/tests/golden/version-3.model
foretrace predict --model both --at N=200,R=5 --machine $machine "$model"
foretrace predict --model both --at s=1M,R=5 --machine $machine --loops 1 "$model"
foretrace predict --model data --at N=200 --machine $machine --loops 1 "$model"
foretrace predict --model data --at s=4K --machine $machine --loops 1 "$model"
model=$SOURCE/tests/golden/version-3-measured.model # with what was counted at the training sizes
foretrace predict --model data --at N=200 --machine $machine --loops 1 "$model"
