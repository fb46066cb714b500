#!/usr/bin/env bash
# --layer, --layer-weight and --time as a user gives them: what is read, reported, found, refused.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

# two kinds of edges: one knows u mod 2, the other u / 2 mod 2
awk 'BEGIN { srand(1); print "from,to,kind,year"; for (i = 0; i < 2400; i++) { u = int(120 * rand()); w = int(120 * rand());
    k = i % 2; same = k ? int(u / 2) % 2 == int(w / 2) % 2 : u % 2 == w % 2
    if (u != w && (same || rand() < 0.1)) print u "," w "," (k ? "mail" : "call") "," 2020 + i % 3 } }' >g.in.csv
expect 0 "$CAFE" embed g.in.csv --layer kind -k 8 -o v.in.npy --json v.in.json
says 'layers    call: [0-9,]+ edges, weight 1'
says '          mail: [0-9,]+ edges, weight 1'
says 'layer column 2 .kind.'
json_check v.in.json
[[ $(json_value v.in.json name) == '"call"' ]] || fail report
expect 0 "$CAFE" cluster g.in.csv --layer kind --method softmax -k 4 -o p.in.tsv
[[ $(wc -l <p.in.tsv) -eq 121 ]] || fail 'a line for each node'

# the same from a file a layer, in any weights; a column has its weights by name
for k in call mail; do awk -F , -v k=$k 'NR > 1 && $3 == k { print $1, $2 }' g.in.csv >$k.in.txt; done
expect 0 "$CAFE" embed call.in.txt mail.in.txt --layer-weight 1,0.5 -k 8 -o a.in.npy
says '          mail.in.txt: [0-9,]+ edges, weight 0.5'
expect 0 "$CAFE" embed g.in.csv --layer kind --layer-weight mail=0.5 -k 8 -o b.in.npy -f
expect 0 "$CAFE" embed g.in.csv --layer kind --layer-weight mail=0.5 -k 8 -o c.in.npy -t 3
same b.in.npy c.in.npy

# slices: a copy of each node in each year
expect 1 "$CAFE" embed g.in.csv --time year --layer-weight x=1 -o no.npy
expect 0 "$CAFE" cluster g.in.csv --time year --method softmax -k 4 -o s.in.tsv
says 'slices    2020: [0-9,]+ edges'
[[ $(grep -c '@2021' s.in.tsv) -eq 120 ]] || fail "copies"
expect 0 "$CAFE" embed g.in.csv --time year --slices 2 --tune coupling=0.5 -k 4 -o t.in.npy
says '          2: [0-9,]+ edges'

# what does not go together
expect 1 "$CAFE" embed g.in.csv --layer kind --time year -o no.npy
says 'give --layer or --time, not both'
expect 1 "$CAFE" embed g.in.csv --slices 3 -o no.npy
says 'slices'
expect 1 "$CAFE" embed call.in.txt --layer-weight 1 -o no.npy
says 'needs several files'
expect 1 "$CAFE" embed call.in.txt mail.in.txt --layer-weight 1 -o no.npy
says 'expected 2 numbers above 0, one for each file'
expect 1 "$CAFE" embed g.in.csv --layer kind --method netmf -o no.npy
says 'takes no layers or slices; sphere, cafe, layers, softmax and spectral do'
expect 2 "$CAFE" info g.in.csv --layer kind
says "go with embed, cluster and explain"
expect 3 "$CAFE" embed g.in.csv --layer colour -o no.npy
only

# explain says which layer adds what to columns, nodes and communities; the parts add up
awk 'NR > 1 { print $1 "\t" $1 % 2 }' s.in.tsv | sort -u >half.in.tsv
expect 0 "$CAFE" embed g.in.csv --layer kind -k 4 -q -o e.in.npy
expect 0 "$CAFE" cluster g.in.csv --layer kind --method softmax -k 2 -q -o half.in.tsv -f
awk 'NR > 1 { print $1 "," ($2 == 0) "," $1 % 3 }' half.in.tsv >rows.in
(echo node,side,third; cat rows.in) >f.in.csv
node=$(sed -n 2p half.in.tsv | cut -f1)
for with in "" "--features f.in.csv --feature-weight 0.25"; do
    # shellcheck disable=SC2086
    expect 0 "$CAFE" explain g.in.csv e.in.npy --layer kind --communities half.in.tsv --node "$node" -v $with --json x.in.json -f
    prints 'layer       [a-z]+: weight [0-9.]+, adds [-0-9.e]+'
    prints '    layers      [a-z]+ [-0-9.]+ %, [a-z]+ [-0-9.]+ %'
    json_check x.in.json
    python3 - <<'END' || fail "parts do not add up"
import json
r = json.load(open("x.in.json"))
def same(parts, whole): assert abs(sum(parts.values()) - whole) < 1e-5 * max(1, abs(whole)), (parts, whole)
same({l["name"]: l["contribution"] for l in r["layers"]}, r["embedding"]["modularity"])
same({l["name"]: l["part_modularity"] for l in r["layers"]}, r["partition"]["modularity"])
for d in r["dimensions"]: same(d["layers"], d["contribution"])
for c in r["communities"]: same(c["layers"], c["strength"])
for n in r["nodes"]: same(n["layers"], n["total"])
assert r["dimensions"] and r["communities"] and r["nodes"]
END
done
prints 'layer       features: weight 0.25'
prints '    features    side r = '
expect 2 "$CAFE" explain g.in.csv e.in.npy --feature-weight 0.5
says 'feature-weight goes with --features'

# a sum of one kind is the graph: the same numbers
grep -E '^from|,mail,' g.in.csv >one.in.csv
expect 0 "$CAFE" embed one.in.csv -k 8 -q -o one.in.tsv
expect 0 "$CAFE" embed one.in.csv --layer kind -k 8 -q -o sum.in.tsv
same one.in.tsv sum.in.tsv
