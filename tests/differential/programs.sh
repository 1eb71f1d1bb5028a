# The table of the differential suite, sourced by `compare` in its folder of inputs:
#
#   debian PACKAGE...             what the entries below need, up to the next such line
#   prepare COMMAND...            run natively once, before the entries that use what it makes
#   same COMMAND... [<INPUT]      run natively twice and captured once, each in a copy of the folder
#   same_not "REASON" COMMAND...  not run, and why
#
# Results must be those of any run: no dates, no process numbers, no order of threads.
# shellcheck shell=bash disable=SC2016 # programs in other languages

# --- compilers, assemblers, linkers

debian gcc g++ gfortran libc6-dev binutils
same gcc -O2 -c kernel.c -o kernel.o
same gcc -O3 -march=native -g -S kernel.c
same gcc -O2 -flto -fno-fat-lto-objects kernel.c -o kernel -lm
same gcc -fsyntax-only waves.f90 no-such-file.c
same g++ -O2 -c templates.cc
same gfortran -O2 waves.f90 -o waves
prepare gcc -O2 -c kernel.c -o made.o
prepare gcc -O1 -S kernel.c -o made.s
same as made.s -o kernel.o
same ld -r made.o -o kernel.o
same ld made.o -o unresolved
same objdump -d made.o
same nm made.o
same ar rcs libmade.a made.o
prepare gcc -E -P kernel.c -o made.i
same /usr/lib/gcc/x86_64-linux-gnu/12/cc1 -quiet -O2 made.i -o kernel.s
debian clang
same clang -O2 -c kernel.c -o kernel.o
debian tcc
same tcc -c kernel.c -o kernel.o
same tcc -run -lm kernel.c
debian nasm
same nasm -f elf64 exit.asm
debian rustc
same rustc -O --crate-type=lib --emit=obj triangle.rs
prepare rustc -O sums.rs -o sums
same ./sums
debian golang-go
prepare go build -o parallel parallel.go
same ./parallel
same gofmt -d parallel.go
same /usr/lib/go-1.19/pkg/tool/linux_amd64/compile -p main -o parallel.o parallel.go

# --- what compilers made: C++, Fortran, OpenMP, threads

debian gcc g++ gfortran libc6-dev
prepare g++ -O2 words.cc -o words
prepare g++ -O2 -pthread threads.cc -o threads
prepare g++ -O2 -static -pthread threads.cc -o threads-static
prepare gcc -O2 -fopenmp omp.c -o omp
prepare gfortran -O2 waves.f90 -o waves
prepare gcc -O2 kernel.c -lm -o kernel
prepare gcc -O2 -g -pg kernel.c -lm -o kernel-profiled
same ./words <text
same ./threads
same ./threads-static
same ./omp
same ./waves
same ./kernel abcd
same ./kernel-profiled zz

# --- building

debian make cmake ninja-build bison flex m4
same make
same make -j3
same make no-such-target
same cmake -S . -B built
same bison -d grammar.y
same flex scanner.l
same m4 -DN=20 sums.m4

# --- shells

debian bash dash zsh ksh93u+m mksh busybox
script='i=0; while [ $i -lt 300 ]; do i=$((i + 1)); s="$s$i"; done; echo ${#s}
    echo a b c | tr a-z A-Z; for f in *.py; do [ -r "$f" ] && echo "$f"; done
    (exit 3); echo $?; trap "echo bye" EXIT; cat <<END | sort >sorted
one
a $(echo two)
END
    kill -TERM $$'
same bash -c "$script"
same dash -c "$script"
same zsh -c "$script"
same ksh93 -c "$script"
same mksh -c "$script"
same busybox sh -c "$script"
same bash -c 'for i in {1..40}; do (exit $i) & done; wait; coproc cat; echo hi >&${COPROC[1]}
    read -ru "${COPROC[0]}" line; echo "$line"; mapfile -t lines <text; echo ${#lines[@]}'
same bash -c 'yes | head -n 3; echo "${PIPESTATUS[@]}"; cat <(echo a) <(echo b)'
same bash -c 'trap "echo alarm; exit 5" ALRM; (sleep 0.2; kill -ALRM $$) & while :; do :; done'
same busybox awk '{ n += $1 } END { print n }' text

# --- interpreters

debian perl python3 gawk mawk lua5.4 ruby tcl php-cli guile-3.0 gforth
same perl -ne 'chomp; $n{length $_}++; END { print "$_ $n{$_}\n" for sort keys %n }' text
same perl -e 'print scalar `echo child`; defined(my $p = fork) or die; exit 3 if !$p; wait;
    print $? >> 8, "\n"; local $SIG{ALRM} = sub { die "late\n" }; alarm 1; eval { 1 while 1 };
    print $@; print join(",", sort { $b <=> $a } map { $_ ** 2 % 97 } 1 .. 50), "\n"; die "end\n"'
same python3 mixed.py
same python3 threads.py
same python3 processes.py
same python3 -m compileall -q mixed.py
same python3 -c 'import asyncio
async def turn(n):
    await asyncio.sleep(0.01 * n); print(n)
async def main(): await asyncio.gather(*map(turn, range(5)))
asyncio.run(main())'
same gawk '{ n[$3 % 7] += $1 } END { for (i = 0; i < 7; i++) print i, n[i] }' text
same mawk '{ n[$3 % 7] += $1 } END { for (i = 0; i < 7; i++) print i, n[i] }' text
same lua5.4 -e 'local t = {} for i = 1, 5000 do t[i] = (i * 7919) % 4001 end table.sort(t)
    print(t[17], string.rep("x", 3), pcall(error, "no")) print(#io.open("text"):read("a"))'
same ruby -e 'h = Hash.new(0); File.foreach("text") { |l| h[l.size] += 1 }; p h.sort
    p (1..20).lazy.map { |n| n ** n }.select(&:even?).first(4)
    t = 3.times.map { |i| Thread.new { i * 2 } }; p t.map(&:value); raise "end"'
same tclsh <script.tcl
same php -r '$a = file("text"); usort($a, "strcmp"); echo md5(implode($a)), "\n";
    echo preg_replace("/(\d+) line/", "<$1>", $a[5]); echo json_encode(range(1, 5)), PHP_EOL;'
same guile -c '(display (let loop ((n 200) (a 1)) (if (= n 0) a (loop (- n 1) (* a n))))) (newline)'
same gforth -e ': f dup 2 < if drop 1 else dup 1- recurse swap 2 - recurse + then ; 20 f . cr bye'

# --- just-in-time compilers

debian luajit nodejs default-jdk-headless pypy3 libpcre2-8-0
same luajit -e 'local s = 0 for i = 1, 1e6 do s = s + i % 7 end print(s)'
same luajit -e 'local s = 0 for r = 1, 60 do
    s = s + loadstring("local s = 0 for i = 1, 2000 do s = s + i * " .. r .. " % 7 end return s")() end print(s)'
same luajit -joff -e 'local s = 0 for i = 1, 1e5 do s = s + i % 7 end print(s)'
same node -e 'const s = new Map(); for (let i = 0; i < 3e5; i++) s.set(i % 97, (s.get(i % 97) || 0) + i);
    console.log(s.get(13), require("zlib").gzipSync("a".repeat(1000)).length);
    setTimeout(() => console.log("later"), 5); process.on("exit", () => process.exitCode = 4)'
same node --jitless -e 'console.log([..."hello"].reverse().join(""))'
prepare javac Lists.java
same java Lists
same java -Xint -XX:+UseSerialGC Lists
same java -XX:TieredStopAtLevel=1 Lists
same java -XX:-TieredCompilation -Xcomp -XX:CompileOnly=Lists Lists
same javac -d built Lists.java
same pypy3 -c 'print(sum(i * i & 7 for i in range(300000)))'
same git grep --no-index -nP '7(?=9 line)\d* ' text

# --- other languages

debian erlang-base swi-prolog-nox sbcl pari-gp
same erlc loop.erl
prepare erlc loop.erl
same erl -noshell -run loop main -run init stop
same swipl -g 'numlist(1, 300, L), foldl([X, A, B]>>(B is A + X * X), L, 0, S), writeln(S)' -t halt
same sbcl --noinform --non-interactive --eval \
    '(progn (defun f (n) (if (< n 2) n (+ (f (- n 1)) (f (- n 2))))) (print (f 20)) (terpri))'
same gp -q <numbers.gp

# --- archivers

debian gzip bzip2 xz-utils zstd lz4 brotli lzip tar cpio zip unzip p7zip-full
prepare gzip -k9 text
prepare xz -k text
prepare bzip2 -k text
same gzip -9 -k -f text
same gzip -dc text.gz
same gzip -t kernel.c
same bzip2 -k -f text
same bunzip2 -c text.bz2
same xz -6 -k -c text
same xz -T2 --block-size=64KiB -k -c text
same xz -dc text.xz
same zstd -q -19 text -o text.zst
same zstd -q -T2 -3 -c text
same lz4 -q -9 text text.lz4
same brotli -q 9 -c text
same lzip -k text
same tar -cf all.tar --sort=name --owner=0 --group=0 text kernel.c page.xml
same tar -czf all.tar.gz --sort=name text kernel.c
same zip -q -X all.zip text kernel.c
prepare zip -q -X made.zip text kernel.c
same unzip -o made.zip -d out
same cpio -o --reproducible -H newc <names
same 7z a -mmt=2 -bd -bso0 all.7z text kernel.c
same 7z l -ba made.zip

# --- tools with several threads

debian pigz pbzip2 plzip
same pigz -p 3 -b 128 -c text
same pigz -d -c text.gz
same pbzip2 -p2 -b1 -k -c text
same plzip -n2 -k -c text

# --- databases

debian sqlite3 db-util lmdb-utils gdbmtool tdb-tools
same sqlite3 :memory: <rows.sql
same sqlite3 rows.db <rows.sql
same sqlite3 rows.db 'select no such thing'
prepare db_load -f pairs -T -t btree made.db
same db_dump -p made.db
same mdb_load -n -T words.mdb <pairs.mdb
same gdbmtool words.gdbm store a 1

# --- text

debian coreutils grep sed ed diffutils patch jq bc dc gron ripgrep groff libxml2-utils xsltproc \
    xmlstarlet units
same sort -k3,3n -k1,1nr text
same sort --parallel=2 -S 1M -u text
same grep -cE '(1|7)[0-9]*9 line' text
same grep -rn include .
same rg -n --sort path 'int \w+' .
same sed -e 's/line \([0-9]*\)/\1 line/' -e '/99/d' text
same ed -s text <commands.ed
same diff -u text text.sorted
same patch -s text text.patch
same jq '[.[] | select(.n % 3 == 0) | .name] | length, .[2:5]' data.json
same gron data.json
same bc -lq <numbers.bc
same dc -e '2 200 ^ p 7 k 2 v p'
same groff -t -e -ms -Tascii paper.ms
same groff -t -e -ms -Tps paper.ms
same xmllint --format page.xml
same xsltproc page.xsl page.xml
same xmlstarlet sel -t -v '/list/item[@n>1]' page.xml
same units '12 furlongs' meters
same tr a-z A-Z <text
same sha256sum text kernel.c
same b2sum text
same ls -l --time-style=+ kernel.c Makefile
same find . -name '*.c' -size -100k -printf '%p %s\n'
same xargs -n 50 -P 2 true <names
same timeout -s KILL 0.3 sleep 10
same split -n 5 text
same factor 123456789012345678901234567890
same dd if=text of=copied bs=1000 count=20 status=none
same cat no-such-file
same env
same ls /proc/self/fd
same cat /proc/self/limits /proc/self/cmdline /proc/self/comm /proc/self/oom_score_adj
same grep -E '^(Umask|Groups|Threads|Sig(Pnd|Blk|Ign|Cgt)|Cap|NoNewPrivs|Seccomp)' /proc/self/status

# --- pictures, sound, graphs, numbers

debian ffmpeg imagemagick graphviz gnuplot-nox flac lame python3-numpy libopenblas0-pthread \
    libjpeg-turbo-progs optipng ghostscript poppler-utils minisat z3
prepare convert -size 160x120 plasma:red-blue -depth 8 +set date:create made.ppm
prepare convert -size 16x16 xc:red -define png:exclude-chunks=date,time made.png
same convert made.ppm -rotate 30 -blur 2x2 -resize 50% ppm:changed.ppm
same cjpeg -quality 80 made.ppm
same optipng -quiet -out smaller.png made.png
same ffmpeg -v error -f lavfi -i testsrc=s=64x48:d=0.4 -bitexact -threads 1 -c:v mpeg4 made.avi
same ffmpeg -v error -f lavfi -i sine=d=0.3 -bitexact -f wav -
same dot -Tsvg graph.dot
same gnuplot -e 'set terminal dumb; plot [0:6] sin(x)'
same flac -s --force-raw-format --endian=little --sign=signed --channels=1 --bps=8 \
    --sample-rate=8000 text -o text.flac
same lame --quiet -r -m m -s 8 --bitwidth 8 text text.mp3
same python3 matrix.py
same gs -q -dNOPAUSE -dBATCH -dNODISPLAY -c '0 1 1000 { add } for ='
same minisat -verb=0 clauses.cnf
same z3 -smt2 equations.smt2

# --- networks and secrets, without either

debian git curl openssl gnupg openssh-client rsync age
same git init -q repository
same git diff --no-index text text.sorted
same git hash-object text kernel.c
same curl -s file:///etc/hostname
same curl -s http://127.0.0.1:1/
same openssl dgst -sha256 -hmac key text
same openssl enc -aes-256-cbc -K 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff \
    -iv 00112233445566778899aabbccddeeff -in text -out text.aes
same openssl prime 170141183460469231731687303715884105727
same gpg --no-autostart --no-keyring --print-md SHA512 text
prepare ssh-keygen -q -t ed25519 -N "" -C none -f key
same ssh-keygen -l -f key.pub
same rsync -a --no-times kernel.c text copied/

# --- debuggers

debian gdb strace valgrind vim-tiny
same gdb -nx -batch -ex 'disassemble main' -ex 'info line main' made.o
same vim.tiny -u NONE -N -es -S commands.vim text
same_not "a tracer cannot trace what foretrace traces already" strace true
same_not "runs its program by a translator of its own, in an address range that it takes for itself" \
    valgrind true
