# A model of two threads, whose distances are those of private caches and of one that both share.
cd "$SOURCE/tests/golden" || exit 1
machine=caches=L1:4K:64:full@4,L2:128K:64:full:shared_by=2@14,L3:1M:64:full:shared_by=4@30,memory@200
foretrace predict --at N=32768 --machine $machine version-12.model
