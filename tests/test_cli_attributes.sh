#!/usr/bin/env bash
# Attributes of the nodes in the graph's own file: shown, as labels, for the twisted sampling, as colours, in pages,
# written again.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
karate=$SOURCE/examples/karate.txt
grep -v '^#' "$SOURCE/examples/karate.labels.txt" | awk '{ print $1, $2 ? "officers" : "Hi" }' >plain.in
{ echo node,age,part; awk '{ print $1 "," $1 / 2 "," $1 % 3 }' plain.in; } >ages.csv
{ echo node,age; awk '{ print $1 "," $1 / 2 }' plain.in; } >age.csv
expect 0 "$CAFE" convert "$karate" a.graphml --communities plain.in --attributes ages.csv -q

# ---- shown, and the same from every format
for format in graphml gml gexf json; do
    expect 0 "$CAFE" convert a.graphml b.$format -q -f
    expect 0 "$CAFE" info b.$format
    prints '^attributes   age: 0 to 16.5; part: 0 to 2; community: 2 texts$|^attributes   community: 2 texts; age: 0 to 16.5; part: 0 to 2$'
done
expect 0 "$CAFE" info "$karate"
! grep -q '^attributes' .last/out || fail "karate.txt has attributes"

# ---- labels: those of a file, without the file
expect 0 "$CAFE" embed "$karate" -k 4 -o v.npy --method cafe --labels plain.in --predicted file.tsv -q
expect 0 "$CAFE" embed b.json -k 4 -o w.npy --method cafe --label community --predicted own.tsv
says "labels    community: 2 classes, 34 of 34 nodes labelled; attribute 'community' of the graph"
same v.npy w.npy
same file.tsv own.tsv
expect 0 "$CAFE" evaluate classify b.gml --label community -k 2 --repeats 2 --train 0.5
expect 0 "$CAFE" evaluate cluster b.gexf --communities plain.in --labels community
prints 'NMI 1.000000'
expect 3 "$CAFE" embed a.graphml -k 4 -o x.npy --method cafe --label town
says 'town: expected a file or an attribute of the nodes .community, age, part., found neither'
expect 3 "$CAFE" embed "$karate" -k 4 -o x.npy --method cafe --label town
says 'label town: expected a graph whose nodes have attributes, found none'
expect 2 "$CAFE" embed a.graphml -k 4 -o x.npy --method cafe --id town
cp plain.in community
expect 3 "$CAFE" embed a.graphml -k 4 -o x.npy --method cafe --labels community
says 'found both by the name community .\./ before the name is the file.'
expect 0 "$CAFE" embed a.graphml -k 4 -o x.npy --method cafe --labels ./community -q
same v.npy x.npy
rm community

# ---- the twisted sampling: numbers and classes
twist=(-k 4 -f --sampling twisted --lambda 2)
expect 0 "$CAFE" embed "$karate" "${twist[@]}" -o v.npy --attributes age.csv --measure dot -q
expect 0 "$CAFE" embed a.graphml "${twist[@]}" -o w.npy --attributes age --measure dot -q
same v.npy w.npy
expect 0 "$CAFE" embed "$karate" "${twist[@]}" -o v.npy --measure category --attributes plain.in -q
expect 0 "$CAFE" embed a.graphml "${twist[@]}" -o w.npy --measure category --attributes community -q
same v.npy w.npy
expect 3 "$CAFE" embed a.graphml "${twist[@]}" -o w.npy --attributes community --measure dot
says "attribute 'community': expected numbers, found texts .--measure category compares texts."

# ---- pictures and pages
expect 0 "$CAFE" plot "$karate" v.npy --labels plain.in -o file.svg -q
expect 0 "$CAFE" plot a.graphml v.npy --label community -o own.svg -q
same file.svg own.svg
expect 0 "$CAFE" plot a.graphml v.npy --label age -o age.svg -q
grep -q '>age<' age.svg || fail "no legend of the scale"
expect 0 "$CAFE" plot a.graphml v.npy --label part -o part.svg -q
expect 0 "$CAFE" plot "$karate" v.npy -o plain.html -q
expect 0 "$CAFE" plot a.graphml v.npy -o own.html -q
(($(stat -c %s own.html) > $(stat -c %s plain.html))) || fail "the page has no attributes"

# ---- the largest component keeps those of its nodes
printf '{"nodes":[{"id":"a","k":1},{"id":"b"},{"id":"c","k":3}],"links":[{"source":"b","target":"c"}]}' >parts.json
expect 0 "$CAFE" convert parts.json part.json --largest-component -q
grep -q '{"id": "c", "k": 3}' part.json || fail "the attribute is lost: $(cat part.json)"
