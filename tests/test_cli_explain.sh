#!/usr/bin/env bash
# cafe explain as a user runs it: cards, formats of embeddings, report, refusals.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
karate=$SOURCE/examples/karate.txt
expect 0 "$CAFE" embed "$karate" -q --columns 4 --tune degree-exponent=0 -o k.in.npy

# ---- text
expect 0 "$CAFE" explain "$karate" k.in.npy --node 33 -q
quiet
[[ $(wc -l <.last/out) -ge 8 && $(wc -l <.last/out) -le 11 ]] || fail "$(wc -l <.last/out) sentences on a node"
prints '^33 is in community [0-9]+ because [0-9]+ of its 17 neighbours are there\.$'
prints 'would move it there'
prints '^The nearest vectors are those of 32 \('
prints '^Neighbours that hold it most: '
prints '^In column [0-3] it is (higher|lower) than [0-9]+ % of the nodes: high is community '
! grep -q 'operator' .last/out || fail "figures that nobody asked for"
# the counts of neighbours are those of the files
"$CAFE" cluster "$karate" -q --no-heading -o part.in.tsv
expect 0 "$CAFE" explain "$karate" k.in.npy --node 33 -q --communities part.in.tsv
own=$(awk '$1 == 33 { print $2 }' part.in.tsv)
inside=$(awk -v own="$own" 'NR == FNR { part[$1] = $2; next } /^#/ { next } $1 == 33 { n += part[$2] == own } $2 == 33 { n += part[$1] == own } END { print n }' part.in.tsv "$karate")
prints "^33 is in community $own because $inside of its 17 neighbours are there"
expect 0 "$CAFE" explain "$karate" k.in.npy --node 0,33 -v
says '34 nodes'
prints 'modularity of the embedding'
prints '^dimension 3$'
prints '^spectrum of'
prints 'no partition has more'
prints '^node 33$'
prints 'margin \+'
prints '^community 0$'
expect 0 "$CAFE" explain "$karate" k.in.npy -q --dimensions 1,3-3
quiet
[[ $(grep -c '^dimension' .last/out) -eq 2 ]] || fail "two dimensions were asked for"
prints '2 of 4 dimensions'

# ---- the report: sums add up, whatever was printed
expect 0 "$CAFE" explain "$karate" k.in.npy -q --node 5 --json k.json
json_check k.json
for key in schema graph sampling sampled options embedding modularity ritz_values dimensions value \
    residual contribution share high low high_communities spectrum elbow held positive partition \
    bound gap communities strength conductance central nearest nodes position percentile total own \
    linked_pull linked_push other_pull other_push pulls pushes attachment margin centrality place \
    seconds; do
    grep -qE "^ *\"$key\": " k.json || fail "the report lacks $key"
done
sed -nE 's/^ *"share": ([^,]*),?$/\1/p' k.json | awk '{ s += $1 } END { exit (s - 1) ^ 2 > 1e-12 }' ||
    fail "shares do not sum to 1"
awk -F '[:,]' '/"(own|linked_pull|linked_push|other_pull|other_push)"/ { s += $2 } /"total"/ { t = $2 }
    END { exit (s - t) ^ 2 > 1e-14 }' k.json || fail "forces do not sum to the total"
expect 0 "$CAFE" explain "$karate" k.in.npy -q --json -
prints '"schema": "cafe/explain/1"'
! grep -q '^dimension' .last/out || fail "text and report mixed"
expect 1 "$CAFE" explain "$karate" k.in.npy -q --json k.json
says 'exists'

# ---- every format of an embedding says the same; rows find their nodes by name
without() { without_given "$1" | grep -vE '"(path|seconds|threads)":'; }
for format in tsv txt; do
    expect 0 "$CAFE" embed "$karate" -q --columns 4 --tune degree-exponent=0 --no-heading -o k.in.$format
    expect 0 "$CAFE" explain "$karate" k.in.$format -q --json k.$format.json
    expect 0 "$CAFE" explain "$karate" k.in.npy -q -f --json k.json
    diff <(without k.json) <(without k.$format.json) >/dev/null || fail "$format says otherwise"
done
tac k.in.tsv >turned.in.tsv
expect 0 "$CAFE" explain "$karate" turned.in.tsv -q -f --json turned.json
diff <(without k.json) <(without turned.json) >/dev/null || fail "the order of the rows matters"
expect 0 "$CAFE" explain "$karate" - -q <k.in.tsv
printf '%s\n' 'a "x ""y"' 'a c' '"x ""y" c' 'c d' 'd e' >names.in
for format in npy tsv; do
    expect 0 "$CAFE" embed names.in -q --columns 2 -o n.in.$format
    expect 0 "$CAFE" explain names.in n.in.$format -q -v --node 'x "y' --json n.$format.json
    json_check n.$format.json
    prints '^node x "y$'
done
{ sed 1d n.in.npy.names.txt; sed -n 1p n.in.npy.names.txt; } >n2.in.names
# (of an array that says nothing of its names, as any program writes it)
LC_ALL=C sed '1s/ # names [0-9a-f]\{16\}/                         /' n.in.npy >n2.in.npy
cp n2.in.names n2.in.npy.names.txt
expect 0 "$CAFE" explain names.in n2.in.npy -q --json n2.json
! diff <(without n.npy.json) <(without n2.json) >/dev/null || fail "names beside .npy are not read"

# ---- the operator is that of the vectors: values and residuals are those of the run's certificate
certified() {
    expect 0 "$CAFE" embed "$karate" -q -f -o m.in.npy --json m.in.json --columns-from top --columns 6 "$@"
    expect 0 "$CAFE" explain "$karate" m.in.npy -q -f --json m.json
    prints 'as these vectors were made with'
    for what in value residual; do
        sed -nE "s/^      \"${what}s\": \[(.*)\],?\$/\1/p" m.in.json | tr -d ' ' | tr ',' '\n' >run.in.txt
        sed -nE "s/^      \"$what\": ([^,]*),?\$/\1/p" m.json >explained.in.txt
        [[ $(wc -l <run.in.txt) -eq $(wc -l <explained.in.txt) && -s run.in.txt ]] || fail "columns of $*"
        paste run.in.txt explained.in.txt | awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > 5e-5) exit 1 }' ||
            fail "$what of $* is not that of the certificate: $(paste run.in.txt explained.in.txt)"
    done
}
certified
certified --tune degree-exponent=0
certified --tune degree-exponent=0.4 --output-form walk
certified --residual 1e-6
[[ $(json_value m.json degree_exponent) == 0.25 ]] || fail "the report says another degree exponent"
expect 0 "$CAFE" explain "$karate" m.in.npy --tune degree-exponent=0.1
prints 'degree exponent 0\.1 \(as asked for\)'
says 'made with degree exponent 0\.25, not 0\.1'
expect 0 "$CAFE" embed "$karate" -q -o m.in.tsv
expect 0 "$CAFE" explain "$karate" m.in.tsv
prints 'degree exponent 0 \(assumed: the file of vectors does not say it\)'
says 'm.in.tsv does not say what it was made with.*--tune degree-exponent'
expect 0 "$CAFE" embed "$karate" -q -f -o m.in.npy --sampling walk --window 3
expect 3 "$CAFE" explain "$karate" m.in.npy
says 'made with --sampling walk'
expect 0 "$CAFE" explain "$karate" m.in.npy --sampling walk --window 3
prints 'Q of sampling walk, degree exponent 0\.25'
expect 0 "$CAFE" embed names.in -q -f -o n.in.npy --columns 2 --tune degree-exponent=0.5
expect 0 "$CAFE" explain names.in n.in.npy -q
prints 'degree exponent 0\.5 '
for made in 'edge 7' 'edgy 0' 'edge -' 'edge  ' '0     '; do
    LC_ALL=C sed "1s/ # made edge 0/ # made $made/" k.in.npy >o.in.npy
    expect 0 "$CAFE" explain "$karate" o.in.npy -q
    prints 'assumed: the file of vectors does not say it'
done
rm m.json

# ---- communities, labels, attributes
expect 0 "$CAFE" cluster "$karate" -q --no-heading -o parts.in.tsv
expect 0 "$CAFE" explain "$karate" k.in.npy -q --communities parts.in.tsv
prints 'modularity 0\.4197'
awk '{ print $1, $2 % 2 ? "odd" : "even" }' parts.in.tsv >labels.in
awk '{ print $1 * 0.5 "\t" $2 }' parts.in.tsv >features.in.tsv
expect 0 "$CAFE" explain "$karate" k.in.npy -q --labels labels.in --features features.in.tsv
prints 'label +(odd|even) r = '
prints 'attribute +'
awk 'BEGIN { print "node\tid\tzero\tpart" } { print $1 "\t" $1 * 0.5 "\t" ($2 == 0) "\t" $2 }' parts.in.tsv >named.in.tsv
expect 0 "$CAFE" explain "$karate" k.in.npy -q --communities parts.in.tsv --features named.in.tsv --json named.in.json
prints '^    features +zero r = \+1\.000, '
json_check named.in.json

# ---- any sampling
for sampling in walk pagerank; do
    expect 0 "$CAFE" embed "$karate" -q --columns 3 --sampling $sampling -o s.in.npy -f
    expect 0 "$CAFE" explain "$karate" s.in.npy -q --sampling $sampling --node 1
done

# ---- the same bits for any number of threads; a graph that is large enough to estimate
expect 0 "$CAFE" generate sbm --nodes 700 --edges 7000 --blocks 5 --mixing 0.1 -q -o sbm.in.txt
expect 0 "$CAFE" embed sbm.in.txt -q --columns 6 -o sbm.in.npy
for threads in 1 2 3 8; do
    expect 0 "$CAFE" explain sbm.in.txt sbm.in.npy -q -t $threads --node 7 --json t$threads.json
    diff <(without t1.json) <(without t$threads.json) >/dev/null || fail "$threads threads differ"
done
[[ $(json_value t1.json elbow) == 4 ]] || fail "five blocks: the elbow is after four values"

# ---- refusals
expect 2 "$CAFE" explain "$karate"
expect 2 "$CAFE" explain "$karate" k.in.npy --top 0
expect 2 "$CAFE" explain - - </dev/null
expect 2 "$CAFE" explain "$karate" k.json
says 'ending'
expect 2 "$CAFE" explain "$karate" k.in.npy --dimensions 4
says 'from 0 to 3'
expect 2 "$CAFE" explain "$karate" k.in.npy --dimensions 2-x
expect 2 "$CAFE" explain "$karate" k.in.npy --window 3
expect 1 "$CAFE" explain "$karate" k.in.npy --node 0,333
says "no node '333'; did you mean '33'"
expect 1 "$CAFE" explain "$karate" nowhere.npy
expect 1 "$CAFE" explain "$karate" nowhere.tsv
expect 3 "$CAFE" explain sbm.in.txt k.in.npy
says 'expected a row for each of 700 nodes, found 34'
printf '%s\n' '0 a' '1 a' '33 b' >few.in.tsv # nodes that are left out are counted
expect 0 "$CAFE" explain "$karate" k.in.npy --communities few.in.tsv
says 'few.in.tsv: 2 classes, 3 of 34 nodes labelled'
sed 5d k.in.tsv >short.in.tsv
expect 3 "$CAFE" explain "$karate" short.in.tsv
says 'expected a row for each of 34 nodes, found 33'
sed '5s/^4/3/' k.in.tsv >twice.in.tsv
expect 3 "$CAFE" explain "$karate" twice.in.tsv
says "twice.in.tsv:5: expected each node once, found '3' again"
sed '3s/\t[^\t]*$//' k.in.tsv >ragged.in.tsv
expect 3 "$CAFE" explain "$karate" ragged.in.tsv
says 'ragged.in.tsv:3:[0-9]+: expected another number'
sed '3s/\t[^\t]*$/\tnan/' k.in.tsv >nan.in.tsv
expect 3 "$CAFE" explain "$karate" nan.in.tsv
sed '1s/.*/34 x/' k.in.txt >head.in.txt
expect 3 "$CAFE" explain "$karate" head.in.txt
says 'head.in.txt:1:1: expected the numbers'
: >empty.in.tsv
expect 3 "$CAFE" explain "$karate" empty.in.tsv
head -c 60 k.in.npy >broken.in.npy
expect 3 "$CAFE" explain "$karate" broken.in.npy
printf '0 a\nnobody b\n' >bad.in
expect 3 "$CAFE" explain "$karate" k.in.npy --labels bad.in
says "bad.in:2:1: expected nodes of the graph, found 1 of 2 that it does not have: 'nobody'"
expect 0 "$CAFE" explain "$karate" k.in.npy --labels bad.in --unknown-nodes skip
says 'bad.in: 1 line left out, of nodes that the graph does not have'
expect 3 "$CAFE" explain "$karate" k.in.npy --communities bad.in
printf '1\t2\n' >few.in.tsv
expect 3 "$CAFE" explain "$karate" k.in.npy --features few.in.tsv
awk 'BEGIN { for (u = 0; u < 34; u++) print "n" (u == 7 ? 6 : u) "\t" u }' >again.in.tsv
sed 's/[0-9][0-9]*/n&/g' "$karate" | sed '/^#/d' >named.in.txt
expect 0 "$CAFE" embed named.in.txt -q -k 2 -o named.in.npy
expect 3 "$CAFE" explain named.in.txt named.in.npy --features again.in.tsv
says "again.in.tsv: row 7: expected each node once, found 'n6' again"
