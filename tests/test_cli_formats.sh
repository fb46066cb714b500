#!/usr/bin/env bash
# Formats out: GraphML and GML with attributes, .gz by ending, standard output, commas in .csv files.
# shellcheck source=tests/lib.sh
source "$SOURCE/tests/lib.sh"

karate=$SOURCE/examples/karate.txt
expect 0 "$CAFE" convert "$karate" k.in.cafe

# the same graph comes back from every format, packed too
for ending in graphml gml txt csv tsv mtx graph txt.gz csv.gz gml.gz graphml.gz mtx.gz; do
    expect 0 "$CAFE" convert "$karate" "k.in.$ending"
    expect 0 "$CAFE" convert "k.in.$ending" again.in.cafe -f
    expect 0 "$CAFE" info again.in.cafe
    prints '^edges        78$'
done
# a byte order mark before the content hides nothing from who recognises a format
for ending in graphml gml txt mtx; do
    printf '\xef\xbb\xbf' | cat - "k.in.$ending" >marked.in
    expect 0 "$CAFE" info marked.in
    prints '^edges        78$'
done
# nodes that no edge makes likely
printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n3000000 3000000 1\n2 1\n' >far.in.mtx
expect 3 "$CAFE" info far.in.mtx
says 'far.in.mtx:2:1: expected fewer nodes for 1 edges .--nodes 3000000 keeps them all; '
expect 0 "$CAFE" info far.in.mtx --nodes 3000000
prints '^nodes        3,000,000$'
printf '7 100000000\n' >far.in.txt
expect 0 "$CAFE" info far.in.txt
prints '^nodes        2$'
printf '\xef\xbb\xbf{"a": 1,\n"b": 2}\n' >marked.in
expect 3 "$CAFE" info marked.in
says 'marked.in:2: expected a graph as node-link JSON, found no'
cmp -s <(gzip -dc k.in.csv.gz) k.in.csv || fail "k.in.csv.gz is not k.in.csv"
expect 2 "$CAFE" convert "$karate" k.cafe.gz
says 'the ending tells the format'
expect 2 "$CAFE" embed "$karate" -k 2 -o v.npy.gz
expect 0 "$CAFE" embed "$karate" -k 2 -o v.in.tsv.gz
expect 0 "$CAFE" embed "$karate" -k 2 -o v.in.tsv
cmp -s <(gzip -dc v.in.tsv.gz) v.in.tsv || fail "v.in.tsv.gz is not v.in.tsv"

# standard output
expect 0 "$CAFE" convert k.in.cafe -
prints '^0 1$'
expect 0 "$CAFE" convert k.in.cafe -
! grep -q written .last/err || fail "standard output is no file that was written"
"$CAFE" convert k.in.cafe - -q | "$CAFE" info - >.last/out
prints '^edges        78$'
expect 0 "$CAFE" generate sbm --nodes 100 --edges 200 -o - -q
prints '^# cafe: nodes 100$'

# .csv is commas everywhere
expect 0 "$CAFE" embed "$karate" -k 2 -o v.in.csv
expect 0 "$CAFE" cluster "$karate" -o c.in.csv
expect 0 "$CAFE" rank "$karate" --top 34 -o r.in.csv
expect 0 "$CAFE" recommend "$karate" -o recommended.in.csv
expect 0 "$CAFE" generate sbm --nodes 100 --edges 200 -o g.in.csv --labels l.in.csv
for file in v c r recommended g l; do
    ! grep -q $'\t' "$file.in.csv" || fail "$file.in.csv has tabs"
    sed 1d "$file.in.csv" | grep -vq , && fail "$file.in.csv lacks commas"
done
expect 0 "$CAFE" evaluate cluster "$karate" --communities c.in.csv --labels "$SOURCE/examples/karate.labels.txt"

# attributes of nodes
for ending in graphml gml; do
    expect 0 "$CAFE" convert "$karate" "a.in.$ending" --vectors v.in.csv --communities c.in.csv \
        --attributes r.in.csv
done
for key in v0 v1 community pagerank; do
    grep -q "for=\"node\" attr.name=\"$key\"" a.in.graphml || fail "a.in.graphml lacks $key"
    grep -q "node \[ id 0 .* $key " a.in.gml || fail "a.in.gml lacks $key"
done
expect 0 "$CAFE" info a.in.graphml
prints '^edges        78$'
expect 2 "$CAFE" convert "$karate" a.mtx --vectors v.in.csv
if python3 -c 'import networkx' 2>/dev/null; then
    expect 0 python3 -c "
import networkx as nx
for graph in nx.read_graphml('a.in.graphml'), nx.read_gml('a.in.gml'):
    assert len(graph) == 34 and graph.size() == 78
    assert all(set(data) >= {'v0', 'v1', 'community', 'pagerank'} for _, data in graph.nodes(data=True))"
else
    echo "skipped: no networkx"
fi
only_inputs
