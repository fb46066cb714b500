#!/usr/bin/env bash
# cafe rank as a user runs it: lists, two sets, report, refusals.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
karate=$SOURCE/examples/karate.txt

# ---- the list: sorted, of the length asked for, a distribution
expect 0 "$CAFE" rank "$karate"
says '34 nodes'
says 'converged'
[[ $(wc -l <.last/out) -eq 11 ]] || fail "not ten nodes"
for by in degree pagerank relative; do
    printf '%s\n' 0 1 2 3 >club.in
    set=()
    [[ $by == degree ]] || set=(--set club.in)
    expect 0 "$CAFE" rank "$karate" -q --by "$by" "${set[@]}" --top 0 -o "$by.tsv"
    quiet
    silent
    awk -F '\t' -v by="$by" '
        NR == 1 { if ($0 != "node\t" by) exit 1; next }
        { if (NR > 2 && $2 > last) exit 1; last = $2; sum += $2 }
        END { exit NR != 35 || (sum - 1) ^ 2 > 1e-24 }' "$by.tsv" || fail "$by.tsv"
done
only degree.tsv pagerank.tsv relative.tsv
grep -q $'^33\t' <(sed -n 2p degree.tsv) || fail "node 33 has the most edges"
# personalised: the members come first
[[ $(sed -n 2p pagerank.tsv | cut -f 1) == 0 ]] || fail "personalised PageRank"
# relative to a node: its neighbours, each with 1 / degree
echo 11 >one.in
expect 0 "$CAFE" rank "$karate" -q --by relative --set one.in --top 2
[[ $(cut -f 1,2 .last/out | sed -n 2p) == $'0\t1' && $(sed -n 3p .last/out | cut -f 2) == 0 ]] ||
    fail "relative to node 11, whose only neighbour is 0"

# ---- two sets
printf '%s\n' 0 1 3 7 >a.in
printf '%s\n' 32 33 >b.in
expect 0 "$CAFE" rank "$karate" -q --set a.in --other b.in --json sets.json
prints 'covariance q\(A,B\) +-0\.'
prints 'conductance'
json_check sets.json
for key in schema by set_nodes first second nodes mass inside strength conductance joint covariance \
    first_to_second second_to_first seconds; do
    grep -qE "^ *\"$key\": " sets.json || fail "the report lacks $key"
done
expect 0 "$CAFE" rank "$karate" -q --set a.in --other a.in --json -
prints '"schema": "cafe/rank/1"'
! grep -q conductance$ .last/out || fail "table and report mixed"

# ---- the report of a list; names that need quotes
printf '%s\n' 'a "x ""y"' 'a c' '"x ""y" c' 'c d' >names.in
expect 0 "$CAFE" rank names.in -q --json r.json --top 4
json_check r.json
grep -q '"x \\"y"' r.json || fail "a name with quotes in JSON"
grep -q '^"x ""y"' .last/out || fail "a name with quotes in the list"
for key in pagerank personalised damping steps_taken converged error top node value; do
    grep -qE "^ *\"$key\": " r.json || fail "the report lacks $key"
done
printf 'x "y\n' >quoted.in
expect 0 "$CAFE" rank names.in -q --by relative --set quoted.in

# ---- the same bits for any number of threads
expect 0 "$CAFE" generate sbm --nodes 3000 --edges 20000 --blocks 4 --mixing 0.3 -q -o sbm.in.txt
for threads in 1 2 3 8; do
    expect 0 "$CAFE" rank sbm.in.txt -q -t $threads --top 0 -o t$threads.tsv
    same t1.tsv t$threads.tsv
done
expect 0 "$CAFE" rank - -q --damping 0.5 --top 3 <"$karate"

# ---- refusals
expect 1 "$CAFE" rank "$karate" -q -o t1.tsv
says 'exists'
expect 0 "$CAFE" rank "$karate" -q -f -o t1.tsv
expect 2 "$CAFE" rank
expect 2 "$CAFE" rank "$karate" --by relative
says 'needs --set FILE'
expect 2 "$CAFE" rank "$karate" --by degree --set a.in
expect 2 "$CAFE" rank "$karate" --other b.in
expect 2 "$CAFE" rank "$karate" --set a.in --other b.in -o x.tsv
expect 2 "$CAFE" rank - --set - </dev/null
expect 2 "$CAFE" rank "$karate" --damping 1
expect 2 "$CAFE" rank "$karate" --by fame
expect 2 "$CAFE" rank "$karate" -o same --json same
printf '%s\n' 0 nobody >bad.in
expect 3 "$CAFE" rank "$karate" --set bad.in
says "bad.in:2:1: expected the name of a node of the graph, found 'nobody'"
printf '%s\n' '0 x' >bad.in
expect 3 "$CAFE" rank "$karate" --set bad.in
says "bad.in:1:1: expected .* nothing else in the line '0 x', found '0'"
expect 1 "$CAFE" rank "$karate" --set nowhere
expect 1 "$CAFE" rank nowhere.txt
expect 3 "$CAFE" rank - <<<'a b c d e'
: >empty.in
expect 1 "$CAFE" rank "$karate" --by relative --set empty.in
says 'no edges'
