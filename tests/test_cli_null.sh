#!/usr/bin/env bash
# --null as a user gives it: what is found, reported and refused.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"

# three groups by u mod 3; users and items with the same numbers
awk 'BEGIN { srand(2); for (i = 0; i < 2500; i++) { u = int(90 * rand()); w = int(90 * rand());
    if (u != w && (u % 3 == w % 3 || rand() < 0.05)) print u, w } }' | sort -u >g.in.txt

# groups NAME: how many pairs of a group and a community the table has
groups() { awk 'NR > 1 { sub(/^right:/, "", $1); print $1 % 3, $2 }' "$1" | sort -u | wc -l; }

for null in configuration constant directed; do
    expect 0 "$CAFE" cluster g.in.txt --directed sum --null "$null" -o p.in.tsv -f --json p.in.json
    [[ $(groups p.in.tsv) -eq 3 ]] || fail "$null: the groups are not found"
    [[ $(json_value p.in.json null) == "\"$null\"" ]] || fail "$null is not in the report"
done
expect 0 "$CAFE" cluster g.in.txt --bipartite --null two-sided -o b.in.tsv
says 'with 3 communities'
[[ $(groups b.in.tsv) -eq 3 ]] || fail 'the groups of two sides are not found'
expect 0 "$CAFE" cluster g.in.txt --null none -o n.in.tsv
says 'modularity 1(\.0+)? with 1 communit'
expect 0 "$CAFE" cluster g.in.txt --null constant --method softmax -k 3 --tune initial=layers -o s.in.tsv
[[ $(groups s.in.tsv) -eq 3 ]] || fail 'softmax does not keep the groups'
expect 0 "$CAFE" embed g.in.txt --directed sum --null directed -k 8 -o v.in.npy --json v.in.json
json_check v.in.json
expect 0 "$CAFE" embed g.in.txt --directed sum --null directed --dry-run -k 8

expect 1 "$CAFE" cluster g.in.txt --null directed -o no.tsv
says 'needs directions: read the edges with --directed sum'
expect 1 "$CAFE" cluster g.in.txt --null two-sided -o no.tsv
says 'from one side to the other'
expect 1 "$CAFE" embed g.in.txt --directed sum --null directed --tune degree-exponent=0.25 -o no.npy
says 'without a degree exponent'
expect 2 "$CAFE" cluster g.in.txt --null random -o no.tsv
only

# each slice of time has the null model for itself; signs of two sides; eigenvectors
awk '{ print $1 "," $2 "," 2000 + NR % 3 }' g.in.txt >t.in.csv
for null in constant directed none; do
    expect 0 "$CAFE" cluster t.in.csv --time 2 --directed sum --null "$null" -o t.in.tsv -f
    expect 0 "$CAFE" embed t.in.csv --time 2 --directed sum --null "$null" --method spectral -k 4 -o t.in.npy -f
done
awk '{ print "u" $1, "i" $2, ($1 % 3 == $2 % 3 ? 1 : -1) }' g.in.txt >s.in.txt
expect 0 "$CAFE" cluster s.in.txt --signed --null two-sided -o s.in.tsv -f
[[ $(awk 'NR > 1 { print substr($1, 2) % 3, $2 }' s.in.tsv | sort -u | wc -l) -eq 3 ]] ||
    fail 'the groups of two sides with signs are not found'
expect 3 "$CAFE" cluster s.in.txt --signed --directed sum --null directed -o no.tsv -f
says 'negative'
only
