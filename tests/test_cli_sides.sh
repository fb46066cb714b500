#!/usr/bin/env bash
# Two-sided data: the same id in both columns means two nodes.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

# ---- users and items numbered from 1 alike
awk 'BEGIN { srand(2); print "user,item,rating"
    for (u = 1; u <= 30; u++) for (i = 1; i <= 50; i++) if (rand() < 0.2) print u "," i "," int(1 + 5 * rand()) }' >ratings.in.csv
edges=$(($(wc -l <ratings.in.csv) - 1))
expect 0 "$CAFE" info ratings.in.csv --source user --target item --weight rating --bipartite --json sides.json
prints "^edges +$edges$"
prints '^bipartite +yes: 30 and 50 nodes$'
prints '^names +strings: 1 .. right:50$'
[[ $(json_value sides.json left_nodes) == 30 ]] || fail 'left nodes'
expect 0 "$CAFE" info ratings.in.csv --source user --target item --weight rating
prints '^bipartite +no$' # one node for user 5 and item 5
expect 0 "$CAFE" embed ratings.in.csv --source user --target item --weight rating --bipartite -k 4 -o vectors.tsv
says 'two sides: 30 and 50 nodes; the names of the second begin with right:'
[[ $(cut -f1 vectors.tsv | grep -A1 '^30$' | tail -n 1) == right:1 ]] || fail 'users, then items'
# the same graph as with names of its own, up to the names
sed -E '2,$s/^([0-9]+),([0-9]+)/u\1,i\2/' ratings.in.csv >named.in.csv
expect 0 "$CAFE" info named.in.csv --source 0 --target 1 --weight 2 --bipartite
prints '^names +strings: u1 .. i'
expect 0 "$CAFE" recommend ratings.in.csv --source user --target item --weight rating --bipartite --node 5 -k 3
prints 'right:[0-9]+'
! tail -n +2 .last/out | cut -f3 | grep -vq '^right:' || fail 'a user is recommended'

# ---- ids that only one side has keep their names; integers stay integers if they ascend
printf '1 10\n2 11\n1 11\n' >apart.in.txt
expect 0 "$CAFE" info apart.in.txt --bipartite
prints '^names +integers: 1 .. 11$'
printf '10 1\n11 2\n10 2\n' >turned.in.txt
expect 0 "$CAFE" info turned.in.txt --bipartite
prints '^names +integers: 10 .. 2$'
# what convert wrote says how many nodes there are, and means both sides
expect 0 "$CAFE" convert "$SOURCE/examples/karate.txt" karate.txt -q
expect 0 "$CAFE" info karate.txt --bipartite
prints '^bipartite +yes:'

# ---- refused: an ambiguous name, other formats, a number of nodes
printf 'right:a b\nb c\nc a\n' >odd.in.txt
expect 3 "$CAFE" info odd.in.txt --bipartite
says "names of sources that do not begin with right:, which --bipartite puts before those of targets, found 'right:a'"
expect 0 "$CAFE" convert "$SOURCE/examples/karate.txt" karate.cafe -q
expect 1 "$CAFE" info karate.cafe --bipartite
says '--bipartite goes with edge lists'
expect 1 "$CAFE" info apart.in.txt --bipartite --nodes 20
says '--nodes goes with'
