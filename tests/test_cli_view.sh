#!/usr/bin/env bash
# cafe plot as a user runs it: the page is whole, sealed, the same for any threads, within its budget.
# What it does in a browser: test_browser.sh.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
karate=$SOURCE/examples/karate.txt
labels=$SOURCE/examples/karate.labels.txt

expect 0 "$CAFE" embed "$karate" -q -o k.in.npy --json k.in.json --columns 8

# ---- the page
expect 0 "$CAFE" plot "$karate" k.in.npy -o k.html --labels "$labels" --report k.in.json --title 'A <b> & "c"'
silent
says 'page +k.html'
only k.html
grep -q '^<title>A &lt;b&gt; &amp; "c"</title>$' k.html || fail "title"
grep -q '"title":"A \\u003cb\\u003e \\u0026 \\u0022c\\u0022"' k.html || fail "title in the data"
[[ $(tail -n 1 k.html) == '</html>' ]] || fail "the page is not whole"
size=$(stat -c %s k.html)
[[ $size -lt 250000 ]] || fail "$size bytes for 34 nodes"

grep -q '"bound":0.41[0-9]*,"proved":true' k.html || fail "the page does not say that its communities are optimal"

# the policy: hashes of just this script and this style
policy=$(grep -o 'Content-Security-Policy" content="[^"]*' k.html)
[[ $policy == *"default-src 'none'"* && $policy != *unsafe* && $policy != *http* ]] || fail "$policy"
if command -v openssl >/dev/null; then
    for kind in style script; do
        open='<style>'
        [[ $kind == style ]] || open='<script type="module">'
        digest=$(awk -v RS='^$' -v open="$open" -v close_tag="</$kind>" '{
            rest = substr($0, index($0, open) + length(open))
            printf "%s", substr(rest, 1, index(rest, close_tag) - 1) }' k.html |
            openssl dgst -sha256 -binary | base64)
        [[ $policy == *"$kind-src 'sha256-$digest'"* ]] || fail "hash of the $kind"
    done
fi
# no address, no element that would fetch something
! grep -nE '<(link|img|iframe|object|embed)|src=|@import|url\(' k.html || fail "something is fetched"
! grep -n 'http' k.html | grep -v 'http-equiv' | grep -v 'www.w3.org/2000/svg' || fail "an address"
! grep -nE 'innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(' "$SOURCE"/viewer/*.js ||
    fail "text becomes markup"

# ---- the data is JSON
sed -n 's|.*<script type="application/json" id="meta">\(.*\)</script>$|\1|p' k.html >meta.json
json_check meta.json
for key in '"nodes":34' '"edges":78' '"names":"index"' '"classes":\["0","1"\]' '"pair":'; do
    grep -q "$key" meta.json || fail "the data lacks $key"
done
rm meta.json

# ---- the same bytes for any threads, and again
for threads in 1 2 3 8; do
    expect 0 "$CAFE" plot "$karate" k.in.npy -q -f -o again.html --labels "$labels" --report k.in.json \
        --title 'A <b> & "c"' --threads $threads
    quiet
    same k.html again.html
done
rm again.html

# ---- standard output; an existing file stays
expect 0 "$CAFE" plot "$karate" k.in.npy -q -o - --labels "$labels" --report k.in.json --title 'A <b> & "c"'
cmp -s k.html .last/out || fail "the page on standard output"
expect 1 "$CAFE" plot "$karate" k.in.npy -o k.html
says 'exists'
[[ $(stat -c %s k.html) -eq $size ]] || fail "the page there is another one"
rm k.html

# ---- communities given, a map, no report
"$CAFE" cluster "$karate" -q -o c.in.tsv
expect 0 "$CAFE" embed "$karate" -q -o map.in.npy --columns 2 --output-form raw
expect 0 "$CAFE" plot "$karate" k.in.npy -q -o k.html --communities c.in.tsv --map map.in.npy
grep -q '"pair":"map"' k.html || fail "the map is not used"
modularity=$(sed -n 's/.*"layers":\[{"communities":4,"modularity":\([0-9.]*\).*/\1/p' k.html)
[[ $modularity == 0.41978961* || $modularity == 0.4197896 ]] || fail "modularity $modularity of the communities"
grep -q '"ritz":\[[0-9]' k.html || fail "the vectors are not certified"
expect 0 "$CAFE" plot "$karate" k.in.npy -q -f -o k.html
grep -q '"pair":"map"' k.html || fail "no map is made"
expect 0 "$CAFE" plot "$karate" k.in.npy -q -f -o k.html --map none
grep -q '"pair":"columns"' k.html || fail "a map although none was wanted"
rm k.html

# ---- values do not depend on the report; the user's names and table are in the page
expect 0 "$CAFE" plot "$karate" k.in.npy -q -o k.html --report k.in.json
expect 0 "$CAFE" plot "$karate" k.in.npy -q -o k2.html
for key in ritz residuals groups; do
    [[ $(grep -o "\"$key\":[^]]*]" k.html) == "$(grep -o "\"$key\":[^]]*]" k2.html)" ]] || fail "$key depends on the report"
done
awk '{ print $1 "\tgroup " $2 }' "$labels" | grep -v '^[#%]' >named.in.tsv
printf 'node,age,"home, town"\n0,31,\n7,5,"K\303\266ln"\nnobody,1,2\n' >about.in.csv
expect 0 "$CAFE" plot "$karate" k.in.npy -f -o k.html --communities named.in.tsv --attributes about.in.csv
says 'about.in.csv: 1 line left out, of nodes that the graph does not have'
for part in '"table":\["age","home, town"\]' 'data-section="words-1"' 'data-section="community-names"'; do
    grep -q "$part" k.html || fail "the page lacks $part"
done
printf 'node,age\n1,30\n0,31,4\n' >bad.in.csv
expect 3 "$CAFE" plot "$karate" k.in.npy -f -o k.html --attributes bad.in.csv
says 'bad.in.csv:3:6: expected as many columns as the heading has, 2'
rm k.html k2.html

# ---- a budget is kept, and omissions are reported
expect 0 "$CAFE" generate planted --nodes 20000 --edges 60000 -q -o g.in.cafe --labels g.in.labels
expect 0 "$CAFE" embed g.in.cafe -q -o g.in.npy --columns 16 --sweeps 3
expect 0 "$CAFE" plot g.in.cafe g.in.npy -q --tune rounds=20 -o g.in.map.npy # once for all pages
map=(--map g.in.map.npy)
for budget in 290000 360000 600000; do
    expect 0 "$CAFE" plot g.in.cafe g.in.npy "${map[@]}" -f -o g.html --labels g.in.labels --tune page-limit=$budget
    says 'left out'
    size=$(stat -c %s g.html)
    [[ $size -le $budget ]] || fail "$size bytes instead of $budget"
done
expect 0 "$CAFE" plot g.in.cafe g.in.npy "${map[@]}" -f -o g.html --tune page-limit=0
! grep -q 'left out' .last/err || fail "without a budget all is there"
grep -q 'data-section="link-ends"' g.html || fail "no edges"
expect 0 "$CAFE" plot g.in.cafe g.in.npy "${map[@]}" -f -o g.html --tune links=none
says 'left out +60000 edges'
expect 4 "$CAFE" plot g.in.cafe g.in.npy "${map[@]}" -f -o g2.html --tune page-limit=100000
says 'do not fit'
only g.html
rm g.html

# ---- refusals
expect 2 "$CAFE" plot "$karate" k.in.npy
says 'no output: give'
expect 2 "$CAFE" plot "$karate" -o k.html
expect 3 "$CAFE" plot "$karate" g.in.npy -o k.html
says 'expected a row for each of 34 nodes'
expect 3 "$CAFE" plot "$karate" k.in.npy -o k.html --map k.in.npy
says 'expected 2 columns'
echo '{"a": [1, 2' >bad.in.json
expect 3 "$CAFE" plot "$karate" k.in.npy -o k.html --report bad.in.json
says 'expected a report'
expect 1 "$CAFE" plot "$karate" k.in.npy -o k.html --report none.in.json
only_inputs
