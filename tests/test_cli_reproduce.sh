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
says 'nothing could be run'

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

# ---- refusals
expect 2 env -u CAFE_DATA "$CAFE" reproduce eigenvectors
says 'no folder of data sets: give --data DIR'
expect 2 "$CAFE" reproduce
expect 2 "$CAFE" reproduce everything
says "unknown table 'everything'"
expect 1 env CAFE_DATA=data.in "$CAFE" reproduce classification --row 'Label propagation' -o c.md
says 'exists'
