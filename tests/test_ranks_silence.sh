#!/usr/bin/env bash
# A process of several that is stopped, or dies where mpirun does not end the others, ends the run with a message within
# the time that -cafe_silence says. One that computes, waits or was stopped together with all others does not.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

several_processes
export PETSC_OPTIONS='-cafe_silence 5'
"$CAFE" generate sbm --nodes 5000 --edges 15000 --blocks 6 -o small.in.cafe -q
mkfifo pipe.in.tsv

# begin MPIRUN-OPTIONS -- OPTIONS: three processes in the background, which say what they do in .last/err
begin() {
    local options=()
    while [[ $1 != -- ]]; do
        options+=("$1")
        shift
    done
    : >.last/err
    timeout -k 5 300 mpirun -n 3 "${options[@]}" "$CAFE" embed small.in.cafe "${@:2}" -k 2 -t 1 --engine petsc >.last/out 2>.last/err &
    job=$!
}
endless=(-o x.npy --sweeps 1000000000 --tune tolerance=0)

ranks_of() { pgrep -P "$(pgrep -P "$job")" -x cafe; }
until_said() { eventually grep -qE -- "$1" .last/err; }
# ended CODE: the run has ended with it and the message, and has written nothing
ended() {
    local code=0
    wait "$job" || code=$?
    [[ $code -eq $1 ]] || fail "exit code $code"
    grep -qE '^cafe: rank [0-2] has not been heard of for 5 seconds: it is stopped, or its connection is lost; all end$' .last/err ||
        fail 'nobody said so'
    [[ ! -e x.npy ]] || fail 'a file was written'
}

# ---- one is stopped
for nth in 1 3; do
    begin -- "${endless[@]}"
    until_said '^sampling'
    kill -STOP "$(ranks_of | sed -n ${nth}p)"
    ended 1
done

# ---- one dies, and mpirun lets the others go on, with 0 as its own exit code whatever comes of them
begin --enable-recovery -- "${endless[@]}"
until_said '^sampling'
kill -KILL "$(ranks_of | sed -n 2p)"
ended 0

# ---- all are stopped and go on; and two wait for the first, which writes what nobody reads yet
begin -- -o pipe.in.tsv
until_said '^bound'
mapfile -t all < <(ranks_of)
kill -STOP "${all[@]}"
sleep 8
kill -CONT "${all[@]}"
sleep 8
[[ $(wc -l <pipe.in.tsv) -eq 5001 ]] || fail 'not all rows were written'
wait "$job" || fail "exit code $?"
! grep -q 'heard of' .last/err || fail 'a process that was there was missed'
