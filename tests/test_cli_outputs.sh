#!/usr/bin/env bash
# Outputs of the tool: what is refused before the work, what -f keeps, closed and full standard output,
# limits, signals, and what a killed run leaves.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

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
expect 0 "$CAFE" embed edges.in.txt -q -k 3 --output-form raw -o vectors.in.npy

# standard output that is full or closed is a failure, of help too
if [[ -e /dev/full ]]; then
    for words in --help --version help 'help embed' 'embed --help' 'evaluate --help' 'version --verbose' 'info edges.in.txt'; do
        # shellcheck disable=SC2086
        expect 4 bash -c '"$@" >/dev/full' - "$CAFE" $words
        says 'standard output: (No space left on device|cannot be written)'
    done
fi
expect 1 bash -c '"$@" >&-' - "$CAFE" --help
says 'standard output: Bad file descriptor'
expect 1 bash -c '"$@" >&-' - "$CAFE" embed edges.in.txt -q -o - -k 2
# and no file is taken for it: messages go nowhere, not into the vectors
expect 0 "$CAFE" embed edges.in.txt -k 2 -o open.in.tsv
expect 0 bash -c '"$@" <&- >&- 2>&-' - "$CAFE" embed edges.in.txt -k 2 -v -o v.tsv
same v.tsv open.in.tsv
rm v.tsv

# a name that is too long, alone or with .names.txt behind it, is refused before the work
long=$(printf 'x%.0s' {1..260})
expect 1 "$CAFE" embed edges.in.txt -o "$long.npy" -k 2
says 'File name too long'
! grep -q '^graph' .last/err || fail "a long name is found out after the graph was read"
expect 1 "$CAFE" embed edges.in.txt -o "${long:0:245}.npy" -k 2
says 'names.txt: File name too long'
! grep -q '^solve' .last/err || fail "a long name of names is found out after the work"
expect 0 "$CAFE" embed edges.in.txt -q -o "${long:0:240}.npy" -k 2
expect 0 "$CAFE" embed edges.in.txt -q -o "${long:0:251}.tsv" -k 2
rm "$long"* 2>/dev/null || rm xxx*

# names of an earlier run beside a file that is gone: refused before the work, with what helps
printf '0 1\n1 2\n2 0\n2 3\n' >plain.in.txt
expect 0 "$CAFE" embed plain.in.txt -q -k 2 -o plain.in.npy
for words in 'embed plain.in.txt -k 2 -o v.npy' 'plot plain.in.txt plain.in.npy -o v.npy' \
    'convert plain.in.txt m.mtx' 'convert plain.in.txt m.mtx.gz'; do
    printf 'a\nb\nc\nd\n' >"${words##* }.names.txt"
    # shellcheck disable=SC2086
    expect 1 "$CAFE" $words
    says 'names.txt: exists.*-f overwrites or removes it'
    ! grep -q '^graph' .last/err || fail "old names are found out after the graph was read"
    # shellcheck disable=SC2086
    expect 0 "$CAFE" $words -f
    only "${words##* }"
    rm "${words##* }"
done

# an output that is an input is refused, however it is written, unless the command is meant for it
cp edges.in.txt g.txt
ln -s g.txt link.txt
mkdir folder
for out in g.txt ./g.txt folder/../g.txt link.txt; do
    expect 2 "$CAFE" convert g.txt "$out" -f
    says 'would replace a file that is read'
    expect 2 "$CAFE" cluster g.txt -o "$out" -f
    says 'would replace a file that is read'
done
same g.txt edges.in.txt
cp vectors.in.npy v.npy
cp vectors.in.npy.names.txt v.npy.names.txt
expect 2 "$CAFE" embed g.txt --start v.npy -o v.npy -f
expect 2 "$CAFE" embed g.txt --start v.npy -o w.npy --json v.npy -f
expect 2 "$CAFE" embed v.npy.names.txt -o v.npy -f
expect 2 "$CAFE" update g.txt changes.in.txt --from v.npy -o changes.in.txt -f
expect 2 "$CAFE" update g.txt changes.in.txt --from v.npy -o g.txt -f
expect 2 "$CAFE" embed g.txt -o w.npy --json ./w.npy
says 'cannot both go to'
expect 2 "$CAFE" embed g.txt -o w.npy --json w.npy.names.txt
says 'cannot both go to'
expect 0 "$CAFE" update g.txt changes.in.txt --from v.npy -q -o v.npy --graph-out g.txt -f
! cmp -s v.npy vectors.in.npy || fail "the update in place changed nothing"
! cmp -s g.txt edges.in.txt || fail "the graph was not brought up to date"
# names of another run are found out
cp vectors.in.npy.names.txt v.npy.names.txt
printf 'b\na\nc\nd\ne\nf\n' >v.npy.names.txt
expect 3 "$CAFE" update g.txt changes.in.txt --from v.npy -o w.npy
says 'expected the names that v.npy was written with, found others'
rm v.npy*

# -f keeps the mode and follows a symbolic link
chmod 640 g.txt
expect 0 "$CAFE" convert edges.in.txt link.txt -q -f
[[ -L link.txt ]] || fail "the symbolic link is gone"
[[ $(stat -c %a g.txt) == 640 ]] || fail "the mode is $(stat -c %a g.txt)"
ln -s nowhere dead.txt
expect 1 "$CAFE" convert edges.in.txt dead.txt -f
says 'symbolic link that leads nowhere'
rm -r g.txt link.txt dead.txt folder
only_inputs

# messages have whole numbers in full, and say the range
expect 2 "$CAFE" embed edges.in.txt -o v.npy -k 9000000000000000000
says "a whole number from 1 to [0-9]+, not '9000000000000000000'"
expect 2 "$CAFE" embed edges.in.txt -o v.npy --sweeps 9000000000000000000
says "a whole number from 0 to [0-9]+, not '9000000000000000000'"
for command in embed cluster rank plot points update place recommend reduce; do
    options=$("$CAFE" "$command" --help | sed -nE 's/^  (-.,|   ) (--[a-z-]+) [A-Z]$/\2/p; s/^  (-.,|   ) (--[a-z-]+) [A-Z] .*/\2/p')
    for option in $options; do
        "$CAFE" "$command" edges.in.txt edges.in.txt "$option" 9000000000000000000 >.last/out 2>.last/err || true
        ! grep -qE 'whole number.*[0-9]e[+][0-9]' .last/err || fail "$command $option: $(<.last/err)"
    done
done

# a file-size limit ends the run as a signal does, with a message and the old file
expect 0 "$CAFE" generate ba --nodes 3000 --edges 9000 -q -o big.in.cafe
printf 'old\n' >v.tsv
expect 153 bash -c 'ulimit -f 64; "$@"' - "$CAFE" embed big.in.cafe -q -f -k 16 -o v.tsv
says 'interrupted: a file would exceed the limit'
[[ $(<v.tsv) == old ]] || fail "the old file is gone"
rm v.tsv
only_inputs

# SIGHUP is SIGTERM, and nohup is heard
stop() {
    eventually grep -q '^graph' .last/err
    kill "-$1" "$job"
}
: >.last/err
"$CAFE" embed big.in.cafe -k 64 --sweeps 10000000 --tune tolerance=0 -o v.npy >.last/out 2>.last/err &
job=$!
stop HUP
code=0
wait "$job" || code=$?
[[ $code -eq 129 ]] || fail "SIGHUP: exit code $code"
says ': interrupted$'
only_inputs

# a killed run leaves a temporary file, which the next one removes, whoever has its number now
: >.cafe-0123456789abcdef.tmp # as a killed run leaves it
expect 0 "$CAFE" embed edges.in.txt -q -k 2 -o v.npy -f
only v.npy v.npy.names.txt
rm v.npy*

# the process number of the run is no name: in a container each run has the same
if unshare --pid --fork --mount-proc true 2>/dev/null; then
    for _ in 1 2 3; do
        # shellcheck disable=SC2016
        unshare --pid --fork --mount-proc bash -c '"$@" & sleep 0.5; kill -KILL $!; wait' - \
            "$CAFE" embed big.in.cafe -q -f -k 64 --sweeps 100000 --tune tolerance=0 -o v.npy || true
    done
    expect 0 unshare --pid --fork --mount-proc "$CAFE" embed edges.in.txt -q -k 2 -o v.npy -f
    only v.npy v.npy.names.txt
    # a run that lives in another namespace keeps its temporary file
    exec 8>.cafe-00000000000000aa.tmp
    flock 8
    expect 0 unshare --pid --fork --mount-proc "$CAFE" embed edges.in.txt -q -k 2 -o v.npy -f
    [[ -e .cafe-00000000000000aa.tmp ]] || fail "the file of a living run is gone"
    exec 8>&-
    expect 0 "$CAFE" embed edges.in.txt -q -k 2 -o v.npy -f
    only v.npy v.npy.names.txt
else
    echo "skipped: no namespaces of processes here (unshare --pid)"
fi

# ---- a reader that has seen enough is no reason for a message, however much is written
expect 0 "$CAFE" generate planted --nodes 5000 --edges 20000 -q -f -o wide.cafe
for words in 'embed wide.cafe -q -k 64 -o -' 'cluster wide.cafe -q -o -' 'rank wide.cafe -q --top 5000'; do
    # shellcheck disable=SC2086
    ("$CAFE" $words 2>.last/err || true) | head -n 1 >.last/out
    quiet
done
