#!/usr/bin/env bash
# --features as a user gives them: a table by names or a matrix, the groups of columns, the report, soft clusters, refusals.
# shellcheck source=tests/lib.sh
source "${SOURCE:?}/tests/lib.sh"
karate=$SOURCE/examples/karate.txt

near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { exit !(a - b < t && b - a < t) }'; }

# a table by names, in any order
"$CAFE" cluster "$karate" -q -o part.in.tsv
awk 'NR > 1 { print $1 "," ($2 == 0) "," ($2 == 1) "," ($2 == 2) "," $1 % 7 }' part.in.tsv | sort -r >rows.in
(echo node,a,b,c,d; cat rows.in) >x.in.csv
expect 0 "$CAFE" embed "$karate" -k 16 --features x.in.csv -o v.in.npy --json v.in.json
silent
says 'features  x.in.csv: 4 columns, [0-9]+ entries, taken as words; rows by the names of the nodes'
says 'columns   [0-9]+ top, 4 features, 4 smoothed'
json_check v.in.json
[[ $(json_value v.in.json columns_asked) -eq 16 ]] || fail columns
[[ $(group_columns v.in.json features) == 4 && $(group_columns v.in.json smoothed) == 4 ]] || fail groups
[[ $(json_value v.in.json feature-weight) == '"auto"' || $(json_value v.in.json feature-weight) == null ]] || fail weight
correlation=$(json_value v.in.json correlation)
awk -v c="$correlation" 'BEGIN { exit !(c > 0.2 && c < 1) }' || fail "correlation $correlation"

# the order of the rows changes nothing, and neither do the threads
(echo node,a,b,c,d; sort rows.in) >y.in.csv
expect 0 "$CAFE" embed "$karate" -q -k 16 --features y.in.csv --threads 3 -o w.in.npy
same v.in.npy w.in.npy

# a weight of one's own; 0 leaves the operator of the graph
expect 0 "$CAFE" embed "$karate" -q -k 16 --features x.in.csv --feature-weight 0 -o v.in.npy -f --json z.in.json
near "$(json_value z.in.json weight)" 0 1e-12 || fail 'weight 0'
expect 0 "$CAFE" embed "$karate" -q -k 16 --columns-from top -o v.in.npy -f --json g.in.json
expect 0 "$CAFE" embed "$karate" -q -k 16 --columns-from top --features x.in.csv --feature-weight 0 -o w.in.npy -f
same v.in.npy w.in.npy

# the features of the communities, with most of the weight, give the communities
expect 0 "$CAFE" cluster "$karate" --method softmax -k 4 --features x.in.csv --feature-weight 0.6 -o soft.in.tsv --json s.in.json
says 'weight 0.6'
json_check s.in.json

# hard communities of graph and features
expect 0 "$CAFE" cluster "$karate" --features x.in.csv --bound -o hard.in.tsv --json h.in.json
says 'modularity .* communities'
says 'bound|proved'
json_check h.in.json
expect 1 "$CAFE" cluster "$karate" --features x.in.csv --resolution 0 -o no.tsv
says '--resolution 0 does not go with features'

# what is given to no purpose or does not go together is refused
expect 2 "$CAFE" embed "$karate" --feature-weight 0.5 -o no.npy
says 'feature-weight goes with --features'
expect 2 "$CAFE" embed "$karate" --method spectral --features x.in.csv -o no.npy
says 'features does not go with --method spectral, but with --method'
expect 2 "$CAFE" embed "$karate" --features x.in.csv --feature-weight 2 -o no.npy
says "one of auto or a number from 0 to 0.99, not '2'"
head -20 x.in.csv >short.in.csv
expect 3 "$CAFE" embed "$karate" --features short.in.csv -o no.npy
only

# rows by names: other orders go, a missing node and another one do not, and the graph's number of nodes is named
sed '$d' x.in.csv >less.in.csv
expect 3 "$CAFE" embed "$karate" --features less.in.csv -o no.npy
says 'expected a row for each of 34 nodes, found 33'
(cat less.in.csv; echo nobody,1,0,0,0) >other.in.csv
expect 3 "$CAFE" embed "$karate" --features other.in.csv -o no.npy
says "expected the name of a node of the graph, found 'nobody'"
