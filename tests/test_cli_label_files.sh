#!/usr/bin/env bash
# Files of labels: one set of rules for every command. Headings, quotes, several labels, nodes that the graph
# does not have; vectors and labels matched by name; predicted labels that come back as labels.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
karate=$SOURCE/examples/karate.txt
grep -v '^#' "$SOURCE/examples/karate.labels.txt" | awk '{ print $1, $2 ? "officers" : "Hi" }' >plain.in

# ---- the same labels, however they are written
{ echo node,label; tr ' ' ',' <plain.in; } >comma.in
{ printf 'id\tsize\tclass\n'; awk '{ print $1 "\t7\t" $2 }' plain.in; } >columns.in
{ echo '"Node";"Label"'; sed 's/ /;/; s/[^;]*$/"&"/' plain.in; } >quoted.in
{ echo 'member faction'; cat plain.in; } >words.in
expect 0 "$CAFE" embed "$karate" -q -k 4 -o v.npy
expect 0 "$CAFE" explain "$karate" v.npy --labels plain.in --json plain.json
for file in comma columns quoted words; do
    expect 0 "$CAFE" explain "$karate" v.npy --labels $file.in --json $file.json
    same <(grep -vE 'seconds|"labels":|"file":|"reading":' plain.json) <(grep -vE 'seconds|"labels":|"file":|"reading":' $file.json)
    expect 0 "$CAFE" evaluate cluster "$karate" --communities plain.in --labels $file.in
    prints 'NMI 1.000000'
    expect 0 "$CAFE" embed "$karate" --method cafe --labels $file.in -o h.npy -f
    says "labels    $file.in: 2 classes, 34 of 34 nodes labelled; node column 0 '[A-Za-z]*', label column [12] '[A-Za-z]*'.*; a heading"
done
expect 0 "$CAFE" explain "$karate" v.npy --labels columns.in
says "columns.in: 2 classes, 34 of 34 nodes labelled; node column 0 'id', label column 2 'class', ignored column 1 'size'; a heading; tabs"
expect 0 "$CAFE" embed "$karate" --method cafe --labels columns.in -o h.npy -q --json h.json -f
grep -q "\"labels_reading\": \"node column 0 'id', .*ignored column 1 'size'; a heading" h.json || fail "no labels_reading"
expect 0 "$CAFE" evaluate classify "$karate" --embedding v.npy --labels columns.in --repeats 1 --json h.json -f
grep -q "\"labels_reading\": \".*label column 2 'class'" h.json || fail "no labels_reading"
printf '0,"a, b"\n33,c\n' >inside.in
expect 0 "$CAFE" predict "$karate" --labels inside.in -o p.tsv -q
grep -qP '\t"a, b"\t0' p.tsv || fail "a label with a comma: $(head -3 p.tsv)"
expect 0 "$CAFE" evaluate cluster "$karate" --communities p.tsv --labels plain.in
printf '0 New York\n33 c\n' >blank.in
expect 3 "$CAFE" embed "$karate" --method cafe --labels blank.in -o bad.npy
says 'blank.in:1:7: expected the end of the line .commas separate labels; one with a blank stands in quotes.'

# ---- options of tables: they decide where the file alone does not
printf 'ann;bob\nbob;carl\ncarl;ann\n' >people.in.csv
expect 0 "$CAFE" convert people.in.csv people.in.cafe
printf 'ann:x\nbob:y\ncarl:x\n' >colon.in
expect 3 "$CAFE" embed people.in.cafe --method label-propagation --labels colon.in -o p.npy -f
for graph in "people.in.cafe" "people.in.csv"; do # commas do not fit the edges, and are refused there alone
    code=$([[ $graph == *.cafe ]] && echo 0 || echo 3)
    expect "$code" "$CAFE" embed $graph --method label-propagation --labels colon.in --delimiter : -o p.npy -f
done
printf 'ann,x\nbob,y\n' >comma.in # the option of the edges does not fit this file
expect 0 "$CAFE" embed people.in.csv --method label-propagation --labels comma.in --delimiter ';' --decimal , -o p.npy -f
says '3 nodes labelled; node column 0; no heading; commas'
printf 'nobody;what\nann;x\nbob;y\n' >heading.in
expect 3 "$CAFE" embed people.in.cafe --method label-propagation --labels heading.in -o p.npy -f
expect 0 "$CAFE" embed people.in.cafe --method label-propagation --labels heading.in --header yes -o p.npy -f
says "label column 1 'what'; a heading; semicolons"
expect 3 "$CAFE" embed people.in.cafe --method label-propagation --labels heading.in --header no -o p.npy -f
says "does not have: 'nobody'"
expect 1 "$CAFE" info people.in.cafe --delimiter : # nothing else is read
says 'goes with edge lists'

# ---- nodes that the graph does not have: refused with their number and three of them
{ head -20 plain.in; printf '77 Hi\n78 Hi\n79 Hi\n80 officers\n'; } >some.in
refused="some.in:21:1: expected nodes of the graph, found 4 of 24 that it does not have: '77', '78', '79', ..."
each() { # the commands that take labels, with further options
    "$@" embed "$karate" --method cafe --labels some.in -o o.npy -f
    "$@" embed "$karate" --method label-propagation --labels some.in -o o.npy -f
    "$@" cluster "$karate" --method softmax --labels some.in -o o.tsv -f
    "$@" evaluate classify "$karate" --labels some.in -k 2 --repeats 2 --train 0.5
    "$@" evaluate classify "$karate" --labels some.in --embedding v.npy --repeats 2 --train 0.5
    "$@" evaluate cluster "$karate" --labels some.in
    "$@" explain "$karate" v.npy --labels some.in
    "$@" plot "$karate" v.npy --labels some.in -o o.html -f
    "$@" plot "$karate" v.npy --labels some.in -o o.svg -f
}
refuses() {
    expect 3 "$CAFE" "$@"
    says "$refused"
    says 'unknown-nodes skip leaves them out, add makes them'
}
skips() {
    expect 0 "$CAFE" "$@" --unknown-nodes skip
    says 'some.in: 4 lines left out, of nodes that the graph does not have'
}
each refuses
each skips
expect 0 "$CAFE" embed "$karate" --method cafe --labels some.in --unknown-nodes add -o a.tsv
says '4 nodes of some.in without an edge: isolated'
[[ $(wc -l <a.tsv) -eq 39 ]] || fail "nodes were not added"
expect 0 "$CAFE" cluster "$karate" --method softmax --labels some.in --unknown-nodes add -o a2.tsv
[[ $(wc -l <a2.tsv) -eq 39 ]] || fail "nodes were not added"

# ---- a list of all nodes, more of them than have edges: nothing has to be said
{ echo 'node label'; cat plain.in; printf '40 Hi\n41 officers\n'; } >all.in
printf '0 0\n33 1\nann 1\n' >word.in
expect 3 "$CAFE" embed "$karate" --method cafe --labels word.in --unknown-nodes add -o word.npy
says "'ann' \(the graph's names are integers, so it cannot be added; --unknown-nodes skip leaves it out\)"
expect 3 "$CAFE" embed "$karate" --method cafe --labels all.in --unknown-nodes refuse -o h.npy -f
says "found 2 of 36 that it does not have: '40', '41'"
for ending in npy tsv; do
    # vectors of the nodes with edges, and of all nodes
    expect 0 "$CAFE" embed "$karate" -q -k 4 -o "v.$ending" -f
    expect 0 "$CAFE" embed "$karate" --method cafe --labels all.in -o "h.$ending" -f
    says '2 nodes of all.in without an edge: isolated'
    for vectors in v h; do
        expect 0 "$CAFE" evaluate classify "$karate" --embedding $vectors.$ending --labels all.in --repeats 2 \
            --train 0.5 --json e.json -f
        nodes=$([[ $vectors == v ]] && echo 34 || echo 36)
        [[ $(json_value e.json labelled) == "$nodes" ]] || fail "$vectors.$ending: $(json_value e.json labelled)"
        expect 0 "$CAFE" explain "$karate" $vectors.$ending --labels all.in
        expect 0 "$CAFE" plot "$karate" $vectors.$ending --labels all.in -o o.html -f
        expect 0 "$CAFE" plot "$karate" $vectors.$ending --labels all.in -o o.svg -f
    done
done
# vectors of another graph are none of this one, with labels and without
expect 0 "$CAFE" generate sbm --nodes 40 --edges 200 --blocks 2 -q -o other.txt
expect 0 "$CAFE" embed other.txt -q -k 4 -o other.tsv
expect 3 "$CAFE" explain "$karate" other.tsv
says 'expected a row for each of 34 nodes, found 40'
expect 3 "$CAFE" explain "$karate" other.tsv --labels all.in
says 'expected a row for each of 36 nodes, found 40'

# ---- a partition of Pajek, for a graph of Pajek
printf '*Vertices 4\n1 "a b"\n2 "c"\n3 "d"\n4 "e"\n*Edges\n4 3\n1 2\n2 3\n' >four.in.net
printf '*Vertices 4\r\n2\r\n1\r\n1\r\n2\r\n' >four.in.clu
expect 0 "$CAFE" embed four.in.net --method label-propagation --labels four.in.clu -o four.npy -v
says 'labels    four.in.clu: 2 classes, 4 of 4 nodes labelled; a class per vertex'
printf '"a b" x\nc y\nd y\ne x\n' >four.in
expect 0 "$CAFE" evaluate cluster four.in.net --communities four.in.clu --labels four.in
awk '/^NMI/ { exit !($2 + 0 > 0.999) }' .last/out || fail "$(tail -1 .last/out)"
head -4 four.in.clu >three.in.clu
expect 3 "$CAFE" cluster four.in.net --start three.in.clu -o three.tsv
says 'expected a class for each of 4 vertices, found 3'
echo 1 >>four.in.clu
expect 3 "$CAFE" cluster four.in.net --start four.in.clu -o three.tsv
says 'expected a class for each of 4 vertices, found more than 4'

# ---- a pipe is read once
expect 0 "$CAFE" evaluate classify "$karate" --labels <(cat plain.in) --train 0.5 --repeats 1
expect 0 "$CAFE" evaluate classify "$karate" --labels - --train 0.5 --repeats 1 < <(cat plain.in)
expect 3 "$CAFE" evaluate classify "$karate" --labels <(cat plain.in; echo '99 a') --train 0.5 --repeats 1
says '99'

# ---- predicted labels
printf '0 "Mr. Hi"\n33 officers\n' >two.in
expect 0 "$CAFE" predict "$karate" --labels two.in -o p.tsv -f
grep -qP '\t"Mr. Hi"\t' p.tsv || fail "$(sed -n 2p p.tsv)"
expect 0 "$CAFE" evaluate cluster "$karate" --communities p.tsv --labels plain.in
awk '/^NMI/ { exit !($2 + 0 > 0.5) }' .last/out || fail "$(tail -1 .last/out)"
