#!/usr/bin/env bash
# cafe update and cafe place as a user runs them: files, reports, refusals, exit codes.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

"$CAFE" generate planted --nodes 600 --edges 4000 --blocks 5 --mixing 0.1 -q -o g.in.txt
"$CAFE" embed g.in.txt --output-form raw --columns 8 -q -o old.in.npy
"$CAFE" cluster g.in.txt -q -o old.in.tsv

# ---- nothing changed: nothing changes
echo '# nothing' >none.in.txt
expect 0 "$CAFE" update g.in.txt none.in.txt --from old.in.npy -o same.npy
silent
says '0 nodes touched'
same same.npy old.in.npy
rm same.npy

# ---- update and place take the degree exponent of the vectors
"$CAFE" embed g.in.txt --output-form raw --columns 8 --tune degree-exponent=0.5 -q -o half.in.npy
"$CAFE" embed g.in.txt --output-form raw --columns 8 --tune degree-exponent=0.5 -q -o half.in.tsv
printf '%s\n' '+ 3 400' '+ 5 500' '+ 6 501' >few.in.txt
echo 'ann 3' >ann.in.txt
for command in 'update few.in.txt --from half.in' 'place half.in'; do
    read -ra words <<<"$command"
    [[ ${words[0]} == update ]] && behind=() || behind=(ann.in.txt)
    run() { expect 0 "$CAFE" "${words[0]}" g.in.txt "${words[@]:1:${#words[@]}-2}" "${words[-1]}.$1" "${behind[@]}" "${@:2}"; }
    run npy -o told.tsv --tune degree-exponent=0.5
    run npy -o half.tsv
    same told.tsv half.tsv
    run tsv -o quarter.tsv
    says 'half.in.tsv does not say what it was made with: degree exponent 0.25 is assumed'
    ! cmp -s half.tsv quarter.tsv || fail "the degree exponent does not matter"
    run npy -o quarter.tsv -f --tune degree-exponent=0.25
    says 'half.in.npy: these vectors were made with degree exponent 0.5, not 0.25'
    rm told.tsv half.tsv quarter.tsv
done
"$CAFE" embed g.in.txt --output-form raw --columns 8 --sampling walk --window 2 -q -o walks.in.npy
expect 3 "$CAFE" place g.in.txt walks.in.npy ann.in.txt -o p.npy
says 'made with --sampling walk'
expect 3 "$CAFE" update g.in.txt few.in.txt --from walks.in.npy -o p.npy
only_inputs

# ---- changes: an edge goes, edges come, two new nodes
edge=$(grep -m 1 -E '^[0-9]' g.in.txt | cut -f 1-2 | tr '\t' ' ' | cut -d ' ' -f 1-2)
printf '%s\n' "- $edge" '+ 3 400' '600 5' '600 7' '+ 601 600' >changes.in.txt
expect 0 "$CAFE" update g.in.txt changes.in.txt --from old.in.npy -o new.npy --graph-out new.cafe \
    --json new.json --drift drift.tsv --communities old.in.tsv --full
says '1 removed'
says '2 new nodes'
says 'full run'
says 'groups '
only new.npy new.cafe new.json drift.tsv
json_check new.json
for key in schema version graph changes options seed threads sweeps tolerance spread align nodes \
    edges columns rounds converged objective objective_before objective_after swept swept_share \
    updates arcs arcs_summed arcs_marked work drift_mean drift_max moved subspace_angle \
    subspace_mean_angle rotation_distance full_run communities before after born died split merged \
    old new heir pieces parent sources seconds peak_bytes; do
    grep -qE "^ *\"$key\": " new.json || fail "the report lacks $key"
done
[[ $(json_value new.json nodes) == 602 ]] || fail "nodes"
awk "BEGIN { exit !($(json_value new.json objective_after) >= $(json_value new.json objective_before)) }" ||
    fail "the objective fell"
awk -F '\t' 'NR == 1 { if ($0 != "node\tdrift") exit 1; next }
    $2 == "nan" { fresh++; next } { if (!($2 >= 0 && $2 < 3.15)) exit 1 }
    END { exit !(NR == 603 && fresh == 2) }' drift.tsv || fail "drift.tsv"
# the vectors belong to the written graph: they are a start for the next update
expect 0 "$CAFE" update new.cafe none.in.txt --from new.npy -o again.npy -q
quiet
same again.npy new.npy
# the same bits for any threads
for threads in 1 3 8; do
    expect 0 "$CAFE" update g.in.txt changes.in.txt --from old.in.npy -o t.npy -f -q -t $threads
    same t.npy new.npy
done
# the whole new graph gives the same, and so does a table with a heading
expect 0 "$CAFE" update new.cafe --since g.in.txt --from old.in.npy -o t.npy -f -q
same t.npy new.npy
awk 'BEGIN { print "Source,Target,Change" } { s = $1 ~ /^[-+]$/; print $(1 + s) "," $(2 + s) "," ($1 == "-" ? "removed" : "added") }' \
    changes.in.txt >table.in.csv
expect 0 "$CAFE" update g.in.txt table.in.csv --from old.in.npy -o t.npy -f
says "source column 0 'Source', target column 1 'Target', change column 2 'Change'; a heading; commas"
same t.npy new.npy
# added and removed by words, without a heading and in any column; new nodes, blanks behind the signs
awk '{ s = $1 ~ /^[-+]$/; print ($1 == "-" ? "removed" : "added") ";" $(1 + s) ";" $(2 + s) }' changes.in.txt >table.in.csv
expect 0 "$CAFE" update g.in.txt table.in.csv --from old.in.npy -o t.npy -f
says 'source column 1, target column 2, change column 0; no heading; semicolons'
same t.npy new.npy
sed 's/\([0-9]\) \([0-9]\)/\1,\2/' changes.in.txt >table.in.csv
expect 0 "$CAFE" update g.in.txt table.in.csv --from old.in.npy -o t.npy -f
says 'source column 0, target column 1, behind . or -; no heading; commas'
same t.npy new.npy
printf '0 1 a\n2 3 b\n' >table.in.txt
expect 3 "$CAFE" update g.in.txt table.in.txt --from old.in.npy -o t.npy -f
says 'table.in.txt:1:1: expected columns that are clearly two nodes and a weight'
expect 2 "$CAFE" update new.cafe more.in.txt --since g.in.txt --from old.in.npy -o t.npy -f
says 'takes the whole new graph alone'
expect 2 "$CAFE" update new.cafe --from old.in.npy -o t.npy -f
rm t.npy*
# the next day, with and without the file of the sums
printf '%s\n' '+ 5 17' '- 601 600' '+ 601 8' >later.in.txt
expect 0 "$CAFE" update g.in.txt changes.in.txt --from old.in.npy -o t.npy -f -q --state days.state
expect 0 "$CAFE" update new.cafe later.in.txt --from new.npy -o t.npy -f -q --json t.json
[[ $(json_value t.json resumed) == false ]] || fail "resumed without a state"
expect 0 "$CAFE" update new.cafe later.in.txt --from new.npy -o u.npy --state days.state --json t.json -f
says 'state     used'
[[ $(json_value t.json resumed) == true ]] || fail "not resumed"
expect 0 "$CAFE" embed new.cafe --start new.npy --sweeps 0 -k 8 -o certified.npy --json t.json -f -q
grep -q '"residual' t.json || fail "no certificate of the written rows"
# a state of another graph, of other vectors or of another exponent is kept unless -f
"$CAFE" embed new.cafe --output-form raw --columns 8 -q --seed 9 -o seed.npy
cp days.state kept.state
for other in "g.in.txt changes.in.txt --from old.in.npy" "new.cafe later.in.txt --from seed.npy"; do
    # shellcheck disable=SC2086
    expect 1 "$CAFE" update $other -o w.npy -q --state days.state
    says 'days.state: belongs to another graph, other vectors or another degree exponent; --force replaces it'
    same days.state kept.state
    [[ ! -e w.npy ]] || fail "vectors were written"
done
expect 0 "$CAFE" update new.cafe later.in.txt --from seed.npy -o w.npy --state days.state -f
says 'state     made: the old one was of another graph or other vectors'
rm -f w.npy* kept.state seed.npy*
echo 1 >other.state
expect 3 "$CAFE" update new.cafe later.in.txt --from new.npy -o t.npy -f --state other.state
says 'expected a state that cafe update wrote'
rm -f other.state days.state t.json u.npy certified.npy* t.npy*
# communities start from the old ones and keep their numbers
sed -E 's/\t([0-9])/\t7\1/' old.in.tsv >numbered.in.tsv
expect 0 "$CAFE" update g.in.txt changes.in.txt --from old.in.npy -o t.npy -f -q --communities numbered.in.tsv \
    --communities-out new.tsv --json t.json
[[ $(json_value t.json nodes_kept) -ge 590 ]] || fail "nodes that kept their community"
kept=$(awk -F '\t' 'NR == FNR { old[$1] = $2; next } $1 in old && old[$1] == $2' numbered.in.tsv new.tsv | wc -l)
[[ $kept -ge $(json_value t.json nodes_kept) ]] || fail "numbers of communities"
grep -q '^601' new.tsv || fail "a new node has no community"
expect 2 "$CAFE" update g.in.txt changes.in.txt --from old.in.npy -o t.npy -f --communities-out new.tsv
says 'needs --communities'
# communities alone are the same
expect 0 "$CAFE" update g.in.txt changes.in.txt --communities numbered.in.tsv --communities-out alone.tsv --json u.json
same alone.tsv new.tsv
says 'groups    [0-9]+ before'
[[ $(json_value u.json nodes_kept) == "$(json_value t.json nodes_kept)" ]] || fail "$(cat u.json)"
[[ $(grep -c '"rounds"' u.json) -eq 0 ]] || fail "figures of vectors"
for option in "-o t.npy -f" "--drift d.tsv" --full "--state s.state" "--sweeps 3" "--tune degree-exponent=0.2"; do
    # shellcheck disable=SC2086
    expect 2 "$CAFE" update g.in.txt changes.in.txt --communities numbered.in.tsv --communities-out u.tsv $option
    says 'no old vectors: give --from'
done
awk '!/^#/ && NF > 1 { print "-", $1, $2 }' g.in.txt >all.in.txt
"$CAFE" update g.in.txt all.in.txt --communities numbered.in.tsv --communities-out u.tsv >.last/out 2>.last/err && fail "no edges"
grep -q 'no edges' .last/err || fail "$(cat .last/err)"
rm alone.tsv new.tsv t.json u.json t.npy*
# gzip and standard input
gzip -c changes.in.txt >changes.in.txt.gz
expect 0 "$CAFE" update g.in.txt changes.in.txt.gz --from old.in.npy -o t.npy -f -q
same t.npy new.npy
expect 0 "$CAFE" update g.in.txt - --from old.in.npy -o t.npy -f -q <changes.in.txt
same t.npy new.npy
# vectors with names, in any order
"$CAFE" embed g.in.txt --output-form raw --columns 8 -q --no-heading -o named.in.tsv
tac named.in.tsv >turned.in.tsv
expect 0 "$CAFE" update g.in.txt changes.in.txt --from turned.in.tsv -o t.npy -f -q
same t.npy new.npy
head -n 1 named.in.tsv >>turned.in.tsv
expect 3 "$CAFE" update g.in.txt changes.in.txt --from turned.in.tsv -o t.npy -f -q
says 'expected a row for each of 600 nodes, found 601'
sed -i 2d turned.in.tsv
expect 3 "$CAFE" update g.in.txt changes.in.txt --from turned.in.tsv -o t.npy -f -q
says "turned.in.tsv:600: expected each node once, found '0' again"
rm new.npy new.cafe new.json drift.tsv again.npy t.npy

# ---- string names go to a file beside the vectors
printf '%s\n' '+ ann 3' '+ ann 4' >names.in.txt
expect 0 "$CAFE" update g.in.txt names.in.txt --from old.in.npy -o s.npy -q
only s.npy s.npy.names.txt
[[ $(tail -n 1 s.npy.names.txt) == ann && $(wc -l <s.npy.names.txt) -eq 601 ]] || fail "names"
expect 1 "$CAFE" update g.in.txt names.in.txt --from old.in.npy -o s.npy
says 'exists'
rm s.npy*

# ---- rows of the old vectors find their nodes by name, in any order
"$CAFE" embed g.in.txt --output-form raw --columns 8 -q --no-heading -o rows.in.tsv
tac rows.in.tsv >back.in.tsv
for from in old.in.npy back.in.tsv; do
    expect 0 "$CAFE" update g.in.txt changes.in.txt --from $from -o $from.npy -q
    expect 0 "$CAFE" place g.in.txt $from <(echo 'ann 3') -o $from.tsv -q
done
same old.in.npy.npy back.in.tsv.npy
same old.in.npy.tsv back.in.tsv.tsv
rm ./*.npy.npy ./*.tsv.npy ./*.npy.tsv ./*.tsv.tsv

# ---- refusals: 2 for usage, 3 for input
expect 2 "$CAFE" update g.in.txt none.in.txt -o x.npy
says 'output-form raw'
expect 2 "$CAFE" update g.in.txt none.in.txt --from old.in.npy
expect 2 "$CAFE" update g.in.txt none.in.txt --from old.in.npy -o x.bin
expect 2 "$CAFE" update g.in.txt --from old.in.npy -o x.npy
expect 2 "$CAFE" update g.in.txt none.in.txt --from old.in.npy -o x.npy --graph-out x.npy
expect 2 "$CAFE" update g.in.txt none.in.txt --from old.in.npy -o x.npy --tune spread=2
expect 1 "$CAFE" update g.in.txt missing.in --from old.in.npy -o x.npy
printf '%s\n' '+ 1 2' '- 0 0.5' >bad.in.txt
expect 3 "$CAFE" update g.in.txt bad.in.txt --from old.in.npy -o x.npy
says 'bad\.in\.txt:2:5: expected a node of the graph'
printf '%s\n' "- $edge" '' "- $edge" >bad.in.txt
expect 3 "$CAFE" update g.in.txt bad.in.txt --from old.in.npy -o x.npy
says 'bad\.in\.txt:3:1: expected an edge of the graph to remove'
"$CAFE" embed "$SOURCE/examples/karate.txt" --output-form raw -q -o karate.in.npy
expect 3 "$CAFE" update g.in.txt none.in.txt --from karate.in.npy -o x.npy
says 'expected a row for each of 600 nodes'
"$CAFE" embed g.in.txt -q --columns 8 -o walk.in.npy
expect 1 "$CAFE" update g.in.txt changes.in.txt --from walk.in.npy -o x.npy
says 'raw form'
only_inputs

# ---- place
printf '%s\n' 'ann 3' 'ann 4 2' '"bob b" 7' >links.in.txt
tac named.in.tsv >turned.in.tsv
expect 0 "$CAFE" place g.in.txt turned.in.tsv links.in.txt -q --no-heading -o turned.tsv
mv turned.tsv turned.in.placed
expect 0 "$CAFE" place g.in.txt old.in.npy links.in.txt --no-heading -o p.tsv --json p.json
says '2 new nodes from 3 edges'
says 'none is known for raw rows'
same turned.in.placed p.tsv
json_check p.json
awk -F '\t' '{ s = 0; for (i = 2; i <= NF; i++) s += $i * $i; if ((s - 1) ^ 2 > 1e-8) exit 1 }
    END { exit !(NR == 2 && $1 == "\"bob b\"" && NF == 9) }' p.tsv || fail "p.tsv"
expect 0 "$CAFE" place g.in.txt old.in.npy links.in.txt --no-heading -o - -q
same .last/out p.tsv
expect 0 "$CAFE" place g.in.txt walk.in.npy links.in.txt --form walk -o w.npy -q
"$CAFE" generate sbm --nodes 600 --blocks 3 --edges 12000 --mixing 0.05 -q -o blocks.in.txt
"$CAFE" embed blocks.in.txt -q -k 2 --tune degree-exponent=0 --output-form ritz --residual 1e-6 -o ritz.in.npy
expect 0 "$CAFE" place blocks.in.txt ritz.in.npy <(printf '%s\n' 'x 0' 'x 3' 'y 1') --form ritz --tune degree-exponent=0 -o - --json b.in.json
says '2 of them are within [0-9.e-]+ of a full run'
[[ $(json_value b.in.json bounded) == 2 ]] || fail "bounded"
"$CAFE" embed blocks.in.txt -q -k 2 --output-form ritz --residual 1e-6 -o quarter.in.npy
expect 0 "$CAFE" place blocks.in.txt quarter.in.npy <(printf '%s\n' 'x 0' 'x 3' 'y 1') --form ritz -o - --json b.in.json -f
says '2 of them are within [0-9.e-]+ of a full run'
grep -q '"degree-exponent": 0.25' b.in.json || fail "the degree exponent of the vectors"
"$CAFE" embed blocks.in.txt -q -k 9 --tune degree-exponent=0 --output-form ritz -o early.in.npy
expect 0 "$CAFE" place blocks.in.txt early.in.npy <(echo 'x 0') --form ritz --tune degree-exponent=0 -o - --json b.in.json -f
says 'vacuous'
grep -q '"bounds": \[null\]' b.in.json || fail "vacuous in the report"
expect 0 "$CAFE" place blocks.in.txt early.in.npy <(echo 'x 0') --form ritz --tune degree-exponent=0.25 -o - --json b.in.json -f
says 'made with degree exponent 0, not 0.25'
only p.tsv p.json w.npy w.npy.names.txt
expect 1 "$CAFE" place g.in.txt walk.in.npy links.in.txt -o x.tsv
says 'not raw rows'
for form in walk ritz scaled; do
    expect 1 "$CAFE" place g.in.txt old.in.npy links.in.txt --form $form -o x.tsv
    says 'every row has length 1, as raw rows have: give --form raw'
done
expect 2 "$CAFE" place g.in.txt old.in.npy links.in.txt
expect 2 "$CAFE" place g.in.txt old.in.npy -o x.tsv
echo '+ 0 1' >bad.in.txt
expect 3 "$CAFE" place g.in.txt old.in.npy bad.in.txt -o x.tsv
says "bad.in.txt:1:1: expected a new node's id .*cafe update"
echo 'ann nobody' >bad.in.txt
expect 3 "$CAFE" place g.in.txt old.in.npy bad.in.txt -o x.tsv
says 'bad\.in\.txt:1:5: expected a node of the graph'
echo '3 4' >bad.in.txt
expect 3 "$CAFE" place g.in.txt old.in.npy bad.in.txt -o x.tsv
says 'bad\.in\.txt:1:1: expected a new node'
only p.tsv p.json w.npy w.npy.names.txt
