#!/usr/bin/env bash
# --checkpoint: a run is killed, at random or at any call to the system, and started again. It ends with the bits of a
# run that was never killed. Also messages, and files that are refused and kept. shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
set -m # background jobs then get SIGINT

# kill -9 loses nothing that was written: no disk need be waited for, and with these calls none is
faults=$BUILD/tests/libfaults.so
grep -q '^CAFE_SANITIZE:STRING=$' "$BUILD/CMakeCache.txt" || faults=none
[[ -e $faults ]] || faults=''
run() { LD_PRELOAD=$faults "$CAFE" "$@"; }

karate=$SOURCE/examples/karate.txt
expect 0 "$CAFE" generate planted --nodes 2000 --edges 10000 -q -o g.in.cafe --labels all.in.txt
head -n 500 all.in.txt >l.in.txt

# killed TIMES WANT COMMAND...: kills the command so often, at random, and lets it end then; what it writes to
# `out.tsv`, also where it was faster, is WANT.
RANDOM=18
killed() {
    local times=$1 want=$2 n=0 code found
    shift 2
    while [[ $n -lt $times ]]; do
        LD_PRELOAD=$faults "$CAFE" "$@" -o out.tsv >.last/out 2>.last/err &
        sleep "0.0$((RANDOM % 90 + 10))" # seconds
        kill -KILL %% 2>/dev/null || true
        code=0
        wait %% 2>/dev/null || code=$?
        [[ $code -eq 137 || $code -eq 0 ]] || fail "it ended with $code"
        [[ $code -eq 0 ]] || n=$((n + 1))
        [[ ! -e out.tsv ]] || same out.tsv "$want"
        rm -f out.tsv
    done
    found=no
    [[ ! -e ck ]] || found=yes
    expect 0 run "$@" -o out.tsv
    [[ $found == no ]] || says '^resumes   after sweep [0-9]+.*, from ck$'
    same out.tsv "$want"
    rm out.tsv
    only_inputs
}

long=(embed g.in.cafe -k 8 --sweeps 500 --tune tolerance=0)
for ends in top both; do
    expect 0 "$CAFE" "${long[@]}" --columns-from $ends -q -t2 -o $ends.in.tsv
done
soft=(cluster g.in.cafe --method softmax -k 24 --sweeps 500 --tune tolerance=0)
expect 0 "$CAFE" "${soft[@]}" --labels l.in.txt -q -t2 -o soft.in.tsv
times=(20 6 6)
if sanitized; then times=(4 1 1); fi # the files are the same
killed "${times[0]}" top.in.tsv "${long[@]}" --columns-from top -t2 --checkpoint ck
killed "${times[1]}" both.in.tsv "${long[@]}" --columns-from both -t1 --checkpoint ck --every 7
killed "${times[2]}" soft.in.tsv "${soft[@]}" --labels l.in.txt -t3 --checkpoint ck
echo "killed ${times[*]} times"

# Ctrl-C keeps the last one; the next run says where it goes on, in the report too.
endless=("$CAFE" embed g.in.cafe -k 8 --sweeps 100000 --tune tolerance=0 --checkpoint ck -o v.npy)
"${endless[@]}" >.last/out 2>.last/err &
eventually test -e ck
kill -INT %%
code=0
wait %% || code=$?
[[ $code -eq 130 ]] || fail "Ctrl-C: exit code $code"
says '^cafe embed: interrupted$'
says '^ck: the same command goes on after sweep [0-9]+$'
only ck
rm ck
short=(embed g.in.cafe -k 8 --sweeps 12 --tune tolerance=0)
expect 0 "$CAFE" "${short[@]}" -q -o v.in.npy

# killed and failed at every call to the system
if [[ $faults ]]; then
    printf '%s\n' 'a b' 'b c' 'c a' 'c d' 'd e' 'e f' 'f d' >edges.in.txt
    faulty=("$CAFE" embed edges.in.txt -q -t1 -k 3 --sweeps 2 --tune tolerance=0 --columns-from top --checkpoint ck -f)
    expect 0 "${faulty[@]}" -o f.in.npy
    # fault WHICH: the command with that fault, and its exit code in `code`
    fault() {
        code=0
        CAFE_FAULT=$1 CAFE_FAULT_MET=met.in LD_PRELOAD=$faults timeout 300 "${faulty[@]}" -o v.npy \
            >.last/out 2>.last/err || code=$?
    }
    for how in '' :kill; do
        for ((n = 0; ; n++)); do
            rm -f met.in ck v.npy v.npy.names.txt
            fault "any:$n$how" 2>/dev/null
            [[ -e met.in ]] || break
            [[ $code -eq 0 || $how || -s .last/err ]] || fail "call $n ($(<met.in)): no message"
            [[ $code -ne 0 ]] || same v.npy f.in.npy
            expect 0 run "${faulty[@]:1}" -o v.npy
            same v.npy f.in.npy
            same v.npy.names.txt f.in.npy.names.txt
            only v.npy v.npy.names.txt
        done
        [[ $n -gt 20 ]] || fail "only $n calls"
        echo "each of $n calls ${how:-:fails}"
    done
    rm -f v.npy v.npy.names.txt
    # a run that fails to write one keeps the one before: killed, then no room at the first call
    fault fsync:2:kill 2>/dev/null
    cp ck before.in
    fault write:0
    [[ $code -eq 4 ]] || fail "no room: exit code $code"
    says '^cafe embed: ck: the checkpoint cannot be written: No space left on device$'
    same ck before.in
    rm ck

    # another limit to the memory does not matter, unless the sweeps are cut otherwise
    expect 0 run generate planted --nodes 60000 --edges 120000 -q -o large.in.cafe
    limited=(embed large.in.cafe -k 64 --sweeps 2 --tune tolerance=0 --columns-from top --checkpoint ck)
    expect 0 run "${limited[@]::10}" -q -o w.in.npy
    expect 137 env CAFE_FAULT=fsync:2:kill LD_PRELOAD="$faults" "$CAFE" "${limited[@]}" -o w.npy
    expect 1 run "${limited[@]}" --memory-limit 38M -o w.npy
    says 'another run: [0-9]+ chunks in a sweep there and 4 here \(a memory limit may set them\)'
    expect 0 run "${limited[@]}" --memory-limit 50M -o w.npy
    says '^resumes   after sweep 1, from ck$'
    same w.npy w.in.npy
    rm w.npy
fi

# The file of another run is refused with what is different, and stays.
CK=(--checkpoint ck)
"${endless[@]}" >.last/out 2>.last/err &
eventually test -e ck
kill -KILL %%
wait %% 2>/dev/null || true
cp ck before.in
expect 1 "$CAFE" embed g.in.cafe -k 9 --sweeps 100000 --tune tolerance=0 "${CK[@]}" -o v.npy
says 'ck: is the checkpoint of another run: columns is 8 there and 9 here; give another file, or remove this one'
expect 1 "$CAFE" embed g.in.cafe -k 8 --sweeps 100000 --tune tolerance=0 --seed 2 "${CK[@]}" -o v.npy
says 'another run: seed is 1 there and 2 here'
expect 1 "$CAFE" embed g.in.cafe -k 8 --sweeps 100000 --tune tolerance=0 --tune degree-exponent=0 "${CK[@]}" -o v.npy
says 'another run: '
expect 1 "$CAFE" embed "$karate" -k 8 --sweeps 100000 --tune tolerance=0 "${CK[@]}" -o v.npy
says 'another run: nodes is 2000 there and 34 here'
same ck before.in
head -c 3000 before.in >ck
expect 3 "$CAFE" embed g.in.cafe -k 8 --sweeps 100000 --tune tolerance=0 "${CK[@]}" -o v.npy
says 'ck: the checkpoint is damaged \(its size is not what it says\); without the file the run begins anew'
only ck
rm ck

# What does not go together, and files that are something else.
usage() {
    local why=$1
    shift
    expect 2 "$CAFE" "$@"
    says "$why"
    only_inputs
}
usage '--every needs --checkpoint FILE' embed g.in.cafe --every 2 -o v.npy
usage '--checkpoint does not go with --method deepwalk' embed g.in.cafe --method deepwalk "${CK[@]}" -o v.npy
usage '--checkpoint does not go with --method layers' cluster g.in.cafe "${CK[@]}" -o v.tsv
usage '--output and --checkpoint cannot both go to ck.npy' embed g.in.cafe --checkpoint ck.npy -o ck.npy
usage 'the output would replace a file that is read' embed g.in.cafe --checkpoint g.in.cafe -o v.npy
usage '--checkpoint needs the name of a file' embed g.in.cafe --checkpoint - -o v.npy
expect 3 "$CAFE" embed g.in.cafe --checkpoint l.in.txt -o v.npy
says "l.in.txt: is no checkpoint"
expect 1 "$CAFE" embed g.in.cafe --columns-from hubs "${CK[@]}" -o v.npy
says 'hubs keep no checkpoints'
expect 1 "$CAFE" cluster g.in.cafe --method softmax -k 300 "${CK[@]}" -o v.tsv
says 'sparse rows keep no checkpoints: give --tune rows=dense, or fewer columns'
expect 1 "$CAFE" embed g.in.cafe --checkpoint none/ck -o v.npy
says 'none/ck: the checkpoint cannot be written: No such file or directory'
only_inputs

# The report of a run that was not stopped.
expect 0 "$CAFE" "${short[@]}" "${CK[@]}" --every 5 -o v.npy --json v.json
same v.npy v.in.npy
[[ $(json_value v.json saved) == 3 ]] || fail "saved: $(json_value v.json saved)"
[[ $(json_value v.json resumed_after_sweep) == 0 ]] || fail "resumed: $(json_value v.json resumed_after_sweep)"
only v.npy v.json
