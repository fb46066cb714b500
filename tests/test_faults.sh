#!/usr/bin/env bash
# Every call to the system fails once (open, read, write, fsync, ftruncate, close, rename, mmap), and every one of them
# is the last before kill -9. Then the files of a run are all old, all new, or refused by every reader. A failure has an
# exit code and a message, and nothing is left after the next run. shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
faults=$BUILD/tests/libfaults.so
if [[ ! -e $faults ]] || sanitized; then
    echo "skipped: no $faults, or a sanitizer that has to be loaded first"
    exit 77
fi

cat >edges.in.txt <<'X'
a b
b c
c a
c d
d e
e f
f d
X
printf '+ a f\n- c d\n' >changes.in.txt
printf 'x a\nx b\n' >arrivals.in.txt
printf '1\t2\t3\n2\t1\t0\n4\t4\t1\n0\t3\t5\n' >numbers.in.tsv
expect 0 "$CAFE" embed edges.in.txt -q -t1 -k 3 --output-form raw -o vectors.in.npy
expect 0 "$CAFE" convert edges.in.txt graph.in.cafe -q
mkdir other

# What is left in the folders beside the files that belong there.
strays() { find . other -maxdepth 1 \( -name '.cafe*' -o -name '*.tmp*' \) -printf '%p '; }

# state FOLDER: the files of the run are those of FOLDER, none missing and none more
state() {
    local file
    for file in "${files[@]}"; do
        if [[ -e $1/${file##*/} ]]; then
            cmp -s "$file" "$1/${file##*/}" || return 1
        elif [[ -e $file ]]; then
            return 1
        fi
    done
}

# Puts the old files back.
restore() {
    local file
    for file in "${files[@]}"; do
        rm -f "$file"
        [[ ! -e old.in/${file##*/} ]] || cp "old.in/${file##*/}" "$file"
    done
}

# keep FOLDER: the files as they are
keep() {
    local file
    rm -rf "$1"
    mkdir "$1"
    for file in "${files[@]}"; do [[ ! -e $file ]] || cp "$file" "$1"; done
}

# mark FILE: the mark of a file that a killed run may have left
mark() { [[ $1 == */* ]] && echo "${1%/*}/.cafe-unfinished.${1##*/}" || echo ".cafe-unfinished.$1"; }

# Marked files are refused by name. If one has no mark, the files are those of one run.
# The same run again writes all of them, unless it reads one of them: then it is refused too.
check_marked() {
    local file marked=0 bare=0
    for file in "${files[@]}"; do
        if [[ -e $(mark "$file") ]]; then
            marked=$((marked + 1))
            [[ -e $file ]] || continue
            expect 3 "$CAFE" info "$file"
            says "$file: a run ended while .*remove .cafe-unfinished.${file##*/} from"
        elif [[ -e new.in/${file##*/} ]]; then # those that are removed get none
            bare=$((bare + 1))
        fi
    done
    [[ $marked -gt 0 && $bare -eq 0 ]] || state old.in || state new.in || return 1
    [[ $marked -gt 0 ]] || return 0
    refused=$((refused + 1))
    if [[ " ${command[*]} " == *' --from v.npy '* ]]; then
        for file in "${files[@]}"; do rm -f "$(mark "$file")"; done
    else
        expect 0 "$CAFE" "${command[@]}"
        state new.in || fail "$name, the same run again: other files"
    fi
}

runs=0
# fault KIND N MODE...: runs the command with it; 1: the command has fewer calls
fault() {
    local code=0
    rm -f met.in
    CAFE_FAULT=$1 CAFE_FAULT_MET=met.in LD_PRELOAD=$faults timeout 300 "$CAFE" "${command[@]}" \
        >.last/out 2>.last/err || code=$?
    runs=$((runs + 1))
    result=$code
    [[ -e met.in ]]
}

# one NAME FILE... -- COMMAND...: the files that the command writes; old ones come from `before`
one() {
    local name=$1 n found refused=0
    shift
    files=()
    while [[ $1 != -- ]]; do files+=("$1"); shift; done
    shift
    command=("$@")
    keep old.in
    expect 0 "$CAFE" "${command[@]}"
    keep new.in
    ! state old.in || fail "$name: old and new are the same"
    for ((n = 0; ; n++)); do
        restore
        fault "any:$n" || break
        # this form cannot undo a rename: the set is refused, as after a kill
        if posix_form && grep -q 'they are refused until a run writes all of them' .last/err; then
            check_marked || fail "$name, call $n ($(<met.in)): mixed"
            continue
        fi
        found=$(strays)
        [[ -z $found ]] || fail "$name, call $n ($(<met.in)): left $found"
        if [[ $result -eq 0 ]]; then
            state new.in || fail "$name, call $n ($(<met.in)): exit 0 and other files"
        else
            [[ -s .last/err ]] || fail "$name, call $n ($(<met.in)): no message"
            [[ $result -le 5 ]] || fail "$name, call $n ($(<met.in)): exit code $result"
            state old.in || { grep -q 'folder cannot be synced' .last/err && state new.in; } ||
                fail "$name, call $n ($(<met.in)): exit code $result and not the old files"
        fi
    done
    [[ $n -gt 5 ]] || fail "$name: only $n calls"
    [[ $result -eq 0 ]] || fail "$name: exit code $result without a fault"
    echo "$name: each of $n calls failed"
    refused=0
    for ((n = 0; ; n++)); do
        restore
        fault "any:$n:kill" 2>/dev/null || break
        [[ $result -eq 137 ]] || fail "$name, killed at call $n: exit code $result"
        check_marked || fail "$name, killed at call $n ($(<met.in)): mixed"
        # a run that writes there
        expect 0 env LD_PRELOAD="$faults" "$CAFE" convert edges.in.txt next.in.cafe -q -f
        [[ " ${files[*]}" != *' other/'* ]] ||
            expect 0 env LD_PRELOAD="$faults" "$CAFE" convert edges.in.txt other/next.in.cafe -q -f
        found=$(strays)
        [[ -z $found ]] || fail "$name, killed at call $n ($(<met.in)): left $found"
    done
    [[ ${#files[@]} -gt 1 || $refused -eq 0 ]] || fail "$name: one file, and it was refused"
    [[ ${#files[@]} -eq 1 || $refused -gt 2 ]] || fail "$name: several files, and refused $refused times"
    echo "$name: killed at each of $n calls, files refused after $refused of them"
    rm -f "${files[@]}"
}


run() { expect 0 "$CAFE" "$@"; }
plain=(-q -t1 -f)
other() { run generate ba --nodes 9 --edges 12 "${plain[@]}" -o "$1"; } # an old graph

# one file of each kind
other g.cafe
one cafe g.cafe -- convert edges.in.txt g.cafe "${plain[@]}"
one csv g.csv -- convert edges.in.txt g.csv "${plain[@]}"
one tsv v.tsv -- embed edges.in.txt "${plain[@]}" -k 2 -o v.tsv
run plot edges.in.txt vectors.in.npy "${plain[@]}" --seed 2 -o p.svg
one svg p.svg -- plot edges.in.txt vectors.in.npy "${plain[@]}" -o p.svg
one png p.png -- plot edges.in.txt vectors.in.npy "${plain[@]}" -o p.png
run plot edges.in.txt vectors.in.npy "${plain[@]}" --seed 2 -o p.html
one html p.html -- plot edges.in.txt vectors.in.npy "${plain[@]}" -o p.html

# one that is large: written in pieces, past the page cache
run generate sbm --nodes 33000 --edges 40000 --blocks 2 "${plain[@]}" -o large.in.cafe
run embed edges.in.txt "${plain[@]}" -k 2 -o v.tsv
one large v.tsv -- embed large.in.cafe "${plain[@]}" -k 48 --sweeps 0 --output-form raw -o v.tsv

# several
run embed edges.in.txt "${plain[@]}" -k 2 -o v.npy
one npy v.npy v.npy.names.txt -- embed graph.in.cafe "${plain[@]}" -k 3 -o v.npy
run embed edges.in.txt "${plain[@]}" -k 2 -o v.npy
one bare v.npy v.npy.names.txt -- reduce numbers.in.tsv "${plain[@]}" -k 2 -o v.npy
one mtx g.mtx g.mtx.names.txt -- convert graph.in.cafe g.mtx "${plain[@]}"
printf 'old\n' >p.tsv
one partition p.tsv p.json -- cluster edges.in.txt "${plain[@]}" -o p.tsv --hierarchy p.json
one soft p.tsv p.npz -- cluster edges.in.txt "${plain[@]}" --method softmax -k 2 -o p.tsv --soft p.npz
cp edges.in.txt other
cp vectors.in.npy v.npy
cp vectors.in.npy.names.txt v.npy.names.txt
cp graph.in.cafe other/g.cafe
one update v.npy v.npy.names.txt other/g.cafe d.tsv -- update other/g.cafe changes.in.txt \
    --from v.npy "${plain[@]}" -o v.npy --graph-out other/g.cafe --drift d.tsv
one place a.npy a.npy.names.txt -- place edges.in.txt vectors.in.npy arrivals.in.txt "${plain[@]}" -o a.npy
echo "$runs runs"

gone() { ! kill -0 "$job" 2>/dev/null; }
# A call that never returns, as of a library that computes, does not keep a signal waiting.
for signal in TERM:143 HUP:129; do
    rm -f met.in
    CAFE_FAULT=fsync:0:hang CAFE_FAULT_MET=met.in LD_PRELOAD=$faults "$CAFE" embed edges.in.txt -q -k 2 -f -o v.npy \
        >.last/out 2>.last/err &
    job=$!
    eventually test -e met.in
    kill "-${signal%:*}" "$job"
    eventually gone
    code=0
    wait "$job" || code=$?
    [[ $code -eq ${signal#*:} ]] || fail "SIG${signal%:*}: exit code $code"
    says '^cafe embed: interrupted$'
done

# scripts/torture kills at random moments: each of its kinds of output once.
CAFE=$(realpath "$CAFE") "$SOURCE/scripts/torture" --kills 14 kills
