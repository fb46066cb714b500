#!/usr/bin/env bash
# --reorder: the order is kept by convert, changes no name and no place of a result, and is left out on request.
. "$SOURCE/tests/lib.sh"

"$CAFE" generate planted --nodes 2000 --edges 16000 --blocks 8 --shuffle yes -o g.txt -q 2> /dev/null ||
    "$CAFE" generate planted --nodes 2000 --edges 16000 --blocks 8 -o g.txt -q
sed 's/\([0-9][0-9]*\)/n\1/g; s/^# .*//' g.txt | grep . > named.txt

for graph in g named; do
    expect 0 "$CAFE" convert $graph.txt plain.cafe -f
    for order in degree communities; do
        expect 0 "$CAFE" convert $graph.txt $order.cafe --reorder $order -f
        # the same graph, under the same names
        expect 0 "$CAFE" convert $order.cafe back.txt -f
        expect 0 "$CAFE" convert plain.cafe there.txt -f
        cmp -s back.txt there.txt || fail "$graph: $order changed the graph"
        # communities are found in the graph's own order
        expect 0 "$CAFE" cluster plain.cafe -o plain.tsv -f
        expect 0 "$CAFE" cluster $order.cafe -o $order.tsv -f
        cmp -s plain.tsv $order.tsv || fail "$graph: other communities with $order"
        # vectors: the same for any threads, from the file and from the option; in the order of the nodes
        expect 0 "$CAFE" embed $order.cafe -k 8 --threads 1 -o one.tsv --json one.json -f
        expect 0 "$CAFE" embed $graph.txt -k 8 --threads 3 --reorder $order -o three.tsv -f
        cmp -s one.tsv three.tsv || fail "$graph: $order: other vectors"
        grep -q '"reorder": "auto"' one.json || fail "no reorder in the report"
        expect 0 "$CAFE" embed $order.cafe -k 8 --reorder none -o none.tsv -f
        expect 0 "$CAFE" embed plain.cafe -k 8 -o plain.vec.tsv -f
        cmp -s none.tsv plain.vec.tsv || fail "$graph: none is not none"
        cut -f 1 one.tsv > one.names
        cut -f 1 none.tsv > none.names
        cmp -s one.names none.names || fail "$graph: $order: rows in another order"
        if cmp -s one.tsv none.tsv; then fail "$graph: $order had no effect"; fi
    done
done
expect 2 "$CAFE" embed g.txt --reorder up -o x.npy
exit 0
