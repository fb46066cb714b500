#!/usr/bin/env bash
# cafe predict as a user runs it: labels of the other nodes, probabilities, report, refusals.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
karate=$SOURCE/examples/karate.txt
labels=$SOURCE/examples/karate.labels.txt

# ---- a third of the nodes is known: the others are predicted, with names of classes that need quotes
awk '!/^[#%]/ && $1 % 3 == 0 { print $1, $2 ? "officers" : "\"Mr. Hi\"" }' "$labels" >known.in
expect 0 "$CAFE" predict "$karate" --labels known.in -o p.tsv --probabilities all.tsv --json r.json
says 'labels    known.in: 2 classes, 12 of 34 nodes labelled'
says 'expected  accuracy [01]\.[0-9]+ \+- 0\.[0-9]+'
says '12 known nodes are too few to tell'
says 'predicted 22 nodes by '
[[ $(head -1 p.tsv) == $'node\tlabel\tprobability' && $(wc -l <p.tsv) -eq 23 ]] || fail "lines of p.tsv"
awk -F '\t' 'NR > 1 && ($1 % 3 == 0 || !($3 > 0.5 && $3 < 1)) { exit 1 }' p.tsv || fail "a known node, or no probability"
grep -q '"Mr. Hi"' p.tsv || fail "names of classes"
awk -F '[ \t]' 'FNR == NR { if (!/^[#%]/) truth[$1] = $2 ? "officers" : "\"Mr." ; next }
    FNR > 1 { right += truth[$1] == $2 } END { exit !(right >= 20) }' "$labels" p.tsv || fail "fewer than 20 of 22 right"
[[ $(wc -l <all.tsv) -eq 35 ]] || fail "all nodes"
awk -F '\t' 'NR > 1 && ($2 + $3 < 0.99999 || $2 + $3 > 1.00001) { exit 1 }
    NR > 1 && $1 % 3 == 0 && $2 != 0 && $2 != 1 { exit 1 }' all.tsv || fail "probabilities"
json_check r.json
[[ $(json_value r.json nodes_predicted) == 22 && $(json_value r.json known) == 12 ]] || fail "the report"
[[ $(grep -c '"ahead":' r.json) -eq 6 ]] || fail "six predictors compared"

# ---- what it writes is read as labels; each predictor; a table of labels; threads do not matter
expect 0 "$CAFE" evaluate cluster "$karate" --labels p.tsv
for by in smoothed classifier propagation absorbing cafe combined; do
    expect 0 "$CAFE" predict "$karate" --labels known.in --by $by -q -t 1
    quiet
    cp .last/out one.in
    expect 0 "$CAFE" predict "$karate" --labels known.in --by $by -q -t 3
    same .last/out one.in
    [[ $(wc -l <one.in) -eq 23 ]] || fail "$by"
done
{
    echo name,role,since
    awk '!/^[#%]/ { print $1 "," ($1 % 3 ? "" : $2) "," 1970 + $1 }' "$labels"
} >people.in.csv
expect 0 "$CAFE" predict "$karate" --labels people.in.csv --label role -q
[[ $(wc -l <.last/out) -eq 23 ]] || fail "a table with missing labels"
expect 0 "$CAFE" embed "$karate" -q -k 4 -o v.tsv
expect 0 "$CAFE" predict "$karate" --labels known.in --embedding v.tsv -q -o w.tsv --no-heading
[[ $(wc -l <w.tsv) -eq 22 ]] || fail "vectors of a file"

# ---- features: parity has nothing to do with the edges
awk '!/^[#%]/ { print $1 "," ($1 % 2) "," 1 - $1 % 2 "," $1 % 5 }' "$labels" >rows.in
(echo node,odd,even,other; cat rows.in) >x.in.csv
awk '!/^[#%]/ && $1 % 3 == 0 { print $1, $1 % 2 }' "$labels" >parity.in
expect 0 "$CAFE" predict "$karate" --labels parity.in --features x.in.csv -o f.in.tsv --json f.in.json
says 'features  x.in.csv: 3 columns; rows by the names of the nodes'
json_check f.in.json
[[ $(json_value f.in.json features) == '"x.in.csv"' ]] || fail "the features in the report"
awk -F '\t' 'NR > 1 { right += $1 % 2 == $2 } END { exit !(right >= 20) }' f.in.tsv || fail "features are not learnt from"
expect 2 "$CAFE" predict "$karate" --labels parity.in --features x.in.csv --embedding v.tsv
says 'features goes without --embedding'

# ---- several labels a node
awk '!/^[#%]/ && $1 % 2 == 0 { print $1, "side" $2; if ($1 < 17) print $1, "early" }' "$labels" >several.in
expect 0 "$CAFE" predict "$karate" --labels several.in --json s.json -o s.tsv
[[ $(json_value s.json multi_label) == true && $(grep -c '"ahead":' s.json) -eq 3 ]] || fail "several labels"
awk -F '\t' 'NR > 1 && $1 == node && $3 > last { exit 1 } { node = $1; last = $3 }' s.tsv || fail "the most likely first"
expect 1 "$CAFE" predict "$karate" --labels several.in --by cafe
says 'nodes have several classes: --by smoothed, --by classifier and --by combined predict them'

# ---- refusals
expect 2 "$CAFE" predict "$karate"
says 'no labels: give --labels FILE'
printf '0 x\nnobody x\n' >unknown.in
expect 3 "$CAFE" predict "$karate" --labels unknown.in
says 'nobody'
expect 2 "$CAFE" predict "$karate" --labels known.in --by guess
says '--by'
expect 2 "$CAFE" predict "$karate" --labels known.in -o known.in -f
only p.tsv all.tsv r.json v.tsv w.tsv s.tsv s.json

# ---- pairs: edges to come, from hidden ones and from later ones
expect 0 "$CAFE" generate planted --nodes 300 --edges 3000 --blocks 5 --mixing 0.1 -o blocks.in.txt -q
awk 'NR % 6 == 0 { print }' blocks.in.txt >gone.in
awk 'NR % 6 != 0 { print }' blocks.in.txt >left.in.txt
awk '{ print $1, ($2 + 137) % 300 }' gone.in | awk '$1 != $2' >far.in
sort -u gone.in far.in >asked.in.txt
expect 0 "$CAFE" predict left.in.txt --pairs asked.in.txt -o links.tsv --json links.json -t 1
says 'learnt    from 2[0-9]* pairs that got an edge and'
says 'expected  AUC 0\.[89]'
[[ $(head -1 links.tsv) == $'source\ttarget\tprobability' ]] || fail "heading of pairs"
awk -F '\t' 'FNR == NR { split($0, e, " "); gone[e[1] < e[2] ? e[1] " " e[2] : e[2] " " e[1]] = 1; next }
    FNR > 1 { k = $1 < $2 ? $1 " " $2 : $2 " " $1; if (k in gone) { a += $3; n++ } else { b += $3; m++ } }
    END { exit !(n > 300 && a / n > 0.65 && b / m < 0.4) }' gone.in links.tsv || fail "hidden edges are not found"
json_check links.json
awk 'NR % 6 == 1 { next } { print }' left.in.txt >early.in.txt
expect 0 "$CAFE" predict left.in.txt --pairs asked.in.txt --since early.in.txt -o late.tsv --json late.json
says 'since     early.in.txt: '
[[ $(json_value late.json edges) -gt 300 ]] || fail "later edges"
expect 0 "$CAFE" predict left.in.txt --pairs asked.in.txt -q -t 3
same .last/out links.tsv
echo 1 nobody >odd.in.txt
expect 0 "$CAFE" predict "$karate" --pairs odd.in.txt --ids text
says 'odd.in.txt: 1 pair of nodes that the graph does not have'
expect 2 "$CAFE" predict "$karate" --pairs odd.in.txt --labels known.in
says 'labels does not go with --pairs'
expect 2 "$CAFE" predict "$karate" --labels known.in --since odd.in.txt
says 'since goes with --pairs'
