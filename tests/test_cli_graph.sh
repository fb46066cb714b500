#!/usr/bin/env bash
# info, convert and generate.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
karate=$SOURCE/examples/karate.txt

# ---- info: the table on standard output, or JSON there, or in a file
expect 0 "$CAFE" info "$karate"
quiet
for line in '^nodes +34$' '^edges +78$' '^components +1$' '^degrees +1 to 17, mean 4.59' \
    '^names +indices: 0 .. 33$' '^changed +nothing$'; do prints "$line"; done
expect 0 "$CAFE" info - <"$karate"
prints '^edges +78$'
expect 0 "$CAFE" info "$karate" --json -
cp .last/out i.json
json_check i.json
grep -q '"schema": "cafe/info/1"' i.json || fail "schema"
expect 0 "$CAFE" info "$karate" --json j.json
prints '^edges +78$'
same i.json j.json
expect 1 "$CAFE" info "$karate" --json j.json
says 'exists'
printf 'a b 2\nb c 0.5\n' >weighted.in.txt
expect 0 "$CAFE" info weighted.in.txt
prints '^weights +0.5 to 2$'
prints '^total weight +5, every edge counted at both ends$'
prints '^names +strings: a .. c$'
rm ./*.json

# a path that is no valid text still makes a valid report
name=$(printf 'odd"\\ \xff\x01.in.txt')
cp "$karate" "$name"
expect 0 "$CAFE" info "$name" --json -
cp .last/out odd.in.json
json_check odd.in.json

# ---- convert: every format holds the same graph: back in .cafe, the same bytes
expect 0 "$CAFE" convert -q "$karate" a.cafe
quiet
silent
for ending in txt edges tsv csv mtx graph metis cafe; do
    expect 0 "$CAFE" convert a.cafe "b.$ending"
    silent
    says '34 nodes, 78 edges'
    expect 0 "$CAFE" convert -q "b.$ending" c.cafe -f
    expect 0 "$CAFE" embed c.cafe -q -k 4 -o - --output-form hhat
    cp -f .last/out "$ending.in"
    same txt.in "$ending.in"
done
expect 1 "$CAFE" convert "$karate" a.cafe
says 'a.cafe: exists'
expect 0 "$CAFE" convert -q "$karate" a.cafe -f
# weights and names survive where the format has them
expect 0 "$CAFE" convert -q weighted.in.txt w.cafe
expect 0 "$CAFE" info w.cafe
prints '^weights +0.5 to 2$'
prints '^total weight +5, every edge counted at both ends$'
prints '^names +strings: a .. c$'
expect 0 "$CAFE" convert -q weighted.in.txt plain.csv --weights no
[[ $(grep -vc '^[#%]' plain.csv) -eq 2 ]] || fail "plain.csv"
expect 0 "$CAFE" info plain.csv
prints '^weights +none'
rm -f ./*.cafe ./*.csv ./b.*

# ---- convert --largest-component: names, weights and loops of the component stay
printf 'x y 3\nb a 2\na c 0.5\nc c 4\nz z 1\n' >parts.in.txt
expect 0 "$CAFE" convert parts.in.txt - --largest-component --self-loops keep --header no
says 'component 3 of 6 nodes, the largest of 3 components'
grep -v '^#' .last/out >part.in.txt
printf 'b a 2\nc c 4\na c 0.5\n' >want.in.txt
same part.in.txt want.in.txt
printf '7 9\n1 2\n9 8\n' >parts.in.txt
expect 0 "$CAFE" convert -q parts.in.txt - --largest-component
grep -v '^#' .last/out >part.in.txt
printf '7 9\n8 9\n' >want.in.txt
same part.in.txt want.in.txt
expect 0 "$CAFE" convert -q "$karate" whole.cafe
expect 0 "$CAFE" convert -q "$karate" largest.cafe --largest-component
same whole.cafe largest.cafe
expect 2 "$CAFE" convert "$karate" none.cafe --largest-component --engine petsc
rm -f ./*.cafe

# ---- generate: deterministic by seed for any threads; labels for every node
for model in sbm planted ba rmat; do
    make=(generate "$model" --nodes 1000 --edges 5000 -q)
    expect 0 "$CAFE" "${make[@]}" --seed 7 -t 1 -o one.txt --labels one.labels
    silent
    expect 0 "$CAFE" "${make[@]}" --seed 7 -t 3 -o three.txt --labels three.labels
    same one.txt three.txt
    same one.labels three.labels
    expect 0 "$CAFE" "${make[@]}" --seed 8 -o other.txt
    ! cmp -s one.txt other.txt || fail "$model: the seed has no effect"
    [[ $(wc -l <one.labels) -eq 1000 ]] || fail "$model: labels"
    awk '$1 != NR - 1 || NF != 2 { exit 1 }' one.labels || fail "$model: labels are not 'node label'"
    expect 0 "$CAFE" info one.txt
    prints '^changed +nothing$'
    edges=$(sed -nE 's/^edges +([0-9,]+)$/\1/p' .last/out | tr -d ,)
    [[ $edges -le 5000 && $edges -ge 4000 ]] || fail "$model: $edges edges instead of 5000"
    rm -f ./*.txt.in one.* three.* other.*
done
expect 0 "$CAFE" generate sbm --nodes 100 --edges 500 --blocks 5 -q -o g.txt --labels l.txt
[[ $(cut -d ' ' -f 2 l.txt | sort -u | wc -l) -eq 5 ]] || fail "5 blocks"
expect 1 "$CAFE" generate sbm -o g.txt
says 'g.txt: exists'
expect 1 "$CAFE" generate sbm -o h.txt --labels l.txt
says 'l.txt: exists'
[[ ! -e h.txt ]] || fail "half of the outputs was written"

# ---- the table of formats in the documents has every ending that the tool lists
expect 2 "$CAFE" convert "$karate" no.ending
sed -nE 's/.*here it can be (.*)/\1/p' .last/err | tr ' ' '\n' >endings.in
[[ $(wc -l <endings.in) -ge 8 ]] || fail "no list of endings"
while read -r ending; do
    grep -q "^|.*\`\\$ending\`.*| yes |$" "$SOURCE/docs/formats.md" || fail "docs/formats.md lacks $ending"
done <endings.in

# ---- a pipe or a device is written to, never replaced by a file
mkfifo pipe.in
cat pipe.in >through.in &
expect 0 "$CAFE" cluster "$SOURCE/examples/karate.txt" -q -f -o pipe.in
wait $!
[[ -p pipe.in ]] || fail "the pipe was replaced"
[[ $(wc -l <through.in) -eq 35 ]] || fail "the pipe did not get the partition"
expect 0 "$CAFE" cluster "$SOURCE/examples/karate.txt" -q -f -o /dev/null --json report.in
[[ -c /dev/null ]] || fail "the device was replaced"
