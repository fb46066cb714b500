#!/usr/bin/env bash
# cafe embed --method cafe and layers, with and without labels: outputs, reports, refusals.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
karate=$SOURCE/examples/karate.txt

# ---- clusters found by themselves
expect 0 "$CAFE" embed "$karate" --method cafe -k 10 --resolution 1 -o v.npy --json r.json
says 'communities, modularity'
json_check r.json
[[ $(json_value r.json method) == '"cafe"' ]] || fail "method"
awk -v q="$(json_value r.json modularity)" 'BEGIN { exit !(q > 0.3) }' || fail "modularity"
[[ $(json_value r.json communities) -le 10 ]] || fail "more communities than columns"
[[ $(json_value r.json pairs) -lt 10 ]] || fail "rows of H sum to 1: one column is not independent"
expect 0 "$CAFE" embed "$karate" -q --method cafe -k 10 -o fine.npy --json fine.json
awk -v fine="$(json_value fine.json modularity)" -v q="$(json_value r.json modularity)" \
    'BEGIN { exit !(fine < q) }' || fail "the default's clusters are not smaller"
expect 0 "$CAFE" embed "$karate" -q --method cafe -k 10 --output-form hhat -o h.npy --json h.json
[[ $(json_value h.json columns) -lt 10 ]] || fail "QR keeps a dependent column"
grep -q '"theta": ' r.json || fail "the report lacks theta"
for threads in 1 2 3 8; do
    expect 0 "$CAFE" embed "$karate" -q --method cafe -k 10 -t $threads -o "t$threads.npy"
    same "t$threads.npy" t1.npy
done

# ---- known labels stay: both factions' heads
printf '0 hi\n33 john\n' >two.in
expect 0 "$CAFE" embed "$karate" --method cafe --labels two.in -o h.tsv --output-form raw
says '2 classes, 2 of 34 nodes labelled'
grep -qP '^0\t1\t0$' h.tsv || fail "node 0 left its label"
grep -qP '^33\t0\t1$' h.tsv || fail "node 33 left its label"
# who is nearer to whom: all but a few follow the later split
join <(sort -k 1,1 h.tsv) <(grep -v '^#' "$SOURCE/examples/karate.labels.txt" | sort -k 1,1) |
    awk '{ right += ($2 > $3) == ($4 == 0) } END { exit !(right >= 31) }' ||
    fail "labels did not spread to the two factions"
# further clusters when asked
expect 0 "$CAFE" embed "$karate" -q --method cafe --labels two.in -k 4 -o more.tsv --output-form raw
awk -F '\t' 'NF != 5 { exit 1 }' more.tsv || fail "four columns were asked for"
expect 1 "$CAFE" embed "$karate" --method cafe --labels two.in -k 1 -o bad.npy
says 'classes'

# ---- every label known: nothing to iterate
grep -v '^#' "$SOURCE/examples/karate.labels.txt" >all.in
expect 0 "$CAFE" embed "$karate" -q --method cafe --labels all.in -o full.npy --json full.json
[[ $(json_value full.json sweeps) == 0 ]] || fail "sweeps with all labels known"

# ---- refusals, with file, line and column
printf '0 a\nseven b\n' >unknown.in
expect 3 "$CAFE" embed "$karate" --method cafe --labels unknown.in -o bad.npy
says "unknown.in:2:1: expected nodes of the graph, found 1 of 2 that it does not have: 'seven'"
# a node that only the labels name can be an isolated one
printf '0 a\n33 b\n77 b\n' >isolated.in
expect 0 "$CAFE" embed "$karate" --method cafe --labels isolated.in --unknown-nodes add --output-form raw -o i.tsv
says '1 node of isolated.in without an edge'
[[ $(wc -l <i.tsv) -eq 36 ]] || fail "the isolated node has no row"
grep -qP '^77\t0\t1$' i.tsv || fail "the isolated node lost its label"
for lines in '0 a;1 b;0 b' '0 a,b;1 b'; do # two lines, or one
    tr ';' '\n' <<<"$lines" >multiple.in
    expect 1 "$CAFE" embed "$karate" --method cafe --labels multiple.in -o bad.npy
    says 'several labels'
done
expect 2 "$CAFE" embed "$karate" --labels two.in -o bad.npy
says '--labels does not go with --method sphere'
expect 2 "$CAFE" embed "$karate" --method cafe --tune beta=1 -o bad.npy
says '--tune beta does not go with --method cafe'
expect 2 "$CAFE" embed "$karate" --method softmax -o bad.npy
says 'sphere\|cafe\|layers'
[[ ! -e bad.npy ]] || fail "a refused run left a file"

# ---- layers side by side
expect 0 "$CAFE" embed "$karate" --method layers -o layers.npy --json layers.json
says 'modularity'
awk -v q="$(json_value layers.json modularity)" 'BEGIN { exit !(q > 0.41) }' || fail "modularity"
[[ $(json_value layers.json columns) -ge 3 ]] || fail "columns of the layers"
expect 0 "$CAFE" embed "$karate" -q --method layers -k 3 -o three.npy --json three.json
[[ $(json_value three.json columns) == 3 ]] || fail "4 communities in 3 columns have 3 directions"
expect 0 "$CAFE" embed "$karate" --method layers -k 4 -o four.npy
says '1 of 4 columns dropped: those of a layer add up to a constant.*more --columns'
