#!/usr/bin/env bash
# The benchmarks run. The yardstick's vectors have a row of length 1 per node, the table of bench/run has its columns,
# and bench/peers judges the files of our tool and of any that is named. shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
bench=$BUILD/bench
if [[ ! -x $bench/cafe-loop || ! -x $bench/cafe-bench ]]; then
    echo "skipped: no $bench/cafe-loop and cafe-bench"
    exit 77
fi

expect 0 "$CAFE" generate sbm --nodes 300 --edges 3000 --blocks 3 -q -o g.in.txt --labels l.in.txt
expect 0 "$bench/cafe-loop" g.in.txt v.npy 16 2
[[ $(stat -c %s v.npy) -eq $((128 + 300 * 16 * 4)) ]] || fail "the yardstick wrote $(stat -c %s v.npy) bytes"
od -An -v -t f4 -w64 -j128 v.npy | awk '{ s = 0; for (i = 1; i <= NF; i++) s += $i * $i
    if (s < 0.9999 || s > 1.0001) exit 1 }' || fail "a row of the yardstick has not length 1"
expect 0 "$CAFE" evaluate classify g.in.txt --labels l.in.txt --embedding v.npy --classifier logistic \
    --repeats 1 --train 0.5 -q
expect 0 "$bench/cafe-loop" g.in.txt one.npy 16 1
cmp v.npy one.npy || fail "the yardstick depends on the threads"

TMPDIR=. expect 0 "$bench/cafe-bench" --edges 2e3,4e3 --columns 8 --threads 1,2 --repeats 1 --input cafe
grep -q '| threads | read | sample | solve | finish | write | whole run |' .last/out || fail "no phases"
[[ $(grep -c '^| [0-9].*| [0-9.]* |$' .last/out) -eq 4 ]] || fail "not a line for each size and number of threads"
[[ $(grep -cE '^\| [0-9](.* s, [0-9.]+ CPU, [1-9][0-9]* MB \|){6}$' .last/out) -eq 4 ]] || fail "not every phase has its peak"
[[ $(grep -c '^| 8 .*(CPU' .last/out) -eq 2 ]] || fail "no growth"
TMPDIR=. expect 0 "$bench/cafe-bench" --edges 2e3,4e3 --columns 8 --threads 1 --repeats 1 --parts no
[[ $(grep -c '^| [0-9]' .last/out) -eq 3 ]] || fail "not the phases and their growth alone"
expect 0 "$bench/cafe-bench" --help
grep -q '^usage: cafe-bench' .last/out || fail "no help"
expect 2 "$bench/cafe-bench" --edge 1e3

# One table of cluster and one of embed, a line for each number of threads; the graph's folder is as before.
expect 0 "$CAFE" convert g.in.txt g.in.cafe -q
before=$(ls)
TMPDIR=.last expect 0 "$bench/cafe-cores" --columns 8,16 --threads 1,2 g.in.cafe
[[ $(grep -c '^| [0-9]' .last/out) -eq 6 ]] || fail "not a line for each number of threads and of columns"
[[ $(ls) == "$before" ]] || fail "files are left: $(ls)"
awk -F'|' '/modularity/ { c = 1 } c && /^\| [12] / { print $9 $8 }' .last/out | uniq | wc -l | grep -qx 1 ||
    fail "communities depend on the threads"

if ! command -v /usr/bin/python3 >/dev/null; then
    echo "skipped in part: no /usr/bin/python3"
    exit 0
fi
expect 0 env CAFE="$CAFE" BENCH="$bench" /usr/bin/python3 "$SOURCE/bench/peers.py" g.in.txt l.in.txt \
    --tasks vectors,communities --only cafe --columns 16 --train 0.5 --test 100 \
    --peer "communities:planted=cp $PWD/l.in.txt {out}.tsv"
[[ $(grep -cE '^\| .* [01]\.[0-9]{4,6} \|$' .last/out) -eq 4 ]] || fail "not four rows with a quality"
grep -qE '^\| planted .* 0\.46[0-9]* \|$' .last/out || fail "another peer is not judged"

# Two processes, beside the forecast: what was sent is the forecast, and the bits are the same.
if ! command -v mpirun >/dev/null || [[ ! -x $bench/cafe-ranks || ! -e $BUILD/libcafe-petsc.so ]]; then
    echo "skipped in part: no mpirun, $bench/cafe-ranks and libcafe-petsc.so"
    exit 0
fi
expect 0 env CAFE="$CAFE" BENCH="$bench" CAFE_ENGINE_PATH="$BUILD" timeout 300 /usr/bin/python3 \
    "$SOURCE/bench/distributed.py" --nodes 5000 --edges 30000 --columns 16 --ranks 1,2 --sweeps 2 --pairs 4
[[ $(grep -c '^| petsc | 2 .* yes |$' .last/out) -eq 1 ]] || fail "not the same bits"
awk -F'|' '/^\| petsc \| 2 .* yes/ { if ($13 != $14 || $13 + 0 == 0) exit 1 }' .last/out || fail "another number of bytes sent"
[[ $(grep -c '^| SLEPc Krylov-Schur .* 4 of 4 |$' .last/out) -eq 2 ]] || fail "no peer"
