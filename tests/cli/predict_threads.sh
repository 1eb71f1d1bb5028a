# A model of two threads, whose distances are those of private caches and of one that both share.
cd "$SOURCE/tests/golden" || exit 1
machine=caches=A:4K:64:full@4,B:128K:64:full:shared_by=2@9,memory@92
foretrace predict --at N=32768 --machine $machine version-12.model
