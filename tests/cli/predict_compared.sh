# Machines at one size, sizes on one machine, both, and per unit of work.
model=$SOURCE/tests/golden/version-7.model
foretrace predict --at N=24 -m amd-zen5 -m intel-sapphire-rapids -m amd-zen5,L2=4M -m amd-zen5,memory=200 "$model"
foretrace predict --at N=16..64*2 -m amd-zen5 "$model"
foretrace predict --at N=16..64*2 -m amd-zen5 -m intel-sapphire-rapids --compare time --compare L3 --per 'N^2' "$model"
# An old model, without times.
machine=caches=L1:32K:64:8@4,L2:256K:64:full@10,memory@100
foretrace predict --at N=200 -m $machine -m caches=L1:64K:64:8@4,memory@100 "$SOURCE/tests/golden/version-2.model"
