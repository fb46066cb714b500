#!/usr/bin/env bash
# Bad input: exit code 3, file and line, nothing written. Odd input: a defined result.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

# bad NAME PATTERN [options]: the file is refused by every command that reads, and leaves nothing
bad() {
    local file=$1 pattern=$2
    shift 2
    for command in "embed $file -o out.npy --json out.json" "info $file" "convert $file out.cafe"; do
        # shellcheck disable=SC2086
        expect 3 "$CAFE" $command "$@"
        silent
        says "^cafe [a-z]+: $file"
        says "$pattern"
        only_inputs
    done
}

printf '0 1\n1 2\n2\n' >short.in.txt
bad short.in.txt 'short.in.txt:3:[0-9]+: expected'
printf '0 1 1.5\n1 2 -1\n' >negative.in.txt
bad negative.in.txt 'negative.in.txt:2:[0-9]+: expected'
printf '0 1 1.5\n1 2 nan\n' >nan.in.txt
bad nan.in.txt 'nan.in.txt:2:[0-9]+: expected'
printf '0 1 1.5\n1 2 inf\n' >inf.in.txt
bad inf.in.txt 'inf.in.txt:2:[0-9]+: expected'
printf '0 1 1\n1 2 heavy\n' >word.in.txt
bad word.in.txt 'word.in.txt:2:[0-9]+: expected'
printf '0 1\n1 2 3 4 5\n' >wide.in.txt
bad wide.in.txt 'wide.in.txt:2:[0-9]+: expected'
printf '0 1\n1 99999999999999999999\n' >overflow.in.txt
bad overflow.in.txt 'overflow.in.txt:2:[0-9]+: expected'
printf '0 1\n1 7\n' >outside.in.txt
bad outside.in.txt 'outside.in.txt:2:[0-9]+: expected' --nodes 7
printf 'ä b\nb \xff\xc3\xa4\n' >bytes.in.txt
bad bytes.in.txt 'bytes.in.txt:2:[0-9]+: expected'
head -c 4096 "$CAFE" >binary.in.txt
bad binary.in.txt 'expected'
: >empty.in.txt
bad empty.in.txt 'expected'
printf '# only\n%% comments\n' >comments.in.txt
bad comments.in.txt 'expected'

# compressed, and cut off
printf '0 1\n1 2\n2 0\n' | gzip >good.in.gz
expect 0 "$CAFE" info good.in.gz
head -c 20 good.in.gz >cut.in.gz
bad cut.in.gz 'cut.in.gz'

# Matrix Market, METIS
printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n' >few.in.mtx
bad few.in.mtx 'expected'
printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n4 1\n' >range.in.mtx
bad range.in.mtx 'range.in.mtx:3:[0-9]+: expected'
printf '%%%%MatrixMarket matrix coordinate pattern general\n3 4 1\n3 4\n' >square.in.mtx
bad square.in.mtx 'square.in.mtx:2:[0-9]+: expected'
printf '3 2\n2\n1 3\n' >lines.in.graph
bad lines.in.graph 'expected'
printf '3 5\n2\n1 3\n2\n' >count.in.graph
bad count.in.graph 'expected'

# .cafe: cut, and with one bit turned
expect 0 "$CAFE" convert -q "$SOURCE/examples/karate.txt" k.in.cafe
head -c 200 k.in.cafe >cut.in.cafe
bad cut.in.cafe 'cut.in.cafe'
size=$(stat -c %s k.in.cafe)
for at in 9 $((size / 2)) $((size - 3)); do
    cp -f k.in.cafe turned.in.cafe
    byte=$(od -An -tu1 -j "$at" -N 1 k.in.cafe)
    # shellcheck disable=SC2059
    printf "\\x$(printf %x $((byte ^ 16)))" |
        dd of=turned.in.cafe bs=1 seek="$at" conv=notrunc status=none
    bad turned.in.cafe 'turned.in.cafe'
done

# files that are not there or not readable are failures, not malformed
expect 1 "$CAFE" info absent.txt
says 'absent.txt'
mkdir folder.in
expect 3 "$CAFE" info folder.in
expect 1 "$CAFE" embed absent.txt -o v.npy
only_inputs

# ---- odd but legal
printf '0 0\n1 1\n' >loops.in.txt
expect 1 "$CAFE" embed loops.in.txt -o v.npy
says 'edge'
only_inputs
printf '5 5\n' >one.in.txt
expect 0 "$CAFE" info one.in.txt
prints '^nodes +1$'
prints '1 self-loop dropped'
expect 0 "$CAFE" embed one.in.txt --self-loops keep -o one.tsv --json one.json
silent
says 'warning: no column carries information'
[[ $(json_value one.json columns) == 0 && $(xargs <one.tsv) == "node 5" ]] || fail "one node"
printf '0 1\n' >two.in.txt
expect 0 "$CAFE" embed two.in.txt -k 64 -o two.npy --json two.json
silent
says 'warning'
[[ $(json_value two.json columns) -le 2 ]] || fail "more columns than nodes"
expect 0 "$CAFE" embed "$SOURCE/examples/karate.txt" -k 64 -o many.npy --json many.json
says 'warning: 64 columns asked for, cut to 33: the graph has 34 nodes'
[[ $(json_value many.json columns) == 33 ]] || fail "all directions but one"
expect 0 "$CAFE" embed "$SOURCE/examples/karate.txt" -k 64 --columns-from top -o found.npy --json found.json
says 'warning: [0-9]+ of 64 columns dropped'
[[ $(json_value found.json columns) -lt 33 ]] || fail "columns without information"
printf '0 1\n1 2\n2 0\n3 4\n4 5\n5 3\n' >parts.in.txt
expect 0 "$CAFE" embed parts.in.txt -k 4 -o parts.npy --json parts.json
says 'warning: the graph is not connected'
[[ $(json_value parts.json components) == 2 ]] || fail "components"

# nothing is dropped or merged in silence
printf '0 1\n1 0\n0 1\n2 2\n1 2\n' >messy.in.txt
expect 0 "$CAFE" embed messy.in.txt -k 2 -o messy.npy --json messy.json
says '1 self-loop dropped, 1 repeated edge merged, 1 edge listed in both directions merged'
for pair in lines:5 self_loops:1 duplicates:1 reversed:1 edges:2; do
    [[ $(json_value messy.json "${pair%:*}") == "${pair#*:}" ]] || fail "messy.json: $pair"
done
printf '0 1 0\n1 2 2.5\n' >zero.in.txt
expect 0 "$CAFE" info zero.in.txt
prints '1 edge of weight 0 dropped'
# Windows line ends, blank lines, comments, no newline at the end
printf '# c\r\n0 1\r\n\r\n%% c\r\n1\t2\r\n2 0' >ends.in.txt
expect 0 "$CAFE" info ends.in.txt
prints '^edges +3$'

# ---- a .cafe file that changes during the run: the graph is a copy, which does not mind
"$CAFE" generate sbm --nodes 200 --edges 900 -q -o moving.in.cafe
mkfifo set.in.fifo
during() {
    timeout 300 "$CAFE" rank moving.in.cafe --by relative --set set.in.fifo -o moved.tsv -q 2>.last/err &
    local run=$! got=0
    timeout 300 bash -c '
        exec 7>set.in.fifo # waits until the run has its graph and asks for the set
        head -c 20000 /dev/zero | tr '\\0' '\\177' | dd of=moving.in.cafe bs=256 seek=1 conv=notrunc 2>/dev/null
        seq 0 9 >&7' || fail "the run did not ask for its set"
    wait $run || got=$?
    return $got
}
seq 0 9 >set.in
"$CAFE" rank moving.in.cafe --by relative --set set.in -o still.in.tsv -q
cp moving.in.cafe kept.in.cafe
during || fail "a graph whose file changed"
same moved.tsv still.in.tsv
cp kept.in.cafe moving.in.cafe
rm -f moved.tsv
