#!/usr/bin/env bash
# Several processes read an edge list or a .cafe file together: the same bytes, the same messages.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

several_processes
together() { timeout 300 mpirun -n "$1" "$CAFE" "${@:2}" --engine petsc --threads 1; }

# ---- names and weights; ids with gaps; a .cafe file
awk 'BEGIN { srand(3); print "from,to,weight"
    for (i = 0; i < 60000; i++) print "n" int(rand() ^ 2 * 20000) "," "n" int(rand() * 20000) "," int(rand() * 4) / 2 }' >names.csv
awk 'BEGIN { srand(4); print "# ids"
    for (i = 0; i < 60000; i++) print 5 * int(rand() ^ 2 * 20000), 5 * int(rand() * 20000) }' >ids.txt
for list in names.csv ids.txt; do
    expect 0 "$CAFE" convert "$list" one.cafe -f -q
    for ranks in 1 2 3 4 7; do
        expect 0 together "$ranks" convert "$list" many.cafe -f -q
        cmp one.cafe many.cafe || fail "$list: another file from $ranks processes"
    done
    expect 0 together 3 convert one.cafe many.cafe -f -q
    cmp one.cafe many.cafe || fail "one.cafe: another file from 3 processes"
    chmod 666 one.cafe # then each has a copy
    expect 0 together 3 convert one.cafe many.cafe -f -q
    cmp one.cafe many.cafe || fail "one.cafe: another file from 3 processes that copy it"
done

# ---- attributes of nodes: all processes have them
awk 'BEGIN { print "node,half"; for (i = 0; i < 500; i++) print i "," i / 2 }' >nodes.csv
awk 'BEGIN { for (i = 0; i < 500; i++) print i, i % 3 ? "odd" : "new" }' >kinds.txt
awk 'BEGIN { for (i = 0; i < 3000; i++) print i % 500, (i * 7 + 3) % 500 }' >small.txt
expect 0 "$CAFE" convert small.txt small.graphml --attributes nodes.csv --communities kinds.txt -q
expect 0 "$CAFE" convert small.graphml one.cafe -f -q
expect 0 together 3 convert one.cafe many.cafe -f -q
cmp one.cafe many.cafe || fail "one.cafe: attributes are lost with 3 processes"
expect 0 together 3 convert one.cafe many.graphml -f -q
cmp small.graphml many.graphml || fail "small.graphml: attributes are lost with 3 processes"
[[ -z $(find . -name '.cafe-*') ]] || fail "a temporary file is left"

# ---- a bad line in the range of the third process, told once, by its number in the file
rm many.cafe
sed '40000s/.*/oops/' ids.txt >bad.txt
expect 3 "$CAFE" convert bad.txt one.cafe -f -q
said=$(grep -o 'bad.txt:40000:.*' .last/err) || fail "no line: $(<.last/err)"
together 4 convert bad.txt many.cafe -q 2>err && fail "a bad line is taken"
[[ $(grep -cF "$said" err) == 1 ]] || fail "not told once: $(<err)"
[[ ! -e many.cafe ]] || fail "a file is left of a bad list"

# ---- what each of them would have to read whole
gzip -k ids.txt
together 2 convert ids.txt.gz many.cafe -q 2>err && fail "a compressed list is taken"
grep -q 'convert it to .cafe by one process first' err || fail "no advice: $(<err)"
