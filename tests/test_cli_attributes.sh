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
for format in graphml gml gexf json cafe; do
    expect 0 "$CAFE" convert a.graphml b.$format -q -f
    expect 0 "$CAFE" info b.$format
    prints '^attributes   age: 0 to 16.5; part: 0 to 2; community: 2 texts$|^attributes   community: 2 texts; age: 0 to 16.5; part: 0 to 2$'
done
expect 0 "$CAFE" info "$karate"
! grep -q '^attributes' .last/out || fail "karate.txt has attributes"

# ---- through .cafe and back
expect 0 "$CAFE" convert a.graphml a.cafe -q
expect 0 "$CAFE" convert a.cafe back.graphml -q
same a.graphml back.graphml
expect 0 "$CAFE" convert "$karate" given.cafe --communities plain.in --attributes ages.csv -q
expect 0 "$CAFE" convert given.cafe back.graphml -q -f
same a.graphml back.graphml

# ---- labels: those of a file, without the file
expect 0 "$CAFE" embed "$karate" -k 4 -o v.npy --method cafe --labels plain.in -q
expect 0 "$CAFE" embed b.json -k 4 -o w.npy --method cafe --label community
says "labels    community: 2 classes, 34 of 34 nodes labelled; attribute 'community' of the graph"
same v.npy w.npy
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

# ---- a table of nodes beside an edge list: its columns are attributes, and nodes without edges come with it
{ echo 'age;id;part;community'; awk -F, 'NR > 1 { print $2 ";" $1 ";" $3 }' ages.csv | paste -d';' - <(cut -d' ' -f2 plain.in); } >nodes.csv
expect 0 "$CAFE" info "$karate" --nodes-from nodes.csv
prints '^attributes   age: 0 to 16.5; part: 0 to 2; community: 2 texts$'
prints "nodes of nodes.csv: node column 1 'id', attribute column 0 'age', .*; a heading; semicolons$"
expect 0 "$CAFE" embed "$karate" --nodes-from nodes.csv -k 4 -o w.npy --method cafe --label community -q -f
expect 0 "$CAFE" embed "$karate" -k 4 -o v.npy --method cafe --labels plain.in -q -f
same v.npy w.npy
sed 's/\./,/' nodes.csv >decimal.csv
for table in nodes.csv decimal.csv; do
    mark=$([[ $table == nodes.csv ]] && echo . || echo ,)
    expect 0 "$CAFE" convert "$karate" n.graphml --nodes-from $table --decimal "$mark" -q -f
    expect 0 "$CAFE" info n.graphml
    prints '^attributes   age: 0 to 16.5; part: 0 to 2; community: 2 texts$'
done
{ cat nodes.csv; echo '7;99;NA;Hi'; } >more.csv # a new node, without a part
expect 0 "$CAFE" info "$karate" --nodes-from more.csv
prints '^attributes   age: 0 to 16.5; part: 0 to 2, of 34 nodes; community: 2 texts$'
prints '^nodes        35$'
printf 'node,size\n0,3\n1,4\n' >size.csv # beside those of the graph's own file
expect 0 "$CAFE" info a.graphml --nodes-from size.csv
prints '^attributes   age: .*; part: .*; community: 2 texts; size: 3 to 4, of 2 nodes$|^attributes   community.*; size: 3 to 4, of 2 nodes$'

# ---- the twisted sampling: numbers and classes
twist=(-k 4 -f --sampling twisted --tune lambda=2)
expect 0 "$CAFE" embed "$karate" "${twist[@]}" -o v.npy --attributes age.csv --tune measure=dot -q
expect 0 "$CAFE" embed a.graphml "${twist[@]}" -o w.npy --attributes age --tune measure=dot -q
same v.npy w.npy
expect 0 "$CAFE" embed "$karate" "${twist[@]}" -o v.npy --tune measure=category --attributes plain.in -q
expect 0 "$CAFE" embed a.graphml "${twist[@]}" -o w.npy --tune measure=category --attributes community -q
same v.npy w.npy
expect 3 "$CAFE" embed a.graphml "${twist[@]}" -o w.npy --attributes community --tune measure=dot
says "attribute 'community': expected numbers, found texts .--tune measure=category compares texts."

# ---- pictures and pages
expect 0 "$CAFE" plot "$karate" v.npy --labels plain.in -o file.svg -q
expect 0 "$CAFE" plot a.graphml v.npy --label community -o own.svg -q
# the same colours; the legend has the attribute's name
fills() { grep -o '<circle[^>]*>' "$1" | grep -o 'fill="[^"]*"' >"$1.fills"; }
fills file.svg
fills own.svg
[[ -s own.svg.fills ]] || fail "own.svg has no nodes"
same file.svg.fills own.svg.fills
grep -q '>community</text>' own.svg || fail "the legend has no title"
! grep -q '>community</text>' file.svg || fail "a file without a heading has a title"
expect 0 "$CAFE" plot a.graphml v.npy --label age -o age.svg -q
grep -q '>age<' age.svg || fail "no legend of the scale"
# areas by an attribute: node 33 has the largest disc, that of a fourth of its age half of its radius
expect 0 "$CAFE" plot "$karate" v.npy --nodes-from nodes.csv --tune size=age -o size.svg -q
radii=$(grep -o '<circle [^>]* r="[0-9.]*"' size.svg | sed 's/.* r="//; s/"//' | sort -n)
awk 'NR == 1 { least = $1 } { most = $1 } END { exit !(most > 6 * least && most < 6.7 * least) }' <<<"$radii" ||
    fail "radii: $radii" # sqrt(4 / .1) = 6.32
expect 0 "$CAFE" plot "$karate" v.npy --nodes-from nodes.csv --tune size=age -o size.png -q
expect 1 "$CAFE" plot a.graphml v.npy --tune size=community -o x.svg
says 'size.community: expected an attribute of the nodes with numbers, found texts'
expect 1 "$CAFE" plot "$karate" v.npy --tune size=age -o x.svg
says 'found none of that name'
expect 2 "$CAFE" plot a.graphml v.npy --tune size=age -o x.html
expect 0 "$CAFE" plot a.graphml v.npy --label part -o part.svg -q
expect 0 "$CAFE" plot "$karate" v.npy -o plain.html -q
expect 0 "$CAFE" plot a.graphml v.npy -o own.html -q
(($(stat -c %s own.html) > $(stat -c %s plain.html))) || fail "the page has no attributes"

# ---- the largest component keeps those of its nodes
printf '{"nodes":[{"id":"a","k":1},{"id":"b"},{"id":"c","k":3}],"links":[{"source":"b","target":"c"}]}' >parts.json
expect 0 "$CAFE" convert parts.json part.json --largest-component -q
grep -q '{"id": "c", "k": 3}' part.json || fail "the attribute is lost: $(cat part.json)"
