#!/usr/bin/env bash
# A folder from a stranger (tests/hostile.sh): commands that read leave all of it byte for byte as it was, those
# that write change their outputs alone. Python's half is python/tests/test_hostile.py.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
[[ -e $BUILD/tests/planted/libcafe-planted.so ]] || { echo 'skipped: the tests were not built'; exit 77; }
export CAFE_PLANTED=$SCRATCH/planted.ran BUILD
CAFE=$(realpath "$CAFE")
last=$SCRATCH/.last
mkdir free.in
"$SOURCE/tests/hostile.sh" "$SCRATCH/world"

# every name with its kind, permissions, owner, size, times and target, and what the files hold
tree() {
    find world -printf '%p %y %m %u %g %i %n %s %T@ %C@ %l\n' | sort
    find world -type f -exec sha256sum {} + | sort
}
# all files without their times: what must not change beside outputs
contents() {
    find world -mindepth 1 -printf '%p %y %m %u %g %l\n' | sort
    find world -type f -exec sha256sum {} + | sort
}

# ends CODE COMMAND...: in the stranger's folder; it changes nothing at all, there and outside
ends() {
    local want=$1 code=0
    shift
    (cd "world/$kind" && timeout 300 "$@" >"$last/out" 2>"$last/err" </dev/null) || code=$?
    [[ $code -eq $want ]] || fail "$kind: exit code $code instead of $want: $*"
    tree >after
    cmp -s before after || { diff before after >"$last/out" || true; fail "$kind: changed by: $*"; }
    [[ ! -e $CAFE_PLANTED ]] || fail "$kind: a planted library was loaded by: $*"
}
leaves() { ends 0 "$@"; }
# refuses CODE TEXT COMMAND...
refuses() {
    local code=$1 text=$2
    shift 2
    ends "$code" "$@"
    says "$text"
}

g=(graph.txt -q -t1)
for kind in absolute parent link; do
    tree >before
    for file in graph.txt graph.cafe graph.mtx; do
        leaves "$CAFE" info $file
        prints '6'
    done
    leaves "$CAFE" embed "${g[@]}" -k 2 -o -
    leaves "$CAFE" embed "${g[@]}" -k 2 --dry-run
    leaves "$CAFE" embed "${g[@]}" -k 2 -o "$SCRATCH/free.in/v.npy" -f --json "$SCRATCH/free.in/r.json"
    leaves "$CAFE" embed "${g[@]}" -k 2 -o - --checkpoint "$SCRATCH/free.in/checkpoint"
    leaves "$CAFE" cluster "${g[@]}" -o -
    leaves "$CAFE" convert graph.mtx -
    leaves "$CAFE" explain --eigenvector "${g[@]}"
    leaves "$CAFE" rank "${g[@]}"
    leaves "$CAFE" recommend "${g[@]}" --embedding v.npy
    leaves "$CAFE" points v.npy -q -f -o "$SCRATCH/free.in/points.txt"
    leaves "$CAFE" reduce v.npy -q -k 1 -o -
    leaves "$CAFE" explain "${g[@]}" v.npy --communities communities.tsv --labels labels.txt
    leaves "$CAFE" evaluate classify "${g[@]}" --labels labels.txt --embedding v.npy
    leaves "$CAFE" evaluate cluster "${g[@]}" --communities communities.tsv
    leaves "$CAFE" place graph.txt v.npy arrivals.txt -q -o -
    leaves "$CAFE" update graph.txt changes.txt --from v.npy -q -f -o "$SCRATCH/free.in/u.npy"
    leaves "$CAFE" plot graph.txt v.npy -q -o -
    leaves "$CAFE" plot graph.txt v.npy -q --map map.tsv -o -
    leaves "$CAFE" help
    leaves "$CAFE" version --verbose
    leaves "$CAFE" version --probe
    refuses 1 "no engine 'planted'" "$CAFE" embed "${g[@]}" -k 2 --engine planted -o -
    CAFE_ENGINE_PATH=. refuses 1 "no engine 'planted'" "$CAFE" embed "${g[@]}" -k 2 --engine planted -o -
    leaves bash -c 'exec -a ./cafe "$@"' - "$CAFE" version --probe
    # what cannot be told, or is not whole, is refused by its name
    refuses 3 'marked.txt: a run ended while .*\.cafe-unfinished\.marked\.txt' "$CAFE" info marked.txt
    refuses 3 'report.json: a run ended while' "$CAFE" plot graph.txt v.npy -q --report report.json -o -
    refuses 3 'pipe.mtx.names.txt: expected a file of names' "$CAFE" info pipe.mtx
    refuses 1 'out.npy.names.txt: exists' "$CAFE" embed "${g[@]}" -k 2 -o out.npy
    if [[ -x $BUILD/examples/read_and_certify ]]; then
        leaves "$BUILD/examples/read_and_certify" graph.txt 2
        ends 1 "$BUILD/examples/read_and_certify" marked.txt 2
    fi
done

# Outputs in the stranger's folder: nothing but them is other than before, and the temporary files of this user there.
for kind in absolute parent link; do
    contents | grep -vE "world/$kind/(\.cafe-(0123456789abcdef|2222222222222222)\.tmp|out\.)" >before
    (
        cd "world/$kind"
        "$CAFE" embed "${g[@]}" -k 2 -o out.npy -f --json out.json
        "$CAFE" convert graph.txt out.mtx -q -f
        "$CAFE" convert graph.cafe out.cafe -q -f
    ) || fail "$kind: outputs"
    contents | grep -vE "world/$kind/out\." >after
    same before after
    for file in out.npy out.npy.names.txt out.mtx out.mtx.names.txt out.cafe out.json; do
        [[ -f world/$kind/$file && ! -L world/$kind/$file ]] || fail "$kind: $file"
    done
    cmp -s world/$kind/out.npy.names.txt world/$kind/v.npy.names.txt || fail "$kind: other names"
    [[ ! -e $CAFE_PLANTED ]] || fail "$kind: a planted library was loaded"
done
