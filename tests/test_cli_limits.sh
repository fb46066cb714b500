#!/usr/bin/env bash
# Little memory: whatever the limit of the address space, a run ends soon, with a result or with a message
# and status 4. It does not hang, no signal ends it, and it leaves no file behind.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
: "${BUILD:?}"
if sanitized; then
    echo "skipped: sanitizers reserve terabytes of addresses"
    exit 77
fi
cp "$SOURCE/examples/karate.txt" g.in.txt
"$CAFE" embed g.in.txt -q -k 8 -o v.in.npy
awk '!/^#/ { print $1, $1 % 2; print $2, $2 % 2 }' g.in.txt | sort -u >labels.in.txt

# No library but the system's own, so that nothing else can take memory before main() begins.
ldd "$CAFE" >libraries.in.txt
! grep -iE 'blas|lapack|gomp|stdc\+\+|linear' libraries.in.txt || fail "libraries that the tool should not load"

# limited MEGABYTES COMMAND...: ends with 0, or with 4 and a message.
limited() {
    local megabytes=$1 got=0
    shift
    (ulimit -v $((megabytes * 1024)) && exec timeout 300 "$CAFE" "$@") >.last/out 2>.last/err || got=$?
    [[ $got -eq 0 || $got -eq 4 ]] || fail "status $got within $megabytes MB: $*"
    [[ $got -eq 0 || -s .last/err ]] || fail "no message within $megabytes MB: $*"
    [[ $got -eq 0 ]] || failed=$((failed + 1))
    [[ $got -ne 0 ]] || worked=$((worked + 1))
    find . -maxdepth 1 ! -name '*.in*' -type f -delete
}

worked=0 failed=0
for megabytes in 20 25 30 35 40 45 50 60 70 80 90 100 110 120 130 140 150 160 180 200 225 250 300 350 400 500 600; do
    limited $megabytes --version
    for threads in 1 8; do
        limited $megabytes embed g.in.txt -q -t $threads -o o.npy
        limited $megabytes embed g.in.txt -q -t $threads --residual 1e-6 -o o.npy
        limited $megabytes cluster g.in.txt -q -t $threads -o o.txt
        limited $megabytes explain g.in.txt v.in.npy -q -t $threads --json o.json
        limited $megabytes evaluate classify g.in.txt --embedding v.in.npy --labels labels.in.txt --classifier logistic \
            --repeats 2 -q -t $threads --json o.json
        # the threads of this form have addresses of their own, whose lack ends the process before XGBoost can report it
        posix_form || limited $megabytes evaluate classify g.in.txt --embedding v.in.npy --labels labels.in.txt \
            --classifier xgboost --repeats 2 -q -t $threads --json o.json
    done
done

# ---- small stacks, of the process and of its threads
for kilobytes in 192 256 1024; do
    for threads in 1 8; do
        (ulimit -s $kilobytes && exec timeout 300 "$CAFE" embed g.in.txt -q -k 32 --residual 1e-6 -t $threads -o o.npy) ||
            fail "embed with a stack of $kilobytes KB and $threads threads"
        rm o.npy*
    done
done
for command in embed cluster info; do
    got=0
    (ulimit -s 128 && exec timeout 300 "$CAFE" $command g.in.txt -q -t 8) >.last/out 2>.last/err || got=$?
    [[ $got -eq 4 ]] || fail "status $got with a stack of 128 KB: $command"
    says '^cafe: the stack is limited to 128 KB; 192 KB are needed \(ulimit -s 192\)$'
done
(ulimit -s 192 && exec timeout 300 "$CAFE" evaluate classify g.in.txt --embedding v.in.npy --labels labels.in.txt \
    --classifier logistic --repeats 2 -q -t 8 --json o.json) || fail "evaluate with a stack of 192 KB"
rm o.json
echo "$worked runs ended with a result, $failed with a message"
[[ $worked -gt 0 ]] || fail "nothing works within 600 MB"
