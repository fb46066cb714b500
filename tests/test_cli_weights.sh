#!/usr/bin/env bash
# Edges by weight, lists with each edge in both directions, warnings of dropped and merged edges.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

# value FILE KEY WANTED
value() { [[ $(json_value "$1" "$2") == "$3" ]] || fail "$2: $(json_value "$1" "$2") instead of $3"; }

# ---- a protein network as STRING writes it: each pair twice, scores of 150 to 999
awk 'BEGIN { srand(5); print "protein1 protein2 combined_score"
    for (u = 0; u < 60; u++) for (w = 0; w < u; w++) if (rand() < 0.2) {
        s = int(150 + rand() * 850); print "9606.P" u, "9606.P" w, s; print "9606.P" w, "9606.P" u, s } }' >string.in.txt
edges=$((($(wc -l <string.in.txt) - 1) / 2))
most=$(awk 'NR > 1 && $3 > most { most = $3 } END { print most }' string.in.txt)
expect 0 "$CAFE" info -q string.in.txt --json string.json
quiet
prints "^edges +$edges$"
prints "$edges edges listed in both directions with one weight counted once"
prints "^weights .* to $most$"
value string.json mirrored true
expect 0 "$CAFE" info string.in.txt --duplicates sum
quiet
prints "^weights .* to $((2 * most))$"
# one score that differs: the weights are added, with a warning
sed '2s/[0-9]*$/1/' string.in.txt >mixed.in.txt
expect 0 "$CAFE" info mixed.in.txt --json mixed.json
says "warning: $edges of $((2 * edges)) edges in the file are the other direction of an edge: the weights of both are added"
value mixed.json mirrored false
expect 0 "$CAFE" info mixed.in.txt --duplicates one
quiet
prints "^weights .* to $most$"

# ---- thresholds, in text and in .cafe, and edges that are left out are counted
high=$(awk 'NR > 1 && $3 >= 700' string.in.txt | wc -l)
expect 0 "$CAFE" convert -q string.in.txt string.cafe
for file in string.in.txt string.cafe; do
    expect 0 "$CAFE" info "$file" --min-weight 700 --json high.json -f
    prints "^edges +$((high / 2))$"
    prints "$((edges - high / 2)) edges outside the range of weights left out"
    value high.json outside $((edges - high / 2))
    value high.json nodes 60
done
expect 3 "$CAFE" info string.in.txt --min-weight 1000
says 'no edge is left: .*--min-weight and --max-weight'
expect 1 "$CAFE" info string.in.txt --min-weight 500 --max-weight 400
says '--min-weight is 500, above --max-weight, 400'

# ---- the heaviest edge of each node of a path with growing weights, and of equal ones
printf 'a b 1\nb c 2\nc d 3\nd e 4\n' >path.in.txt
expect 0 "$CAFE" convert path.in.txt - --top-edges 1
[[ $(grep -cv '^#' .last/out) == 4 ]] || fail 'every edge is the heaviest of an end'
printf 'a b 3\nb c 2\nc d 3\n' >path.in.txt
expect 0 "$CAFE" convert path.in.txt - --top-edges 1
says '1 edge not among the heaviest of either end left out'
printf 'a b\nb c\nc d\nd b\n' >ties.in.txt # b: a before c and d; c: b before d; d: b before c
expect 0 "$CAFE" convert ties.in.txt - --top-edges 1
[[ $(grep -cv '^#' .last/out) == 3 ]] || fail 'ties'
! grep -qE 'c d|d c' .last/out || fail 'the edge of c and d comes last for both'

# ---- weights transformed
printf 'a b 4\nb c 9\n' >squares.in.txt
expect 0 "$CAFE" convert squares.in.txt - --weight-transform sqrt
[[ $(grep -v '^#' .last/out | cut -d' ' -f3 | xargs) == '2 3' ]] || fail 'roots'
expect 0 "$CAFE" info squares.in.txt --weight-transform inverse
prints '^weights +0.111111 to 0.25$'
expect 0 "$CAFE" info squares.in.txt --weight-transform log
prints '^weights +1.60944 to 2.30259$'

# ---- warnings of more than 1 % of loops and repeated edges; the option that decides ends them
seq 100 | awk '{ print $1, $1 + 1 } $1 <= 2 { print $1, $1 } $1 <= 3 { print $1, $1 + 1 }' >losses.in.txt
expect 0 "$CAFE" info losses.in.txt
says 'warning: 2 of 105 edges in the file are self-loops and left out'
says 'warning: 3 of 105 edges in the file repeat an edge, which counts once'
expect 0 "$CAFE" info losses.in.txt --self-loops drop --duplicates one
quiet
seq 1000 | awk '{ print $1, $1 + 1 } $1 <= 2 { print $1, $1 } $1 <= 3 { print $1, $1 + 1 }' >losses.in.txt
expect 0 "$CAFE" info losses.in.txt
quiet
