#!/usr/bin/env bash
# cafe reproduce: runs without data, names what is missing, compares what is there. The sets here
# are small graphs under the real sets' names: the way of the figures is tested, not the figures.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

# ---- no data: the generated parts still run, the rest is named with where it can be had
expect 0 "$CAFE" reproduce reduction --data nowhere -o r.md --json r.json
says 'bunny397 is not in nowhere: left out; .*GitHub'
grep -q '| circles | CAFE-GCN | 0.000 =<br>0.000 | 0.000 =' r.md || fail "the circles' first column is not 0"
grep -q 'bunny397 was not there' r.md || fail "the missing set is not named in the results"
json_check r.json
[[ $(grep -c '"missing": true' r.json) -eq 3 ]] || fail "three clouds are missing"
expect 0 "$CAFE" reproduce eigenvectors --data nowhere --set sbm
prints '\| sbm \| CAFE-GCN, K = 2 \| 0.99'
expect 1 "$CAFE" reproduce classification --data nowhere
says 'nothing could be run: none of cora, wiki, ego-facebook is in nowhere'
[[ $(wc -l <.last/err) -eq 1 ]] || fail "a folder without data is reported more than once"

# ---- sets by the layout DIR/SET/edges.txt[.gz], labels.txt
mkdir -p data.in/cora data.in/wiki
"$CAFE" generate sbm --nodes 120 --edges 900 --blocks 3 --mixing 0.1 -q -o data.in/cora/edges.txt --labels data.in/cora/labels.txt
gzip -c data.in/cora/edges.txt >data.in/wiki/edges.txt.gz
cp data.in/cora/labels.txt data.in/wiki/
expect 0 env CAFE_DATA=data.in "$CAFE" reproduce classification --row 'Label propagation' --repeats 2 -o c.md --json c.json
says 'ego-facebook is not in data.in'
grep -q '| cora | Label propagation' c.md || fail "no row of cora"
grep -q '| wiki | Label propagation' c.md || fail "no row of wiki: .gz was not found"
grep -q '^cafe evaluate classify cora/edges.txt --labels cora/labels.txt ' c.md || fail "no command line"
grep -q '2 repeats a cell' c.md || fail "the repeats are not told"
json_check c.json
grep -q '"published": ' c.json || fail "the published figures are not in the report"

# ---- other graphs: ranks, and the first method against the best of every set, computed again
mkdir -p others.in/cora others.in/wiki others.in/wikipedia-pos others.in/pubmed
blocks() { "$CAFE" generate sbm --nodes 150 --edges 900 --blocks 3 --mixing "$1" --seed "$2" -q -o "$3/edges.txt" --labels "$3/labels.txt"; }
blocks 0.5 1 others.in/cora
blocks 0.6 2 others.in/wiki
blocks 0.4 3 others.in/wikipedia-pos
blocks 0.5 4 others.in/pubmed
awk '{ print $1, $2, 1 + ($1 + $2) % 5 }' others.in/wikipedia-pos/edges.txt >others.in/wikipedia-pos/weights.txt
others=("$CAFE" reproduce others --data others.in --repeats 4)
expect 0 "${others[@]}" --row GCN -o o.md --json o.json
[[ $(grep -c 'coauthor-cs is not in' .last/err) -eq 1 ]] || fail "a missing set is not named once"
grep -q '^cafe evaluate classify wikipedia-pos/weights.txt --labels wikipedia-pos/labels.txt ' o.md ||
    fail "the graph with weights is not that of its file"
grep -q '| wikipedia-pos-weighted | Sphere-GCN |' o.md || fail "no row of the graph with weights"
[[ $(grep -c '^| [a-z-]* | Sphere-GCN |' o.md) -eq 5 ]] || fail "the default has no row on every set"
grep -qE '^Sphere-GCN by sets: With 10 % first on [0-5], level on [0-5], behind on [0-5]\. With 50 %' o.md || fail "no account"
! grep -q 'wikipedia-pos-weighted was not there' o.md || fail "the set with weights is reported as missing"
json_check o.json
if /usr/bin/python3 -c 'import scipy.stats' 2>/dev/null; then
    cat >ranks.in.py <<'TEXT'
import json, sys
import numpy as np
from scipy.stats import rankdata

report = json.load(open(sys.argv[1]))
rows = [r for r in report["rows"] if not r["missing"]]
methods, sets = list(dict.fromkeys(r["method"] for r in rows)), list(dict.fromkeys(r["set"] for r in rows))
of = {(r["set"], r["method"]): [np.array(c["values"]) for c in r["cells"]][::2] for r in rows}
assert len(methods) == int(sys.argv[2]) and len(sets) == 5 and all(len(v) == 4 for c in of.values() for v in c)
common = [s for s in sets if all((s, m) in of for m in methods)]
assert len(common) == int(sys.argv[3])
ranks = {}
for s in sets:
    there = [m for m in methods if (s, m) in of]
    for k in range(3):
        for m, rank in zip(there, rankdata([-round(of[s, m][k].mean(), 12) for m in there])):
            ranks[s, m, k] = rank
for standing in report["standings"]:
    m = standing["method"]
    own = [s for s in sets if (s, m) in of]
    assert standing["sets"] == len(own) and standing["common_sets"] == len(common)
    assert np.allclose(standing["ranks"], [np.mean([ranks[s, m, k] for s in own]) for k in range(3)])
    assert np.allclose(standing["common_ranks"], [np.mean([ranks[s, m, k] for s in common]) for k in range(3)])
    assert np.allclose(standing["common_means"], [np.mean([of[s, m][k].mean() for s in common]) for k in range(3)])
assert len(report["standings"]) == len(methods) and len(report["places"]) == 3 * len(sets)
for i, place in enumerate(report["places"]):
    s, k = place["set"], i % 3
    first, best = of[s, methods[0]][k], of[s, place["best"]][k]
    most = max(of[s, m][k].mean() for m in methods if (s, m) in of)
    assert abs(best.mean() - most) < 1e-12
    d = best - first
    error = d.std(ddof=1) / np.sqrt(len(d))
    wanted = "first" if place["best"] == methods[0] else "level" if d.mean() <= error * (1 + 1e-9) else "behind"
    assert place["place"] == wanted and np.isclose(place["difference"], d.mean()) and np.isclose(place["standard_error"], error)
TEXT
    expect 0 /usr/bin/python3 ranks.in.py o.json 4 5
else
    echo "skipped: no SciPy, so ranks are not computed again"
fi
# a method that is too slow for a set has no row there
expect 0 "${others[@]}" --row GraRep --set cora -o small.md
grep -q '| cora | GraRep |' small.md || fail "GraRep is left out of a small set"
expect 1 "${others[@]}" --row GraRep --set pubmed
# kept rows: the same table, nothing run
expect 0 "${others[@]}" --row GCN --keep others.kept.in -o first.others.md
expect 0 "${others[@]}" --row GCN --keep others.kept.in -o second.others.md
diff <(grep -vE '^cafe |second' o.md | sed -E 's/[0-9.]+ \|$//') <(grep -vE '^cafe |second' first.others.md | sed -E 's/[0-9.]+ \|$//') >&2 ||
    fail "kept rows change the table"
diff first.others.md second.others.md >&2 || fail "a table of kept rows differs"

# ---- kept: a run that was stopped goes on, with the figures of one that was not
table() { grep '^|' "$1"; }
rows=(reproduce classification --data data.in --set cora --row 'Label propagation' --repeats 30)
expect 0 "$CAFE" "${rows[@]}" -o whole.md
expect 0 "$CAFE" "${rows[@]}" --repeats 20 --keep kept.in -o first.md
[[ $(grep -l '"repeats": 20' kept.in/*.json | wc -l) -eq 1 ]] || fail "a row of 20 repeats should be kept"
for file in kept.in/*.json; do json_check "$file"; done
expect 0 "$CAFE" "${rows[@]}" --keep kept.in -o on.md
diff <(table whole.md) <(table on.md) >&2 || fail "30 repeats differ from 20 and 10 more"
expect 0 "$CAFE" "${rows[@]}" --keep kept.in -o again.md
posix_form || says ', kept$' # a tool that cannot read its own file checks the rows
diff <(table whole.md) <(table again.md) >&2 || fail "kept rows differ from those that were run"
expect 0 "$CAFE" "${rows[@]}" --repeats 20 --keep kept.in -o fewer.md
diff <(table first.md) <(table fewer.md) >&2 || fail "of 30 kept repeats the first 20 were not taken"

# what is there, without running: all 30 repeats, and rows of which there are none
expect 0 "$CAFE" "${rows[@]}" --keep kept.in --repeats 0 -o as-is.md
diff <(table whole.md) <(table as-is.md) >&2 || fail "as it is, the table has its 30 repeats"
expect 0 "$CAFE" "${rows[@]}" --row Label --keep kept.in --repeats 0 -o as-is.md -f
sed -n '/^| set | not run yet |/,/^$/p' as-is.md | grep -q '^| cora | .*Label spreading' || fail "a row without repeats is not named"
expect 2 "$CAFE" "${rows[@]}" --repeats 0
says 'give one'

# stopped in the middle: what was finished is there, and the next run has the same table
long=(reproduce classification --data data.in --set cora --row 'Label propagation' --repeats 600)
"$CAFE" "${long[@]}" --keep stopped.in -o never.md 2>.last/err &
pid=$!
until compgen -G 'stopped.in/*.json' >/dev/null || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
kill -TERM $pid 2>/dev/null || true
code=0
wait $pid || code=$?
[[ $code -eq 143 || $code -eq 0 ]] || fail "the stopped run ended with $code"
[[ $code -eq 0 ]] || says 'the same command goes on'
expect 0 "$CAFE" "${long[@]}" --keep stopped.in -o resumed.md
expect 0 "$CAFE" "${long[@]}" -o unbroken.md
diff <(table unbroken.md) <(table resumed.md) >&2 || fail "the resumed table differs from the unbroken one"

# another build's rows hold if their first repeat comes out again, and are run again if not
sed -i 's/"build": "[0-9a-f]*"/"build": "0123456789abcdef"/' kept.in/*.json
expect 0 "$CAFE" "${rows[@]}" --keep kept.in -o checked.md
diff <(table whole.md) <(table checked.md) >&2 || fail "checked rows differ"
! grep -q 0123456789abcdef kept.in/*.json || fail "the checked rows keep the other build's name"
sed -i 's/"build": "[0-9a-f]*"/"build": "0123456789abcdef"/; s/"values": \[[^,]*/"values": [0.25/' kept.in/*.json
expect 0 "$CAFE" "${rows[@]}" --keep kept.in -o checked.md -f
says 'run again'
diff <(table whole.md) <(table checked.md) >&2 || fail "rows of another build were believed"
# other data: the rows do not count; nor do damaged ones
sed -i 's/"data": "[0-9a-f]*/"data": "0/' kept.in/*.json
expect 0 "$CAFE" "${rows[@]}" --keep kept.in -o other.md
! grep -q ', kept$' .last/err || fail "rows of other data were taken"
for file in kept.in/*.json; do head -c 200 "$file" >cut.in && cp cut.in "$file"; done
expect 0 "$CAFE" "${rows[@]}" --keep kept.in -o damaged.md
diff <(table whole.md) <(table damaged.md) >&2 || fail "damaged rows were taken"
touch file.in
expect 1 "$CAFE" "${rows[@]}" --keep file.in
says 'file.in'

# ---- refusals
expect 1 env -u CAFE_DATA "$CAFE" reproduce eigenvectors
says 'no folder of data sets: give --data DIR'
expect 2 "$CAFE" reproduce
expect 2 "$CAFE" reproduce everything
says "unknown table 'everything'"
expect 1 env CAFE_DATA=data.in "$CAFE" reproduce classification --row 'Label propagation' -o c.md
says 'exists'
