#!/usr/bin/env bash
# cafe report as a user runs it: text, page, labels, attributes, threads, refusals.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
karate=$SOURCE/examples/karate.txt labels=$SOURCE/examples/karate.labels.txt

# ---- text: every section, and figures that other commands give
expect 0 "$CAFE" report "$karate" -q -o -
quiet
for title in 'What was read' 'Are there communities' Communities Vectors 'Central nodes' 'Nodes between communities' \
    'Odd nodes' 'What to do next'; do
    prints "^## $title"
done
prints '^34 nodes, 78 edges: 4 communities, more than chance would give\.$'
prints 'reach a modularity of 0\.4198 '
prints 'p = 0\.05\.'
prints '^The partition has modularity 0\.4198\. It is proved'
first=$("$CAFE" rank "$karate" --by pagerank --top 1 -q --no-heading | cut -f 1)
awk '/^## Central/ { getline; getline; getline; getline; getline; getline; print $2; exit }' .last/out >first.in
[[ $(<first.in) == "$first" ]] || fail "the most central node is $first, not $(<first.in)"
expect 0 "$CAFE" cluster "$karate" -q -o part.in.tsv
expect 0 "$CAFE" report "$karate" -q -o text.md
[[ $(awk -F '\t' '$2 == 0' part.in.tsv | wc -l) -eq $(awk -F '|' '/^## Communities/ { on = 1 } on && $2 ~ /^ 0 $/ { print $3 + 0; exit }' text.md) ]] ||
    fail "community 0 has another size than in cafe cluster"

# ---- the same bytes for any number of threads
for threads in 1 3 8; do
    expect 0 "$CAFE" report "$karate" -q -o again.md -t $threads -f
    same text.md again.md
done

# ---- a page with the text as its first tab; labels and attributes describe communities
printf 'node,field,age\n' >about.in.csv
awk '!/^#/ { print $1 "," ($2 ? "physics" : "biology") "," 20 + $1 }' "$labels" >>about.in.csv
expect 0 "$CAFE" report "$karate" -o page.html --labels "$labels" --attributes about.in.csv --title 'A <b>'
says 'page      page.html: '
sed -n 's|.*<script type="application/json" id="meta">\(.*\)</script>$|\1|p' page.html >meta.json
json_check meta.json
grep -q '"summary":\[\["p","34 nodes, 78 edges: 4 communities' meta.json || fail "the page has no report"
grep -qE 'label: |field: ' meta.json || fail "no community has words"
expect 0 "$CAFE" report "$karate" -q -o - --labels "$labels"
prints '^\| 8 \| 0 \| 2 of 5 \| 1 \| 3 of 5 \|$' # node 8 is of Mr. Hi's side and has more friends on the other
rm meta.json page.html again.md text.md

# ---- what was dropped; names with marks of Markdown and HTML stay text
printf '%s\n' 'a|b c_d' 'c_d a|b' 'a|b a|b' 'c_d <i>' '<i> a|b' 'e f' 'f g' 'g e' >odd.in.txt
expect 0 "$CAFE" report odd.in.txt -q -o -
prints '^\| self-loops \| 1 \| dropped \|$'
prints '^\| edges listed in both directions \| 1 \| merged into one \|$'
prints 'a\\\|b'
! grep -qE '[^\\]<i' .last/out || fail "a name is markup"

# ---- refusals
expect 2 "$CAFE" report "$karate"
says 'no output: give'
expect 2 "$CAFE" report "$karate" -o x.npy
printf '0 0\n' >loop.in.txt
expect 1 "$CAFE" report loop.in.txt -o x.md
says 'a graph with edges'
printf 'kept\n' >kept.in.md
expect 1 "$CAFE" report "$karate" -q -o kept.in.md
[[ $(<kept.in.md) == kept ]] || fail "an existing file was overwritten"
only_inputs
