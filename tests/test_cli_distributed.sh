#!/usr/bin/env bash
# Several processes run one command (mpirun, --engine petsc): the same files for any number of them, every message
# printed once. A killed process, a full disk, or an input that one of them cannot read ends all of them within seconds,
# and leaves no half-written file. shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

several_processes

# joined N COMMAND...: with N processes of one thread; the limit is against hanging
joined() {
    local ranks=$1
    shift
    timeout 300 mpirun -q -n "$ranks" "$CAFE" "$@" -t 1 --engine petsc
}

# once PATTERN: one line of standard error has it
once() {
    local count
    count=$(grep -cE -- "$1" .last/err || true)
    [[ $count -eq 1 ]] || fail "standard error has '$1' $count times"
}

# What a run left behind goes with the next one.
swept() {
    [[ ! -e x.npy ]] || fail 'a file was written'
    "$CAFE" embed small.in.cafe -o x.npy -q -k 2
    rm x.npy
    [[ -z $(find . -name '.cafe-*') ]] || fail 'a temporary file is left'
}

"$CAFE" generate sbm --nodes 5000 --edges 15000 --blocks 6 -o small.in.cafe --labels labels.in.tsv -q
"$CAFE" generate sbm --nodes 300 --edges 900 --blocks 6 -o tiny.in.cafe -q
"$CAFE" convert small.in.cafe ordered.in.cafe --reorder communities -q

# ---- the same files ------------------------------------------------------------------------------

few=(--sweeps 4 --tune=chunks=16) # the processes meet at every chunk, and take turns on few processors

# the processor's bits where every sum has the same shape on both: H and what is made of it without
# Gram matrices; else those of one process
"$CAFE" embed small.in.cafe -k 12 --output-form raw "${few[@]}" -o raw.in.npy -q
"$CAFE" cluster small.in.cafe --method softmax -k 8 "${few[@]}" -o soft.in.tsv --soft soft.in.npz -q
"$CAFE" cluster small.in.cafe -o layers.in.tsv -q
joined 1 embed small.in.cafe -k 12 --columns-from top+hubs "${few[@]}" -o both.in.npy -q
joined 1 embed ordered.in.cafe -k 5 --residual 0.5 "${few[@]}" -o residual.in.tsv -q
joined 1 embed small.in.cafe --method spectral -k 9 --columns-from both -o pairs.in.npy -q
for ranks in 2 3 7; do
    expect 0 joined $ranks embed small.in.cafe -k 12 --output-form raw "${few[@]}" -o v.npy --json v.json -f
    same v.npy raw.in.npy
    once '^graph '
    once "^processes $ranks, contiguous: "
    once '^written   v.npy, v.json'
    [[ $(json_value v.json ranks) == "$ranks" ]] || fail 'the report lacks the number of processes'
    grep -q '"cut": 0\.[1-9]' v.json || fail 'the report lacks the cut'
    grep -q '"bytes_per_sweep": [1-9]' v.json || fail 'the report lacks what was sent'
    expect 0 joined $ranks embed small.in.cafe -k 12 --columns-from top+hubs "${few[@]}" -o v.npy -f -q
    quiet
    same v.npy both.in.npy
    [[ $ranks -eq 3 ]] || continue
    expect 0 joined $ranks embed small.in.cafe --method spectral -k 9 --columns-from both -o v.npy -f
    same v.npy pairs.in.npy
    once '^processes 3, contiguous: .* ghost rows$'
    expect 0 joined $ranks embed ordered.in.cafe -k 5 --residual 0.5 "${few[@]}" -o - -q
    same .last/out residual.in.tsv
    expect 0 joined $ranks cluster small.in.cafe --method softmax -k 8 "${few[@]}" -o v.tsv --soft v.npz -f -q
    same v.tsv soft.in.tsv
    same v.npz soft.in.npz
    expect 0 joined $ranks cluster small.in.cafe -o v.tsv -f
    same v.tsv layers.in.tsv
    once "^processes $ranks: each has the whole graph"
done
rm v.*
only_inputs

# what every process does for all nodes is reported as that
for sampling in edge walk pagerank; do
    expect 0 joined 2 embed small.in.cafe -k 4 "${few[@]}" --sampling $sampling -o v.npy --json v.json -f
    whole=$(tr -d ' \n' <v.json | grep -o '"whole":\[[^]]*\]')
    [[ $sampling == edge ]] && wanted='"whole":[]' || wanted='"whole":["sampling"]'
    [[ $whole == "$wanted" ]] || fail "$sampling: $whole"
    [[ $sampling == edge ]] || once 'each has the whole sampled graph$'
done
expect 0 joined 2 cluster small.in.cafe -o v.tsv --json v.json -f
[[ $(tr -d ' \n' <v.json | grep -o '"whole":\[[^]]*\]') == '"whole":["solver"]' ]] || fail 'layers are reported as divided'
rm v.npy v.json v.tsv

# few nodes are one process's, and the others wait for it
"$CAFE" embed tiny.in.cafe -k 12 --output-form raw -o tiny.in.npy -q
expect 0 joined 3 embed tiny.in.cafe -k 12 --output-form raw -o v.npy
same v.npy tiny.in.npy
once '^processes 3, contiguous: 0.0% of the edges cut, 0 ghost rows, 0 bytes sent in a sweep$'
rm v.npy
only_inputs

# nodes divided by a partitioner: the same rows
if joined 3 embed small.in.cafe -k 12 --output-form raw "${few[@]}" -o v.npy -q --partition scotch 2>.last/err; then
    same v.npy raw.in.npy
    joined 3 embed small.in.cafe --method spectral -k 9 --columns-from both -o v.npy -f -q --partition scotch
    same v.npy pairs.in.npy
    rm v.npy
else
    once 'scotch'
    echo 'skipped: PETSc has no scotch'
fi

# ---- what is refused is refused once -------------------------------------------------------------

expect 2 joined 3 embed small.in.cafe -o x.npy --colums 3
once 'unknown option --colums'
expect 1 joined 3 embed missing.in.cafe -o x.npy
once 'missing.in.cafe: cannot be opened'
expect 2 joined 3 embed - -o x.npy </dev/null
once 'standard input reaches one process only'
expect 1 joined 2 embed small.in.cafe -o x.npy --method deepwalk
once 'deepwalk'
expect 2 "$CAFE" embed small.in.cafe -o x.npy --partition scotch
once 'there is one'
swept

# ---- one process fails ---------------------------------------------------------------------------

# apart N COMMAND N COMMAND: two kinds of processes in one run
apart() {
    timeout 300 mpirun -q -n "$1" sh -c "$2" : -n "$3" sh -c "$4"
}
embed="exec '$CAFE' embed small.in.cafe -k 8 -o x.npy -t 1 --engine petsc -q"
expect 1 apart 2 "$embed" 1 "${embed/small.in/missing.in}"
once 'missing.in.cafe: cannot be opened: .* \(process 2\)$'
swept

# a file may not grow there: rows of 16 MB, of which MPI's own files take less
"$CAFE" generate sbm --nodes 60000 --edges 60000 -o many.in.cafe -q
embed="exec '$CAFE' embed many.in.cafe -k 64 --sweeps 1 -o x.npy -t 1 --engine petsc -q"
expect 1 apart 2 "$embed" 1 "ulimit -f 10000; $embed"
once 'x.npy: cannot be written: File too large \(process 2\)$'
expect 1 apart 1 "ulimit -f 10000; $embed" 2 "$embed"
once 'x.npy: cannot be written: File too large$'
swept

# a disk that is full
mkdir disk.in
if mount -t tmpfs -o size=8m none disk.in 2>/dev/null; then
    trap 'umount disk.in' EXIT
    expect 1 joined 3 embed many.in.cafe -k 64 --sweeps 1 -o disk.in/x.npy -q
    once 'disk.in/x.npy: cannot be written: No space left on device'
    expect 4 joined 3 embed many.in.cafe -k 64 --sweeps 1 -o disk.in/x.tsv -q
    once 'disk.in/x.tsv: cannot be written: No space left on device'
    [[ -z $(find disk.in -mindepth 1) ]] || fail 'files are left on the full disk'
    umount disk.in
    trap - EXIT
else
    echo 'skipped: no file system of a few MB can be mounted'
fi

# ---- a process is killed, or all are stopped -----------------------------------------------------

# begin OPTIONS...: three processes in the background, which say what they do in .last/err
begin() {
    : >.last/err # what the run before said is not this one's
    timeout 300 mpirun -n 3 "$CAFE" embed "$@" -t 1 --engine petsc >.last/out 2>.last/err &
    job=$!
}

# The processes of the run: timeout's child is mpirun, whose children they are.
ranks_of() {
    local run
    run=$(pgrep -P "$job") && pgrep -P "$run" -x cafe
}

# until_said PATTERN: waits for a line
until_said() {
    eventually grep -qE -- "$1" .last/err
}
are_there() { [[ $(ranks_of | wc -l) -eq 3 ]]; }
reads() { grep -q '^graph' .last/err || find "/proc/$reader/fd" -lname '*/long.in.txt' 2>/dev/null | grep -q .; }

# ended: all of them are gone, with a status, and nothing has its name
ended() {
    local code=0
    wait "$job" || code=$?
    [[ $code -ne 0 && $code -ne 124 ]] || fail "exit code $code"
    [[ $(grep -c interrupted .last/err) -le 1 ]] || fail 'the end was told more than once'
    swept
}

# while reading: a list whose lines take a while
"$CAFE" generate ba --nodes 400000 --edges 2000000 -o long.in.txt -q
begin long.in.txt -o x.npy
eventually are_there
reader=$(ranks_of | sed -n 2p)
eventually reads
kill -KILL "$reader"
ended
rm long.in.txt
# while solving, and while finishing: both never end
for rank in 1 3; do
    begin small.in.cafe -o x.npy -k 8 --sweeps 1000000000 --tune tolerance=0
    until_said '^sampling'
    kill -KILL "$(ranks_of | sed -n ${rank}p)"
    ended
done
begin small.in.cafe -o x.npy -k 8 --residual 1e-30 --tune=residual-steps=1000000
until_said '^sphere'
kill -KILL "$(ranks_of | sed -n 2p)"
ended
# while writing: nobody reads what the first process writes, and the others wait for it
mkfifo pipe.in.tsv
begin small.in.cafe -o pipe.in.tsv -k 2
until_said '^bound'
kill -KILL "$(ranks_of | sed -n 3p)"
ended
# while all write: the file is whole or not there
"$CAFE" embed small.in.cafe -o whole.in.npy -k 2 -q
begin small.in.cafe -o x.npy -k 2
until_said '^bound'
kill -KILL "$(ranks_of | sed -n 2p)" 2>/dev/null || true
wait "$job" || true
[[ ! -e x.npy ]] || { same x.npy whole.in.npy && rm x.npy; }
swept

# the run is stopped: once 'interrupted', from the first process, which a busy machine gives its time
export OMPI_MCA_odls_base_sigkill_timeout=10
for signal in INT TERM; do
    begin small.in.cafe -o x.npy -k 8 --sweeps 1000000000 --tune tolerance=0
    until_said '^sampling'
    kill -$signal "$(pgrep -P "$job")"
    ended
    once '^cafe embed: interrupted$'
done
