#!/usr/bin/env bash
# cafe cluster as a user runs it: partition, tree, report, options, names, threads, refusals.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
karate=$SOURCE/examples/karate.txt

# ---- the main way: partition, tree and report, talk on standard error only
expect 0 "$CAFE" cluster --no-heading "$karate" -o p.tsv --hierarchy t.json --json r.json
silent
says '34 nodes, 78 edges, 1 component'
says 'modularity 0\.41'
says 'sizes +largest'
only p.tsv t.json r.json
json_check r.json
json_check t.json
for key in schema version graph method options modularity communities sizes layers seconds peak_bytes \
    allocated_bytes path nodes edges resolution refine effort chunks seed threads largest median \
    smallest single_nodes read sample solve write total; do
    grep -qE "^ *\"$key\": " r.json || fail "the report lacks $key"
done
[[ $(json_value r.json schema) == '"cafe/cluster/1"' ]] || fail "schema"
[[ $(json_value t.json schema) == '"cafe/hierarchy/1"' ]] || fail "schema of the tree"

# Modularity from the files alone: sum over communities of inside / m - (degrees / 2m)^2.
modularity() { # PARTITION GRAPH
    awk 'NR == FNR { part[$1] = $2; next }
        /^[#%]/ || NF < 2 { next }
        { m++; degree[part[$1]]++; degree[part[$2]]++; inside += part[$1] == part[$2] }
        END { q = inside / m; for (c in degree) q -= (degree[c] / (2 * m)) ^ 2; printf "%.9f\n", q }' \
        "$1" "$2"
}
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a - b < 1e-8 && b - a < 1e-8) }'; }
near "$(modularity p.tsv "$karate")" "$(json_value r.json modularity)" || fail "modularity"
[[ $(wc -l <p.tsv) -eq 34 ]] || fail "the partition's length"
[[ $(cut -f 2 p.tsv | sort -nu | wc -l) -eq $(json_value r.json communities) ]] || fail "communities"
cut -f 2 p.tsv | sort -n | uniq -c | awk '$2 != NR - 1 || (NR > 1 && $1 > last) { exit 1 } { last = $1 }' ||
    fail "communities are not numbered by size from 0"

# Following the parents from the finest layer leads to the partition.
sed -nE 's/^ *"(finest|parent)": \[(.*)\],?$/\2/p' t.json | tr -d ' ' >tree.in
awk -F, 'NR == FNR { for (i = 1; i <= NF; i++) row[NR, i - 1] = $i; rows = NR; nodes = NR == 1 ? NF : nodes; next }
    { split($0, line, "\t"); c = row[1, FNR - 1]; for (r = 2; r <= rows; r++) c = row[r, c]
      if (c != line[2]) exit 1 }' tree.in p.tsv || fail "the tree does not lead to the partition"

# ---- standard output, quiet, verbose
expect 0 "$CAFE" cluster --no-heading "$karate" -q -o -
quiet
same .last/out p.tsv
expect 0 "$CAFE" cluster --no-heading "$karate" -q --json -
prints '"schema": "cafe/cluster/1"'
expect 0 "$CAFE" cluster --no-heading "$karate" -v -o verbose.tsv
says 'layer +communities +modularity'

# ---- the same bits for any number of threads
"$CAFE" generate planted --nodes 2000 --edges 9000 --mixing 0.4 -q -o g.in.txt
for threads in 1 2 3 8; do
    expect 0 "$CAFE" cluster --no-heading g.in.txt -q -t $threads --tune chunks=7 -o t$threads.tsv --hierarchy t$threads.json
    same t1.tsv t$threads.tsv
    same t1.json t$threads.json
done
near "$(modularity t1.tsv g.in.txt)" "$("$CAFE" cluster g.in.txt -q --tune chunks=7 --json - |
    sed -nE 's/^  "modularity": ([^,]*),$/\1/p')" || fail "modularity of the planted graph"

# ---- options: the paper's form by either name, resolution, the soft method
expect 0 "$CAFE" cluster --no-heading "$karate" -q --tune refine=no -o a.tsv --json a.json
expect 0 "$CAFE" cluster --no-heading "$karate" -q --tune refine=no -o b.tsv
same a.tsv b.tsv
[[ $(json_value a.json refine) == false ]] || fail "refine is not in the report"
expect 0 "$CAFE" cluster --no-heading "$karate" -q --resolution 0 --json zero.json
[[ $(json_value zero.json communities) == 1 ]] || fail "resolution 0 is not the components"
expect 0 "$CAFE" cluster --no-heading "$karate" -q --resolution 1e6 --json many.json
[[ $(json_value many.json communities) == 34 ]] || fail "a large resolution leaves no single nodes"
expect 0 "$CAFE" cluster --no-heading "$karate" --method softmax -k 8 -o soft.tsv --json soft.json
near "$(modularity soft.tsv "$karate")" "$(json_value soft.json modularity)" || fail "softmax modularity"

# ---- trials: two columns more, which pages and labels read; the same bits; what goes without them
expect 0 "$CAFE" cluster "$karate" --trials 25 -o trials.tsv --json trials.json
says 'trials +25: modularity 0\.41'
says '25 graphs with the same degrees.* p 0\.0385: there are communities'
[[ $(head -1 trials.tsv) == $'node\tcommunity\tstay\tconsensus' ]] || fail "heading of trials"
[[ $(awk 'NR > 1 && NF == 4 && $3 > 0 && $3 <= 1' trials.tsv | wc -l) -eq 34 ]] || fail "columns of trials"
same <(sed 1d trials.tsv | cut -f 1,2) p.tsv
expect 0 "$CAFE" evaluate cluster "$karate" --labels trials.tsv --communities p.tsv --json agree.json
[[ $(json_value agree.json nmi) == 1 ]] || fail "the table of trials is not read as a partition"
for threads in 2 3 8; do
    expect 0 "$CAFE" cluster "$karate" --trials 25 -t $threads -q -f -o more.tsv
    same trials.tsv more.tsv
done
expect 0 "$CAFE" cluster "$karate" --trials 2 -q --no-heading --method softmax -k 4 -o soft.csv
[[ $(awk -F, 'NF == 4' soft.csv | wc -l) -eq 34 ]] || fail "trials of softmax"
expect 0 "$CAFE" cluster "$karate" --trials 2 -o few.tsv
says 'too few trials to tell'
expect 0 "$CAFE" embed "$karate" -q -k 4 -o page.npy
expect 0 "$CAFE" plot "$karate" page.npy -q --communities trials.tsv -o page.html
grep -q '"stay"' page.html || fail "the page lacks the column stay"
expect 0 "$CAFE" plot "$karate" page.npy -q --communities p.tsv -o plain.html
grep -q '"tableFound": *0' plain.html || fail "the page has a table without trials"
rm page.npy page.html plain.html soft.csv
expect 2 "$CAFE" cluster "$karate" --trials 4 --start p.tsv -o x.tsv
says '--trials does not go with --start'
expect 2 "$CAFE" cluster "$karate" --trials 1 -o x.tsv
says 'trials'

# ---- a profile of resolutions, alone and beside a partition
expect 0 "$CAFE" cluster "$karate" --profile 0.2:3:8 --json profile.json
says 'profile +resolution +communities'
[[ $(grep -c '"plateau"' profile.json) -eq 8 ]] || fail "rows of the profile"
json_check profile.json
expect 0 "$CAFE" cluster "$karate" --profile 0.2:3 -q -o profiled.tsv
same <(sed 1d profiled.tsv) p.tsv
for bad in 1 2:1 0:1 1:2:1 1:2:2.5 1:2:3:4 1: :2 a:b -1:2; do
    expect 2 "$CAFE" cluster "$karate" --profile="$bad" -o x.tsv
    says 'profile'
done
expect 2 "$CAFE" cluster "$karate" --profile 1:2 --start p.tsv
says '--profile does not go with --start'

# ---- names come back; isolated nodes are communities of their own
printf '30 7\n7 1000000000000\n30 1000000000000\n' >integers.in.txt
expect 0 "$CAFE" cluster --no-heading integers.in.txt -q -o i.tsv
[[ $(cut -f 1 i.tsv | xargs) == '7 30 1000000000000' ]] || fail "integer names"
printf 'zo\xc3\xab,"b\tq"\n"b\tq",<x&y>\n<x&y>,zo\xc3\xab\n' >strings.in.csv
expect 0 "$CAFE" cluster --no-heading strings.in.csv -q -o s.tsv --hierarchy s.json
[[ $(sed -n 2p s.tsv) == $'"b\tq"\t0' ]] || fail "a name with a tab: $(sed -n 2p s.tsv)"
json_check s.json
grep -q '"names": ' s.json || fail "the tree lacks the names"

# ---- the hierarchy as a table and as a dendrogram: the same communities as in the partition
printf "it's,b\nb,c d\nc d,it's\ne,f\nf,g\ng,e\ne,b\n" >names.in.csv
expect 0 "$CAFE" cluster names.in.csv -q --no-heading -o n.tsv --hierarchy n.h.tsv
[[ $(head -1 n.h.tsv) == $'node\tlevel\tcommunity\tparent' ]] || fail "heading of the table"
last=$(tail -1 n.h.tsv | cut -f 2)
awk -F '\t' -v top="$last" '$2 == top { print $1 "\t" $3 }' n.h.tsv | diff - n.tsv || fail "top level"
[[ $(wc -l <n.h.tsv) == $((1 + 6 * last)) ]] || fail "lines of the table"
awk -F '\t' 'NR > 1 { key = $1 "/" $2; at[key] = $3; up[key] = $4; node[$1]; if ($2 > top) top = $2 }
    END { for (u in node) for (l = 1; l <= top; l++) if (up[u "/" l] != at[u "/" (l + 1)]) exit 1 }' n.h.tsv ||
    fail "parents"
expect 0 "$CAFE" cluster names.in.csv -q --hierarchy n.h.csv
tr '\t' , <n.h.tsv | diff - n.h.csv || fail "the table with commas"
expect 0 "$CAFE" cluster names.in.csv -q --hierarchy n.nwk
[[ $(tr -cd '(' <n.nwk | wc -c) == $(tr -cd ')' <n.nwk | wc -c) ]] || fail "brackets of the dendrogram"
grep -q "'it''s'" n.nwk || fail "names of the dendrogram"
[[ $(grep -o "'$last:[0-9]*'" n.nwk | sort | uniq -d) == '' ]] || fail "a community twice"
[[ $(grep -o "'$last:[0-9]*'" n.nwk | wc -l) == $(cut -f 2 n.tsv | sort -u | wc -l) ]] || fail "communities"
rm n.h.tsv n.h.csv n.nwk
# a table is not written under the ending of another format
for name in x.json x.npy x.cafe x.html x.JSON x.json.gz; do
    expect 2 "$CAFE" cluster names.in.csv -q -o $name
    says "$name: the ending tells the format; here it can be .tsv .csv .txt"
    expect 2 "$CAFE" rank names.in.csv -q -o $name
    [[ ! -e $name ]] || fail "$name was written"
done
for name in x.clu x.tsv.gz x; do
    expect 0 "$CAFE" cluster names.in.csv -q -o $name
    rm $name
done
printf '0 1\n1 2\n2 0\n' >triangle.in.txt
expect 0 "$CAFE" cluster --no-heading triangle.in.txt -q --nodes 5 -o five.tsv
[[ $(cut -f 2 five.tsv | xargs) == '0 0 0 1 2' ]] || fail "isolated nodes"

# ---- a start: numbers stay, new communities get others, kept nodes do not move
"$CAFE" generate planted --nodes 1000 --edges 6000 --blocks 9 --mixing 0.3 -q -o day2.in.txt
tail -n +201 day2.in.txt >day1.in.txt
expect 0 "$CAFE" cluster --no-heading day1.in.txt -q -o first.tsv
awk -F '\t' '{ print $1 "\t" 100 + 7 * $2 }' first.tsv >first.in.tsv
echo 'gone	100' >>first.in.tsv
expect 0 "$CAFE" cluster --no-heading day2.in.txt --start first.in.tsv -o second.tsv --json second.json
says 'start +first\.in\.tsv: [0-9]+ communities, .* nodes'
says '1 node of it left out'
says 'changes +[0-9.]+% of [0-9,]+ nodes keep their community'
json_check second.json
for key in changes nodes_kept nodes_moved nodes_new born died split merged; do
    grep -qE "^ *\"$key\": " second.json || fail "the report lacks $key"
done
[[ $(json_value second.json start) == '"first.in.tsv"' ]] || fail "the start is not in the options"
stayed=$(awk 'NR == FNR { old[$1] = $2; next } $1 in old { n++; same += old[$1] == $2 }
    END { print (same / n > .95 ? "yes" : same / n) }' first.in.tsv second.tsv)
[[ $stayed == yes ]] || fail "only $stayed of the nodes keep their number"
near "$(modularity second.tsv day2.in.txt)" "$(json_value second.json modularity)" || fail "modularity from a start"
awk '{ print $1 "\t" ($1 % 3) * 5 }' p.tsv >thirds.in.tsv
printf '0\n1\n33\n' >keep.in.txt
for threads in 1 3; do
    expect 0 "$CAFE" cluster --no-heading "$karate" -q -t $threads --start thirds.in.tsv --keep keep.in.txt -o k$threads.tsv
done
same k1.tsv k3.tsv
[[ $(grep -E $'^(0|1|33)\t' k1.tsv | cut -f 2 | xargs) == '0 5 0' ]] || fail "kept nodes moved"
sed 's/0$/red/' thirds.in.tsv >colours.in.tsv
expect 0 "$CAFE" cluster --no-heading "$karate" -q --start colours.in.tsv -o w.tsv

# ---- refusals come before the work
rm -f ./*.tsv ./*.json
expect 2 "$CAFE" cluster "$karate"
says 'no output: give'
expect 2 "$CAFE" cluster "$karate" -o x.tsv --json x.tsv
says 'cannot both go to x.tsv'
expect 2 "$CAFE" cluster "$karate" --method softmax --hierarchy x.json
says '--hierarchy does not go with --method softmax'
expect 2 "$CAFE" cluster "$karate" --method softmax --start thirds.in.tsv -o x.tsv
says '--start does not go with --method softmax, but with --method layers'
printf '0\t1\n1\t1\n' >two.in.tsv
expect 1 "$CAFE" cluster "$karate" --start two.in.tsv --effort high -o x.tsv
says 'does not go with --start'
expect 2 "$CAFE" cluster "$karate" --effort much -o x.tsv
says 'one of fast.normal.high or a number from 0.001'
expect 2 "$CAFE" cluster "$karate" --effort 0 -o x.tsv
expect 0 "$CAFE" cluster "$karate" --effort high -t 1 -q -o high1.tsv
expect 0 "$CAFE" cluster "$karate" --effort high -t 3 -q -o high3.tsv
same high1.tsv high3.tsv
rm high1.tsv high3.tsv
printf '5\t1\n' >one.in.tsv
# sizes and numbers
for k in 1 2 3 7 34; do
    expect 0 "$CAFE" cluster "$karate" --communities $k -q -o k.tsv -f
    [[ $(sed 1d k.tsv | cut -f 2 | sort -u | wc -l) -eq $k ]] || fail "--communities $k"
done
expect 0 "$CAFE" cluster "$karate" --max-size 7 --min-size 3 -q -o k.tsv -f
sed 1d k.tsv | cut -f 2 | sort | uniq -c | awk '$1 > 7 || $1 < 3 { exit 1 }' || fail 'sizes'
printf '0 1\n2 3\n' >pairs.in.txt
expect 0 "$CAFE" cluster pairs.in.txt --min-size 3 -o k.tsv -f
says '2 of 2 communities are smaller than --min-size 3'
expect 1 "$CAFE" cluster pairs.in.txt --communities 1 -o x.tsv
says 'the graph has 2 components'
expect 1 "$CAFE" cluster "$karate" --communities 3 --max-size 9 -o x.tsv
says '--communities does not go with --min-size and --max-size'
expect 1 "$CAFE" cluster "$karate" --communities 3 --start one.in.tsv -o x.tsv
says '--communities does not go with --start'
rm k.tsv
expect 2 "$CAFE" cluster "$karate" --keep keep.in.txt -o x.tsv
says '--keep needs --start'
expect 1 "$CAFE" cluster "$karate" --start one.in.tsv --keep keep.in.txt -o x.tsv
says 'node 0 is to keep its community, and --start has none of it'
expect 2 "$CAFE" cluster "$karate" -o x.tsv --resolution -1
expect 2 "$CAFE" cluster "$karate" -o x.tsv --resolution nan
echo keep >kept.in.tsv
expect 1 "$CAFE" cluster absent.txt -o kept.in.tsv
says 'kept.in.tsv: exists; -f overwrites it'
expect 1 "$CAFE" cluster absent.txt -o no/such/p.tsv
says 'folder does not exist'
printf '' >empty.in.txt
expect 3 "$CAFE" cluster empty.in.txt -o x.tsv
only_inputs
